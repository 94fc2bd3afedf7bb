"""Facts between workers: out of one model, over a pipe, into another."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from obligato.api.pipeline import Run
from obligato.api.request import Request
from obligato.api.supervisor import Channel, Child, supervise_all
from obligato.models.claims import Identity
from obligato.models.facts import Fact, lifted, parts
from obligato.terms import BOOL, INT, TermStore
from obligato.terms.printer import to_smtlib


def test_a_fact_enters_a_model_that_has_its_variables() -> None:
    store = TermStore()
    x, odd = store.var("x", INT), store.var("a b'", BOOL)
    fact = Fact("(and (< x 3) |a b'|)")
    formulas = parts(fact, [x, odd], store)
    assert [to_smtlib(f) for f in formulas] == ["(<= x 2)", "|a b'|"]
    assert all(f.store is store for f in formulas)
    assert [to_smtlib(f) for f in parts(fact, [x], store)] == ["(<= x 2)"]  # a b' was left out
    for wrong in ("x", "(< x", "(< x 3) (< x 4)", "(frob x)", ""):
        assert parts(Fact(wrong), [x], store) == []


def test_what_was_found_leaves_a_model() -> None:
    store = TermStore()
    x = store.var("x", INT)
    (fact,) = lifted({4: store.lt(x, store.int_(3))}, Identity())
    assert fact == Fact("(<= x 2)", 4)


def receive(channel: Channel) -> list[Fact]:
    """A run's environment in a worker; what an engine finds in its inbox."""
    environment = Run(Request("x.ivl"), channel)._environment(None)
    channel("ready", None)
    got: list[Fact] = []
    while not got:
        got += environment.inbox()
        signal.sigtimedwait([signal.SIGUSR1], 0.01)
    return got


def test_facts_reach_an_engine_in_a_worker(tmp_path: Path) -> None:
    fact = Fact("(< x 3)", 7)

    def tell(child: Child, kind: str, data: Any) -> None:
        if kind == "ready":
            assert child.send(fact)

    assert supervise_all({"worker": receive}, on_report=tell, timeout=60)["worker"].value == [fact]
