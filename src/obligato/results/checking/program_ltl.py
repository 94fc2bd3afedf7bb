"""Does a run of a program violate a temporal formula?
The formula is evaluated on the run itself, without any automaton.

The run is a lasso (`models.rank_claims.Endless`), or it has ended (its `loop` is the number of its
steps) and stays where it is. Its letters are the states after each edge, but for the first `silent`
edges, which give globals their initial values. It is executed on the CFA of the untouched program
and replayed by the interpreter. A loop must bring back all variables on which its guards or the
atoms of the formula depend, in this round or a later one:
then the word of the letters goes round, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.models.cfa import CFA
from obligato.models.gcl import is_choice_free
from obligato.models.ltl import Formula, atoms
from obligato.models.rank_claims import Endless
from obligato.results.checking.endless import needed_again, walked
from obligato.results.checking.lasso import holds_on
from obligato.results.checking.trace import Replay, TraceCheck, TraceStatus
from obligato.terms import Term, Value, evaluate, free_vars


def check_violation(
    cfa: CFA,
    formula: Formula,
    silent: int,
    claim: Endless,
    replay: Replay,
    tick: Callable[[], None] = lambda: None,
) -> TraceCheck:
    """Check that the claimed run exists and violates the formula."""
    wrong = _misshapen(cfa, silent, claim)
    if wrong is not None:
        return TraceCheck(TraceStatus.REJECTED, wrong)
    edges = [cfa.by_id[s.edge] for s in claim.trace.steps]
    states, found = walked(cfa, claim.trace, replay, tick)
    trace = found.trace
    if found.status is not TraceStatus.CONFIRMED:
        return found
    observed = free_vars(*atoms(formula))
    for x in needed_again(edges[claim.loop :], observed) if claim.loop < len(edges) else ():
        if x in states[-1] and states[claim.loop][x] != states[-1][x]:
            return TraceCheck(TraceStatus.LOST, f"the loop changes {x.name}", trace)
    letters = [*states[silent + 1 :], *([states[-1]] if claim.loop == len(edges) else [])]
    if _holds(formula, letters, claim.loop - silent):
        return TraceCheck(TraceStatus.REJECTED, "the run satisfies the formula", trace)
    return found


def _misshapen(cfa: CFA, silent: int, claim: Endless) -> str | None:
    """Why the steps are no path that goes on for ever, or stays at its end."""
    here, visited = cfa.initial, [cfa.initial]
    for n, step in enumerate(claim.trace.steps, 1):
        edge = cfa.by_id.get(step.edge)
        if edge is None or edge.source != here or not is_choice_free(edge.command):
            return f"step {n}: edge {step.edge} does not start at {cfa.locations[here].name}"
        here = edge.target
        visited.append(here)
    if claim.sets or claim.trace.repeats or not silent <= claim.loop <= len(claim.trace.steps):
        return "it is no run with a loop"
    if claim.loop == len(claim.trace.steps):
        return None if here != cfa.error and not cfa.out(here) else "the run has not ended"
    return None if visited[claim.loop] == here else "the last step does not lead back to the loop"


def _holds(formula: Formula, letters: Sequence[dict[Term, Value]], loop: int) -> bool:
    """Is the formula true of the word of these letters,
    of which those from `loop` on come again and again?"""
    values = {a: [bool(evaluate(a, letter)) for letter in letters] for a in atoms(formula)}
    return holds_on(formula, values, len(letters), loop)[0]
