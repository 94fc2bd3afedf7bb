"""`BitSolver`: a SAT solver asked in literals of the gates instead of terms, for engines whose cubes are bits.

The same solver as `SatSolver` below its terms: gates are numbered and defined when they are first used, checks run in slices.
All literals are the context's; terms do not appear. A question that MiniSat does not answer within `patience` conflicts goes to
CaDiCaL (docs/decisions/0002), which is made on first need and told the same clauses. After SAT there is a `BitModel`, which
outlives the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter

from obligato.smt.blast import BlastContext
from obligato.smt.sat_backend import DEFAULT_ENGINE, HARD_ENGINE, SatSolver
from obligato.smt.solver import SAT, UNKNOWN, UNSAT, SatResult, SolverStats

PATIENCE = 4000


class BitModel:
    """Truth values of literals: positive if true, negative if false, 0 where the solver did not know the gate."""

    __slots__ = ("_local", "_values")

    def __init__(self, values: list[int], local: dict[int, int]) -> None:
        self._values, self._local = values, local

    def values(self, literals: Iterable[int]) -> list[int]:
        """The values of literals."""
        values, local, known = self._values, self._local, len(self._values)
        out = []
        for x in literals:
            y = local.get(x, 0)
            if y >= 0:
                out.append(values[y] if y < known else 0)
            else:
                out.append(-values[-y] if -y < known else 0)
        return out


class BitSolver(SatSolver):
    """A SAT solver over the gates of a context, by literals."""

    def __init__(self, stats: SolverStats | None, context: BlastContext, engine: str = DEFAULT_ENGINE) -> None:
        super().__init__(stats, engine=engine, context=context)
        self._clauses: list[Sequence[int]] = []  # for the second solver
        self._told = 0
        self._second: BitSolver | None = None
        self._answering: BitSolver = self

    def add_clause(self, literals: Sequence[int]) -> None:
        """Assert a clause."""
        local, load = self._local, self._load
        self._last = self._model = None
        self._clauses.append(literals)
        self._add_clause([local.get(x) or load(x) for x in literals])

    def solve(self, assumptions: Sequence[int], kind: str) -> SatResult:
        """Are the clauses and the assumed literals satisfiable together?"""
        start = perf_counter()
        self._answering = self
        answer = self._solve(assumptions, PATIENCE)
        if answer is UNKNOWN and not self._interrupted:
            self._answering = self._informed_second()
            answer = self._last = self._answering._solve(assumptions, None)
        self.stats.note(kind, perf_counter() - start, answer)
        return answer

    def _solve(self, assumptions: Sequence[int], budget: int | None) -> SatResult:
        self._expect_open()
        local, load = self._local, self._load
        literals = [local.get(x) or load(x) for x in assumptions]
        self._assumed_bits = (assumptions, literals)
        self._model = None
        self._engine.resume(self._handle)
        self._interrupted, self._running = False, True
        try:
            self._last = self._search(literals, budget)
        finally:
            self._running = False
        return self._last

    def _informed_second(self) -> BitSolver:
        if self._second is None:
            self._second = BitSolver(self.stats, self.context, HARD_ENGINE)
        for clause in self._clauses[self._told :]:
            self._second.add_clause(clause)
        self._told = len(self._clauses)
        return self._second

    def failed(self) -> list[int]:
        """After UNSAT: the assumptions that took part."""
        self._expect(UNSAT)
        who = self._answering
        assumed, literals = who._assumed_bits
        core = set(who._engine.core(who._handle, literals) or ())
        return [x for x, y in zip(assumed, literals, strict=True) if y in core]

    def model(self) -> BitModel:
        """After SAT: the model."""
        self._expect(SAT)
        who = self._answering
        return BitModel([0, *(who._engine.model(who._handle) or ())], who._local)

    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon."""
        super().interrupt()
        if self._second is not None:
            self._second.interrupt()

    def close(self) -> None:
        """Free the SAT solvers."""
        super().close()
        second = getattr(self, "_second", None)
        if second is not None:
            second.close()
