"""The witness of an outcome about a transition system, in the format that goes with its input (BTOR2, AIGER)."""

from __future__ import annotations

from dataclasses import asdict

from obligato.api.reading import AIGER_SUFFIXES, BTOR2_SUFFIXES
from obligato.api.system_recheck import read_trace
from obligato.errors import ConfigError
from obligato.results.outcome import Outcome, Verdict

_WITHOUT_RUN = {Verdict.TRUE: ("unsat", "0"), Verdict.UNKNOWN: ("unknown", "2")}


def witness_text(outcome: Outcome) -> str:
    """The witness: the run of a violation, else the verdict as the format spells it."""
    from obligato.frontends import aiger, btor2
    from obligato.frontends.aiger.reader import read_bytes
    from obligato.frontends.btor2.reader import read_text

    file, trace = outcome.file, outcome.trace
    if not file.endswith((*BTOR2_SUFFIXES, *AIGER_SUFFIXES)):
        raise ConfigError("there is no witness format for this kind of input; --json has everything")
    words = file.endswith(BTOR2_SUFFIXES)
    if trace is None:
        in_btor2, in_aiger = _WITHOUT_RUN[outcome.verdict]
        return f"{in_btor2}\n" if words else f"{in_aiger}\nb0\n.\n"
    violated = trace.violation.split()[1]
    if words:
        model = btor2.read(read_text(file), file)
        return btor2.witness_text(model, read_trace(model.system, asdict(trace), file), violated)
    circuit = aiger.read(read_bytes(file), file)
    return aiger.witness_text(circuit, read_trace(circuit.system, asdict(trace), file), violated)
