"""Random systems over integers in a box with a justice property, and whether one has a fair run, by
explicit states.

A vertex is a state, an edge a step with its inputs; there is a fair run iff some strongly connected
part that can be reached takes a step in every set.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

from obligato.models.properties import Justice
from obligato.models.transition_system import TransitionSystem
from obligato.program.graphs import components
from obligato.terms import Term, Value, evaluate
from tests.support.int_systems import box_states, random_int_system

State = tuple[Value, ...]


def random_int_live(seed: int) -> TransitionSystem:
    """A system with one or two justice sets, and perhaps a fairness set."""
    base, rng = random_int_system(seed), Random(seed)
    s, sets = base.store, [p.formula for p in base.assertions]
    for _ in range(3):
        x = rng.choice(base.state)
        sets.append(
            rng.choice((x, s.not_(x)))
            if x.sort is s.true.sort
            else s.le(x, s.int_(rng.randrange(4)))
        )
    rng.shuffle(sets)
    return replace(
        base,
        properties=(Justice("justice0", tuple(sets[: rng.choice((1, 1, 2))])),),
        fairness=tuple(sets[2:3]) if rng.random() < 0.3 else (),
    )


def has_fair_run(system: TransitionSystem) -> bool:
    """Does a run take a step in every set again and again?"""
    (p,) = system.temporal
    assert isinstance(p, Justice)
    sets, steps = [*p.sets, *system.fairness], _steps(system)
    graph = {a: [b for b, _ in found] for a, found in steps.items()}
    return any(_fair(set(part), steps, sets) for part in components(graph, graph))


def _fair(
    part: set[State], steps: dict[State, list[tuple[State, dict[Term, Value]]]], sets: list[Term]
) -> bool:
    inside = [now for a in part for b, now in steps[a] if b in part]
    return bool(inside) and all(any(evaluate(f, now) for now in inside) for f in sets)


def _steps(system: TransitionSystem) -> dict[State, list[tuple[State, dict[Term, Value]]]]:
    """The successors of all reachable states, with the state and the inputs of the step; inputs are
    in 0 .. 2.
    """
    states = box_states(system)
    stack = [tuple(s.values()) for s in states if evaluate(system.init, s)]
    inputs = [
        dict(zip(system.inputs, v, strict=True))
        for v in product(range(3), repeat=len(system.inputs))
    ]
    found: dict[State, list[tuple[State, dict[Term, Value]]]] = {}
    while stack:
        here = stack.pop()
        if here in found:
            continue
        found[here] = []
        for given in inputs:
            now = {**dict(zip(system.state, here, strict=True)), **given}
            if not all(evaluate(c, now) for c in system.constraints):
                continue
            for after in states:
                if evaluate(
                    system.trans, {**now, **{system.primed[x]: v for x, v in after.items()}}
                ):
                    found[here].append((tuple(after.values()), now))
        stack += [b for b, _ in found[here]]
    return found
