"""The one small solver protocol that engines and checkers see, and its vocabulary.

A solver holds formulas over the terms of one store. There is no push/pop: retract by activation
literals (`smt.activation`) and rebuild. A `check` under assumptions answers SAT, UNSAT or UNKNOWN;
after SAT `value` and `model_of` speak about the model, after UNSAT `core` is a subset of the
assumptions, both until the next `check` or `add`. Budgets are counted in a unit of each backend's
own (z3: rlimit, SAT: conflicts, bitwuzla: polls, cvc5: resource units), never in wall time.
`interrupt` may be called from another thread and makes a running check return UNKNOWN; when none
runs it has no effect.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter
from typing import Any

from obligato.errors import SolverFailure
from obligato.terms import Kind, Term, Value, evaluate, free_vars


class SatResult(Enum):
    """Answer of a check. It refuses to be a truth value: compare with `is`."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("a SatResult has no truth value; compare it with `is`")


SAT, UNSAT, UNKNOWN = SatResult.SAT, SatResult.UNSAT, SatResult.UNKNOWN


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do: the sorts it understands and whether it can be interrupted, budgeted,
    and do nonlinear.
    """

    name: str
    kinds: frozenset[Kind]
    interruptible: bool
    budget: bool


@dataclass(slots=True)
class SolverStats:
    """Calls and seconds per kind of query, and who was asked; shared by all solvers of one run."""

    calls: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)
    # the names of the backends that were asked, in order
    solvers: dict[str, None] = field(default_factory=dict)

    @property
    def total_calls(self) -> int:
        """The number of all checks."""
        return sum(self.calls.values())

    @property
    def total_seconds(self) -> float:
        """All time inside solvers."""
        return sum(self.seconds.values())

    def note(self, kind: str, seconds: float, result: SatResult, solver: str) -> None:
        """Count one check by the backend `solver`."""
        calls, name = self.calls, result.value
        if solver not in self.solvers:
            self.solvers[solver] = None
        calls[kind] = calls.get(kind, 0) + 1
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        self.results[name] = self.results.get(name, 0) + 1


def core_of(
    name: str, assumed: Sequence[Term], keys: Sequence[Hashable], failed: Set[Hashable]
) -> list[Term]:
    """The assumptions whose key (the solver's name for it) failed, in their order, each key
    once.
    """
    first: dict[Hashable, Term] = {}
    for key, term in zip(keys, assumed, strict=True):
        first.setdefault(key, term)
    if not failed <= first.keys():
        raise SolverFailure(f"{name} gave a core that is not a subset of the assumptions")
    return [term for key, term in first.items() if key in failed]


class Solver(ABC):
    """Base of all backends: counts calls and offers models on top of `_check`, `_core`,
    `_value_of_var`.
    """

    capabilities: Capabilities

    def __init__(self, stats: SolverStats | None = None) -> None:
        self.stats = stats if stats is not None else SolverStats()

    @abstractmethod
    def add(self, formula: Term) -> None:
        """Assert `formula` for good."""

    def paid_off(self, checks: int) -> bool:
        """Has it worked so much in `checks` that telling a fresh one the same costs little beside?
        Counted, not timed.
        """
        return True

    @abstractmethod
    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult: ...

    @abstractmethod
    def core(self) -> list[Term]:
        """After UNSAT: a subset of the last assumptions, in their order, that is inconsistent with
        the formulas.
        """

    @abstractmethod
    def _value_of_var(self, var: Term) -> Value | None:
        """After SAT: the value of a variable, None if the model leaves it open."""

    @abstractmethod
    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon. Callable from another thread."""

    @abstractmethod
    def close(self) -> None:
        """Free the solver's memory. Idempotent."""

    def check(
        self, assumptions: Sequence[Term] = (), *, budget: int | None = None, kind: str = "check"
    ) -> SatResult:
        """Are the formulas and `assumptions` (any Boolean terms; literals are fastest) satisfiable
        together?
        """
        start = perf_counter()
        result = self._check(assumptions, budget)
        self.stats.note(kind, perf_counter() - start, result, self.capabilities.name)
        return result

    def value(self, term: Term) -> Any:
        """After SAT: the value of any term, by evaluation over the variables' values (open ones
        take the default).
        """
        return evaluate(term, self.model_of(free_vars(term)))

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        """After SAT: the values of `variables`; those left open are missing."""
        out: dict[Term, Value] = {}
        for v in variables:
            value = self._value_of_var(v)
            if value is not None:
                out[v] = value
        return out
