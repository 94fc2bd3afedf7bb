"""What a run answers: verdict, certificate, trace, outcome.

A certificate gives a formula per cut point (location) of the CFA; a trace is a sequence of original edges with the values
of their inputs. Both are claims until `results.checking` has accepted them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from obligato.errors import Span
from obligato.models.claims import Certificate as Certificate
from obligato.models.claims import Trace as Trace
from obligato.models.claims import TraceStep as TraceStep
from obligato.terms import Value


class Verdict(Enum):
    """TRUE: the property holds; FALSE: a run violates it; UNKNOWN: neither is known."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


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
