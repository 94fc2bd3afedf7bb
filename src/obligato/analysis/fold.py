"""Folding by constants and by intervals: conditions that are decided disappear, and with them the
code behind false ones.

`fold_constants` puts known values into expressions; `fold_ranges` decides conjuncts of conditions
by the ranges of their variables.  Both remember on which variables they relied; the lift states the
facts about these (and, for ranges, about the variables that theirs were derived from), no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from obligato.analysis.abstract_eval import evaluate_range
from obligato.analysis.clean import rebuilt
from obligato.analysis.commands import Leaf, assumption, edited, mapped, terms_of
from obligato.analysis.constants import ConstantAnalysis, evaluated
from obligato.analysis.dataflow import solve
from obligato.analysis.intervals import IntervalAnalysis, as_formulas
from obligato.analysis.maps import MapAnalysis, NeededAt, known_of
from obligato.analysis.persistent import FactMap
from obligato.analysis.refine import State
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Lift
from obligato.models.gcl import Assign, Assume, Command, walk
from obligato.terms import Term, conjuncts, free_vars

NARROWING = 3


def fold_constants(cfa: CFA) -> tuple[CFA, Lift]:
    """Constant propagation and folding."""
    return with_known(cfa, ConstantAnalysis(cfa, NeededAt.of(cfa)), _conditions_of_dropped)


def with_known(
    cfa: CFA,
    analysis: MapAnalysis[Term],
    also: Callable[[CFA, list[Edge]], Iterable[Term]] = lambda old, edges: (),
) -> tuple[CFA, Lift]:
    """The automaton with each variable replaced by what the analysis says that it equals. The lift
    states these equations for the variables that were replaced and for those that `also` names,
    given the edges that are left.
    """
    solution = solve(cfa, analysis)
    relied: dict[Term, None] = {}

    def edit(command: Leaf, state: FactMap[Term]) -> Command:
        if not state:
            return command
        relied.update((v, None) for t in terms_of(command) for v in free_vars(t) if v in state)
        return mapped(command, lambda t: evaluated(t, state))

    edges = edited(solution, analysis, edit)
    relied.update(dict.fromkeys(also(cfa, edges)))

    def facts(locations: Iterable[int]) -> dict[int, list[Term]]:
        told = known_of(solution.at(locations), relied)
        return {loc: [cfa.store.eq(x, value) for x, value in known] for loc, known in told.items()}

    return rebuilt(cfa, edges, facts)


def fold_ranges(cfa: CFA) -> tuple[CFA, Lift]:
    """Conditions decided by intervals."""
    analysis = IntervalAnalysis(cfa, NeededAt.of(cfa))
    solution = solve(cfa, analysis, NARROWING)
    relied: dict[Term, None] = {}

    def edit(command: Leaf, state: State) -> Command:
        if not isinstance(command, Assume) or not state:
            return command
        parts = conjuncts(command.condition)
        known = [evaluate_range(c, state) for c in parts]
        if all(k is None for k in known):
            return command
        relied.update(
            (v, None)
            for c, k in zip(parts, known, strict=True)
            if k is not None
            for v in free_vars(c)
        )
        return assumption(
            cfa.store.and_(*(c for c, k in zip(parts, known, strict=True) if k is None))
        )

    edges = edited(solution, analysis, edit)
    relied.update(dict.fromkeys(_conditions_of_dropped(cfa, edges)))
    sources = _sources(cfa, relied) if relied else {}

    def facts(locations: Iterable[int]) -> dict[int, list[Term]]:
        told = known_of(solution.at(locations), sources) if sources else {}
        return {
            loc: [f for x, r in known for f in as_formulas(cfa.store, x, r)]
            for loc, known in told.items()
        }

    return rebuilt(cfa, edges, facts)


def _conditions_of_dropped(cfa: CFA, edges: list[Edge]) -> Iterable[Term]:
    """The variables in conditions of edges that were found to be impassable."""
    left = {e.id for e in edges}
    gone = (c for e in cfa.edges if e.id not in left for c in walk(e.command))
    return (v for c in gone if isinstance(c, Assume) for v in free_vars(c.condition))


def _sources(cfa: CFA, variables: Iterable[Term]) -> dict[Term, None]:
    """All variables from whose ranges those of `variables` may have been derived: by assignment, or
    within a condition.
    """
    near: dict[Term, dict[Term, None]] = {}
    for e in cfa.edges:
        for c in walk(e.command):
            if isinstance(c, Assign):
                for x, t in c.pairs:
                    near.setdefault(x, {}).update(free_vars(t))
            elif isinstance(c, Assume):
                together = free_vars(c.condition)
                for x in together:
                    near.setdefault(x, {}).update(together)
    found = dict.fromkeys(v for v in variables)
    stack = list(found)
    while stack:
        for y in near.get(stack.pop(), ()):
            if y not in found:
                found[y] = None
                stack.append(y)
    return found
