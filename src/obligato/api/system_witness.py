"""Witnesses of verdicts about transition systems, in the format that goes with the input
(`Language.write_witness`).

The witness of a violation is made where the input was read, and read back and replayed before it is
given away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from obligato.api.pipeline import Rejected, Run
from obligato.errors import InputError, Span
from obligato.models.ts_reduce import sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.status import TraceStatus

if TYPE_CHECKING:
    from obligato.frontends.registry import Language
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_claims import SystemTrace
    from obligato.results.outcome import Outcome, TraceReport


def with_witness(
    run: Run, system: TransitionSystem, trace: SystemTrace, violated: str, report: TraceReport
) -> TraceReport:
    """The report of a confirmed trace with its witness, where one is wanted and the language has a
    format for it.
    """
    write, read = run.language.hook("write_witness"), run.language.hook("read_witness")
    if not run.request.witness or write is None or read is None:
        return report
    text = write(system, "false", trace, violated)
    again = check_system_trace(
        system, read(system, text, "the witness"), run.links(sorts_of(system)), run.tick
    )
    if again.status is not TraceStatus.CONFIRMED:
        raise Rejected(f"the witness was rejected: {again.reason}", trace)
    return replace(report, witness=text)


def read_witness(
    language: Language, system: TransitionSystem, text: str, witness: str
) -> SystemTrace:
    """The trace of a witness for a system as it was loaded."""
    read = language.hook("read_witness")
    if read is None:
        raise InputError(
            "there is no witness format for this kind of input; give the JSON outcome",
            Span(witness, 1, 1),
        )
    trace: SystemTrace = read(system, text, witness)
    return trace


def witness_text(language: Language, outcome: Outcome) -> str:
    """The witness of an outcome. Requires: the language has a format for it, and a witness was
    asked for.
    """
    if outcome.trace is not None:
        return outcome.trace.witness
    write = language.hook("write_witness")
    assert write is not None
    text: str = write(None, outcome.verdict.value, None, "")
    return text
