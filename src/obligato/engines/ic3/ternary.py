"""Lifting by three-valued evaluation [EMB11]: which bits of a state may be unknown, and the step
still leads to the target?

All roots (next values in the target, constraints) are evaluated in compiled code for 64 attempts at
once (`smt/native/ternary.h`): bits are given up greedily, from the last number on, so what is left
cannot lose one more. That is a cube of the same kind as an unsat core, found without a question: a
root that is known whatever the missing bits are is true for all their values.

Limitation: evaluation forgets what unknown values have to do with each other (x or not x is
unknown), which a solver would see; and there is none without compiled code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.smt.blast.gates import INPUT
from obligato.smt.relevant import Ternary, Unknowns

if TYPE_CHECKING:
    from obligato.engines.ic3ts.cube import Cube
    from obligato.models.ts_bits import BitSystem


class TernaryLifting:
    """The circuit of one system; its target is a violation or a cube after the step."""

    def __init__(self, bits: BitSystem, compiled: type[Unknowns]) -> None:
        roots = [*bits.next[1:], *bits.step, *bits.constraints, bits.bad]
        self._place = {1: 1} | {gate: n + 1 for n, gate in enumerate(bits.source) if n}
        self._circuit = compiled(len(bits.source) - 1, self._program(bits, roots))
        then = [0, *map(self._placed, bits.next[1:])]
        self._then = [*then, *(-y for y in then[:0:-1])]  # by signed number
        constraints = [self._placed(x) for x in bits.constraints]
        self._step = [*map(self._placed, bits.step), *constraints]
        self._violation = [self._placed(bits.bad), *constraints]

    @staticmethod
    def of(bits: BitSystem) -> TernaryLifting | None:
        """The evaluator of a system; None if the compiled code is not installed."""
        return None if Ternary is None else TernaryLifting(bits, Ternary)

    def _placed(self, literal: int) -> int:
        return self._place[literal] if literal > 0 else -self._place[-literal]

    def _program(self, bits: BitSystem, roots: list[int]) -> list[int]:
        """The gates below the roots as compiled code reads them; each gets a place."""
        gates, place, program = bits.context.gates, self._place, []
        first = len(place) + 1
        for gate in gates.below(roots):
            if gate not in place:
                assert gates.kinds[gate] != INPUT
                inputs = gates.inputs[gate]
                program += [gates.kinds[gate], len(inputs), *map(self._placed, inputs)]
                place[gate] = first
                first += 1
        return program

    def needed(self, state: list[int], move: list[int], target: Cube | None) -> Cube | None:
        """Of the state what suffices, with the move, to reach the target (None: a violation); None
        if evaluation does not see that all of it does.
        """
        then = self._then
        roots = self._violation if target is None else [*[then[x] for x in target], *self._step]
        return self._circuit.needed(state[::-1], move, roots)
