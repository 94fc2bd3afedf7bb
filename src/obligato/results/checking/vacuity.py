"""Does a property hold for an uninteresting reason?
`vacuous` says so, where one question to a solver shows it.

A system whose first states all violate a constraint has no runs, and every property holds; one
whose second states all do has none but those of one step. A property `a implies b` says
nothing if no state that satisfies the invariant satisfies `a`. Both are remarks about a proved
property, no part of its proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from obligato.results.checking.solving import HURRIED, UNSAT, Link, Questions
from obligato.terms import Op, Substitution, Term, TermStore

if TYPE_CHECKING:
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_claims import SystemCertificate

NO_RUNS = "no run satisfies the assumptions and assertions: every property holds"
NO_STEP = "no run satisfies the assumptions and assertions for more than its first step"


def vacuous(
    system: TransitionSystem,
    certificate: SystemCertificate,
    links: Sequence[Link],
    tick: Callable[[], None],
) -> list[str]:
    """Remarks about properties that were proved by an accepted certificate."""
    store, memo = TermStore.raw(), dict[Term, Term]()

    def here(t: Term) -> Term:
        return store.import_term(t, memo)

    constraints = [here(c) for c in system.constraints]
    if constraints:
        second = [here(f) for f in (system.trans, *_later(system))]
        never, alone = _impossible([here(system.init), *constraints], [[], second], links, tick)
        if never:
            return [NO_RUNS]
        if alone:
            return [NO_STEP]
    guarded = [p for p in system.assertions if p.formula.op is Op.IMPLIES]
    invariant = store.import_term(certificate.invariant)
    asked = _impossible(
        [invariant, *constraints], [[here(p.formula.args[0])] for p in guarded], links, tick
    )
    return [
        f"no run reaches the condition of {p.name}"
        for p, never in zip(guarded, asked, strict=True)
        if never
    ]


def _later(system: TransitionSystem) -> list[Term]:
    """The constraints on the next state, with inputs of its own."""
    inputs = {i: system.store.var(f"{i.name}'", i.sort) for i in system.inputs}
    put = Substitution({**system.primed, **inputs})
    return [put(c) for c in system.constraints]


def _impossible(
    assertions: list[Term],
    questions: list[list[Term]],
    links: Sequence[Link],
    tick: Callable[[], None],
) -> list[bool]:
    """For each set of formulas: is it unsatisfiable together with the assertions,
    as far as a limited effort shows?"""
    with closing(Questions(links, assertions, tick)) as asking:
        # assertions and formulas: unsat - no state is like that;
        # sat, unknown - nothing to remark   (heuristic)
        return [asking.ask(formulas, "vacuity", HURRIED).result is UNSAT for formulas in questions]
