"""Errors behind long loops for IC3CFA: rounds that only count are taken at once, and the trace is
shown and checked; proofs by rounds are what the search falls back to.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.engines.bmc import acceleration
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, prove
from obligato.engines.ic3cfa.one_run import one_run
from obligato.engines.ic3cfa.short_runs import short_runs
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.claims import Repeat, Trace, TraceStep
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt.factory import solver_factory
from obligato.terms import TermStore
from tests.engines.judge import checked

PHASES = """proc main() { var i: bv32; var s: bv32; i := 0; s := 0;
    while (i <u 900000000) { if (i <u 300000000) { s := s + 2; } else { s := s - 1; } i := i + 1; }
    assert s %s 0; }"""


def read(text: str) -> tuple[Program, CFA, CFA]:
    """The program, its CFA, and its large blocks."""
    program = parse(text)
    cfa = build_cfa(inline(program))
    return program, cfa, in_blocks(import_cfa(cfa, TermStore()), Environment())


def searched(text: str, **options: object) -> tuple[EngineResult, str | None]:
    """The engine's result, and what the checker has against it."""
    program, cfa, _ = read(text)
    result = prove(import_cfa(cfa, TermStore()), Options(**options), Environment())  # type: ignore[arg-type]
    return result, checked(program, cfa, result)


def test_an_error_behind_two_phases_is_found() -> None:
    result, objection = searched(PHASES % "!=")
    assert result.verdict is Verdict.FALSE and objection is None
    assert result.trace is not None and len(result.trace.repeats) == 2


def test_without_acceleration_the_run_is_too_long() -> None:
    _, _, blocks = read(PHASES % "!=")
    assert one_run(blocks, Environment()) is None
    assert one_run(blocks, Environment(), acceleration=True) is not None


def test_proofs_are_left_to_the_search() -> None:
    """Executed at once it is no proof; when runs are followed to their end it is one."""
    program, cfa, blocks = read(PHASES % "==")
    assert one_run(blocks, Environment(), acceleration=True) is None
    env = Environment()
    make = solver_factory(sorts_of(blocks), stats=env.stats, seed=0)
    assert short_runs(blocks, make, env) is None
    found = short_runs(blocks, make, Environment(), acceleration=True)
    assert found is not None and found.verdict is Verdict.TRUE
    assert checked(program, cfa, found) is None


def test_a_fault_in_the_closed_form_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliberate: one round more than there are."""
    real = acceleration._Closed.after
    monkeypatch.setattr(acceleration._Closed, "after", lambda self, n: real(self, n + 1))
    result, objection = searched(PHASES % "!=", short_runs=1)
    assert result.verdict is not Verdict.FALSE or objection is not None


def test_rounds_without_a_closed_form_are_replayed(tmp_path: Path) -> None:
    """The sum is left out by reduction, and then there is a closed form; the program as it was read
    has none, and its rounds are replayed one by one.
    """
    file = tmp_path / "beside.c"
    file.write_text(
        "void reach_error(void);\n"
        "int main(void) { unsigned h = 7, i = 0;\n"
        "  while (i < 12000) { h = h * 31 + i; i++; }\n"
        "  if (i == 12000) reach_error(); return h; }\n"
    )
    outcome = obligato.verify(file, "ic3cfa", isolated=False)
    assert outcome.verdict is Verdict.FALSE
    assert outcome.trace is not None and not outcome.trace.repeats


def test_a_trace_is_written_out() -> None:
    steps = tuple(TraceStep(n, {}) for n in range(5))
    trace = Trace({}, steps, (Repeat(1, 3, 3), Repeat(3, 4, 2)))
    written = trace.written_out()
    assert [s.edge for s in written.steps] == [0, 1, 2, 1, 2, 1, 2, 3, 3, 4]
    assert not written.repeats and trace.length == len(written.steps) == written.length
