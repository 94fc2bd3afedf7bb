/* Evaluation of a circuit for many inputs at once, as the Python type `obligato.smt._cdcl.Words`: a bit of a word for each.
 *
 * A value is `width` words of 64 bits. Values have places: 1 is the constant true, then come the sources, then the gates, each after its
 * inputs. A literal is a signed place; a gate stands in the program as kind, number of inputs and literals.
 */
typedef struct {
    PyObject_HEAD
    Ints program, wanted;
    i32 sources, places, width;
    uint64_t *values; /* by place */
} Words;

static void Words_dealloc(Words *w) {
    free(w->program.at); free(w->wanted.at); free(w->values);
    Py_TYPE(w)->tp_free((PyObject *)w);
}

static int read_ints(PyObject *given, Ints *out) { /* 0: an error is set */
    PyObject *fast = PySequence_Fast(given, "a sequence of numbers");
    if (fast == NULL) return 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); i++) {
        long x = PyLong_AsLong(PySequence_Fast_GET_ITEM(fast, i));
        if (x > 1 << 29 || x < -(1 << 29) || (x == -1 && PyErr_Occurred())) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no number");
            Py_DECREF(fast);
            return 0;
        }
        push(NULL, out, (i32)x);
    }
    Py_DECREF(fast);
    return 1;
}

static int there(const Words *w, const i32 *literals, i32 n) { /* do all of them have places? */
    for (i32 i = 0; i < n; i++) if (literals[i] == 0 || abs(literals[i]) >= w->places) return 0;
    return 1;
}

static int sensible_program(Words *w) { /* counts the places; 0: it is none */
    static const i32 wanted[] = {-2, -2, -1, 2, 3, 3, 3};
    for (i32 at = 0; at < w->program.size; w->places++) {
        const i32 *gate = &w->program.at[at];
        if (w->program.size - at < 2 || gate[0] < AND || gate[0] > MAJ) return 0;
        if (gate[1] < 2 || gate[1] > w->program.size - at - 2 || (wanted[gate[0]] > 0 && gate[1] != wanted[gate[0]])) return 0;
        if (!there(w, gate + 2, gate[1])) return 0;
        at += 2 + gate[1];
    }
    return there(w, w->wanted.at, w->wanted.size);
}

static PyObject *Words_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *program, *wanted;
    int sources;
    if (!PyArg_ParseTuple(args, "iOO", &sources, &program, &wanted)) return NULL;
    Words *w = (Words *)type->tp_alloc(type, 0);
    if (w == NULL) return NULL;
    w->sources = sources; w->places = sources + 2; /* 0 is not used: it has no sign */
    if (read_ints(program, &w->program) && read_ints(wanted, &w->wanted)) {
        if (sources >= 0 && sources < 1 << 28 && sensible_program(w)) return (PyObject *)w;
        PyErr_SetString(PyExc_ValueError, "no circuit");
    }
    Py_DECREF(w);
    return NULL;
}

#define VALUE(n) (w->values + (size_t)(n) * (size_t)width)
#define SIGN(x) ((x) < 0 ? ~(uint64_t)0 : 0)

static void conjoin(const Words *w, const i32 *in, i32 n, uint64_t *out) {
    i32 width = w->width;
    const uint64_t *a = VALUE(abs(in[0])), *b = VALUE(abs(in[1])), sa = SIGN(in[0]), sb = SIGN(in[1]);
    for (i32 i = 0; i < width; i++) out[i] = (a[i] ^ sa) & (b[i] ^ sb);
    for (i32 k = 2; k < n; k++) {
        const uint64_t *c = VALUE(abs(in[k])), sc = SIGN(in[k]);
        for (i32 i = 0; i < width; i++) out[i] &= c[i] ^ sc;
    }
}

static void combine(const Words *w, i32 kind, const i32 *in, uint64_t *out) {
    i32 width = w->width, third = kind == XOR ? in[0] : in[2];
    const uint64_t *a = VALUE(abs(in[0])), *b = VALUE(abs(in[1])), *c = VALUE(abs(third));
    uint64_t sa = SIGN(in[0]), sb = SIGN(in[1]), sc = SIGN(third);
    switch (kind) {
    case XOR: for (i32 i = 0; i < width; i++) out[i] = a[i] ^ b[i] ^ sa ^ sb; break;
    case XOR3: for (i32 i = 0; i < width; i++) out[i] = a[i] ^ b[i] ^ c[i] ^ sa ^ sb ^ sc; break;
    case ITE: for (i32 i = 0; i < width; i++) out[i] = ((a[i] ^ sa) & (b[i] ^ sb)) | (~(a[i] ^ sa) & (c[i] ^ sc)); break;
    default: for (i32 i = 0; i < width; i++) { /* MAJ */
        uint64_t x = a[i] ^ sa, y = b[i] ^ sb, z = c[i] ^ sc;
        out[i] = (x & y) | (z & (x | y));
    }
    }
}

static PyObject *Words_run(Words *w, PyObject *const *args, Py_ssize_t n) {
    if (n != 2 || !PyBytes_Check(args[0])) return PyErr_Format(PyExc_TypeError, "run(values, width)");
    long width = PyLong_AsLong(args[1]);
    if (PyErr_Occurred()) return NULL;
    if (width < 1 || width > 1 << 16 || PyBytes_GET_SIZE(args[0]) != (Py_ssize_t)w->sources * width * 8)
        return PyErr_Format(PyExc_ValueError, "a value for each source is needed");
    if (width > w->width) w->values = grown(w->values, (size_t)w->places * (size_t)width * 8);
    w->width = (i32)width;
    memset(VALUE(1), 255, (size_t)width * 8);
    memcpy(VALUE(2), PyBytes_AS_STRING(args[0]), (size_t)PyBytes_GET_SIZE(args[0]));
    i32 place = w->sources + 2;
    for (i32 at = 0; at < w->program.size; place++) {
        const i32 *gate = &w->program.at[at];
        if (gate[0] == AND) conjoin(w, gate + 2, gate[1], VALUE(place));
        else combine(w, gate[0], gate + 2, VALUE(place));
        at += 2 + gate[1];
    }
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)w->wanted.size * width * 8);
    if (out == NULL) return NULL;
    char *to = PyBytes_AS_STRING(out);
    for (i32 k = 0; k < w->wanted.size; k++, to += width * 8) {
        const uint64_t *from = VALUE(abs(w->wanted.at[k])), sign = SIGN(w->wanted.at[k]);
        for (i32 i = 0; i < width; i++) { uint64_t x = from[i] ^ sign; memcpy(to + 8 * i, &x, 8); }
    }
    return out;
}

static PyMethodDef words_methods[] = {
    {"run", (PyCFunction)(void (*)(void))Words_run, METH_FASTCALL,
     "run(values, width): the values of the wanted literals, for those of the sources; each has so many words of 64 bits."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject WordsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "obligato.smt._cdcl.Words", .tp_basicsize = sizeof(Words),
    .tp_dealloc = (destructor)Words_dealloc, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_methods = words_methods, .tp_new = Words_new,
    .tp_doc = "Words(sources, program, wanted): evaluation of a circuit for many inputs at once.",
};
