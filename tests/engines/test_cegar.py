"""CEGAR on programs: random ones against exploration, options pairwise; refinement, covering,
divergence; deliberate faults.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from obligato.engines.cegar import Options, abstraction, engine, graph, prove
from obligato.engines.environment import Environment
from obligato.engines.kernel import program_path
from obligato.engines.kernel.cube import cube_of
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import TermStore
from tests.engines.program_judge import CHOICES as ALL
from tests.engines.program_judge import objection, unknown_is_unsat
from tests.support.volume import parts

CHOICES = ALL["cegar"]
PLAIN = {"seed_invariants": False}


def run(text: str, options: Options) -> tuple[EngineResult, list[dict[str, Any]]]:
    """The result and the event log."""
    log = StringIO()
    result = prove(
        import_cfa(build_cfa(inline(parse(text))), TermStore()), options, Environment(log=log)
    )
    return result, [json.loads(line) for line in log.getvalue().splitlines()]


@pytest.mark.parametrize("part", parts(1, 5))
def test_agrees_with_exploration(part: int) -> None:
    """Each of 50 programs (300 with the slow ones) with one choice of options; each choice gets its
    share.
    """
    for seed in range(50 * part, 50 * part + 50):
        choice = CHOICES[seed % len(CHOICES)]
        assert objection("cegar", seed, choice) is None, (seed, choice)


TWO_PHASES = """proc main() { var x, y: bv8; x := 0; y := 0;
  while (*) { if (x <u 6) { x := x + 1; } else { y := 1; } assert y != 1 || x == 6; } }"""


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_refines_until_the_error_is_unreachable(choice: dict[str, Any]) -> None:
    """The log shows nodes, refinements, cuts and covering."""
    result, events = run(TWO_PHASES, Options(**{**choice, **PLAIN, "predicates": 0}))
    assert result.verdict is Verdict.TRUE
    assert {"node", "refine", "cut", "cover"} <= {e["event"] for e in events}


def test_predicates_are_local() -> None:
    """Only the locations of the refuted path get predicates, and the part of the graph before them
    stays.
    """
    first = "a := 0; while (*) { a := a + 1; }"
    second = "b := 0; while (*) { assert b != 1; if (b <u 1) { b := 0; } }"
    result, events = run(
        f"proc main() {{ var a, b: bv8; {first} {second} }}", Options(seed_invariants=False)
    )
    assert result.verdict is Verdict.TRUE
    refined = {e["location"] for e in events if e["event"] == "refine"}
    cut = [e["node"] for e in events if e["event"] == "cut"]
    assert len(refined) == 1 and cut and min(cut) > 2


def test_divergence_is_said() -> None:
    """x and y are equal, which no weakest precondition says: one value after the other is
    excluded.
    """
    text = (
        "proc main() { var x, y: bv32; x := 0; y := 0; while (*) { x := x + 1; y := y + 1; } while"
        " (x != 0) { x := x - 1; y := y - 1; } assert y == 0; }"
    )
    result, _ = run(text, Options(seed_invariants=False, shape_limit=5))
    assert result.verdict is Verdict.UNKNOWN and "diverges: more than 5 predicates" in (
        result.reason or ""
    )


# -- deliberate faults -----------------------------------------------------------------------------

Patch = pytest.MonkeyPatch


def covered_for_good(patch: Patch) -> None:
    """What a removed node contained is not opened again."""
    real = graph.Graph.cut

    def faulty(self: Any, node: Any) -> None:
        self._covers.clear()
        real(self, node)

    patch.setattr(graph.Graph, "cut", faulty)


def one_model_is_enough(patch: Patch) -> None:
    """A literal that holds after one step counts as one that holds after all."""
    patch.setattr(
        abstraction.Predicates,
        "_cartesian",
        lambda self, reached, before: (
            edge := self.steps.straight(reached.edge, reached.edge.path_of(reached.model)),
            tuple(self._valuation(edge, reached)),
        ),
    )
    patch.setattr(graph.Graph, "open", _only_new(graph.Graph.open))


def _only_new(real: Callable[..., None]) -> Callable[..., None]:
    """A pair is never opened twice, so the first successor stands for all."""
    seen: dict[Any, None] = {}

    def faulty(self: Any, pair: Any) -> None:
        if pair not in seen:
            seen[pair] = None
            real(self, pair)

    return faulty


def error_left_out(patch: Patch) -> None:
    """A spurious path to the error is dropped instead of refuted."""

    def faulty(self: Any, nodes: Any, chain: Any) -> None:
        self.graph.cut(nodes[-1])
        self.graph._open = [x for x in self.graph._open if x[-1][1].target != self.cfa.error]

    patch.setattr(engine.Cegar, "_cut", faulty)


def path_assumed_feasible(patch: Patch) -> None:
    """Every path to the error counts as a counterexample."""
    patch.setattr(
        program_path.ProgramPath,
        "run",
        lambda self: [e for edge in self.edges for e in (edge.only_path or edge.path_of({})).edges],
    )


def regions_of_other_locations(patch: Patch) -> None:
    """The invariant forgets the last node of each location."""
    real = graph.Graph.invariant

    def faulty(self: Any, location: int) -> Any:
        for node in list(self.at[location])[-1:]:
            del self.at[location][node]
        return real(self, location)

    patch.setattr(graph.Graph, "invariant", faulty)


def predicates_about_the_end(patch: Patch) -> None:
    """Predicates are not pulled back along the step: they speak about the state before it."""

    def faulty(self: Any, edge: Any, reached: Any) -> Any:
        from obligato.terms import evaluate

        return [
            p if evaluate(p, reached.model) else self.store.not_(p) for p in self.at[edge.target]
        ]

    patch.setattr(abstraction.Predicates, "_valuation", faulty)


def too_few_predecessors(patch: Patch) -> None:
    """A cube of predecessors is made smaller than it is."""
    real = program_path.ProgramPath._smallest
    patch.setattr(
        program_path.ProgramPath,
        "_smallest",
        lambda self, position, cube: (
            (*real(self, position, cube), self.store.true)[:1]
            if len(cube) < 2
            else cube_of([*cube, self.store.not_(cube[0])])
        ),
    )


def truncated_trace(patch: Patch) -> None:
    """The trace misses its last edge."""
    real = program_path.ProgramPath.run
    patch.setattr(
        program_path.ProgramPath,
        "run",
        lambda self: None if (found := real(self)) is None else found[:-1],
    )


FAULTS = [
    covered_for_good,
    one_model_is_enough,
    error_left_out,
    path_assumed_feasible,
    unknown_is_unsat,
    regions_of_other_locations,
    predicates_about_the_end,
    too_few_predecessors,
    truncated_trace,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_fault_is_caught(fault: Callable[[Patch], None]) -> None:
    """Some program shows the fault to one of the judges."""
    with pytest.MonkeyPatch.context() as patch:
        fault(patch)
        assert any(
            objection("cegar", task, PLAIN, 1000) is not None for task in (TWO_PHASES, *range(150))
        )
