"""`reduce`: the passes in order, by level.

    0  nothing
    1  exact on paths: unreachable code, constants, intervals, forward propagation, dead assignments
    and variables
    2  and slicing that keeps loops: exact on verdicts, traces are completed by execution
    3  and slicing that also cuts loops without influence: TRUE is exact, a trace may not lift (run
    again at a lower level)

Slicing that cuts loops runs first, before any facts are used: what the other passes rely on then
holds also when a loop that is gone is over-approximated by what it assigns, which is what the
certificate checker does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.analysis.clean import remove_unreachable
from obligato.analysis.dead import remove_dead
from obligato.analysis.fold import fold_constants, fold_ranges
from obligato.analysis.propagate import propagate_expressions
from obligato.analysis.slicing import slice_to_property
from obligato.models.cfa import CFA
from obligato.models.claims import Composed, Lift

Pass = Callable[[CFA], tuple[CFA, Lift]]

PROPAGATION: tuple[Pass, ...] = (
    fold_constants,
    propagate_expressions,
    remove_dead,
    fold_ranges,
    remove_dead,
)


def slice_loops(cfa: CFA) -> tuple[CFA, Lift]:
    """Slicing that cuts loops without influence."""
    return slice_to_property(cfa, loops=True)


def passes(level: int) -> tuple[Pass, ...]:
    """The passes of a level, in order."""
    match level:
        case 0:
            return ()
        case 1:
            return (remove_unreachable, *PROPAGATION)
        case 2:
            return (remove_unreachable, slice_to_property, *PROPAGATION, slice_to_property)
        case _:
            return (remove_unreachable, slice_loops, *PROPAGATION, slice_to_property)


def reduce_relations(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """`cfa` reduced by passes that cope with edges whose guards are whole relations, and cut no
    loop: no intervals.
    """
    chosen = passes(min(level, 2))
    return _in_turn(cfa, [p for p in chosen if p is not fold_ranges])


def reduce(cfa: CFA, level: int) -> tuple[CFA, Lift]:
    """`cfa` (in a simplifying store) reduced, and the lift of claims about the result."""
    return _in_turn(cfa, passes(level))


def _in_turn(cfa: CFA, chosen: Sequence[Pass]) -> tuple[CFA, Lift]:
    lifts: list[Lift] = []
    for run in chosen:
        cfa, lift = run(cfa)
        lifts.append(lift)
    return cfa, Composed(lifts)
