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
    both = store.and_(store.lt(x, store.int_(3)), store.le(store.int_(0), x))
    facts = lifted({4: both, 5: store.true}, Identity())
    assert facts == [Fact("(<= x 2)", 4), Fact("(not (<= x (- 1)))", 4)]


def receive(channel: Channel) -> list[Fact]:
    """A run in a worker; what has arrived in its letter box."""
    mail = Run(Request("x.ivl", exchange=True), channel).mail
    assert mail is not None
    channel("ready", None)
    while not mail.heard():
        signal.sigtimedwait([signal.SIGUSR1], 0.01)
    return [n for n in mail.heard() if isinstance(n, Fact)]


def test_facts_reach_a_run_in_a_worker(tmp_path: Path) -> None:
    fact = Fact("(< x 3)", 7)

    def tell(child: Child, kind: str, data: Any) -> None:
        if kind == "ready":
            assert child.send([fact])

    assert supervise_all({"worker": receive}, on_report=tell, timeout=60)["worker"].value == [fact]


def test_a_run_alone_has_no_letter_box() -> None:
    assert Run(Request("x.ivl"), lambda kind, data: None).mail is None
