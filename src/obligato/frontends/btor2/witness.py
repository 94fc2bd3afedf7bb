"""BTOR2 witnesses [NPWB18]: the run that violates a property, as the tools of the competition
exchange it.

    sat / b0 / #0 and lines "number value symbol" for states / @0 and such lines for inputs / @1 ...
    / .

States are given in frame #0, those without `next` in later frames too; an array that `init` gives
is left out, as it may be of 2^32 cells that are not 0; another one by lines "number [index] value
symbol", one for each element that is not 0, or where these are too many, for each that the run
reads. Values are binary; x stands for any bit and is read as 0. The step to which the last one of a
lasso leads back is named after the point: `; loop 3`. Only the first witness of a file is read.
"""

from __future__ import annotations

import re
from typing import Any

from obligato.errors import InputError, Span
from obligato.frontends.btor2.reader import Btor2Model
from obligato.models.live_claims import Lasso
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms import (
    BOOL,
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    Value,
    conjuncts,
    default_value,
    evaluate,
    postorder,
)

ALL = 16  # bits of an index: of such an array all elements are given
_LINE = re.compile(r"(\d+)\s+(?:\[([01x]+)\]\s+)?([01x]+)(?:\s.*)?\Z")


def witness_text(model: Btor2Model, trace: SystemTrace | Lasso, violated: str) -> str:
    """The witness of a complete trace or lasso that violates the property `violated`."""
    lines = ["sat", violated.replace("bad", "b").replace("justice", "j")]
    places = _Places(model, trace)
    started = {
        f.args[0]
        for f in conjuncts(model.system.init)
        if f.op is Op.EQ and f.args[0].sort.kind is Kind.ARRAY
    }
    for time, step in enumerate(trace.steps):
        states = [
            (n, x)
            for n, x in enumerate(model.states)
            if (time == 0 and x not in started) or x in model.free
        ]
        if states:
            lines.append(f"#{time}")
            lines += [
                text
                for n, x in states
                for text in _lines(n, x, step.state[x.name], f"#{time}", places)
            ]
        lines.append(f"@{time}")
        lines += [
            text
            for n, i in enumerate(model.inputs)
            for text in _lines(n, i, step.inputs[i.name], f"@{time}", places)
        ]
    end = [".", *([f"; loop {trace.loop}"] if isinstance(trace, Lasso) else [])]
    return "\n".join([*lines, *end]) + "\n"


class _Places:
    """Which elements of an array a witness gives."""

    def __init__(self, model: Btor2Model, trace: SystemTrace | Lasso) -> None:
        self.system, self.trace = model.system, trace
        self._read: dict[Sort, dict[Value, None]] | None = None  # by the sort of the index

    def of(self, value: ArrayValue, sort: Sort) -> list[Any]:
        """All that are not 0; of a large array that is not 0 almost everywhere, those that differ
        and those that are read.
        """
        if value.default == 0:
            return sorted(value.entries, key=int)
        if sort.index.width <= ALL:
            return list(range(1 << sort.index.width))
        if self._read is None:
            self._read = self._reads()
        return sorted({**value.entries, **self._read.get(sort.index, {})}, key=int)

    def _reads(self) -> dict[Sort, dict[Value, None]]:
        system = self.system
        formulas = [
            system.init,
            *system.constraints,
            *(p.formula for p in system.assertions),
            *(system.next or {}).values(),
        ]
        indices = dict.fromkeys(t.args[1] for t in postorder(formulas) if t.op is Op.SELECT)
        out: dict[Sort, dict[Value, None]] = {}
        for step in self.trace.steps:
            now = {x: step.state[x.name] for x in system.state} | {
                i: step.inputs[i.name] for i in system.inputs
            }
            memo: dict[Term, Value] = {}
            for t in indices:
                out.setdefault(t.sort, {})[evaluate(t, now, memo)] = None
        return out


def _lines(number: int, variable: Term, value: Value, suffix: str, places: _Places) -> list[str]:
    symbol = "".join("_" if c.isspace() else c for c in variable.name) + suffix
    if variable.sort.kind is not Kind.ARRAY:
        return [f"{number} {_bits(value, variable.sort)} {symbol}"]
    assert isinstance(value, ArrayValue)
    sort = variable.sort
    return [
        f"{number} [{_bits(i, sort.index)}] {_bits(value.get(i), sort.element)} {symbol}"
        for i in places.of(value, sort)
    ]


def _bits(value: Value, sort: Sort) -> str:
    assert isinstance(value, int)
    return f"{int(value):0{1 if sort is BOOL else sort.width}b}"


def of_verdict(
    system: TransitionSystem | None, verdict: str, trace: SystemTrace | Lasso | None, violated: str
) -> str:
    """The witness of a verdict: the run of a violation, else a word."""
    if system is None or trace is None:
        return {"true": "unsat\n", "unknown": "unknown\n"}[verdict]
    return witness_text(system.source, trace, violated)


def for_system(system: TransitionSystem, text: str, witness: str) -> SystemTrace:
    """The run that the `text` of the file `witness` describes, for a system that was loaded."""
    return read_witness(system.source, text, witness)


def read_witness(model: Btor2Model, text: str, file: str = "") -> SystemTrace:
    """The trace that a witness describes."""
    return _Reader(model, file).read(text)


class _Reader:
    def __init__(self, model: Btor2Model, file: str) -> None:
        self.model, self.file = model, file
        self.states: list[dict[str, Value]] = []
        self.inputs: list[dict[str, Value]] = []
        self.given: dict[tuple[int, str, str | None], str] = {}  # by frame, name and place
        self.number = 0

    def _fail(self, message: str) -> InputError:
        return InputError(message, Span(self.file, self.number, 1))

    def read(self, text: str) -> SystemTrace:
        """Read all frames."""
        lines = [line.strip() for line in text.split("\n")]
        if not lines or lines[0] != "sat":
            self.number = 1
            raise self._fail("a BTOR2 witness begins with sat")
        frame: tuple[tuple[Term, ...], dict[str, Value]] | None = None
        for self.number, line in enumerate(lines[1:], 2):
            if line == ".":
                return self._trace()
            if not line or line.startswith(";") or (frame is None and line[0] in "bj"):
                continue
            if line[0] in "#@":
                frame = self._frame(line)
            elif frame is None:
                raise self._fail("an assignment outside any frame")
            else:
                self._assign(line, *frame)
        raise self._fail("the last line of a witness is a single dot, and this one has none")

    def _frame(self, line: str) -> tuple[tuple[Term, ...], dict[str, Value]]:
        time = line[1:]
        if not (time.isascii() and time.isdigit()) or len(time) > 9 or int(time) > self.number:
            raise self._fail(f"{line[:40]!r} is no frame")
        for table in (self.states, self.inputs):
            while len(table) <= int(time):
                table.append({})
        return (
            (self.model.states, self.states[int(time)])
            if line[0] == "#"
            else (self.model.inputs, self.inputs[int(time)])
        )

    def _assign(self, line: str, variables: tuple[Term, ...], values: dict[str, Value]) -> None:
        match = _LINE.match(line)
        if match is None or len(match[1]) > 9 or int(match[1]) >= len(variables):
            raise self._fail(f"{line[:40]!r} is no assignment to a variable of the system")
        x = variables[int(match[1])]
        if self.given.setdefault((id(values), x.name, match[2]), match[3]) != match[3]:
            raise self._fail(f"{x.name} has another value in this frame already")
        if x.sort.kind is not Kind.ARRAY:
            values[x.name] = self._value(match[3], x.sort)
            return
        if match[2] is None:
            raise self._fail("an array is given element by element")
        old = values.get(x.name, default_value(x.sort))
        assert isinstance(old, ArrayValue)
        values[x.name] = old.set(
            self._value(match[2], x.sort.index), self._value(match[3], x.sort.element)
        )

    def _value(self, bits: str, sort: Sort) -> Value:
        if len(bits) != (1 if sort is BOOL else sort.width):
            raise self._fail(f"{bits[:40]} has {len(bits)} bits")
        number = int(bits.replace("x", "0"), 2)
        return bool(number) if sort is BOOL else number

    def _trace(self) -> SystemTrace:
        model = self.model
        inputs = [dict(values) for values in self.inputs]
        for time, values in enumerate(self.states[1:]):
            inputs[time].update(
                {i.name: values[x.name] for x, i in model.free.items() if x.name in values}
            )
        if not inputs:
            raise self._fail("the witness has no frames")
        first = dict(self.states[0])
        first.update(
            {x.name: inputs[0][i.name] for i, x in model.kept.items() if i.name in inputs[0]}
        )
        # arrays are given in part
        plain = {x.name for x in model.states if x.sort.kind is not Kind.ARRAY}
        later = [{n: v for n, v in values.items() if n in plain} for values in self.states[1:]]
        return SystemTrace(
            tuple(SystemStep(*step) for step in zip((first, *later), inputs, strict=True))
        )
