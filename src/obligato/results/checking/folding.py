"""A store for unwindings: terms over constants are evaluated,
and reads at constant places see through writes.

Without it an unwinding of known values would be as large as the run is long, and a solver would
have to find out what is plain. Nothing else is rewritten. Trusted: the meaning of the operators
(`terms.semantics`), and three rules about arrays and ite:

    select(store(a, i, v), j)  =  v if i = j, else select(a, j)          for constants i, j
    select(ite(c, a, b), j)    =  ite(c, select(a, j), select(b, j))     for a constant j
    ite(true, a, b)  =  a,     ite(false, a, b)  =  b

tests/unit/test_checking_unwinding.py checks them against evaluation.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from obligato.terms import Op, Term, TermStore
from obligato.terms.rules import folding
from obligato.terms.semantics import MEANINGS, ArrayValue

if TYPE_CHECKING:
    from obligato.terms.store import Rule

_LEVELS = 100  # of ite that a read is moved into


def folding_store() -> TermStore:
    """A new store of this kind."""
    return TermStore({op: folding(op, _SPECIFIC.get(op)) for op in MEANINGS})


def _ite(s: TermStore, args: tuple[Term, ...], data: Hashable) -> Term | None:
    condition, then, otherwise = args
    if condition.op is Op.CONST:
        return then if condition.data else otherwise
    return then if then is otherwise else None


def _select(s: TermStore, args: tuple[Term, ...], data: Hashable) -> Term | None:
    return _read(s, args[0], args[1], _LEVELS) if args[1].op is Op.CONST else None


def _read(s: TermStore, a: Term, i: Term, levels: int) -> Term:
    """The element at the constant index `i`."""
    while a.op is Op.STORE and a.args[1].op is Op.CONST:
        if a.args[1] is i:
            return a.args[2]
        a = a.args[0]
    if a.op is Op.CONST and isinstance(a.data, ArrayValue):
        return s.const(a.data.get(i.data), a.sort.element)
    if a.op is Op.ITE and levels:
        return s.ite(
            a.args[0], _read(s, a.args[1], i, levels - 1), _read(s, a.args[2], i, levels - 1)
        )
    return s.intern(Op.SELECT, (a, i))


_SPECIFIC: dict[Op, Rule] = {Op.ITE: _ite, Op.SELECT: _select}
