"""Does a property hold for an uninteresting reason? `vacuous` says so, where one question to a solver shows it.

A system whose first states all violate a constraint has no runs, and every property holds. A property `a implies b` says
nothing if no state that satisfies the invariant satisfies `a`. Both are remarks about a proved property, no part of its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.results.checking.solving import UNSAT, Link, Questions
from obligato.terms import Op, Term, TermStore

NO_RUNS = "no run satisfies the assumptions and assertions: every property holds"


def vacuous(
    system: TransitionSystem, certificate: SystemCertificate, links: Sequence[Link], tick: Callable[[], None]
) -> list[str]:
    """Remarks about properties that were proved by an accepted certificate."""
    store, memo = TermStore.raw(), dict[Term, Term]()

    def here(t: Term) -> Term:
        return store.import_term(t, memo)

    constraints = [here(c) for c in system.constraints]
    if constraints and _impossible([here(system.init), *constraints], [[]], links, tick)[0]:
        return [NO_RUNS]
    guarded = [p for p in system.assertions if p.formula.op is Op.IMPLIES]
    invariant = store.import_term(certificate.invariant)
    asked = _impossible([invariant, *constraints], [[here(p.formula.args[0])] for p in guarded], links, tick)
    return [f"no run reaches the condition of {p.name}" for p, never in zip(guarded, asked, strict=True) if never]


def _impossible(
    assertions: list[Term], questions: list[list[Term]], links: Sequence[Link], tick: Callable[[], None]
) -> list[bool]:
    """For each set of formulas: is it unsatisfiable together with the assertions, as far as a limited effort shows?"""
    asking = Questions(links, assertions, tick)
    try:
        # assertions and formulas: unsat - no state is like that; sat, unknown - nothing to remark   (heuristic)
        return [asking.ask(formulas, "vacuity", patient=False).result is UNSAT for formulas in questions]
    finally:
        asking.close()
