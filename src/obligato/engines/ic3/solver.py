"""`StepSolver`: a SAT solver that knows one system's bits by the skeleton's numbers, now (`now`)
and after a step (`then`).

Where our own SAT solver was compiled (`smt.relevant`), it answers: it looks only at what a question
depends on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.smt.bit_solver import BitSolver, LiteralTable
from obligato.smt.relevant import Relevant
from obligato.smt.sat_backend import DEFAULT_ENGINE, RELEVANT

if TYPE_CHECKING:
    from obligato.models.ts_bits import BitSystem
    from obligato.smt.solver import SolverStats

STEP_ENGINE = DEFAULT_ENGINE if Relevant is None else RELEVANT


class StepSolver(BitSolver):
    """The literals of a system's parts in one solver."""

    def __init__(self, bits: BitSystem, stats: SolverStats) -> None:
        super().__init__(stats, bits.context, STEP_ENGINE)
        self.bits = bits
        self.now = LiteralTable(self, bits.source)
        self.then = LiteralTable(self, bits.next)
        self.constraints = [self.load(c) for c in bits.constraints]
        self.step = [self.load(c) for c in bits.step]
