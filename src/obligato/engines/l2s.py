"""`l2s`: liveness to safety. A state is saved, and IC3 and BMC ask whether it comes back on a fair
loop.

In a finite system there is a fair run iff a state comes back [BAS02]. Where there are infinitely
many states, only the values of finitely many predicates are saved: if they do not come back, there
is no fair run [DCGMT16]. If they do, that says nothing unless the whole state comes back, too; else
a predicate that tells the two states apart is added. `_abstracted` carries that.

Limitation: over infinitely many states a fair run is found only if it comes back to the same state,
and nothing is proved where rounds have no bound (there `rank` is of use).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from obligato.engines import bmc, ic3bmc, ic3ia
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.options import option
from obligato.errors import ResourceOut
from obligato.models.live_claims import Lasso, Saved
from obligato.models.monitors import SAVE, with_saved_state
from obligato.models.properties import fairness_sets
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.outcome import LiveResult, Verdict
from obligato.terms import INT, REAL, Kind, Term, Value, evaluate, substitute

__all__ = ["Options", "prove"]

AT_ONCE = 4  # predicates of the system that tell two states apart and are added together


@dataclass(frozen=True, slots=True)
class Options(ic3bmc.Options):
    """The options of IC3 with BMC, and those for infinitely many states."""

    lasso_steps: int = option(
        12,
        "over infinitely many states: steps of a lasso that is looked for first",
        "[BAS02]",
        low=0,
    )
    refinements: int = option(
        60, "over infinitely many states: how often predicates are added", "[DCGMT16]", low=0
    )


def prove(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """Look for a fair loop of a system with one justice property."""
    if any(x.sort.kind not in (Kind.BOOL, Kind.BITVEC) for x in system.state):
        try:
            return short_lasso(system, options.lasso_steps, env) or _abstracted(
                system, options, env
            )
        except ResourceOut as out:
            return LiveResult(Verdict.UNKNOWN, reason=out.resource)
    result = ic3bmc.prove(with_saved_state(system), options, env)
    certificate = None if result.certificate is None else Saved(result.certificate.invariant)
    trace = None if result.trace is None else lasso(result.trace)
    return LiveResult(result.verdict, certificate, trace, reason=result.reason, stats=result.stats)


def lasso(trace: SystemTrace) -> Lasso:
    """The last state of the trace is the one that was saved, so its steps before that are a
    lasso.
    """
    return Lasso(trace.steps[:-1], _saving(trace))


def _saving(trace: SystemTrace) -> int:
    return next(n for n, step in enumerate(trace.steps) if step.inputs[SAVE])


def short_lasso(system: TransitionSystem, steps: int, env: Environment) -> LiveResult | None:
    """A fair loop back to the same state within so many steps, by BMC; it can only refute."""
    found = bmc.prove(with_saved_state(system), bmc.Options(bound=steps), env)
    env.tick()
    return (
        None
        if found.trace is None
        else LiveResult(Verdict.FALSE, trace=lasso(found.trace), stats=dict(env.counters))
    )


def _abstracted(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """Save the values of more and more predicates, until they do not come back."""
    watched = _Watched(system)
    for _ in range(options.refinements + 1):
        env.counters["watched"] = len(watched.terms)
        result = ic3ia.prove(with_saved_state(system, watched.terms), ic3ia.Options(), env)
        if result.certificate is not None:
            return LiveResult(
                Verdict.TRUE,
                Saved(result.certificate.invariant, tuple(watched.terms)),
                stats=result.stats,
            )
        if result.trace is None:
            return LiveResult(Verdict.UNKNOWN, reason=result.reason, stats=result.stats)
        first = watched.values(result.trace.steps[_saving(result.trace)])
        last = watched.values(result.trace.steps[-1])
        if first == last:
            return LiveResult(Verdict.FALSE, trace=lasso(result.trace), stats=result.stats)
        if not watched.tell_apart(first, last):
            break
    return LiveResult(
        Verdict.UNKNOWN,
        reason="the values of the predicates repeat in the run that was found, but no state does,"
        " so that it need not go on for ever",
    )


class _Watched:
    """The predicates whose values are saved: at first Booleans, words and the atoms of fairness
    sets.
    """

    def __init__(self, system: TransitionSystem) -> None:
        self.system, self.store = system, system.store
        self.pool = Predicates(system, split=True)
        words = [x for x in system.state if x.sort.kind in (Kind.BOOL, Kind.BITVEC)]
        self.terms = list(
            dict.fromkeys((*words, *(p for f in fairness_sets(system) for p in self.pool.parts(f))))
        )
        self.terms = self.terms or [self.store.true]
        now = {y: x for x, y in system.primed.items()}
        self.pool.add(
            (
                system.init,
                *system.constraints,
                *system.predicates,
                system.trans,
                substitute(system.trans, now),
            )
        )

    def values(self, step: SystemStep) -> dict[Term, Value]:
        """The state of the system at a step of the monitored one."""
        return {x: step.state[x.name] for x in self.system.state}

    def tell_apart(self, one: Mapping[Term, Value], other: Mapping[Term, Value]) -> bool:
        """Watch more predicates, at least one of which differs in the two states; False: none is
        found.
        """
        new = [p for p in self.pool.terms[1:] if evaluate(p, one) != evaluate(p, other)][
            :AT_ONCE
        ] or self._between(one, other)
        self.terms += new
        return bool(new)

    def _between(self, one: Mapping[Term, Value], other: Mapping[Term, Value]) -> list[Term]:
        """A bound of one number that lies between its values in the two states."""
        for x in self.system.state:
            a, b = one[x], other[x]
            if (
                isinstance(a, int | Fraction)
                and isinstance(b, int | Fraction)
                and x.sort in (INT, REAL)
                and a != b
            ):
                return [
                    self.store.le(
                        x,
                        self.store.const(
                            (a + b) // 2 if x.sort is INT else Fraction(a + b) / 2, x.sort
                        ),
                    )
                ]
        return []
