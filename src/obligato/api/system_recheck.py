"""`obligato check` for transition systems: the claim is a JSON outcome, or a witness in the format that goes with the input."""

from __future__ import annotations

from typing import Any

from obligato.api.pipeline import Report
from obligato.api.reading import AIGER_SUFFIXES, BTOR2_SUFFIXES
from obligato.api.recheck import MAX_K, Formulas, read_outcome
from obligato.api.request import Request
from obligato.api.system_pipeline import SystemRun
from obligato.errors import InputError, Span, Unsupported
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemStep, SystemTrace
from obligato.results.outcome import Outcome
from obligato.results.values import from_json, whole
from obligato.terms import TermStore, Value


class SystemRecheck(SystemRun):
    """A run on a transition system whose engine is a file."""

    def __init__(self, request: Request, report: Report, claim: str) -> None:
        super().__init__(request, report)
        self.claim = claim

    def _search(self) -> Outcome:
        text = _text(self.claim)
        if not text.lstrip().startswith("{"):
            return self._confirmed(read_witness(self.request.file, text, self.claim))
        data = read_outcome(self.claim)
        if data.get("certificate"):
            return self._certified_system(read_certificate(self.system, data["certificate"], self.claim))
        if not data.get("trace"):
            raise InputError("there is neither a certificate nor a trace in it", Span(self.claim))
        return self._confirmed(read_trace(self.system, data["trace"], self.claim))


def _text(file: str) -> str:
    from obligato.frontends.btor2.reader import read_text

    return read_text(file)


def read_certificate(system: TransitionSystem, data: Any, file: str) -> SystemCertificate:
    """A certificate from its JSON; formulas over other symbols than the state's are refused."""
    try:
        (invariant,) = data["invariants"]
        distinct = tuple(map(str, data.get("distinct", ())))
        k, text = whole(data["k"], MAX_K), str(invariant["formula"])
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem
    return SystemCertificate(Formulas(system.state, TermStore.raw()).read(text), k, distinct)


def read_trace(system: TransitionSystem, data: Any, file: str) -> SystemTrace:
    """A trace from its JSON: start values, then what has changed and the inputs."""
    sorts = {v.name: v.sort for v in (*system.state, *system.inputs)}

    def values(table: Any) -> dict[str, Value]:
        return {name: from_json(value, sorts[name]) for name, value in table.items()}

    try:
        state = values(data["initial"])
        steps = []
        for step in data["steps"]:
            state = {**state, **values(step["assignments"])}
            steps.append(SystemStep(state, values(step["inputs"])))
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed trace: {problem!r}", Span(file)) from problem
    return SystemTrace(tuple(steps))


def read_witness(file: str, text: str, witness: str) -> SystemTrace:
    """The trace of a witness for the system in `file`."""
    from obligato.frontends import aiger, btor2
    from obligato.frontends.aiger.reader import read_bytes
    from obligato.frontends.btor2.reader import read_text

    if file.endswith(BTOR2_SUFFIXES):
        return btor2.read_witness(btor2.read(read_text(file), file), text, witness)
    if file.endswith(AIGER_SUFFIXES):
        return aiger.read_witness(aiger.read(read_bytes(file), file), text, witness)
    raise Unsupported("there is no witness format for this kind of input; give the JSON outcome", Span(witness), "witness")
