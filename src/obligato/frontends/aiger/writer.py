"""Writes a transition system over Booleans and bit-vectors as AIGER 1.9 [BHW11], ascii or binary.

The system is rewritten to a circuit (`frontends.functional`) and blasted to gates; gates of other
kinds become two-input ands (`_And`). Variables are numbered as the binary format wants it: inputs,
latches, then gates, inputs of a gate before it. A word's bits are named ``name[i]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.frontends.functional import circuit, justices, with_justice_only
from obligato.smt.blast import BlastContext
from obligato.smt.blast.gates import AND, ITE, MAJ, XOR, XOR3
from obligato.terms import BOOL, Term

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem


@dataclass(slots=True)
class _Aig:
    """An and-inverter graph under construction; literals are AIGER's."""

    inputs: list[tuple[int, str]]
    latches: list[tuple[int, int, int, str]]  # literal, next, reset, name
    bad: list[tuple[int, str]]
    constraints: list[int]
    justice: list[tuple[list[int], str]]
    fairness: list[int]
    gates: list[tuple[int, int, int]]


def aiger_bytes(system: TransitionSystem, binary: bool = True) -> bytes:
    """The system in AIGER."""
    aig = _build(with_justice_only(system))
    counts = [
        len(aig.inputs),
        len(aig.latches),
        0,
        len(aig.gates),
        len(aig.bad),
        len(aig.constraints),
    ]
    counts += [len(aig.justice), len(aig.fairness)] if aig.justice else []
    maximum = counts[0] + counts[1] + counts[3]
    lines = [f"{'aig' if binary else 'aag'} {maximum} {' '.join(map(str, counts))}"]
    if not binary:
        lines += [str(literal) for literal, _ in aig.inputs]
    for literal, next_, reset, _ in aig.latches:
        lines.append(f"{next_} {reset}" if binary else f"{literal} {next_} {reset}")
    lines += [str(b) for b, _ in aig.bad] + [str(c) for c in aig.constraints]
    lines += [str(len(sets)) for sets, _ in aig.justice] + [
        str(f) for sets, _ in aig.justice for f in sets
    ]
    lines += [str(f) for f in aig.fairness] if aig.justice else []
    body = ("\n".join(lines) + "\n").encode("ascii")
    gates = (
        _binary_gates(aig.gates)
        if binary
        else "".join(f"{g} {a} {b}\n" for g, a, b in aig.gates).encode("ascii")
    )
    return body + gates + _symbols(aig).encode("utf-8")


def _symbols(aig: _Aig) -> str:
    named = [(f"i{n}", name) for n, (_, name) in enumerate(aig.inputs)]
    named += [(f"l{n}", name) for n, (_, _, _, name) in enumerate(aig.latches)]
    named += [(f"b{n}", name) for n, (_, name) in enumerate(aig.bad)]
    named += [(f"j{n}", name) for n, (_, name) in enumerate(aig.justice)]
    return "".join(f"{key} {' '.join(name.split())}\n" for key, name in named)


def _binary_gates(gates: list[tuple[int, int, int]]) -> bytes:
    out = bytearray()
    for g, a, b in gates:
        for delta in (g - a, a - b):
            while delta > 127:
                out.append(delta & 127 | 128)
                delta >>= 7
            out.append(delta)
    return bytes(out)


def _build(system: TransitionSystem) -> _Aig:
    c, context = circuit(system), BlastContext()
    inputs = [bit for i in c.inputs for bit in _named(i, context)]
    latches = [
        (gate, name, then)
        for x, e in c.next.items()
        for (gate, name), then in zip(_named(x, context), _word(e, context), strict=True)
    ]
    resets = {
        gate: 1 if value == 1 else 0
        for x, v in c.start.items()
        for gate, value in zip(_word(x, context), _word(v, context), strict=True)
    }
    numbers = {
        gate: 2 * n for n, gate in enumerate([g for g, _ in inputs] + [g for g, _, _ in latches], 1)
    }
    ands = _And(context, numbers)
    made = [
        (numbers[g], ands.literal(then), resets.get(g, numbers[g]), name)
        for g, name, then in latches
    ]

    def literals(formulas: Iterable[Term]) -> list[int]:
        return [ands.literal(context.literal(f)) for f in formulas]

    shown = system.display
    return _Aig(
        [(numbers[g], name) for g, name in inputs],
        made,
        [
            (ands.literal(-context.literal(p.formula)), shown.get(p.name, p.name))
            for p in system.assertions
        ],
        literals(c.constraints),
        [(literals(p.sets), shown.get(p.name, p.name)) for p in justices(system)],
        literals(system.fairness),
        ands.gates,
    )


def _word(t: Term, context: BlastContext) -> tuple[int, ...]:
    """The gates of the bits of a term."""
    return (context.literal(t),) if t.sort is BOOL else context.word(t)


def _named(t: Term, context: BlastContext) -> list[tuple[int, str]]:
    """The gates of the bits of a variable, with names."""
    return [
        (gate, t.name if t.sort is BOOL else f"{t.name}[{i}]")
        for i, gate in enumerate(_word(t, context))
    ]


class _And:
    """Gates as two-input ands."""

    def __init__(self, context: BlastContext, numbers: dict[int, int]) -> None:
        self.kinds, self.inputs = context.gates.kinds, context.gates.inputs
        self.known = {**numbers, 1: 1}
        self.first = len(numbers)
        self.gates: list[tuple[int, int, int]] = []
        self._made: dict[tuple[int, int], int] = {}

    def literal(self, literal: int) -> int:
        """AIGER's literal of one of the context's."""
        stack = [abs(literal)]
        while stack:
            gate = stack[-1]
            pending = (
                []
                if gate in self.known
                else [abs(x) for x in self.inputs[gate] if abs(x) not in self.known]
            )
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            if gate not in self.known:
                self.known[gate] = self._gate(
                    self.kinds[gate], [self._known(x) for x in self.inputs[gate]]
                )
        return self._known(literal)

    def _known(self, literal: int) -> int:
        return self.known[abs(literal)] ^ (literal < 0)

    def _gate(self, kind: int, ins: list[int]) -> int:
        if kind == AND:
            acc = ins[0]
            for x in ins[1:]:
                acc = self.both(acc, x)
            return acc
        if kind in (XOR, XOR3):
            acc = ins[0]
            for x in ins[1:]:
                acc = self._either(self.both(acc, x ^ 1), self.both(acc ^ 1, x))
            return acc
        if kind == ITE:
            return self._either(self.both(ins[0], ins[1]), self.both(ins[0] ^ 1, ins[2]))
        assert kind == MAJ
        a, b, c = ins
        return self._either(self.both(a, b), self.both(c, self._either(a, b)))

    def _either(self, a: int, b: int) -> int:
        return self.both(a ^ 1, b ^ 1) ^ 1

    def both(self, a: int, b: int) -> int:
        """a and b."""
        a, b = max(a, b), min(a, b)
        if b == 0 or a == b ^ 1:
            return 0
        if b == 1 or a == b:
            return a
        if (a, b) not in self._made:
            number = self._made[a, b] = 2 * (self.first + len(self.gates) + 1)
            self.gates.append((number, a, b))
        return self._made[a, b]
