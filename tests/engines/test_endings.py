"""Does every run end? Random programs against explicit states, programs about overflow, and
deliberate faults.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from obligato import ClaimRefused, check, verify
from obligato.api.reading import original_cfa
from obligato.api.run_search import only_limits
from obligato.engines import rank
from obligato.engines.rank import run
from obligato.engines.rank.loops import Loops
from obligato.engines.rank.walls import Walls
from obligato.errors import InputError
from obligato.models.cfa import CFA
from obligato.models.claims import Certificate
from obligato.models.rank_claims import BuchiCFA, Endless, Ranking
from obligato.program.syntax import Program
from obligato.reports.json_report import to_dict
from obligato.results.checking.endless import check_endless
from obligato.results.checking.ranking import check_ranking
from obligato.results.checking.solving import chain
from obligato.results.checking.status import CertificateCheck, Status
from obligato.results.checking.trace import TraceCheck, TraceStatus
from obligato.results.outcome import Verdict
from obligato.results.replay import replay
from obligato.smt import SolverStats
from obligato.terms import BOOL, Op, bitvec
from tests.engines.ending_judge import (
    answered,
    c_objection,
    objection,
    program_of,
    recursion_objection,
    refused,
)
from tests.support.volume import parts

OVERFLOW = sorted((Path(__file__).parents[1] / "c" / "endings").glob("*.c"))
LINKS = chain([bitvec(8), BOOL], {}, SolverStats())


@pytest.mark.parametrize("block", parts(5, 5))
def test_random_programs(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        problem, _ = objection(seed)
        assert problem is None, f"{seed}: {problem}"


@pytest.mark.parametrize("block", range(3))
def test_random_recursive_programs(block: int) -> None:
    for seed in range(15 * block, 15 * block + 15):
        problem, _ = recursion_objection(seed)
        assert problem is None, f"{seed}: {problem}"


@pytest.mark.parametrize(
    "loop",
    [
        "unsigned char f = 3; while (f != 127) f = f * 7 ^ 5;",
        pytest.param("float f = 0; while (f != 1.0f) f += 0.25f;", marks=pytest.mark.slow),
    ],
)
def test_rounds_are_counted(loop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No expression of the program decreases, and no walls or tables are sought, which would do
    here, too: what is claimed of a counter is checked with the checker's own counter.
    """
    monkeypatch.setattr(Walls, "find", lambda self, stuck, budget: None)
    monkeypatch.setattr(run, "table", lambda *_: {})
    file, claim = tmp_path / "file.c", tmp_path / "file.json"
    file.write_text(f"int main(void) {{ {loop} return 0; }}\n")
    outcome = verify(file, property="termination", isolated=False)
    assert (
        outcome.verdict is Verdict.TRUE
        and outcome.certificate is not None
        and outcome.certificate.counters
    )
    data = to_dict(outcome)
    claim.write_text(json.dumps(data))
    assert check(file, claim).verdict is Verdict.TRUE
    (counter,) = data["certificate"]["counters"]
    faults: list[dict[str, Any]] = [
        {"locations": []},
        {"bits": 1},
        {"bits": 0},
        {"name": "main::f"},
    ]
    for fault in faults:
        data["certificate"]["counters"] = [{**counter, **fault}]
        claim.write_text(json.dumps(data))
        with pytest.raises((ClaimRefused, InputError)):
            check(file, claim)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_c_programs(seed: int) -> None:
    problem, _ = c_objection(seed)
    assert problem is None


RECURSIVE = {  # whether every run ends
    "int f(int n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }": "true",
    "int f(int n) { if (n == 0) return 0; return 1 + f(n); }": "false",
    # a loop deep inside
    "int f(int n) { if (n <= 0) { while (n == -7); return 0; } return 1 + f(n - 1); }": "false",
    "int h(int n); int f(int n) { return n <= 0 ? 0 : 1 + h(n - 1); }\nint h(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }": (
        "true"
    ),
    "int a(int m, int n) { if (m <= 0) return n + 1; if (n <= 0) return a(m - 1, 1); return a(m - 1, a(m, n - 1)); }\nint f(int n) { return a(n, n); }": (
        "true"
    ),
    "int g; int f(int n) { if (n <= 0) return 0; while (g > 0) g--; f(n - 1); g = n; return 1 + f(n - 2); }": (
        "true"
    ),
    # an odd number never gets there
    "unsigned f(unsigned n) { if (n == 0) return 0; return 1 + f(n - 2); }": "false",
    # what is set after the call is set too late
    "int g; int f(int n) { if (g) return 0; g = f(n) + 1; return g; }": "false",
}


@pytest.mark.parametrize("text", RECURSIVE)
def test_recursion(text: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(
        f"extern int __VERIFIER_nondet_int(void);\n{text}\n"
        "int main(void) { return f(__VERIFIER_nondet_int()); }\n"
    )
    outcome = verify(file, property="termination", timeout=60)
    assert outcome.verdict.value == RECURSIVE[text]
    assert check(file, outcome).verdict is outcome.verdict


def test_what_a_call_returns_refutes_nothing(tmp_path: Path) -> None:
    """Only if g returned something else than it does the loop would go on."""
    file = tmp_path / "p.c"
    file.write_text(
        "int g(int n) { if (n <= 0) return 0; return 0 * g(n - 1); }\nint main(void) { while"
        " (g(3)); return 0; }\n"
    )
    assert verify(file, property="termination", timeout=20).verdict.value == "unknown"
    for condition, verdict in (("n++ < 3", "true"), ("n < 3", "false")):  # main may call itself
        file.write_text(
            f"int n; int main(void) {{ if ({condition}) {{ main(); n = 0; }} return 0; }}\n"
        )
        assert verify(file, property="termination", timeout=60).verdict.value == verdict


def test_most_random_programs_are_decided() -> None:
    answers = [objection(seed)[1] for seed in range(5000, 5060)]
    assert sum(a.endswith(": unknown") for a in answers) <= 6, answers


@pytest.mark.parametrize("file", OVERFLOW, ids=lambda f: f.stem)
def test_overflow(file: Path) -> None:
    assert (
        verify(str(file), property="termination", timeout=60).verdict.value
        == file.stem.rpartition("_")[2]
    )


# -- what the checker must refuse ------------------------------------------------------------------

DOWN = """proc main() {
  var x: bv8; var n: bv8;
  while (x >s 0) { x := x - 1; havoc n; }
}"""
ENDLESS = """proc main() {
  var x: bv8; var i: bv8;
  x := 3;
  while (x != 0) { havoc i; if (i == 0) { x := x + 1; } else { x := x - 1; } }
}"""


def problem_of(text: str) -> tuple[Program, BuchiCFA]:
    program = program_of(text)
    return program, BuchiCFA(only_limits(original_cfa(program)))


def head(cfa: CFA) -> int:
    """The only location that is the target of two edges and not the exit."""
    return next(loc for loc in cfa.locations if len(cfa.into(loc)) > 1 and cfa.out(loc))


def ranks(problem: BuchiCFA, claim: Ranking) -> CertificateCheck:
    return check_ranking(problem, claim, LINKS)


def test_ranks() -> None:
    _, problem = problem_of(DOWN)
    cfa, s = problem.cfa, problem.cfa.store
    loc, x, n = head(cfa), s.var("main::x", bitvec(8)), s.var("main::n", bitvec(8))
    one = s.bv(1, 8)
    assert ranks(problem, Ranking(Certificate({}), {loc: (x,)})).status is Status.ACCEPTED
    for wrong in ((n,), (s.mk(Op.BVNOT, (x,)),), (n, x), (), (s.mk(Op.BVSUB, (x, n)),), (one,)):
        assert ranks(problem, Ranking(Certificate({}), {loc: wrong})).status is Status.REFUTED, (
            wrong
        )
    # a loop without a rank
    assert ranks(problem, Ranking(Certificate({}), {})).status is Status.REFUTED
    assert ranks(problem, Ranking(Certificate({}), {cfa.initial: (x,)})).status is Status.REFUTED
    foreign = s.var("q", bitvec(8))
    assert ranks(problem, Ranking(Certificate({}), {loc: (foreign,)})).status is Status.REFUTED
    false = Ranking(Certificate({loc: s.false}), {loc: (n,)})
    # the invariant must hold at the beginning
    assert ranks(problem, false).status is Status.REFUTED
    bare = Ranking(
        Certificate({k: s.true for k in cfa.locations if k not in (cfa.initial, cfa.error)}),
        {loc: (x,)},
    )
    assert ranks(problem, bare).status is Status.REFUTED  # cut points on the cycle without a rank


def test_integers_must_be_bounded() -> None:
    _, problem = problem_of("proc main() { var x: int; while (x != 0) { x := x - 1; } }")
    s, loc = problem.cfa.store, head(problem.cfa)
    links = chain([v.sort for v in problem.cfa.variables], {}, SolverStats())
    x = problem.cfa.variables[0]
    assert (
        check_ranking(problem, Ranking(Certificate({}), {loc: (x,)}), links).status
        is Status.REFUTED
    )
    _, bounded = problem_of("proc main() { var x: int; while (x > 0) { x := x - 1; } }")
    claim = Ranking(Certificate({}), {head(bounded.cfa): (bounded.cfa.variables[0],)})
    assert check_ranking(bounded, claim, links).status is Status.ACCEPTED
    assert s is problem.cfa.store


def test_accepting_locations() -> None:
    """A loop that may go on for ever, if it is not at the accepting location again and again."""
    _, problem = problem_of("proc main() { var x: bv8; while (*) { if (x != 0) { x := x - 1; } } }")
    cfa, x = problem.cfa, problem.cfa.variables[0]
    step = next(e.source for e in cfa.edges if "x - 1" in e.text)
    buchi, loc = BuchiCFA(cfa, frozenset([step])), head(cfa)
    assert ranks(problem, Ranking(Certificate({}), {loc: (x,)})).status is Status.REFUTED
    # the accepting one has no rank
    assert ranks(buchi, Ranking(Certificate({}), {loc: (x,)})).status is Status.REFUTED
    positive = Certificate({step: cfa.store.ne(x, cfa.store.bv(0, 8))})
    assert ranks(buchi, Ranking(positive, {loc: (x,), step: (x,)})).status is Status.ACCEPTED
    assert ranks(buchi, Ranking(Certificate({}), {loc: (x,), step: (x,)})).status is Status.REFUTED
    assert answered(buchi).verdict is Verdict.TRUE
    assert answered(problem).verdict is Verdict.FALSE


def endless(program: Program, problem: BuchiCFA, claim: Endless) -> TraceCheck:
    return check_endless(
        problem, claim, lambda t: replay(program, problem.cfa, t, whole=False).problem, LINKS
    )


def test_lassos() -> None:
    program, problem = problem_of(ENDLESS)
    result = answered(problem)
    claim = result.claim
    assert isinstance(claim, Endless) and not claim.sets
    assert endless(program, problem, claim).status is TraceStatus.CONFIRMED
    steps = claim.trace.steps
    assert endless(program, problem, replace(claim, loop=len(steps))).status is TraceStatus.REJECTED
    assert endless(program, problem, replace(claim, loop=0)).status is TraceStatus.REJECTED
    short = replace(claim, trace=replace(claim.trace, steps=steps[:-1]))
    assert endless(program, problem, short).status is TraceStatus.REJECTED
    # x only decreases: another path, or another end
    other = [replace(s, inputs=dict.fromkeys(s.inputs, 1)) for s in steps]
    assert (
        endless(
            program, problem, replace(claim, trace=replace(claim.trace, steps=tuple(other)))
        ).status
        is not TraceStatus.CONFIRMED
    )
    accepting = BuchiCFA(problem.cfa, frozenset([problem.cfa.initial]))
    assert endless(program, accepting, claim).status is TraceStatus.REJECTED
    edges = tuple(
        replace(e, approximates="all") if e.asks or "havoc" in e.text else e
        for e in problem.cfa.edges
    )
    rough = BuchiCFA(replace(problem.cfa, edges=edges))
    assert endless(program, rough, claim).status is TraceStatus.LIMITED


def test_a_loop_that_changes_what_it_tests() -> None:
    program, problem = problem_of(
        "proc main() { var x: bv8; x := 0; while (x <u 9) { x := x + 1; } }"
    )
    lasso = answered(
        problem_of("proc main() { var x: bv8; x := 0; while (x <u 9) { x := x + 0; } }")[1]
    ).claim
    assert isinstance(lasso, Endless)
    # the same edges; x is not the same
    assert endless(program, problem, lasso).status is TraceStatus.LOST


ODD = "proc main() { var x: bv32; x := 1; while (x != 0) { x := x + 2; } }"


def test_recurrence_sets() -> None:
    program, problem = problem_of(ODD)
    result = answered(problem)
    claim = result.claim
    assert isinstance(claim, Endless) and claim.sets and refused(program, problem, result) is None
    s, loc = problem.cfa.store, head(problem.cfa)
    x = problem.cfa.variables[0]
    for formula in (
        s.true,
        s.false,
        s.eq(x, s.bv(1, 32)),
        s.ne(x, s.bv(0, 32)),
        s.mk(Op.BVSGT, (x, s.bv(0, 32))),
    ):
        assert (
            endless(program, problem, replace(claim, sets={loc: formula})).status
            is TraceStatus.REJECTED
        )
    elsewhere = {problem.cfa.initial: claim.sets[loc]}
    assert endless(program, problem, replace(claim, sets=elsewhere)).status is TraceStatus.REJECTED


def test_inputs_of_recurrence_sets_are_the_ones_that_are_told() -> None:
    program, problem = problem_of("proc main() { var i: bv8; i := 7; while (i == 7) { havoc i; } }")
    loc, s = head(problem.cfa), problem.cfa.store
    stem = answered(problem).claim
    assert isinstance(stem, Endless)
    start = replace(stem.trace, steps=stem.trace.steps[: stem.loop])
    name = next(i.name for i in problem.cfa.inputs)
    formula = s.eq(problem.cfa.variables[0], s.bv(7, 8))
    good = Endless(start, len(start.steps), {loc: formula}, {name: 7})
    assert endless(program, problem, good).status is TraceStatus.CONFIRMED
    assert endless(program, problem, replace(good, values={name: 8})).status is TraceStatus.REJECTED


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("while (true) { assume false; }", Verdict.TRUE),  # a blocked run is finite
        ("while (true) { assert false; }", Verdict.TRUE),  # so is one that fails
        ("while (true) { halt; }", Verdict.TRUE),
        ("l: goto l;", Verdict.FALSE),
        ("var x: bv8; x := 0; while (true) { x := x + 1; }", Verdict.FALSE),  # nothing depends on x
        ("var x: bv8; while (x != 0) { x := x - 1; assert [limit] x != 5; }", Verdict.UNKNOWN),
        ('var x: bv8; havoc x approximates "it"; while (x != 0) { }', Verdict.UNKNOWN),
        ('var x: bv8; havoc x approximates "it"; while (x != 0) { x := x - 1; }', Verdict.TRUE),
        ("var x: bv8; while (x != 0) { x := x - 1; while (*) { assume false; } }", Verdict.TRUE),
    ],
)
def test_what_ends(body: str, expected: Verdict, tmp_path: Path) -> None:
    file = tmp_path / "p.ivl"
    file.write_text(f"proc main() {{ {body} }}")
    assert verify(str(file), property="termination", timeout=30).verdict is expected


def test_deliberate_faults_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets that a tuple must decrease claims ranks that the checker refuses."""
    body = "while (x <u y) { if (y == 9) { x := x + 0; } else { x := x + 1; } }"
    _, problem = problem_of(f"proc main() {{ var x: bv8; var y: bv8; {body} }}")
    monkeypatch.setattr(run, "lower", lambda store, new, old, strictly: store.true)
    monkeypatch.setattr(Loops, "same_state", lambda *args: None)
    result = answered(problem, options=rank.Options(walks=0, recurrence=False))
    assert isinstance(result.claim, Ranking)
    assert ranks(problem, result.claim).status is Status.REFUTED
