"""How the exchange between engines (`engines.exchange`) is stated about the models that the pipeline
makes: a reduced automaton, a reduced system, and recovered control flow of a system.

At a location of recovered control flow a formula about the system is what it says there with the
values of the counters put in; the other way round it says "if the counters are there". Between cut
points nothing is said, so that such a fact may need several steps to be inductive: then it is not
kept where there is one location only, and suggests predicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from obligato.engines.exchange import Exchange, Mail
from obligato.models.claims import conjoined
from obligato.models.facts import Fact, lifted, parts
from obligato.models.ts_claims import SystemCertificate
from obligato.terms import Term, TermStore, conjuncts, free_vars, substitute
from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.claims import Lift
    from obligato.models.control_flow import ControlFlow
    from obligato.models.transition_system import TransitionSystem
    from obligato.models.ts_reduce import SystemLift

Formulas = Mapping[int, Sequence[Term]]


def about_system(
    mail: Mail | None, system: TransitionSystem, small: TransitionSystem, lift: SystemLift
) -> Exchange | None:
    """The exchange of an engine on `small`, which was made of `system`; None: there is none."""

    def out(formulas: Formulas) -> list[Fact]:
        stated = [lift.certificate(SystemCertificate(f)).invariant for f in formulas.get(0, ())]
        found = dict.fromkeys(c for f in stated for c in conjuncts(f) if not c.is_const)
        return [Fact(to_smtlib(f)) for f in found]

    def into(fact: Fact) -> Formulas:
        return {0: parts(fact, small.state, small.store)}

    about = tuple(p.name for p in system.assertions)
    return None if mail is None else Exchange(mail, out, into, about)


def about_cfa(mail: Mail | None, small: CFA, lift: Lift) -> Exchange | None:
    """The exchange of an engine on `small`, which a reduction with this lift made."""
    inner = frozenset(small.inner)

    def out(formulas: Formulas) -> list[Fact]:
        return [f for f in lifted(conjoined(small, formulas), lift) if formulas.get(f.location)]

    def into(fact: Fact) -> Formulas:
        if fact.location not in inner:
            return {}
        return {fact.location: parts(fact, small.variables, small.store)}

    return None if mail is None else Exchange(mail, out, into)


def along_flow(exchange: Exchange, flow: ControlFlow, cfa: CFA) -> Exchange:
    """The exchange of an engine on recovered control flow, from which reductions made `cfa`."""
    system, kept = flow.system.store, frozenset(cfa.variables)
    at = {
        n: dict(zip(flow.counters, map(system.const, values, _sorts(flow)), strict=True))
        for n, values in flow.values.items()
    }

    def out(formulas: Formulas) -> dict[int, list[Term]]:
        found, own = [], TermStore()  # the search is not to depend on what is told
        for n in (n for n in formulas if n in at):
            pins = (*at[n].items(), *flow.pinned.get(n, ()))
            here = own.and_(*(own.eq(own.import_term(x), own.import_term(v)) for x, v in pins))
            found += [own.implies(here, own.import_term(f)) for f in formulas[n]]
        return {0: found}

    def into(formulas: Formulas) -> dict[int, list[Term]]:
        return {n: said for n in cfa.inner if n in at and (said := _said(formulas.get(0, ()), n))}

    def _said(formulas: Sequence[Term], n: int) -> list[Term]:
        there = [substitute(f, {**dict(flow.pinned.get(n, ())), **at[n]}) for f in formulas]
        own = (cfa.store.import_term(f) for f in dict.fromkeys(there) if f is not system.true)
        return [f for f in own if all(x in kept for x in free_vars(f))]

    return exchange.within(out, into)


def _sorts(flow: ControlFlow) -> list[Any]:
    return [x.sort for x in flow.counters]
