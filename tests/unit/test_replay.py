"""Replay: traces that happen are accepted, all others are not."""

from dataclasses import replace

import pytest

from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.results.outcome import Trace, TraceStep
from obligato.results.replay import replay
from tests.support.explore import explore
from tests.support.samples import explored

TEXT = """
var g: bv3 := 1;
proc f(a: bv3) returns (r: bv3) { var t: bv3; havoc t; if (*) { r := a + t; return; } r := t; }
proc main() {
  var x: bv3;
  x := f(x);
  g := f(g);
  assert "fine": x == x;
  assert "both": x != 5 || g != 6;
}
"""


def shortest(program: Program) -> tuple[CFA, Trace]:
    cfa = build_cfa(inline(program))
    trace = explore(cfa).trace
    assert trace is not None
    return cfa, trace


def test_a_run_through_two_instances() -> None:
    program = parse(TEXT)
    cfa, trace = shortest(program)
    result = replay(program, cfa, trace)
    assert result.problem is None
    assert [s.statement for s in result.steps][-2:] == [
        'assert "fine": x == x',
        'assert "both": x != 5bv3 || g != 6bv3',
    ]
    assert len(result.steps) == len(trace.steps)


def changed(trace: Trace, n: int, step: TraceStep) -> Trace:
    return replace(trace, steps=(*trace.steps[:n], step, *trace.steps[n + 1 :]))


def test_a_wrong_value_is_rejected() -> None:
    program = parse(TEXT)
    cfa, trace = shortest(program)
    inputs = [(n, i) for n, s in enumerate(trace.steps) for i in s.inputs if "::t#" in i]
    assert len(inputs) == 2
    for n, name in inputs:
        old = trace.steps[n].inputs[name]
        assert isinstance(old, int)
        wrong = changed(
            trace, n, replace(trace.steps[n], inputs={**trace.steps[n].inputs, name: (old + 1) % 8})
        )
        assert "the run" in (replay(program, cfa, wrong).problem or "")


def test_a_wrong_state_is_rejected() -> None:
    program = parse(TEXT)
    cfa, trace = shortest(program)
    assert (
        replay(program, cfa, changed(trace, 0, replace(trace.steps[0], state={"g": 1}))).problem
        is None
    )
    wrong = changed(trace, 0, replace(trace.steps[0], state={"g": 2}))
    assert "g becomes 1, the trace says 2" in (replay(program, cfa, wrong).problem or "")


def test_a_skipped_edge_and_a_truncated_trace_are_rejected() -> None:
    program = parse(TEXT)
    cfa, trace = shortest(program)
    for n in range(len(trace.steps)):
        skipped = replace(trace, steps=(*trace.steps[:n], *trace.steps[n + 1 :]))
        assert replay(program, cfa, skipped).problem is not None
        assert replay(program, cfa, replace(trace, steps=trace.steps[:n])).problem is not None


def test_another_branch_and_another_assertion_are_rejected() -> None:
    program = parse('proc main() { if (*) { assert "a": false; } else { assert "b": false; } }')
    cfa, trace = shortest(program)
    other = next(e for e in cfa.edges if e.choice == 1)
    assert replay(program, cfa, changed(trace, 0, TraceStep(other.id, {}))).problem is not None
    wrong_end = next(e for e in cfa.edges if e.violation and e.violation.label == "b")
    assert replay(program, cfa, changed(trace, 1, TraceStep(wrong_end.id, {}))).problem is not None


def test_a_parallel_edge_is_another_edge() -> None:
    program = parse("proc main() { choose {} or {} assert false; }")
    cfa, trace = shortest(program)
    assert replay(program, cfa, trace).problem is None
    parallel = changed(trace, 0, TraceStep(1, {}))
    assert replay(program, cfa, parallel).problem is None  # also a run: the other branch


def test_open_values_are_defaults() -> None:
    program = parse("var g: bv8; proc main() { var x: bv8; havoc x; assert x == 1 && g == 1; }")
    cfa, trace = shortest(program)
    assert (
        replay(program, cfa, Trace({}, tuple(TraceStep(s.edge, {}) for s in trace.steps))).problem
        is None
    )


@pytest.mark.parametrize(
    "seeds", [range(100), pytest.param(range(100, 2_600), marks=pytest.mark.slow)], ids=str
)
def test_shortest_traces_of_random_programs(seeds: range) -> None:
    errors = 0
    for seed, program, cfa, truth in explored(seeds, 2_000, limits=True):
        if truth.trace is not None:
            errors += 1
            assert replay(program, cfa, truth.trace).problem is None, seed
    assert errors > len(seeds) // 3
