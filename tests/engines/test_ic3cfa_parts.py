"""Normalisation, contexts and the modes of generalisation of IC3CFA, each by itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, contexts
from obligato.engines.ic3cfa.queries import Unreached
from obligato.engines.kernel.cube import cube_of
from obligato.engines.kernel.normalize import normalize
from obligato.terms import INT, Op, Term, TermStore, bitvec, evaluate
from tests.engines.judge import objection
from tests.engines.test_paper_examples import Running

COMPARISONS = (Op.EQ, Op.BVULT, Op.BVSLT)


def random_literals(r: random.Random, s: TermStore) -> list[Term]:
    """Comparisons of a word and of an integer with constants."""
    x, n = s.var("x", bitvec(3)), s.var("n", INT)
    out = []
    for _ in range(r.randrange(1, 6)):
        if r.random() < 0.6:
            atom = s.mk(r.choice(COMPARISONS), (x, s.bv(r.randrange(8), 3)))
        else:
            atom = s.mk(r.choice((Op.EQ, Op.LE, Op.LT)), (n, s.int_(r.randrange(-2, 3))))
        out.append(atom if r.random() < 0.5 else s.not_(atom))
    return [x for x in out if x.op is not Op.CONST]


def test_normalisation_keeps_the_states_and_drops_literals() -> None:
    """Over all values; a cube without states may become anything that is part of it."""
    dropped = 0
    for seed in range(600):
        r, s = random.Random(seed), TermStore()
        literals = random_literals(r, s)
        x, n = s.var("x", bitvec(3)), s.var("n", INT)
        states = [{x: a, n: b} for a in range(8) for b in range(-4, 5)]
        inside = [st for st in states if all(evaluate(lit, st) for lit in literals)]
        result = normalize(literals)
        assert set(result) <= set(literals)
        if inside:
            assert [st for st in states if all(evaluate(lit, st) for lit in result)] == inside, (
                literals
            )
            dropped += len(set(literals)) - len(result)
    assert dropped > 100


def test_normalisation_knows_each_order_apart() -> None:
    s = TermStore()
    x = s.var("x", bitvec(3))
    unsigned, signed = s.mk(Op.BVULT, (x, s.bv(2, 3))), s.mk(Op.BVSLT, (x, s.bv(1, 3)))
    assert normalize([unsigned, signed, s.mk(Op.BVULT, (x, s.bv(5, 3)))]) == [unsigned, signed]
    assert normalize([s.eq(x, s.bv(1, 3)), unsigned, signed]) == [s.eq(x, s.bv(1, 3))]


def test_contexts_forget_the_entries_used_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "ENTRIES_PER_EDGE", 2)
    r = Running(caching=True)
    shortcuts, edge = r.run.shortcuts, r.edge(4, 6)
    first, second, third = (cube_of((x,)) for x in (r.positive, r.b_zero, r.b_nonneg))
    shortcuts.learn(edge, Unreached(first))
    shortcuts.learn(edge, Unreached(second))
    assert shortcuts.answer(edge, first, 1) is not None  # used: second is the oldest now
    shortcuts.learn(edge, Unreached(third))
    known = [shortcuts.answer(edge, c, 1) is not None for c in (first, second, third)]
    assert known == [True, False, True]


def test_contexts_need_the_lemmas_at_the_level_asked_for() -> None:
    r = Running(caching=True)
    r.block(4, r.g, 2)
    (lemma,) = r.run.frames.at(4, 2)
    edge = r.edge(4, 6)
    r.run.shortcuts.learn(edge, Unreached(r.g, (lemma,)))
    assert [r.run.shortcuts.answer(edge, r.cube, level) is not None for level in (1, 2, 3)] == [
        True,
        True,
        False,
    ]


def test_predecessor_cubes_need_the_whole_lemma_in_the_pre_image() -> None:
    r = Running(predecessor_cubes=True)
    r.block(4, cube_of((r.positive, r.s.eq(r.t, r.zero))), 2)
    assert r.run.shortcuts.answer(r.edge(4, 6), r.cube, 2) is None
    r.block(4, cube_of((r.positive, r.s.ge(r.a, r.zero))), 2)  # the edge assumes a >= 0
    answer = r.run.shortcuts.answer(r.edge(4, 6), r.cube, 2)
    assert answer is not None and answer.core == (r.positive,)


MODES: list[dict[str, Any]] = [
    {"generalize": mode, "seed_cores": cores, "literal_order": order}
    for mode in ("none", "multi", "single", "joint")
    for cores in (True, False)
    for order in ("activity", "given")
]


@pytest.mark.parametrize("mode", MODES, ids=lambda m: "-".join(map(str, m.values())))
def test_every_mode_finds_the_generalisation_of_example_4(mode: dict[str, Any]) -> None:
    r = Running(**mode)
    r.block(4, r.g, 2)
    r.block(5, (), 2)
    cores = {e: frozenset(r.cube) for e in r.run.queries.into[6]}
    expected = r.cube if mode["generalize"] == "none" else r.g
    assert r.run.generalizer.generalize(6, r.cube, 3, cores) == expected


@pytest.mark.parametrize("mode", ["none", "multi", "single", "joint"])
def test_every_mode_keeps_its_contract_on_random_programs(mode: str) -> None:
    """The debug checker asks whether each result includes the cube and is unreachable along every
    edge.
    """
    options = Options(generalize=mode, seed_invariants=False, predicates=0)
    for seed in range(40):
        assert objection(seed, options) is None, seed


def test_multi_asks_all_edges_for_each_candidate() -> None:
    def asked(mode: str) -> int:
        r = Running(generalize=mode)
        r.block(4, r.g, 2)
        r.block(5, (), 2)
        before = r.calls()
        r.run.generalizer.generalize(
            6,
            r.cube,
            3,
            {e: frozenset() if e.source == 5 else frozenset(r.cube) for e in r.run.queries.into[6]},
        )
        return r.calls() - before

    assert asked("multi") > asked("joint")


def test_an_environment_counts_questions() -> None:
    env = Environment()
    env.tick()
    env.tick()
    assert env.questions == 2
