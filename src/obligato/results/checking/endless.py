"""Is an infinite run one? The check of lassos and recurrence sets (`models.rank_claims.Endless`).

The steps are executed on the CFA of the untouched program, by evaluation,
and replayed by the interpreter. Then

    lasso        the loop leads back to its first location, and the state after it equals the state
                 before it in all variables that its guards depend on, directly or through what its
                 steps assign, in this round or a later one: so the same edges with the same inputs
                 can be taken again, for ever. An accepting location is on the loop. (If another
                 variable differs, the run is LOST: nothing is known about it.)
    recurrence   the last state is in the set of its location, and G_c implies E(c) for every set
                 G_c, where E(c) says that some way from c, with the given inputs, arrives in a set:
                 of an edge its weakest existential precondition, of a location the disjunction of
                 its edges, of a location with a set that set. Such locations are accepting.

A run that uses an over-approximation shows nothing;
neither does one that reaches a limit, which has no way on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Trace, TraceStep
from obligato.models.execution import State, execute
from obligato.models.gcl import Assign, Assume, Choice, Command, Seq, Tagged, is_choice_free, walk
from obligato.models.rank_claims import BuchiCFA, Endless
from obligato.results.checking.obligations import reserve
from obligato.results.checking.solving import UNKNOWN, UNSAT, Link, Questions
from obligato.results.checking.trace import Replay, TraceCheck, TraceStatus
from obligato.terms import BOOL, Kind, Term, TermStore, Value, default_value, evaluate, free_vars
from obligato.terms.store import rebuild


def check_endless(
    problem: BuchiCFA,
    claim: Endless,
    replay: Replay,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> TraceCheck:
    """Check the claim; `trace` of the result has the state after each step.
    What is wrong with it is REJECTED."""
    cfa = problem.cfa
    wrong = _misshapen(problem, claim)
    if wrong is not None:
        return TraceCheck(TraceStatus.REJECTED, wrong)
    states, found = walked(cfa, claim.trace, replay, tick)
    trace = found.trace
    if found.status is not TraceStatus.CONFIRMED:
        return found
    if claim.sets:
        status, reason = _recurs(problem, claim, states[-1], links, tick)
        return TraceCheck(status, reason, trace)
    different = _differing(cfa, claim, states)
    if different:
        return TraceCheck(TraceStatus.LOST, f"the loop changes {different[0].name}", trace)
    return found


def walked(
    cfa: CFA, trace: Trace, replay: Replay, tick: Callable[[], None]
) -> tuple[list[State], TraceCheck]:
    """The states of a run, executed and replayed, without over-approximations; CONFIRMED: there is
    one with these steps.
    """
    for edge in (cfa.by_id[s.edge] for s in trace.steps):
        if edge.approximates is not None:
            reason = f"over-approximation used: {edge.approximates} ({edge.span})"
            return [], TraceCheck(TraceStatus.LIMITED, reason)
    states, wrong = _executed(cfa, trace, tick)
    if wrong is not None:
        return states, TraceCheck(TraceStatus.REJECTED, wrong)
    full = _with_states(cfa, trace, states)
    wrong = replay(full)
    if wrong is not None:
        return states, TraceCheck(TraceStatus.REJECTED, wrong, full)
    return states, TraceCheck(TraceStatus.CONFIRMED, trace=full)


def _misshapen(problem: BuchiCFA, claim: Endless) -> str | None:
    """Why the steps are no path with a loop, or the sets no sets of states."""
    cfa, here, visited = problem.cfa, problem.cfa.initial, [problem.cfa.initial]
    for n, step in enumerate(claim.trace.steps, 1):
        edge = cfa.by_id.get(step.edge)
        if edge is None or edge.source != here:
            return f"step {n}: edge {step.edge} does not start at {cfa.locations[here].name}"
        here = edge.target
        visited.append(here)
    if claim.trace.repeats or not all(
        is_choice_free(cfa.by_id[s.edge].command) for s in claim.trace.steps
    ):
        return "rounds of a run for ever are not written once, and its steps choose nothing"
    if claim.sets:
        return _misshapen_sets(problem, claim, here)
    if not 0 <= claim.loop < len(claim.trace.steps) or visited[claim.loop] != here:
        return "the last step does not lead back to the loop"
    if not any(map(problem.accepts, visited[claim.loop :])):
        return "no accepting location is on the loop"
    return None


def _misshapen_sets(problem: BuchiCFA, claim: Endless, here: int) -> str | None:
    sorts = {v.name: v.sort for v in problem.cfa.variables}
    if here not in claim.sets:
        return "the run ends at a location without a set"
    for location, formula in claim.sets.items():
        if location not in problem.cfa.locations or not problem.accepts(location):
            return f"location {location} cannot have a set"
        if formula.sort is not BOOL or any(
            sorts.get(v.name) is not v.sort for v in free_vars(formula)
        ):
            return "a set is no formula over the variables of the program"
    return None


def _executed(cfa: CFA, trace: Trace, tick: Callable[[], None]) -> tuple[list[State], str | None]:
    """The states before the first and after each step; or why a step cannot be taken."""
    states: list[State] = [
        {v: trace.initial.get(v.name, default_value(v.sort)) for v in cfa.variables}
    ]
    for n, step in enumerate(trace.steps, 1):
        tick()
        edge = cfa.by_id[step.edge]
        inputs = {i: step.inputs.get(i.name, default_value(i.sort)) for i in cfa.edge_inputs(edge)}
        after = execute(edge.command, states[-1], inputs)
        if after is None:
            return states, f"step {n}: edge {edge.id} cannot be taken"
        states.append(after)
    return states, None


def _with_states(cfa: CFA, trace: Trace, states: Sequence[State]) -> Trace:
    """The trace with all its inputs and what each step changes."""
    steps = []
    for step, after in zip(trace.steps, states[1:], strict=True):
        edge = cfa.by_id[step.edge]
        inputs = {
            i.name: step.inputs.get(i.name, default_value(i.sort)) for i in cfa.edge_inputs(edge)
        }
        changed = {
            x.name: after[x]
            for c in walk(edge.command)
            if isinstance(c, Assign)
            for x, _ in c.pairs
        }
        steps.append(TraceStep(edge.id, inputs, changed))
    return Trace({v.name: value for v, value in states[0].items()}, tuple(steps))


def _differing(cfa: CFA, claim: Endless, states: Sequence[State]) -> list[Term]:
    """The variables that matter for going round again and do not have the same value before and
    after the loop."""
    edges = [cfa.by_id[s.edge] for s in claim.trace.steps[claim.loop :]]
    return [
        x
        for x in needed_again(edges, {})
        if x in states[-1] and states[claim.loop][x] != states[-1][x]
    ]


def as_recurrence(problem: BuchiCFA, claim: Endless) -> Endless | None:
    """A lasso that is LOST, stated with a recurrence set: where the loop begins, the variables that
    it does not change have their values, and inputs those that they have on the loop. A solver may
    see that the others do not matter.  None if an input has several values. It is a new claim, to
    be checked as such.
    """
    cfa, steps = problem.cfa, claim.trace.steps
    states, wrong = _executed(cfa, claim.trace, lambda: None)
    values: dict[str, Value] = {}
    for name, value in (pair for s in steps[claim.loop :] for pair in s.inputs.items()):
        if values.setdefault(name, value) != value:
            return None
    start = cfa.by_id[steps[claim.loop].edge].source
    if wrong is not None or not problem.accepts(start):
        return None
    before, store = states[claim.loop], cfa.store
    plain = {
        x: v for x, v in before.items() if v == states[-1][x] and x.sort.kind is not Kind.ARRAY
    }
    same = [store.eq(x, store.const(v, x.sort)) for x, v in plain.items()]
    return Endless(
        replace(claim.trace, steps=steps[: claim.loop]),
        claim.loop,
        {start: store.and_(*same)},
        values,
    )


def needed_again(edges: Sequence[Edge], observed: Mapping[Term, None]) -> dict[Term, None]:
    """The variables whose values at the beginning decide whether these edges can be taken, again
    and again, and what values the `observed` variables have after each of them."""
    found: dict[Term, None] = {}
    while True:
        more = dict(found)
        for edge in reversed(edges):
            more = _needed_before(edge.command, {**more, **observed})
        if more.keys() <= found.keys():
            return found
        found |= more


def _needed_before(command: Command, after: Mapping[Term, None]) -> dict[Term, None]:
    """What must be known before a command to know its guards and the variables `after` it."""
    needed = dict(after)
    for c in reversed([c for c in walk(command) if isinstance(c, Assume | Assign)]):
        if isinstance(c, Assume):
            needed |= free_vars(c.condition)
        else:
            values = [e for x, e in c.pairs if x in needed]
            for x, _ in c.pairs:
                needed.pop(x, None)
            needed |= free_vars(*values)
    return needed


def _recurs(
    problem: BuchiCFA, claim: Endless, last: State, links: Sequence[Link], tick: Callable[[], None]
) -> tuple[TraceStatus, str]:
    """Is the last state in its set, and does every state of a set have a way into a set?"""
    here = (
        problem.cfa.by_id[claim.trace.steps[-1].edge].target
        if claim.trace.steps
        else problem.cfa.initial
    )
    if not evaluate(
        claim.sets[here],
        {v: last[x] for v in free_vars(claim.sets[here]) for x in last if x.name == v.name},
    ):
        return TraceStatus.REJECTED, "the run does not end in the set"
    ways = _Ways(problem.cfa, claim.sets, claim.values)
    for location in claim.sets:
        with closing(Questions(links, [ways.sets[location]], tick)) as questions:
            # G_c and not E(c): unsat - every state of the set has a way into a set;
            # sat - one has none   (required)
            reply = questions.ask([ways.store.not_(ways.leave(location))], "certify")
        if reply.result is not UNSAT:
            status = TraceStatus.UNKNOWN if reply.result is UNKNOWN else TraceStatus.REJECTED
            return (
                status,
                f"the set at {problem.cfa.locations[location].name} is not closed {reply.reason}".strip(),
            )
    return TraceStatus.CONFIRMED, ""


class _Ways:
    """E(c) of `check_endless`, in a store of its own;
    a loop without a set has no way out, which claims too little."""

    def __init__(self, cfa: CFA, sets: Mapping[int, Term], values: Mapping[str, Value]) -> None:
        self.cfa, self.store = cfa, TermStore.raw()
        reserve(self.store, cfa.variables)
        self.sets = {loc: rebuild(f, self.store, {}) for loc, f in sets.items()}
        self.inputs = {
            i: self.store.const(values.get(i.name, default_value(i.sort)), i.sort)
            for i in cfa.inputs
        }
        self._arrive: dict[int, Term] = dict(self.sets)

    def leave(self, location: int) -> Term:
        """Some edge leads from `location` to where a set is reached."""
        return self.store.or_(
            *(
                self._before(e.command, self.arrive(e.target))
                for e in self.cfa.out(location)
                if e.approximates is None
            )
        )

    def arrive(self, location: int) -> Term:
        """The state at `location` is in its set, or has a way into one."""
        if location not in self._arrive:
            self._arrive[location] = self.store.false
            self._arrive[location] = self.leave(location)
        return self._arrive[location]

    def _before(self, command: Command, after: Term) -> Term:
        """The weakest existential precondition of a command under the given inputs."""
        match command:
            case Assume():
                return self.store.and_(
                    rebuild(command.condition, self.store, dict(self.inputs)), after
                )
            case Assign():
                new = {
                    self.store.leaf(x): rebuild(e, self.store, dict(self.inputs))
                    for x, e in command.pairs
                }
                return rebuild(after, self.store, dict(new))
            case Seq():
                for part in reversed(command.parts):
                    after = self._before(part, after)
                return after
            case Choice():
                return self.store.or_(*(self._before(b, after) for b in command.branches))
            case Tagged():
                return self._before(command.command, after)
