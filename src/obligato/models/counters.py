"""Which state variables of a transition system code where a program is?

A *counter* is tested against constants and assigned constants only. For a variable x of words or numbers: every occurrence of
x and x' is a side of an equation whose other side is made of x, x' and constants (by if-then-else, too). For a Boolean b: b'
occurs below connectives and in equations with b and constants only; b itself may be tested anywhere. The initial states must
say something about it. This is recognition only: nothing is claimed about these variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from obligato.models.properties import formulas_of
from obligato.models.transition_system import TransitionSystem
from obligato.terms import BOOL, Kind, Op, Term, free_vars, postorder
from obligato.terms.term import CONNECTIVES

SORTS = (Kind.BOOL, Kind.BITVEC, Kind.INT, Kind.REAL)
Side = frozenset[Term] | None  # the variables that a term is made of; None: of something else, too
NOTHING: frozenset[Term] = frozenset()


def counters(system: TransitionSystem) -> list[Term]:
    """The counters of a system, in the order of its state variables."""
    owner = {y: x for x, y in system.primed.items()}
    moved = {owner[v] for v in free_vars(system.trans) if v in owner}
    named = free_vars(system.init)
    found = {x: None for x in system.state if x.sort.kind in SORTS and x in moved and x in named}
    formulas = (system.init, system.trans, *system.constraints, *(f for p in system.properties for f in formulas_of(p)))
    sides: dict[Term, Side] = {}
    for t in postorder(formulas):
        sides[t] = _side(t, sides)
        for v in _misused(t, sides):
            if v.sort is not BOOL or v in owner:
                found.pop(owner.get(v, v), None)
    return list(found)


def _side(t: Term, sides: Mapping[Term, Side]) -> Side:
    """What a term is made of. Requires: `sides` knows its arguments."""
    if t.op is Op.VAR:
        return frozenset((t,))
    if t.op is Op.CONST:
        return NOTHING
    if t.op is Op.NOT:
        return sides[t.args[0]]
    return _union(t.args[1:], sides) if t.op is Op.ITE else None


def _union(terms: tuple[Term, ...], sides: Mapping[Term, Side]) -> Side:
    known = [sides[a] for a in terms]
    return None if None in known else NOTHING.union(*(k for k in known if k is not None))


def _misused(t: Term, sides: Mapping[Term, Side]) -> Iterator[Term]:
    """The variables among the arguments of `t` with which it does something else than counters allow."""
    if t.op in CONNECTIVES or (t.op is Op.ITE and sides[t] is not None):
        return
    both = _union(t.args, sides) if t.op is Op.EQ else None
    if both is not None and len({v.name.removesuffix("'") for v in both}) <= 1:
        return
    for a in t.args:
        yield from sides[a] or ()
