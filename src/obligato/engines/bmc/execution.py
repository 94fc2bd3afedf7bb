"""The step of a symbolic state that has one way to go: execution instead of logic.

The blocks that leave a location are executed with the values that are known. If every assumption on
the way is decided by them and exactly one way passes, it is the step of all runs in the state, and
nobody has to be asked: a loop that runs a known number of times costs evaluations only, however
long it is. Values that are not known are passed on as terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from obligato.engines.bmc.states import State, Values, Way
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import Path
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq
from obligato.terms import Op, Term, Value, evaluate, free_vars

# commands still to come, as a linked list: branches share it
_Todo = tuple[Command, "_Todo"] | None


class _Undetermined(Exception):
    """An assumption is not decided, or there are several ways."""


@dataclass(slots=True, eq=False)
class _Branch:
    values: Values
    todo: _Todo
    edges: list[int]
    path: Path = ()


@dataclass(frozen=True, slots=True, eq=False)
class OnlyStep:
    """The only step: where it ends, and how."""

    location: int
    values: Values
    way: Way
    block: Edge
    path: Path


class Executor:
    """Executes blocks of one CFA."""

    def __init__(self, cfa: CFA) -> None:
        self.cfa, self.store = cfa, cfa.store
        self._free: dict[Term, tuple[Term, ...]] = {}
        self._depth = 0

    def step(self, state: State, depth: int) -> Sequence[OnlyStep] | None:
        """The only step of a state, none if it is stuck;
        None if that is not determined by what is known."""
        self._depth = depth
        found: list[tuple[Edge, _Branch]] = []
        try:
            for edge in self.cfa.out(state.location):
                found += [(edge, end) for end in self._ends(edge.command, state.values)]
                if len(found) > 1:
                    return None
        except _Undetermined:
            return None
        return [
            OnlyStep(
                edge.target,
                end.values,
                Way(state.condition, state.past, Always(tuple(end.edges))),
                edge,
                end.path,
            )
            for edge, end in found
        ]

    def _ends(self, command: Command, values: Values) -> list[_Branch]:
        """The ends of all ways through a command. Raises `_Undetermined` if there are several."""
        open_, ends = [_Branch(values.copy(), (command, None), [])], list[_Branch]()
        while open_:
            branch = open_.pop()
            choice = self._advance(branch)
            if choice is not None:
                open_ += [
                    _Branch(
                        branch.values.copy(),
                        (c, branch.todo),
                        list(branch.edges),
                        (*branch.path, n),
                    )
                    for n, c in enumerate(choice.branches)
                ]
            elif branch.todo is None:
                ends.append(branch)
                if len(ends) > 1:
                    raise _Undetermined
        return ends

    def _advance(self, branch: _Branch) -> Choice | None:
        """Execute up to the next choice, which is returned,
        to the end (nothing left to do) or to where it is stuck."""
        while branch.todo is not None:
            c, rest = branch.todo
            if isinstance(c, Assume):
                if not self._holds(c.condition, branch.values):
                    return None
            elif isinstance(c, Assign):
                self._assign(c, branch.values)
            elif isinstance(c, Seq):
                for part in reversed(c.parts):
                    rest = (part, rest)
            elif isinstance(c, Choice):
                branch.todo = rest
                return c
            else:
                branch.edges.append(c.edge)
                rest = (c.command, rest)
            branch.todo = rest
        return None

    def _holds(self, condition: Term, values: Values) -> bool:
        value = self._value(condition, values)
        if isinstance(value, Term):
            raise _Undetermined
        return bool(value)

    def _assign(self, c: Assign, values: Values) -> None:
        for x, value in [(x, self._value(e, values)) for x, e in c.pairs]:
            if isinstance(value, Term):
                values.put(x, value)
            else:
                values.know(x, value)

    def _value(self, e: Term, values: Values) -> Value | Term:
        """A plain value where all variables of the expression are known,
        else a term that is no constant."""
        if e.op is Op.CONST:
            return e.data
        free = self._free.get(e)
        if free is None:
            free = self._free[e] = tuple(free_vars(e))
        known = values.known
        if all(v in known for v in free):
            value: Value = evaluate(e, known)
            return value
        term = values.of(e, copies(self.cfa, free, self._depth))
        return term.data if term.op is Op.CONST else term


class Always:
    """The edges of a way that is the same in every model."""

    __slots__ = ("found",)

    def __init__(self, found: tuple[int, ...]) -> None:
        self.found = found

    def __call__(self, model: Mapping[Term, Value]) -> tuple[int, ...]:
        return self.found


def copies(cfa: CFA, variables: Sequence[Term], depth: int) -> dict[Term, Term]:
    """The inputs among `variables`, as they are at one depth.
    A run passes one edge at each depth, so edges can share them."""
    return {v: cfa.store.var(f"{v.name}@{depth}", v.sort) for v in variables if v in cfa.input_set}
