"""CTIGAR: all configurations against exploration, lifting by enumeration, differences."""

from __future__ import annotations

import io
import json
import random
from itertools import product
from typing import Any

import pytest

from obligato.engines import ctigar
from obligato.engines.ctigar.cti import Cti
from obligato.engines.ctigar.hooks import Ctigar
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.domain import first_predicates
from obligato.engines.ic3ts import IC3, Lifted, Obligation, Query, Reached
from obligato.engines.presets import packaged_presets
from obligato.errors import InternalError
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import import_system, reduce_system, sorts_of
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt.factory import solver_factory
from obligato.terms import Term, TermStore, Value, evaluate
from tests.engines.system_judge import judged, objections_on_integers, objections_on_words
from tests.engines.test_ic3ts import CASES
from tests.support.located import chasing, counting
from tests.support.systems import assignments, random_system, successors
from tests.support.volume import parts

PRESETS = packaged_presets("ctigar")
NAMES = list(PRESETS)
# so that much must be refined
BARE: dict[str, Any] = {"initial_predicates": "none", "orders": False, "affine": "off"}
TRIGGERS = ("counterexample", "initial", "spurious", "lifting")


def options(preset: str, **more: Any) -> ctigar.Options:
    return ctigar.Options(**{**PRESETS[preset].options, **more})


def variant(seed: int) -> ctigar.Options:
    """One of the configurations in turn; for half of the seeds with other options at random."""
    r = random.Random(seed)
    if seed % 2:
        return options(NAMES[seed // 2 % 8])
    return options(
        NAMES[seed // 2 % 8],
        inputs=r.choice(("fixed", "free")),
        abstraction=r.choice(("full", "partial", "allsat")),
        interpolants=r.choice(("step", "solver")),
        mining=r.choice((0, 4)),
        half_spaces=r.choice((0, 5)),
        initial_predicates=r.choice(("none", "atoms", "all")),
        orders=r.random() < 0.5,
        ctg=r.choice((0, 2)),
        affine=r.choice(("off", "domain", "known")),
        reuse_obligations=r.random() < 0.5,
        split_equalities=r.random() < 0.5,
    )


# -- against exploration ---------------------------------------------------------------------------


@pytest.mark.parametrize("block", parts(20, 10))
def test_random_systems(block: int) -> None:
    assert not objections_on_words(block, ctigar.prove, variant)


@pytest.mark.parametrize("block", parts(4, 4))
def test_random_systems_over_integers(block: int) -> None:
    assert not objections_on_integers(block, ctigar.prove, variant)


@pytest.mark.parametrize("name", list(CASES))
def test_what_was_decided_about_runs(name: str) -> None:
    """Constraints, dead ends, empty and symbolic starts, inputs in properties: as for the other
    engines.
    """
    raw, expected, _ = CASES[name]
    system = import_system(raw, TermStore())
    for preset in ("LLE", "CCL", "CAL"):
        result = ctigar.prove(system, options(preset), Environment(debug=True))
        assert result.verdict is expected


# -- lifting: constraints, relations that are not total or no functions ----------------------------


class Watched(Ctigar):
    """Notes what lifting is asked and answers."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen: list[tuple[Lifted, Obligation | None]] = []

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        made = super().lift(reached, query)
        self.seen.append((made, None if query is None else query.obligation))
        return made


class WithoutConstraints(Watched):
    """A fault: the lifting query forgets the constraints, so that blocked states enter the cube."""

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        kept = self.system.constraints
        object.__setattr__(self.system, "constraints", ())
        try:
            return super().lift(reached, query)
        finally:
            object.__setattr__(self.system, "constraints", kept)


def run(
    system: TransitionSystem,
    chosen: ctigar.Options,
    hooks_type: type[Ctigar] = Ctigar,
    env: Environment | None = None,
) -> tuple[SystemResult, Any]:
    env = env or Environment()
    make = solver_factory(sorts_of(system))
    predicates, known = first_predicates(system, chosen, env, make)
    hooks = hooks_type(predicates, chosen, env, make, known)
    return IC3(system, hooks, chosen, env).prove(), hooks


def limited(questions: int) -> Environment:
    """A run that is cancelled after so many questions."""
    asked = iter(range(questions))
    return Environment(cancelled=lambda: next(asked, None) is None)


def does(
    system: TransitionSystem,
    hooks: Ctigar,
    state: dict[Term, Value],
    c: Cti,
    parent: Obligation | None,
) -> bool:
    """Does the state do what its obligation says, for some inputs?"""
    for inputs in assignments(system.inputs):
        now = {**state, **inputs}
        if not all(evaluate(f, now) for f in system.constraints):
            continue
        if parent is None:
            if not all(evaluate(p.formula, now) for p in system.assertions):
                return True
            continue
        goal = parent.move.state if c.into_state else None
        for after in successors(system, now, {}):
            if after == goal if goal is not None else evaluate(hooks.formula(parent.cube), after):
                return True
    return False


def wrong_liftings(hooks_type: type[Watched], seeds: range) -> list[int]:
    """The systems on which a state of a lifted cube, or the concrete state of an unlifted one, does
    not do what it should.
    """
    wrong = []
    for seed in seeds:
        system = import_system(random_system(seed, max_bits=5), TermStore())
        _, hooks = run(system, variant(seed), hooks_type)
        for made, parent in hooks.seen:
            for one in (made, *made.also):
                if one.move is None:
                    continue
                inside = [
                    s for s in assignments(system.state) if evaluate(hooks.formula(one.cube), s)
                ]
                states = inside if one.state is None else [dict(one.state)]
                if (
                    not all(does(system, hooks, s, one.move, parent) for s in states)
                    or one.move.state not in inside
                ):
                    wrong.append(seed)
    return wrong


def test_every_state_of_a_lifted_cube_steps_into_the_target() -> None:
    assert not wrong_liftings(Watched, range(120))


def test_lifting_that_forgets_constraints_is_caught() -> None:
    """By enumeration, or by the replay of a trace."""
    assert any(_caught(seed) != "nothing to catch" for seed in range(120))


def _caught(seed: int) -> str:
    try:
        return (
            "enumeration"
            if wrong_liftings(WithoutConstraints, range(seed, seed + 1))
            else "nothing to catch"
        )
    except InternalError:
        return "replay"


def test_the_concrete_state_is_there_exactly_where_lifting_failed() -> None:
    seen: list[bool] = []
    for preset in ("CAL", "CCL", "LLL"):
        for made, _ in run(chasing(), options(preset, **BARE), Watched)[1].seen:
            assert (made.state is None) == made.move.lifted
            seen.append(made.move.lifted)
    assert {True, False} == set(seen)


# -- configurations --------------------------------------------------------------------------------


def events(
    preset: str, system: TransitionSystem, **more: Any
) -> tuple[list[dict[str, Any]], Environment]:
    log = io.StringIO()
    env = Environment(log=log)
    assert judged(system, ctigar.prove, options(preset, **more), env) is Verdict.TRUE
    return [json.loads(line) for line in log.getvalue().splitlines()], env


@pytest.fixture(scope="module")
def logs() -> dict[str, tuple[list[dict[str, Any]], Environment]]:
    return {name: events(name, chasing(), **BARE) for name in NAMES}


def test_each_pair_of_configurations_differs(logs: dict[str, Any]) -> None:
    for a, b in product(NAMES, NAMES):
        assert a == b or logs[a][0] != logs[b][0], (a, b)


def test_all_four_triggers_fire_where_they_should(logs: dict[str, Any]) -> None:
    fired = {
        name: {t for t in TRIGGERS if env.counters.get(f"trigger_{t}")}
        for name, (_, env) in logs.items()
    }
    assert set().union(*fired.values()) == set(TRIGGERS)
    assert all("lifting" not in fired[name] for name in NAMES if name not in ("LLE", "LLL"))
    # eager: no trace has a CAF
    assert all("counterexample" not in fired[name] for name in NAMES if name.endswith("E"))
    for name, (log, env) in logs.items():
        kinds = {
            e["refinement"]
            for e in log
            if e["event"] == "trigger" and e["trigger"] in ("spurious", "lifting")
        }
        assert kinds <= {"lifting" if name.startswith("L") else "consecution"}
        assert sum(e["event"] == "trigger" for e in log) == env.counters["refinements"]


def test_eager_lifting_has_no_consecution_failures(logs: dict[str, Any]) -> None:
    """[BBW14, footnote 8]; and only CCE and CCL find them at lifted cubes."""
    assert all(e["event"] != "caf" for e in logs["LLE"][0])
    lifted = {
        name
        for name, (log, _) in logs.items()
        if any(e["event"] == "caf" and e["lifted"] for e in log)
    }
    assert "CCL" in lifted <= {"CCE", "CCL"}


def test_every_configuration_proves_the_small_programs() -> None:
    """With all contracts: consecution failures of lifted cubes (CCE, CCL) among them."""
    for name in NAMES:
        events(name, counting())
    for name in ("CCE", "CCL"):
        assert (
            run(chasing(), options(name, **BARE), env=Environment(debug=True))[0].verdict
            is Verdict.TRUE
        )


def test_states_of_one_assignment_satisfy_what_is_known() -> None:
    """The debug checker says so of each obligation; this system made one without states."""
    small, _ = reduce_system(random_system(5047217, rich=True), 3)
    options = ctigar.Options(
        cube_order="ascending",
        ctg=0,
        keep_parent=False,
        guidance=0,
        split_equalities=True,
        initial_predicates="all",
        affine="known",
        refinement="lifting",
        spurious_limit=3,
        lifting_limit=0,
        keep_concrete=True,
        abstraction="allsat",
    )
    assert ctigar.prove(small, options, Environment(debug=True)).verdict is Verdict.FALSE


def test_a_deeper_bug_is_found() -> None:
    """y >= 6 fails after the loop has run several times; every configuration has a trace."""
    for name in NAMES:
        assert judged(chasing(6), ctigar.prove, options(name), Environment()) is Verdict.FALSE
