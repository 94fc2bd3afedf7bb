"""Transition systems: the encoding of a CFA agrees with exploration, and runs and formulas map
back.
"""

from __future__ import annotations

import json
from itertools import product

import pytest

from obligato.errors import InternalError
from obligato.models.blocks import large_blocks
from obligato.models.cfa import CFA
from obligato.models.cfa_to_ts import PartialStep, TSLift, to_transition_system
from obligato.models.claims import Trace
from obligato.models.dot import command_text, to_dot, to_json
from obligato.models.gcl import Assume, Choice, Seq
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.unrolling import Unrolling
from obligato.smt import SAT, UNSAT
from obligato.smt.factory import make_solver
from obligato.terms import BOOL, INT, Term, TermStore, Value, evaluate, free_vars
from tests.cfas import ERROR, assign, make_cfa
from tests.small_cfas import domain, replays, small_cfas


def reach(
    system: TransitionSystem, lift: TSLift, starts: list[dict[Term, Value]], inputs: list[Term]
) -> Trace | None:
    """Breadth first by the next-state functions; a trace to a violation, None if there is none."""
    assert system.next is not None
    (bad,) = (system.store.not_(p.formula) for p in system.assertions)
    nodes = [tuple(s[x] for x in system.state) for s in starts]
    back: dict[tuple[Value, ...], tuple[tuple[Value, ...], dict[Term, Value]] | None] = (
        dict.fromkeys(nodes)
    )
    for node in nodes:
        state = dict(zip(system.state, node, strict=True))
        if evaluate(bad, state):
            return lift.trace(_path(system, back, node))
        assert isinstance(node[0], int)
        location = lift.location.get(node[0], -1)
        used = [i for i in inputs if location in lift.effects and i in relevant(lift, location)]
        for chosen in product(*(domain(i.sort) for i in used)):
            values = {**state, **dict(zip(used, chosen, strict=True))}
            after = tuple(evaluate(system.next[x], values) for x in system.state)
            if after not in back:
                back[after] = (node, dict(zip(used, chosen, strict=True)))
                nodes.append(after)
    return None


def relevant(lift: TSLift, location: int) -> dict[Term, None]:
    effect = lift.effects[location]
    return free_vars(*effect.guard, *(effect.pull(x) for x in (lift.counter, *lift.cfa.variables)))


def _path(
    system: TransitionSystem,
    back: dict[tuple[Value, ...], tuple[tuple[Value, ...], dict[Term, Value]] | None],
    node: tuple[Value, ...],
) -> list[PartialStep]:
    steps: list[PartialStep] = []
    while (link := back[node]) is not None:
        node, inputs = link
        steps.append(PartialStep(dict(zip(system.state, node, strict=True)), inputs))
    return steps[::-1]


def compare(seeds: range) -> None:
    for sample in small_cfas(seeds, starts=6):
        for cfa in (sample.cfa, large_blocks(sample.cfa, limit=5)):
            system, lift = to_transition_system(cfa)
            start = {lift.counter: lift.number[cfa.initial]}
            starts = [{**start, **{v: s[v.name] for v in cfa.variables}} for s in sample.starts]
            assert all(evaluate(system.init, s) for s in starts)
            trace = reach(system, lift, starts, list(system.inputs))
            assert (trace is None) is (sample.explored.trace is None), sample.seed
            assert trace is None or replays(sample.cfa, trace), sample.seed


def test_encoding_agrees_with_exploration() -> None:
    compare(range(40))


@pytest.mark.slow
def test_encoding_agrees_with_exploration_on_many() -> None:
    compare(range(1000, 3000))


def counter(s: TermStore) -> CFA:
    x = s.var("x", INT)
    return make_cfa(
        s,
        [x],
        [
            (0, 1, assign(x, s.int_(0))),
            (1, 1, Seq((Assume(s.lt(x, s.int_(3))), assign(x, s.add(x, s.int_(1)))))),
            (1, ERROR, Assume(s.gt(x, s.int_(2)))),
        ],
    )


def test_unrolling_finds_the_shortest_violation() -> None:
    s = TermStore()
    system, lift = to_transition_system(counter(s))
    unrolling, solver = Unrolling(system), make_solver([INT])
    solver.add(unrolling.at(system.init, 0))
    for k in range(6):
        # a run of k steps ends in a violation: sat at k = 5 only (entry, three rounds, exit)
        solver.add(unrolling.constraint(k))
        assert solver.check([unrolling.bad(k)]) is (SAT if k == 5 else UNSAT)
        if k < 5:
            solver.add(unrolling.step(k))
    symbols = [*system.state, *system.inputs]
    model = {(v, k): solver.value(unrolling.var(v, k)) for v in symbols for k in range(6)}
    steps = [
        PartialStep({v: model[v, k] for v in system.state}, {v: model[v, k] for v in system.inputs})
        for k in range(5)
    ]
    assert [t.edge for t in lift.trace(steps).steps] == [0, 1, 1, 1, 2]
    solver.close()


def test_certificates_are_read_off_location_by_location() -> None:
    s = TermStore()
    cfa = counter(s)
    _, lift = to_transition_system(cfa)
    at_one = s.eq(lift.counter, s.int_(lift.number[1]))
    bound = s.le(s.var("x", INT), s.int_(3))
    assert lift.certificate(s.implies(at_one, bound)).invariants == {1: bound}


def test_a_total_functional_system() -> None:
    """Every state and input has exactly one successor: that is what `total` and `next` promise."""
    for sample in small_cfas(range(6), starts=2):
        system, _ = to_transition_system(sample.cfa)
        assert system.total and system.next is not None
        assert system.trans is functional(system.store, system.next)
        goal = system.store.not_(system.assertions[0].formula)
        assert not any(v in system.primed.values() for v in free_vars(system.pull(goal)))


def test_vocabulary_is_checked() -> None:
    s = TermStore()
    x, y = s.var("x", BOOL), s.var("y", BOOL)
    trans = s.eq(next_var(x), s.not_(x))
    system = TransitionSystem(s, (x,), (), x, trans, (Assertion("p", x),))
    assert system.prime(x) is next_var(x)
    with pytest.raises(InternalError, match="init of a transition system is about y"):
        TransitionSystem(s, (x,), (), y, trans, ())
    with pytest.raises(InternalError, match="no next-state functions"):
        system.pull(x)


def test_pictures() -> None:
    s = TermStore()
    cfa = counter(s)
    dot = to_dot(cfa)
    assert dot.startswith('digraph "cfa" {') and "  1 -> 1 [label=" in dot and dot.count("->") == 3
    data = to_json(cfa)
    assert json.loads(json.dumps(data)) == data
    assert [(n["id"], n["layer"], n["role"]) for n in data["nodes"]] == [
        (0, 0, "initial"),
        (1, 1, ""),
        (ERROR, 2, "error"),
    ]
    assert [e["back"] for e in data["edges"]] == [False, True, False]
    b = s.var("b", BOOL)
    deep: Seq | Choice = Seq(())
    for _ in range(3000):
        deep = Choice((Assume(b), deep))
    assert command_text(deep).startswith("([b] | ([b] | ") and command_text(Seq(())) == "skip"
