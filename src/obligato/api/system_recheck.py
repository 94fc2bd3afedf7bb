"""`obligato check` for transition systems: the claim is a JSON outcome, or a witness in the format that goes with the input."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from obligato.api.pipeline import Report
from obligato.api.recheck import MAX_K, Formulas, read_outcome
from obligato.api.request import Request
from obligato.api.system_pipeline import SystemRun
from obligato.errors import InputError, Span
from obligato.frontends.registry import language_of
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
            self._only(witnessed(text))
            return self._confirmed(read_witness(self.request.file, text, self.claim))
        data = read_outcome(self.claim)
        if data.get("certificate"):
            return self._certified_system(read_certificate(self.system, data["certificate"], self.claim))
        if not data.get("trace"):
            raise InputError("there is neither a certificate nor a trace in it", Span(self.claim))
        self._only(self._violated(data["trace"]))
        return self._confirmed(read_trace(self.system, data["trace"], self.claim))

    def _violated(self, trace: Any) -> list[str]:
        """The property that a trace says it violates; none: it does not say."""
        told = trace.get("violation") if isinstance(trace, dict) else None
        names = [p.name for p in self.system.properties if told in violations(self.system, p.name)]
        if told and not names:
            raise InputError(f"the trace is about {str(told)[:60]!r}, which is no property that is asked for", Span(self.claim))
        return names

    def _only(self, names: list[str]) -> None:
        """What a claim says about one property is judged by this one. Requires: the system has no others than asked for."""
        chosen = tuple(p for p in self.system.properties if p.name in names)
        if names and not chosen:
            raise InputError(f"the witness is about {names[0]}, which is no property that is asked for", Span(self.claim))
        self.system = replace(self.system, properties=chosen or self.system.properties)


def witnessed(text: str) -> list[str]:
    """The properties that the head of a witness (sat or 1, then b0 b1 ...) names."""
    for line in text.split("\n"):
        names = re.findall(r"(?<!\S)b([0-9]{1,9})(?!\S)", line)
        if names:
            return [f"bad{n}" for n in names]
        if line.strip() not in ("sat", "1", ""):
            break
    return []


def violations(system: TransitionSystem, name: str) -> tuple[str, ...]:
    """How a report says that a property is violated (api.describe_system)."""
    return f"property {name}", f"property {name} ({system.display.get(name)})"


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
    read = language_of(file).hook("read_witness")
    if read is None:
        raise InputError("there is no witness format for this kind of input; give the JSON outcome", Span(witness, 1, 1))
    trace: SystemTrace = read(file, text, witness)
    return trace
