"""An automaton with one location beside start and error,
as a transition system over its variables, without a counter.

Horn clauses about one relation are such an automaton: initial states, one step, violations. A next
value that the step chooses (an input that is assigned as it is) becomes the next state's variable,
so that the relation says x' = 1 where the clause does, and control flow that it codes is found
(`models.control_flow`).

    start -> l   init        l -> l   trans        l -> error   not the property

each a guard with the final values put in.

A run of n + 1 states is the path of the first edge, n times the second one, and the third.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate, Trace, TraceStep
from obligato.models.effect import path_effect
from obligato.models.gcl import Choice, walk
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import Substitution, Term, free_vars


@dataclass(frozen=True, slots=True)
class LoopSystem:
    """The system, and what its claims say about the automaton with these edges."""

    system: TransitionSystem
    enters: Edge
    steps: Edge
    leaves: Edge

    def certificate(self, invariant: Term) -> Certificate:
        """An invariant of the system, at the location."""
        return Certificate({self.steps.source: invariant})

    def trace(self, states: int) -> Trace:
        """The path that a run of so many states takes; its values are left open."""
        path = [self.enters, *[self.steps] * (states - 1), self.leaves]
        return Trace({}, tuple(TraceStep(e.id, {}) for e in path))


def loop_system(cfa: CFA) -> LoopSystem | None:
    """The system of an automaton of three such edges without choices; None:
    it is another one, or chooses more at the start."""
    ends = {(cfa.initial, False): 0, (cfa.error, True): 2}
    found: list[Edge | None] = [None, None, None]
    for e in cfa.edges:
        place = ends.get((e.source, False), ends.get((e.target, True), 1))
        if found[place] is not None or any(isinstance(c, Choice) for c in walk(e.command)):
            return None
        found[place] = e
    enters, steps, leaves = found
    if (
        enters is None
        or steps is None
        or leaves is None
        or not enters.target == steps.source == steps.target == leaves.source
    ):
        return None
    init = _relation(cfa, enters, {x: x for x in cfa.variables})
    trans = _relation(cfa, steps, {x: next_var(x) for x in cfa.variables})
    bad = cfa.store.and_(*path_effect(cfa.store, leaves.command).guard)
    if _reads(cfa, enters) or any(v in cfa.input_set for v in free_vars(init)):
        return None
    named = free_vars(trans, bad)
    inputs = tuple(i for i in cfa.inputs if i in named)
    system = TransitionSystem(
        cfa.store,
        tuple(cfa.variables),
        inputs,
        init,
        trans,
        (Assertion("reach", cfa.store.not_(bad)),),
        display=dict(cfa.display),
    )
    return LoopSystem(system, enters, steps, leaves)


def _reads(cfa: CFA, edge: Edge) -> bool:
    """Does an edge depend on the values before it? Values that it does not assign stay."""
    effect = path_effect(cfa.store, edge.command)
    variables = set(cfa.variables)
    return any(v in variables for v in free_vars(*effect.guard, *effect.pull.mapping.values()))


def _relation(cfa: CFA, edge: Edge, after: dict[Term, Term]) -> Term:
    """Guard and final values of an edge, `after` being the variables that have them;
    inputs that are assigned are these."""
    s, effect = cfa.store, path_effect(cfa.store, edge.command)
    chosen: dict[Term, Term] = {}
    equations: list[Term] = []
    for x, y in after.items():
        value = effect.pull.mapping.get(x, x)
        if value in cfa.input_set and value not in chosen:
            chosen[value] = y
        elif value is not y:
            equations.append(s.eq(y, value))
    return Substitution(chosen)(s.and_(*effect.guard, *equations))
