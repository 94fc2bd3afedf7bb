"""Terms as Python functions, for those that are evaluated again and again.

Idea: an application becomes a closure that calls the closures of its arguments and the function
that `terms.semantics` gives for it (`meaning`), so nothing is looked up, dispatched or remembered
while it runs; variables and values are read without a call of their own. `_program` carries it.
Only what is evaluated lazily is spelt out here: ite, and, or.

Limitation: a program computes a shared argument each time it meets it, and nests as deeply as the
term; so only terms whose tree is small (`SMALL` nodes) get one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from obligato.terms.float_semantics import Function
from obligato.terms.semantics import default_value, meaning
from obligato.terms.term import Op, Term

# `get` of an assignment: the value of a variable, or the default that is given
Get = Callable[[Term, Any], Any]
Program = Callable[[Get], Any]
SMALL = 60  # nodes
OFTEN = 4
LIMIT = 50_000


class Programs:
    """The programs of one store's terms. Making one costs as much as it saves in four evaluations,
    so a term gets it when it is asked for the `OFTEN`-th time. What is known about at most `LIMIT`
    nodes is kept; then all is forgotten."""

    __slots__ = ("_nodes", "_programs", "_uses")

    def __init__(self) -> None:
        self._programs: dict[Term, Program] = {}
        self._uses: dict[Term, int] = {}
        self._nodes = 0  # of all programs

    def get(self, t: Term) -> Program | None:
        """The program of `t`; None if it is not evaluated often or too large."""
        program = self._programs.get(t)
        return program if program is not None else self._used(t)

    def _used(self, t: Term) -> Program | None:
        if self._nodes + len(self._uses) >= LIMIT:
            self._programs.clear()
            self._uses.clear()
            self._nodes = 0
        uses = self._uses[t] = self._uses.get(t, 0) + 1
        if uses != OFTEN or (size := tree_size(t, SMALL)) > SMALL:
            return None
        self._nodes += size
        program = self._programs[t] = _program(t)
        return program


def tree_size(t: Term, limit: int) -> int:
    """Number of subterms, shared ones counted each time;
    some number above `limit` if there are more."""
    todo, count = [t], 0
    while todo and count <= limit:
        count += len(todo)
        todo = [a for t in todo for a in t.args]
    return count


def _program(t: Term) -> Program:
    args = t.args
    if not args:
        return _leaf(t)
    if t.op is Op.ITE:
        return _choice(*map(_program, args))
    if t.op is Op.AND or t.op is Op.OR:
        return _junction([_program(a) for a in args], t.op is Op.OR)
    f = meaning(t)
    if len(args) == 2:
        return _binary(f, *args)
    if len(args) == 1:
        return _unary(f, _program(args[0]))
    programs = [_program(a) for a in args]
    return lambda get: f(*[p(get) for p in programs])


def _leaf(t: Term) -> Program:
    if t.op is Op.CONST:
        value = t.data
        return lambda get: value
    default = default_value(t.sort)
    return lambda get: get(t, default)


def _choice(condition: Program, then: Program, other: Program) -> Program:
    return lambda get: then(get) if condition(get) else other(get)


def _junction(programs: list[Program], decides: bool) -> Program:
    """Disjunction or conjunction: the first argument that `decides` does."""

    def run(get: Get) -> Any:
        for p in programs:
            if p(get) is decides:
                return decides
        return not decides

    return run


def _unary(f: Function, a: Program) -> Program:
    return lambda get: f(a(get))


def _binary(f: Function, x: Term, y: Term) -> Program:
    """The common cases, in which an argument that is a variable or value is not called."""
    if y.op is Op.CONST:
        return _with_value(f, x, y.data)
    if y.op is Op.VAR and x.op is not Op.CONST:
        return _with_variable(f, x, y)
    a, b = _program(x), _program(y)
    if x.op is Op.CONST:
        value = x.data
        return lambda get: f(value, b(get))
    if x.op is Op.VAR:
        default = default_value(x.sort)
        return lambda get: f(get(x, default), b(get))
    return lambda get: f(a(get), b(get))


def _with_value(f: Function, x: Term, right: Any) -> Program:
    if x.op is Op.VAR:
        default = default_value(x.sort)
        return lambda get: f(get(x, default), right)
    a = _program(x)
    return lambda get: f(a(get), right)


def _with_variable(f: Function, x: Term, y: Term) -> Program:
    other = default_value(y.sort)
    if x.op is Op.VAR:
        default = default_value(x.sort)
        return lambda get: f(get(x, default), get(y, other))
    a = _program(x)
    return lambda get: f(a(get), get(y, other))
