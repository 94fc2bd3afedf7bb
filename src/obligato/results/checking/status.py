"""What checking a claim may answer, for certificates and for traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obligato.terms import Value


class Status(Enum):
    """What checking a certificate may answer."""

    ACCEPTED = "accepted"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """The answer. `obligation` names what failed or stayed open;
    `model` is the state at its start that refutes it."""

    status: Status
    checker: str = ""
    independent: bool = True
    obligation: str = ""
    reason: str = ""
    model: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    queries: int = 0


class TraceStatus(Enum):
    """CONFIRMED: a violation. LOST: a reduction lost it. REJECTED: wrong.
    LIMITED: refutes nothing. UNKNOWN: undecided."""

    CONFIRMED = "confirmed"
    LOST = "lost"
    REJECTED = "rejected"
    LIMITED = "limited"
    UNKNOWN = "unknown"
