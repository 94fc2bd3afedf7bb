"""Paths of a CFA as formulas: one formula per edge, over versions of the variables.

At each position of the path a variable has a version; an edge gives new versions (``x@3``) to the
variables that it assigns and shares those of the others. Its formula relates the versions before
and after it, with inputs and selectors of that step:

    formula(0) and ... and formula(n-1) is satisfiable iff some run, from any state, follows the
    edges

Edges may have choices (large blocks): a model then names the original edges of one way through
them. The formulas of a prefix and of the rest share the versions at the position between them only,
as interpolation needs it (`at`, `unversioned`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from obligato.errors import InternalError
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect, path_effect
from obligato.terms import Substitution, Term, Value, default_value

Table = dict[Term, Term]


@dataclass(frozen=True, slots=True)
class PathStep:
    """An edge of the path, its effect,
    and the copies of its inputs and selectors at this position."""

    edge: Edge
    effect: BlockEffect
    copies: Table
    formula: Term


@dataclass(frozen=True, slots=True)
class PathRun:
    """A run along a path: the state at each position,
    and per step the original edges and the inputs."""

    states: tuple[Mapping[Term, Value], ...]
    edges: tuple[tuple[int, ...], ...]
    inputs: tuple[Mapping[Term, Value], ...]


class PathFormula:
    """A path that grows edge by edge from `start` (by default the initial location)."""

    def __init__(self, cfa: CFA, start: int | None = None) -> None:
        self.cfa, self.store = cfa, cfa.store
        self.location = cfa.initial if start is None else start
        self.versions: list[Table] = [{x: self._copy(x, 0) for x in cfa.variables}]
        self.steps: list[PathStep] = []
        self._effects: dict[Edge, BlockEffect] = {}

    def _copy(self, x: Term, position: int) -> Term:
        return self.store.var(f"{x.name}@{position}", x.sort)

    def extend(self, edge: Edge) -> Term:
        """Add an edge; its formula. Requires: it leaves the path's end."""
        if edge.source != self.location:
            raise InternalError(f"edge {edge.id} does not leave location {self.location}")
        position, before = len(self.steps), self.versions[-1]
        effect = self._effects.get(edge)
        if effect is None:
            effect = self._effects[edge] = BlockEffect(self.store, edge.command, f"path!{edge.id}!")
        hidden = effect.variables()
        copies = {v: self._copy(v, position) for v in hidden if v not in before}
        here = Substitution({**before, **copies})
        after = {x: self._copy(x, position + 1) for x in effect.pull.mapping}
        values = [self.store.eq(after[x], here(e)) for x, e in effect.pull.mapping.items()]
        formula = self.store.and_(*(here(g) for g in effect.guard), *values)
        self.steps.append(PathStep(edge, effect, copies, formula))
        self.versions.append({**before, **after})
        self.location = edge.target
        return formula

    def formulas(self) -> list[Term]:
        """The formulas of all edges in order."""
        return [step.formula for step in self.steps]

    def at(self, formula: Term, position: int) -> Term:
        """A formula over the program's variables, about a position."""
        return Substitution(self.versions[position])(formula)

    def unversioned(self, formula: Term, position: int) -> Term:
        """A formula over the versions at a position, about the program's variables."""
        return Substitution({y: x for x, y in self.versions[position].items()})(formula)

    def run(self, values_of: Callable[[Sequence[Term]], Mapping[Term, Value]]) -> PathRun:
        """The run that a model of all formulas describes;
        what the model leaves open has the default value."""
        variables = [v for table in self.versions for v in table.values()]
        variables += [v for step in self.steps for v in step.copies.values()]
        model = values_of(list(dict.fromkeys(variables)))

        def read(table: Table) -> dict[Term, Value]:
            return {x: model[y] if y in model else default_value(x.sort) for x, y in table.items()}

        states = [read(table) for table in self.versions]
        inputs = [read(step.copies) for step in self.steps]
        edges = [
            self._edges(step, {**state, **i})
            for step, state, i in zip(self.steps, states, inputs, strict=False)
        ]
        return PathRun(tuple(states), tuple(edges), tuple(inputs))

    def _edges(self, step: PathStep, model: Mapping[Term, Value]) -> tuple[int, ...]:
        """The original edges of the way that the model takes;
        the edge itself if it is not made of tagged ones."""
        found = path_effect(self.store, step.edge.command, step.effect.path_of(model)).edges
        return found or (step.edge.id,)
