"""Builders of systems and programs: what they make is verified, and what is incomplete is refused
with advice.
"""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import obligato as ob
from obligato.models.properties import Assertion
from obligato.terms import Op, TermStore


def counter(limit: int = 10) -> ob.SystemBuilder:
    """Counts to ten as long as it may."""
    s = ob.SystemBuilder("counter")
    x, go = s.state("x", ob.INT, init=0), s.input("go", ob.BOOL)
    s.next(x, ob.ite(go & (x < 10), x + 1, x))
    s.check(x <= limit, "bounded")
    return s


def test_a_system_is_proved_and_its_certificate_is_checked_again() -> None:
    outcome = ob.verify(counter(), isolated=False)
    assert (
        outcome.proved
        and not outcome.refuted
        and outcome.certificate is not None
        and outcome.certificate.checked
    )
    assert outcome.certificate.invariants[0].source is not None
    assert ob.check(counter(), outcome).proved


def test_a_system_is_refuted_and_the_trace_names_the_line_of_the_property() -> None:
    outcome = ob.verify(counter(3), isolated=False)
    assert outcome.refuted and outcome.trace is not None and outcome.trace.replayed
    assert [s.assignments.get("x", 0) for s in outcome.trace.steps] == [0, 1, 2, 3, 4]
    assert outcome.trace.steps[-1].file == __file__ and outcome.trace.steps[-1].line > 0


def test_signed_words_are_shown_by_their_sign() -> None:
    s = ob.SystemBuilder()
    x = s.state("x", ob.signed(4), init=7)
    u = s.state("u", ob.unsigned(4), init=15)
    s.next(x, x + 1)
    s.next(u, u)
    s.check(x > -8)
    s.check(u > 14, "large")
    outcome = ob.verify(s, isolated=False)
    assert outcome["check0"].trace is not None and outcome["check0"].trace.steps[
        -1
    ].assignments == {"x": -8}
    assert outcome["large"].proved
    proof = outcome["large"].certificate
    assert proof is not None and "u" in str(proof.invariants[0].source)


def test_relations_constraints_fairness_and_temporal_formulas() -> None:
    s = ob.SystemBuilder()
    x, tick = s.state("x", ob.unsigned(3), init=0), s.input("tick", ob.BOOL)
    s.trans(s.after(x) == ob.ite(tick, x + 1, x))
    s.fair(tick)
    s.ltl("G F x = 0", "returns")
    s.ltl("F G x = 0", "stays")
    s.justice(x == 5, name="never five for ever")
    s.ctl("AG EF x = 3", "reachable")
    outcome = ob.verify(s, property="all", timeout=60)
    assert [(v.property, str(v.verdict.value)) for v in outcome.verdicts] == [
        ("never five for ever", "false"),
        ("returns", "true"),
        ("stays", "false"),
        ("reachable", "true"),
    ]


def test_assume_restricts_every_step() -> None:
    s = ob.SystemBuilder()
    x, step = s.state("x", ob.INT, init=0), s.input("step", ob.INT)
    s.next(x, x + step)
    s.assume((step >= 0) & (step <= 2))
    s.check(x >= 0)
    assert ob.verify(s, isolated=False).proved


def test_a_program_with_loops_branches_choices_and_jumps() -> None:
    p = ob.ProgramBuilder("walk")
    x, y = p.variable("x", ob.INT, 0), p.variable("y", ob.INT, 0)
    with p.while_(x < 10):
        with p.choose():
            with p.branch():
                p.assign((x, y), (x + 1, y + 1))
            with p.branch():
                p.assign(x, x + 2)
        with p.if_(y > x):
            p.goto("wrong")
        with p.else_():
            p.havoc(y)
            p.assume(y <= x)
    p.halt()
    p.label("wrong")
    p.check(False, "unreachable")
    assert ob.verify(p, isolated=False).proved


def test_both_sides_of_a_branch_count() -> None:
    """With 1 assigned on both sides y is 1; with 0 on one of them, or nothing, it is not."""
    for wrong in (0, 1):
        p = ob.ProgramBuilder()
        x, y = p.variable("x", ob.INT), p.variable("y", ob.INT, 0)
        with p.if_(x > 0):
            p.assign(y, 1 - wrong)
        with p.else_():
            p.assign(y, 1)
        p.check(y == 1)
        assert ob.verify(p, isolated=False).refuted is (wrong == 1)


def test_termination_of_a_program() -> None:
    p = ob.ProgramBuilder()
    x = p.variable("x", ob.INT)
    with p.while_(x > 0):
        p.assign(x, x - 1)
    assert ob.verify(p, property="termination", isolated=False).proved


def test_a_wrong_program_shows_its_statements() -> None:
    p = ob.ProgramBuilder()
    n = p.variable("n", ob.unsigned(8))
    p.assign(n, n + 1)
    p.check(n != 0, "no wrap")
    outcome = ob.verify(p, isolated=False)
    assert (
        outcome.refuted
        and outcome.trace is not None
        and outcome.trace.violation.endswith("no wrap")
    )
    assert outcome.trace.steps[0].file == __file__ and "n + 1" in outcome.trace.steps[0].statement


def broken(make: Any) -> str:
    """The message with which a model is refused."""
    with pytest.raises(ob.ModelError) as problem:
        make()
    return str(problem.value)


def test_what_was_refused_can_be_said_again() -> None:
    s, p = ob.SystemBuilder(), ob.ProgramBuilder()
    wrong: list[tuple[Any, dict[str, Any]]] = [
        (8, {}),
        (ob.INT, {"init": 1.5}),
        (ob.INT, {"init": 0, "next": "a"}),
    ]
    for type_, more in wrong:
        with pytest.raises(ob.ModelError):
            s.state("x", type_, **more)
    with pytest.raises(ob.ModelError):
        s.input("x", 8)  # type: ignore[arg-type]
    with pytest.raises(ob.ModelError, match="not indexed by arrays"):
        ob.array(ob.array(ob.INT, ob.INT), ob.INT)
    with pytest.raises(ob.ModelError):
        s.check(s.input("n", ob.INT), "small")
    with pytest.raises(ob.ConfigError, match="timeout must be a positive number"):
        ob.verify(counter(), timeout="3")  # type: ignore[arg-type]
    with pytest.raises(ob.ModelError):
        p.variable("x", ob.INT, "a")
    x = s.state("x", ob.INT, init=-3, next=0)
    s.check(abs(x) <= 3, "small")
    s.check(abs(x) > 0, "never zero")
    outcome = ob.verify(s, timeout=60)
    assert outcome.verdicts and outcome["never zero"].refuted and outcome["small"].proved
    assert repr(p.variable("x", ob.INT, 1)) == "x"


def test_incomplete_systems_are_refused_with_advice() -> None:
    s = ob.SystemBuilder()
    x = s.state("x", ob.INT)
    i = s.input("i", ob.INT)
    assert "what is x in the next state" in broken(s.build)
    s.next(x, x)
    assert "no property" in broken(s.build)
    assert "two next-state functions" in broken(lambda: s.next(x, x))
    assert "no state variable" in broken(lambda: s.next(i, x))
    assert "two of the name x" in broken(lambda: s.input("x", ob.INT))
    assert "begins with no digit" in broken(lambda: s.state("1x", ob.INT))
    assert "a type is" in broken(lambda: s.state("y", int))  # type: ignore[arg-type]
    assert "type INT, not BOOL" in broken(lambda: s.check(x))
    assert "at least one" in broken(lambda: s.justice())
    s.ltl("G (z > 0)")
    with pytest.raises(ob.InputError, match="z"):
        s.build()


def test_incomplete_programs_are_refused_with_advice() -> None:
    p = ob.ProgramBuilder()
    x = p.variable("x", ob.INT)
    assert "must follow an if_" in broken(p.else_)
    assert "inside choose" in broken(p.branch)
    assert "assigned 2 values" in broken(lambda: p.assign([x], [1, 2]))
    assert "no variable" in broken(lambda: p.assign(x + 1, 2))

    def statement_in_choose() -> None:
        with p.choose():
            p.assign(x, 1)

    assert "only blocks of branch" in broken(statement_in_choose)
    with p.if_(x > 0):
        assert "still open" in broken(p.build)
    p.goto("nowhere")
    with pytest.raises(ob.InputError, match="nowhere"):
        p.build()


def test_models_are_pickled_without_recursion_and_with_the_same_numbers() -> None:
    store = TermStore.raw()
    deep = store.var("x", ob.INT.sort)
    for k in range(5000):
        deep = store.mk(Op.ADD, (deep, store.int_(k)))
    again = pickle.loads(pickle.dumps([deep, store]))
    assert again[0].id == deep.id and again[0].store is again[1] and len(again[1]) == len(store)
    system = counter().build()
    copy = pickle.loads(pickle.dumps(system))
    first, second = system.properties[0], copy.properties[0]
    assert (
        isinstance(first, Assertion)
        and isinstance(second, Assertion)
        and repr(first.formula) == repr(second.formula)
    )
    simplifying = pickle.loads(pickle.dumps(TermStore()))
    x = simplifying.var("x", ob.INT.sort)
    assert simplifying.add(x, simplifying.int_(0)) is x
