"""Which assertions does no run evaluate, and which assumptions does no run get past?
A proof about them says nothing.

Each of these observations (`models.observing`) gets a location of its own, with edges from where it
is made and the claim that nobody is there. What an accepted certificate says about the other
locations holds in all runs; so if no path from one of its locations leads to an observation, no run
makes it. That is a remark about the proof, asked with limited effort, and no part of it: a path
that is found may be no run, and then nothing is said. Calls of an error function without a
condition are left out: that no run makes them is what was proved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from obligato.models.cfa import Edge, Location
from obligato.models.gcl import SKIP, Assume
from obligato.models.observing import BRANCH, Key, Observation, is_decided, observations
from obligato.results.checking.certificate import Inductive
from obligato.results.checking.obligations import Checker
from obligato.results.checking.solving import HURRIED, SAT, UNSAT, Link, Questions
from obligato.results.checking.status import Open
from obligato.results.checking.unwinding import Unwound
from obligato.terms import evaluate, free_vars

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.claims import Certificate
    from obligato.results.checking.encoding import State
    from obligato.terms import Term

MAX_ASKED = 16  # observations that are asked about
# of a program that is looked at: of a larger one the remark costs more than the proof
MAX_EDGES = 1_000


def unreached(
    cfa: CFA, certificate: Certificate, links: Sequence[Link], tick: Callable[[], None]
) -> tuple[list[Observation], list[Observation]]:
    """The assertions and assumptions that were asked about, one for each place,
    and those of them that no run makes."""
    if len(cfa.edges) > MAX_EDGES:
        return [], []
    found: dict[Key, list[Observation]] = {}
    for o in observations(cfa):
        if o.kind != BRANCH and not _is_bare(cfa, o):
            found.setdefault(o.key, []).append(o)
    asked = list(found.values())[:MAX_ASKED]
    if not asked:
        return [], []
    wide, sinks = _with_sinks(cfa, asked)
    claims = {**certificate.invariants, **dict.fromkeys(sinks, cfa.store.false)}
    looking = (_Inductive if certificate.unwinding is None else _Unwound)(
        wide, replace(certificate, invariants=claims), links, tick
    )
    names = [wide.locations[s].name for s in sinks]
    looking.look(names)
    return [os[0] for os in asked], [
        os[0] for os, name in zip(asked, names, strict=True) if name in looking.open
    ]


def _is_bare(cfa: CFA, o: Observation) -> bool:
    """Is it the call of an error function that always fails, so that no condition at its place
    decides?
    """
    failing = [e.command for e in cfa.out(o.location) if e.target == cfa.error]
    return o.edge is None and any(
        not isinstance(c, Assume) or is_decided(c.condition) for c in failing
    )


def _with_sinks(cfa: CFA, asked: Sequence[Sequence[Observation]]) -> tuple[CFA, list[int]]:
    """The CFA with a location for each group of observations, and these locations."""
    first, number = max(cfa.locations) + 1, max((e.id for e in cfa.edges), default=0) + 1
    sinks = list(range(first, first + len(asked)))
    edges = [
        Edge(0, o.location, sink, SKIP if o.edge is None else o.edge.command)
        for sink, group in zip(sinks, asked, strict=True)
        for o in group
    ]
    locations = {**cfa.locations, **{s: Location(s, f"observation {s}!") for s in sinks}}
    added = tuple(replace(e, id=n) for n, e in enumerate(edges, number))
    return replace(cfa, locations=locations, edges=(*cfa.edges, *added)), sinks


class _Looking(Checker):
    """Asks about the added locations only, about each until a path is found."""

    open: dict[str, None]

    def look(self, names: Sequence[str]) -> None:
        """`open` are the locations among those of these names that no path leads to."""
        self.open = dict.fromkeys(names)
        for _ in self.open_obligations():
            raise AssertionError("obligations are not judged here")

    def _ask(self, assertions: list[Term], goals: list[tuple[str, State, Term]]) -> Iterator[Open]:
        wanted: dict[str, list[Term]] = {}
        for name, state, _ in goals:
            if (where := _named(name, self.open)) is not None:
                wanted.setdefault(where, []).append(state.reach)
        if wanted:
            with closing(Questions(self.links, assertions, self.tick)) as questions:
                for where, paths in reversed(wanted.items()):
                    if where in self.open:
                        self._look_for(questions, where, wanted, self.store.or_(*paths))
        return iter(())

    def _look_for(
        self, questions: Questions, where: str, wanted: dict[str, list[Term]], path: Term
    ) -> None:
        """Is there a path? The one that is found may lead to others, too: those need no
        question.
        """
        # (definitions) and some path arrives here (heuristic) - unsat: no run of these traversals;
        #               else perhaps one
        reply = questions.ask([path], "vacuity", HURRIED)
        if reply.result is UNSAT:
            return
        del self.open[where]
        memo: dict[Term, object] = {}
        for other in [w for w in wanted if w in self.open and reply.result is SAT]:
            known = [p for p in wanted[other] if free_vars(p).keys() <= reply.model.keys()]
            if any(evaluate(p, reply.model, memo) for p in known):
                del self.open[other]


def _named(goal: str, names: Container[str]) -> str | None:
    start = goal.rfind("observation ")
    return goal[start:] if start >= 0 and goal[start:] in names else None


class _Inductive(_Looking, Inductive):
    """Observations that an inductive certificate shows to be unreachable."""


class _Unwound(_Looking, Unwound):
    """Observations that an unwinding shows to be unreachable."""
