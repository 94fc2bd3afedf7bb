"""Evaluation of literals for many inputs at once: a value has one bit (a lane) for each.

Values stand one after another in a block, `width` words of 64 bits each, as numbers with the least
significant byte first. Compiled code evaluates a block (`smt/native/words.h`); without it the same
is done by Python's numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from obligato.smt.blast.gates import AND, INPUT, ITE, MAJ, XOR, XOR3, Gates
from obligato.smt.relevant import Words

WORD = 8  # bytes


class Circuit:
    """Evaluation of literals by the gates below them;
    `sources` are the input gates that have values, all others are false."""

    def __init__(self, gates: Gates, literals: Iterable[int], sources: Sequence[int]) -> None:
        self.literals = literals = list(literals)
        below = gates.below(literals)
        self.size = len(below)
        place = {1: 1} | {gate: n for n, gate in enumerate(sources, 2)}
        false = -1
        self._program: list[tuple[int, tuple[int, ...]]] = []
        for gate in below:
            if gate in place:
                continue
            if gates.kinds[gate] == INPUT:
                place[gate] = false
                continue
            ins = tuple([place[x] if x > 0 else -place[-x] for x in gates.inputs[gate]])
            self._program.append((gates.kinds[gate], ins))
            place[gate] = len(sources) + 1 + len(self._program)
        self._sources = len(sources)
        self._wanted = [place[x] if x > 0 else -place[-x] for x in literals]
        flat = [x for kind, ins in self._program for x in (kind, len(ins), *ins)]
        self._compiled = None if Words is None else Words(self._sources, flat, self._wanted)

    @property
    def compiled(self) -> bool:
        """Is it evaluated by compiled code?"""
        return self._compiled is not None

    def run(self, block: bytes, width: int) -> bytes:
        """The values of the literals, for those of the sources."""
        if self._compiled is not None:
            return self._compiled.run(block, width)
        return packed(self._evaluated(unpacked(block, width), (1 << 64 * width) - 1), width)

    def __call__(self, values: Sequence[int], lanes: int) -> list[int]:
        """As `run`, by numbers with a bit for each of so many lanes."""
        every, width = (1 << lanes) - 1, -(-lanes // 64)
        if self._compiled is None:
            return self._evaluated(values, every)
        found = unpacked(self._compiled.run(packed(values, width), width), width)
        return found if lanes == 64 * width else [x & every for x in found]

    def _evaluated(self, given: Sequence[int], every: int) -> list[int]:
        place = self._sources + 2
        # a negative literal indexes it from its end
        values = [0] * (2 * (place + len(self._program)))
        for n, word in enumerate((every, *given), 1):
            values[n], values[-n] = word, every ^ word
        for kind, ins in self._program:
            if kind == AND:
                word = values[ins[0]] & values[ins[1]]
                for x in ins[2:]:
                    word &= values[x]
            else:
                word = _combined(kind, [values[x] for x in ins])
            values[place], values[-place] = word, every ^ word
            place += 1
        return [values[x] for x in self._wanted]


def packed(values: Iterable[int], width: int) -> bytes:
    """The values as a block."""
    return b"".join([x.to_bytes(WORD * width, "little") for x in values])


def unpacked(block: bytes, width: int) -> list[int]:
    """The values of a block."""
    step = WORD * width
    return [int.from_bytes(block[n : n + step], "little") for n in range(0, len(block), step)]


def _combined(kind: int, v: list[int]) -> int:
    if kind == XOR:
        return v[0] ^ v[1]
    if kind == ITE:
        return v[2] ^ v[0] & (v[1] ^ v[2])
    if kind == XOR3:
        return v[0] ^ v[1] ^ v[2]
    assert kind == MAJ
    return v[0] & v[1] | v[2] & (v[0] | v[1])
