"""What IC3CFA tells the other engines of a portfolio, and does with what it hears.

Told are the seeds, and now and then what is inductive of the newest frames:
lemmas that were pushed all the way up are those that may hold for ever. Heard are candidates; what
Houdini leaves of them holds at all levels from then on, as seeds do.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from obligato.engines.exchange import MOST
from obligato.engines.inductive_part import kept_along

if TYPE_CHECKING:
    from obligato.engines.exchange import Exchange
    from obligato.engines.ic3cfa.engine import IC3CFA


def share(run: IC3CFA) -> None:
    """Tell and hear, between two obligations; the queue may be empty then."""
    exchange = run.exchange
    assert exchange is not None
    _tell(run, exchange)
    _hear(run, exchange)


def _tell(run: IC3CFA, exchange: Exchange) -> None:
    calls, frames = exchange.allowance(run.env), run.frames
    highest = {
        loc: [x.clause for x in islice(frames.at(loc, frames.top), MOST)] for loc in frames.of
    }
    if calls and any(highest.values()):
        found = kept_along(run.cfa, highest, frames.invariants, run.env, calls)
        exchange.tell(found, run.env)


def _hear(run: IC3CFA, exchange: Exchange) -> None:
    heard = exchange.hear(run.env)
    if not heard:
        return
    found = kept_along(run.cfa, heard, run.frames.invariants, run.env)
    run.env.count("facts_kept", sum(map(len, found.values())))
    if found:
        run.assume(found)
