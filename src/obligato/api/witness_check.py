"""`obligato check PROGRAM WITNESS`: judge an SV-COMP witness (format 2.0, 2.1) of a C program.

A witness is a claim in another form than ours, and it is decided by an engine, not by a checker
alone.

*Correctness.* Each invariant is an assertion of the program and a candidate where it stands
(`analysis.stated`): an engine that starts from seeds lets Houdini keep those that are inductive.
The verdict is TRUE if the program with all these assertions is proved, by a certificate that was
checked. An invariant that a run violates refutes the witness; so does an error in it.

*Violation.* Only runs that pass all waypoints in their order can violate the property any more. The
verdict is FALSE if there is such a run, replayed; if there is none, the witness is refuted. That a
run does not end is said by waypoints to follow and a cycle of them: the verdict is FALSE if a run
passes the cycle again and again (those locations are accepting in `run_search`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from obligato.api.request import ClaimRefused, Request, property_of, read_property
from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c.witness import Witness, read_witness
from obligato.frontends.registry import TERMINATION, UNREACH_CALL
from obligato.program.syntax import WITNESS
from obligato.results.outcome import PropertyVerdict, Verdict


def as_witnessed(request: Request, witness: Witness, claim: str) -> Request:
    """The request for the property and the data model that a witness names; others that are asked
    for do not fit it.
    """
    said = property_of(witness.specification)
    if witness.specification and not said:
        raise InputError(
            f"the property of the witness is not supported: {witness.specification[:80]}",
            Span(claim),
        )
    if said == TERMINATION and witness.correct:
        raise Unsupported(
            "witnesses of termination are not supported, only those of non-termination",
            Span(claim),
            "witness",
        )
    if (said == TERMINATION) is not witness.cycle:
        raise InputError(
            "a witness of non-termination has a cycle, and a witness of another property has none",
            Span(claim),
        )
    asked = read_property(request.property)
    if asked and said and asked != said:
        raise ClaimRefused(f"the witness is about {said}, not about {asked}")
    model = witness.data_model or request.data_model
    return replace(request, property=asked or said or UNREACH_CALL, data_model=model)


def judged(verdict: PropertyVerdict, witness: Witness) -> PropertyVerdict:
    """What the verdict about the program with the witness's markers says about the witness."""
    expected = Verdict.TRUE if witness.correct else Verdict.FALSE
    if verdict.verdict in (expected, Verdict.UNKNOWN):
        return verdict
    if not witness.correct:
        raise ClaimRefused(
            "no run passes the cycle of the witness again and again"
            if witness.cycle
            else "no run that follows the witness violates the property at its target"
        )
    violation = verdict.trace.violation if verdict.trace is not None else ""
    number = re.search(rf"{WITNESS} (\d+)$", violation)
    if number is None:
        raise ClaimRefused(f"the program violates the property: {violation}")
    raise ClaimRefused(f"a run violates the {witness.markers[int(number[1])]}")


__all__ = ["Witness", "as_witnessed", "judged", "read_witness"]
