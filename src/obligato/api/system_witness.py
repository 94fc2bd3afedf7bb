"""The witness of an outcome about a transition system: the run of a violation, else the verdict as the format spells it."""

from __future__ import annotations

from dataclasses import asdict

from obligato.api.system_recheck import read_trace
from obligato.errors import ConfigError
from obligato.frontends import aiger, btor2
from obligato.frontends.aiger.reader import read_bytes
from obligato.frontends.btor2.reader import read_text
from obligato.frontends.registry import find_language
from obligato.results.outcome import Outcome, Verdict


def witness_text(outcome: Outcome) -> str:
    """The witness in the format that goes with the input."""
    language = find_language(outcome.file)
    write = None if language is None else language.hook("write_witness")
    if write is None:
        raise ConfigError("there is no witness format for this kind of input; --json has everything")
    text: str = write(outcome)
    return text


def btor2_witness(outcome: Outcome) -> str:
    """The witness of a BTOR2 file [NPWB18]."""
    if outcome.trace is None:
        return {Verdict.TRUE: "unsat\n", Verdict.UNKNOWN: "unknown\n"}[outcome.verdict]
    model = btor2.read(read_text(outcome.file), outcome.file)
    return btor2.witness_text(model, read_trace(model.system, asdict(outcome.trace), outcome.file), _violated(outcome))


def aiger_witness(outcome: Outcome) -> str:
    """The witness of an AIGER file [BHW11]."""
    if outcome.trace is None:
        return {Verdict.TRUE: "0\nb0\n.\n", Verdict.UNKNOWN: "2\nb0\n.\n"}[outcome.verdict]
    circuit = aiger.read(read_bytes(outcome.file), outcome.file)
    return aiger.witness_text(circuit, read_trace(circuit.system, asdict(outcome.trace), outcome.file), _violated(outcome))


def _violated(outcome: Outcome) -> str:
    """The name of the property that a trace violates. Requires: there is a trace."""
    assert outcome.trace is not None
    return outcome.trace.violation.split()[1]
