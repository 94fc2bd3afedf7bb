"""Tree-IC3 on programs: random ones against exploration, options pairwise; covering, interpolants;
deliberate faults.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest

from obligato.engines.environment import Environment
from obligato.engines.kernel import program_path
from obligato.engines.kernel.cube import clause_of
from obligato.engines.treeic3 import Options, blocking, engine, prove, tree
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.terms import TermStore
from tests.engines.program_judge import CHOICES as ALL
from tests.engines.program_judge import objection, unknown_is_unsat
from tests.support.volume import parts

CHOICES = ALL["treeic3"]
PLAIN = {"seed_invariants": False}


def run(text: str, options: Options) -> tuple[EngineResult, list[dict[str, Any]], Environment]:
    """The result, the event log and the environment."""
    log = StringIO()
    env = Environment(log=log)
    result = prove(import_cfa(build_cfa(inline(parse(text))), TermStore()), options, env)
    return result, [json.loads(line) for line in log.getvalue().splitlines()], env


@pytest.mark.parametrize("part", parts(1, 2))
def test_agrees_with_exploration(part: int) -> None:
    """Each of 100 programs (300 with the slow ones) with one choice of options; each choice gets
    its share.
    """
    for seed in range(100 * part, 100 * part + 100):
        choice = CHOICES[seed % len(CHOICES)]
        assert objection("treeic3", seed, choice) is None, (seed, choice)


TWO_PHASES = """proc main() { var x, y: bv8; x := 0; y := 0;
  while (*) { if (x <u 6) { x := x + 1; } else { y := 1; } assert y != 1 || x == 6; } }"""
ALWAYS = (
    "proc main() { var x, y: bv8; x := 0; y := 0; while (*) { y := x; assert y != 7; havoc y; } }"
)

STAYS = """proc main() { var x, y, z: bv3; choose { x := 5; z := 0; } or { x := 3; z := 1; } y := 0;
  while (*) { assert !(x == 5 && z == 1 && y == 1); y := y + 1; } }"""


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_strengthens_until_nodes_are_covered(choice: dict[str, Any]) -> None:
    """The log shows nodes, lemmas and covering."""
    result, events, _ = run(TWO_PHASES, Options(**{**choice, **PLAIN}))
    assert result.verdict is Verdict.TRUE
    assert {"node", "lemma", "cover"} <= {e["event"] for e in events}


@pytest.mark.parametrize(
    ("interpolants", "counted"), [("first", True), ("never", False), ("fallback", False)]
)
def test_interpolants_are_used_as_asked(interpolants: str, counted: bool) -> None:
    """First: no obligation is needed. As a fallback, and never: IC3 suffices here."""
    result, _, env = run(TWO_PHASES, Options(interpolants=interpolants, seed_invariants=False))
    assert result.verdict is Verdict.TRUE
    assert ("interpolated" in env.counters) is counted and (
        "obligations" in env.counters
    ) is not counted


def test_interpolants_are_a_fallback() -> None:
    """After one obligation of a path they are asked for."""
    options = Options(
        interpolants="fallback", patience=1, seed_invariants=False, large_blocks=False
    )
    result, _, env = run(TWO_PHASES, options)
    assert (
        result.verdict is Verdict.TRUE
        and env.counters["interpolated"] > 0
        and env.counters["obligations"] > 0
    )


def test_relative_induction_along_the_unwinding_needs_fewer_rounds() -> None:
    """x stays 0: relative to itself this is a lemma of the loop at once."""
    _, _, with_it = run(ALWAYS, Options(seed_invariants=False))
    _, _, without = run(ALWAYS, Options(seed_invariants=False, relative=False))
    assert with_it.counters["nodes"] <= without.counters["nodes"]
    assert with_it.counters["obligations"] <= without.counters["obligations"]


def test_abstract_counterexamples_give_predicates() -> None:
    """Without predicates every path reaches the error abstractly."""
    result, events, env = run(TWO_PHASES, Options(abstraction=True, seed_invariants=False))
    assert result.verdict is Verdict.TRUE and env.counters["refinements"] > 0
    assert any(e["event"] == "refine" and e["predicates"] for e in events)


# -- deliberate faults -----------------------------------------------------------------------------

Patch = pytest.MonkeyPatch


def covered_for_good(patch: Patch) -> None:
    """A node stays covered although its coverer has a new lemma."""
    patch.setattr(tree.Tree, "learn", lambda self, node, lemma: node.frame.setdefault(lemma))


def covered_by_its_location(patch: Patch) -> None:
    """Every older node at the location covers."""
    patch.setattr(tree.Tree, "_has", lambda self, node, lemma: True)


def covered_by_a_younger_node(patch: Patch) -> None:
    """A node that is covered itself covers others."""
    patch.setattr(
        tree.Tree,
        "_candidates",
        lambda self, node: [
            n
            for n in self.at[node.location]
            if n is not node and (n.expanded or n.coverer is not None)
        ],
    )
    patch.setattr(
        tree.Tree,
        "invariant",
        lambda self, location: self.steps.store.or_(
            *(self.steps.store.and_(*n.frame) for n in self.at[location] if n.expanded)
        ),
    )


def relative_to_itself_at_the_entry(patch: Patch) -> None:
    """The clause is assumed before the loop, too, and never checked there."""
    real = blocking.Blocking._round
    patch.setattr(
        blocking.Blocking,
        "_round",
        lambda self, nodes, position, cube: (
            [(position, cube)]
            if self._core(nodes, position, cube, (clause_of(self.steps.store, cube),)) is not None
            else real(self, nodes, position, cube)
        ),
    )


def literals_dropped_unasked(patch: Patch) -> None:
    """Generalisation keeps the first literal of the core only."""
    patch.setattr(
        blocking.Blocking, "_generalize", lambda self, nodes, position, cube: [(position, cube[:1])]
    )


def root_is_blocked(patch: Patch) -> None:
    """An obligation at the root is dropped: a counterexample is lost."""
    patch.setattr(
        engine.TreeIC3,
        "_arrived",
        lambda self, nodes, reached, o: self.tree.learn(nodes[-1], self.cfa.store.false),
    )


def abstract_path_is_a_trace(patch: Patch) -> None:
    """An abstract counterexample is believed."""
    patch.setattr(
        engine.TreeIC3, "_arrived", lambda self, nodes, reached, o: engine._trace(o.edges())
    )


def frames_swapped(patch: Patch) -> None:
    """Interpolants become lemmas one node too early."""
    real = program_path.ProgramPath.interpolants

    def faulty(self: Any) -> Any:
        found = real(self)
        return None if found is None else {k - 1: f for k, f in found.items() if k > 1}

    patch.setattr(program_path.ProgramPath, "interpolants", faulty)


TASKS: list[int | str] = [TWO_PHASES, ALWAYS, STAYS, *range(150)]
FAULTS: list[tuple[Callable[[Patch], None], dict[str, Any]]] = [
    (covered_for_good, {**PLAIN, "large_blocks": False}),
    (covered_by_its_location, PLAIN),
    (covered_by_a_younger_node, PLAIN),
    (relative_to_itself_at_the_entry, PLAIN),
    (literals_dropped_unasked, PLAIN),
    (root_is_blocked, PLAIN),
    (abstract_path_is_a_trace, {**PLAIN, "abstraction": True}),
    (unknown_is_unsat, PLAIN),
    (frames_swapped, {**PLAIN, "interpolants": "first"}),
]


@pytest.mark.parametrize(("fault", "choice"), FAULTS, ids=[f.__name__ for f, _ in FAULTS])
def test_fault_is_caught(fault: Callable[[Patch], None], choice: dict[str, Any]) -> None:
    """Some program shows the fault to one of the judges."""
    with pytest.MonkeyPatch.context() as patch:
        fault(patch)
        assert any(objection("treeic3", task, choice, 1000) is not None for task in TASKS)
