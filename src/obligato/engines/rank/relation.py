"""The steps of a program between its cut points, component by component, and samples of them.

A *hop* is a large block between two locations of one strongly connected component. A *sample* is
one step along a hop with the states before and after it: *reached* ones are part of a run from the
start, others came from a solver and may be part of none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from obligato.models.blocks import cut_points
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, Assume, walk
from obligato.models.rank_claims import BuchiCFA
from obligato.program.graphs import components
from obligato.terms import Term, Value, default_value, evaluate, free_vars

State = Mapping[Term, Value]


@dataclass(frozen=True, eq=False)
class Hop:
    """A block from `source` to `target`; `strict`: a run may not take it again and again."""

    edge: Edge
    effect: BlockEffect
    strict: bool

    @property
    def source(self) -> int:
        """The location where the step begins."""
        return self.edge.source

    @property
    def target(self) -> int:
        """The location where the step ends."""
        return self.edge.target

    @cached_property
    def reads(self) -> dict[Term, None]:
        """All variables, inputs and selectors in its formulas."""
        return free_vars(*self.effect.guard, *self.effect.pull.mapping.values())

    def sample(self, model: State, variables: tuple[Term, ...], reached: bool) -> Sample:
        """The step that a model of the guard describes."""
        memo: dict[Term, Value] = {}
        before = {x: model.get(x, default_value(x.sort)) for x in variables}
        values = {**model, **before}
        changed = {x: evaluate(e, values, memo) for x, e in self.effect.pull.mapping.items()}
        return Sample(self.source, self.target, before, {**before, **changed}, self.strict, reached)


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One step between two locations of a component."""

    source: int
    target: int
    before: State
    after: State
    strict: bool
    reached: bool


@dataclass(frozen=True, eq=False)
class Component:
    """A strongly connected component of the blocks in which a run may accept again and again."""

    locations: tuple[int, ...]
    hops: tuple[Hop, ...]
    # a loop must bring back what its own edges depend on, not only what going round depends on
    exact: bool = False
    observed: tuple[Term, ...] = ()  # and these

    @cached_property
    def returning(self) -> dict[Term, None]:
        """The variables that must have their values again at the end of a loop."""
        return self.tested if self.exact else self.relevant

    @cached_property
    def tested(self) -> dict[Term, None]:
        """The variables that any edge tests or that are observed, and those that what is assigned
        to them depends on.
        """
        commands = [c for h in self.hops for c in walk(h.edge.command)]
        found = free_vars(*self.observed, *(c.condition for c in commands if isinstance(c, Assume)))
        while True:
            more = free_vars(
                *found,
                *(e for c in commands if isinstance(c, Assign) for x, e in c.pairs if x in found),
            )
            if len(more) == len(found):
                return found
            found = more

    @cached_property
    def relevant(self) -> dict[Term, None]:
        """The variables that decide which hops can be taken, now or later."""
        found = free_vars(*(g for h in self.hops for g in h.effect.guard))
        while True:
            more = free_vars(
                *found,
                *(e for h in self.hops for x, e in h.effect.pull.mapping.items() if x in found),
            )
            if len(more) == len(found):
                return found
            found = more


def whole(cfa: CFA, component: Component) -> list[int]:
    """The locations of the component and those inside of its blocks."""
    targets = {loc: [e.target for e in cfa.out(loc)] for loc in cfa.locations}
    return next(list(g) for g in components(cfa.locations, targets) if component.locations[0] in g)


def kept(problem: BuchiCFA) -> tuple[int, ...]:
    """The locations that must stay when blocks are made: cut points and, where only some locations
    of a component are accepting, these.
    """
    cfa = problem.cfa
    cuts = dict.fromkeys((*cfa.keep, *cut_points(cfa)))
    if problem.accepting is not None:
        targets = {loc: [e.target for e in cfa.out(loc)] for loc in cfa.locations}
        for group in components(cfa.locations, targets):
            if not all(map(problem.accepts, group)) and (
                len(group) > 1 or group[0] in targets[group[0]]
            ):
                cuts |= dict.fromkeys(loc for loc in group if loc in problem.accepting)
    return tuple(cuts)


def find_components(blocks: CFA, problem: BuchiCFA) -> list[Component]:
    """The components with a cycle and an accepting location."""
    targets = {loc: [e.target for e in blocks.out(loc)] for loc in blocks.locations}
    observed = tuple(x for x in blocks.variables if x.name in problem.observed)
    found = []
    for group in components(blocks.locations, targets):
        members = frozenset(group)
        inside = [e for loc in sorted(group) for e in blocks.out(loc) if e.target in members]
        if inside and any(map(problem.accepts, group)):
            hops = tuple(
                Hop(
                    e,
                    BlockEffect(blocks.store, e.command, f"hop!{e.id}!"),
                    problem.accepts(e.source),
                )
                for e in inside
            )
            found.append(
                Component(tuple(sorted(group)), hops, problem.accepting is not None, observed)
            )
    return found
