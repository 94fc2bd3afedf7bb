"""`obligato check` for transition systems: the claim is a JSON outcome, or a witness in the format
that goes with the input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from obligato.api.recheck import MAX_K, Formulas, read_index
from obligato.errors import InputError, Span
from obligato.models.ctl_claims import Bounds
from obligato.models.live_claims import Lasso, LiveCertificate
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemStep, SystemTrace
from obligato.results.values import from_json, whole
from obligato.terms import Term, TermStore, Value

MAX_LENGTH = 100_000_000  # steps of a lasso
SystemClaim = SystemCertificate | SystemTrace | LiveCertificate | Lasso | Bounds


def read_claim(system: TransitionSystem, data: Mapping[str, Any], file: str) -> SystemClaim:
    """The certificate or trace in a JSON object; the object has one of them."""
    which = "certificate" if data.get("certificate") else "trace"
    kind = data[which].get("kind", which) if isinstance(data[which], dict) else which
    if kind not in READERS:
        raise InputError(f"a {which} of the unknown kind {str(kind)[:60]!r}", Span(file))
    return READERS[kind](system, data[which], file)


def violated(system: TransitionSystem, data: Mapping[str, Any], file: str) -> list[str]:
    """The property that the trace in a JSON object says it violates; none: it does not say, or
    there is no trace.
    """
    trace = data.get("trace")
    told = trace.get("violation") if isinstance(trace, dict) else None
    names = [p.name for p in system.properties if told in violations(system, p.name)]
    if told and not names:
        raise InputError(
            f"the trace violates {str(told)[:60]!r}, and no such property is asked for", Span(file)
        )
    return names


def witnessed(text: str) -> list[str]:
    """The properties that the head of a witness (sat or 1, then b0 b1 ... or j0) names."""
    for line in text.split("\n"):
        names = re.findall(r"(?<!\S)([bj])([0-9]{1,9})(?!\S)", line)
        if names:
            return [f"{'bad' if letter == 'b' else 'justice'}{n}" for letter, n in names]
        if line.strip() not in ("sat", "1", ""):
            break
    return []


def violations(system: TransitionSystem, name: str) -> tuple[str, ...]:
    """How a report says that a property is violated (api.describe_system)."""
    return f"property {name}", f"property {name} ({system.display.get(name)})"


def read_certificate(system: TransitionSystem, data: Any, file: str) -> SystemCertificate:
    """A certificate from its JSON; formulas over other symbols than the state's are refused."""
    if not system.assertions:
        raise InputError(
            "an inductive certificate proves assertions about states, and none is asked for",
            Span(file),
        )
    try:
        # the second one, if there is one, is about successive states
        invariant, *step = data["invariants"]
        distinct = tuple(map(str, data.get("distinct", ())))
        k, text = whole(data["k"], MAX_K), str(invariant["formula"])
        related = [str(i["formula"]) for i in step]
        store = TermStore.raw()
        indices, places, differences = _read_indices(system, data, store)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise InputError(f"malformed certificate: {problem!r}", Span(file)) from problem
    if len(related) > 1:
        raise InputError(
            "malformed certificate: it has more than an invariant and a relation of successive"
            " states",
            Span(file),
        )
    invariants = Formulas((*system.state, *indices), store).read(text)
    relation = (
        Formulas((*system.state, *system.primed.values()), store).read(related[0])
        if related
        else None
    )
    return SystemCertificate(invariants, k, distinct, relation, indices, places, differences)


Terms = tuple[Term, ...]


def _read_indices(
    system: TransitionSystem, data: Any, store: TermStore
) -> tuple[Terms, tuple[Terms, ...], tuple[tuple[Term, Term, Term], ...]]:
    """The indices of a certificate, their places, and where arrays differ."""
    indices = tuple(
        p for told in data.get("indices", ()) if (p := read_index(told, store)) is not None
    )
    where = [
        (w, told)
        for told in data.get("differences", ())
        if (w := read_index(told, store)) is not None
    ]
    reader = Formulas(
        (*system.state, *system.inputs, *system.primed.values(), *indices, *(w for w, _ in where)),
        store,
    )
    places = tuple(tuple(reader.read(str(t)) for t in told) for told in data.get("places", ()))
    differences = tuple(
        (w, reader.read(str(told["left"])), reader.read(str(told["right"]))) for w, told in where
    )
    return indices, places, differences


def read_run(system: TransitionSystem, data: Any, file: str) -> SystemTrace | Lasso:
    """A trace or, where it says to which step it leads back, a lasso."""
    trace = read_trace(system, data, file)
    loop = data.get("loop")
    if not system.temporal:
        return trace
    if not isinstance(loop, int) or isinstance(loop, bool):
        raise InputError("the trace of an infinite run must say where its loop begins", Span(file))
    return Lasso(_all_steps(trace, data.get("length"), file), loop)


def _all_steps(trace: SystemTrace, length: Any, file: str) -> tuple[SystemStep, ...]:
    """The steps of a lasso; of a long one the first are given, and the inputs stay those of the
    last of them.
    """
    if length is None:
        return trace.steps
    if (
        not isinstance(length, int)
        or isinstance(length, bool)
        or not len(trace.steps) <= length <= MAX_LENGTH
    ):
        raise InputError(
            "malformed trace: its length must be a number of steps, not less than those given",
            Span(file),
        )
    return trace.steps + (SystemStep({}, trace.steps[-1].inputs),) * (length - len(trace.steps))


def read_proof(system: TransitionSystem, data: Any, file: str) -> LiveCertificate:
    """A proof about infinite runs."""
    from obligato.api.live_search import read_proof

    if not system.temporal:
        raise InputError(
            "the proof is about infinite runs, and no property about those is asked for", Span(file)
        )
    return read_proof(system, data, file)


def read_bounds(system: TransitionSystem, data: Any, file: str) -> Bounds:
    """The bounds of a formula of branching time."""
    from obligato.api.ctl_search import read_bounds

    if not system.branching:
        raise InputError(
            "the bounds prove a formula of branching time, and none is asked for", Span(file)
        )
    return read_bounds(system, data, file)


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


# by the kind that JSON says
READERS: dict[str, Callable[[TransitionSystem, Any, str], SystemClaim]] = {
    "inductive": read_certificate,
    "k-inductive": read_certificate,
    "certificate": read_certificate,  # of no kind
    "trace": read_run,
    "walls": read_proof,
    "saved": read_proof,
    "counted": read_proof,
    "ranks": read_proof,
    "branching": read_bounds,
}
