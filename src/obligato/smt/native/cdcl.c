/* The solver of cdcl.h as the Python type `obligato.smt._cdcl.Solver`; literals are signed numbers of variables there.
 *
 * Every function tests its arguments: a wrong one is an exception, never a wrong answer. The global lock is kept: a question
 * is bounded by its conflicts.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "cdcl.h"
#include "lemmas.h"
#include "words.h"
#include "ternary.h"

static int read_literals(Solver *s, PyObject *given, Ints *out) { /* signed numbers of Python to literals; 0: an error is set */
    PyObject *fast = PySequence_Fast(given, "literals are a sequence of numbers");
    if (fast == NULL) return 0;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    for (Py_ssize_t i = 0; i < n; i++) {
        long x = PyLong_AsLong(PySequence_Fast_GET_ITEM(fast, i));
        if (x == 0 || x > 1 << 29 || x < -(1 << 29) || (x == -1 && PyErr_Occurred())) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no literal");
            Py_DECREF(fast);
            return 0;
        }
        have(s, (i32)(x > 0 ? x : -x));
        push(s, out, LITERAL((i32)x));
    }
    Py_DECREF(fast);
    return 1;
}

static long entry(PyObject *table, PyObject *number) { /* of a list with an entry for n and one for -n; 0: none, or an error is set */
    long n = PyLong_AsLong(number), size = (long)PyList_GET_SIZE(table);
    if (n == -1 && PyErr_Occurred()) return 0;
    if (n >= size || n < -size) { PyErr_SetString(PyExc_ValueError, "no number"); return 0; }
    return PyLong_AsLong(PyList_GET_ITEM(table, n < 0 ? size + n : n));
}

static int translated(Solver *s, PyObject *numbers, PyObject *table, int sign, Ints *out) { /* 0: not all have literals; -1: an error */
    if (!PyTuple_Check(numbers) || !PyList_Check(table)) { PyErr_SetString(PyExc_TypeError, "a tuple and a list"); return -1; }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); i++) {
        long x = entry(table, PyTuple_GET_ITEM(numbers, i));
        if (x == 0 || x > 1 << 29 || x < -(1 << 29) || PyErr_Occurred()) return PyErr_Occurred() ? -1 : 0;
        have(s, (i32)labs(x));
        push(s, out, LITERAL((i32)x) ^ sign);
    }
    return 1;
}

static PyObject *core_numbers(Solver *s, PyObject *numbers) { /* those whose literals, in `asked`, are part of the core */
    i32 kept = 0; /* a bit of `seen` for each sign: the core may be a literal and its negation */
    for (i32 i = 0; i < s->core.size; i++) s->seen[VAR(s->core.at[i])] |= (unsigned char)(1 << (s->core.at[i] & 1));
    for (i32 i = 0; i < s->asked.size; i++) kept += s->seen[VAR(s->asked.at[i])] >> (s->asked.at[i] & 1) & 1;
    PyObject *out = PyTuple_New(kept);
    for (i32 i = s->asked.size - 1; out != NULL && i >= 0; i--)
        if (s->seen[VAR(s->asked.at[i])] >> (s->asked.at[i] & 1) & 1)
            PyTuple_SET_ITEM(out, --kept, Py_NewRef(PyTuple_GET_ITEM(numbers, i)));
    for (i32 i = 0; i < s->core.size; i++) s->seen[VAR(s->core.at[i])] = 0;
    return out;
}

static PyObject *Solver_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Solver *s = (Solver *)type->tp_alloc(type, 0);
    if (s == NULL) return NULL;
    s->consistent = 1; s->step = 1; s->temporary = NONE; s->keep = 4000; s->budget = INT64_MAX;
    have(s, 0);
    return (PyObject *)s;
}

static void release(Solver *s) {
    for (i32 x = 0; x < 2 * s->room; x++) free(s->watches[x].at);
    void *all[] = {s->value, s->level, s->reason, s->position, s->phase, s->seen, s->always, s->model, s->relevant, s->activity,
                   s->watches, s->fan, s->inputs.at, s->arena.at, s->trail.at, s->limits.at, s->heap.at, s->learnt.at,
                   s->standing.at, s->assumed.at, s->asked.at, s->core.at, s->scratch.at, s->stack.at, s->levels.at, s->domain.at,
                   s->leaves.at};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) free(all[i]);
    s->closed = 1;
}

static void Solver_dealloc(Solver *s) {
    if (!s->closed) release(s);
    Py_TYPE(s)->tp_free((PyObject *)s);
}

static PyObject *Solver_close(Solver *s, PyObject *unused) {
    if (!s->closed) release(s);
    Py_RETURN_NONE;
}

#define OPEN(s) if ((s)->closed) return PyErr_Format(PyExc_ValueError, "the solver is closed")

static void clause(Solver *s, i32 n, i32 a, i32 b, i32 c, i32 d) { i32 lits[] = {a, b, c, d}; add(s, lits, n); }

static int defined(Solver *s, long kind, i32 variable) { /* as a gate of the literals in `core`; 0: an error is set */
    i32 *x = s->core.at, size = s->core.size, v = LITERAL(variable), u = NOT(v);
    static const i32 wanted[] = {0, 0, -1, 2, 3, 3, 3};
    if (kind < CONST || kind > MAJ || (wanted[kind] >= 0 && size != wanted[kind]) || (kind == AND && size < 2)) {
        PyErr_SetString(PyExc_ValueError, "no gate");
        return 0;
    }
    s->fan[variable] = s->inputs.size;
    push(s, &s->inputs, size);
    for (i32 i = 0; i < size; i++) push(s, &s->inputs, VAR(x[i]));
    i32 a = size > 0 ? x[0] : 0, b = size > 1 ? x[1] : 0, c = size > 2 ? x[2] : 0, na = NOT(a), nb = NOT(b), nc = NOT(c);
    switch (kind) {
    case CONST: clause(s, 1, v, 0, 0, 0); break;
    case AND: {
        for (i32 i = 0; i < size; i++) clause(s, 2, u, x[i], 0, 0);
        for (i32 i = 0; i < size; i++) x[i] = NOT(x[i]);
        push(s, &s->core, v);
        x = s->core.at;
        x[size] = x[0]; x[0] = v; /* the gate itself is watched */
        add(s, x, size + 1);
        break;
    }
    case XOR:
        clause(s, 3, u, a, b, 0); clause(s, 3, u, na, nb, 0); clause(s, 3, v, na, b, 0); clause(s, 3, v, a, nb, 0);
        break;
    case ITE:
        clause(s, 3, u, na, b, 0); clause(s, 3, v, na, nb, 0); clause(s, 3, u, a, c, 0); clause(s, 3, v, a, nc, 0);
        clause(s, 3, u, b, c, 0); clause(s, 3, v, nb, nc, 0);
        break;
    case XOR3:
        clause(s, 4, u, a, b, c); clause(s, 4, v, na, b, c); clause(s, 4, v, a, nb, c); clause(s, 4, v, a, b, nc);
        clause(s, 4, v, na, nb, nc); clause(s, 4, u, a, nb, nc); clause(s, 4, u, na, b, nc); clause(s, 4, u, na, nb, c);
        break;
    case MAJ:
        clause(s, 3, u, a, b, 0); clause(s, 3, u, a, c, 0); clause(s, 3, u, b, c, 0);
        clause(s, 3, v, na, nb, 0); clause(s, 3, v, na, nc, 0); clause(s, 3, v, nb, nc, 0);
        break;
    }
    s->core.size = 0;
    return 1;
}

static PyObject *Solver_gate(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n != 3) return PyErr_Format(PyExc_TypeError, "gate(kind, variable, inputs)");
    long kind = PyLong_AsLong(args[0]), variable = PyLong_AsLong(args[1]);
    if (PyErr_Occurred()) return NULL;
    if (variable < 1 || variable > 1 << 29) return PyErr_Format(PyExc_ValueError, "no variable");
    have(s, (i32)variable);
    s->core.size = 0;
    if (!read_literals(s, args[2], &s->core) || !defined(s, kind, (i32)variable)) return NULL;
    Py_RETURN_NONE;
}

#include "loading.h"

static void told(Solver *s, long guard) { /* assert the clause in `core`, or the guard */
    for (i32 i = 0; i < s->core.size; i++) stand(s, VAR(s->core.at[i]));
    if (guard) { have(s, (i32)labs(guard)); push(s, &s->core, LITERAL((i32)guard)); }
    add(s, s->core.at, s->core.size);
    s->core.size = 0;
}

static PyObject *Solver_add(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n < 1 || n > 2) return PyErr_Format(PyExc_TypeError, "add(clause, guard=0)");
    long guard = n == 2 ? PyLong_AsLong(args[1]) : 0;
    if (PyErr_Occurred()) return NULL;
    s->core.size = 0;
    if (!read_literals(s, args[0], &s->core)) return NULL;
    told(s, guard);
    Py_RETURN_NONE;
}

static PyObject *Solver_deny(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n != 4 || !PyList_Check(args[0])) return PyErr_Format(PyExc_TypeError, "deny(cubes, first, table, guard)");
    long at = PyLong_AsLong(args[1]), guard = PyLong_AsLong(args[3]);
    if (PyErr_Occurred()) return NULL;
    for (; 0 <= at && at < PyList_GET_SIZE(args[0]); at++) {
        s->core.size = 0;
        int there = translated(s, PyList_GET_ITEM(args[0], at), args[2], 1, &s->core);
        if (there < 0) return NULL;
        if (there == 0) break;
        told(s, guard);
    }
    return PyLong_FromLong(at);
}

static int posed(Solver *s, int clause) { /* a question begins, with the clause in `core` or with none; 0: that clause is false */
    s->assumed.size = 0;
    if (s->wasted > s->arena.size / 3 && s->wasted > 20000) compact(s);
    s->first_new = s->learnt.size;
    if (!clause || !normal(s, s->core.at, s->core.size)) return 1;
    if (s->scratch.size == 0) return 0;
    push(s, &s->scratch, 1);
    s->temporary = stored(s, s->scratch.at, s->scratch.size, 0);
    push(s, &s->assumed, 0);
    return 1;
}

static int answered(Solver *s, int sensible) { /* as `search`, about what is assumed; the question ends */
    begin(s);
    int answer = s->consistent && sensible ? search(s, s->budget) : 0;
    if (answer == 1) {
        memset(s->model, 0, (size_t)s->variables);
        for (i32 i = 0; i < s->trail.size; i++) s->model[VAR(s->trail.at[i])] = !(s->trail.at[i] & 1);
        s->modelled = s->variables;
    }
    end(s);
    return answer;
}

static PyObject *Solver_solve(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n != 2) return PyErr_Format(PyExc_TypeError, "solve(assumptions, clause)");
    s->core.size = 0;
    if (args[1] != Py_None && !read_literals(s, args[1], &s->core)) return NULL;
    int sensible = posed(s, args[1] != Py_None);
    if (!read_literals(s, args[0], &s->assumed)) { end(s); return NULL; }
    return PyLong_FromLong(answered(s, sensible));
}

static PyObject *Solver_model(Solver *s, PyObject *unused) {
    OPEN(s);
    return PyBytes_FromStringAndSize((char *)s->model, s->modelled);
}

static PyObject *Solver_needed(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n != 5 || !PySequence_Check(args[1])) return PyErr_Format(PyExc_TypeError, "needed(assumptions, numbers, table, clause, denied)");
    PyObject *numbers = PySequence_Tuple(args[1]), *out = NULL;
    if (numbers == NULL) return NULL;
    s->asked.size = s->core.size = 0;
    int clause = args[3] != Py_None, plain = args[4] == Py_None, there = translated(s, numbers, args[2], 0, &s->asked);
    if (there > 0 && clause)
        there = plain ? (read_literals(s, args[3], &s->core) ? 1 : -1) : translated(s, args[3], args[4], 1, &s->core);
    if (there > 0) {
        int sensible = posed(s, clause);
        if (!read_literals(s, args[0], &s->assumed)) { end(s); Py_DECREF(numbers); return NULL; }
        for (i32 i = 0; i < s->asked.size; i++) push(s, &s->assumed, s->asked.at[i]);
        int answer = answered(s, sensible);
        out = answer == 0 ? core_numbers(s, numbers) : Py_NewRef(answer == 1 ? Py_True : Py_False);
    } else if (there == 0) out = Py_NewRef(Py_None);
    Py_DECREF(numbers);
    return out;
}

static PyObject *Solver_core(Solver *s, PyObject *unused) {
    OPEN(s);
    PyObject *out = PyList_New(0);
    for (i32 i = 0; out != NULL && i < s->core.size; i++) {
        if (VAR(s->core.at[i]) == 0) continue;
        PyObject *x = PyLong_FromLong(SIGNED(s->core.at[i]));
        if (x == NULL || PyList_Append(out, x) < 0) Py_CLEAR(out);
        Py_XDECREF(x);
    }
    return out;
}

static PyObject *Solver_fact(Solver *s, PyObject *given) {
    OPEN(s);
    long x = PyLong_AsLong(given);
    if (PyErr_Occurred()) return NULL;
    if (x == 0 || labs(x) > 1 << 29) return PyErr_Format(PyExc_ValueError, "no literal");
    have(s, (i32)labs(x));
    fact(s, LITERAL((i32)x));
    Py_RETURN_NONE;
}

static PyObject *Solver_limit(Solver *s, PyObject *given) {
    OPEN(s);
    long long conflicts = PyLong_AsLongLong(given);
    if (PyErr_Occurred()) return NULL;
    s->budget = conflicts;
    Py_RETURN_NONE;
}

static PyObject *Solver_work(Solver *s, PyObject *unused) {
    OPEN(s);
    return PyLong_FromUnsignedLongLong(s->propagations);
}

static PyMethodDef methods[] = {
    {"gate", (PyCFunction)(void (*)(void))Solver_gate, METH_FASTCALL,
     "gate(kind, variable, inputs): the variable is this function of the inputs."},
    {"load", (PyCFunction)(void (*)(void))Solver_load, METH_FASTCALL,
     "load(gate, known, kinds, inputs, facts): define the gates on which it depends and that are not known; its variable."},
    {"add", (PyCFunction)(void (*)(void))Solver_add, METH_FASTCALL,
     "add(clause, guard=0): a clause of relevant literals, or the guard."},
    {"deny", (PyCFunction)(void (*)(void))Solver_deny, METH_FASTCALL,
     "deny(cubes, first, table, guard): of each of the list, from the first on, a number is false, or the guard holds. Where it stopped: "
     "one of these numbers has no literal yet."},
    {"fact", (PyCFunction)Solver_fact, METH_O,
     "fact(literal): it follows from the gates; it makes nothing relevant."},
    {"limit", (PyCFunction)Solver_limit, METH_O,
     "limit(conflicts): how many each question may take."},
    {"solve", (PyCFunction)(void (*)(void))Solver_solve, METH_FASTCALL,
     "solve(assumptions, clause): 1 sat, 0 unsat, -1 the limit is reached. The clause, if any, holds here only."},
    {"needed", (PyCFunction)(void (*)(void))Solver_needed, METH_FASTCALL,
     "needed(assumptions, numbers, table, clause, denied): as solve, with the literals that the table has for the numbers assumed, too; "
     "with another table the clause is the negations of numbers. True sat, False the limit is reached, None: a number has no "
     "literal yet; else those of the numbers whose literals took part."},
    {"model", (PyCFunction)Solver_model, METH_NOARGS,
     "After sat: a byte for each variable, 1 if it is true."},
    {"core", (PyCFunction)Solver_core, METH_NOARGS,
     "After unsat: the assumptions that took part."},
    {"close", (PyCFunction)Solver_close, METH_NOARGS,
     "Free its memory."},
    {"work", (PyCFunction)Solver_work, METH_NOARGS,
     "How many literals were propagated so far."},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject SolverType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "obligato.smt._cdcl.Solver", .tp_basicsize = sizeof(Solver),
    .tp_dealloc = (destructor)Solver_dealloc, .tp_flags = Py_TPFLAGS_DEFAULT, .tp_methods = methods, .tp_new = Solver_new,
    .tp_doc = "A CDCL solver that decides relevant variables only.",
};

static int truth(PyObject *model, PyObject *table, PyObject *number) { /* 1, 0, -1: it has no literal, -2: an error is set */
    long x = entry(table, number);
    if (x == 0) return PyErr_Occurred() ? -2 : -1;
    return (labs(x) < PyBytes_GET_SIZE(model) && PyBytes_AS_STRING(model)[labs(x)]) == (x > 0);
}

static PyObject *read_model(PyObject *const *args, Py_ssize_t n, int agreeing, PyObject *needed) {
    if (n != 3 || !PyBytes_Check(args[0]) || !PyList_Check(args[1])) return PyErr_Format(PyExc_TypeError, "(model, table, numbers)");
    PyObject *numbers = PySequence_Fast(args[2], "a sequence of numbers"), *out = numbers == NULL ? NULL : PyList_New(0);
    for (Py_ssize_t i = 0; out != NULL && i < PySequence_Fast_GET_SIZE(numbers); i++) {
        PyObject *x = PySequence_Fast_GET_ITEM(numbers, i);
        int value = truth(args[0], args[1], x);
        if (value < 0) { Py_SETREF(out, value == -1 ? Py_NewRef(Py_None) : NULL); break; }
        if (needed != NULL && !value) {
            int lost = PySet_Contains(needed, x);
            if (lost) { Py_SETREF(out, lost > 0 ? Py_NewRef(Py_False) : NULL); break; }
        }
        if (agreeing && !value) continue;
        x = value ? Py_NewRef(x) : PyNumber_Negative(x);
        if (x == NULL || PyList_Append(out, x) < 0) Py_CLEAR(out);
        Py_XDECREF(x);
    }
    Py_XDECREF(numbers);
    return out;
}

static PyObject *agreeing(PyObject *m, PyObject *const *args, Py_ssize_t n) { return read_model(args, n, 1, NULL); }

static PyObject *joined(PyObject *m, PyObject *const *args, Py_ssize_t n) {
    if (n != 4 || !PyAnySet_Check(args[3])) return PyErr_Format(PyExc_TypeError, "(model, table, numbers, needed)");
    return read_model(args, 3, 1, args[3]);
}

static PyObject *signed_as(PyObject *m, PyObject *const *args, Py_ssize_t n) { return read_model(args, n, 0, NULL); }

static PyMethodDef functions[] = {
    {"agreeing", (PyCFunction)(void (*)(void))agreeing, METH_FASTCALL,
     "agreeing(model, table, numbers): those that are true; None: one has no literal yet."},
    {"joined", (PyCFunction)(void (*)(void))joined, METH_FASTCALL,
     "joined(model, table, numbers, needed): as agreeing; False: one of the set `needed` is false."},
    {"signed_as", (PyCFunction)(void (*)(void))signed_as, METH_FASTCALL,
     "signed_as(model, table, numbers): each, or its negation if it is false; None: one has no literal yet."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_cdcl", "See cdcl.h.", -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__cdcl(void) {
    PyObject *m = PyModule_Create(&module);
    if (m == NULL || PyModule_AddType(m, &SolverType) < 0 || PyModule_AddType(m, &LemmasType) < 0 || PyModule_AddType(m, &WordsType) < 0 || PyModule_AddType(m, &TernaryType) < 0) Py_CLEAR(m);
    return m;
}
