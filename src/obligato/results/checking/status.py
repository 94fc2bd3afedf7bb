"""What checking a claim may come to, for certificates and for traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from obligato.results.checking.solving import Link
    from obligato.terms import Value


class Status(Enum):
    """What checking a certificate may come to."""

    ACCEPTED = "accepted"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """The result. `obligation` names what failed or stayed open;
    `model` is the state at its start that refutes it."""

    status: Status
    checker: str = ""
    independent: bool = True
    obligation: str = ""
    reason: str = ""
    model: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    queries: int = 0


@dataclass(frozen=True, slots=True)
class Open:
    """An obligation that was not discharged."""

    status: Status
    obligation: str
    reason: str
    model: Mapping[str, Value] = field(default_factory=dict)


class Checking(Protocol):
    """The check of one claim; `used` are the solvers that have answered so far."""

    used: dict[str, Link]
    queries: int

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the claim is a proof."""


def judged(checker: Checking, start: float) -> CertificateCheck:
    """The result of a check that was begun at the time `start`: its first open obligation decides."""
    left = next(checker.open_obligations(), None)
    names = ", ".join(link.name for link in checker.used.values())
    independent = all(link.independent for link in checker.used.values())
    seconds, queries = perf_counter() - start, checker.queries
    if left is None:
        return CertificateCheck(
            Status.ACCEPTED, names, independent, seconds=seconds, queries=queries
        )
    return CertificateCheck(
        left.status, names, independent, left.obligation, left.reason, left.model, seconds, queries
    )


class TraceStatus(Enum):
    """CONFIRMED: a violation. LOST: a reduction lost it. REJECTED: wrong.
    LIMITED: refutes nothing. UNKNOWN: undecided."""

    CONFIRMED = "confirmed"
    LOST = "lost"
    REJECTED = "rejected"
    LIMITED = "limited"
    UNKNOWN = "unknown"
