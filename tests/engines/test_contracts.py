"""What the functions of the engines ensure is executed in debug mode: for each such check a fault
that breaks the contract, and the complaint that it is caught by.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from obligato import engines
from obligato.analysis import rates
from obligato.engines import cegar, ctigar, fair, ic3cfa, ic3ia, ic3qe, preparation, treeic3
from obligato.engines.bmc import acceleration, shortcuts
from obligato.engines.cegar import abstraction, graph
from obligato.engines.ctigar import hooks as ctigar_hooks
from obligato.engines.ctigar import lifting as ctigar_lifting
from obligato.engines.ctigar import refinement
from obligato.engines.environment import Environment
from obligato.engines.fair import walls
from obligato.engines.ic3cfa import frames
from obligato.engines.ic3ia import lifting
from obligato.engines.ic3qe import extrapolate
from obligato.engines.ic3ts import Lifted
from obligato.engines.ic3ts.cube import has_state
from obligato.engines.kernel import block_edge, steps
from obligato.engines.presets import packaged_presets
from obligato.engines.treeic3 import tree
from obligato.errors import InternalError
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.models.tableau import with_justice
from obligato.models.ts_reduce import reduce_system
from obligato.program.inline import inline
from obligato.smt.projection import Projection
from obligato.terms import TermStore
from tests.engines.test_ic3cfa_acceleration import PHASES
from tests.engines.test_shortcuts import BY_INPUT, TO_N
from tests.engines.test_treeic3 import STAYS, TWO_PHASES
from tests.support.int_systems import random_int_system
from tests.support.live import random_live_system
from tests.support.located import chasing

Patch = pytest.MonkeyPatch
Fault = Callable[[Patch], None]
BARE: dict[str, Any] = {"initial_predicates": "none", "orders": False, "affine": "off"}


def limited(questions: int = 400) -> Environment:
    """A run with its contracts executed that is cancelled after so many questions."""
    env = Environment(debug=True)
    env.cancelled = lambda: env.questions > questions
    return env


# -- runs ------------------------------------------------------------------------------------------

Runs = Callable[[], Iterator[Callable[[], Any]]]


def with_ctigar() -> Iterator[Callable[[], Any]]:
    """Refinements of lifting and of consecution."""
    for preset in ("CAL", "CCE", "LLE"):
        options = ctigar.Options(**{**packaged_presets("ctigar")[preset].options, **BARE})
        yield partial(ctigar.prove, chasing(), options, limited(250))


def with_integers(prove: Any, options: Any) -> Runs:
    """Random systems over integers."""

    def runs() -> Iterator[Callable[[], Any]]:
        for seed in range(15):
            yield partial(prove, random_int_system(seed), options, limited())

    return runs


def with_fair() -> Iterator[Callable[[], Any]]:
    """Random systems with a justice property."""
    for seed in range(60):
        system = random_live_system(seed, 10)
        (p,) = system.temporal
        small, _ = reduce_system(with_justice(system, p), 0)
        options = fair.Options(merge=0, orbit=0)
        yield partial(fair.prove, small, options, limited(3000))


def with_programs(
    prove: Any, options: Iterable[Any], texts: Iterable[str] = (TWO_PHASES, STAYS)
) -> Runs:
    """Programs with loops."""

    def runs() -> Iterator[Callable[[], Any]]:
        for text, chosen in product(texts, options):
            cfa = import_cfa(build_cfa(inline(parse(text))), TermStore())
            yield partial(prove, cfa, chosen, limited())

    return runs


with_ic3ia = with_integers(ic3ia.prove, ic3ia.Options(**BARE))
with_ic3qe = with_integers(ic3qe.prove, ic3qe.Options())
PLAIN: dict[str, Any] = {"seed_invariants": False, "predicates": 0}
with_cegar = with_programs(
    cegar.prove, [cegar.Options(abstraction=a, **PLAIN) for a in ("cartesian", "boolean")]
)
with_treeic3 = with_programs(treeic3.prove, [treeic3.Options(**PLAIN)])
with_ic3cfa = with_programs(ic3cfa.prove, [ic3cfa.Options(short_runs=0, **PLAIN)])
with_seeds = with_programs(
    ic3cfa.prove, [ic3cfa.Options(short_runs=0)], (PHASES % "==", TWO_PHASES)
)
with_rounds_at_once = with_programs(
    ic3cfa.prove, [ic3cfa.Options(short_runs=1, **PLAIN)], (PHASES % "!=", TO_N, BY_INPUT)
)
RUNS = (
    with_ctigar,
    with_ic3ia,
    with_ic3qe,
    with_fair,
    with_cegar,
    with_treeic3,
    with_ic3cfa,
    with_seeds,
    with_rounds_at_once,
)


# -- faults ----------------------------------------------------------------------------------------


def lifting_refined_by_nothing(patch: Patch) -> None:
    """A lifting refinement adds no predicate."""
    patch.setattr(refinement.Refinement, "lifting", lambda self, state, missing: [])


def consecution_refined_by_anything(patch: Patch) -> None:
    """A consecution refinement adds a predicate that says nothing about the failed step."""

    def add(self: Any, state: Any, abstract: Any, frame: Any) -> list[int]:
        x, s = self.system.state[0], self.store
        found: list[int] = self.predicates.add([s.le(x, s.int_(100_000 + len(self.predicates)))])
        return found

    patch.setattr(refinement.Refinement, "consecution", add)


def state_lost(patch: Patch) -> None:
    """A refined obligation is about other states."""

    def again(self: Any, o: Any) -> Lifted:
        found = real(self, o)
        return Lifted((-found.cube[0], *found.cube[1:]), found.move, found.state)

    real = ctigar_hooks.Ctigar._again
    patch.setattr(ctigar_hooks.Ctigar, "_again", again)


def projected(module: Any, change: Callable[[Any, Any], Iterable[Any]]) -> Fault:
    """Pre-images are changed: `change` gets the literals of a step, and of its pre-image."""

    def project(literals: Any, *args: Any, **kw: Any) -> Projection:
        return Projection(tuple(change(literals, real(literals, *args, **kw).literals)), True)

    real = module.project

    def fault(patch: Patch) -> None:
        patch.setattr(module, "project", project)

    return fault


def literal_lost(step: Any, preimage: Any) -> Any:
    """A literal of the pre-image is left out."""
    return preimage[1:]


def nothing_projected(step: Any, preimage: Any) -> Any:
    """The pre-image still speaks about the next state."""
    return step


def literal_negated(step: Any, preimage: Any) -> Any:
    """A literal of the pre-image is negated."""
    return (*(x.store.not_(x) for x in preimage[:1]), *preimage[1:])


def sides_forgotten(patch: Patch) -> None:
    """A wall is taken as closed on all sides of the walls that it is relative to."""
    patch.setattr(walls.Builder, "_closed", lambda *args: True)


def wall_without_target(patch: Patch) -> None:
    """The cube of a proof that has the target is left out."""

    def closure(self: Any, solver: Any, cubes: Any, target: int, arena: Any) -> Any:
        kept, relative = real(self, solver, cubes, target, arena)
        return [c for c in kept if not has_state(c, target)], relative

    real = walls.Builder._closure
    patch.setattr(walls.Builder, "_closure", closure)


def not_connected(patch: Patch) -> None:
    """Predicates that share variables with what is left of a pre-image are left out of a cube."""
    patch.setattr(lifting.Lifting, "_connected", lambda self, state, rest: [])


def core_too_small(patch: Patch) -> None:
    """The parts that exclude each other lose one."""

    def ask(self: Any, *args: Any, **kw: Any) -> Any:
        found = real(self, *args, **kw)
        if isinstance(found, steps.Unreached):
            return steps.Unreached(found.before[1:], found.after[1:])
        return found

    real = steps.Steps._ask
    patch.setattr(steps.Steps, "_ask", ask)


def core_of_another_question(patch: Patch) -> None:
    """The parts that exclude each other are not parts of the question."""

    def ask(self: Any, edge: Any, before: Any, after: Any, *args: Any) -> Any:
        found = real(self, edge, before, after, *args)
        if isinstance(found, steps.Unreached):
            return steps.Unreached((self.store.false,), ())
        return found

    real = steps.Steps._ask
    patch.setattr(steps.Steps, "_ask", ask)


def model_of_another_question(patch: Patch) -> None:
    """All numbers of a model are too large by one."""

    def get(self: Any, var: Any, default: Any = None) -> Any:
        found = real(self, var, default)
        if not isinstance(found, int) or isinstance(found, bool):
            return found
        return (found + 1) % (1 << var.width)

    real = block_edge.LazyModel.get
    patch.setattr(block_edge.LazyModel, "get", get)


def region_elsewhere(patch: Patch) -> None:
    """A literal of a region is negated."""

    def region(self: Any, reached: Any, before: Any) -> Any:
        edge, literals = real(self, reached, before)
        return edge, (*literals[1:], *(self.store.not_(x) for x in literals[:1]))

    real = abstraction.Predicates.region
    patch.setattr(abstraction.Predicates, "region", region)


def nothing_opened_again(patch: Patch) -> None:
    """What a removed region contained stays covered."""

    def cut(self: Any, node: Any) -> None:
        self._covers.clear()
        real(self, node)

    real = graph.Graph.cut
    patch.setattr(graph.Graph, "cut", cut)


def cover_without_lemmas(patch: Patch) -> None:
    """A covered node does not get the lemmas of the older one."""

    def covered_by(self: Any, node: Any, older: Any) -> Any:
        learn, self.learn = self.learn, lambda node, lemma: None
        try:
            return real(self, node, older)
        finally:
            self.learn = learn

    real = tree.Tree._covered_by
    patch.setattr(tree.Tree, "_covered_by", covered_by)


def child_lost(patch: Patch) -> None:
    """A node does not know its children."""

    def add(self: Any, parent: Any, step: Any, location: int) -> Any:
        node = real(self, parent, step, location)
        if parent is not None:
            parent.children.clear()
        return node

    real = tree.Tree.add
    patch.setattr(tree.Tree, "add", add)


def frames_forgotten(patch: Patch) -> None:
    """The frames of the youngest nodes are not part of the invariant."""

    def invariant(self: Any, location: int) -> Any:
        frames = [n.frame for n in self.at[location] if n.coverer is None]
        return self.steps.store.or_(*(self.steps.store.and_(*f) for f in frames[:1]))

    patch.setattr(tree.Tree, "invariant", invariant)


def fixpoint_too_early(patch: Patch) -> None:
    """The first frame counts as a fixpoint."""
    patch.setattr(frames.Frames, "propagate", lambda self: 1 if self.top > 1 else None)


def wrapping_forgotten(patch: Patch) -> None:
    """Numbers may wrap around between the first and the last round of a shortcut."""
    patch.setattr(shortcuts._Shortcut, "_is_even", lambda self, t, signed: t.store.true)


def first_round_unguarded(patch: Patch) -> None:
    """A guard is asked of the last round of a shortcut only."""
    real = shortcuts._Shortcut._throughout
    patch.setattr(
        shortcuts._Shortcut, "_throughout", lambda self, g: [self.last(c) for c in real(self, g)]
    )


def one_round_ahead(patch: Patch) -> None:
    """The closed form of a counting loop begins one round too late."""
    real = acceleration._Closed.after
    patch.setattr(acceleration._Closed, "after", lambda self, n: real(self, n + 1))


def too_many_rounds(patch: Patch) -> None:
    """More rounds are taken at once than were verified."""
    real = acceleration.Accelerator._verified
    patch.setattr(acceleration.Accelerator, "_verified", lambda *args: 2 + real(*args))


def rates_unverified(patch: Patch) -> None:
    """Sums are claimed that rounds make less, and Houdini believes all candidates."""
    patch.setattr(
        rates._Rates, "_entry", lambda self, form: (1, None) if len(form) > 1 else (None, None)
    )
    patch.setattr(
        preparation, "houdini", lambda cfa, found, hard, **_: {k: list(v) for k, v in hard.items()}
    )


def closed_form_wrong(patch: Patch) -> None:
    """After two rounds all numbers are 0."""

    def after(self: Any, rounds: int) -> Any:
        return real(self, rounds) if rounds < 2 else dict.fromkeys(self.change, 0)

    real = acceleration._Closed.after
    patch.setattr(acceleration._Closed, "after", after)


CONTRACTS: list[tuple[Fault, Runs, str]] = [
    (lifting_refined_by_nothing, with_ctigar, "lifting fails after it was refined"),
    (consecution_refined_by_anything, with_ctigar, "consecution fails after it was refined"),
    (state_lost, with_ctigar, "a refined obligation has lost its state"),
    (projected(ctigar_lifting, literal_lost), with_ctigar, "does not have the step"),
    (projected(ctigar_lifting, nothing_projected), with_ctigar, "was to be eliminated"),
    (projected(ctigar_lifting, literal_negated), with_ctigar, "does not include the state"),
    (projected(extrapolate, literal_lost), with_ic3qe, "does not have the step"),
    (projected(extrapolate, nothing_projected), with_ic3qe, "was to be eliminated"),
    (projected(extrapolate, literal_negated), with_ic3qe, "does not include the state"),
    (not_connected, with_ic3ia, "an abstract state of .* has no step to the target"),
    (sides_forgotten, with_fair, "a step leaves a wall"),
    (wall_without_target, with_fair, "a wall does not exclude its target"),
    (core_too_small, with_cegar, "what is called unreachable is reached"),
    (core_of_another_question, with_cegar, "a core has a formula that was not asked about"),
    (model_of_another_question, with_treeic3, "a model is no step"),
    (region_elsewhere, with_cegar, "does not have the state that it was made of"),
    (nothing_opened_again, with_cegar, "the invariant fails along an edge"),
    (cover_without_lemmas, with_treeic3, "a covered node has a state"),
    (child_lost, with_treeic3, "a missing child fails along an edge"),
    (frames_forgotten, with_treeic3, "the invariant fails along an edge"),
    (fixpoint_too_early, with_ic3cfa, "F_1 is not inductive along an edge"),
    (rates_unverified, with_seeds, "the seed .* fails along an edge"),
    (wrapping_forgotten, with_rounds_at_once, "a shortcut is not what 3 rounds are"),
    (first_round_unguarded, with_rounds_at_once, "a shortcut is not what 2 rounds are"),
    (one_round_ahead, with_rounds_at_once, "at once begin in another state"),
    (too_many_rounds, with_rounds_at_once, "at once cannot be taken"),
    (closed_form_wrong, with_rounds_at_once, "at once ends in another state"),
]


def complaint_of(run: Callable[[], Any]) -> str:
    """What a run is ended by, if it is."""
    try:
        run()
    except InternalError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("fault", "runs", "complaint"), CONTRACTS, ids=[complaint for _, _, complaint in CONTRACTS]
)
def test_a_broken_contract_is_noticed(fault: Fault, runs: Runs, complaint: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        fault(patch)
        assert any(re.search(complaint, complaint_of(run)) for run in runs())


@pytest.mark.parametrize("runs", RUNS)
def test_the_contracts_hold(runs: Runs) -> None:
    """The same runs without a fault: nobody complains."""
    for run in runs():
        run()


# Which check executes what a function of an engine ensures.
EXECUTED_BY = {
    "bmc.acceleration:Accelerator.watch": "bmc.debug:check_rounds",
    "bmc.shortcuts:shortened": "bmc.debug:ShortcutChecker.shortcut",
    "cegar.abstraction:Predicates.region": "kernel.step_debug:StepChecker.region",
    "ctigar.hooks:Ctigar._refine_lifting": "ctigar.debug:RefinementChecker.lifting",
    "ctigar.hooks:Ctigar._refine_consecution": "ctigar.debug:RefinementChecker.consecution",
    "ctigar.lifting:AbstractLifting.preimage": "kernel.debug:ContractChecker.preimage",
    "ctigar.refinement:Refinement.consecution": "ctigar.debug:RefinementChecker.consecution",
    "fair.walls:Builder.wall": "fair.debug:WallChecker.wall",
    "ic3cfa.engine:IC3CFA.strengthen": "ic3cfa.debug:DebugChecker.strengthened",
    "ic3cfa.engine:IC3CFA._queue_all": "ic3cfa.debug:DebugChecker.queued",
    "ic3cfa.generalize:Generalizer.generalize": "ic3cfa.debug:DebugChecker.generalized",
    "ic3cfa.weaken:weaken": "ic3cfa.debug:DebugChecker.weakened",
    "ic3ia.refinement:Refinement.refine": "ic3ts.debug:CheckedHooks.refine",
    "ic3qe.extrapolate:Extrapolation.extrapolate": "kernel.debug:ContractChecker.preimage",
    "ic3ts.engine:IC3.strengthen": "ic3ts.debug:DebugChecker.strengthened",
    "ic3ts.hooks:Hooks.bad": "ic3ts.debug:CheckedHooks.bad",
    "ic3ts.hooks:Hooks.predecessor": "ic3ts.debug:CheckedHooks.predecessor",
    "ic3ts.hooks:Hooks.lift": "ic3ts.debug:CheckedHooks.lift",
    "ic3ts.hooks:Hooks.refine_step": "ic3ts.debug:CheckedHooks.refine_step",
    "ic3ts.hooks:Hooks.weaken": "ic3ts.debug:CheckedHooks.weaken",
    "ic3ts.hooks:Hooks.meets_initial": "ic3ts.debug:CheckedHooks.meets_initial",
    "ic3ts.hooks:Hooks.refine": "ic3ts.debug:CheckedHooks.refine",
    "ic3ts.hooks:Hooks.before": "ic3ts.debug:CheckedHooks.before",
    "ic3ts.hooks:Hooks.entered": "ic3ts.debug:CheckedHooks.entered",
    "ic3ts.hooks:Hooks.excludes": "ic3ts.debug:CheckedHooks.excludes",
    "ic3ts.hooks:Hooks.state_in": "ic3ts.debug:CheckedHooks.state_in",
    "kernel.clusters:Clusters.suggested": "kernel.debug:ContractChecker.suggested",
    "kernel.concretise:concretised": "kernel.debug:ContractChecker.parted",
    "kernel.frames:propagate": "ic3cfa.debug:DebugChecker.proved",
    "kernel.guidance:Guidance.after": "kernel.debug:ContractChecker.suggested",
    "kernel.steps:Steps.reach": "kernel.step_debug:StepChecker.answer",
    "summaries.engine:Summaries._block_root": "summaries.debug:CheckedSummaries.decide",
    "summaries.generalize:Generalizer.generalize": "summaries.debug:CheckedSummaries._learn",
    "summaries.queries:RuleQueries.ask": "summaries.debug:CheckedQueries.ask",
    "treeic3.blocking:Blocking._generalize": "kernel.step_debug:StepChecker.leads_to",
}


def ensuring(file: Path) -> Iterator[str]:
    """The functions and methods of a module whose docstring says what they ensure."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    classes = [(f"{c.name}.", c.body) for c in body if isinstance(c, ast.ClassDef)]
    for owner, inside in [("", body), *classes]:
        for f in inside:
            if isinstance(f, ast.FunctionDef) and "Ensures:" in (ast.get_docstring(f) or ""):
                yield f"{owner}{f.name}"


def test_every_contract_of_the_engines_is_executed() -> None:
    """A function that says what it ensures has a check, and a check has a function."""
    root = Path(engines.__file__).parent
    said = {
        ".".join(file.relative_to(root).with_suffix("").parts) + f":{name}"
        for file in sorted(root.rglob("*.py"))
        for name in ensuring(file)
    }
    assert said == set(EXECUTED_BY)
    for check in EXECUTED_BY.values():
        module, _, name = check.partition(":")
        assert attrgetter(name)(import_module(f"obligato.engines.{module}"))
