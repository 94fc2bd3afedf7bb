"""Exchanges between engines in one process: what one sends is a list, what another hears is made up."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from obligato.api.exchanges import about_system
from obligato.engines.exchange import Exchange, Mail
from obligato.models.facts import Bound, Fact, News
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_reduce import SameNames
from obligato.terms import BOOL, INT, Kind, Term, TermStore
from obligato.terms.printer import to_smtlib

DELAY = 8


def soon(patch: pytest.MonkeyPatch, every: int = 20) -> None:
    """Small searches tell and hear, too."""
    patch.setattr("obligato.engines.exchange.EVERY", every)
    patch.setattr(Exchange, "allowance", lambda self, env: 100)


def mail_of(heard: Iterable[News], sent: list[News]) -> Mail:
    """A letter box in which these are, and a list that gets what is sent."""
    letters = [list(heard)]
    return Mail(lambda: [letters.pop()] if letters else [], sent.extend)


def exchange_of(
    system: TransitionSystem, heard: Iterable[News] = (), sent: list[News] | None = None
) -> Exchange:
    """The exchange of an engine on a system as it is."""
    mail = mail_of(heard, [] if sent is None else sent)
    found = about_system(mail, system, system, SameNames())
    assert found is not None
    return found


def circle_and_delay() -> TransitionSystem:
    """A number that moves in a circle 0, 5, 9, or stays, and leaves any other place for 7, where it
    must not be; and a value that is late by some steps, and never out of its range.

    k-induction needs to know the circle, IC3 a lemma for each place of the delay.
    """
    s, c = TermStore(), TermStore.int_
    x, i, stay = (s.var(n, INT) for n in ("x", "i", "stay"))
    late = [s.var(f"a{n}", INT) for n in range(DELAY)]
    following = s.int_(7)
    for here, there in ((0, 5), (5, 9), (9, 0)):
        following = s.ite(s.eq(x, c(s, here)), c(s, there), following)

    def inside(t: Term) -> Term:
        return s.and_(s.le(c(s, 0), t), s.le(t, c(s, 9)))

    next_ = {x: s.ite(s.eq(stay, c(s, 3)), x, following), late[0]: s.ite(inside(i), i, c(s, 4))}
    next_ |= {late[n]: late[n - 1] for n in range(1, DELAY)}
    init = s.and_(s.eq(x, c(s, 0)), *(s.eq(a, c(s, 0)) for a in late))
    safe = s.and_(s.not_(s.eq(x, c(s, 7))), inside(late[-1]))
    return TransitionSystem(
        s,
        (x, *late),
        (i, stay),
        init,
        functional(s, next_),
        (Assertion("safe", safe),),
        next=next_,
        total=True,
    )


def late_violation(steps: int) -> TransitionSystem:
    """A number that counts to ten times `steps` and stays there; only `steps` itself is wrong. The
    step of k-induction holds for 1, if the number is known not to be one less.
    """
    s = TermStore()
    x = s.var("x", INT)
    end = s.int_(10 * steps)
    next_ = {x: s.ite(s.lt(x, end), s.add(x, s.int_(1)), x)}
    return TransitionSystem(
        s,
        (x,),
        (),
        s.eq(x, s.int_(0)),
        functional(s, next_),
        (Assertion("safe", s.not_(s.eq(x, s.int_(steps)))),),
        next=next_,
        total=True,
    )


def lies(seed: int, variables: Iterable[Term], locations: Iterable[int], name: str) -> list[News]:
    """Facts about variables that nobody has found, most of them wrong, some of them none at all, and
    bounds.
    """
    r, places = random.Random(seed), list(locations)
    texts = ["false", "true", "(and", "(< x", "(= gone 3)", "(and (= gone 3) false)"]
    for x in variables:
        if x.sort is BOOL:
            texts += [to_smtlib(x), to_smtlib(x.store.not_(x))]
        elif x.sort is INT or x.sort.kind is Kind.BITVEC:
            value = x.store.const(r.randrange(3), x.sort)
            texts += [
                to_smtlib(x.store.eq(x, value)),
                to_smtlib(x.store.not_(x.store.eq(x, value))),
            ]
    r.shuffle(texts)
    told: list[News] = [Fact(text, r.choice(places)) for text in texts for _ in places[:3]]
    return [*told, Bound(r.randrange(1, 9), (name,)), Bound(10**6, ("another",))]
