"""What the analyses claim holds in every explored state; and they find what they are meant
to find.
"""

from __future__ import annotations

from random import Random

import pytest

from obligato.analysis.affine import AffineAnalysis, affine_equalities
from obligato.analysis.candidates import candidates
from obligato.analysis.constants import ConstantAnalysis
from obligato.analysis.dataflow import solve
from obligato.analysis.graph import immediate_postdominators
from obligato.analysis.houdini import houdini, seed_invariants
from obligato.analysis.intervals import IntervalAnalysis, as_formulas
from obligato.analysis.maps import NeededAt
from obligato.analysis.modules import Basis, Number, Ring, Row, intersect, kernel
from obligato.analysis.propagate import CopyAnalysis
from obligato.analysis.single_run import states_of_single_run
from obligato.analysis.slicing import END
from obligato.models.blocks import large_blocks
from obligato.models.cfa import CFA
from obligato.models.gcl import Assume, Seq
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, INT, REAL, Op, Term, TermStore, bitvec, evaluate
from tests.cfas import ERROR, assign, make_cfa
from tests.small_cfas import Sample, small_cfas


def facts(cfa: CFA) -> dict[str, dict[int, list[Term]]]:
    """Everything that is claimed, as formulas by location."""
    s, needed = cfa.store, NeededAt.of(cfa)
    constants = solve(cfa, ConstantAnalysis(cfa)).everywhere()
    pruned = solve(cfa, ConstantAnalysis(cfa, needed)).everywhere()
    copies = solve(cfa, CopyAnalysis(cfa, needed)).everywhere()
    ranges = solve(cfa, IntervalAnalysis(cfa), narrowing=3).everywhere()
    return {
        **{
            name: {loc: [s.eq(x, v) for x, v in state.items()] for loc, state in states.items()}
            for name, states in (("constants", constants), ("pruned", pruned), ("copies", copies))
        },
        "ranges": {
            loc: [f for x, r in state.items() for f in as_formulas(s, x, r)]
            for loc, state in ranges.items()
        },
        "affine": affine_equalities(cfa, cfa.locations),
    }


def check_facts(sample: Sample) -> None:
    cfa = sample.cfa
    for name, by_location in facts(cfa).items():
        for loc, states in sample.explored.states.items():
            # a reached location is not claimed unreachable
            assert loc in by_location, (sample.seed, name, loc)
            for state in states:
                values = dict(zip(cfa.variables, state, strict=True))
                assert all(evaluate(f, values) for f in by_location[loc]), (sample.seed, name, loc)


def test_facts_hold_in_explored_states() -> None:
    for sample in small_cfas(range(120), integers=True, starts=6):
        check_facts(sample)


@pytest.mark.slow
def test_facts_hold_in_explored_states_of_many() -> None:
    for sample in small_cfas(range(1000, 3000), integers=True, starts=12):
        check_facts(sample)


def test_houdini_keeps_only_what_holds() -> None:
    for sample in small_cfas(range(40), starts=12):
        cfa, blocks = sample.cfa, large_blocks(sample.cfa)
        make = solver_factory([v.sort for v in cfa.variables])
        for loc, formulas in seed_invariants(cfa, blocks, make).items():
            for state in sample.explored.states.get(loc, {}):
                assert all(
                    evaluate(f, dict(zip(cfa.variables, state, strict=True))) for f in formulas
                ), (sample.seed, loc)


# What must be found -------------------------------------------------------------------------------


def sum_loop(s: TermStore, x: Term, y: Term, n: Term, one: Term, zero: Term) -> CFA:
    """x := 0; y := n; while (*) { x := x + 1; y := y - 1 }."""
    plus, minus = (Op.ADD, Op.SUB) if x.sort in (INT, REAL) else (Op.BVADD, Op.BVSUB)
    return make_cfa(
        s,
        [x, y, n],
        [
            (0, 1, assign(x, zero)),
            (1, 2, assign(y, n)),
            (2, 3, assign(x, s.mk(plus, (x, one)))),
            (3, 2, assign(y, s.mk(minus, (y, one)))),
            (2, ERROR, Assume(s.ne(s.mk(plus, (x, y)), n))),
        ],
    )


@pytest.mark.parametrize("sort", [INT, REAL, bitvec(8), bitvec(32)])
def test_affine_equalities_of_a_counting_loop(sort: object) -> None:
    s = TermStore()
    x, y, n = (s.var(v, sort) for v in "xyn")  # type: ignore[arg-type]
    cfa = sum_loop(s, x, y, n, s.const(1, x.sort), s.const(0, x.sort))
    plus = Op.ADD if x.sort in (INT, REAL) else Op.BVADD
    assert affine_equalities(cfa, [2])[2] == [s.eq(s.mk(plus, (x, y)), n)]


def test_affine_equalities_modulo_powers_of_two() -> None:
    """x := 1; while (*) x := x + 2: x is odd, which is linear modulo 2^w only; and 3x + 5y == 7 is
    solved modulo 2^w.
    """
    s = TermStore()
    x, y, i = s.var("x", bitvec(8)), s.var("y", bitvec(8)), s.var("i", bitvec(8))
    odd = make_cfa(
        s, [x], [(0, 1, assign(x, s.bv(1, 8))), (1, 1, assign(x, s.mk(Op.BVADD, (x, s.bv(2, 8)))))]
    )
    (fact,) = affine_equalities(odd, [1])[1]
    assert [bool(evaluate(fact, {x: v})) for v in range(256)] == [v % 2 == 1 for v in range(256)]
    equation = s.eq(
        s.mk(Op.BVADD, (s.mk(Op.BVMUL, (s.bv(3, 8), x)), s.mk(Op.BVMUL, (s.bv(5, 8), y)))),
        s.bv(7, 8),
    )
    learnt = make_cfa(s, [x, y], [(0, 1, assign(x, i)), (1, 2, Assume(equation))], [i])
    assert affine_equalities(learnt, [2])[2] == [equation]
    even = s.eq(s.mk(Op.BVMUL, (s.bv(2, 8), x)), s.bv(3, 8))  # 2x = 3 has no solution modulo 256
    assert (
        2
        not in solve(
            make_cfa(s, [x], [(0, 1, assign(x, x)), (1, 2, Assume(even))]), AffineAnalysis([x])
        ).everywhere()
    )


def test_quadratic_equalities_where_the_program_multiplies() -> None:
    """sum := 0; i := 1; while (*) { sum := sum + i; i := i + 1 }: 2 sum == i * i - i."""
    s = TermStore()
    total, i = s.var("sum", bitvec(32)), s.var("i", bitvec(32))
    n, one = s.var("n", bitvec(32)), s.bv(1, 32)
    cfa = make_cfa(
        s,
        [total, i, n],
        [
            (0, 1, assign(total, s.bv(0, 32))),
            (1, 2, assign(i, one)),
            (2, 3, assign(total, s.mk(Op.BVADD, (total, i)))),
            (3, 2, assign(i, s.mk(Op.BVADD, (i, one)))),
            (2, ERROR, Assume(s.eq(total, s.mk(Op.BVMUL, (n, n))))),
        ],
    )
    twice, square = s.mk(Op.BVMUL, (s.bv(2, 32), total)), s.mk(Op.BVMUL, (i, i))
    assert s.eq(twice, s.mk(Op.BVSUB, (square, i))) in affine_equalities(cfa, [2])[2]


@pytest.mark.parametrize(
    ("bound", "input_", "found"), [(5, False, True), (5, True, False), (250, False, False)]
)
def test_states_of_the_only_run(bound: int, input_: bool, found: bool) -> None:
    """x := 0 (or an input); while (x < bound) x := x + 1: all states if they are few and nothing is
    open.
    """
    s = TermStore()
    x, i = s.var("x", bitvec(8)), s.var("i", bitvec(8))
    less = s.mk(Op.BVULT, (x, s.bv(bound, 8)))
    step = Seq((Assume(less), assign(x, s.mk(Op.BVADD, (x, s.bv(1, 8))))))
    cfa = make_cfa(
        s,
        [x],
        [
            (0, 1, assign(x, i if input_ else s.bv(0, 8))),
            (1, 1, step),
            (1, 2, Assume(s.not_(less))),
        ],
        [i],
    )
    states = states_of_single_run(cfa, [1], NeededAt.of(cfa))
    assert bool(states) is found
    if found:
        assert [bool(evaluate(states[1], {x: v})) for v in range(256)] == [
            v <= bound for v in range(256)
        ]


def test_the_states_of_a_run_that_goes_round() -> None:
    s = TermStore()
    x = s.var("x", bitvec(8))
    step = assign(x, s.mk(Op.BVAND, (s.mk(Op.BVADD, (x, s.bv(3, 8))), s.bv(7, 8))))
    bad = s.eq(x, s.bv(8, 8))
    cfa = make_cfa(s, [x], [(0, 1, assign(x, s.bv(9, 8))), (1, 1, step), (1, ERROR, Assume(bad))])
    states = states_of_single_run(cfa, [1], NeededAt.of(cfa))
    assert [v for v in range(256) if evaluate(states[1], {x: v})] == [*range(8), 9]


def random_rows(rng: Random, ring: Ring, count: int, columns: int) -> list[Row]:
    return [
        tuple(ring.reduce(rng.randint(-3, 3) << rng.choice([0, 0, 1, 2])) for _ in range(columns))
        for _ in range(count)
    ]


@pytest.mark.parametrize("width", [2, 3])
def test_modules_against_enumeration(width: int) -> None:
    """Row spaces, kernels and intersections modulo 4 and 8, compared with all vectors."""
    rng, ring, n = Random(width), Ring(width), 3
    vectors: list[Row] = [
        (a, b, c) for a in range(1 << width) for b in range(1 << width) for c in range(1 << width)
    ]
    for _ in range(60):
        rows = random_rows(rng, ring, rng.randint(0, 3), n)
        space = span(ring, rows, n)
        basis = Basis(ring, rows)
        assert {v for v in vectors if not basis.copy().add(v)} == space
        assert span(ring, kernel(ring, rows, n), n) == {
            v for v in vectors if all(ring.dot(v, r) == 0 for r in rows)
        }
        (equation,) = random_rows(rng, ring, 1, n)
        assert span(ring, intersect(ring, rows, equation), n) == {
            v for v in space if ring.dot(v, equation) == 0
        }


def span(ring: Ring, rows: list[Row], columns: int) -> set[Row]:
    found: set[Row] = {(0,) * columns}
    for row in rows:
        multiples: list[Number] = list(range(1 << ring.width))
        found = {
            tuple(ring.reduce(a + k * b) for a, b in zip(v, row, strict=True))
            for v in found
            for k in multiples
        }
    return found


def test_intervals_of_a_counting_loop() -> None:
    s = TermStore()
    for sort, below, plus in ((INT, Op.LT, Op.ADD), (bitvec(32), Op.BVSLT, Op.BVADD)):
        i, k = s.var(f"i{plus}", sort), s.const(1000, sort)
        inside = s.mk(below, (i, k))
        cfa = make_cfa(
            s,
            [i],
            [
                (0, 1, assign(i, s.const(0, sort))),
                (1, 2, Assume(inside)),
                (2, 1, assign(i, s.mk(plus, (i, s.const(3, sort))))),
                (1, 3, Assume(s.not_(inside))),
            ],
        )
        at = solve(cfa, IntervalAnalysis(cfa), narrowing=3).everywhere()
        assert at[1][i][:2] == (0, 1002) and at[3][i][:2] == (1000, 1002)


def test_seeding_finds_relations() -> None:
    """i := 0; s := 0; while (i < n) { i := i + 1; s := s + 2 } with n >= 0: i <= n and s == 2i are
    inductive.
    """
    store = TermStore()
    i, n, t = (store.var(v, INT) for v in "int")
    below = store.lt(i, n)
    cfa = make_cfa(
        store,
        [i, n, t],
        [
            (0, 1, Assume(store.ge(n, store.int_(0)))),
            (1, 2, assign(i, store.int_(0))),
            (2, 3, assign(t, store.int_(0))),
            (3, 4, Assume(below)),
            (4, 5, assign(i, store.add(i, store.int_(1)))),
            (5, 3, assign(t, store.add(t, store.int_(2)))),
            (3, 6, Assume(store.not_(below))),
            (6, ERROR, Assume(store.ne(t, store.mul(store.int_(2), n)))),
        ],
    )
    blocks = large_blocks(cfa)
    found = seed_invariants(cfa, blocks, solver_factory([INT]))[3]
    assert store.eq(t, store.mul(store.int_(2), i)) in found and store.le(i, n) in found
    offered = candidates(cfa, [3])
    assert len(offered[3]) == len(set(offered[3])) and set(found) <= set(offered[3])
    assert houdini(blocks, offered, solver_factory([INT]), calls=1) == {}
    wrong = {3: [store.le(i, store.int_(5)), store.le(store.int_(0), i)]}
    assert houdini(blocks, wrong, solver_factory([INT])) == {3: [store.le(store.int_(0), i)]}


def test_variable_analyses() -> None:
    s = TermStore()
    x, y, b = s.var("x", INT), s.var("y", INT), s.var("b", BOOL)
    cfa = make_cfa(
        s,
        [x, y, b],
        [
            (0, 1, assign(x, s.int_(1))),
            (1, 2, Assume(b)),
            (1, 2, assign(x, y)),
            (2, 3, assign(y, x)),
            (3, ERROR, Assume(s.eq(x, y))),
        ],
    )
    needed = NeededAt.of(cfa)
    assert [v for v in (x, y, b) if (1, v) in needed] == [x, y, b] and [
        v for v in (x, y, b) if (2, v) in needed
    ] == [x]


def test_postdominators() -> None:
    s = TermStore()
    skip = Assume(s.true)
    graph = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, ERROR), (4, 4)]
    cfa = make_cfa(s, [], [(a, b, skip) for a, b in graph])
    assert immediate_postdominators(cfa, lambda loc: False, END) == {
        0: 1,
        1: 4,
        2: 4,
        3: 4,
        4: ERROR,
        ERROR: END,
    }
    assert immediate_postdominators(cfa, lambda loc: loc == 2, END)[1] == END
