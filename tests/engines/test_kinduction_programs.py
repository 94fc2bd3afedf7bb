"""k-induction on programs: random ones against exploration; k-inductive certificates, and those
with a wrong k.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from obligato.engines.bmc.runs import Runs
from obligato.engines.environment import Environment
from obligato.engines.kinduction import Options, prove_cfa
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import TermStore
from tests.engines.judge import checked, sample
from tests.support.volume import parts

CONFIGURATIONS = [
    Options(bound=40),
    Options(bound=40, invariants=False),
    Options(bound=40, backend="z3"),
]


def judged(seed: int) -> tuple[Verdict, EngineResult] | None:
    """The true verdict and the engine's result, whose claim was checked; None if the program is too
    large to explore.
    """
    known = sample(seed)
    if known is None:
        return None
    program, cfa, expected = known
    result = prove_cfa(
        import_cfa(cfa, TermStore()), CONFIGURATIONS[seed % len(CONFIGURATIONS)], Environment()
    )
    assert checked(program, cfa, result) is None, seed
    assert result.verdict in (expected, Verdict.UNKNOWN), seed
    return expected, result


@pytest.mark.parametrize("part", parts(1, 2))
def test_agrees_with_exploration(part: int) -> None:
    """Each error is found and none is invented; most proofs need more than one block."""
    found = [
        both for seed in range(100 * part, 100 * part + 100) if (both := judged(seed)) is not None
    ]
    assert all(
        result.verdict is Verdict.FALSE for expected, result in found if expected is Verdict.FALSE
    )
    proved = [result.certificate for _, result in found if result.certificate is not None]
    assert len(proved) > 10


@pytest.mark.slow
def test_agrees_on_many() -> None:
    for seed in range(1000, 4000):
        judged(seed)


# x runs 0, 1, 2, 3, 4, 0, ...: from any other state it comes back to these or has left 9 behind
# after some rounds
CYCLE = """proc main() { var x: bv8; var y: bv8; x := 0; while (true) { assert x != 9; havoc y;
    if (x == 4) { x := 0; } else { if (x == 6) { x := 9; } else { if (x == 12) { x := 6; } else {
    if (x <u 4) { x := x + 1; } else { x := 5; } } } } } }"""


def proof(text: str, options: Options) -> tuple[CFA, EngineResult]:
    cfa = build_cfa(inline(parse(text)))
    return cfa, prove_cfa(import_cfa(cfa, TermStore()), options, Environment())


def test_a_smaller_k_is_refuted() -> None:
    """12, 6, 9, error: the property is 4-inductive and no less, and so says the checker."""
    cfa, result = proof(CYCLE, Options(invariants=False))
    assert result.certificate is not None and result.certificate.k == 4
    for k, accepted in ((4, True), (5, True), (3, False), (2, False), (1, False)):
        wrong = replace(result, certificate=replace(result.certificate, k=k))
        assert (checked(parse(CYCLE), cfa, wrong) is None) is accepted, k


def test_invariants_make_k_smaller() -> None:
    """The interval of x excludes 12 and 6 at once."""
    _, result = proof(CYCLE, Options())
    assert result.certificate is not None and result.certificate.k == 1


def test_runs_that_end_are_a_proof() -> None:
    text = (
        "proc main() { var i: bv8; var s: bv8; i := 0; s := 1; while (i <u 6) { i := i + 1; s := s"
        " * 3; } assert s == 217; }"
    )
    cfa, result = proof(text, Options(invariants=False))
    assert result.certificate is not None and result.certificate.unwinding is not None
    assert checked(parse(text), cfa, result) is None


def test_a_step_that_forgets_the_base_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the base (a deliberate fault) an error in the first round is overlooked, and the
    checker objects.
    """
    text = CYCLE.replace("x := 0; while", "x := 9; while")
    assert proof(text, Options(invariants=False))[1].verdict is Verdict.FALSE
    monkeypatch.setattr(Runs, "violation", lambda self: self.extend() and None)
    cfa, result = proof(text, Options(invariants=False))
    assert result.verdict is Verdict.TRUE and checked(parse(text), cfa, result) is not None


def test_a_step_from_one_location_only_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that starts at the last loop only (a deliberate fault) misses what an earlier loop
    brings along.
    """
    text = """proc main() { var x: bv8; var n: bv8; x := 1; havoc n; while (n <u 40) { n := n + 1; x := x + 1; }
        while (n <u 80) { n := n + 1; assert x != 30; } }"""
    real = Runs._anywhere
    monkeypatch.setattr(Runs, "_anywhere", lambda self: real(self)[:1])
    cfa, result = proof(text, Options(invariants=False, bound=8))
    assert result.verdict is Verdict.TRUE and checked(parse(text), cfa, result) is not None
