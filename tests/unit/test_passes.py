"""Every pass preserves verdicts, lifts traces that replay, and lifts certificates that the
independent checker accepts.

Random programs and random automata are explored state by state before and after each pass, and
after large blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from obligato.analysis.clean import remove_unreachable
from obligato.analysis.dead import remove_dead
from obligato.analysis.fold import fold_constants, fold_ranges
from obligato.analysis.houdini import seed_invariants
from obligato.analysis.pipeline import Pass, reduce, slice_loops
from obligato.analysis.propagate import propagate_expressions
from obligato.analysis.slicing import slice_to_property
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.options import Options
from obligato.models.blocks import large_blocks
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Certificate, Composed, Identity, Lift, Trace, TraceStep
from obligato.models.effect import count_paths
from obligato.models.gcl import Assign, Assume, Command, Seq, assigned
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.checking.certificate import Status, check_certificate
from obligato.results.checking.solving import chain
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import INT, Term, TermStore
from tests.cfas import ERROR, assign, make_cfa
from tests.small_cfas import Generator, replays
from tests.support.explore import TooLarge, explore
from tests.support.programs import random_program
from tests.support.volume import parts


def blocks(cfa: CFA) -> tuple[CFA, Lift]:
    """Large blocks as large as exploration can take: it tries all inputs of a block along all its
    paths.
    """
    for limit in (2000, 12, 6):
        large = large_blocks(cfa, limit)
        if all(
            len(cfa.edge_inputs(e)) <= 2 and count_paths(e.command, 33) <= 32 for e in large.edges
        ):
            return large, Identity()
    return large_blocks(cfa, limit=2), Identity()


def clean_slice(loops: bool) -> Pass:
    def run(cfa: CFA) -> tuple[CFA, Lift]:
        clean, first = remove_unreachable(cfa)
        sliced, second = slice_to_property(clean, loops)
        return sliced, Composed([first, second])

    return run


def level(n: int) -> Pass:
    def run(cfa: CFA) -> tuple[CFA, Lift]:
        return reduce(cfa, n)

    return run


EXACT: dict[str, Pass] = {
    "unreachable": remove_unreachable,
    "constants": fold_constants,
    "ranges": fold_ranges,
    "dead": remove_dead,
    "propagation": propagate_expressions,
    "slice": clean_slice(False),
    "blocks": blocks,
    "level 1": level(1),
    "level 2": level(2),
}
CUTS_LOOPS: dict[str, Pass] = {"slice loops": clean_slice(True), "level 3": level(3)}


def programs(seeds: range) -> Iterator[tuple[int, CFA]]:
    """Raw CFAs of random programs (even seeds) and random automata (odd seeds)."""
    for seed in seeds:
        if seed % 2:
            yield seed, import_cfa(Generator(seed).cfa(), TermStore.raw())
        else:
            yield seed, build_cfa(inline(random_program(seed)))


def compare(seeds: range) -> None:
    for seed, raw in programs(seeds):
        try:
            before = explore(raw, 1000)
        except TooLarge:
            continue
        cfa = import_cfa(raw, TermStore())
        for name, run in {**EXACT, **CUTS_LOOPS}.items():
            after, lift = run(cfa)
            found = explore(after)
            if before.reachable or name in EXACT:
                assert found.reachable is before.reachable, (seed, name)
            if before.reachable and name in EXACT:
                assert found.trace is not None
                assert replays(raw, lift.trace(found.trace)), (seed, name)


@pytest.mark.parametrize("part", parts(2, 2))
def test_passes_preserve_verdicts(part: int) -> None:
    compare(range(50 * part, 50 * part + 50))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_passes_preserve_verdicts_of_many(part: int) -> None:
    compare(range(1000 + 120 * part, 1000 + 120 * (part + 1)))


def certify(seeds: range) -> None:
    """The engine's proofs of the reduced and seeded program, lifted, are accepted for the
    original.
    """
    for seed, raw in programs(seeds):
        sorts = [v.sort for v in (*raw.variables, *raw.inputs)]
        for n in range(4):
            small, lift = reduce(import_cfa(raw, TermStore()), n)
            large = large_blocks(small) if seed % 3 else small
            seeds_ = seed_invariants(small, large, solver_factory(sorts)) if seed % 5 < 2 else {}
            result = IC3CFA(large, Options(), Environment(), solver_factory(sorts), seeds_).prove()
            if result.verdict is Verdict.TRUE:
                assert result.certificate is not None
                assert accepted(raw, lift.certificate(result.certificate)), (seed, n)


def accepted(raw: CFA, certificate: Certificate) -> bool:
    sorts = [v.sort for v in (*raw.variables, *raw.inputs)]
    return (
        check_certificate(raw, certificate, chain(sorts, (), SolverStats())).status
        is Status.ACCEPTED
    )


def test_certificates_lift() -> None:
    certify(range(40))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_certificates_of_many_lift(part: int) -> None:
    certify(range(1000 + 80 * part, 1000 + 80 * (part + 1)))


# Hand-made: what each pass does, and what its lift must add ---------------------------------------


def store_with(*names: str) -> tuple[TermStore, list[Term]]:
    s = TermStore()
    return s, [s.var(n, INT) for n in names]


def test_constants_are_part_of_the_certificate() -> None:
    s, (x, y) = store_with("x", "y")
    five = s.eq(x, s.int_(5))
    cfa = make_cfa(
        s,
        [x, y],
        [
            (0, 1, assign(x, s.int_(5))),
            (1, 1, assign(y, s.add(y, x))),
            (1, 2, Assume(s.not_(five))),
            (2, ERROR, assign(y, x)),
        ],
    )
    small, lift = fold_constants(cfa)
    assert not small.edges and small.keep == ()
    lifted = lift.certificate(Certificate({1: s.true}))
    assert lifted.invariants == {1: five, 2: s.false}
    assert accepted(cfa, lifted) and not accepted(cfa, Certificate({1: s.true}))


def test_a_loop_that_never_runs_needs_its_cut_point() -> None:
    """do { flag := 1 } while (x < 0) with x = 5: the back edge goes, the loop head must still be
    annotated.
    """
    s, (x, flag) = store_with("x", "flag")
    negative = s.lt(x, s.int_(0))
    cfa = make_cfa(
        s,
        [x, flag],
        [
            (0, 1, Assign(((x, s.int_(5)), (flag, s.int_(0))))),
            (1, 2, assign(flag, s.int_(1))),
            (2, 1, Assume(negative)),
            (2, 3, Assume(s.not_(negative))),
            (3, ERROR, Assume(s.ne(flag, s.int_(1)))),
        ],
    )
    small, lift = reduce(cfa, 1)
    assert 1 in small.keep or 1 not in small.locations
    result = IC3CFA(large_blocks(small), Options(), Environment(), solver_factory([INT])).prove()
    assert result.certificate is not None
    assert accepted(cfa, lift.certificate(result.certificate))


def test_ranges_decide_conditions() -> None:
    s, (i, n) = store_with("i", "n")
    below = s.lt(i, s.int_(10))
    cfa = make_cfa(
        s,
        [i, n],
        [
            (0, 1, assign(i, s.int_(0))),
            (1, 2, Assume(below)),
            (2, 1, assign(i, s.add(i, s.int_(1)))),
            (1, 3, Assume(s.not_(below))),
            (3, ERROR, Assume(s.ne(i, s.int_(10)))),
        ],
    )
    small, lift = fold_ranges(cfa)
    assert not small.edges
    certificate = lift.certificate(Certificate({1: s.true}))
    assert certificate.invariants[1] is s.and_(s.le(s.int_(0), i), s.le(i, s.int_(10)))
    assert accepted(cfa, certificate)


def test_copies_are_propagated_across_loops() -> None:
    s, (n, m, i) = store_with("n", "m", "i")
    cfa = make_cfa(
        s,
        [n, m, i],
        [
            (0, 1, Assign(((m, n), (i, s.int_(0))))),
            (1, 1, assign(i, s.add(i, s.int_(1)))),
            (1, ERROR, Assume(s.ne(m, n))),
        ],
    )
    small, lift = propagate_expressions(cfa)
    assert not small.edges
    assert lift.certificate(Certificate({1: s.true})).invariants[1] is s.eq(m, n)


def test_the_truth_of_a_condition_is_what_is_tested() -> None:
    """c := n < 9 ? 1 : 0, then c != 0: the test is one of n."""
    s, (n, c) = store_with("n", "c")
    small, far = s.lt(n, s.int_(9)), s.eq(n, s.int_(20))
    truth = s.ite(small, s.int_(1), s.int_(0))
    cfa = make_cfa(
        s,
        [n, c],
        [
            (0, 1, assign(c, truth)),
            (1, 2, Assume(s.ne(c, s.int_(0)))),
            (2, 2, assign(n, s.add(n, s.int_(1)))),
            (2, ERROR, Assume(far)),
        ],
    )
    known, lift = propagate_expressions(cfa)
    assert [str(e.command) for e in known.edges if e.source == 1] == [str(Assume(small))]
    held = lift.certificate(Certificate({1: s.true, 2: s.true})).invariants[1]
    assert str(held) == str(s.eq(c, truth))


def test_dead_assignments_are_havocked_not_forgotten() -> None:
    """An invariant must not speak about a stale value: x := y is in vain, but x is used
    elsewhere.
    """
    s, (x, y) = store_with("x", "y")
    cfa = make_cfa(
        s,
        [x, y],
        [
            (0, 1, assign(x, s.int_(0))),
            (1, 2, Assume(s.eq(x, s.int_(0)))),
            (2, 3, assign(x, y)),
            (3, 4, assign(x, s.int_(2))),
            (4, ERROR, Assume(s.eq(x, s.int_(3)))),
        ],
    )
    small, _ = remove_dead(cfa)
    assert small.variables == (x,)
    (havoc,) = (e.command for e in small.edges if e.source == 2)
    assert isinstance(havoc, Assign) and havoc.pairs[0][1] in small.input_set


def unrelated_branch(nested_loop: bool) -> tuple[CFA, Callable[[Trace], Trace], CFA]:
    """x := 7; if (y > 0) { z := 1 } else { z := 2 [loop on z] }; assert x != 7."""
    s, (x, y, z) = store_with("x", "y", "z")
    positive, few = s.gt(y, s.int_(0)), s.lt(z, s.int_(9))
    edges: list[tuple[int, int, Command]] = [
        (0, 1, assign(x, s.int_(7))),
        (1, 2, Assume(positive)),
        (1, 3, Assume(s.not_(positive))),
        (2, 4, assign(z, s.int_(1))),
        (3, 5, assign(z, s.int_(2))),
        (4, ERROR, Assume(s.eq(x, s.int_(7)))),
        (5, 5, Seq((Assume(few), assign(z, s.add(z, s.int_(1))))))
        if nested_loop
        else (5, 6, assign(z, s.int_(3))),
        (5, 4, Assume(s.not_(few))) if nested_loop else (6, 4, assign(z, s.int_(4))),
    ]
    cfa = make_cfa(s, [x, y, z], edges)
    sliced, lift = slice_loops(cfa) if nested_loop else slice_to_property(cfa)
    return cfa, lift.trace, sliced


def test_slicing_straightens_branches_and_executes_the_detour() -> None:
    cfa, lift, sliced = unrelated_branch(nested_loop=False)
    assert [v.name for v in sliced.variables] == ["x"]
    assert all(x.name == "x" for e in sliced.edges for x in assigned(e.command))
    short = Trace({"x": 0}, tuple(TraceStep(e.id, {}) for e in sliced.edges))
    assert {e.source for e in sliced.edges} == {0, 1, 2, 4}
    full = lift(short)
    # y = 0 takes the other branch
    assert [s.edge for s in full.steps] == [0, 2, 4, 6, 7, 5] and replays(cfa, full)


def test_slicing_cuts_loops_only_if_asked() -> None:
    cfa, lift, sliced = unrelated_branch(nested_loop=True)
    assert len(sliced.edges) == 4
    full = lift(Trace({}, tuple(TraceStep(e.id, {}) for e in sliced.edges)))
    assert len(full.steps) > 8 and replays(cfa, full)
    kept, _ = slice_to_property(cfa)
    assert len(kept.edges) == len(cfa.edges)


def test_a_trace_through_an_endless_loop_is_not_lifted() -> None:
    s, (x, y) = store_with("x", "y")
    loop = [
        (0, 1, assign(x, s.int_(0))),
        (1, 1, Assume(s.ge(x, s.int_(0)))),
        (1, 2, Assume(s.lt(x, s.int_(0)))),
    ]
    reactive = make_cfa(s, [x, y], [*loop, (2, ERROR, assign(x, x))])
    # only the error would end this loop: kept
    assert len(slice_loops(reactive)[0].edges) == len(reactive.edges)
    cfa = make_cfa(s, [x, y], [*loop, (2, ERROR, Assume(s.eq(y, s.int_(0))))])
    sliced, lift = slice_loops(cfa)
    assert explore(sliced).reachable and not explore(cfa).reachable
    trace = explore(sliced).trace
    assert trace is not None and lift.trace(trace) == trace and not replays(cfa, trace)


@pytest.mark.parametrize("run", [slice_to_property, slice_loops, remove_dead])
def test_a_variable_that_only_matters_inside_of_an_edge_is_kept(run: Pass) -> None:
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    cfa = make_cfa(
        s,
        [x, y],
        [
            (0, 1, Seq((assign(x, s.int_(0)), Assume(s.lt(x, y))))),
            (1, ERROR, Assume(s.lt(y, s.int_(5)))),
        ],
    )
    after, _ = run(cfa)
    assert after.variables == (x, y) and x in assigned(after.edges[0].command)
    fold_constants(after)
