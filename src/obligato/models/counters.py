"""Which state variables of a transition system code where a program is?

A *counter* is tested against constants and assigned constants only. For a variable x of words or
numbers: every occurrence of x and x' is a side of an equation whose other side is made of x, x' and
constants (by if-then-else, too; x - x' = 0 too), or x is compared with a constant. For a Boolean b:
b' occurs below connectives and in equations with b and constants only; b itself may be tested
anywhere. The initial states must say something about it, and steps must do more than keep it: a
parameter is no counter. This is recognition only: nothing is claimed about these variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from obligato.models.properties import formulas_of
from obligato.models.transition_system import TransitionSystem
from obligato.terms import BOOL, Kind, Op, Term, free_vars, postorder
from obligato.terms.rules.arith import linear_of
from obligato.terms.term import CONNECTIVES

SUMS = (Op.ADD, Op.MUL)
COMPARISONS = (Op.LE, Op.LT, Op.BVULT, Op.BVSLT)
SORTS = (Kind.BOOL, Kind.BITVEC, Kind.INT, Kind.REAL)
Side = frozenset[Term] | None  # the variables that a term is made of; None: of something else, too
NOTHING: frozenset[Term] = frozenset()


def counters(system: TransitionSystem) -> list[Term]:
    """The counters of a system, in the order of its state variables."""
    owner = {y: x for x, y in system.primed.items()}
    moved = {owner[v] for v in free_vars(system.trans) if v in owner}
    named = free_vars(system.init)
    changed: set[Term] = set()
    found = {x: None for x in system.state if x.sort.kind in SORTS and x in moved and x in named}
    formulas = (
        system.init,
        system.trans,
        *system.constraints,
        *(f for p in system.properties for f in formulas_of(p)),
    )
    sides: dict[Term, Side] = {}
    for t in postorder(formulas):
        sides[t] = _side(t, sides)
        for v in _misused(t, sides, owner):
            if v.sort is not BOOL or v in owner:
                found.pop(owner.get(v, v), None)
        changed.update(owner[v] for v in _used(t) if v in owner)
    return [x for x in found if x in changed]


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


def _misused(t: Term, sides: Mapping[Term, Side], owner: Mapping[Term, Term]) -> Iterator[Term]:
    """The variables among the arguments of `t` with which it does something else than counters
    allow.

    What is done in a sum is judged where the sum is used.
    """
    if (
        t.op in CONNECTIVES
        or t.op in SUMS
        or (t.op is Op.ITE and sides[t] is not None)
        or _keeps(t)
    ):
        return
    both = _union(t.args, sides) if t.op is Op.EQ or t.op in COMPARISONS else None
    if (
        both is not None
        and len({owner.get(v, v) for v in both}) <= 1
        and (t.op is Op.EQ or not any(v in owner for v in both))
    ):
        return
    for a in t.args:
        yield from (free_vars(a) if a.op in SUMS else sides[a] or ())


def _used(t: Term) -> Iterator[Term]:
    """The variables that are arguments of `t`, or in sums that are,
    unless all it says is that one is kept."""
    if t.op not in SUMS and not _keeps(t):
        for a in t.args:
            yield from (free_vars(a) if a.op in SUMS else (a,))


def _keeps(t: Term) -> bool:
    """Is this x' = x, or x - x' = 0?"""
    if t.op is not Op.EQ:
        return False
    names = sorted(v.name for v in free_vars(t))
    if len(names) != 2 or names[1] != f"{names[0]}'":
        return False
    if all(a.op is Op.VAR for a in t.args):
        return True
    if t.args[0].sort.kind not in (Kind.INT, Kind.REAL):
        return False
    (left, a), (right, b) = map(linear_of, t.args)
    return a == b and sorted(left.get(v, 0) - right.get(v, 0) for v in free_vars(t)) == [-1, 1]
