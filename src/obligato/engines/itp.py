"""Interpolation-based model checking: McMillan's fixpoint loop [McM03], and interpolation sequences
[VG09].

`fixpoint`: R begins as the initial states. While no run of 1 to k steps leads from R to a
violation, an interpolant between the first step and the rest over-approximates the states after one
step, none of which reaches a violation within k - 1 steps. R is extended by it, until it adds
nothing to R: then R is an invariant. If a run from R to a violation is found after R was extended,
it need not be one from the initial states: k grows, and R begins anew.

`sequence`: where no run of k steps violates a property, an interpolation sequence has a formula for
each step j; L(j) is the conjunction of those of all k. The union of L(0), L(1), ... is an invariant
once L(j) is in the union of those before it.

Interpolants are those of `smt.interpolation`, verified there. With C the constraints and B(t) = C
and not P at time t:

    A = R(0) and C(0) and T(0, 1)
    B = C(1) and (not P(1) or T(1, 2) and C(2) and (not P(2) or ... ))
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from obligato.engines.bmc import violation
from obligato.engines.environment import Environment
from obligato.engines.options import BACKENDS, option
from obligato.errors import ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_reduce import sorts_of
from obligato.models.unrolling import Unrolling
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import UNKNOWN, UNSAT
from obligato.smt.interpolation import interpolate, sequence_interpolants
from obligato.terms import Substitution, Term

NO_INTERPOLANT = "incomplete: no interpolant was found"


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in interpolation-based model checking."""

    method: str = option(
        "fixpoint",
        "one interpolant after the other to a fixpoint, or one sequence for each bound",
        "[McM03; VG09]",
        ("fixpoint", "sequence"),
    )
    bound: int = option(1000, "the largest number of steps", "", low=1)
    budget: int = option(0, "steps of the solver that one interpolant may cost; 0: any", "", low=0)
    backend: str = option("auto", "solver of the engine", "", BACKENDS)


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run interpolation-based model checking on a system of a simplifying store."""
    try:
        return _Interpolation(system, options, env).prove()
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)


class _Interpolation:
    def __init__(self, system: TransitionSystem, options: Options, env: Environment) -> None:
        self.system, self.options, self.env, self.store = system, options, env, system.store
        self.make = env.solvers(sorts_of(system), options.backend)
        self.times = Unrolling(system)
        self.layers: list[Term] = [system.init]  # L(0), L(1), ...

    def prove(self) -> SystemResult:
        """For longer and longer runs: is there one to a violation, and if not, does that
        prove all?
        """
        runs, base = Unrolling(self.system, initial=True, functions=True), self.make()
        attempt = self._fixpoint if self.options.method == "fixpoint" else self._sequence
        try:
            for fact in runs.facts:
                base.add(fact)
            for k in range(self.options.bound + 1):
                self.env.counters["bound"] = k
                self.env.event("bound", k=k)
                trace = violation(runs, base, k, self.env)
                if trace is not None:
                    return SystemResult(Verdict.FALSE, trace=trace)
                invariant = attempt(k) if k else None
                if invariant is not None:
                    return SystemResult(Verdict.TRUE, SystemCertificate(invariant))
                base.add(runs.step(k))
        finally:
            base.close()
        return SystemResult(Verdict.UNKNOWN, reason=f"not proved within {self.options.bound} steps")

    # -- the fixpoint loop -------------------------------------------------------------------------

    def _fixpoint(self, k: int) -> Term | None:
        """An invariant, if the loop of `fixpoint` ends with one at this k; None if R became so large
        that some run of at most k steps from it ends in a violation.
        """
        s, at = self.store, self.times.at
        reached, rest = self.system.init, self._violating(1, k)
        step = s.and_(self.times.constraint(0), self.times.step(0))
        while True:
            self.env.count("interpolants")
            before = s.and_(at(reached, 0), step)
            # A and B: unsat - no run of 1 to k steps from R to a violation; sat - R is too large
            # for this k   (required)
            if not self._unsat(s.and_(before, rest), "run"):
                return None
            self.env.tick()
            image = interpolate(before, rest, make=self.make, budget=self.options.budget or None)
            if image is None:
                raise ResourceOut(NO_INTERPOLANT)
            image = self._now(image, 1)
            # I and not R: unsat - steps from R stay in R, an invariant; sat - R grows   (required)
            if self._unsat(s.and_(image, s.not_(reached)), "fixpoint"):
                return reached
            reached = s.or_(reached, image)

    def _violating(self, first: int, last: int) -> Term:
        """The formula that some run from the state at time `first` violates a property at one of the
        times from `first` to `last`.
        """
        s, times = self.store, self.times
        found = s.false
        for t in range(last, first - 1, -1):
            onward = s.and_(times.step(t), found) if t < last else s.false
            found = s.and_(times.constraint(t), s.or_(times.bad(t), onward))
        return found

    # -- sequences ---------------------------------------------------------------------------------

    def _sequence(self, k: int) -> Term | None:
        """An invariant, if some layer is contained in the union of those before it once the sequence
        for runs of k steps has strengthened the layers; else None.
        """
        s = self.store
        self.env.tick()
        # I and C and T ... C and not P, k steps: unsat by bounded model checking before; the
        # formulas are for its parts
        found = sequence_interpolants(
            list(self._parts(k)), make=self.make, budget=self.options.budget or None
        )
        if found is None:
            raise ResourceOut(NO_INTERPOLANT)
        self.layers.append(s.true)
        for j, f in enumerate(found, 1):
            self.layers[j] = s.and_(self.layers[j], self._now(f, j))
        union = self.layers[0]
        for layer in self.layers[1:]:
            # L(j) and none of those before: unsat - their union is closed under steps; sat - it
            # grows (required)
            if self._unsat(s.and_(layer, s.not_(union)), "fixpoint"):
                return union
            union = s.or_(union, layer)
        return None

    def _parts(self, k: int) -> Iterator[Term]:
        """I and C and T at time 0, C and T at the times before k, C and not P at k."""
        s, times = self.store, self.times
        for t in range(k):
            yield s.and_(
                times.at(self.system.init, 0) if t == 0 else s.true,
                times.constraint(t),
                times.step(t),
            )
        yield s.and_(times.constraint(k), times.bad(k))

    # -- questions ---------------------------------------------------------------------------------

    def _now(self, formula: Term, time: int) -> Term:
        """A formula about the state at a time, as one about the state."""
        return Substitution({y: x for x, y in self.times.state(time).items()})(formula)

    def _unsat(self, formula: Term, kind: str) -> bool:
        self.env.tick()
        with closing(self.make()) as solver:
            solver.add(formula)
            # see the callers for what sat and unsat mean
            answer = solver.check(kind=kind)
        if answer is UNKNOWN:
            raise self.env.undecided()
        return answer is UNSAT
