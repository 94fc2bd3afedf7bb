"""Bounded model checking on the bits of a system [BCCZ99], by turns with IC3 in one process.

The circuit at time t is the system's circuit with the state's literals of time t put in (`_enter`):
constants of the start and equal functions are shared as it grows. A turn asks bound by bound, until
a question takes too many conflicts (it is asked again in the next turn), or enough work was done:
gates and propagations. IC3 gives it its turns (`ic3ts.turns`).

Limitation: it refutes only; it stops when the unrolled circuit has `MAX_GATES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt import SAT, UNSAT
from obligato.smt.bit_solver import BitSolver, Model
from obligato.smt.blast import BlastContext
from obligato.smt.blast.rewrite import Rewriting
from obligato.smt.sat_backend import HARD_ENGINE

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.ts_bits import BitSystem

CONFLICTS = 2000  # of one question in one turn
TURN = 50_000  # gates looked at in one turn
GATE = 50  # looking at one gate of the system counts as so many propagations
WORK = 700_000  # propagations after which a turn asks no further question: a tenth of a second
MAX_GATES = 1_500_000


class BoundedSearch:
    """A search for violations after 0, 1, 2, ... steps."""

    def __init__(self, bits: BitSystem, env: Environment) -> None:
        self.bits, self.env = bits, env
        self.context = BlastContext()
        self.solver = BitSolver(env.stats, self.context, HARD_ENGINE)
        self.trace: SystemTrace | None = None
        self.states: list[list[int]] = [self._start()]  # by time; the literal of each number
        # by time; the literal of each free gate of the system
        self.inputs: list[dict[int, int]] = []
        self._gates = 0  # looked at so far
        self._step: list[int] = []
        self._then: list[int] = []
        if bits.start is None:
            first = Rewriting(
                bits.context.gates, bits.init_facts, self.context.gates, self._given()
            )
            self._assert(map(first, bits.init_facts))
        self._enter()

    def _start(self) -> list[int]:
        start, gates = self.bits.start or {}, self.context.gates
        return [
            1,
            *(
                (1 if start[n] > 0 else -1) if n in start else gates.input()
                for n in range(1, len(self.bits.bit))
            ),
        ]

    def _given(self) -> dict[int, int]:
        return dict(zip(self.bits.bit, self.states[-1], strict=True))

    def _assert(self, literals: Iterable[int]) -> None:
        for x in literals:
            self.solver.add_clause((self.solver.load(x),))

    def _enter(self) -> None:
        """Add the circuit of the next time, and its constraints."""
        bits, gates = self.bits, self.context.gates
        self._gates += len(bits.context.gates)
        self.inputs.append({g: gates.input() for g in bits.source[len(bits.bit) :]})
        roots = [bits.bad, *bits.constraints, *bits.step, *bits.next]
        new = Rewriting(bits.context.gates, roots, gates, {**self._given(), **self.inputs[-1]})
        self._assert(map(new, bits.constraints))
        self.bad, self._step = new(bits.bad), list(map(new, bits.step))
        self._then = list(map(new, bits.next))
        self.env.counters["bound"] = len(self.inputs) - 1

    @property
    def work(self) -> int:
        """The number of propagations so far."""
        return self.solver.work + GATE * self._gates

    def turn(self) -> SystemTrace | None:
        """Work a little; the run, if there is one now."""
        end = self.solver.work + WORK
        for _ in range(1 + TURN // len(self.bits.context.gates)):
            if (
                self.trace is not None
                or len(self.context.gates) > MAX_GATES
                or self.solver.work > end
                or not self._ask()
            ):
                break
        return self.trace

    def _ask(self) -> bool:
        """Is there a violation at the bound? True if not, and the bound is raised."""
        self.env.tick()
        # I and C and T ... C and not P at the bound: sat - a run; unsat - none of this length;
        # unknown - later   (heuristic)
        answer = self.solver.solve_within([self.solver.load(self.bad)], CONFLICTS, "bounded")
        if answer is SAT:
            self.trace = self._trace(self.solver.model())
        elif answer is UNSAT:
            self._assert((-self.bad, *self._step))
            self.states.append(self._then)
            self._enter()
        return answer is UNSAT

    def _trace(self, model: Model) -> SystemTrace:
        return SystemTrace(tuple(self._at(time, model) for time in range(len(self.inputs))))

    def _at(self, time: int, model: Model) -> SystemStep:
        literals = zip(self.bits.bit, self.states[time], strict=True)
        here = {g for g, x in literals if self._holds(x, model)}
        free = {g for g, x in self.inputs[time].items() if self._holds(x, model)}
        return self.bits.step_of(here, free, time == 0)

    def _holds(self, literal: int, model: Model) -> bool:
        if abs(literal) == 1 or not self.solver.has(literal):
            return literal == 1
        y = self.solver.load(literal)
        return (model[abs(y)] > 0) is (y > 0)

    def close(self) -> None:
        """Free the solver."""
        self.solver.close()
