/* The cubes of IC3's lemmas, as the Python type `obligato.smt._cdcl.Lemmas`: which of them are part of a cube, of which of them a
 * cube is part, and is a state in one of them?
 *
 * Each cube that is placed has a level and a number, which count up; one that is gone is passed over, and forgotten in time. Beside a cube
 * stands its signature, a word with one of 64 bits for each literal: most comparisons end there. Literals are signed numbers.
 */
typedef struct { uint64_t signature; i32 number, level, at, size; } Entry; /* level: NONE if it is gone */

typedef struct {
    PyObject_HEAD
    Entry *entries;
    i32 size, room, gone, next;
    Ints literals, given; /* of all entries; of the cube that a call is about */
    unsigned char *mark; /* by literal */
    i32 marks;
} Lemmas;

static uint64_t bit_of(i32 literal) { return (uint64_t)1 << (((uint32_t)literal * 2654435769u) >> 26); }

static int read_cube(Lemmas *l, PyObject *given) { /* to `given`; 0: an error is set */
    PyObject *fast = PySequence_Fast(given, "a cube is a sequence of numbers");
    if (fast == NULL) return 0;
    l->given.size = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); i++) {
        long x = PyLong_AsLong(PySequence_Fast_GET_ITEM(fast, i));
        if (x == 0 || x > 1 << 29 || x < -(1 << 29) || (x == -1 && PyErr_Occurred())) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no literal");
            Py_DECREF(fast);
            return 0;
        }
        push(NULL, &l->given, LITERAL((i32)x));
        if (l->given.at[i] >= l->marks) {
            i32 room = 2 * l->given.at[i] + 64;
            l->mark = grown(l->mark, (size_t)room);
            memset(l->mark + l->marks, 0, (size_t)(room - l->marks));
            l->marks = room;
        }
    }
    Py_DECREF(fast);
    return 1;
}

static uint64_t marked(Lemmas *l, unsigned char how) { /* mark the given literals, or take the marks away; their signature */
    uint64_t signature = 0;
    for (i32 i = 0; i < l->given.size; i++) { l->mark[l->given.at[i]] = how; signature |= bit_of(l->given.at[i]); }
    return signature;
}

static i32 common(Lemmas *l, const Entry *e, i32 miss) { /* how many literals are marked, counted until `miss` are not */
    i32 n = 0;
    for (i32 i = 0; i < e->size && miss > 0; i++) if (l->mark[l->literals.at[e->at + i]]) n++; else miss--;
    return n;
}

static i32 first_from(Lemmas *l, i32 number) { /* the index of the first entry with this number or a later one */
    i32 low = 0, high = l->size;
    while (low < high) {
        i32 middle = low + (high - low) / 2;
        if (l->entries[middle].number < number) low = middle + 1; else high = middle;
    }
    return low;
}

static void forget_gone(Lemmas *l) {
    Ints old = l->literals;
    memset(&l->literals, 0, sizeof(Ints));
    i32 kept = 0;
    for (i32 i = 0; i < l->size; i++) {
        Entry e = l->entries[i];
        if (e.level == NONE) continue;
        i32 at = l->literals.size;
        for (i32 k = 0; k < e.size; k++) push(NULL, &l->literals, old.at[e.at + k]);
        e.at = at;
        l->entries[kept++] = e;
    }
    free(old.at);
    l->size = kept; l->gone = 0;
}

static PyObject *Lemmas_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) { return type->tp_alloc(type, 0); }

static void Lemmas_dealloc(Lemmas *l) {
    free(l->entries); free(l->literals.at); free(l->given.at); free(l->mark);
    Py_TYPE(l)->tp_free((PyObject *)l);
}

static int read_numbers(PyObject *const *args, Py_ssize_t n, i32 *out) {
    for (Py_ssize_t i = 0; i < n; i++) {
        long x = PyLong_AsLong(args[i]);
        if (x == -1 && PyErr_Occurred()) return 0;
        if (x < 0 || x > 1 << 30) { PyErr_SetString(PyExc_ValueError, "no number"); return 0; }
        out[i] = (i32)x;
    }
    return 1;
}

static PyObject *Lemmas_place(Lemmas *l, PyObject *const *args, Py_ssize_t n) {
    i32 level;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "place(cube, level)");
    if (!read_numbers(args + 1, 1, &level) || !read_cube(l, args[0])) return NULL;
    if (l->gone > 1000 && 2 * l->gone > l->size) forget_gone(l);
    if (l->size == l->room) {
        l->room = 2 * l->room + 64;
        l->entries = grown(l->entries, sizeof(Entry) * (size_t)l->room);
    }
    Entry e = {marked(l, 0), l->next, level, l->literals.size, l->given.size};
    for (i32 i = 0; i < l->given.size; i++) push(NULL, &l->literals, l->given.at[i]);
    l->entries[l->size++] = e;
    return PyLong_FromLong(l->next++);
}

static PyObject *Lemmas_remove(Lemmas *l, PyObject *given) {
    i32 number;
    if (!read_numbers(&given, 1, &number)) return NULL;
    i32 i = first_from(l, number);
    if (i == l->size || l->entries[i].number != number || l->entries[i].level == NONE)
        return PyErr_Format(PyExc_ValueError, "no cube has this number");
    l->entries[i].level = NONE;
    l->gone++;
    Py_RETURN_NONE;
}

static PyObject *Lemmas_part(Lemmas *l, PyObject *const *args, Py_ssize_t n) {
    i32 level, best = NONE, at = INT32_MAX;
    if (n != 2) return PyErr_Format(PyExc_TypeError, "part(cube, level)");
    if (!read_numbers(args + 1, 1, &level) || !read_cube(l, args[0])) return NULL;
    uint64_t signature = marked(l, 1);
    for (i32 i = 0; i < l->size; i++) {
        const Entry *e = &l->entries[i];
        if ((e->signature & ~signature) || e->level < level || e->level >= at) continue;
        if (common(l, e, 1) == e->size) { best = e->number; at = e->level; }
    }
    marked(l, 0);
    return PyLong_FromLong(best);
}

static PyObject *Lemmas_whole(Lemmas *l, PyObject *const *args, Py_ssize_t n) {
    i32 bounds[2];
    if (n != 3) return PyErr_Format(PyExc_TypeError, "whole(cube, low, high)");
    if (!read_numbers(args + 1, 2, bounds) || !read_cube(l, args[0])) return NULL;
    PyObject *out = PyList_New(0);
    uint64_t signature = marked(l, 1);
    for (i32 i = 0; out != NULL && i < l->size; i++) {
        const Entry *e = &l->entries[i];
        if ((signature & ~e->signature) || e->level < bounds[0] || e->level > bounds[1] || e->size < l->given.size) continue;
        if (common(l, e, e->size - l->given.size + 1) < l->given.size) continue;
        PyObject *x = PyLong_FromLong(e->number);
        if (x == NULL || PyList_Append(out, x) < 0) Py_CLEAR(out);
        Py_XDECREF(x);
    }
    marked(l, 0);
    return out;
}

static PyObject *Lemmas_excludes(Lemmas *l, PyObject *const *args, Py_ssize_t n) {
    i32 numbers[2];
    if (n != 3 || !PyBytes_Check(args[0])) return PyErr_Format(PyExc_TypeError, "excludes(state, since, level)");
    if (!read_numbers(args + 1, 2, numbers)) return NULL;
    const char *state = PyBytes_AS_STRING(args[0]);
    Py_ssize_t width = PyBytes_GET_SIZE(args[0]);
    for (i32 i = first_from(l, numbers[0]); i < l->size; i++) {
        const Entry *e = &l->entries[i];
        if (e->level < numbers[1]) continue;
        i32 k = 0, *x = &l->literals.at[e->at];
        while (k < e->size && (VAR(x[k]) >= width || (state[VAR(x[k])] & 1) != (x[k] & 1))) k++;
        if (k == e->size) Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}

static PyMethodDef lemma_methods[] = {
    {"place", (PyCFunction)(void (*)(void))Lemmas_place, METH_FASTCALL,
     "place(cube, level): its number; numbers count up from 0."},
    {"remove", (PyCFunction)Lemmas_remove, METH_O,
     "remove(number): the cube is gone."},
    {"part", (PyCFunction)(void (*)(void))Lemmas_part, METH_FASTCALL,
     "part(cube, level): of the cubes at this level or above that are part of it the lowest, first number, or -1."},
    {"whole", (PyCFunction)(void (*)(void))Lemmas_whole, METH_FASTCALL,
     "whole(cube, low, high): the numbers of the cubes at these levels of which it is part."},
    {"excludes", (PyCFunction)(void (*)(void))Lemmas_excludes, METH_FASTCALL,
     "excludes(state, since, level): may the state be in a cube at this level or above with this number or a later one?"},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject LemmasType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "obligato.smt._cdcl.Lemmas", .tp_basicsize = sizeof(Lemmas),
    .tp_dealloc = (destructor)Lemmas_dealloc, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_methods = lemma_methods, .tp_new = Lemmas_new,
    .tp_doc = "The cubes of lemmas, by their literals.",
};
