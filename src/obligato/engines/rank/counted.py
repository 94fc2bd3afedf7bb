"""k-liveness of programs [CS12]: how often a run goes round a loop, as a variable of which ranks
and invariants may speak.

Where no expression of the program decreases, a loop may still be left after a few rounds: then the
rounds that are left are a rank. The counter stops at its largest value; that it never gets there is
a question to IC3CFA like others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from obligato.engines.rank.relation import Component
from obligato.models.gcl import Assign, Command, Seq
from obligato.models.rank_claims import BuchiCFA, Counter
from obligato.terms import Op, Term, bitvec

WIDTHS = (2, 5)  # bits of a counter: at most 3 rounds are counted, then 31
NAME = "rounds!"


def counters_for(open_: Sequence[Component], width: int) -> tuple[Counter, ...]:
    """A counter for each of the components."""
    return tuple(
        Counter(f"{NAME}{width}!{n}", width, frozenset(c.locations)) for n, c in enumerate(open_)
    )


def with_counters(problem: BuchiCFA, counters: Sequence[Counter]) -> BuchiCFA:
    """The problem with counters as further variables."""
    cfa, s = problem.cfa, problem.cfa.store
    words = {c: s.var(c.name, bitvec(c.width)) for c in counters}

    def more(word: Term) -> Term:
        full = s.bv((1 << word.sort.width) - 1, word.sort.width)
        return s.ite(s.eq(word, full), word, s.mk(Op.BVADD, (word, s.bv(1, word.sort.width))))

    def counted(source: int, command: Command) -> Command:
        if source == cfa.initial:
            pairs = [(w, s.bv(0, w.sort.width)) for w in words.values()]
        else:
            pairs = [(w, more(w)) for c, w in words.items() if source in c.locations]
        return Seq((Assign(tuple(pairs)), command)) if pairs else command

    edges = tuple(replace(e, command=counted(e.source, e.command)) for e in cfa.edges)
    return replace(
        problem, cfa=replace(cfa, variables=(*cfa.variables, *words.values()), edges=edges)
    )
