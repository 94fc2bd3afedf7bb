"""Many rounds of a loop at once: shown by induction instead of being executed one by one.

A round is a sequence of edges from a location back to it, with inputs that are the same each time.
Let W be the variables that it assigns, L those of them that its guards or new values read at its
beginning, S(i) the state whose values for L are

    x0 + i * d        x0: the value before the first round, d: what the first round adds to it;
                      modulo 2^w

`after_rounds` shows with a solver that for all i < n the guards hold in S(i) and a round leads from
S(i) to S(i + 1). Then, by induction, n rounds are taken along these edges and L has the values of
S(n). Variables in W that are not in L are left open:
what a round makes of them does not depend on them.

With `claim` it shows as well that no other edge can be taken on the way, whatever the inputs are,
and that the claim holds in each S(i): so all runs go this way (`checking.unwinding`).

`replay_rounds` executes a trace in which rounds are written once, by evaluation on the CFA of the
untouched program; of the rounds all but the last are shown in this way, the last is executed.
Trusted beside that: the solver that says unsat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.models.cfa import CFA, Edge
from obligato.models.execution import execute
from obligato.results.checking.encoding import State, Traversal
from obligato.results.checking.graph import Regions
from obligato.results.checking.obligations import reserve
from obligato.results.checking.solving import SAT, UNSAT, Link, Questions, Reply
from obligato.terms import (
    Kind,
    Op,
    Term,
    TermStore,
    Value,
    bitvec,
    default_value,
    evaluate,
    free_vars,
)
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.claims import Repeat, Trace, TraceStep

WIDTH = 64  # bits of the number of rounds, and of a word that changes at most
Values = dict[Term, Value]
TakenEdge = tuple[Edge, Values]  # an edge and the values of its inputs


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is known about some rounds: the values of L after them, or a reason.
    `wrong`: they cannot be taken. Where they are no closed form, they perhaps can.

    `open_`: variables that a round assigns and whose values are left open.
    """

    values: Values | None
    reason: str = ""
    wrong: bool = False
    link: Link | None = None
    open_: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class _Form:
    """The closed form S(i), i < `times`, beside `new`, what a round makes of what changes."""

    start: Mapping[Term, Value]
    change: Mapping[Term, int]
    times: int
    new: Mapping[Term, Term]

    def broken(self, guard: Term) -> list[Term]:
        """Some round cannot be taken or leads elsewhere than the closed form says."""
        s = guard.store
        i = s.fresh("round!", bitvec(WIDTH))
        here, then = self.at(i), self.at(s.mk(Op.BVADD, (i, s.bv(1, WIDTH))))
        holds = [
            rebuild(guard, s, dict(here)),
            *(s.eq(rebuild(e, s, dict(here)), then[y]) for y, e in self.new.items()),
        ]
        return [s.mk(Op.BVULT, (i, s.bv(self.times, WIDTH))), s.not_(s.and_(*holds))]

    def at(self, i: Term) -> dict[Term, Term]:
        """S(i): the start values, and for what changes the closed form."""
        s = i.store
        out = {y: s.const(value, y.sort) for y, value in self.start.items()}
        for y, d in self.change.items():
            width = y.sort.width
            rounds = s.mk(Op.EXTRACT, (i,), (width - 1, 0))
            out[y] = s.mk(Op.BVADD, (out[y], s.mk(Op.BVMUL, (rounds, s.bv(d, width)))))
        return out


def after_rounds(
    cfa: CFA,
    steps: Sequence[TakenEdge],
    known: Mapping[Term, Value],
    times: int,
    links: Sequence[Link],
    tick: Callable[[], None],
    *,
    claim: Term | None = None,
) -> Rounds:
    """Can the edges be taken `times` times, one round after the other,
    from a state with these values?

    Requires: they lead from a location back to it. Inputs that have no value may have any. With
    `claim`, a formula, all runs take these edges, and it holds after each round.
    """
    store = TermStore.raw()
    reserve(store, cfa.variables)
    edges = [
        (edge, {i: store.const(value, i.sort) for i, value in inputs.items()})
        for edge, inputs in steps
    ]
    traversal = Traversal(Regions(cfa, {}), store)
    round_ = traversal.follow(edges, State(store.true, {}))
    extra = [] if claim is None else [store.import_term(claim), *_others(cfa, traversal, edges)]
    guard = store.and_(round_.reach, *extra) if extra else round_.reach
    names = {v.name: v for v in cfa.variables}
    reads = {names[v.name]: v for v in free_vars(guard, *round_.values.values()) if v.name in names}
    changed = {x: y for x, y in reads.items() if x in round_.values}
    matters = free_vars(round_.reach, *extra[:1], *(round_.values[x] for x in changed))
    open_ended = _open_ended(changed, [names.get(v.name) for v in matters], known)
    if open_ended:
        return Rounds(None, open_ended)
    start = {y: known[x] for x, y in reads.items() if x in known}
    change = {
        y: (evaluate(round_.values[x], start) - _word(start[y])) & y.sort.mask
        for x, y in changed.items()
    }
    form = _Form(start, change, times, {y: round_.values[x] for x, y in changed.items()})
    reply = _asked(form.broken(guard), links, tick)
    if reply.result is UNSAT:
        after = {x: (_word(start[y]) + times * change[y]) & y.sort.mask for x, y in changed.items()}
        left_open = tuple(x for x in round_.values if x not in after)
        return Rounds(after, link=reply.link, open_=left_open)
    return _not_shown(form, guard, reply, links, tick)


def _not_shown(
    form: _Form, guard: Term, reply: Reply, links: Sequence[Link], tick: Callable[[], None]
) -> Rounds:
    """Why it was not shown that the rounds are as the closed form says, and can they be taken?"""
    # where the closed form is right, a guard fails in the state that it tells; else who knows
    always = guard.store.true
    wrong = reply.result is SAT and _asked(form.broken(always), links, tick).result is UNSAT
    failed = f"not all of the {form.times} rounds can be taken"
    left = f"{form.times} rounds do not all change the same words by the same amount"
    return Rounds(None, reply.reason or (failed if wrong else left), wrong=wrong)


def _open_ended(
    changed: Iterable[Term], matters: Iterable[Term | None], known: Mapping[Term, Value]
) -> str:
    """Why the rounds have no closed form over what is known, if they have none. What matters and is
    no variable of the program is None.
    """
    if any(
        x not in known or x.sort.kind is not Kind.BITVEC or x.sort.width > WIDTH for x in changed
    ):
        return "a round reads something that changes and is no known word"
    if any(x is None or x not in known for x in matters):
        return "a round depends on something that is not known"
    return ""


def _others(
    cfa: CFA, traversal: Traversal, edges: Sequence[tuple[Edge, Mapping[Term, Term]]]
) -> list[Term]:
    """No other edge can be taken where the round takes one."""
    store, state, out = traversal.store, State(traversal.store.true, {}), list[Term]()
    for edge, inputs in edges:
        for other in cfa.out(edge.source):
            if other.id != edge.id:
                out.append(store.not_(traversal.follow([(other, {})], state).reach))
        state = traversal.follow([(edge, inputs)], state)
    return out


def _asked(broken: list[Term], links: Sequence[Link], tick: Callable[[], None]) -> Reply:
    with closing(Questions(links, broken, tick)) as questions:
        # i < n and not (the guards hold in S(i) and a round leads to S(i + 1)) (required)
        #   unsat: n rounds can be taken; sat: not all of them, or they do something else
        # the same without guards: unsat - a round always leads from S(i) to S(i + 1); else unknown
        return questions.ask((), "rounds")


def _word(value: Value) -> int:
    assert isinstance(value, int)
    return value


def malformed(cfa: CFA, trace: Trace) -> str | None:
    """Why the rounds of a trace are not written as `Repeat` says."""
    end = 0
    for r in trace.repeats:
        if not end <= r.start < r.end <= len(trace.steps) or not 1 <= r.times < 1 << WIDTH:
            return f"steps {r.start} to {r.end} cannot be repeated {r.times} times"
        if (
            cfa.by_id[trace.steps[r.start].edge].source
            != cfa.by_id[trace.steps[r.end - 1].edge].target
        ):
            return f"steps {r.start} to {r.end} are no round"
        end = r.end
    return None


def replay_rounds(
    cfa: CFA, trace: Trace, links: Sequence[Link], tick: Callable[[], None]
) -> tuple[str | None, bool]:
    """None if the trace is a run to the error location, else what happens instead,
    and whether that is certain.

    Requires: its edges form a path, and its rounds are well-formed.
    """
    state = {v: trace.initial.get(v.name, default_value(v.sort)) for v in cfa.variables}
    rounds = {r.end: r for r in trace.repeats}
    for n, step in enumerate(trace.steps):
        edge, inputs = _taken(cfa, step)
        after = execute(edge.command, state, inputs)
        if after is None or any(
            after[x] != (step.state or {}).get(x.name, after[x]) for x in after
        ):
            return f"step {n + 1}: edge {edge.id} cannot be taken, or leads to other values", True
        state = after
        if n + 1 in rounds:
            problem, certain = _repeat(cfa, trace, rounds[n + 1], state, links, tick)
            if problem is not None:
                return problem, certain
    return None, True


def _repeat(
    cfa: CFA,
    trace: Trace,
    repeat: Repeat,
    state: Values,
    links: Sequence[Link],
    tick: Callable[[], None],
) -> tuple[str | None, bool]:
    """Change `state`, after the first round, to the one after all of them."""
    if repeat.times == 1:
        return None, True
    steps = [_taken(cfa, s) for s in trace.steps[repeat.start : repeat.end]]
    found = after_rounds(cfa, steps, state, repeat.times - 2, links, tick)
    if found.values is None:
        return f"steps {repeat.start + 1} to {repeat.end}: {found.reason}", found.wrong
    state |= found.values
    for edge, inputs in steps:
        after = execute(edge.command, state, inputs)
        if after is None:
            return f"edge {edge.id} cannot be taken in the last round", True
        state |= after
    return None, True


def _taken(cfa: CFA, step: TraceStep) -> TakenEdge:
    edge = cfa.by_id[step.edge]
    return edge, {i: step.inputs.get(i.name, default_value(i.sort)) for i in cfa.edge_inputs(edge)}
