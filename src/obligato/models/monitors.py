"""Monitors that turn the question for a fair run into one about an invariant. They stand beside a
system with one justice property.

`with_saved_state` [BAS02]: an input chooses a state to be saved; bad is its coming back after steps
in all fairness sets. In a finite system there is a fair run iff that is reachable. What is saved
may also be the values of a few terms, of which there are finitely many: in any system, every fair
run comes back to the same values, so that there is none if that is not reachable [DCGMT16].
`with_counter` [CS12]: rounds in which all fairness sets were visited are counted; if there are
never more than k, there is no fair run, in any system.
`with_rounds` shows when a round is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from obligato.models.properties import Assertion, fairness_sets
from obligato.models.tableau import add_to
from obligato.models.transition_system import TransitionSystem
from obligato.terms import BOOL, Term

SAVE, SAVED, ROUND = "l2s save", "l2s saved", "rank round"


def with_saved_state(system: TransitionSystem, watched: Sequence[Term] = ()) -> TransitionSystem:
    """The system and a copy of one of its states,
    or only of the values of the `watched` terms in it."""
    s, sets = system.store, fairness_sets(system)
    save, saved = s.var(SAVE, BOOL), s.var(SAVED, BOOL)
    whole = {x: s.var(f"l2s copy {x.name}", x.sort) for x in system.state}
    copy = {t: s.var(f"l2s value {n}", t.sort) for n, t in enumerate(watched)} if watched else whole
    seen = {s.var(f"l2s seen {n}", BOOL): b for n, b in enumerate(sets)}
    loop = s.or_(saved, save)
    following: dict[Term, Term] = {saved: loop}
    following |= {c: s.ite(s.and_(save, s.not_(saved)), x, c) for x, c in copy.items()}
    following |= {v: s.and_(loop, s.or_(v, b)) for v, b in seen.items()}
    bad = s.and_(saved, *seen, *(s.eq(x, c) for x, c in copy.items()))
    return _asking(
        add_to(system, following, [s.not_(saved), *map(s.not_, seen)], [save]), s.not_(bad)
    )


def with_counter(system: TransitionSystem, k: int) -> TransitionSystem:
    """The system and a counter of its rounds; the property is that there are at most `k`."""
    s, sets = system.store, fairness_sets(system)
    seen = {s.var(f"klive seen {n}", BOOL): b for n, b in enumerate(sets)}
    rounds = [s.var(f"klive round {m}", BOOL) for m in range(k + 1)]
    full = s.and_(*(s.or_(v, b) for v, b in seen.items()))
    following = {v: s.and_(s.or_(v, b), s.not_(full)) for v, b in seen.items()}
    following |= {
        r: s.or_(r, s.and_(full, before))
        for before, r in zip([s.true, *rounds], rounds, strict=False)
    }
    return _asking(add_to(system, following, [s.not_(v) for v in following]), s.not_(rounds[-1]))


def with_rounds(system: TransitionSystem) -> TransitionSystem:
    """The system and a bit that is true after each step that completes a round of all fairness
    sets."""
    s, sets = system.store, fairness_sets(system)
    seen = {s.var(f"rank seen {n}", BOOL): b for n, b in enumerate(sets)} if len(sets) > 1 else {}
    full = s.and_(*(s.or_(v, b) for v, b in seen.items())) if seen else sets[0]
    following = {v: s.and_(s.or_(v, b), s.not_(full)) for v, b in seen.items()} | {
        s.var(ROUND, BOOL): full
    }
    return replace(
        add_to(system, following, [s.not_(v) for v in following]), properties=(), fairness=()
    )


def _asking(system: TransitionSystem, claim: Term) -> TransitionSystem:
    return replace(system, properties=(Assertion("monitor", claim),), fairness=())
