"""Invariants to begin with: bits and predicates, and predicates where a Boolean has a value, that
are inductive together.

Which of them are is found by Houdini (Flanagan and Leino, 2001): what a step leaves is dropped,
until nothing is. All candidates are assumed at all instances, as lemmas are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.engines.ic3ts.cube import Cube, cube_of
from obligato.smt import SAT

if TYPE_CHECKING:
    from obligato.engines.ic3arrays.hooks import CellHooks

BOOLEANS = 4
LIMIT = 1200  # candidates


def seeds(hooks: CellHooks) -> list[Cube]:
    """Cubes that no reachable state is in."""
    alive = [c for c in _candidates(hooks) if not hooks.meets_initial(c)][:LIMIT]
    dropped = True
    while dropped and alive:
        solver = hooks.new_solver()
        for cube in alive:
            hooks.exclude(solver, cube)
        kept = []
        for cube in alive:
            # not d for all candidates d, now and at all instances, and C and T and c': unsat -
            # kept; sat - dropped (heuristic)
            if hooks.ask(solver, [*solver.step, *solver.then(cube)]) is not SAT:
                kept.append(cube)
        dropped = len(kept) < len(alive)
        alive = kept
        hooks.retire(solver)
    return _needed(alive)


def _candidates(hooks: CellHooks) -> list[Cube]:
    bits = hooks.bits
    literals = [x for n in range(bits.raw, len(bits.bit)) for x in (n, -n)]
    booleans = [n for n in range(1, bits.raw) if bits.plain[n]][:BOOLEANS]
    alone = [(x,) for n in range(1, len(bits.bit)) for x in (n, -n)]
    return [*alone, *(cube_of((b, x)) for n in booleans for b in (n, -n) for x in literals)]


def _needed(cubes: list[Cube]) -> list[Cube]:
    """The candidates that no smaller candidate includes."""
    alone = {c[0] for c in cubes if len(c) == 1}
    return [c for c in cubes if len(c) == 1 or not alone.intersection(c)]
