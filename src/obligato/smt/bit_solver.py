"""`BitSolver`: a SAT solver asked in literals of the gates instead of terms, for engines whose cubes are bits.

The same solver as `SatSolver` below its terms: gates are numbered and defined when they are first used, checks run in slices.
All literals are the context's; terms do not appear. After SAT, `values` are the truth values of literals, 0 for those of gates
that this solver does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter

from obligato.smt.sat_backend import SatSolver
from obligato.smt.solver import SAT, UNSAT, SatResult


class BitSolver(SatSolver):
    """A SAT solver over the gates of a context, by literals."""

    def add_clause(self, literals: Iterable[int]) -> None:
        """Assert a clause."""
        local, load = self._local, self._load
        self._last = self._model = None
        self._add_clause([local.get(x) or load(x) for x in literals])

    def solve(self, assumptions: Sequence[int], kind: str) -> SatResult:
        """Are the clauses and the assumed literals satisfiable together?"""
        start = perf_counter()
        local, load = self._local, self._load
        literals = [local.get(x) or load(x) for x in assumptions]
        self._assumed_bits = (assumptions, literals)
        self._model = None
        self._engine.resume(self._handle)
        self._interrupted, self._running = False, True
        try:
            self._last = self._search(literals, None)
        finally:
            self._running = False
        self.stats.note(kind, perf_counter() - start, self._last)
        return self._last

    def failed(self) -> list[int]:
        """After UNSAT: the assumptions that took part."""
        self._expect(UNSAT)
        assumed, literals = self._assumed_bits
        core = set(self._engine.core(self._handle, literals) or ())
        return [x for x, y in zip(assumed, literals, strict=True) if y in core]

    def values(self, literals: Sequence[int]) -> list[int]:
        """After SAT: for each literal a positive number if it is true, a negative one if false, 0 if it is unknown here."""
        self._expect(SAT)
        model = self._model
        if model is None:
            model = self._model = [0, *(self._engine.model(self._handle) or ())]
            model += [0] * (len(self._local) // 2 + 1 - len(model))
        local = self._local
        out = []
        for x in literals:
            y = local.get(x, 0)
            out.append(model[y] if y >= 0 else -model[-y])
        return out

    def knows(self, literal: int) -> bool:
        """Has the literal's gate been loaded?"""
        return literal in self._local
