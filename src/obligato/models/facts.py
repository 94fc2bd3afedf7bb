"""What workers tell each other about the input as it was read: formulas that hold in all reachable
states (facts), and up to which length no run violates a property (bounds).

A fact travels as text over the input's own variables. `parts` states it about an engine's model,
which may lack variables that a reduction left out; what is about those is not used there. `lifted`
states what was found on a reduced CFA about the input. Whoever uses a fact in a proof must make it
part of the certificate, which is checked as a whole:
a wrong fact costs a proof, never a wrong verdict.
A bound proves nothing for those who hear of it: it only says where to look for errors later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.errors import InputError
from obligato.models.claims import Certificate, Lift
from obligato.terms import BOOL, Op, Term, TermStore, conjuncts
from obligato.terms.printer import symbol, to_smtlib

if TYPE_CHECKING:
    from obligato.terms.smtlib import SExpr


@dataclass(frozen=True, slots=True)
class Fact:
    """A formula (SMT-LIB) that holds whenever a location of a CFA is reached;
    in a transition system the location is 0."""

    formula: str
    location: int = 0


@dataclass(frozen=True, slots=True)
class Bound:
    """No run of at most `steps` transitions violates one of these properties of a transition
    system."""

    steps: int
    properties: tuple[str, ...]


News = Fact | Bound


def parts(fact: Fact, variables: Iterable[Term], store: TermStore) -> list[Term]:
    """The conjuncts of a fact that are formulas over `variables`, in `store`;
    those about others are left out.

    A fact is printed with its shared parts named by `let` around the conjunction;
    those that cannot be read stay unnamed.
    """
    from obligato.terms.smtlib import Scope, SList, Source, TermReader, iter_sexprs

    scope, source = Scope.initial(store), Source(fact.formula)
    for v in variables:
        (atom,) = iter_sexprs(Source(symbol(v.name)))
        scope.constants[str(atom)] = store.var(v.name, v.sort)

    def read(expression: SExpr) -> Term | None:
        try:
            return TermReader(store, scope, source).read(expression)
        except (InputError, ValueError):
            return None

    try:
        (body,) = iter_sexprs(source)
    except (InputError, ValueError):
        return []
    while (
        isinstance(body, SList)
        and len(body) == 3
        and body[0] == "let"
        and isinstance(body[1], SList)
    ):
        named = {str(b[0]): read(b[1]) for b in body[1] if isinstance(b, SList) and len(b) == 2}
        scope.constants |= {name: value for name, value in named.items() if value is not None}
        body = body[2]
    conjuncts = body[1:] if isinstance(body, SList) and body and body[0] == "and" else [body]
    found = [f for c in conjuncts if (f := read(c)) is not None and f.sort is BOOL]
    return list(
        dict.fromkeys(
            p for f in found for p in (f.args if f.op is Op.AND else (f,)) if not p.is_const
        )
    )


def lifted(invariants: Mapping[int, Term], lift: Lift) -> list[Fact]:
    """Invariants by location of a reduced CFA as facts about the CFA before, one for each conjunct."""
    certificate = lift.certificate(Certificate(dict(invariants)))
    return [
        Fact(to_smtlib(formula), location)
        for location, invariant in sorted(certificate.invariants.items())
        if location in invariants
        for formula in conjuncts(invariant)
        if not formula.is_const
    ]
