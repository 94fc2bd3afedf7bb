"""AIGER witnesses [BHW11]: `1`, the violated property, the latches at first, the inputs of each
step, and a point.

The state after the last step of a lasso is that of an earlier step, which is named in a comment
after the point: `c loop 3`. A property that holds is `0`, an open one `2`. x stands for any value
and is read as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obligato.errors import InputError, Span
from obligato.models.live_claims import Lasso
from obligato.models.ts_claims import SystemStep, SystemTrace

if TYPE_CHECKING:
    from obligato.frontends.aiger.reader import AigerModel
    from obligato.models.transition_system import TransitionSystem
    from obligato.terms import Term, Value


def witness_text(model: AigerModel, trace: SystemTrace | Lasso, violated: str) -> str:
    """The witness of a complete trace or lasso that violates the property `violated`."""
    system = model.system

    def bits(variables: tuple[Term, ...], step: SystemStep, state: bool) -> str:
        return "".join(
            "1" if (step.state if state else step.inputs)[v.name] else "0" for v in variables
        )

    name = violated.replace("bad", "b").replace("justice", "j")
    lines = ["1", name, bits(system.state, trace.steps[0], True)]
    end = [".", *([f"c loop {trace.loop}"] if isinstance(trace, Lasso) else [])]
    return "\n".join([*lines, *(bits(system.inputs, s, False) for s in trace.steps), *end]) + "\n"


def of_verdict(
    system: TransitionSystem | None, verdict: str, trace: SystemTrace | Lasso | None, violated: str
) -> str:
    """The witness of a verdict: the run of a violation, else a number."""
    if system is None or trace is None:
        return {"true": "0\nb0\n.\n", "unknown": "2\nb0\n.\n"}[verdict]
    return witness_text(system.source, trace, violated)


def for_system(system: TransitionSystem, text: str, witness: str) -> SystemTrace:
    """The run that the `text` of the file `witness` describes, for a system that was loaded."""
    return read_witness(system.source, text, witness)


def read_witness(model: AigerModel, text: str, file: str = "") -> SystemTrace:
    """The trace that a witness describes."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.strip() == "1"), None)
    if start is None:
        raise InputError("an AIGER witness of a violation begins with 1", Span(file, 1, 1))
    body = lines[start + 1 :]
    while body and body[0][:1] in ("b", "j", "c", "o"):
        body, start = body[1:], start + 1
    end = next((n for n, line in enumerate(body) if line.strip() == "."), None)
    if end is None or end < 1:
        raise InputError(
            "the last line of a witness is a single dot, and this one has none",
            Span(file, len(lines), 1),
        )
    first = _values(model.system.state, body[0], file, start + 2)
    known: dict[str, SystemStep] = {}  # equal lines share a step: there may be millions
    for n, line in enumerate(body[1:end]):
        if line not in known:
            known[line] = SystemStep({}, _values(model.system.inputs, line, file, start + 3 + n))
    steps = [known[line] for line in body[1:end]]
    return SystemTrace((*(SystemStep(first, step.inputs) for step in steps[:1]), *steps[1:]))


def _values(variables: Sequence[Term], line: str, file: str, number: int) -> dict[str, Value]:
    bits = line.strip()
    if len(bits) != len(variables) or bits.strip("01x"):
        raise InputError(f"a line of {len(variables)} bits is needed", Span(file, number, 1))
    return {v.name: bit == "1" for v, bit in zip(variables, bits, strict=True)}
