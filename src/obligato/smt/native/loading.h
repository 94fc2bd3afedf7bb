/* Gates of a Python table, defined in a solver: `known` maps their signed numbers to those of the solver's variables. New gates get the
 * next numbers in the order in which a stack meets them, as `SatSolver._load` does without compiled code. */

static int name(PyObject *known, long gate, long variable) { /* 0: an error is set */
    PyObject *x = PyLong_FromLong(gate), *y = PyLong_FromLong(variable);
    int done = x != NULL && y != NULL && PyDict_SetItem(known, x, y) == 0;
    Py_XDECREF(x); Py_XDECREF(y);
    return done;
}

static int push_new(PyObject *known, PyObject *literals, Ints *out, int all) { /* those that are not known, or all; 0: an error is set */
    if (!PyTuple_Check(literals)) { PyErr_SetString(PyExc_TypeError, "inputs are a tuple"); return 0; }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(literals); i++) {
        PyObject *x = PyTuple_GET_ITEM(literals, i);
        int there = all ? 0 : PyDict_Contains(known, x);
        long gate = PyLong_AsLong(x);
        if (there < 0 || PyErr_Occurred()) return 0;
        if (!there) push(NULL, out, (i32)gate);
    }
    return 1;
}

static int met(PyObject *const *args, i32 gate, Ints *stack, Ints *fresh, Ints *told) { /* a gate from the stack; 0: an error is set */
    PyObject *known = args[1], *kinds = args[2], *inputs = args[3], *facts = args[4], *key = PyLong_FromLong(gate);
    if (key == NULL) return 0;
    int there = PyDict_Contains(known, key), done = there == 1;
    if (there == 0 && gate > 0 && gate < PyList_GET_SIZE(kinds) && gate < PyList_GET_SIZE(inputs)) {
        long variable = (long)PyDict_GET_SIZE(known) / 2 + 1, kind = PyLong_AsLong(PyList_GET_ITEM(kinds, gate));
        PyObject *more = PyDict_GET_SIZE(facts) ? PyDict_GetItemWithError(facts, key) : NULL;
        done = !PyErr_Occurred() && name(known, gate, variable) && name(known, -gate, -variable);
        if (done && kind != INPUT) {
            push(NULL, fresh, gate); push(NULL, fresh, (i32)variable); push(NULL, fresh, (i32)kind);
            done = push_new(known, PyList_GET_ITEM(inputs, gate), stack, 0);
        }
        if (done && more != NULL) done = push_new(known, more, stack, 1) && push_new(known, more, told, 1);
    } else if (there == 0) PyErr_SetString(PyExc_ValueError, "no gate");
    Py_DECREF(key);
    return done;
}

static int known_literal(Solver *s, PyObject *known, PyObject *gate, Ints *out) { /* 0: an error is set */
    PyObject *found = gate == NULL ? NULL : PyDict_GetItemWithError(known, gate);
    long x = found == NULL ? 0 : PyLong_AsLong(found);
    if (x == 0 || labs(x) > 1 << 29) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no variable");
        return 0;
    }
    have(s, (i32)labs(x));
    push(s, out, LITERAL((i32)x));
    return 1;
}

static int define_all(Solver *s, PyObject *known, PyObject *inputs, const Ints *fresh) { /* 0: an error is set */
    for (i32 i = 0; i < fresh->size; i += 3) {
        PyObject *in = PyList_GET_ITEM(inputs, fresh->at[i]);
        have(s, fresh->at[i + 1]);
        s->core.size = 0;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(in); k++)
            if (!known_literal(s, known, PyTuple_GET_ITEM(in, k), &s->core)) return 0;
        if (!defined(s, fresh->at[i + 2], fresh->at[i + 1])) return 0;
    }
    return 1;
}

static int tell_all(Solver *s, PyObject *known, const Ints *told) { /* 0: an error is set */
    for (i32 i = 0; i < told->size; i++) {
        PyObject *gate = PyLong_FromLong(told->at[i]);
        s->core.size = 0;
        int there = known_literal(s, known, gate, &s->core);
        Py_XDECREF(gate);
        if (!there) return 0;
        fact(s, s->core.at[0]);
    }
    s->core.size = 0;
    return 1;
}

static PyObject *Solver_load(Solver *s, PyObject *const *args, Py_ssize_t n) {
    OPEN(s);
    if (n != 5 || !PyDict_Check(args[1]) || !PyList_Check(args[2]) || !PyList_Check(args[3]) || !PyDict_Check(args[4]))
        return PyErr_Format(PyExc_TypeError, "load(gate, known, kinds, inputs, facts)");
    long root = PyLong_AsLong(args[0]);
    if (PyErr_Occurred()) return NULL;
    if (root == 0 || labs(root) > 1 << 29) return PyErr_Format(PyExc_ValueError, "no gate");
    Ints stack = {0}, fresh = {0}, told = {0};
    push(s, &stack, (i32)root);
    int done = 1;
    while (done && stack.size) { i32 x = stack.at[--stack.size]; done = met(args, x > 0 ? x : -x, &stack, &fresh, &told); }
    if (done) have(s, (i32)(PyDict_GET_SIZE(args[1]) / 2));
    done = done && define_all(s, args[1], args[3], &fresh) && tell_all(s, args[1], &told);
    free(stack.at); free(fresh.at); free(told.at);
    return done ? Py_NewRef(PyDict_GetItem(args[1], args[0])) : NULL;
}
