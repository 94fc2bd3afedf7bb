"""Transition systems as VMT-LIB. Constraints become part of :trans and guard the properties, which
is the same.

Fairness is a premise of temporal properties; a justice property says that its sets are not all
taken again and again.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.errors import Unsupported
from obligato.frontends.vmt.temporal import formula_of, temporal_text
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term
from obligato.terms.printer import symbol, to_smtlib


def vmt_text(system: TransitionSystem) -> str:
    """The system as a VMT-LIB script; properties are numbered in their order unless their names are
    numbers.
    """
    return "\n".join(_lines(system))


def _lines(system: TransitionSystem) -> Iterator[str]:
    if system.branching:
        raise Unsupported("formulas of branching time are not written as VMT", construct="CTL")
    store = system.store
    variables = (*system.state, *system.primed.values(), *system.inputs)
    mark = "."
    while any(v.name.startswith(mark) for v in variables):
        mark += "."

    def defined(name: str, term: Term, attributes: str) -> str:
        return f"(define-fun {mark}{name} () {term.sort} (! {to_smtlib(term)} {attributes}))"

    yield from (f"(declare-fun {symbol(v.name)} () {v.sort})" for v in variables)
    yield from (
        defined(f"sv{n}", x, f":next {symbol(y.name)}")
        for n, (x, y) in enumerate(system.primed.items())
    )
    yield defined("init", system.init, ":init true")
    yield defined("trans", store.and_(*system.constraints, system.trans), ":trans true")
    named = all(p.name.isdecimal() for p in system.assertions)
    for n, p in enumerate(system.assertions):
        claim = (
            store.implies(store.and_(*system.constraints), p.formula)
            if system.constraints
            else p.formula
        )
        yield defined(f"property{n}", claim, f":invar-property {p.name if named else n}")
    for n, live in enumerate(system.temporal):
        text = temporal_text(formula_of(live, system.fairness))
        yield f"(define-fun {mark}ltl{n} () Bool (! {text} :ltl-property {n}))"
    yield from (
        defined(f"predicate{n}", p, ":predicate true") for n, p in enumerate(system.predicates)
    )
