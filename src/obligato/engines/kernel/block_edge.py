"""Blocks as engines on programs ask about them:
effect and paths of an edge, and the model of a step along it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.models.effect import BlockEffect, Path, PathEffect, path_effect
from obligato.models.gcl import is_choice_free
from obligato.terms import BOOL, Op, Substitution, Term, TermStore, Value, postorder

if TYPE_CHECKING:
    from obligato.models.cfa import Edge
    from obligato.smt.activation import ActivationSolver


@dataclass(frozen=True, slots=True)
class Shape:
    """Is a term a literal without ite, and which variables has it?"""

    plain: bool
    variables: tuple[Term, ...]

    @classmethod
    def of(cls, term: Term) -> Shape:
        """The shape of a term."""
        parts = list(postorder((term,)))
        return cls(
            term.is_literal and all(t.op is not Op.ITE for t in parts),
            tuple([t for t in parts if t.op is Op.VAR]),
        )


class BlockEdge:
    """An edge as the engine sees it: source, target, effect;
    `path` gives the effect of one of its paths.

    wep(edge, c) is `guard` and the literals of c pulled back by `pull`; `active` switches the guard
    on in a solver. With a `path`, it is that path of the edge only.
    """

    def __init__(self, store: TermStore, edge: Edge, number: int, path: Path | None = None) -> None:
        self.store = store
        self.number = number
        self.source, self.target = edge.source, edge.target
        self.is_loop = edge.source == edge.target
        self.command = edge.command
        self._paths: dict[Path, PathEffect] = {}
        self._shapes: dict[Term, Shape] = {}
        self._fixed = () if path is None and is_choice_free(edge.command) else path
        self._block = (
            BlockEffect(store, edge.command, f"sel!{number}!") if self._fixed is None else None
        )
        effect: PathEffect | BlockEffect = (
            self._block if self._block is not None else self.path(self._fixed or ())
        )
        self.guard: list[Term] = effect.guard
        self.pull: Substitution = effect.pull
        self.active = store.fresh(f"edge!{number}", BOOL)

    @property
    def choice_free(self) -> bool:
        """Has the edge one path only, so that [LNNK19, Thm. 5-7] apply?"""
        return self._fixed is not None

    @property
    def only_path(self) -> PathEffect | None:
        """The effect of its path, if it has one path only."""
        return None if self._fixed is None else self.path(self._fixed)

    def path(self, path: Path) -> PathEffect:
        """The effect of one path, memoised."""
        effect = self._paths.get(path)
        if effect is None:
            effect = self._paths[path] = path_effect(self.store, self.command, path)
        return effect

    def path_of(self, model: Mapping[Term, Value]) -> PathEffect:
        """The path that a model of a query about this edge follows."""
        return self.path(self._fixed if self._block is None else self._block.path_of(model))  # type: ignore[arg-type]

    def shape(self, term: Term) -> Shape:
        """What predecessor cubes ask about a pulled-back literal, memoised."""
        shape = self._shapes.get(term)
        if shape is None:
            shape = self._shapes[term] = Shape.of(term)
        return shape


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """sat: a state before `edge` reaches the cube along it.
    `model` is readable until the next query."""

    edge: BlockEdge
    model: Mapping[Term, Value]


class LazyModel(Mapping[Term, Value]):
    """The values of the last model, read on demand and kept."""

    def __init__(self, solver: ActivationSolver) -> None:
        self._solver = solver
        self._values: dict[Term, Value] = {}

    def __getitem__(self, var: Term) -> Value:
        value = self.get(var)
        if value is None:
            raise KeyError(var)
        return value

    def get(self, var: Term, default: object = None) -> Value:
        value = self._values.get(var)
        if value is None:
            found = self._solver.model_of((var,))
            if not found:
                return default
            value = self._values[var] = found[var]
        return value

    def __iter__(self) -> Iterator[Term]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
