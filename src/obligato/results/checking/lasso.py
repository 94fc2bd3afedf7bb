"""Is a lasso a fair run that violates a property?
The check that every FALSE about infinite runs passes (DESIGN 4).

The run is simulated on the *original* system by evaluation of its terms, like a finite trace
(`checking.run`): constraints hold at every step of stem and loop, and the last step leads back to
the state where the loop begins. Every fairness set is taken on the loop. Justice: so is every set
of the property. A temporal formula is evaluated on the lasso directly (`holds_on`).

A reduction may have lost variables that matter for nothing. Going round the loop again (up to
`MAX_STEPS` steps in all) may bring them back, too: then that is the loop. If not, the loop must
close in all variables on which constraints, fairness and property depend, now or later (`_cone`);
the others follow by functions, so that the run goes on for ever all the same.

A lasso of more than `MAX_STEPS` steps is followed without keeping its states
(`checking.long_lasso`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from obligato.models.live_claims import Lasso
from obligato.models.ltl import Formula
from obligato.models.properties import Justice, LiveProperty, formulas_of
from obligato.models.stepping import can_step
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.checking.long_lasso import LongRun
from obligato.results.checking.run import Rejected, Simulation, Values
from obligato.results.checking.solving import Link
from obligato.results.checking.status import TraceStatus
from obligato.terms import Op, Term, Value, evaluate, postorder

MAX_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class LassoCheck:
    """The result; a confirmed lasso is complete unless it is long.
    `open`: the variables in which its loop does not close."""

    status: TraceStatus
    reason: str = ""
    trace: Lasso | None = None
    violated: str = ""
    open: tuple[str, ...] = ()


def check_lasso(
    system: TransitionSystem,
    p: LiveProperty,
    lasso: Lasso,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> LassoCheck:
    """Simulate `lasso` on the original `system` and judge it by the property `p`."""
    if not 0 <= lasso.loop < len(lasso.steps):
        return LassoCheck(TraceStatus.REJECTED, "the loop does not begin within the lasso")
    try:
        if len(lasso.steps) > MAX_STEPS and can_step(system):
            return _check_long(system, p, lasso, Simulation(system, links, tick))
        return _Replay(system, p, lasso, Simulation(system, links, tick)).check()
    except Rejected as problem:
        return LassoCheck(TraceStatus.REJECTED, str(problem))


def loop_of(
    system: TransitionSystem,
    trace: SystemTrace,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> int | None:
    """The first step of a run in whose state its last step ends; None: there is none."""
    simulation = Simulation(system, links, tick)
    try:
        state, seen = simulation.initial(trace.steps[0]), dict[tuple[Value, ...], int]()
        for n, step in enumerate(trace.steps):
            seen.setdefault(tuple(state.values()), n)
            now, memo = simulation.allowed(state, step, n)
            follow = trace.steps[n + 1] if n + 1 < len(trace.steps) else SystemStep()
            state = simulation.following(now, follow, memo, n)
    except (Rejected, IndexError):
        return None
    return seen.get(tuple(state.values()))


def _check_long(
    system: TransitionSystem, p: LiveProperty, lasso: Lasso, simulation: Simulation
) -> LassoCheck:
    run = LongRun(system, lasso, [*system.fairness, *formulas_of(p)], simulation)
    run.follow()
    _judge(system, p, run.truths, len(lasso.steps), lasso.loop)
    return LassoCheck(TraceStatus.CONFIRMED, "", lasso, p.name)


class _Replay:
    def __init__(
        self, system: TransitionSystem, p: LiveProperty, lasso: Lasso, simulation: Simulation
    ) -> None:
        self.system, self.p, self.lasso, self.simulation = system, p, lasso, simulation
        self.watched = [*system.fairness, *formulas_of(p)]
        self.steps: list[SystemStep] = []
        self.truths: list[list[bool]] = []  # of `watched`, by step

    def check(self) -> LassoCheck:
        """Go to the loop, round it until it closes, then judge."""
        state = self.simulation.initial(self.lasso.steps[0])
        state = self._go(state, 0, self.lasso.loop)
        loop, open_ = self._close(state)
        _judge(self.system, self.p, list(zip(*self.truths, strict=True)), len(self.steps), loop)
        return LassoCheck(
            TraceStatus.CONFIRMED, "", Lasso(tuple(self.steps), loop), self.p.name, open_
        )

    def _go(self, state: Values, first: int, last: int) -> Values:
        """The state after the steps number first .. last - 1 of the lasso."""
        for n in range(first, last):
            now, memo = self.simulation.allowed(state, self.lasso.steps[n], len(self.steps))
            self.truths.append([bool(evaluate(f, now, memo)) for f in self.watched])
            state = self.simulation.following(now, self._following(n), memo, len(self.steps))
            self.steps.append(self.simulation.described(now))
        return state

    def _following(self, n: int) -> SystemStep:
        """The step after number n, where the lasso has to say what its state is."""
        if self.system.next is not None and len(self.steps) >= len(self.lasso.steps) - 1:
            return SystemStep()  # the last step of a round, or a later round
        return self.lasso.steps[n + 1 if n + 1 < len(self.lasso.steps) else self.lasso.loop]

    def _close(self, state: Values) -> tuple[int, tuple[str, ...]]:
        """Where the loop begins after all, and the variables in which it does not close."""
        seen = {tuple(state.values()): len(self.steps)}
        first = state
        after = state = self._go(state, self.lasso.loop, len(self.lasso.steps))
        once = len(self.steps)
        while tuple(state.values()) not in seen and len(self.steps) < MAX_STEPS:
            seen[tuple(state.values())] = len(self.steps)
            state = self._go(state, self.lasso.loop, len(self.lasso.steps))
        if tuple(state.values()) in seen:
            return seen[tuple(state.values())], ()
        del self.steps[once:], self.truths[once:]
        cone = _cone(self.system, self.watched)
        wrong = [x.name for x in self.system.state if first[x] != after[x] and x in cone]
        if wrong:
            raise Rejected(f"the loop does not close: {wrong[0]} has another value after it")
        return self.lasso.loop, tuple(x.name for x in self.system.state if first[x] != after[x])


def _judge(
    system: TransitionSystem, p: LiveProperty, rows: Sequence[Sequence[int]], length: int, loop: int
) -> None:
    """Is the run fair, and does it violate the property?
    Each row says where a fairness set or formula of `p` is true."""
    fair = len(system.fairness)
    taken = [any(row[loop:]) for row in rows]
    if not all(taken[:fair]):
        raise Rejected(f"fairness set {taken.index(False)} is not taken on the loop")
    if isinstance(p, Justice):
        if not all(taken[fair:]):
            raise Rejected(f"set {taken[fair:].index(False)} of {p.name} is not taken on the loop")
        return
    values = {f: [bool(x) for x in row] for f, row in zip(formulas_of(p), rows[fair:], strict=True)}
    if holds_on(p.formula, values, length, loop)[0]:
        raise Rejected(f"the run satisfies {p.name}")


def _cone(system: TransitionSystem, formulas: Sequence[Term]) -> dict[Term, None]:
    """The variables on which the formulas and constraints depend, now or later;
    all where that is not known."""
    next_ = system.next
    if next_ is None or system.trans is not functional(system.store, next_):
        return dict.fromkeys(system.state)
    seen: dict[Term, None] = {}
    pending = [*system.constraints, *formulas]
    while pending:
        pending = [next_[t] for t in postorder(pending, seen) if t.op is Op.VAR and t in next_]
    return seen


def holds_on(f: Formula, values: dict[Term, list[bool]], length: int, loop: int) -> list[bool]:
    """Where the formula holds on a lasso of so many steps, given where its atoms do."""
    if f.atom is not None:
        return values[f.atom]
    parts = [holds_on(a, values, length, loop) for a in f.args]
    yes, no = [True] * length, [False] * length
    both: Any = zip(*parts, strict=True)
    match f.op:
        case "true" | "false":
            return yes if f.op == "true" else no
        case "!":
            return [not a for a in parts[0]]
        case "&":
            return [a and b for a, b in both]
        case "|":
            return [a or b for a, b in both]
        case "->":
            return [b or not a for a, b in both]
        case "<->" | "xor":
            return [(a is b) is (f.op == "<->") for a, b in both]
        case "X":
            return [*parts[0][1:], parts[0][loop]]
        case "F":
            return _until(yes, parts[0], loop)
        case "G":
            return [not a for a in _until(yes, [not a for a in parts[0]], loop)]
        case "U":
            return _until(parts[0], parts[1], loop)
        case "W":
            always = [not a for a in _until(yes, [not a for a in parts[0]], loop)]
            return [a or b for a, b in zip(always, _until(parts[0], parts[1], loop), strict=True)]
        case "R":
            return [
                not a for a in _until([not a for a in parts[0]], [not b for b in parts[1]], loop)
            ]
    raise Rejected(f"unknown operator {f.op}")


def _until(first: list[bool], last: list[bool], loop: int) -> list[bool]:
    """At which steps of a lasso does `first U last` hold? Computed from the end back, the loop
    twice: what holds where the loop begins holds behind its end.
    """
    out, following = [False] * len(first), False
    for stop in (loop, 0):
        for n in range(len(first) - 1, stop - 1, -1):
            out[n] = following = last[n] or (first[n] and following)
    return out
