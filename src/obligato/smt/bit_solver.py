"""`BitSolver`: a SAT solver asked in numbers instead of terms, for engines whose cubes are bits.

The same solver as `SatSolver` below its terms: gates are numbered and defined when they are first
used, checks run in slices. A client names the gates it speaks about by a `LiteralTable`: number n
stands for its n-th gate, -n for that gate's negation; a look-up gives the solver's own literals,
and clauses, assumptions, cores and models are in these. So a literal is translated once, by
indexing a list (negative numbers index it from its end), which matters: the questions of IC3 are so
short that Python around them costs more than the SAT solver.

A question that MiniSat does not answer within `PATIENCE` conflicts goes to CaDiCaL
(docs/decisions/0002), which is made when needed and told the same clauses. MiniSat's budget is set
anew only when it is used up, as its conflicts add up over questions. A model is a plain sequence
that outlives the solver: entry y is positive if literal y is true, else negative or 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter

from obligato.errors import ResourceOut
from obligato.smt.blast import BlastContext
from obligato.smt.sat_backend import DEFAULT_ENGINE, HARD_ENGINE, SatSolver
from obligato.smt.solver import SAT, UNKNOWN, UNSAT, SatResult, SolverStats

PATIENCE = 4000

Model = Sequence[int]


class LiteralTable:
    """Numbers 1, 2, ... for gates; a call gives the literals of one solver for signed numbers,
    loading the gates it lacks.
    """

    __slots__ = ("_gates", "_solver", "local")

    def __init__(self, solver: BitSolver, gates: Sequence[int]) -> None:
        """`gates[n]` is the gate literal of number n; `gates[0]` is not used."""
        self._solver, self._gates = solver, gates
        # entry n, also from the end, is the literal of number n; 0: it is not loaded
        self.local = [0] * (2 * len(gates))

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        """The solver's literals."""
        found = list(map(self.local.__getitem__, numbers))
        if 0 in found:
            return [y or self._fill(x) for x, y in zip(numbers, found, strict=True)]
        return found

    def known(self, numbers: Iterable[int]) -> list[int]:
        """The solver's literals, 0 where it has none."""
        has, gates = self._solver.has, self._gates
        return [self.local[n] or (self._fill(n) if has(gates[abs(n)]) else 0) for n in numbers]

    def _fill(self, number: int) -> int:
        n = abs(number)
        y = self._solver.load(self._gates[n])
        self.local[n], self.local[-n] = y, -y
        return y if number > 0 else -y


class BitSolver(SatSolver):
    """A SAT solver over the gates of a context, by literals of its own."""

    def __init__(
        self, stats: SolverStats | None, context: BlastContext, engine: str = DEFAULT_ENGINE
    ) -> None:
        super().__init__(stats, engine=engine, context=context)
        # what the second solver will be told: clauses of literals, or numbers one of which is false
        # where the guard is
        self._clauses: list[tuple[Sequence[int], LiteralTable | None, int]] = []
        self._told = 0
        self._second: BitSolver | None = None
        self._answering: BitSolver = self
        self._solve_, self._asked = self._engine.solve, [0]
        self.questions = 0
        self._guards = 0
        # the last temporary clause and its guard
        self._temporary: tuple[Sequence[int] | None, int] = (None, 0)
        self._engine.limit(self._handle, PATIENCE)

    def load(self, gate: int) -> int:
        """The solver's literal of a gate literal."""
        return self._local.get(gate) or self._load(gate)

    def has(self, gate: int) -> bool:
        """Is the gate part of the solver's formulas?"""
        return gate in self._local

    def add_clause(self, literals: Sequence[int], guard: int = 0) -> None:
        """Assert a clause of the solver's literals; with a guard, one that holds where the guard is
        false.
        """
        if guard:
            self._clauses.append(((*literals, guard), None, 0))
            if self._engine.gates:
                self._handle.add(literals, guard)
            else:
                self._add_clause((guard, *literals))
        else:
            self._clauses.append((literals, None, 0))
            self._add_clause(literals)

    def deny(self, cubes: list[tuple[int, ...]], table: LiteralTable, guard: int) -> None:
        """Assert that of each cube one of the numbers is false where the guard is false."""
        done = 0
        while done < len(cubes):
            if self._engine.gates:
                first, done = done, self._handle.deny(cubes, done, table.local, guard)
                self._clauses += [(cube, table, guard) for cube in cubes[first:done]]
            for cube in cubes[done : done + 1]:  # the first whose numbers have no literals yet
                self.add_clause([-y for y in table(cube)], guard)
                done += 1

    def solve(
        self, assumptions: list[int], kind: str, clause: Sequence[int] | None = None
    ) -> SatResult:
        """Are the clauses and the assumed literals satisfiable together? `clause`, if there is one,
        holds for this question only. A client counts `questions` and makes a new solver in time.
        """
        start = perf_counter()
        self._expect_open()
        self.questions += 1
        if clause is not None and not self._engine.gates:
            assumptions, clause = [*assumptions, self._guarded(clause)], None
        self._answering, self._asked = self, assumptions
        self._interrupted, self._running = False, True
        try:
            # clauses and assumptions: sat - a model; unsat - a core of the assumptions   (required)
            answer = self._solve_(self._handle, assumptions, clause)
            if answer is UNKNOWN:
                answer = self._harder(assumptions, clause)
        finally:
            self._running = False
        self._last = answer
        self.stats.note(kind, perf_counter() - start, answer, self.capabilities.name)
        return answer

    def decide(
        self, assumptions: list[int], kind: str, clause: Sequence[int] | None = None
    ) -> SatResult:
        """As `solve`; UNKNOWN, the answer of a solver that was interrupted, is raised."""
        # as in `solve`   (required)
        answer = self.solve(assumptions, kind, clause)
        if answer is UNKNOWN:
            raise ResourceOut("interrupted")
        return answer

    def needed(
        self,
        assumptions: list[int],
        numbers: tuple[int, ...],
        table: LiteralTable,
        kind: str,
        clause: Sequence[int] | None,
        denied: LiteralTable | None = None,
    ) -> SatResult | tuple[int, ...]:
        """As `solve`, with the literals of the numbers assumed, too; `denied`: the clause denies
        that numbers hold. If that is unsatisfiable, those of the numbers that took part. Compiled
        code does all of this in one call.
        """
        self._expect_open()
        if self._engine.gates:
            start = perf_counter()
            # as in `solve`   (required)
            found = self._handle.needed(
                assumptions, numbers, table.local, clause, None if denied is None else denied.local
            )
            if found is not None and found is not False:
                self.questions += 1
                self._answering, self._last = self, SAT if found is True else UNSAT
                self.stats.note(kind, perf_counter() - start, self._last, self.capabilities.name)
                return SAT if found is True else found
        if clause is not None and denied is not None:
            clause = [-y for y in denied(clause)]
        literals = table(numbers)
        answer = self.solve(assumptions + literals, kind, clause)
        if answer is not UNSAT:
            return answer
        failed = self.failed()
        return tuple([x for x, y in zip(numbers, literals, strict=True) if y in failed])

    def _guarded(self, clause: Sequence[int]) -> int:
        """A literal under which the clause holds. It serves one clause at a time: when another clause
        comes the literal of the one before is made false for good.
        """
        told, guard = self._temporary
        if told is not clause:
            if guard:
                self.add_clause((-guard,))
            guard = self.load(self.context.gates.spare(self._guards))
            self._guards += 1
            self._temporary = clause, guard
            self.add_clause(clause, -guard)
        return guard

    @property
    def work(self) -> int:
        """The number of propagations so far; a second does 5 to 7 million."""
        second = self._second.work if self._second is not None else 0
        return self._engine.propagations(self._handle) + second

    def solve_within(self, assumptions: list[int], conflicts: int, kind: str) -> SatResult:
        """As `solve`, by the first solver alone; UNKNOWN if it takes more conflicts."""
        self._engine.limit(self._handle, conflicts)
        start = perf_counter()
        self._answering, self._asked = self, assumptions
        # as in `solve`   (heuristic)
        self._last = answer = self._solve_(self._handle, assumptions, None)
        self.stats.note(kind, perf_counter() - start, answer, self.capabilities.name)
        return answer

    def _harder(self, assumptions: list[int], clause: Sequence[int] | None) -> SatResult:
        """The answer to a question that MiniSat left open. Earlier questions may have used up its
        budget, so it is asked once more with a fresh one; after that the second solver is asked.
        """
        self._engine.resume(self._handle)
        self._engine.limit(self._handle, PATIENCE)
        # as above   (required)
        answer = (
            UNKNOWN
            if self._interrupted or self._engine.gates
            else self._solve_(self._handle, assumptions, clause)
        )
        if answer is not UNKNOWN or self._interrupted:
            return answer
        self._engine.limit(self._handle, PATIENCE)
        self._answering = second = self._informed_second()
        second._interrupted, second._running = False, True
        try:
            # as above   (required)
            literals = [second.load(x) for x in self._gates_of(assumptions)]
            if clause is not None:
                literals.append(second._guarded([second.load(x) for x in self._gates_of(clause)]))
            answer = second._last = second._search(literals, None)
        finally:
            second._running = False
        return answer

    def _gates_of(self, literals: Iterable[int]) -> list[int]:
        gate = {y: x for x, y in self._local.items()}
        return [gate[y] for y in literals]

    def _informed_second(self) -> BitSolver:
        if self._second is None:
            self._second = BitSolver(self.stats, self.context, HARD_ENGINE)
        second, gate = self._second, {y: x for x, y in self._local.items()}
        for clause, table, guard in self._clauses[self._told :]:
            if table is not None:
                clause = [*(-y for y in table(clause)), guard]
            second._add_clause([second.load(gate[y]) for y in clause])
        self._told = len(self._clauses)
        return second

    def failed(self) -> set[int]:
        """After UNSAT: the assumptions that took part (and perhaps literals that were not
        assumed).
        """
        self._expect(UNSAT)
        who = self._answering
        if who is self:
            return set(self._engine.core(self._handle, self._asked) or ())
        asked = [who.load(x) for x in self._gates_of(self._asked)]
        core = set(who._engine.core(who._handle, asked) or ())
        return {x for x, y in zip(self._asked, asked, strict=True) if y in core}

    def model(self) -> Model:
        """After SAT: the model."""
        self._expect(SAT)
        who = self._answering
        if who._engine.gates:
            found: bytes = who._handle.model()
            return found
        values = who._engine.model(who._handle) or []
        known = len(self._local) // 2
        if who is self:
            return [0, *values, *(0 for _ in range(known - len(values)))]
        there = [who._local.get(x, 0) for x in self._gates_of(range(1, known + 1))]
        return [
            0,
            *(
                (values[abs(y) - 1] if y > 0 else -values[-y - 1])
                if 0 < abs(y) <= len(values)
                else 0
                for y in there
            ),
        ]

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
