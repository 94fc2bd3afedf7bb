"""Equality over all sorts, and arrays: read over write."""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.rules.arith import eq_arith
from obligato.terms.rules.bitvec import eq_bitvec
from obligato.terms.rules.boolean import eq_bool, eq_default
from obligato.terms.rules.floats import eq_float
from obligato.terms.semantics import ArrayValue
from obligato.terms.sorts import Kind
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]


def eq(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Dispatch on the sort."""
    a, b = args
    match a.sort.kind:
        case Kind.BOOL:
            return eq_bool(s, a, b)
        case Kind.INT | Kind.REAL:
            return eq_arith(s, a, b)
        case Kind.BITVEC:
            return eq_bitvec(s, a, b)
        case Kind.FLOAT:
            return eq_float(s, a, b)
        case _:
            return eq_default(s, a, b)


def _apart(s: TermStore, i: Term, j: Term) -> bool | None:
    """Are two indices equal (False), different (True), or not known (None)?
    Constants and a difference that folds."""
    same = s.eq(i, j)
    return not same.data if same.op is Op.CONST else None


def select(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Read over writes whose index is known to be equal or different."""
    a, i = args
    # a chain of writes may be long: no terms are made
    plain = i.op is Op.CONST and i.sort.kind in (Kind.BITVEC, Kind.INT)
    while a.op is Op.STORE:
        if plain and a.args[1].op is Op.CONST:
            if a.args[1].data == i.data:
                return a.args[2]
            a = a.args[0]
            continue
        apart = _apart(s, a.args[1], i)
        if apart is False:
            return a.args[2]
        if apart is None:
            break
        a = a.args[0]
    if a.op is Op.CONST_ARRAY:
        return a.args[0]
    if a.op is Op.CONST and isinstance(a.data, ArrayValue):
        if i.op is Op.CONST:
            return s.const(a.data.get(i.data), a.sort.element)
        if not a.data.entries:
            return s.const(a.data.default, a.sort.element)
    return None if a is args[0] else s.select(a, i)


def store(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """A write that an equal index overwrites disappears;
    writing back what is there does nothing."""
    a, i, v = args
    if v.op is Op.SELECT and v.args[0] is a and v.args[1] is i:
        return a
    if a.op is Op.STORE and a.args[1] is i:
        return s.store(a.args[0], i, v)
    return None


MISC_RULES: dict[Op, Rule] = {Op.EQ: eq, Op.SELECT: select, Op.STORE: store}
