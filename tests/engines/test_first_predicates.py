"""What an abstraction starts with: Karr's relations of transition systems, orders, and equalities
mined from states.
"""

from __future__ import annotations

from typing import Any

import pytest

from obligato.analysis import affine_system
from obligato.analysis.affine_system import (
    Relations,
    affine_relations,
    cheap_relations,
    control_variables,
)
from obligato.engines import ctigar, ic3ia
from obligato.engines.ctigar.mining import Mining
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.domain import first_predicates, orders
from obligato.engines.ic3ia.halfspace import HalfSpaces
from obligato.engines.ic3ia.initial import Initial
from obligato.engines.ic3ia.predicates import Predicates
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_reduce import import_system, sorts_of
from obligato.results.outcome import Verdict
from obligato.smt import UNSAT, SatResult
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, INT, Op, Term, TermStore, Value, bitvec, evaluate
from tests.support.int_systems import box_states, random_int_system
from tests.support.located import counting
from tests.support.systems import assignments, random_system


def relations(system: TransitionSystem) -> Relations:
    found = affine_relations(system, solver_factory(sorts_of(system)), lambda: None)
    assert found is not None
    return found


def check(system: TransitionSystem, *formulas: Term) -> SatResult:
    solver = solver_factory(sorts_of(system))()
    for f in formulas:
        solver.add(f)
    return solver.check()


def is_inductive(system: TransitionSystem, invariant: Term) -> bool:
    no, prime = system.store.not_, system.prime
    return (
        check(system, system.init, no(invariant)) is UNSAT
        and check(system, invariant, *system.constraints, system.trans, no(prime(invariant)))
        is UNSAT
    )


@pytest.mark.parametrize("seed", range(30))
def test_relations_are_inductive(seed: int) -> None:
    for system in (
        random_int_system(seed),
        import_system(random_system(seed, max_bits=6), TermStore()),
    ):
        invariant = relations(system).invariant()
        assert invariant is None or is_inductive(system, invariant)


def test_relations_of_a_loop() -> None:
    """x + y = n at the head of the loop, x + y = n + 1 in its middle."""
    system = counting()
    s, (x, y, n) = system.store, system.state[:3]
    found = relations(system)
    assert found.control == system.state[3:]
    at = {here: s.and_(*equations) for here, equations in found.at.items()}
    assert check(system, at[True, False, False], s.not_(s.eq(s.add(x, y), n))) is UNSAT
    assert (
        check(system, at[False, True, False], s.not_(s.eq(s.add(x, y), s.add(n, s.int_(1)))))
        is UNSAT
    )
    assert (False, True, True) not in at  # a location without number


def test_relations_modulo_a_power_of_two() -> None:
    """A word that starts even and grows by two stays even."""
    s = TermStore()
    x = s.var("x", bitvec(4))
    next_ = {x: s.mk(Op.BVADD, (x, s.bv(2, 4)))}
    system = TransitionSystem(
        s,
        (x,),
        (),
        s.eq(x, s.bv(0, 4)),
        functional(s, next_),
        (Assertion("p", s.true),),
        next=next_,
    )
    reached = [
        v for v in assignments((x,)) if all(evaluate(e, v) for e in relations(system).equations())
    ]
    assert [v[x] for v in reached] == list(range(0, 16, 2))


def test_too_many_control_states_are_analysed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affine_system, "LOCATIONS", 2)
    assert relations(counting()).control == ()
    assert (
        affine_relations(counting(), solver_factory(sorts_of(counting())), lambda: None, calls=2)
        is None
    )


def test_relations_of_many_variables_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that only profits by them asks nothing at all then."""
    asked: list[None] = []
    make = solver_factory(sorts_of(counting()))
    assert cheap_relations(counting(), make, lambda: asked.append(None)) is not None and asked
    asked.clear()
    monkeypatch.setattr(affine_system, "FEW", 1)
    assert cheap_relations(counting(), make, lambda: asked.append(None)) is None and not asked


def test_a_program_counter_is_control() -> None:
    s = TermStore()
    pc, x, b = s.var("pc", INT), s.var("x", INT), s.var("b", BOOL)
    step = s.or_(
        s.and_(
            s.eq(pc, s.int_(0)),
            s.eq(next_var(pc), s.int_(1)),
            s.eq(next_var(x), s.add(x, s.int_(1))),
        ),
        s.and_(s.eq(next_var(pc), pc), s.eq(next_var(x), x)),
    )
    system = TransitionSystem(
        s, (pc, x, b), (), s.eq(pc, s.int_(0)), step, (Assertion("p", s.true),)
    )
    assert control_variables(system) == (pc, b)
    assert orders(system) == []


def test_a_program_counter_in_normal_form_is_control() -> None:
    """Equations of integers are sums that are zero in a store that simplifies."""
    s = TermStore()
    pc, x = s.var("pc", INT), s.var("x", INT)
    four = s.ite(s.eq(pc, s.int_(0)), s.int_(4), s.ite(s.le(x, pc), pc, s.int_(9)))
    for step, control in ((four, (pc,)), (s.add(pc, s.int_(1)), ())):
        trans = s.and_(s.eq(next_var(pc), step), s.eq(next_var(x), s.add(x, s.int_(1))))
        start = s.and_(s.eq(pc, s.int_(0)), s.eq(x, s.int_(0)))
        system = TransitionSystem(s, (pc, x), (), start, trans, (Assertion("p", s.true),))
        assert control_variables(system) == control


def test_first_predicates_are_as_the_options_say() -> None:
    system, env = counting(), Environment()
    make = solver_factory(sorts_of(system))
    bare: dict[str, Any] = {"initial_predicates": "none", "annotated_predicates": False}
    sizes = [
        len(first_predicates(system, ic3ia.Options(**bare, **more), env, make)[0])
        for more in ({}, {"orders": True}, {"affine": "domain"})
    ]
    assert sizes[0] == 0 and sizes[1] == 6 and sizes[2] >= 2
    assert not first_predicates(system, ic3ia.Options(**bare, affine="domain"), env, make)[1]
    known = first_predicates(system, ic3ia.Options(**bare, affine="known"), env, make)[1]
    assert len(known) == 1 and is_inductive(system, known[0])


def test_ic3ia_with_orders_and_relations() -> None:
    for more in ({"orders": True}, {"affine": "domain"}, {"orders": True, "affine": "known"}):
        env = Environment(debug=True)
        assert ic3ia.prove(counting(), ic3ia.Options(**more), env).verdict is Verdict.TRUE
    assert not env.counters.get("refinements")


# -- mining ----------------------------------------------------------------------------------------


def _numbers(names: str) -> TransitionSystem:
    s = TermStore()
    data = [s.var(n, INT) for n in names]
    moves = [s.eq(next_var(x), s.add(x, s.int_(1))) for x in data]
    return TransitionSystem(s, tuple(data), (), s.true, s.and_(*moves), (Assertion("p", s.true),))


def test_an_equality_of_most_states_is_found() -> None:
    """All but one state satisfy 2x - y = -3; the equality takes them away, and the odd one
    stays.
    """
    system = _numbers("xyz")
    mining = Mining(Predicates(system, split=True), 6)
    points = [(k, 2 * k + 3, k * k * 7 % 11) for k in range(5)] + [(5, 0, 1)]
    found = mining.equality(list(points))
    assert found is not None
    s, (x, y, _) = system.store, system.state
    assert found[0] is s.eq(s.sub(s.mul(s.int_(2), x), y), s.int_(-3)) and found[1] == points[:5]
    added = [n for p in points for n in mining.note(dict(zip(system.state, p, strict=True)))]
    assert len(added) == 2  # two inequalities
    assert (
        Mining(Predicates(system, split=True), 6).equality([(k, k * k, k**3) for k in range(6)])
        is None
    )


def test_mining_adds_predicates_to_a_run() -> None:
    env = Environment()
    assert (
        ctigar.prove(counting(), ctigar.Options(mining=4, affine="off"), env).verdict
        is Verdict.TRUE
    )


# -- half-spaces -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_a_half_space_is_what_it_should_be(seed: int) -> None:
    """It excludes the state, holds initially at its location, and is inductive there."""
    system = random_int_system(seed)
    s, make = system.store, solver_factory(sorts_of(system))
    predicates = Predicates(system, split=True)
    steps = ActivationSolver(s, make)
    for f in (*system.constraints, system.trans):
        steps.add(f)
    half_spaces = HalfSpaces(
        predicates, steps, Initial(predicates, make(), Environment()), Environment(), make, 10
    )
    for state in box_states(system)[::23]:
        found = half_spaces.find(state, [])
        if found is not None:
            here: dict[Term, Value] = {x: state[x] for x in half_spaces.control}
            clause = s.or_(found, *(s.not_(s.eq(x, s.const(v, x.sort))) for x, v in here.items()))
            assert not evaluate(found, state) and is_inductive(system, clause)
