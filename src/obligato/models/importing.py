"""The same CFA, with the same numbers, in another store:
from the raw one of the program to a simplifying one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import Term, TermStore


def import_cfa(cfa: CFA, store: TermStore) -> CFA:
    """`cfa` with every term rebuilt in `store`."""
    memo: dict[Term, Term] = {}

    def here(t: Term) -> Term:
        return store.import_term(t, memo)

    return replace(
        cfa,
        store=store,
        variables=tuple(map(here, cfa.variables)),
        inputs=tuple(map(here, cfa.inputs)),
        edges=tuple(replace(e, command=map_terms(e.command, here)) for e in cfa.edges),
    )


def map_terms(command: Command, f: Callable[[Term], Term]) -> Command:
    """A command with `f` applied to its terms (to assigned variables as well)."""
    match command:
        case Assign():
            return Assign(tuple((f(x), f(e)) for x, e in command.pairs))
        case Assume():
            return Assume(f(command.condition))
        case Seq():
            return Seq(tuple(map_terms(c, f) for c in command.parts))
        case Choice():
            return Choice(tuple(map_terms(c, f) for c in command.branches))
        case Tagged():
            return Tagged(command.edge, map_terms(command.command, f))
