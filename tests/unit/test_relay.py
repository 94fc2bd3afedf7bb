"""What members of a portfolio tell each other: who gets it, in which order, and what becomes of those
that die while they talk. The work of the members is made up here.
"""

from __future__ import annotations

import os
import signal
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from obligato.api.member import Member
from obligato.api.portfolio import run_portfolio
from obligato.api.relay import LONGEST, MOST, Relay
from obligato.api.request import Request
from obligato.api.supervisor import Channel
from obligato.api.worker import verify_work
from obligato.models.facts import Bound, Fact
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict
from tests.support.exchanges import circle_and_delay
from tests.unit.test_portfolio import FOREVER, Works, played, said

FACT, OTHER, BOUND = Fact("(< x 3)", 7), Fact("(< y 3)"), Bound(9, ("p",))
ON = {"exchange": "true"}


def answered(request: Request, heard: list[Any]) -> Outcome:
    """A proof; its statistics say what was heard."""
    outcome = said(request, PropertyVerdict("p", Verdict.TRUE))
    outcome.stats["heard"] = heard
    return outcome


def talks(request: Request, report: Channel) -> Outcome:
    """A member that tells all it knows, and never ends."""
    report("news", [FACT, OTHER])
    report("news", [BOUND])
    for _ in range(FOREVER):
        pass
    raise AssertionError


def listens(request: Request, report: Channel) -> Outcome:
    """A member that answers when it has heard of a bound."""
    heard: list[Any] = []
    while BOUND not in heard:
        heard += [n for message in report.inbox() for n in message]
    return answered(request, heard)


@pytest.mark.parametrize("works", [{"ic3": talks, "bmc": listens}, {"ic3": listens, "bmc": talks}])
def test_news_reach_those_that_run_and_those_that_begin_later(
    works: Works, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("obligato.api.portfolio.HEAD_START_S", 0.1)
    monkeypatch.setattr("obligato.api.portfolio.TURN_S", 0.05)
    for cores in (1, 2):
        outcome = played(works, monkeypatch, tmp_path, settings=ON, cores=cores).outcome
        assert outcome.stats["heard"] == [FACT, OTHER, BOUND]
        assert outcome.stats["portfolio"]["exchange"] == {"facts": 2, "bounds": 1, "dropped": 0}


def test_nothing_is_passed_on_unless_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def hears_nothing(request: Request, report: Channel) -> Outcome:
        assert not request.exchange
        report("news", [FACT])
        return answered(request, report.inbox())

    works: Works = {"ic3": hears_nothing, "bmc": hears_nothing}
    outcome = played(works, monkeypatch, tmp_path, settings={"exchange": "off"}).outcome
    assert outcome.stats["heard"] == [] and "exchange" not in outcome.stats["portfolio"]
    answer = played(works, monkeypatch, tmp_path, settings={"exchange": "maybe"})
    assert answer.problem == "usage" and "exchange is true or false" in answer.message


def half_a_message(request: Request, report: Channel) -> Outcome:
    """A member that is killed while it talks."""
    report("news", [FACT])
    os.write(report._connection.fileno(), struct.pack("!i", 5000) + b"half of it")
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def hears_of(request: Request, report: Channel) -> Outcome:
    """A member that answers when it has heard as often as a member begins."""
    heard: list[Any] = []
    while heard.count(FACT) < 2:
        heard += [n for message in report.inbox() for n in message]
    return answered(request, heard)


def test_a_member_that_dies_in_the_middle_of_a_message_harms_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works: Works = {"ic3": half_a_message, "bmc": hears_of}
    outcome = played(works, monkeypatch, tmp_path, settings=ON).outcome
    assert outcome.verdict is Verdict.TRUE and outcome.stats["heard"] == [FACT, FACT]
    assert [note.partition(":")[0] for note in outcome.notes] == ["ic3 died"] * 2


def in_turn(name: str, turns: int) -> Any:
    """A member that tells something in each turn, and after so many says when it heard what."""

    def work(request: Request, report: Channel) -> Outcome:
        heard = []
        for n in range(turns):
            heard.append([m.formula for message in report.inbox() for m in message])
            report("news", [Fact(f"{name}{n}")])
            report.turn()
        return answered(request, heard)

    return work


def test_in_counted_turns_everything_is_heard_at_the_same_time_in_every_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    works: Works = {"ic3": in_turn("a", 9), "ic3ia": in_turn("b", 3), "bmc": in_turn("c", 9)}
    given = {"exchange": "true", "deterministic": "true"}
    for _ in range(2):
        outcome = played(works, monkeypatch, tmp_path, settings=given).outcome
        assert outcome.stats["heard"] == [["a0"], ["c0", "a1"], ["c1", "a2"]]


class Deaf:
    """A child that takes so many messages."""

    def __init__(self, room: int) -> None:
        self.room, self.got = room, list[Any]()

    def send(self, message: Any) -> bool:
        self.got += [message] if len(self.got) < self.room else []
        return bool(self.got) and self.got[-1] is message


def test_there_are_limits() -> None:
    members = [Member(name, child=cast(Any, Deaf(room))) for name, room in (("a", 9), ("b", 1))]
    relay, late = Relay(), Member("late")
    relay.passes(members[0], [FACT, Fact("x" * (LONGEST + 1))], [*members, late])
    relay.passes(members[0], [OTHER], [*members, late])
    assert cast(Any, members[1].child).got == [[FACT]] and cast(Any, members[0].child).got == []
    assert relay.so_far(late) == [[FACT], [OTHER]] and relay.so_far(members[0]) == []
    assert relay.figures == {"facts": 2, "bounds": 0, "dropped": 2}
    relay.passes(members[1], [Fact(str(n)) for n in range(2 * MOST)], [])
    assert relay.figures == {"facts": 2 + MOST, "bounds": 0, "dropped": 2 + MOST}
    done = Member("done", child=cast(Any, Deaf(9)), response=cast(Any, SimpleNamespace()))
    relay.passes(members[0], [BOUND], [done])
    assert cast(Any, done.child).got == [] and relay.figures["bounds"] == 1


@pytest.mark.parametrize(("exchange", "winner"), [("true", "kinduction"), ("false", "ic3ia")])
def test_a_portfolio_proves_by_what_one_tells_the_other(
    exchange: str, winner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In counted turns, each short; `kinduction` does not prove this alone."""
    monkeypatch.setattr("obligato.api.portfolio.TURN_CALLS", 130)
    monkeypatch.setattr("obligato.engines.exchange.EVERY", 20)
    monkeypatch.setattr("obligato.engines.exchange.Exchange.allowance", lambda self, env: 100)
    settings = {
        "deterministic": "true",
        "exchange": exchange,
        "kinduction.invariants": "false",
        "kinduction.distinct": "false",
    }
    request = Request(
        "made-up.vmt", "ic3ia,kinduction", settings=settings, model=circle_and_delay(), timeout=120
    )
    outcome = run_portfolio(request, verify_work).outcome
    assert outcome is not None and outcome.verdict is Verdict.TRUE
    told = outcome.stats["portfolio"]
    assert told["winner"] == winner
    if exchange == "true":
        assert told["exchange"]["facts"] > 0
        assert told["members"][1]["facts_kept"] == told["members"][1]["facts_arrived"] > 0
