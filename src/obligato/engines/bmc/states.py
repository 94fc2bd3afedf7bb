"""Symbolic states of a program in an unwinding of its control flow, and how they were reached.

A state stands for all runs of one length that end at one location. The runs are told apart by start
values, inputs and selectors; a value is a term over these, or a plain value where all those runs
agree on it (`known`): then it is computed by evaluation, not by building terms. At most one way
leads into each state under one assignment (`programs`), so an assignment of start values, inputs
and selectors names one run, which `Past.trace` reads off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from obligato.models.claims import Repeat, Trace, TraceStep
from obligato.terms import Op, Term, TermStore, Value, evaluate, free_vars
from obligato.terms.store import rebuild

Assignment = Mapping[Term, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One way into a state: under `taken` the run comes from `before`, along the original edges
    that `edges` names, so many `times`."""

    taken: Term
    before: Past
    edges: Callable[[Assignment], tuple[int, ...]]
    times: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """How a state was reached: from one of several states or, at the start, from none."""

    ways: tuple[Way, ...] = ()

    def taken(self, model: Assignment) -> list[Way]:
        """The ways of the run that the model names, from its start on.
        Requires: it satisfies the state's condition."""
        out: list[Way] = []
        memo: dict[Term, object] = {}
        past = self
        while past.ways:
            way = next(
                w for w in past.ways if len(past.ways) == 1 or evaluate(w.taken, model, memo)
            )
            out.append(way)
            past = way.before
        return out[::-1]

    def trace(self, model: Assignment) -> Trace:
        """The original edges of the run that the model names.
        Requires: it satisfies the state's condition."""
        steps, repeats = list[TraceStep](), list[Repeat]()
        for way in self.taken(model):
            edges = way.edges(model)
            if way.times > 1:
                repeats.append(Repeat(len(steps), len(steps) + len(edges), way.times))
            steps += [TraceStep(edge, {}) for edge in edges]
        return Trace({}, tuple(steps), tuple(repeats))


@dataclass(slots=True, eq=False)
class Values:
    """The values of the variables: `known` ones, terms for the others;
    a variable in neither has its start value."""

    store: TermStore
    known: dict[Term, Value] = field(default_factory=dict)
    terms: dict[Term, Term] = field(default_factory=dict)

    def copy(self) -> Values:
        """A copy of the values that may be changed."""
        return Values(self.store, dict(self.known), dict(self.terms))

    def term(self, x: Term) -> Term:
        """The value of a variable as a term."""
        if x in self.known:
            return self.store.const(self.known[x], x.sort)
        return self.terms.get(x, x)

    def of(self, e: Term, inputs: Mapping[Term, Term]) -> Term:
        """The value of an expression; `inputs` are the copies of the inputs in it."""
        memo = {v: inputs[v] if v in inputs else self.term(v) for v in free_vars(e)}
        return rebuild(e, self.store, memo)

    def put(self, x: Term, value: Term) -> None:
        """Give a variable a value."""
        if value.op is Op.CONST:
            self.know(x, value.data)
        else:
            self.known.pop(x, None)
            self.terms[x] = value

    def know(self, x: Term, value: Value) -> None:
        """Give a variable a plain value."""
        self.known[x] = value
        self.terms.pop(x, None)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """The runs of one length that end at `location`:
    they exist where `condition` holds, with these values."""

    location: int
    condition: Term
    values: Values
    past: Past
