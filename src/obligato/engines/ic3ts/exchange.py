"""What IC3 on transition systems tells the other engines of a portfolio, and does with what it hears.

Told is that no run below the frontier is a violation, and now and then what is inductive of the
newest frame: lemmas that were pushed all the way up are those that may hold for ever. Heard are
candidates: those that are inductive here are assumed in all frames, if the hooks can
(`Hooks.assume`); the others may suggest literals.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from obligato.engines.exchange import MOST
from obligato.engines.inductive_part import kept

if TYPE_CHECKING:
    from obligato.engines.exchange import Exchange
    from obligato.engines.ic3ts.engine import IC3


def share(run: IC3) -> None:
    """Tell and hear, between two obligations; the queue may be empty then. Requires: all frames but
    the newest are free of violations.
    """
    exchange = run.exchange
    assert exchange is not None
    exchange.tell_bound(run.frames.top - 1, run.env)
    _tell(run, exchange)
    if run.hooks.assumes:
        _hear(run, exchange)


def _tell(run: IC3, exchange: Exchange) -> None:
    calls, hooks = exchange.allowance(run.env), run.hooks
    highest = list(islice(run.frames.at(run.frames.top), MOST))
    if not calls or not highest:
        return
    clauses = [run.system.store.not_(hooks.formula(lemma.cube)) for lemma in highest]
    told = kept(run.system, clauses, hooks.known, run.env, calls)
    exchange.tell({0: [*hooks.known, *told]} if told else {}, run.env)


def _hear(run: IC3, exchange: Exchange) -> None:
    known = set(run.hooks.known)
    heard = [f for f in exchange.hear(run.env).get(0, ()) if f not in known]
    if not heard:
        return
    found = kept(run.system, heard, run.hooks.known, run.env)
    run.env.count("facts_kept", len(found))
    run.hooks.assume(found, [f for f in heard if f not in set(found)])
    if found:
        # obligations and counterexamples to propagation may be about states that are gone
        run.queue.clear()
        for lemma in run.frames.at(1):
            lemma.ctp = None
