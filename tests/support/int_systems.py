"""Random small systems over integers in a box, with a location, and an explicit-state oracle for
them.

Each step keeps the integers in 0 .. `TOP` (so the relation is not total), may be nondeterministic
in inputs and in unassigned next values, and moves a location of two Boolean variables.
"""

from __future__ import annotations

import random
from itertools import product

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import BOOL, INT, Term, TermStore, Value, evaluate

TOP = 4


def _linear(s: TermStore, r: random.Random, variables: list[Term]) -> Term:
    a, b = r.choice(variables), r.choice(variables)
    return s.add(a, r.choice((s.int_(1), s.int_(-1), s.int_(0), b, s.neg(b))))


def _guard(s: TermStore, r: random.Random, variables: list[Term]) -> Term:
    a, b = _linear(s, r, variables), r.choice((*variables, s.int_(r.randrange(TOP + 1))))
    return r.choice((s.le(a, b), s.lt(b, a), s.eq(a, b), s.not_(s.eq(a, b))))


def random_int_system(seed: int) -> TransitionSystem:
    """The system of a seed."""
    r, s = random.Random(seed), TermStore()
    data = [s.var(n, INT) for n in "xyz"[: r.choice((2, 2, 3))]]
    p, q, i = s.var("p", BOOL), s.var("q", BOOL), s.var("i", INT)
    inputs = [i] if r.random() < 0.6 else []
    rules = []
    for at in product((False, True), repeat=2):
        for _ in range(r.choice((1, 1, 2))):
            to = (r.random() < 0.5, r.random() < 0.5)
            moves = []
            for x in data:
                kind = r.random()
                if kind < 0.5:
                    moves.append(s.eq(next_var(x), x))
                elif kind < 0.95:
                    moves.append(s.eq(next_var(x), _linear(s, r, [*data, *inputs])))
            here = [s.eq(v, s.bool_(b)) for v, b in zip((p, q), at, strict=True)]
            there = [s.eq(next_var(v), s.bool_(b)) for v, b in zip((p, q), to, strict=True)]
            rules.append(
                s.and_(*here, *there, *([_guard(s, r, data)] if r.random() < 0.7 else []), *moves)
            )
    box = [c for x in data for c in (s.le(s.int_(0), next_var(x)), s.le(next_var(x), s.int_(TOP)))]
    start = [
        s.eq(x, s.int_(r.randrange(TOP + 1)))
        if r.random() < 0.8
        else s.and_(s.le(s.int_(0), x), s.le(x, s.int_(TOP)))
        for x in data
    ]
    init = s.and_(s.not_(p), s.not_(q), *start)
    constraints = tuple(
        [s.and_(s.le(s.int_(0), j), s.le(j, s.int_(2))) for j in inputs]
        + ([_guard(s, r, [*data, *inputs])] if r.random() < 0.3 else [])
    )
    bad = s.and_(
        r.choice((p, s.not_(q))),
        _guard(s, r, [*data, *(inputs if r.random() < 0.3 else [])]),
        _guard(s, r, data),
    )
    return TransitionSystem(
        s,
        (*data, p, q),
        tuple(inputs),
        init,
        s.and_(s.or_(*rules), *box),
        (Assertion("good", s.not_(bad)),),
        constraints,
    )


def box_states(system: TransitionSystem) -> list[dict[Term, Value]]:
    """All states in the box."""
    values = [range(TOP + 1) if x.sort is INT else (False, True) for x in system.state]
    return [dict(zip(system.state, v, strict=True)) for v in product(*values)]


def box_depth(system: TransitionSystem) -> int | None:
    """Steps of a shortest run to a violation; None: there is none. Inputs are in -1 .. 5, more than
    constraints allow.
    """
    states = box_states(system)
    inputs = [
        dict(zip(system.inputs, v, strict=True))
        for v in product(range(-1, 6), repeat=len(system.inputs))
    ]
    layer = [s for s in states if evaluate(system.init, s)]
    seen = {tuple(s.values()) for s in layer}
    depth = 0
    while layer:
        following = []
        for state, i in product(layer, inputs):
            now = {**state, **i}
            if not all(evaluate(c, now) for c in system.constraints):
                continue
            if not all(evaluate(p.formula, now) for p in system.assertions):
                return depth
            for after in states:
                key = tuple(after.values())
                if key not in seen and evaluate(
                    system.trans, {**now, **{system.primed[x]: v for x, v in after.items()}}
                ):
                    seen.add(key)
                    following.append(after)
        layer, depth = following, depth + 1
    return None
