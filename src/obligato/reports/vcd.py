"""VCD (value change dump), for waveform viewers: a run of hardware or of Lustre;
one step takes ten units of time.

Bit-vectors have their widths, Booleans one bit, integers as many bits as their values need (32 at
least). Reals are doubles, which may round; other values are texts, which viewers such as GTKWave
know. Arrays are left out; a comment names them. So are signals whose names begin with $, which a
translator has made.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from obligato.frontends.registry import InputKind, find_language
from obligato.reports.escaped import plain_name
from obligato.results.outcome import Outcome, TraceReport
from obligato.results.values import to_text

STEP = 10
Rows = dict[str, list[Any]]


def vcd_text(outcome: Outcome) -> str:
    """The waveform of a run; a comment where there is none."""
    trace = outcome.trace
    language = find_language(outcome.file)
    program = language is not None and language.kind is not InputKind.SYSTEM
    if trace is None or not trace.steps or (program and not trace.streams):
        return f"$comment There is no run of a system: {outcome.verdict.value} $end\n"
    rows = _streams(trace) if trace.streams else _states(trace)
    left_out = [
        plain_name(n) for n, values in rows.items() if any(isinstance(v, dict) for v in values)
    ]
    # $...: made by a translator
    own = {n: values for n, values in rows.items() if not n.startswith("$") or len(rows) == 1}
    signals = {
        n: _Signal(values, trace.widths.get(n, 0))
        for n, values in own.items()
        if plain_name(n) not in left_out
    }
    return "\n".join([*_header(signals, left_out), *_changes(signals, len(trace.steps)), ""])


def _streams(trace: TraceReport) -> Rows:
    return {x.name: [_value(v) for v in x.values] for x in trace.streams}


def _value(text: str) -> Any:
    """The value that a text of a stream stands for."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def _states(trace: TraceReport) -> Rows:
    """All states and inputs, by step; None where an input has no value."""
    state = dict(trace.initial)
    rows: Rows = {
        name: [] for name in (*state, *dict.fromkeys(n for s in trace.steps for n in s.inputs))
    }
    for step in trace.steps:
        state |= step.assignments
        for name, values in rows.items():
            values.append(state.get(name, step.inputs.get(name)))
    return rows


class _Signal:
    """One variable of the dump."""

    def __init__(self, values: list[Any], width: int) -> None:
        known = [v for v in values if v is not None]
        self.values = values
        if all(isinstance(v, bool) for v in known) and known:
            self.kind, self.width = "wire", 1
        elif all(isinstance(v, int) for v in known):
            needed = max((v.bit_length() + 1 for v in known), default=1)
            self.kind, self.width = ("wire", width) if width else ("integer", max(32, needed))
        elif all(isinstance(v, int | Fraction) or _is_number(v) for v in known):
            self.kind, self.width = "real", 64
        else:
            self.kind, self.width = "string", 1

    def change(self, value: Any, code: str) -> str:
        """The line that gives the variable a value."""
        if self.kind == "real":
            return f"r{float(Fraction(value)) if value is not None else 0.0!r} {code}"
        if self.kind == "string":
            return f"s{plain_name('?' if value is None else to_text(value))} {code}"
        bits = "x" if value is None else f"{int(value) % (1 << self.width):b}"
        return f"{bits}{code}" if self.width == 1 else f"b{bits} {code}"


def _is_number(value: Any) -> bool:
    try:
        Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError):
        return False
    return True


def _code(n: int) -> str:
    """The n-th identifier: visible ASCII."""
    text = ""
    while True:
        n, digit = divmod(n, 94)
        text += chr(33 + digit)
        if n == 0:
            return text
        n -= 1


def _header(signals: dict[str, _Signal], left_out: list[str]) -> Iterator[str]:
    yield "$version Obligato $end"
    if left_out:
        yield f"$comment arrays are left out: {' '.join(left_out)} $end"
    yield "$timescale 1 ns $end"
    yield "$scope module run $end"
    taken: dict[str, None] = {}
    for n, (name, signal) in enumerate(signals.items()):
        short, k = plain_name(name), 1
        while short in taken:
            k += 1
            short = f"{plain_name(name)}_{k}"
        taken[short] = None
        yield f"$var {signal.kind} {signal.width} {_code(n)} {short} $end"
    yield "$upscope $end"
    yield "$enddefinitions $end"


def _changes(signals: dict[str, _Signal], steps: int) -> Iterator[str]:
    before: dict[int, str] = {}
    for step in range(steps):
        yield f"#{step * STEP}"
        for n, signal in enumerate(signals.values()):
            line = signal.change(
                signal.values[step] if step < len(signal.values) else None, _code(n)
            )
            if before.get(n) != line:
                yield line
            before[n] = line
    yield f"#{steps * STEP}"
