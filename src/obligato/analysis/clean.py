"""Removal of unreachable code: what no run enters, and what cannot reach the error location any
more.

`rebuilt` is the common end of all passes: given the edges that are left (perhaps with new
commands), it drops the rest, and the variables and inputs that occur no more stay as they are;
`dead.remove_dead` drops those.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from obligato.analysis.graph import predecessors, reachable, successors
from obligato.analysis.lifts import FactLift, Facts, closed_entries, no_facts, surviving_cuts
from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Lift
from obligato.models.gcl import Assume, Choice, Command, Seq, Tagged


def blocked(command: Command) -> bool:
    """Does no run pass, because of a condition that is literally false?"""
    if isinstance(command, Assume):
        return command.condition is command.condition.store.false
    if isinstance(command, Seq):
        return any(blocked(c) for c in command.parts)
    if isinstance(command, Tagged):
        return blocked(command.command)
    return isinstance(command, Choice) and all(blocked(c) for c in command.branches)


def remove_unreachable(cfa: CFA) -> tuple[CFA, Lift]:
    """Drop edges whose condition is the constant false, and then all that lies on no path from the
    initial to the error location.
    """
    return rebuilt(cfa, cfa.edges, no_facts)


def rebuilt(before: CFA, edges: Iterable[Edge], facts: Facts) -> tuple[CFA, Lift]:
    """`before` with those of `edges` that are left on paths to the error; the lift relies on
    `facts`.
    """
    passable = [e for e in edges if not blocked(e.command)]
    entered = _entered(before, passable)
    after = restricted(before, passable)
    targets = {e.target for e in entered}
    gone = [loc for loc in cut_points(before) if loc in targets and loc not in after.locations]
    if facts is no_facts:
        # only such as a path along dropped edges leads from: else no loop there needs a formula
        ahead = reachable([before.error], predecessors(before))
        gone = [loc for loc in gone if loc in ahead]
    return after, FactLift(before.store, facts, closed_entries(before, entered), gone)


def _entered(before: CFA, edges: list[Edge]) -> list[Edge]:
    graph = replace(before, edges=tuple(edges))
    seen = reachable([before.initial], successors(graph))
    return [e for e in edges if e.source in seen]


def restricted(before: CFA, edges: Iterable[Edge], cuts: tuple[int, ...] | None = None) -> CFA:
    """The part of `before`, with these `edges`, that lies on paths from the initial to the error
    location.
    """
    graph = replace(before, edges=tuple(edges))
    seen = reachable([before.initial], successors(graph))
    matters = reachable([before.error], predecessors(graph))
    ends = (before.initial, before.error)
    locations = {
        n: loc for n, loc in before.locations.items() if n in ends or (n in seen and n in matters)
    }
    left = tuple(e for e in graph.edges if e.source in seen and e.target in matters)
    keep = (
        surviving_cuts(before, locations)
        if cuts is None
        else tuple(c for c in cuts if c in locations)
    )
    return replace(before, locations=locations, edges=left, keep=keep)
