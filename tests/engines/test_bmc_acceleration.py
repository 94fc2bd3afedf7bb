"""Rounds of counting loops at once: against execution round by round; what the checker says about
other numbers of rounds.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.engines.bmc import Options, acceleration, prove_cfa
from obligato.engines.environment import Environment
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import Assign, Assume, Seq
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.reports.json_report import outcome_text
from obligato.results.checking.rounds import after_rounds
from obligato.results.checking.solving import chain
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt import SolverStats
from obligato.terms import Op, TermStore, bitvec
from tests.engines.judge import checked

MASK = 0xFFFF
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<u": lambda a, b: a < b,
    "<=u": lambda a, b: a <= b,
    ">u": lambda a, b: a > b,
    "!=": lambda a, b: a != b,
    "<s": lambda a, b: _signed(a) < _signed(b),
    ">=s": lambda a, b: _signed(a) >= _signed(b),
}


def _signed(a: int) -> int:
    return a - 0x10000 if a & 0x8000 else a


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops of a few rounds are worth it."""
    monkeypatch.setattr(acceleration, "PATIENCE", 2)
    monkeypatch.setattr(acceleration, "WORTH", 100)


def run(text: str) -> tuple[EngineResult, str | None]:
    """The engine's result, and what the checker has against it."""
    program = parse(text)
    cfa = build_cfa(inline(program))
    result = prove_cfa(import_cfa(cfa, TermStore()), Options(), Environment())
    return result, checked(program, cfa, result)


def _loop(seed: int) -> tuple[str, list[int], int] | None:
    """A random counting loop with a branch, its last values and its number of rounds, by execution;
    None if it runs long.
    """
    rng = random.Random(seed)
    x, y, z = start = [rng.randrange(MASK + 1) for _ in range(3)]
    a, b, c, d = (
        rng.choice([1, 2, 3, 5, 7, -1, -2, -3, rng.randrange(MASK)]) & MASK for _ in range(4)
    )
    (stay, holds), (branch, first) = (rng.choice(list(COMPARISONS.items())) for _ in range(2))
    limit, middle = rng.randrange(MASK + 1), rng.randrange(MASK + 1)
    rounds = 0
    while holds(x, limit):
        z = y
        x, y = (
            ((x + a) & MASK, (y + b) & MASK)
            if first(x, middle)
            else ((x + c) & MASK, (y + d) & MASK)
        )
        rounds += 1
        if rounds > 40_000:
            return None
    text = f"""proc main() {{ var x: bv16; var y: bv16; var z: bv16; x := {start[0]}; y := {start[1]}; z := {start[2]};
        while (x {stay} {limit}) {{ z := y; if (x {branch} {middle}) {{ x := x + {a}; y := y + {b}; }}
        else {{ x := x + {c}; y := y + {d}; }} }} assert x != {x} || y != {y} || z != {z}; }}"""
    return text, [x, y, z], rounds


def test_rounds_at_once_are_rounds_one_by_one() -> None:
    """The error at the end needs the very values that execution finds; the checker accepts each
    trace.
    """
    repeated = 0
    for seed in range(150):
        known = _loop(seed)
        if known is None:
            continue
        text, values, rounds = known
        result, objection = run(text)
        assert result.verdict is Verdict.FALSE and objection is None, (seed, objection, values)
        assert result.trace is not None
        repeated += bool(result.trace.repeats)
        assert rounds < 100 or result.trace.repeats or len(result.trace.steps) > rounds, seed
    assert repeated > 30


LONG = """proc main() { var i: bv32; var s: bv32; var t: bv32; i := 0; s := 7; t := 0;
    while (i <u 3000000000) { t := s; s := s + 3; i := i + 1; } assert s != 410065415 || t != 410065412; }"""


def test_billions_of_rounds() -> None:
    """t is assigned, not read, in each round: after the last one it has the value of s before."""
    result, objection = run(LONG)
    assert result.verdict is Verdict.FALSE and objection is None
    assert result.trace is not None and len(result.trace.repeats) == 1


@pytest.mark.parametrize("more", [1, -1, 5, 1 << 40])
def test_other_numbers_of_rounds_are_rejected(more: int) -> None:
    result, _ = run(LONG)
    assert result.trace is not None
    (repeat,) = result.trace.repeats
    wrong = replace(result.trace, repeats=(replace(repeat, times=repeat.times + more),))
    program = parse(LONG)
    assert "trace" in (
        checked(program, build_cfa(inline(program)), replace(result, trace=wrong)) or ""
    )


def test_rounds_that_are_none_are_rejected() -> None:
    result, _ = run(LONG)
    assert result.trace is not None
    program = parse(LONG)
    (repeat,) = result.trace.repeats
    for wrong in (
        replace(repeat, start=repeat.start + 1),
        replace(repeat, end=repeat.end + 1),
        replace(repeat, times=0),
        replace(repeat, end=1000),
    ):
        trace = replace(result.trace, repeats=(wrong,))
        assert "trace" in (
            checked(program, build_cfa(inline(program)), replace(result, trace=trace)) or ""
        ), wrong


def test_what_does_not_count_is_executed() -> None:
    """x is multiplied: there is no closed form, and the verdict is right nevertheless."""
    text = (
        "proc main() { var x: bv16; var i: bv16; x := 1; i := 0; while (i <u 900) { i := i + 1; x"
        " := x * 5; } assert x != %d; }"
    )
    right = pow(5, 900, 1 << 16)
    result, objection = run(text % right)
    assert (
        result.verdict is Verdict.FALSE
        and objection is None
        and result.trace is not None
        and not result.trace.repeats
    )


@pytest.mark.parametrize("fault", ["one round too many", "another closed form"])
def test_faults_are_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliberate faults in the engine: the checker objects, or the error is not found."""
    if fault == "one round too many":
        real = acceleration.Accelerator._verified
        monkeypatch.setattr(acceleration.Accelerator, "_verified", lambda *args: real(*args) + 2)
    else:
        old = acceleration._Closed.after
        monkeypatch.setattr(
            acceleration._Closed, "after", lambda self, rounds: old(self, rounds + 1)
        )
    wrong = 0
    for seed in range(16):
        known = _loop(seed)
        if known is not None:
            result, objection = run(known[0])
            wrong += result.verdict is not Verdict.FALSE or objection is not None
    assert wrong > 3


def test_a_c_program_is_refuted_and_checked_again(tmp_path: Path) -> None:
    """Through reduction, lifting and report; the claim in the JSON file is accepted, one with
    another number is not.
    """
    file, claim = tmp_path / "deep.c", tmp_path / "claim.json"
    file.write_text(
        "void reach_error(void); int __VERIFIER_nondet_int(void);\nunsigned f(unsigned z) { return"
        " z + 2; }\nint main(void) { unsigned x = 0; int y = __VERIFIER_nondet_int();\n  while (x <"
        " 100000000) x = f(x);\n  if (x + y == 42) reach_error(); }\n"
    )
    outcome = obligato.verify(file, "bmc")
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None and outcome.trace.repeats
    text = outcome_text(outcome)
    claim.write_text(text)
    request = Request(str(file), engine="bmc")
    assert recheck(request, lambda *_: None, str(claim)).verdict is Verdict.FALSE
    claim.write_text(re.sub(r'"times": \d+', '"times": 4711', text))
    with pytest.raises(ClaimRefused):
        recheck(request, lambda *_: None, str(claim))


def _safe(text: str) -> str:
    """The same loop with an assertion that holds at its end."""
    return text.replace("!=", "==").replace("||", "&&")


def test_proofs_of_long_runs() -> None:
    """Loops whose last values are asserted are proved; the checker takes their rounds at
    once, too.
    """
    jumped = 0
    for seed in range(60):
        known = _loop(seed)
        if known is None or known[2] > 5_000 or "!=" in known[0].split("assert")[0]:
            continue
        result, objection = run(_safe(known[0]))
        assert result.verdict is Verdict.TRUE and objection is None, (seed, objection)
        assert result.certificate is not None and result.certificate.unwinding is not None
        jumped += bool(result.certificate.unwinding.jumps)
    assert jumped > 3
    assert run(_safe(LONG))[1] is None


def test_other_rounds_of_a_proof_are_refused() -> None:
    text = _safe(LONG)
    result, _ = run(text)
    program = parse(text)
    cfa = build_cfa(inline(program))
    assert result.certificate is not None and result.certificate.unwinding is not None
    unwinding = result.certificate.unwinding
    ((at, times),) = unwinding.jumps
    for place, often in ((at, times + 2), (at, times + 5), (at, 1 << 61), (1, times), (at, 0)):
        wrong = replace(
            result.certificate,
            unwinding=replace(unwinding, jumps=((place, often),), depth=at + times + 8),
        )
        assert "rounds" in (checked(program, cfa, replace(result, certificate=wrong)) or ""), (
            place,
            often,
        )


BESIDE = """proc main() { var x: bv32; x := 0; while (x <u 720) {
    choose { x := x + 1; } or { assume x >=u 700; assert x != 703; x := x + 1; } } }"""


def test_ways_that_open_later_are_not_passed_by() -> None:
    """From 700 rounds on there is a second way, with an error on it."""
    result, objection = run(BESIDE)
    assert result.verdict is not Verdict.TRUE and objection is None


def test_a_proof_that_ignores_other_ways_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine without that condition: a deliberate fault."""
    monkeypatch.setattr(acceleration.Accelerator, "_others", lambda self, step: ())
    result, objection = run(BESIDE)
    assert result.verdict is Verdict.TRUE and "rounds" in (objection or "")


@pytest.mark.parametrize(("limit", "accepted"), [(50, True), (51, False)])
def test_edges_that_do_not_exclude_each_other(limit: int, accepted: bool) -> None:
    """A location with two edges x < 100 and x >= `limit`: 50 rounds from 0 are those of all runs
    only up to there.
    """
    s = TermStore.raw()
    x = s.var("x", bitvec(8))
    below, above = s.mk(Op.BVULT, (x, s.bv(100, 8))), s.not_(s.mk(Op.BVULT, (x, s.bv(50, 8))))
    more = Assign(((x, s.mk(Op.BVADD, (x, s.bv(1, 8)))),))
    around = Edge(1, 1, 1, Seq((Assume(below), more)))
    edges = (Edge(0, 0, 1, Assign(((x, s.bv(0, 8)),))), around, Edge(2, 1, 2, Assume(above)))
    cfa = CFA(s, (x,), (), {n: Location(n, f"l{n}") for n in range(3)}, edges, 0, 2)
    links = chain([x.sort], (), SolverStats())
    assert after_rounds(cfa, [(around, {})], {x: 0}, limit, links, lambda: None).values is not None
    found = after_rounds(cfa, [(around, {})], {x: 0}, limit, links, lambda: None, claim=s.true)
    assert (found.values is not None) is accepted and (found.wrong or accepted)
    wrong = s.mk(Op.BVULT, (x, s.bv(20, 8)))
    assert after_rounds(cfa, [(around, {})], {x: 0}, limit, links, lambda: None, claim=wrong).wrong


def test_what_is_read_in_vain_is_no_mistake_of_the_trace() -> None:
    """z goes on unevenly and has no effect: whoever simplifies sees that nobody reads it. The rounds
    cannot be shown, but they may be there; more than the guard allows are wrong where all is even.
    """
    s = TermStore.raw()
    x, y, z = (s.var(name, bitvec(8)) for name in "xyz")
    below = Assume(s.mk(Op.BVULT, (x, s.bv(100, 8))))
    x1, x2 = s.mk(Op.BVADD, (x, s.bv(1, 8))), s.mk(Op.BVMUL, (x, x))
    y1 = s.mk(Op.BVADD, (y, s.mk(Op.BVAND, (z, s.bv(0, 8)))))
    links = chain([x.sort], (), SolverStats())
    for uneven, times in ((True, 50), (True, 101), (False, 50), (False, 101)):
        around = Edge(1, 1, 1, Seq((below, Assign(((x, x1), (y, y1), (z, x2 if uneven else x))))))
        cfa = CFA(s, (x, y, z), (), {n: Location(n, f"l{n}") for n in range(3)}, (around,), 0, 2)
        known = {x: 1, y: 0, z: 0}
        found = after_rounds(cfa, [(around, {})], known, times, links, lambda: None)
        assert (found.values is not None) is (not uneven and times == 50), (uneven, times)
        assert found.wrong is (not uneven and times == 101), (uneven, times)
