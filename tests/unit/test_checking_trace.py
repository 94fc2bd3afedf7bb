"""The trace checker confirms violations, completes what a reduction dropped, and rejects everything
else.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.results.checking.solving import Link
from obligato.results.checking.trace import TraceCheck, TraceStatus, check_trace
from obligato.results.outcome import Trace, TraceStep
from obligato.results.replay import replay
from obligato.smt import UNKNOWN, SatResult
from obligato.smt.z3_backend import Z3Solver

Z3 = Link("z3", True, Z3Solver)
TEXT = """
proc main() {
  var x, y: bv8;
  havoc x;
  y := 0;
  while (y <u 2) { y := y + 1; }
  if (x >u 100) { assert "small": x + y != 200; }
}
"""


def make(text: str) -> tuple[Program, CFA]:
    program = parse(text)
    return program, build_cfa(inline(program))


def walk_to_error(cfa: CFA, rounds: int) -> list[int]:
    """The edges of the run of TEXT with that many rounds of its loop."""
    texts = [
        "havoc x",
        "y := 0bv8",
        *["[y <u 2bv8]", "y := y + 1bv8"] * rounds,
        "[!(y <u 2bv8)]",
        "[x >u 100bv8]",
    ]
    here, path = cfa.initial, []
    for text in texts:
        edge = next(e for e in cfa.out(here) if e.text == text)
        path.append(edge.id)
        here = edge.target
    return [*path, next(e.id for e in cfa.out(here) if e.target == cfa.error)]


def trace_of(edges: list[int], inputs: dict[int, dict[str, int]] | None = None) -> Trace:
    return Trace({}, tuple(TraceStep(e, dict((inputs or {}).get(e, {}))) for e in edges))


def judge(program: Program, cfa: CFA, trace: Trace, exact: bool = True) -> TraceCheck:
    return check_trace(cfa, trace, lambda t: replay(program, cfa, t).problem, [Z3], exact=exact)


def test_missing_values_are_solved_for_and_replayed() -> None:
    program, cfa = make(TEXT)
    check = judge(program, cfa, trace_of(walk_to_error(cfa, 2)))
    assert check.status is TraceStatus.CONFIRMED and check.trace is not None
    assert list(check.trace.steps[0].inputs.values()) == [198]
    assert check.trace.steps[0].state == {"main::x": 198}


def test_given_values_are_kept() -> None:
    program, cfa = make(TEXT)
    edges = walk_to_error(cfa, 2)
    (name,) = (i.name for i in cfa.inputs)
    assert (
        judge(program, cfa, trace_of(edges, {edges[0]: {name: 198}})).status
        is TraceStatus.CONFIRMED
    )


def test_a_wrong_value_is_rejected() -> None:
    program, cfa = make(TEXT)
    edges = walk_to_error(cfa, 2)
    (name,) = (i.name for i in cfa.inputs)
    wrong = trace_of(edges, {edges[0]: {name: 199}})
    assert judge(program, cfa, wrong).status is TraceStatus.REJECTED
    # from a reduced program it is only a hint: the path itself is solved anew
    assert judge(program, cfa, wrong, exact=False).status is TraceStatus.CONFIRMED


@pytest.mark.parametrize("exact", [True, False])
def test_skipped_edges_truncation_and_strangers_are_refused(exact: bool) -> None:
    program, cfa = make(TEXT)
    edges = walk_to_error(cfa, 2)
    refused = TraceStatus.REJECTED if exact else TraceStatus.LOST
    for wrong in (
        edges[1:],
        edges[:-1],
        [*edges[:3], *edges[4:]],
        [*edges, 999],
        [],
        [999],
        [*edges, edges[-1]],
    ):
        assert judge(program, cfa, trace_of(wrong), exact).status is refused


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_a_path_that_no_run_takes_is_refused(rounds: int) -> None:
    program, cfa = make(TEXT)
    wrong = trace_of(walk_to_error(cfa, rounds))
    assert judge(program, cfa, wrong).status is TraceStatus.REJECTED
    assert judge(program, cfa, wrong, exact=False).status is TraceStatus.LOST


def test_limits_and_over_approximations_refute_nothing() -> None:
    program, cfa = make(TEXT)
    trace = trace_of(walk_to_error(cfa, 2))
    last = cfa.by_id[trace.steps[-1].edge]
    assert last.violation is not None
    limit = replace(last, violation=replace(last.violation, kind="limit"))
    limited = replace(cfa, edges=tuple(limit if e is last else e for e in cfa.edges))
    assert judge(program, limited, trace).status is TraceStatus.LIMITED
    vague = replace(
        cfa, edges=tuple(replace(e, approximates="malloc") if e.id == 0 else e for e in cfa.edges)
    )
    check = judge(program, vague, trace)
    assert check.status is TraceStatus.LIMITED and "malloc" in check.reason


def test_the_interpreter_has_the_last_word() -> None:
    _, cfa = make(TEXT)
    other, _ = make(TEXT.replace("200", "201"))
    assert judge(other, cfa, trace_of(walk_to_error(cfa, 2))).status is TraceStatus.REJECTED


def test_a_solver_that_does_not_know_decides_nothing() -> None:
    class Silent(Z3Solver):
        def _check(self, assumptions: object, budget: object) -> SatResult:
            return UNKNOWN

    program, cfa = make(TEXT)
    check = check_trace(
        cfa,
        trace_of(walk_to_error(cfa, 2)),
        lambda t: replay(program, cfa, t).problem,
        [Link("s", True, Silent)],
        exact=True,
    )
    assert check.status is TraceStatus.UNKNOWN
