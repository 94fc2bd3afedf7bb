"""Parts of obligations, of IC3CFA and of IC3 on systems: where lemmas differ in factors."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from obligato.engines import ctigar, ic3ia, ic3qe
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, engine, prove
from obligato.engines.ic3cfa.cube import Obligation
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.kernel import concretise
from obligato.engines.kernel.concretise import Direction, Slopes, concretised
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.errors import InternalError
from obligato.frontends import vmt
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa_to_ts import to_transition_system
from obligato.models.importing import import_cfa
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import import_system
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import INT, REAL, Sort, Term, TermStore, evaluate
from tests.engines.judge import checked
from tests.engines.test_ic3ia import text
from tests.support.volume import parts

UNAIDED: dict[str, Any] = {"seed_invariants": False, "predicates": 0, "short_runs": 0}


def program(names: str, start: str, step: str, claim: str) -> str:
    """A loop of any number of rounds, and a claim after it."""
    declared = " ".join(f"var {x}: int;" for x in names)
    return f"""
proc main() {{
  var n: int; {declared}
  {start}
  havoc n;
  while (n > 0) {{ {step} havoc n; }}
  assert {claim};
}}
"""


# x >= 0, x + y >= 0, x + 2 * y >= 0, ... follow from y >= 0
ADDED = program("xy", "x := 0; havoc y; assume y >= 0;", "x := x + y;", "x >= 0")
# ... from y <= z
DIFFERENCE = program(
    "xyz", "x := 0; havoc y; havoc z; assume z >= y;", "x := x + y - z; z := z + 1;", "x <= 0"
)
# x >= 0, x + y >= 0, x + 2 * y + z >= 0, x + 3 * y + 3 * z >= 0, ...: two variables
TWICE = program("xyz", "x := 0; y := 0; z := 1;", "x := x + y; y := y + z;", "x >= 0")
PROGRAMS = (ADDED, DIFFERENCE, TWICE)
# an error after five rounds
FAILS = program(
    "abc",
    "a := 0; havoc b; assume b >= 0; c := 0;",
    "a := a + 1; b := b + 2; c := c + a;",
    "c <= b",
)


def run(source: str, env: Environment, **options: object) -> EngineResult:
    """What the engine says; the claim is checked."""
    whole = parse(source)
    cfa = build_cfa(inline(whole))
    result = prove(import_cfa(cfa, TermStore()), Options(**{**UNAIDED, **options}), env)
    assert checked(whole, cfa, result) is None
    return result


def below(s: TermStore, *factors: int) -> Literals:
    """A cube: the sum of x, y and z with these factors is below zero."""
    xs = [s.var(name, INT) for name in "xyz"]
    sum_ = s.add(*(s.mul(s.int_(c), x) for c, x in zip(factors, xs, strict=False)))
    return (s.lt(sum_, s.int_(0)),)


def test_variables_whose_factors_differ_are_found_with_the_third_lemma() -> None:
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    slopes = Slopes()
    found = [slopes.directions(below(s, 1, n)) for n in range(1, 5)]
    assert found[:2] == [(), ()]
    assert found[2] == found[3] == (((y, Fraction(1)),),)
    state = {x: 1, y: -1}
    expected = cube_of([s.le(x, s.int_(1)), s.le(y, s.int_(-1))])
    assert concretised(below(s, 1, 4), found[3], state) == expected


def test_factors_that_differ_together_are_one_sum() -> None:
    """x + 2 * y - 2 * z <= -1 and so on: y - z is bounded, neither y nor z alone."""
    s = TermStore()
    x, y, z = (s.var(name, INT) for name in "xyz")
    slopes = Slopes()
    found = [slopes.directions(below(s, 1, n, -n)) for n in (1, 2, 3)][2]
    state = {x: 3, y: 5, z: 9}
    expected = cube_of([s.le(x, s.int_(3)), s.le(s.sub(y, z), s.int_(-4))])
    assert concretised(below(s, 1, 3, -3), found, state) == expected


def test_lemmas_that_differ_in_numbers_only_say_nothing() -> None:
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    slopes = Slopes()
    for n in range(6):
        assert slopes.directions((s.le(s.add(x, y), s.int_(n)),)) == ()


@pytest.mark.parametrize("about", [REAL, INT])
def test_reals_and_control_are_passed_over(about: Sort) -> None:
    """The same lemmas about reals, or about variables that are no data."""
    s = TermStore()
    x, y = s.var("x", about), s.var("y", about)
    slopes = Slopes(frozenset([x, y]) if about is INT else frozenset())
    for n in range(1, 6):
        sum_ = s.add(x, s.mul(s.const(n, about), y))
        assert slopes.directions((s.lt(sum_, s.const(0, about)),)) == ()


@pytest.mark.parametrize("seed", range(80))
def test_a_part_has_its_state_and_is_in_the_cube(seed: int) -> None:
    """Over all points of a box, for random inequalities, strict and not, and equations."""
    r, s = random.Random(seed), TermStore()
    variables = [s.var(name, INT) for name in "xyz"]

    def sum_() -> Term:
        return s.add(*(s.mul(s.int_(r.randrange(-3, 4)), v) for v in variables))

    slopes = Slopes()
    found: tuple[Direction, ...] = ()
    for _ in range(4):
        found = found or slopes.directions((s.le(sum_(), s.int_(0)),))
    state = {v: r.randrange(-2, 3) for v in variables}
    sums = [sum_() for _ in range(3)]
    here = [evaluate(t, state) for t in sums]
    cube = cube_of(
        r.choice(
            (
                s.le(t, s.int_(v + r.randrange(3))),
                s.lt(t, s.int_(v + 1 + r.randrange(3))),
                s.ge(t, s.int_(v - r.randrange(3))),
                s.eq(t, s.int_(v)),
            )
        )
        for t, v in zip(sums, here, strict=True)
    )
    part = concretised(cube, found, state)
    assert all(evaluate(lit, state) for lit in part)
    for values in product(range(-3, 4), repeat=3):
        point = dict(zip(variables, values, strict=True))
        if all(evaluate(lit, point) for lit in part):
            assert all(evaluate(lit, point) for lit in cube)


@pytest.mark.parametrize("source", PROGRAMS)
def test_parts_end_what_would_go_on(source: str) -> None:
    """Contracts are executed, and the certificate is checked."""
    env = Environment(debug=True)
    assert run(source, env, concretise=True).verdict is Verdict.TRUE
    assert env.counters["concretised"] > 0
    plain = Environment(cancelled=lambda: plain.questions > 3 * env.questions)
    assert run(source, plain, concretise=False).verdict is Verdict.UNKNOWN


def test_a_run_through_a_part_is_a_run() -> None:
    """The counterexample has a part among its obligations; the run is replayed."""
    chains: list[list[Obligation]] = []
    made: list[Obligation] = []

    class Watched(IC3CFA):
        def _part(self, o: Obligation) -> Obligation | None:
            part = super()._part(o)
            made.extend([] if part is None else [part])
            return part

        def _refuted(self, o: Obligation) -> EngineResult:
            chains.append(o.chain())
            return super()._refuted(o)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("obligato.engines.ic3cfa.run.IC3CFA", Watched)
        result = run(FAILS, Environment(debug=True), concretise=True)
    assert result.verdict is Verdict.FALSE
    assert set(made) & set(chains[0])


def test_a_part_is_never_exact() -> None:
    """Its parent may not be skipped because the part is blocked."""
    exact: list[bool] = []

    class Watched(IC3CFA):
        def _part(self, o: Obligation) -> Obligation | None:
            part = super()._part(o)
            exact.extend([] if part is None else [part.exact])
            return part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("obligato.engines.ic3cfa.run.IC3CFA", Watched)
        skipping = {"splitting": "eager", "skip_obligations": True}
        result = run(ADDED, Environment(debug=True), concretise=True, **skipping)
    assert result.verdict is Verdict.TRUE
    assert exact
    assert not any(exact)


def test_a_part_that_is_no_part_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The debug checker executes what `concretised` ensures."""
    real = concretise.concretised
    monkeypatch.setattr(engine, "concretised", lambda *given: real(*given)[1:])
    with pytest.raises(InternalError, match="does not include its part"):
        run(ADDED, Environment(debug=True), concretise=True)


# no first predicate says y >= 0
SYSTEM = text(
    "x:Int y:Int z:Int w:Int",
    "(and (= x 0) (= y (- z w)) (>= z (+ w 2)))",
    "(and (= x+ (+ x y)) (= y+ y) (= z+ (+ z 1)) (= w+ w))",
    "(>= x 0)",
)


def system_of(source: str) -> TransitionSystem:
    """A system in the normal form of terms."""
    return import_system(vmt.parse(source), TermStore())


@pytest.mark.parametrize("by", [ic3ia, ic3qe, ctigar])
def test_parts_end_what_predicates_would_go_on_with(by: Any) -> None:
    """Of the engines whose frames are about predicates; with contracts executed."""
    env = Environment(debug=True)
    assert by.prove(system_of(SYSTEM), by.Options(concretise=True), env).verdict is Verdict.TRUE
    assert env.counters["concretised"] > 0
    plain = Environment(cancelled=lambda: plain.questions > 3 * env.questions)
    assert (
        by.prove(system_of(SYSTEM), by.Options(concretise=False), plain).verdict is Verdict.UNKNOWN
    )


def adding(seed: int) -> str:
    """A loop that adds variables to each other, and a claim about them."""
    r = random.Random(seed)
    names = "abcd"[: r.randrange(2, 5)]

    def step() -> str:
        out = []
        for x in names:
            y, z, n = r.choice(names.replace(x, "")), r.choice(names), r.choice((0, 1, 1, 2))
            out.append(r.choice(("", f"{x} := {x} + {y};", f"{x} := {x} + {y} - {z};")))
            out.append(r.choice(("", "", f"{x} := {x} + {n};")))
        r.shuffle(out)
        return " ".join(out)

    starts = ("{x} := 0;", "{x} := 2;", "havoc {x}; assume {x} >= 0;", "havoc {x};")
    start = " ".join(r.choice(starts).format(x=x) for x in names)
    start += r.choice(("", f" assume {r.choice(names)} <= {r.choice(names)};"))
    x, y, z = (r.choice(names) for _ in range(3))
    claims = (f"{x} >= 0", f"{x} <= {y}", f"{x} + {y} >= {z}")
    rounds = r.choice((step(), f"if (n > 9) {{ {step()} }} else {{ {step()} }}"))
    return program(names, start, rounds, r.choice(claims))


def _over(env: Environment, limit: int) -> bool:
    return env.questions > limit


@pytest.mark.parametrize("seed", parts(12, 200))
def test_adding_programs_are_decided_alike_with_and_without(seed: int) -> None:
    """With contracts executed; what is claimed is checked, and the two agree where both decide."""
    verdicts = set()
    for parted in (False, True):
        env = Environment(debug=True)
        env.cancelled = partial(_over, env, 200)
        verdicts.add(run(adding(seed), env, concretise=parted).verdict)
    assert len(verdicts - {Verdict.UNKNOWN}) <= 1


@pytest.mark.parametrize("seed", parts(4, 100))
def test_adding_systems_are_decided_alike_with_and_without(seed: int) -> None:
    """The same by the engines for systems, on the program as a system."""
    cfa = import_cfa(build_cfa(inline(parse(adding(seed)))), TermStore())
    system, _ = to_transition_system(cfa)
    verdicts = set()
    for by in (ic3ia, ic3qe, ctigar):
        for parted in (False, True):
            env = Environment(debug=True)
            env.cancelled = partial(_over, env, 200)
            options = by.Options(concretise=parted)
            result = by.prove(import_system(system, TermStore()), options, env)
            verdicts.add(result.verdict)
    assert len(verdicts - {Verdict.UNKNOWN}) <= 1
