"""`rank` on transition systems: is there no fair run? For systems over integers and reals, where
`fair` does not work.

A lasso of a few steps is looked for first (BMC with a saved state [BAS02], which can only refute
here: a state need not come back where there are infinitely many). Then a rank is sought of the
system as an automaton with two locations, one of them after steps that complete a round of all
fairness sets (`models.monitors.with_rounds`). `prove_live` carries the idea.

Limitations: linear ranks over integers and words, none over reals; a lasso comes back to the same
state.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.engines.environment import Environment
from obligato.engines.l2s import short_lasso
from obligato.engines.rank.options import Options
from obligato.engines.rank.run import prove
from obligato.models.claims import Trace
from obligato.models.control_flow import ControlFlow, two_locations
from obligato.models.control_lift import ControlLift
from obligato.models.live_claims import Lasso, Ranked
from obligato.models.monitors import ROUND, with_rounds
from obligato.models.rank_claims import BuchiCFA, Endless, Ranking
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import sorts_of
from obligato.program.graphs import components
from obligato.results.outcome import LiveResult, Verdict
from obligato.smt.factory import solver_factory
from obligato.terms import Kind, Term, TermStore

WIDTH = 2  # bits of the component of a rank that counts locations


def prove_live(system: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    """A lasso or a rank of a system with one justice property."""
    return short_lasso(system, options.lasso_steps, env) or _ranked(
        with_rounds(system), options, env
    )


def _ranked(monitored: TransitionSystem, options: Options, env: Environment) -> LiveResult:
    flow = two_locations(monitored, monitored.store.var(ROUND, monitored.store.true.sort))
    cfa = replace(flow.cfa, keep=tuple(flow.values))
    accepting = frozenset(loc for loc, values in flow.values.items() if values[0])
    result = prove(
        BuchiCFA(cfa, accepting), replace(options, recurrence=False, counters=False), env
    )
    if isinstance(result.claim, Ranking):
        return LiveResult(Verdict.TRUE, _stated(flow, result.claim), stats=result.stats)
    closed = _lasso(flow, result.claim) if isinstance(result.claim, Endless) else None
    if closed is not None:
        return LiveResult(Verdict.FALSE, trace=closed, stats=result.stats)
    return LiveResult(Verdict.UNKNOWN, reason=result.reason, stats=result.stats)


def _stated(flow: ControlFlow, claim: Ranking) -> Ranked:
    """The invariants and ranks of the two locations as one invariant and one tuple of the
    system.
    """
    s = flow.cfa.store
    after = {loc: values[0] for loc, values in flow.values.items()}
    round_ = s.var(ROUND, s.true.sort)
    known = {loc: f for loc, f in claim.certificate.invariants.items() if loc in after}
    known.update({loc: s.false for loc in after if loc not in _reached(flow)})
    held = [s.implies(round_ if after[loc] else s.not_(round_), f) for loc, f in known.items()]
    shape = max(claim.ranks.values(), key=len, default=())
    tuples = {
        loc: (n, *claim.ranks.get(loc, tuple(_zero(s, t) for t in shape)))
        for loc, n in _ordered(flow).items()
    }
    yes, no = (next(t for loc, t in tuples.items() if after[loc] is side) for side in (True, False))
    return Ranked(s.and_(*held), tuple(s.ite(round_, a, b) for a, b in zip(yes, no, strict=True)))


def _reached(flow: ControlFlow) -> dict[int, None]:
    """The locations to which some way leads; ranks say nothing about the others, so that their
    invariant is false.
    """
    seen, waiting = {flow.cfa.initial: None}, [flow.cfa.initial]
    while waiting:
        new = [e.target for e in flow.cfa.out(waiting.pop()) if e.target not in seen]
        seen.update(dict.fromkeys(new))
        waiting += new
    return seen


def _ordered(flow: ControlFlow) -> dict[int, Term]:
    """A number for each location that decreases where a run leaves a strongly connected part for
    good.
    """
    targets = {
        loc: [e.target for e in flow.cfa.out(loc) if e.target in flow.values] for loc in flow.values
    }
    return {
        loc: flow.cfa.store.bv(n, WIDTH)
        for n, part in enumerate(components(list(flow.values), targets))
        for loc in part
    }


def _zero(store: TermStore, like: Term) -> Term:
    return store.int_(0) if like.sort.kind is Kind.INT else store.bv(0, like.sort.width)


def _lasso(flow: ControlFlow, claim: Endless) -> Lasso | None:
    """The run of the system, if its loop comes back to the same state. The first edge of the trace
    gives initial values.
    """
    again = Trace(claim.trace.initial, (*claim.trace.steps, claim.trace.steps[claim.loop]))
    lift = ControlLift(flow, solver_factory(sorts_of(flow.system)))
    steps, loop = lift.trace(again).steps, claim.loop - 1
    return Lasso(steps[:-1], loop) if loop >= 0 and steps[-1].state == steps[loop].state else None
