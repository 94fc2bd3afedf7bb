"""A program with one run is executed, without any question; one with several is not, and is left to
the search.
"""

from __future__ import annotations

import pytest

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.one_run import one_run
from obligato.engines.preparation import in_blocks
from obligato.models.importing import import_cfa
from obligato.results.outcome import EngineResult
from obligato.terms import TermStore
from tests.engines.judge import checked, sample

SUM = (
    "proc main() { var i, s: bv8; i := 0; s := 0; while (i <u 20) { s := s + i; i := i + 1; }"
    " assert s == %d; }"
)
INPUT = (
    "proc main() { var i, n: bv3; i := 0; havoc n; while (i <u n) { i := i + 1; } assert i == n; }"
)
CHOICE = "proc main() { var i: bv3; i := 0; while (*) { i := 1; } assert i <u 2; }"
ENDLESS = "proc main() { var i: bv3; i := 0; while (true) { i := i + 1; assert i <=u 7; } }"


def executed(text: str) -> tuple[EngineResult | None, Environment]:
    known = sample(text)
    assert known is not None
    program, cfa, _ = known
    env = Environment()
    result = one_run(in_blocks(import_cfa(cfa, TermStore()), env), env)
    assert env.questions == 0
    assert result is None or checked(program, cfa, result) is None
    return result, env


@pytest.mark.parametrize(("total", "verdict"), [(190, "true"), (191, "false")])
def test_the_only_run_decides(total: int, verdict: str) -> None:
    result, _ = executed(SUM % total)
    assert result is not None and result.verdict.value == verdict


@pytest.mark.parametrize("text", [INPUT, CHOICE, ENDLESS])
def test_other_programs_are_left(text: str) -> None:
    assert executed(text)[0] is None
