"""Witnesses of non-termination (format 2.1): where an infinite run goes again and again.

The segments before the loop are followed, those of the loop are a *cycle*. A lasso passes the
results of the environment on its loop in their order. If there are none, it passes a statement of
the loop, or the condition of a loop statement. A run into a recurrence set passes the place of the
set in a state of the set; where there are several sets, or where the place is the condition of a
loop inside another one, it is not known which of them it passes again and again,
and there is no witness.
"""

from __future__ import annotations

from typing import Any

from obligato.frontends.c import kinds as k
from obligato.frontends.c.markers import Kind
from obligato.frontends.c.positions import LOOPS, Piece, Positions, behind_labels
from obligato.results.outcome import StepReport

_PASSED_OFTEN = (k.COMPOUND, k.DECL_STMT, k.NULL_STMT)


def statement_of(step: StepReport, positions: Positions) -> Piece | None:
    """The innermost statement that a step is in."""
    at = positions.offset(step.file, step.line, step.column)
    found = None if at is None else positions.innermost(at)
    return None if found is None else behind_labels(positions.statements, found)


def on_loop(steps: tuple[StepReport, ...], positions: Positions) -> tuple[Piece, Kind] | None:
    """A statement that the steps of a loop begin,
    or a loop statement whose condition they find true."""
    pieces = [p for p in (statement_of(s, positions) for s in steps if s.line) if p is not None]
    plain = next((p for p in pieces if p.kind not in LOOPS and p.kind not in _PASSED_OFTEN), None)
    if plain is not None:
        return plain, Kind.ASSUMPTION
    head = next((p for p in pieces if p.kind in LOOPS), None)
    return None if head is None else (head, Kind.BRANCHING)


def is_outermost(piece: Piece, positions: Positions, entry: str) -> bool:
    """Is a loop entered once at most:
    in the entry function, in no other loop, and without jumps in the function?"""
    own = [s for s in positions.statements if s.function == piece.function]
    around = [s for s in own if s.kind in LOOPS and s.start < piece.start and piece.end <= s.end]
    called = any(c.name == entry for c in positions.calls)
    return (
        piece.function == entry
        and not called
        and not around
        and not any(s.kind == k.LABEL for s in own)
    )


def waypoint(kind: Kind, location: dict[str, Any], value: str) -> dict[str, Any]:
    """A waypoint of a cycle."""
    constraint = (
        {"value": value} if kind is Kind.BRANCHING else {"value": value, "format": "c_expression"}
    )
    return {"type": kind.value, "action": "cycle", "constraint": constraint, "location": location}
