"""Bounded model checking of programs: random ones against exploration; execution, merging and
proofs on small ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.engines.bmc import Options, prove_cfa
from obligato.engines.environment import Environment
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import TermStore
from tests.engines.judge import checked, sample
from tests.support.volume import parts

DEEP = Options(bound=60)  # every error of the random programs lies within this


def run(text: str, options: Options | None = None) -> tuple[EngineResult, Environment]:
    env = Environment()
    return (
        prove_cfa(
            import_cfa(build_cfa(inline(parse(text))), TermStore()), options or Options(), env
        ),
        env,
    )


def judged(seed: int) -> tuple[Verdict, Verdict] | None:
    """The true verdict and that of the engine, whose claim was checked; None if the program is too
    large to explore.
    """
    known = sample(seed)
    if known is None:
        return None
    program, cfa, expected = known
    result = prove_cfa(import_cfa(cfa, TermStore()), DEEP, Environment())
    assert checked(program, cfa, result) is None, seed
    return expected, result.verdict


@pytest.mark.parametrize("part", parts(1, 2))
def test_agrees_with_exploration(part: int) -> None:
    """Each error is found, none is invented, and some programs are proved."""
    found = [
        both for seed in range(100 * part, 100 * part + 100) if (both := judged(seed)) is not None
    ]
    assert {verdict for expected, verdict in found if expected is Verdict.FALSE} == {Verdict.FALSE}
    assert {verdict for expected, verdict in found if expected is Verdict.TRUE} == {
        Verdict.TRUE,
        Verdict.UNKNOWN,
    }


@pytest.mark.slow
def test_agrees_on_many() -> None:
    for seed in range(1000, 4000):
        both = judged(seed)
        assert both is None or both[1] is both[0] or both == (Verdict.TRUE, Verdict.UNKNOWN), seed


def test_a_known_number_of_rounds_costs_no_question() -> None:
    """The value that was read at the start stays open beside the counter and is decided at
    the end.
    """
    loop = (
        "proc main() {{ var i: bv32; var x: bv8; i := 0; havoc x; while (i <u {n}) {{ i := i + 1;"
        " }} assert {claim}; }}"
    )
    result, env = run(loop.format(n=3000, claim="x != 7"))
    assert result.verdict is Verdict.FALSE and env.stats.calls == {"error": 1}
    assert result.trace is not None and len(result.trace.steps) > 3000
    result, env = run(loop.format(n=3000, claim="i != 3000"))
    assert result.verdict is Verdict.FALSE and env.stats.total_calls == 0


def test_ways_that_do_not_exclude_each_other_are_all_followed() -> None:
    """Both ways to the same location are open at the same time: the second one must not be hidden
    by the first.
    """
    text = (
        "proc main() {{ var x: bv8; var y: bv8; y := 0; choose {{ x := 1; }} or {{ x := 2; }} or {{"
        " x := 3; }} while (y != x) {{ y := y + 1; }} assert y != {n}; }}"
    )
    for n in (1, 2, 3):
        assert run(text.format(n=n))[0].verdict is Verdict.FALSE, n
    assert run(text.format(n=4))[0].verdict is not Verdict.FALSE


def test_the_shortest_run_is_found() -> None:
    """The error after one round is not overtaken by the one after nine."""
    result, env = run(
        "proc main() { var i: bv8; var x: bv8; i := 0; while (i <u 9) { i := i + 1; havoc x; assert"
        " x != 5; } assert i != 9; }"
    )
    assert result.verdict is Verdict.FALSE and env.counters["bound"] == 2


def test_a_program_without_long_paths_is_proved() -> None:
    """All runs are followed to their end."""
    result, _ = run(
        "proc main() { var i: bv8; var x: bv8; i := 0; while (i <u 9) { i := i + 1; havoc x; assert"
        " i != 10; } }"
    )
    assert result.verdict is Verdict.TRUE and result.certificate is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "proc main() { var i: bv8; while (true) { i := 1; assert i == 1; } }",
            "within 7 large blocks",
        )
    ],
)
def test_what_is_left_open_is_said(text: str, reason: str) -> None:
    result, _ = run(text, Options(bound=7))
    assert result.verdict is Verdict.UNKNOWN and reason in (result.reason or "")


TWO_LOOPS = (
    "proc main() {{ var a: bv8; var x: bv8; a := 0; choose {{ x := 1; while (a <u 2) {{ a := a + 1;"
    " }} }} or {{ x := 2; while (a <u 2) {{ a := a + 1; }} }} while (a <u 4) {{ a := a + 1; }}"
    " assert x != {n}; }}"
)


def test_ways_to_different_locations_are_all_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Selectors decide between the loops; without them (a deliberate fault) one hides the other,
    and the checker objects.
    """
    for n in (1, 2):
        assert run(TWO_LOOPS.format(n=n))[0].verdict is Verdict.FALSE, n
    monkeypatch.setattr(
        "obligato.engines.bmc.unwinding.Unwinding._selected",
        lambda self, guards, state, depth: guards,
    )
    wrong = [
        (n, found)
        for n in (1, 2)
        if (found := run(TWO_LOOPS.format(n=n))[0]).verdict is Verdict.TRUE
    ]
    assert len(wrong) == 1
    program = parse(TWO_LOOPS.format(n=wrong[0][0]))
    assert "no run is at" in (checked(program, build_cfa(inline(program)), wrong[0][1]) or "")


def test_a_deep_bug_of_a_c_program_is_replayed(tmp_path: Path) -> None:
    """Reductions, lifting, the solution of the path and the interpreter take long traces too."""
    file = tmp_path / "deep.c"
    file.write_text(
        "void reach_error(void); int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int s = 0, x = __VERIFIER_nondet_int();\n"
        "  for (int i = 0; i < 3000; i++) s = (s + i) & 1023;\n  if (x == s) reach_error(); }\n"
    )
    outcome = obligato.verify(file, "bmc")
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None and outcome.trace.replayed
    assert outcome.stats["bound"] > 3000 and len(outcome.trace.steps) > 3000


def test_a_branch_that_changes_nothing_is_taken_as_the_run_takes_it() -> None:
    """Neither guards nor final values of the block mention what decides it, but the original edges
    of the run do.
    """
    assert judged(3003526) == (Verdict.FALSE, Verdict.FALSE)
