"""Runs of the system with its arrays, by a solver that knows arrays: is what the abstraction
reaches reached?

The answers steer the search and give traces; no proof rests on them, so that the solver may still
check certificates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.models.ts_reduce import sorts_of
from obligato.models.unrolling import Unrolling
from obligato.smt import SAT, UNKNOWN, SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import Kind, Op, assigned_constant, conjuncts, postorder

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_claims import SystemTrace
    from obligato.terms import Term

BUDGET = 10000  # of a question, in units of `UNITS`; a question that takes more is left open
GLANCE = 300  # the same, where nothing says that there is a violation
UNITS = {"z3": 500}  # of what a solver counts, in a unit; bitwuzla's polls are the unit


class ConcreteRuns:
    """Bounded model checking, asked for one bound at a time [BCCZ99]."""

    def __init__(self, system: TransitionSystem, env: Environment) -> None:
        self.system, self.env = system, env
        self.stats = SolverStats()
        prefer = "z3" if _compares_arrays(system) else None  # bitwuzla leaves such questions open
        self.solver = solver_factory(
            sorts_of(system), prefer=prefer, stats=self.stats, seed=env.seed
        )()
        self.unit = UNITS.get(self.solver.capabilities.name, 1)
        self.runs = Unrolling(system, initial=True, functions=True)
        self.known = -1  # steps of the runs that the solver knows
        self.safe = -1  # no violation up to this bound
        for fact in self.runs.facts:
            self.solver.add(fact)

    def _extend(self, time: int) -> None:
        while self.known < time:
            if self.known >= 0:
                self.solver.add(self.runs.step(self.known))
            self.known += 1
            self.solver.add(self.runs.constraint(self.known))

    def none_up_to(self, time: int) -> None:
        """Note that no run of at most `time` steps violates a property."""
        self.safe = max(self.safe, time)

    def violation(self, time: int, budget: int = BUDGET) -> SystemTrace | None:
        """A run that violates a property after at most `time` steps, if it is found easily."""
        for bound in range(self.safe + 1, time + 1):
            self._extend(bound)
            self.env.tick()
            # I and C and T ... C and not P at the bound: sat - a run; unsat - none of this length;
            # unknown - open   (heuristic)
            answer = self.solver.check(
                [self.runs.bad(bound)], kind="bmc", budget=budget * self.unit
            )
            if answer is SAT:
                return self.runs.trace(self.solver.model_of, bound)
            if answer is not UNKNOWN and bound == self.safe + 1:
                self.none_up_to(bound)
                self.env.counters["bound"] = bound
        return None

    def reaches(self, goal: Term, time: int) -> bool:
        """Does a run satisfy `goal`, over the state and other variables, after `time` steps? False
        also if it is not known.
        """
        self._extend(time)
        self.env.tick()
        # I and C and T ... C and the goal: sat - it is reached; unsat, unknown - the abstraction is
        # to be refined   (heuristic)
        return (
            self.solver.check([self.runs.at(goal, time)], kind="bmc", budget=BUDGET * self.unit)
            is SAT
        )

    def close(self) -> None:
        """Free the solver; its questions are counted, too."""
        self.solver.close()
        for kind, calls in self.stats.calls.items():
            self.env.stats.calls[kind] = self.env.stats.calls.get(kind, 0) + calls
            self.env.stats.seconds[kind] = (
                self.env.stats.seconds.get(kind, 0.0) + self.stats.seconds[kind]
            )


def _compares_arrays(system: TransitionSystem) -> bool:
    """Is there an equation of arrays other than those that give constant start values and next
    values?
    """
    primed = set(system.primed.values())
    rest = [f for f in conjuncts(system.trans) if f.op is not Op.EQ or primed.isdisjoint(f.args)]
    rest += [f for f in conjuncts(system.init) if assigned_constant(f)[0] is None]
    formulas = [
        *rest,
        *system.constraints,
        *(p.formula for p in system.assertions),
        *(system.next or {}).values(),
    ]
    return any(
        t.op in (Op.EQ, Op.DISTINCT) and t.args[0].sort.kind is Kind.ARRAY
        for t in postorder(formulas)
    )
