"""Global guidance of IC3CFA and IC3IA: what clusters of lemmas suggest, and what comes of it."""

from __future__ import annotations

import random
from functools import partial
from itertools import product
from typing import Any

import pytest

from obligato.engines import ic3ia, ic3qe
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, prove
from obligato.engines.ic3ia.abstract import AbstractFrames
from obligato.engines.kernel import clusters
from obligato.engines.kernel.clusters import Clusters
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.errors import InternalError
from obligato.frontends import vmt
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.cfa_to_ts import to_transition_system
from obligato.models.importing import import_cfa
from obligato.models.ts_reduce import import_system
from obligato.program.inline import inline
from obligato.results.outcome import Verdict
from obligato.terms import INT, REAL, Term, TermStore, evaluate
from tests.engines.judge import checked
from tests.engines.test_ic3ia import text, verdict
from tests.support.volume import parts

# k counts up with i, then down with j: k + j = n for any n
UP = """
proc main() {
  var i: int; var j: int; var k: int; var n: int;
  i := 0; j := 0; k := 0;
  havoc n;
  while (i < n) { i := i + 1; k := k + 1; }
  while (j < n) { assert k > 0; j := j + 1; k := k - 1; }
}
"""
UNAIDED: dict[str, Any] = {"seed_invariants": False, "predicates": 0, "short_runs": 0}


def up() -> CFA:
    """The program as a CFA."""
    return import_cfa(build_cfa(inline(parse(UP))), TermStore())


def bounds(s: TermStore, *pairs: tuple[Term, int]) -> Literals:
    """Each of the terms is at most its number."""
    return cube_of(s.le(t, s.int_(n)) for t, n in pairs)


def test_points_on_a_line_suggest_a_sum() -> None:
    """k <= c and n >= c + 1 for three c: first either side alone would be said, were there others;
    then k - n <= -1."""
    s = TermStore()
    k, n, flag = s.var("k", INT), s.var("n", INT), s.var("f", INT)
    seen, minus = Clusters(s), s.neg(n)
    other = s.eq(s.mod(flag, s.int_(2)), s.int_(0))
    cubes = [cube_of([*bounds(s, (k, c), (minus, -c - 1)), other]) for c in (3, 5, 4)]
    assert [list(seen.suggested(c)) for c in cubes[:2]] == [[], []]
    found = list(seen.suggested(cubes[2]))
    assert found[0] == (other,)
    assert found[1] == cube_of([*bounds(s, (s.sub(k, n), -1)), other])


def test_points_on_a_plane_suggest_a_sum() -> None:
    """k <= a + b, x >= a, y >= b for five a, b: k <= x + y."""
    s = TermStore()
    k, x, y = (s.var(name, INT) for name in "kxy")
    seen = Clusters(s)
    found: list[Literals] = []
    for a, b in ((1, 1), (1, 2), (2, 1), (3, 2), (4, 4)):
        found = list(seen.suggested(bounds(s, (k, a + b), (s.neg(x), -a), (s.neg(y), -b))))
    assert bounds(s, (s.sub(k, s.add(x, y)), 0)) in found


@pytest.mark.parametrize("seed", range(60))
def test_what_is_suggested_includes_the_lemma(seed: int) -> None:
    """Over all points of a box, for random inequalities, strict and not, and equations."""
    r, s = random.Random(seed), TermStore()
    sort = r.choice((INT, REAL))
    variables = [s.var(name, sort) for name in "xyz"]
    forms = [
        s.add(*(s.mul(s.const(r.randrange(-2, 3), sort), v) for v in variables))
        for _ in range(r.randrange(1, 4))
    ]
    make = [r.choice((s.le, s.lt, s.eq, s.ge)) for _ in forms]
    starts = [r.randrange(-3, 4) for _ in forms]
    steps = [[r.randrange(-2, 3) for _ in forms] for _ in range(2)]
    seen = Clusters(s)
    for _ in range(6):
        t = [r.randrange(4), r.choice((0, r.randrange(3)))]
        numbers = [
            n + sum(a * d[i] for a, d in zip(t, steps, strict=True)) for i, n in enumerate(starts)
        ]
        cube = cube_of(
            f(form, s.const(n, sort)) for f, form, n in zip(make, forms, numbers, strict=True)
        )
        suggested = list(seen.suggested(cube))
        for values in product((-3, -1, 0, 2), repeat=3):
            state = dict(zip(variables, values, strict=True))
            if all(evaluate(lit, state) for lit in cube):
                assert all(evaluate(lit, state) for c in suggested for lit in c)


def test_guidance_ends_what_would_be_unrolled() -> None:
    """Without anything else that knows k - n."""
    guided = Environment(debug=True)
    assert prove(up(), Options(**UNAIDED), guided).verdict is Verdict.TRUE
    assert guided.counters["guided"] > 0
    plain = Environment(cancelled=lambda: plain.questions > 3 * guided.questions)
    assert prove(up(), Options(guidance=0, **UNAIDED), plain).verdict is Verdict.UNKNOWN


# k counts up with x, then down with y: k = x - y
STEPS = text(
    "b:Bool x:Int y:Int k:Int",
    "(and b (= x 0) (= y 0) (= k 0))",
    "(ite b+ (and b (= x+ (+ x 1)) (= y+ y) (= k+ (+ k 1)))"
    " (and (= x+ x) (= y+ (+ y 1)) (= k+ (- k 1))))",
    "(or b (<= x y) (> k 0))",
)


def test_guidance_ends_what_predicates_would_unroll() -> None:
    """IC3IA, whose refinements give a bound for each round."""
    guided = Environment(debug=True)
    assert verdict(vmt.parse(STEPS), ic3ia.Options(), guided) is Verdict.TRUE
    assert guided.counters["guided"] > 0
    plain = Environment(cancelled=lambda: plain.questions > 3 * guided.questions)
    assert verdict(vmt.parse(STEPS), ic3ia.Options(guidance=0), plain) is Verdict.UNKNOWN


def test_literals_about_control_are_no_numbers() -> None:
    """Lemmas at three values of a program counter are no line."""
    s = TermStore()
    pc, k = s.var("pc", INT), s.var("k", INT)
    for apart, lines in ((frozenset[Term](), True), (frozenset([pc]), False)):
        seen = Clusters(s, apart)
        found = [list(seen.suggested(bounds(s, (pc, c), (s.neg(k), -c)))) for c in (1, 2, 3)]
        assert any(found) is lines


def test_a_suggestion_that_does_not_include_its_lemma_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The debug checker executes what `suggested` ensures."""
    real = clusters.Cluster.flats
    monkeypatch.setattr(
        clusters.Cluster,
        "flats",
        lambda self, new: ([p[::-1] for p in ps] for ps in real(self, new)),
    )
    with pytest.raises(InternalError, match="does not include its lemma"):
        prove(up(), Options(**UNAIDED), Environment(debug=True))


def test_a_cube_that_is_entered_as_another_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The debug checker executes what `entered` ensures."""
    real = AbstractFrames.entered
    monkeypatch.setattr(AbstractFrames, "entered", lambda self, given: real(self, given)[1:])
    with pytest.raises(InternalError, match="says less than it was entered for"):
        verdict(vmt.parse(STEPS), ic3ia.Options())


def counting(seed: int) -> str:
    """Two loops that move counters by small steps, and a claim about them."""
    r = random.Random(seed)
    names = "abck"[: r.randrange(2, 5)]

    def moves() -> str:
        return " ".join(f"{x} := {x} + {r.choice((0, 1, 1, 2))};" for x in names)

    back = " ".join(f"{x} := {x} - {r.choice((0, 1, 1, 2))};" for x in names)
    x, y = r.choice(names), r.choice(names)
    claims = (f"{x} >= 0", f"{x} <= {y} + i", f"{x} + j >= 0", f"{x} <= 2 * n", f"{x} == {y}")
    start = " ".join(f"{x} := {r.choice((0, 0, 1, 5))};" for x in names)
    return f"""
proc main() {{
  var i: int; var j: int; var n: int; {" ".join(f"var {x}: int;" for x in names)}
  i := 0; j := 0; {start}
  havoc n;
  assume n >= 0;
  while (i < n) {{ i := i + 1; {moves()} }}
  while (j < n) {{ j := j + 1; {r.choice((moves(), back))} assert {r.choice(claims)}; }}
}}
"""


def _over(env: Environment, limit: int) -> bool:
    return env.questions > limit


@pytest.mark.parametrize("seed", parts(6, 200))
def test_counting_systems_are_decided_alike_with_and_without(seed: int) -> None:
    """The same by IC3IA and IC3QE, on the program as a system."""
    cfa = import_cfa(build_cfa(inline(parse(counting(seed)))), TermStore())
    system, _ = to_transition_system(cfa)
    verdicts = set()
    for engine in (ic3ia, ic3qe):
        for guidance in (0, 20):
            env = Environment(debug=True)
            env.cancelled = partial(_over, env, 250)
            options = engine.Options(guidance=guidance)
            result = engine.prove(import_system(system, TermStore()), options, env)
            verdicts.add(result.verdict)
    assert len(verdicts - {Verdict.UNKNOWN}) <= 1


@pytest.mark.parametrize("seed", parts(12, 200))
def test_counting_programs_are_decided_alike_with_and_without(seed: int) -> None:
    """With contracts executed; what is claimed is checked, and the two agree where both decide."""
    program = parse(counting(seed))
    cfa = build_cfa(inline(program))
    verdicts = set()
    for guidance in (0, 20):
        env = Environment(debug=True)
        env.cancelled = partial(_over, env, 400)
        options = Options(guidance=guidance, **UNAIDED)
        result = prove(import_cfa(cfa, TermStore()), options, env)
        assert checked(program, cfa, result) is None
        verdicts.add(result.verdict)
    assert len(verdicts - {Verdict.UNKNOWN}) <= 1
