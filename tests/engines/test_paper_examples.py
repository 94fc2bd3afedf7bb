"""The numbered examples of [LNNK19] (1 to 11, with the corrections that a careful reading needs)
and [CGMT16, 3.5].
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from obligato.engines import ic3ia
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, prove
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.generalize import Generalizer
from obligato.engines.ic3cfa.queries import BlockEdge, Unreached
from obligato.engines.ic3ia.domain import first_predicates
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import cube_of
from obligato.engines.presets import packaged_presets
from obligato.models.blocks import single_edges
from obligato.models.effect import path_effect
from obligato.models.gcl import Assume, Seq
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_reduce import sorts_of as system_sorts
from obligato.results.checking.certificate import Status
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import INT, Term, TermStore
from tests.cfas import ERROR, assign, make_cfa

PRESETS = packaged_presets("ic3cfa")
PAPER = Options(**{**PRESETS["A"].options, "large_blocks": False})


class Running:
    """The program of Fig. 1 over integers; the locations of Fig. 2 as the examples name them, 0
    before them.
    """

    def __init__(self, **options: Any) -> None:
        s = self.s = TermStore()
        a, b, y, t = self.a, self.b, self.y, self.t = tuple(s.var(n, INT) for n in "abyt")
        zero = self.zero = s.int_(0)
        self.edges = [
            (0, 3, Assume(s.true)),
            (3, 4, assign(y, b)),
            (4, 5, Assume(s.lt(a, zero))),
            (4, 6, Assume(s.ge(a, zero))),
            (5, 6, assign(a, s.neg(a))),
            (6, 7, Assume(s.lt(b, zero))),
            (6, 8, Assume(s.ge(b, zero))),
            (7, 8, assign(b, s.neg(b))),
            (8, 9, Assume(s.not_(s.eq(b, zero)))),
            (9, 10, assign(t, b)),
            (10, 11, assign(b, s.mod(a, b))),
            (11, 8, assign(a, t)),
            (8, 12, Assume(s.eq(b, zero))),
            (12, 13, Assume(s.gt(y, zero))),
            (13, ERROR, Assume(s.lt(y, a))),
        ]
        self.cfa = single_edges(make_cfa(s, (a, b, y, t), self.edges))
        self.env = Environment(debug=False)
        self.run = IC3CFA(
            self.cfa,
            replace(PAPER, **options),
            self.env,
            solver_factory([INT], stats=self.env.stats),
        )
        self.positive, self.b_zero, self.b_nonneg = s.gt(y, zero), s.eq(b, zero), s.ge(b, zero)
        # c of Examples 4 and 7 to 11
        self.cube = cube_of((s.lt(y, a), self.positive, self.b_zero, self.b_nonneg))
        self.g = cube_of((self.positive, self.b_zero))

    def edge(self, source: int, target: int) -> BlockEdge:
        return next(e for e in self.run.queries.into[target] if e.source == source)

    def calls(self) -> int:
        return self.env.stats.total_calls

    def lemmas(self, location: int, level: int) -> list[tuple[Term, ...]]:
        return [x.cube for x in self.run.frames.of[location].lemmas[level]]

    def block(self, location: int, cube: tuple[Term, ...], level: int) -> None:
        """Make the lemma that an example assumes."""
        while self.run.frames.top < level:
            self.run.frames.extend()
        self.run.frames.add(location, cube, level)


def test_example_1_local_transition_formulas() -> None:
    r = Running()
    effect = path_effect(r.s, r.edges[1][2])
    # T_(3,4): y' = b, and the rest stays
    assert not effect.guard and effect.pull.mapping == {r.y: r.b}
    assert path_effect(r.s, r.edges[2][2]).guard == [r.s.lt(r.a, r.zero)]  # T_(4,5): a < 0
    assert not [e for e in r.cfa.edges if (e.source, e.target) == (3, 5)]  # T_(3,5) is false


def test_example_2_edge_relative_inductivity() -> None:
    r = Running()
    error = cube_of((r.s.lt(r.y, r.a),))
    assert isinstance(r.run.queries.reach(r.edge(12, 13), error, 5), Reached)
    r.block(12, (r.positive,), 5)
    assert isinstance(r.run.queries.reach(r.edge(12, 13), error, 5), Unreached)


def test_example_3_first_frontiers() -> None:
    r = Running()
    cti, before = cube_of((r.s.lt(r.y, r.a),)), cube_of((r.s.lt(r.y, r.a), r.positive))
    assert r.run.strengthen() is None
    assert r.lemmas(13, 1) == [cti] and not r.lemmas(12, 1)
    r.run.frames.extend()
    assert r.run.strengthen() is None
    assert r.lemmas(12, 1) == [before] and r.lemmas(13, 2) == [cti]


def test_example_4_union_of_edge_generalisations() -> None:
    r = Running(generalize="single")
    r.block(4, r.g, 2)
    r.block(5, (), 2)  # F_(2,5) is false
    into = r.run.queries.into[6]
    answers = {e: r.run.queries.reach(e, r.cube, 2) for e in into}
    assert all(isinstance(x, Unreached) for x in answers.values())
    cores = {e: frozenset(r.cube) for e in into}
    assert r.run.generalizer.generalize(6, r.cube, 3, cores) == r.g


@pytest.mark.parametrize(("assumed", "sound"), [(False, True), (True, False)])
def test_example_5_no_clause_on_self_loops_per_edge(
    assumed: bool, sound: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """x := 0, and then any of two loops, [y := 1; z := 0] and [x := 1; y := 0]. With the clause assumed
    on them, x > 0 is enough for the first and x > 0, y > 0 for the second; the union of these, which
    is assumed as a whole, is reached along the first (Thm. 2).
    """
    s = TermStore()
    x, y, z = (s.var(n, INT) for n in "xyz")
    zero, one = s.int_(0), s.int_(1)
    positive = tuple(s.gt(v, zero) for v in (x, y, z))
    first = Seq((assign(y, one), assign(z, zero)))
    second = Seq((assign(x, one), assign(y, zero)))
    error = Assume(s.and_(*positive))
    edges = [(0, 1, assign(x, zero)), (1, 1, first), (1, 1, second), (1, ERROR, error)]
    cfa = single_edges(make_cfa(s, (x, y, z), edges))
    options = replace(PAPER, generalize="single")
    run = IC3CFA(cfa, options, Environment(debug=False), solver_factory([INT]))
    assert not run.generalizer.relative
    monkeypatch.setattr(Generalizer, "relative", assumed)
    while run.frames.top < 2:
        run.frames.extend()
    cube, into = cube_of(positive), run.queries.into[1]
    assert all(isinstance(run.queries.reach(e, cube, 1), Unreached) for e in into)
    g = run.generalizer.generalize(1, cube, 2, {e: frozenset(cube) for e in into})
    assert all(isinstance(run.queries.reach(e, g, 1), Unreached) for e in into) is sound


def test_a_clause_is_assumed_on_self_loops_where_one_candidate_is_asked_on_all_edges() -> None:
    assert not Running(generalize="multi").run.generalizer.relative
    assert Running(generalize="joint").run.generalizer.relative


def test_example_6_assumed_literals() -> None:
    r = Running(drop_assumed=True, wep_inductivity=True, seed_cores=True)
    x, y = r.t, r.y
    r.block(12, cube_of((r.s.gt(x, y),)), 1)
    answer = r.run.queries.reach(r.edge(12, 13), cube_of((r.s.gt(x, y), r.positive)), 1)
    assert isinstance(answer, Unreached) and answer.core == (r.s.gt(x, y),)


@pytest.mark.parametrize("wep", [True, False])
def test_examples_7_and_8_predecessor_cubes(wep: bool) -> None:
    r = Running(predecessor_cubes=True, wep_inductivity=wep)
    r.block(4, r.g, 2)
    before = r.calls()
    answer = r.run.queries.reach(r.edge(4, 6), r.cube, 2)
    assert isinstance(answer, Unreached) and cube_of(answer.core) == r.g and r.calls() == before


def with_context(**options: Any) -> Running:
    """Example 8's generalisation, found by the solver and kept in the context."""
    r = Running(caching=True, generalize="single", **options)
    r.block(4, r.g, 2)
    assert isinstance(r.run.queries.reach(r.edge(4, 6), r.g, 2), Unreached)
    return r


def test_example_9_contexts_hold_in_stronger_frames() -> None:
    r = with_context()
    r.block(4, cube_of((r.s.eq(r.s.mod(r.a, r.b), r.zero), r.s.not_(r.b_zero))), 2)
    before = r.calls()
    answer = r.run.queries.reach(r.edge(4, 6), r.cube, 2)
    assert isinstance(answer, Unreached) and cube_of(answer.core) == r.g and r.calls() == before


def test_example_10_contexts_hold_for_other_cubes() -> None:
    r = with_context()
    other = cube_of((r.s.lt(r.y, r.a), r.positive, r.b_zero, r.s.lt(r.b, r.zero)))
    before = r.calls()
    answer = r.run.queries.reach(r.edge(4, 6), other, 2)
    assert isinstance(answer, Unreached) and cube_of(answer.core) == r.g and r.calls() == before
    assert (
        isinstance(r.run.queries.reach(r.edge(4, 6), (r.positive,), 2), Reached)
        and r.calls() == before + 1
    )


def test_example_11_lower_bounds_hold_in_weaker_frames() -> None:
    r = with_context(lower_bounds=True)
    shortcuts, edge = r.run.shortcuts, r.edge(4, 6)
    r.block(4, cube_of((r.s.eq(r.s.mod(r.a, r.b), r.zero), r.s.not_(r.b_zero))), 2)
    shortcuts.learn_minimal(edge, r.cube, 2, (r.positive,))
    assert shortcuts.lower_bound(edge, r.cube, 2) == {r.positive}
    r.block(4, cube_of((r.s.eq(r.a, r.zero),)), 3)
    # the frame is stronger now: nothing is known
    assert shortcuts.lower_bound(edge, r.cube, 2) == frozenset()


def test_the_running_example_is_proved() -> None:
    """Over words, as in the paper (signed char): without large blocks and with the paper's
    baseline.
    """
    from obligato.frontends.ivl import parse
    from obligato.models.build import build_cfa
    from obligato.models.importing import import_cfa
    from obligato.program.inline import inline

    text = """proc main() { var a, b, y, t: bv3; havoc a, b; assume a >s 4 && b >s 4; y := b;
      if (a <s 0) { a := -a; } if (b <s 0) { b := -b; }
      while (b != 0) { t := b; b := a %u b; a := t; } if (y >s 0) { assert !(y <s a); } }"""
    cfa = import_cfa(build_cfa(inline(parse(text))), TermStore())
    assert (
        prove(cfa, Options(**PRESETS["F"].options), Environment(debug=True)).verdict is Verdict.TRUE
    )


def test_ic3ia_example_of_section_3_5() -> None:
    """c' = c + d, d' = d + 1 from c = d = 0: d <= 3 or not c <= d."""
    s = TermStore()
    c, d = s.var("c", INT), s.var("d", INT)
    next_ = {c: s.add(c, d), d: s.add(d, s.int_(1))}
    small, within = s.le(d, s.int_(3)), s.le(c, d)
    system = TransitionSystem(
        s,
        (c, d),
        (),
        s.and_(s.eq(c, s.int_(0)), s.eq(d, s.int_(0))),
        functional(s, next_),
        (Assertion("p", s.or_(small, s.not_(within))),),
        next=next_,
    )
    options = ic3ia.Options(split_equalities=False, related_atoms=False)
    first, _ = first_predicates(
        system, options, Environment(), solver_factory(system_sorts(system))
    )
    assert set(first.terms[1:]) == {s.eq(c, s.int_(0)), s.eq(d, s.int_(0)), small, within}  # P_0
    env = Environment(debug=True)
    result = ic3ia.prove(system, options, env)
    assert (
        result.verdict is Verdict.TRUE
        and result.certificate is not None
        and env.counters["refinements"] >= 1
    )
    found = check_system_certificate(
        system, result.certificate, chain(system_sorts(system), ("z3",), SolverStats())
    )
    assert found.status is Status.ACCEPTED
