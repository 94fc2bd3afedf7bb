"""Several engines on one input, each in a process of its own; the first certified verdict wins
(DESIGN 3.11).

The first member begins alone; what it says about the input (`api.features`) chooses the others
(`api.members`). At most `cores` members run at a time, the others are stopped (SIGSTOP) and keep
their state. Whose turn it is: one that has found a claim and only states and checks it, else the one
that has had the least processor time for its weight. On several cores the first member is never
stopped. To reproduce a run, everybody gets turns of so many solver calls, one after the other. The
process that supervises them adds nothing to a verdict: each member has checked its own before it
tells it. Verdicts of several properties may come from several members. Where that is asked for it
passes on what members tell each other (`api.relay`).

A member that dies is started once more, one that fails inside is reported and left out, and the
largest one is ended where memory is short; none of this is a verdict. Members that contradict each
other end the run as an internal error.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from math import inf
from multiprocessing.connection import wait
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from obligato.api.given import language_for
from obligato.api.member import LIVES, Member, rank
from obligato.api.members import (
    DETERMINISTIC,
    EXCHANGE,
    members_for,
    named_members,
    own_settings,
    shared_settings,
)
from obligato.api.request import AUTO, Request, from_task, member_log, truth
from obligato.api.supervisor import GO_ON, Child, Ended, Limits, Report, chatter_file, stop_signals
from obligato.api.worker import REASONS, Response, guarded, internal, refusal
from obligato.errors import ConfigError, InputError, InternalError, ObligatoError
from obligato.processes import allowed_cpu_s, useful_cores
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict, summary

if TYPE_CHECKING:
    from obligato.api.relay import Relay

HEAD_START_S = (
    3.0  # processor time of the first member before others start: most inputs need no others
)
HEAD_SHARE = 0.25  # and at most this part of the time limit
TURN_S = 1.0  # processor time of a turn
TURN_CALLS = 2000  # solver calls of a turn, to reproduce a run
EXCHANGES = False  # do members tell each other what they find, if nobody says so?

Work = Callable[[Request, Report], Outcome]


def _relay(asked: bool) -> Relay | None:
    if not asked:
        return None
    from obligato.api.relay import Relay  # which knows terms: only where it is used

    return Relay()


class Portfolio:
    """The members of one request, and what they have found."""

    def __init__(
        self, request: Request, work: Work, on_report: Report, cores: int, method: str
    ) -> None:
        self.settings = dict(request.settings)
        self.counted = truth(DETERMINISTIC, self.settings.pop(DETERMINISTIC, False))
        self.relay = _relay(truth(EXCHANGE, self.settings.pop(EXCHANGE, EXCHANGES)))
        self.request, self.work, self.on_report, self.method = request, work, on_report, method
        self.cores = 1 if self.counted else max(1, cores)
        self.members: list[Member] = []
        self.queue: deque[Member] = deque()
        self.verdicts: dict[str, PropertyVerdict] = {}
        self.finders: dict[str, str] = {}  # who has found them
        self.properties: list[str] = []
        self.asked: dict[str, Any] = {}
        self.notes: list[str] = []
        self.schedule: list[str] = []
        self.head_start = min(
            HEAD_START_S, HEAD_SHARE * min(request.timeout or inf, allowed_cpu_s())
        )
        self.ends = inf if request.timeout is None else monotonic() + request.timeout
        _refuse_single(request)

    @property
    def chooses(self) -> bool:
        """Is the choice of engines left to us?"""
        return self.request.engine in ("", AUTO)

    # -- the run -----------------------------------------------------------------------------------

    def run(
        self, first: tuple[str, ...], limits: Limits, stack: ExitStack
    ) -> tuple[Response | None, str]:
        """The response of the member that settles the run and no reason; or None and why
        nobody does.
        """
        self.stack = stack
        self._enlist(dict.fromkeys(first, 1.0))
        while True:
            self._take_turns()
            running = [m for m in self.members if m.how == "running"]
            if not running and not self.queue:
                return None, "timeout" if all(m.how == "timeout" for m in self.members) else ""
            reached = limits.reached(self._resident())
            if reached == "memory" and self._shed():
                continue
            if reached:
                return None, reached
            winner = self._hear(running, limits.patience())
            if winner is not None:
                return winner.response, ""
            if monotonic() >= self.ends and not any(m.how == "running" for m in self.members):
                return None, "timeout"

    def _enlist(self, weights: Mapping[str, float]) -> None:
        """These are the members, with their weights: those that are not there yet wait for a turn,
        others that have never run leave. The first one stays, and counts as much as the best if the
        weights do not know it.
        """
        gone = [m for m in self.members[1:] if m.name not in weights and m.lives == LIVES]
        self.members = [m for m in self.members if m not in gone]
        self.queue = deque(m for m in self.queue if m not in gone)
        known = {m.name for m in self.members}
        for name in [name for name in weights if name not in known]:
            self.members.append(Member(name))
            self.queue.append(self.members[-1])
        for member in self.members:
            member.weight = weights.get(member.name, member.weight)
        self.members[0].weight = weights.get(self.members[0].name, max(weights.values(), default=1))

    def _hear(self, running: list[Member], patience: float) -> Member | None:
        """Take what the running members report; the one whose response settles the run."""
        ends: dict[Any, Member] = {
            end: m
            for m in running
            if m.child
            for end in (m.child.connection, m.child.process.sentinel)
        }
        ready = wait(list(ends), patience)
        if not ready:
            self._tell("alive", None)
        for member in dict.fromkeys(ends[end] for end in ready):
            assert member.child is not None
            ended = member.child.hear(partial(self._note, member))
            if ended is not None and self._ended(member, ended):
                return member
        return None

    # -- turns -------------------------------------------------------------------------------------

    def _take_turns(self) -> None:
        """Stop members whose turn is over while others should run, and let those run on the free
        cores.
        """
        for member in [m for m in self.members if m.how == "running"]:
            if self._over(member):
                self._signal(member, signal.SIGSTOP, "stopped")
                self.queue.append(member)
        free = self.cores - sum(m.how == "running" for m in self.members)
        while self.queue and free > 0 and monotonic() < self.ends and not self._ahead():
            self._go_on(self._next())
            free -= 1

    def _over(self, member: Member) -> bool:
        """Is the turn of a running member over, and another one's has come? The first member is not
        stopped where others have cores besides.
        """
        if self.counted or member.cpu_s < member.turn_ends:
            return False
        stays = self.chooses and self.cores > 1 and member is self.members[0]
        return not stays and any(rank(m) < rank(member) for m in self.queue)

    def _next(self) -> Member:
        """Take the one whose turn it is from those who wait."""
        chosen = self.queue[0] if self.counted else min(self.queue, key=rank)
        self.queue.remove(chosen)
        return chosen

    def _ahead(self) -> bool:
        """Does the first member still run alone, within its head start?"""
        first = self.members[0]
        return (
            self.chooses
            and not self.counted
            and first.how == "running"
            and first.cpu_s < self.head_start
        )

    def _go_on(self, member: Member) -> None:
        """The member runs: for the first time, or on from where it was stopped."""
        self.schedule.append(member.name)
        if member.child is None:
            member.turn_ends = self.head_start if member is self.members[0] else TURN_S
            member.child, member.how = self._start(member), "running"
            self.on_report("stage", member.name)
        elif self.counted:
            member.child.send(GO_ON)
            member.how = "running"
        else:
            member.turn_ends = member.cpu_s + TURN_S
            self._signal(member, signal.SIGCONT, "running")

    def _start(self, member: Member) -> Child:
        member.lives -= 1
        scout = self.chooses and member is self.members[0]
        log = self.request.log
        own = replace(
            self.request,
            engine="" if scout else member.name,
            settings=self._settings_of(member),
            turn=TURN_CALLS if self.counted else 0,
            exchange=self.relay is not None,
            several=False,
            timeout=None if self.ends == inf else max(0.01, self.ends - monotonic()),
            log=None if log is None else member_log(log, self.members.index(member)),
        )
        child = Child(
            member.name,
            partial(guarded, self.work, own),
            self.method,
            *self.stack.enter_context(chatter_file()),
            () if self.relay is None else self.relay.so_far(member),
        )
        self.stack.callback(child.end)
        return child

    def _settings_of(self, member: Member) -> dict[str, str]:
        names = tuple(m.name for m in self.members)
        return (
            own_settings(member.name, names, self.settings, shared_settings())
            if self.settings
            else {}
        )

    @staticmethod
    def _signal(member: Member, sent: signal.Signals, how: str) -> None:
        """Stop or continue the member with all it has started."""
        assert member.child is not None
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(member.child.process.pid or 0, sent)
        member.how = how

    # -- reports -----------------------------------------------------------------------------------

    def _note(self, member: Member, _: Child, kind: str, data: Any) -> None:
        """Take one report of a member."""
        if kind == "features":
            if self.chooses and member is self.members[0]:
                self._enlist(members_for(data, member.name))
        elif kind == "verdict":
            self._found(data, member.name)
        elif kind == "request":
            # some know the checks already
            self.properties = max(self.properties, data.get("properties", []), key=len)
            self.asked = {**data, **self.asked}
            # the first one may prefer another engine for what it has read
            member.name = data.get("engine", member.name)
        elif kind in ("picture", "lost", "event"):
            self.on_report(kind, data)
        elif kind == "news":
            if self.relay is not None:
                self.relay.passes(member, data, self.members)
        elif kind == "turn":
            member.how = "stopped"  # it waits for a message
            self.queue.append(member)
        else:
            if kind == "stage":
                member.enters(data)
            else:
                member.told["counters"] = data
            self._tell(kind, data)

    def _tell(self, kind: str, data: Any) -> None:
        """Pass a report on: of one engine as it is, of several how all of them are."""
        if sum(m.child is not None for m in self.members) > 1:
            kind, data = "members", [m.shown() for m in self.members]
        self.on_report(kind, data)

    def _found(self, verdict: PropertyVerdict, name: str) -> None:
        """There is a verdict about a property; it must agree with what another member has found."""
        if verdict.verdict is Verdict.UNKNOWN:
            return
        known = self.verdicts.setdefault(verdict.property, verdict)
        # at its end a member says the same again, and more
        if self.finders.setdefault(verdict.property, name) == name:
            self.verdicts[verdict.property] = verdict
        if known.verdict is not verdict.verdict:
            raise InternalError(
                f"{name} says {verdict} about {verdict.property}, another engine says {known}"
            )

    def _ended(self, member: Member, ended: Ended) -> bool:
        """Note how a member ended; does its response settle the run?"""
        if ended.how == "died":
            return self._died(member, ended.detail)
        if ended.how == "timeout":  # its processor time is limited from outside
            member.how = ended.how
            return False
        response: Response = ended.value
        member.response = response
        member.how = response.problem or "done"
        if response.problem == "internal":
            self.notes.append(
                f"{member.name} failed: {response.message} (bundle: {response.bundle or 'none'})"
            )
            return False
        if response.outcome is None:
            # the input is refused, or what is asked for makes no sense
            first = member is self.members[0]
            return first or response.problem == "rejected"  # a claim, by any of them
        self._count(member, response.outcome)
        for verdict in response.outcome.verdicts or (response.outcome,):
            self._found(verdict, member.name)
        if response.outcome.verdict is Verdict.UNKNOWN:
            member.how = str(response.outcome.reason)
        return self._all_known(response.outcome)

    @staticmethod
    def _count(member: Member, outcome: Outcome) -> None:
        """What a member says at its end that it used is more exact than the last sample."""
        assert member.child is not None
        for name in ("cpu_s", "peak_mb"):
            member.child.usage[name] = max(
                member.child.usage.get(name, 0.0), outcome.stats.get(name, 0.0)
            )

    def _all_known(self, outcome: Outcome) -> bool:
        names = [v.property for v in outcome.verdicts] or [outcome.property]
        return all(name in self.verdicts for name in names)

    def _died(self, member: Member, detail: str) -> bool:
        self.notes.append(f"{member.name} died: {detail}")
        member.how, member.child, member.found_at = "died", None, inf
        if member.lives > 0:
            member.how = "waiting"
            self.queue.append(member)
        return False

    # -- memory ------------------------------------------------------------------------------------

    def _resident(self) -> float:
        return sum(
            m.child.sample()
            for m in self.members
            if m.child is not None and m.how in ("running", "stopped")
        )

    def _shed(self) -> bool:
        """End the member that holds most memory, if it is not the last one."""
        alive = [m for m in self.members if m.child is not None and m.how in ("running", "stopped")]
        if len(alive) < 2:
            return False
        largest = max(alive, key=lambda m: m.child.sample() if m.child is not None else 0.0)
        assert largest.child is not None
        largest.child.end()
        largest.how = "memory"
        with suppress(ValueError):
            self.queue.remove(largest)
        return True


def _refuse_single(request: Request) -> None:
    """Refuse options that make sense for one engine only."""
    if request.preset is not None:
        raise ConfigError("a preset belongs to one engine; name it by --engine")
    # a limit: the log is for us, not for the user
    if request.log is not None and request.log_limit is None:
        raise ConfigError("an event log is of one engine; name it by --engine")


def run_portfolio(
    request: Request,
    work: Work,
    on_report: Report = lambda kind, data: None,
    method: str = "fork",
    cores: int | None = None,
    stop: Event | None = None,
) -> Response:
    """Carry out a request whose engine is `auto`, or several with commas between them, within its
    limits for all together.
    """
    try:
        request = from_task(request)
        first = named_members(request.engine or AUTO) or (
            language_for(request.file, request.model).engine,
        )
        portfolio = Portfolio(request, work, on_report, cores or useful_cores(), method)
        start = monotonic()
        with stop_signals(stop) as stopping, ExitStack() as stack:
            response, reached = portfolio.run(
                first, Limits(request.timeout, request.memory, stopping), stack
            )
            return _response(request, portfolio, response, reached, monotonic() - start)
    except InputError as problem:
        return refusal(problem)
    except ConfigError as problem:
        return Response(problem="usage", message=str(problem))
    except ObligatoError as problem:
        return internal(request, problem)


def _response(
    request: Request, portfolio: Portfolio, response: Response | None, reached: str, wall_s: float
) -> Response:
    """The response of the whole portfolio: the winner's, with verdicts that others have found and
    figures of all.
    """
    if response is not None and response.outcome is None:
        return response
    responses = [m.response for m in portfolio.members if m.response is not None]
    outcomes = [a.outcome for a in responses if a.outcome is not None]
    failed = [a for a in responses if a.problem == "internal"]
    if not outcomes and not reached and not portfolio.verdicts and failed:
        return failed[0]
    best = next(iter(outcomes), None) if response is None else response.outcome
    verdicts = _verdicts(portfolio, best, REASONS.get(reached, ""))
    options = (
        portfolio.asked.get("options", dict(request.settings)) if best is None else best.options
    )
    stats = _figures(portfolio, best, wall_s, response is not None)
    asked = str(portfolio.asked.get("property", request.property))
    named = request.engine or stats["portfolio"]["winner"] or AUTO
    notes = portfolio.asked.get("notes", ()) if best is None else best.notes
    return Response(
        summary(
            request.file,
            asked,
            verdicts,
            engine=named,
            seed=request.seed,
            stats=stats,
            options=options,
            notes=(*notes, *portfolio.notes),
            coverage=() if best is None else best.coverage,
        )
    )


def _verdicts(
    portfolio: Portfolio, best: Outcome | None, reason: str
) -> tuple[PropertyVerdict, ...]:
    """One verdict for each property: what any member has found, else why nobody has."""
    names = portfolio.properties or [
        str(portfolio.asked.get("property", portfolio.request.property))
    ]
    if best is not None:
        names = [v.property for v in best.verdicts] or [best.property]
    checks = {} if best is None else {v.property: v.check for v in best.verdicts}
    open_ = {n: reason or _why(portfolio.members, n) for n in names if n not in portfolio.verdicts}
    unknown = {
        n: PropertyVerdict(n, Verdict.UNKNOWN, why, check=checks.get(n)) for n, why in open_.items()
    }
    return tuple(unknown[n] if n in unknown else portfolio.verdicts[n] for n in names)


def _why(members: Sequence[Member], name: str) -> str:
    """Why no member knows about a property: what each of them says about it, else how it ended."""
    reasons: dict[str, list[str]] = {}
    for m in members:
        outcome = None if m.response is None else m.response.outcome
        said = (
            [v.reason for v in outcome.verdicts if v.property == name and v.reason]
            if outcome is not None
            else []
        )
        if said or m.how != "done":
            reasons.setdefault(
                (said[0] if said else m.how).removeprefix("incomplete: "), []
            ).append(m.name)
    return "incomplete: " + "; ".join(
        f"{', '.join(names)}: {how}" for how, names in reasons.items()
    )


def _figures(
    portfolio: Portfolio, best: Outcome | None, wall_s: float, won: bool
) -> dict[str, Any]:
    members = [m.figures() for m in portfolio.members]
    whole = {
        "wall_s": round(wall_s, 3),
        "cpu_s": round(sum(m.get("cpu_s", 0.0) for m in members), 3),
    }
    winner = next(
        (
            m.name
            for m in portfolio.members
            if won and m.response is not None and m.response.outcome is best
        ),
        None,
    )
    known = portfolio.members[0].told.get("counters") or {} if best is None else best.stats
    told = {} if portfolio.relay is None else {"exchange": portfolio.relay.figures}
    return {
        **known,
        **whole,
        "portfolio": {"winner": winner, "members": members, "schedule": portfolio.schedule, **told},
    }
