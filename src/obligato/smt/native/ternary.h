/* Three-valued evaluation of a circuit, as the Python type `obligato.smt._cdcl.Ternary`: which sources may be unknown while roots stay true?
 *
 * 64 attempts at once: a value is two words, the lanes in which it is known to be true and those in which it is known to be false. A
 * source that must be known stays so when more become unknown, so all is found by two kinds of rounds: each lane has one source unknown,
 * then lane n has the first n of those that are left. Places and the program are as for `Words`.
 */
typedef struct {
    PyObject_HEAD
    Words circuit; /* its program and places; values are our own */
    Ints starts, stack, order, roots, state, move; /* starts: where the gate of a place stands in the program, or NONE */
    unsigned char *seen; /* by place: 1 met, 2 done */
    unsigned char *keep; /* by index of `state` */
    uint64_t *value; /* by place: true, false */
} Ternary;

static void Ternary_dealloc(Ternary *t) {
    Ints *all[] = {&t->circuit.program, &t->starts, &t->stack, &t->order, &t->roots, &t->state, &t->move};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) free(all[i]->at);
    free(t->seen); free(t->keep); free(t->value);
    Py_TYPE(t)->tp_free((PyObject *)t);
}

static PyObject *Ternary_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *program;
    int sources;
    if (!PyArg_ParseTuple(args, "iO", &sources, &program)) return NULL;
    Ternary *t = (Ternary *)type->tp_alloc(type, 0);
    if (t == NULL) return NULL;
    Words *w = &t->circuit;
    w->sources = sources; w->places = sources + 2;
    if (!read_ints(program, &w->program)) { Py_DECREF(t); return NULL; }
    if (sources < 0 || sources >= 1 << 28 || !sensible_program(w)) {
        Py_DECREF(t);
        return PyErr_Format(PyExc_ValueError, "no circuit");
    }
    for (i32 p = 0; p < sources + 2; p++) push(NULL, &t->starts, NONE);
    for (i32 at = 0; at < w->program.size; at += 2 + w->program.at[at + 1]) push(NULL, &t->starts, at);
    t->seen = grown(NULL, (size_t)w->places);
    memset(t->seen, 0, (size_t)w->places);
    t->value = grown(NULL, (size_t)w->places * 16);
    memset(t->value, 0, (size_t)w->places * 16);
    t->value[2] = ~(uint64_t)0;
    return (PyObject *)t;
}

static void order_below(Ternary *t) { /* the gates below the roots, inputs first */
    t->order.size = t->stack.size = 0;
    for (i32 r = 0; r < t->roots.size; r++) push(NULL, &t->stack, abs(t->roots.at[r]));
    while (t->stack.size) {
        i32 p = t->stack.at[t->stack.size - 1];
        if (t->starts.at[p] == NONE || t->seen[p]) {
            if (t->seen[p] == 1) { t->seen[p] = 2; push(NULL, &t->order, p); }
            t->stack.size--;
            continue;
        }
        const i32 *gate = &t->circuit.program.at[t->starts.at[p]];
        t->seen[p] = 1;
        for (i32 i = 0; i < gate[1]; i++) if (!t->seen[abs(gate[2 + i])]) push(NULL, &t->stack, abs(gate[2 + i]));
    }
    for (i32 i = 0; i < t->order.size; i++) t->seen[t->order.at[i]] = 0;
}

#define YES(x) (v[2 * abs(x) + ((x) < 0)])
#define NO(x) (v[2 * abs(x) + ((x) > 0)])

static void evaluate(uint64_t *v, const i32 *gate, i32 place) {
    const i32 *in = gate + 2, third = gate[0] == AND || gate[0] == XOR ? in[0] : in[2];
    uint64_t a = YES(in[0]), na = NO(in[0]), b = YES(in[1]), nb = NO(in[1]), c = YES(third), nc = NO(third), yes, no;
    switch (gate[0]) {
    case AND:
        yes = a & b; no = na | nb;
        for (i32 k = 2; k < gate[1]; k++) { yes &= YES(in[k]); no |= NO(in[k]); }
        break;
    case ITE: yes = (a & b) | (na & c) | (b & c); no = (a & nb) | (na & nc) | (nb & nc); break;
    case MAJ: yes = (a & b) | (c & (a | b)); no = (na & nb) | (nc & (na | nb)); break;
    default: /* XOR, XOR3 */
        yes = (a & nb) | (na & b); no = (a & b) | (na & nb);
        if (gate[0] == XOR3) { a = yes; na = no; yes = (a & nc) | (na & c); no = (a & c) | (na & nc); }
    }
    v[2 * place] = yes; v[2 * place + 1] = no;
}

static uint64_t held(Ternary *t) { /* the lanes in which all roots are true */
    uint64_t *v = t->value, all = ~(uint64_t)0;
    for (i32 i = 0; i < t->order.size; i++) {
        i32 p = t->order.at[i];
        evaluate(v, &t->circuit.program.at[t->starts.at[p]], p);
    }
    for (i32 r = 0; r < t->roots.size; r++) all &= YES(t->roots.at[r]);
    return all;
}

static void know(Ternary *t, i32 number, uint64_t lanes) { /* the source is as its number's sign says, in these lanes only */
    uint64_t *v = t->value + 2 * (abs(number) + 1);
    v[number < 0] = lanes; v[number > 0] = 0;
}

static void try_alone(Ternary *t) { /* those that cannot be unknown alone are kept */
    for (i32 from = 0; from < t->state.size; from += 64) {
        i32 n = t->state.size - from < 64 ? t->state.size - from : 64, *x = t->state.at + from;
        for (i32 j = 0; j < n; j++) know(t, x[j], ~((uint64_t)1 << j));
        uint64_t good = held(t);
        for (i32 j = 0; j < n; j++) { t->keep[from + j] = !(good >> j & 1); know(t, x[j], ~(uint64_t)0); }
    }
}

static void try_together(Ternary *t) { /* of the others as many as can be unknown from the first on; the next is kept, and so on */
    i32 at = 0, chosen[64];
    while (at < t->state.size) {
        i32 n = 0, next = at, good = 0;
        for (; next < t->state.size && n < 64; next++) if (!t->keep[next]) chosen[n++] = next;
        for (i32 j = 0; j < n; j++) know(t, t->state.at[chosen[j]], ((uint64_t)1 << j) - 1); /* lane j: 0 to j are unknown */
        uint64_t fine = held(t);
        while (good < n && fine >> good & 1) good++;
        for (i32 j = 0; j < n; j++) know(t, t->state.at[chosen[j]], j < good ? 0 : ~(uint64_t)0);
        if (good < n) t->keep[chosen[good]] = 1;
        at = good < n ? chosen[good] + 1 : next;
    }
}

static PyObject *kept(const Ternary *t) {
    i32 n = 0;
    for (i32 i = 0; i < t->state.size; i++) n += t->keep[i];
    PyObject *out = PyTuple_New(n);
    for (i32 i = t->state.size - 1; out != NULL && i >= 0; i--) {
        PyObject *x = t->keep[i] ? PyLong_FromLong(t->state.at[i]) : NULL;
        if (x != NULL) PyTuple_SET_ITEM(out, --n, x);
        else if (t->keep[i]) Py_CLEAR(out);
    }
    return out;
}

static int sources(const Ternary *t, const Ints *numbers) { /* are these numbers of sources? */
    for (i32 i = 0; i < numbers->size; i++)
        if (numbers->at[i] == 0 || abs(numbers->at[i]) > t->circuit.sources) return 0;
    return 1;
}

static PyObject *Ternary_needed(Ternary *t, PyObject *const *args, Py_ssize_t n) {
    if (n != 3) return PyErr_Format(PyExc_TypeError, "needed(state, move, roots)");
    t->state.size = t->move.size = t->roots.size = 0;
    if (!read_ints(args[0], &t->state) || !read_ints(args[1], &t->move) || !read_ints(args[2], &t->roots)) return NULL;
    if (!sources(t, &t->state) || !sources(t, &t->move) || !there(&t->circuit, t->roots.at, t->roots.size))
        return PyErr_Format(PyExc_ValueError, "no number");
    for (i32 i = 0; i < t->state.size; i++) know(t, t->state.at[i], ~(uint64_t)0);
    for (i32 i = 0; i < t->move.size; i++) know(t, t->move.at[i], ~(uint64_t)0);
    t->keep = grown(t->keep, (size_t)t->state.size + 1);
    order_below(t);
    int enough = held(t) == ~(uint64_t)0;
    if (enough) { try_alone(t); try_together(t); }
    for (i32 i = 0; i < t->state.size; i++) know(t, t->state.at[i], 0);
    for (i32 i = 0; i < t->move.size; i++) know(t, t->move.at[i], 0);
    if (!enough) Py_RETURN_NONE;
    return kept(t);
}

static PyMethodDef ternary_methods[] = {
    {"needed", (PyCFunction)(void (*)(void))Ternary_needed, METH_FASTCALL,
     "needed(state, move, roots): a part of the state that makes the roots true, with the move; None: all of it does not."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject TernaryType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "obligato.smt._cdcl.Ternary", .tp_basicsize = sizeof(Ternary),
    .tp_dealloc = (destructor)Ternary_dealloc, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_methods = ternary_methods, .tp_new = Ternary_new,
    .tp_doc = "Ternary(sources, program): three-valued evaluation of a circuit.",
};
