"""Counters beside a program (`models.rank_claims.Counter`), as the checker of ranks adds them.

An assignment to a word that the program does not have can always be made and changes nothing that
the program does. So whatever a counter counts, the runs of the program with counters are its runs,
and a proof about the former is one about the latter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Command, Seq
from obligato.models.rank_claims import Counter
from obligato.terms import Op, Term, TermStore, bitvec

MOST = 64  # bits


def wrong_counters(cfa: CFA, counters: Sequence[Counter]) -> str | None:
    """Why these cannot be counters beside the program."""
    names = [v.name for v in (*cfa.variables, *cfa.inputs)] + [c.name for c in counters]
    if len(set(names)) != len(names):
        return "a counter has the name of something else"
    return None if all(0 < c.width <= MOST for c in counters) else f"a counter has 1 to {MOST} bits"


def counting(cfa: CFA, counters: Sequence[Counter]) -> CFA:
    """The program with the counters."""
    if not counters:
        return cfa
    words = [cfa.store.var(c.name, bitvec(c.width)) for c in counters]
    edges = tuple(replace(e, command=_command(cfa, e, counters, words)) for e in cfa.edges)
    return replace(cfa, variables=(*cfa.variables, *words), edges=edges)


def _command(cfa: CFA, edge: Edge, counters: Sequence[Counter], words: Sequence[Term]) -> Command:
    s = cfa.store
    if edge.source == cfa.initial:
        return Seq((Assign(tuple((x, s.bv(0, x.sort.width)) for x in words)), edge.command))
    counted = [x for x, c in zip(words, counters, strict=True) if edge.source in c.locations]
    pairs = tuple((x, _one_more(s, x)) for x in counted)
    return Seq((Assign(pairs), edge.command)) if pairs else edge.command


def _one_more(s: TermStore, x: Term) -> Term:
    """x + 1; x itself where it is the greatest number of its width."""
    greatest = s.mk(Op.BVNOT, (s.bv(0, x.sort.width),))
    return s.ite(s.eq(x, greatest), x, s.mk(Op.BVADD, (x, s.bv(1, x.sort.width))))
