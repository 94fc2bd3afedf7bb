"""Bound weakening [HB12]: relax an inequality literal of the joint candidate while it stays
inductive.

``x < 10`` in a cube may become ``x < 1000``: more states are blocked by one lemma. Only the joint
candidate is weakened, and the weakened one is checked on every incoming edge; it never enters
contexts or unions of edge generalisations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from obligato.engines.kernel.cube import Literals, cube_of
from obligato.terms import Kind, Op, Term, postorder, to_signed

STEPS = 4
_ORDERED = (Op.LE, Op.LT, Op.BVULT, Op.BVSLT)


def constants_of(terms: Iterable[Term]) -> list[int]:
    """The numbers that occur in the terms, bit-vectors read both ways, in order."""
    found: set[int] = {0}
    for t in postorder(terms):
        if t.op is Op.CONST and isinstance(t.data, int) and not isinstance(t.data, bool):
            found.add(t.data)
            if t.sort.kind is Kind.BITVEC:
                found.add(to_signed(t.data, t.width))
    return sorted(found)


def weaken(cube: Literals, constants: list[int], holds: Callable[[Literals], bool]) -> Literals:
    """Try for each inequality literal a few weaker bounds, farthest first.

    Requires: holds(cube). Ensures: holds(result), and result includes every state of cube.
    """
    for lit in cube:
        for weaker in relaxations(lit, constants):
            candidate = cube_of(weaker if x is lit else x for x in cube)
            if holds(candidate):
                cube = candidate
                break
    return cube


def relaxations(literal: Term, constants: list[int]) -> Iterator[Term]:
    """Weaker literals with constants of the program as bounds, the weakest first; at most STEPS."""
    positive = literal.op is not Op.NOT
    atom = literal if positive else literal.args[0]
    if atom.op not in _ORDERED:
        return
    right = atom.args[1]
    if right.op is not Op.CONST or not isinstance(right.data, int):
        return
    store, bound = literal.store, _number(atom, right.data)
    better = sorted(c for c in constants if (c > bound if positive else c < bound))
    if positive:
        better.reverse()
    for c in better[:STEPS]:
        if not _fits(atom, c):
            continue
        new = store.mk(atom.op, (atom.args[0], store.const(c, right.sort)))
        yield new if positive else store.not_(new)


def _number(atom: Term, value: int) -> int:
    return to_signed(value, atom.args[1].width) if atom.op is Op.BVSLT else value


def _fits(atom: Term, c: int) -> bool:
    sort = atom.args[1].sort
    if sort.kind is not Kind.BITVEC:
        return True
    half = 1 << (sort.width - 1)
    return -half <= c < half if atom.op is Op.BVSLT else 0 <= c < 2 * half
