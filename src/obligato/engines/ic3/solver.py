"""`StepSolver`: a SAT solver that knows one system's bits by the skeleton's numbers, now (`now`) and after a step (`then`).

`temporary` adds a clause for the next question only: it stands under a literal that is assumed there and denied ever after. A
client counts `questions` and makes a new solver in time; the gates for these literals are given by it, and shared.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.models.ts_bits import BitSystem
from obligato.smt.bit_solver import BitSolver, LiteralTable
from obligato.smt.solver import SolverStats


class StepSolver(BitSolver):
    """The literals of a system's parts in one solver."""

    def __init__(self, bits: BitSystem, stats: SolverStats) -> None:
        super().__init__(stats, bits.context)
        self.bits = bits
        self.now = LiteralTable(self, bits.source)
        self.then = LiteralTable(self, bits.next)
        self.constraints = [self.load(c) for c in bits.constraints]
        self.step = [self.load(c) for c in bits.step]
        self.questions = 0
        self._temporary = 0

    def temporary(self, clause: list[int], spare: Sequence[int]) -> int:
        """The clause holds where the result is assumed, until the next one comes; `spare[questions]` is a fresh gate."""
        if self._temporary:
            self.add_clause((-self._temporary,))
        self._temporary = self.load(spare[self.questions])
        self.questions += 1
        clause.append(-self._temporary)
        self.add_clause(clause)
        return self._temporary
