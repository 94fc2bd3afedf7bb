"""What a run answers: verdict, certificate, trace, outcome.

A certificate gives a formula per cut point (location) of the CFA; a trace is a sequence of original edges with the values
of their inputs. Both are claims until `results.checking` has accepted them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from obligato.errors import Span
from obligato.terms import Term, Value


class Verdict(Enum):
    """TRUE: the property holds; FALSE: a run violates it; UNKNOWN: neither is known."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Certificate:
    """Invariants by location number; `k` > 1 makes it k-inductive over the cut set `invariants`."""

    invariants: dict[int, Term]
    k: int = 1


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One original edge taken, with the values of its inputs (by input name) and the state after it, where known."""

    edge: int
    inputs: dict[str, Value]
    state: dict[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A path from the initial to the error location; `initial` gives start values by variable name."""

    initial: dict[str, Value]
    steps: tuple[TraceStep, ...]


@dataclass(frozen=True, slots=True)
class EngineResult:
    """What an engine claims. TRUE comes with a certificate, FALSE with a trace, UNKNOWN with a reason."""

    verdict: Verdict
    certificate: Certificate | None = None
    trace: Trace | None = None
    reason: str | None = None
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One executed statement of a replayed trace, for the user."""

    span: Span
    statement: str
    assignments: dict[str, Value]
    inputs: dict[str, Value]
