"""Facts that workers tell each other: formulas that hold in all reachable states of the input as it was read.

A fact travels as text over the input's own variables. `lowered` states it about an engine's model, which may lack variables
that a reduction left out; then the fact cannot be used there. `lifted` states what was found on a reduced CFA about the input.
Whoever uses a fact in a proof must make it part of the certificate, which is checked as a whole: a wrong fact costs a proof,
never a wrong verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from obligato.errors import InputError
from obligato.models.claims import Certificate, Lift
from obligato.terms import BOOL, Term, TermStore
from obligato.terms.printer import symbol, to_smtlib
from obligato.terms.smtlib import Scope, Source, TermReader, iter_sexprs


@dataclass(frozen=True, slots=True)
class Fact:
    """A formula (SMT-LIB) that holds whenever a location of a CFA is reached; in a transition system the location is 0."""

    formula: str
    location: int = 0


def lowered(fact: Fact, variables: Iterable[Term], store: TermStore) -> Term | None:
    """The fact as a formula of `store` over `variables`; None where it is about others, or no formula."""
    scope, source = Scope.initial(store), Source(fact.formula)
    for v in variables:
        (atom,) = iter_sexprs(Source(symbol(v.name)))
        scope.constants[str(atom)] = store.var(v.name, v.sort)
    try:
        (expression,) = iter_sexprs(source)
        formula = TermReader(store, scope, source).read(expression)
    except (InputError, ValueError):
        return None
    return formula if formula.sort is BOOL else None


def lifted(invariants: Mapping[int, Term], lift: Lift) -> list[Fact]:
    """Invariants by location of a reduced CFA as facts about the CFA before."""
    certificate = lift.certificate(Certificate(dict(invariants)))
    return [Fact(to_smtlib(formula), location) for location, formula in sorted(certificate.invariants.items())]
