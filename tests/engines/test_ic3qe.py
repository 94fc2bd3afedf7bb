"""IC3QE: all eliminations against exploration, pre-images by enumeration, weaker lemmas, refusals,
deliberate faults.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from obligato.engines import ic3qe
from obligato.engines.environment import Environment
from obligato.engines.ic3qe.hooks import PreImages
from obligato.engines.ic3qe.step import Hidden
from obligato.engines.ic3ts import IC3, Cube, Lifted, Obligation, Query, Reached
from obligato.errors import InternalError
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_reduce import import_system, sorts_of
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import UNSAT
from obligato.smt.factory import solver_factory
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import (
    BOOL,
    INT,
    REAL,
    Term,
    TermStore,
    array,
    bitvec,
    conjuncts,
    evaluate,
    free_vars,
)
from tests.engines.system_judge import judged, objections_on_integers, objections_on_words
from tests.engines.test_ic3ts import CASES
from tests.support.int_systems import box_states, random_int_system
from tests.support.located import chasing, counting
from tests.support.volume import parts

ELIMINATIONS = ("approximate", "z3", "implicant", "formula")


def variant(seed: int, words: bool = False) -> ic3qe.Options:
    """Each elimination in turn, the other options at random; precise ones are not for words."""
    r = random.Random(seed)
    return ic3qe.Options(
        elimination=ELIMINATIONS[seed % (2 if words else 4)],
        precise_qe=r.choice(("projection", "projection", "z3")),
        frame=r.random() < 0.3,
        shrink_implicant=r.random() < 0.5,
        weaken=r.choice(("off", "sums", "bounds", "both")),
        split_equalities=r.random() < 0.7,
        ctg=r.choice((0, 2)),
        half_spaces=r.choice((0, 0, 3)),
        reuse_obligations=r.random() < 0.5,
    )


# -- against exploration ---------------------------------------------------------------------------


@pytest.mark.parametrize("block", parts(20, 10))
def test_random_systems(block: int) -> None:
    """Words and Booleans."""
    assert not objections_on_words(block, ic3qe.prove, lambda seed: variant(seed, words=True))


@pytest.mark.parametrize("block", parts(5, 5))
def test_random_systems_over_integers(block: int) -> None:
    assert not objections_on_integers(block, ic3qe.prove, variant)


@pytest.mark.parametrize("name", list(CASES))
def test_what_was_decided_about_runs(name: str) -> None:
    """Constraints, dead ends, empty and symbolic starts, inputs in properties: as for the other
    engines.
    """
    raw, expected, _ = CASES[name]
    system = import_system(raw, TermStore())
    for chosen in (
        ic3qe.Options(),
        ic3qe.Options(frame=True, weaken="both", shrink_implicant=True),
    ):
        assert ic3qe.prove(system, chosen, Environment(debug=True)).verdict is expected


# -- pre-images by enumeration ---------------------------------------------------------------------


class Watched(PreImages):
    """Notes what is lifted."""

    seen: list[tuple[Cube, Cube | None]]

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        made = super().lift(reached, query)
        self.seen.append((made.cube, None if query is None else query.cube))
        return made


def run(
    system: TransitionSystem,
    chosen: ic3qe.Options,
    hooks_type: type[PreImages] = PreImages,
    debug: bool = False,
) -> tuple[SystemResult, Any]:
    env = Environment(debug=debug)
    hooks = hooks_type(system, chosen, env, solver_factory(sorts_of(system)))
    hooks.seen = []  # type: ignore[attr-defined]
    return IC3(system, hooks, chosen, env).prove(), hooks


def wrong_states(
    system: TransitionSystem, hooks: PreImages, cube: Cube, target: Cube | None
) -> list[dict[Term, Any]]:
    """The states of the cube in the box that have no step into the target, or violate nothing (no
    target).
    """
    out, states = [], box_states(system)
    for state in (x for x in states if evaluate(hooks.formula(cube), x)):
        nows = [
            {**state, **dict(zip(system.inputs, v, strict=True))}
            for v in product(range(-1, 6), repeat=len(system.inputs))
        ]
        nows = [now for now in nows if all(evaluate(c, now) for c in system.constraints)]
        if target is None:
            does = any(not evaluate(p.formula, now) for now in nows for p in system.assertions)
        else:
            into = [x for x in states if evaluate(hooks.formula(target), x)]
            primed = [{next_var(k): v for k, v in after.items()} for after in into]
            does = any(evaluate(system.trans, {**now, **after}) for now in nows for after in primed)
        out += [] if does else [state]
    return out


@pytest.mark.parametrize("elimination", ELIMINATIONS)
def test_every_state_of_a_pre_image_has_the_step(elimination: str) -> None:
    for seed in range(12):
        system = random_int_system(seed)
        _, hooks = run(system, ic3qe.Options(elimination=elimination), Watched)
        for cube, target in hooks.seen[:8]:
            assert not wrong_states(system, hooks, cube, target), seed


def test_precise_elimination_of_the_formula_is_the_whole_pre_image() -> None:
    """No state outside of the cube has the step, either."""
    system = random_int_system(3)
    _, hooks = run(system, ic3qe.Options(elimination="formula"), Watched)
    assert hooks.seen
    for cube, target in hooks.seen:
        s = system.store
        does = (
            hooks._bad
            if target is None
            else s.and_(system.trans, system.prime(hooks.formula(target)))
        )
        # C and the step and not cube: unsat - the cube has all of them
        assert Z3Solver().check([*system.constraints, does, s.not_(hooks.formula(cube))]) is UNSAT


# -- what is hidden --------------------------------------------------------------------------------


def test_definitions_are_put_in_without_cycles() -> None:
    s = TermStore()
    x, i, j, k = (s.var(n, INT) for n in "xijk")
    one = s.int_(1)
    parts = [
        s.eq(i, s.add(j, one)),
        s.eq(j, s.add(k, x)),
        s.eq(k, s.sub(i, one)),
        s.le(i, s.int_(9)),
    ]
    hidden = Hidden(parts, [i, j, k])
    assert hidden.left == [k]  # k = i - 1 would close the circle
    formulas = hidden.with_target([s.le(s.int_(3), j)])
    assert s.eq(x, s.int_(0)) in formulas or s.eq(s.add(k, x), k) in formulas
    assert set(free_vars(*formulas)) <= {x, k}


def test_a_target_does_not_mention_conditions_of_other_variables() -> None:
    """x' depends on p, y' does not: what leads to y' has nothing about p."""
    s = TermStore()
    x, y, p = s.var("x", INT), s.var("y", INT), s.var("p", BOOL)
    step = {x: s.ite(p, s.int_(0), x), y: s.add(y, s.int_(1)), p: s.not_(p)}
    system = TransitionSystem(
        s,
        (x, y, p),
        (),
        s.and_(s.eq(x, s.int_(0)), s.eq(y, s.int_(0)), p),
        functional(s, step),
        (Assertion("small", s.le(y, s.int_(5))),),
        next=step,
    )
    hidden = Hidden(conjuncts(system.trans), system.primed.values())
    assert hidden.with_target([s.le(s.int_(6), next_var(y))]) == [s.le(s.int_(5), y)]


# -- theories --------------------------------------------------------------------------------------


def walking(sort: Any, top: int, bad: int) -> TransitionSystem:
    """x moves up by an input of 0 .. 2 until `top`; x = `bad` is an error."""
    s = TermStore()
    x, i = s.var("x", sort), s.var("i", sort)

    def number(n: int) -> Term:
        return s.const(n, sort)

    step = s.and_(s.le(x, number(top)), s.eq(next_var(x), s.add(x, i)))
    return TransitionSystem(
        s,
        (x,),
        (i,),
        s.eq(x, number(0)),
        step,
        (Assertion("never", s.not_(s.eq(x, number(bad)))),),
        (s.le(number(0), i), s.le(i, number(2))),
    )


@pytest.mark.parametrize("elimination", ELIMINATIONS)
@pytest.mark.parametrize("sort", [INT, REAL])
def test_integers_and_reals(sort: Any, elimination: str) -> None:
    for weaken in ("off", "both"):
        chosen = ic3qe.Options(elimination=elimination, weaken=weaken)
        assert (
            judged(walking(sort, 6, 9), ic3qe.prove, chosen, Environment(debug=True))
            is Verdict.TRUE
        )
        assert (
            judged(walking(sort, 6, 8), ic3qe.prove, chosen, Environment(debug=True))
            is Verdict.FALSE
        )


def mixed(bad: int) -> TransitionSystem:
    """An integer n counts, a real r stays between n - 1 and n."""
    s = TermStore()
    n, r, i = s.var("n", INT), s.var("r", REAL), s.var("i", REAL)
    step = s.and_(s.eq(next_var(n), s.add(n, s.int_(1))), s.eq(next_var(r), i))
    inside = s.and_(s.le(i, s.to_real(n)), s.lt(s.to_real(s.sub(n, s.int_(1))), i))
    return TransitionSystem(
        s,
        (n, r),
        (i,),
        s.and_(s.eq(n, s.int_(0)), s.eq(r, s.real(0))),
        step,
        (Assertion("below", s.lt(r, s.add(s.to_real(n), s.real(bad)))),),
        (inside,),
    )


@pytest.mark.parametrize("elimination", ELIMINATIONS)
def test_integers_meet_reals(elimination: str) -> None:
    chosen = ic3qe.Options(elimination=elimination)
    assert judged(mixed(1), ic3qe.prove, chosen, Environment(debug=True)) is Verdict.TRUE
    assert judged(mixed(-1), ic3qe.prove, chosen, Environment(debug=True)) is Verdict.FALSE


@pytest.mark.parametrize("elimination", ["implicant", "formula"])
def test_words_are_refused_by_precise_elimination(elimination: str) -> None:
    s = TermStore()
    x = s.var("x", bitvec(4))
    system = TransitionSystem(
        s,
        (x,),
        (),
        s.eq(x, s.bv(0, 4)),
        s.eq(next_var(x), x),
        (Assertion("p", s.ne(x, s.bv(1, 4))),),
    )
    result = ic3qe.prove(system, ic3qe.Options(elimination=elimination), Environment())
    assert (result.verdict, result.reason) == (
        Verdict.UNKNOWN,
        "incomplete: precise quantifier elimination is for integers and reals only",
    )
    assert ic3qe.prove(system, ic3qe.Options(), Environment()).verdict is Verdict.TRUE


def test_arrays_are_refused() -> None:
    s = TermStore()
    a = s.var("a", array(INT, INT))
    small = s.le(s.select(a, s.int_(0)), s.int_(0))
    system = TransitionSystem(s, (a,), (), s.true, s.eq(next_var(a), a), (Assertion("p", small),))
    assert ic3qe.prove(system, ic3qe.Options(), Environment()).verdict is Verdict.UNKNOWN


def test_statistics_say_how_variables_were_removed() -> None:
    env = Environment()
    ic3qe.prove(walking(INT, 6, 8), ic3qe.Options(), env)
    assert env.counters["removed_equality"] > 0
    assert env.counters["removed_elimination"] > 0
    assert env.counters["removed_value"] == 0


@pytest.mark.parametrize("elimination", ELIMINATIONS)
def test_programs_with_locations(elimination: str) -> None:
    chosen = ic3qe.Options(elimination=elimination, weaken="both")
    assert judged(counting(), ic3qe.prove, chosen, Environment()) is Verdict.TRUE
    assert judged(chasing(6), ic3qe.prove, chosen, Environment()) is Verdict.FALSE


# -- weaker lemmas ---------------------------------------------------------------------------------


def apart() -> TransitionSystem:
    """x and y grow together; x > y would be an error: literals of pre-images speak about sums of
    steps.
    """
    s = TermStore()
    x, y, i = s.var("x", INT), s.var("y", INT), s.var("i", INT)
    step = {x: s.add(x, i), y: s.add(y, i)}
    start = s.and_(s.eq(x, s.int_(0)), s.eq(y, s.int_(0)))
    bad = s.and_(s.le(s.int_(10), x), s.le(y, s.int_(3)))
    return TransitionSystem(
        s,
        (x, y),
        (i,),
        start,
        functional(s, step),
        (Assertion("together", s.not_(bad)),),
        (s.le(s.int_(0), i), s.le(i, s.int_(1))),
        next=step,
    )


def test_a_sum_of_inequalities_is_the_invariant() -> None:
    env = Environment(debug=True)
    assert judged(apart(), ic3qe.prove, ic3qe.Options(weaken="sums"), env) is Verdict.TRUE
    assert env.counters["sums"] > 0


class TooWeak(PreImages):
    """A fault: the weaker cube is taken without a question."""

    def weaken(self, cube: Cube, level: int) -> Cube:
        return cube[:1] if len(cube) > 1 else cube


# -- deliberate faults -----------------------------------------------------------------------------


class WithoutConstraints(PreImages):
    """A fault: extrapolation forgets the constraints."""

    def __init__(self, system: TransitionSystem, *args: Any) -> None:
        super().__init__(system, *args)
        self._into = Hidden(conjuncts(system.trans), [*system.primed.values(), *system.inputs])
        self._violating = Hidden([], system.inputs)


class LiteralLost(PreImages):
    """A fault: a literal of the pre-image is left out."""

    def _cube(self, formulas: list[Term]) -> Cube:
        return super()._cube(formulas[1:])


class TargetLost(PreImages):
    """A fault: the last literal of the target is forgotten."""

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        if query is not None and len(query.cube) > 1:
            query = Query(query.cube[:-1], query.level, query.purpose, obligation=query.obligation)
        return super().lift(reached, query)


class NoReplay(PreImages):
    """A fault: a chain that meets the initial states is dropped."""

    def refine(self, chain: list[Obligation]) -> None:
        return None


@pytest.mark.parametrize("fault", [WithoutConstraints, LiteralLost, TargetLost, NoReplay, TooWeak])
def test_faults_of_the_hooks_are_caught(fault: type[PreImages]) -> None:
    assert any(_caught(random_int_system(seed), fault) for seed in range(40))


def _caught(system: TransitionSystem, hooks: type[PreImages]) -> bool:
    """Does the debug checker, or the replay of a trace, object?"""
    try:
        run(system, ic3qe.Options(), hooks, debug=True)
    except InternalError:
        return True
    return False
