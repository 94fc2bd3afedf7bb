"""k-induction on transition systems [SSS00]: no violation in the first k steps, and none after k
steps without one.

Base: as bounded model checking. Step: of any k + 1 successive, pairwise different states, the first
k without violation, the last has none. That they differ makes the method complete on finite systems
and is added for those pairs only that a model shows equal (`_equal_states`). A shortest run to a
violation repeats no state, so it is sound.

Where the properties are not 1-inductive, invariants from templates (`analysis.templates`, [KGT11])
and affine equalities (`analysis.affine_system`) are assumed at all times of the step. Where they
are not 2-inductive with them either, relations of successive states and more formulas that are
2-inductive with these (`analysis.relations`) are assumed, too. All of them are part of the
certificate; with relations it claims at least 2-induction.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import cached_property

from obligato.analysis.affine_system import cheap_relations
from obligato.analysis.relations import successive
from obligato.analysis.templates import (
    Run,
    Survivors,
    inductive,
    random_runs,
    state_candidates,
    weaker_candidates,
)
from obligato.engines.bmc import violation
from obligato.engines.environment import Environment
from obligato.engines.inductive_part import kept
from obligato.engines.kinduction.options import Options
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.models.ts_reduce import sorts_of
from obligato.models.unrolling import Unrolling
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SAT, UNKNOWN, Solver
from obligato.terms import Kind, Term, conjuncts

AGAIN = 8  # the largest k that is tried again when there are new invariants


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run k-induction on a system."""
    make = env.solvers(sorts_of(system), options.backend)
    run = _KInduction(system, options, env, make)
    try:
        return run.prove()
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)
    finally:
        run.base.close()
        run.step.close()


class _KInduction:
    def __init__(
        self,
        system: TransitionSystem,
        options: Options,
        env: Environment,
        make: Callable[[], Solver],
    ) -> None:
        self.system, self.options, self.env = system, options, env
        self.base, self.step, self.make = make(), make(), make
        self.invariant = self.relation = system.store.true
        self.least = 1  # k of a certificate
        self.runs = Unrolling(system, initial=True, functions=True)
        self.windows = Unrolling(system, functions=True)
        self.told: set[tuple[int, int]] = set()  # pairs of times whose states differ
        self.skipped: list[int] = []  # times of the base that another engine answers for

    def prove(self) -> SystemResult:
        """Raise k until the base fails or the step holds."""
        for fact in self.runs.facts:
            self.base.add(fact)
        self.step.add(self.windows.constraint(0))
        for k in range(1, self.options.bound + 1):
            heard = self._share(k)
            self.env.event("bound", k=k)
            if not self._others_answer(k - 1):  # for this depth or one below
                self.env.counters["bound"] = k
            trace = self._base(k - 1)
            if trace is not None:
                return SystemResult(Verdict.FALSE, trace=trace)
            self.base.add(self.runs.step(k - 1))
            less = self._strengthened_anew(k, heard) if heard else None
            if less is None:
                self._widen(k)
            if less is not None or self._proved(k):
                return self._claimed(less or k)
        return SystemResult(
            Verdict.UNKNOWN, reason=f"not k-inductive for any k up to {self.options.bound}"
        )

    def _claimed(self, k: int) -> SystemResult:
        """The step holds for k: a proof, unless there is a violation at a time that was skipped."""
        trace = self._base_again() if self.skipped else None
        if trace is not None:
            return SystemResult(Verdict.FALSE, trace=trace)
        return SystemResult(Verdict.TRUE, certificate=self._certificate(k))

    def _base(self, time: int) -> SystemTrace | None:
        """A run that violates a property at this time; where another engine says that there is none
        this is put off until the step holds.
        """
        if time not in self.skipped:
            return violation(self.runs, self.base, time, self.env)
        self.base.add(self.runs.constraint(time))
        return None

    def _others_answer(self, time: int) -> bool:
        """Does another engine say that no property is violated at this time, or did one say so of an
        earlier time?
        """
        if self.env.exchange is not None and time <= self.env.exchange.bound:
            self.env.count("depths_skipped")
            self.skipped.append(time)
        return bool(self.skipped)

    def _base_again(self) -> SystemTrace | None:
        """A run that violates a property at one of the times that were skipped."""
        run = Unrolling(self.system, initial=True, functions=True)
        with closing(self.make()) as solver:
            for fact in run.facts:
                solver.add(fact)
            for time in range(self.skipped[-1] + 1):
                trace = violation(run, solver, time, self.env)
                if trace is not None:
                    return trace
                solver.add(run.step(time))
        return None

    def _share(self, k: int) -> list[Term]:
        """Tell the other engines how far the base is safe; what they have found and is inductive
        here, too, as long as the properties hold.
        """
        exchange = self.env.exchange
        if exchange is None:
            return []
        if not self.skipped:
            exchange.tell_bound(k - 2, self.env)
        known = [self.invariant, *(p.formula for p in self.system.assertions)]
        heard = exchange.hear(self.env).get(0, ())
        found = kept(self.system, heard, known, self.env) if heard else []
        self.env.count("facts_kept", len(found))
        return found

    def _strengthened_anew(self, k: int, formulas: list[Term]) -> int | None:
        """Begin the step anew with more invariants, up to k - 1; one of the first k for which it
        holds now, if there is one.
        """
        self.step.close()
        self.step, self.windows = self.make(), Unrolling(self.system, functions=True)
        self.told.clear()
        self.step.add(self.windows.constraint(0))
        self._assume(0, self.invariant)
        self._strengthened(0, formulas)
        for less in range(1, k):
            self._widen(less)
            if self.least <= less <= AGAIN and self._holds(less):
                return less
        return None

    @cached_property
    def _sampled(self) -> list[Run]:
        return random_runs(self.system, self.make, self.env.seed)

    def _proved(self, k: int) -> bool:
        """Is k enough, if need be with invariants? They are looked for at the first k, what costs
        least first.
        """
        stages = (
            {1: (self._templates, self._affine), 2: (self._relations,)}.get(k, ())
            if self.options.invariants
            else ()
        )
        return self._holds(k) or any(stage(k) and self._holds(k) for stage in stages)

    def _templates(self, k: int) -> bool:
        """Assume invariants from templates."""
        found = inductive(
            self.system,
            state_candidates(self.system, self._sampled),
            Survivors(self.make, self.env.tick),
        )
        return self._strengthened(k, found)

    def _affine(self, k: int) -> bool:
        """Assume affine equalities, of words modulo 2^w; where there are too many variables they
        are not looked for.
        """
        found = cheap_relations(self.system, self.make, self.env.tick)
        invariant = None if found is None else found.invariant()
        return invariant is not None and self._strengthened(k, [invariant])

    def _relations(self, k: int) -> bool:
        """Assume relations of successive states, and formulas that are 2-inductive with them."""
        if not self.options.relations:
            return False
        known, runs = set(conjuncts(self.invariant)), self._sampled
        more = [
            c
            for make in (state_candidates, weaker_candidates)
            for c in make(self.system, runs)
            if c not in known
        ]
        formulas, relations = successive(
            self.system, runs, self.invariant, more, Survivors(self.make, self.env.tick)
        )
        self.env.counters["relations"] = len(relations)
        self.relation = self.system.store.and_(*relations)
        self.least = 2 if formulas or relations else 1
        return self._strengthened(k, formulas) or bool(relations)

    def _strengthened(self, k: int, formulas: list[Term]) -> bool:
        """Assume formulas and the relation, from now on at each time of the step. Are there
        formulas?
        """
        store = self.system.store
        self.env.count("invariants", len(formulas))
        if self.env.exchange is not None:
            self.env.exchange.tell({0: formulas}, self.env)
        self.invariant = store.and_(self.invariant, *formulas)
        for time in range(k + 1):
            self._assume(time, store.and_(*formulas))
        return bool(formulas)

    def _assume(self, time: int, formula: Term) -> None:
        """A formula at a time of the step, and the relation of the step that ends there."""
        self.step.add(self.windows.at(formula, time))
        if time:
            self.step.add(self.windows.across(self.relation, time - 1))

    def _certificate(self, k: int) -> SystemCertificate:
        relation = None if self.relation is self.system.store.true else self.relation
        return SystemCertificate(self.invariant, max(k, self.least), self._distinct(), relation)

    def _distinct(self) -> tuple[str, ...]:
        return tuple(x.name for x in self.system.state) if self.told else ()

    def _widen(self, k: int) -> None:
        self.step.add(self.system.store.not_(self.windows.bad(k - 1)))
        self.step.add(self.windows.step(k - 1))
        self.step.add(self.windows.constraint(k))
        self._assume(k, self.invariant)

    def _holds(self, k: int) -> bool:
        while True:
            self.env.tick()
            # P and C and T ... P and C and T and C and not P: unsat - k-inductive; sat - not, if
            # its states differ (required)
            answer = self.step.check([self.windows.bad(k)], kind="step")
            if answer is UNKNOWN:
                raise self.env.undecided(f"the step of {k}-induction")
            if answer is not SAT:
                return True
            equal = self._equal_states(k) if self.options.distinct else []
            if not equal:
                return False
            for pair in equal:
                self.told.add(pair)
                self.step.add(self._different(*pair))

    def _equal_states(self, k: int) -> list[tuple[int, int]]:
        """Pairs of times at which the model has the same state: for each time the first one."""
        if any(x.sort.kind is Kind.ARRAY for x in self.system.state):
            return []
        trace = self.windows.trace(self.step.model_of, k)
        first: dict[tuple[object, ...], int] = {}
        pairs = []
        for time, s in enumerate(trace.steps):
            earlier = first.setdefault(tuple(s.state.values()), time)
            if earlier != time and (earlier, time) not in self.told:
                pairs.append((earlier, time))
        return pairs

    def _different(self, a: int, b: int) -> Term:
        s, left, right = self.system.store, self.windows.state(a), self.windows.state(b)
        return s.or_(*(s.not_(s.eq(left[x], right[x])) for x in self.system.state))
