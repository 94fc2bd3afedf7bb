"""The supervisor ends whatever it started, for whatever reason, and passes on what the child
said.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from obligato.api.supervisor import Channel, Child, Report, supervise, supervise_all


def test_the_value_and_the_reports_arrive() -> None:
    seen: list[tuple[str, Any]] = []

    def task(report: Report) -> int:
        report("progress", {"n": 1})
        report("stage", "two")
        return 42

    ended = supervise(task, on_report=lambda kind, data: seen.append((kind, data)))
    said = [message for message in seen if message[0] != "alive"]
    assert (ended.how, ended.value, said) == (
        "done",
        42,
        [("progress", {"n": 1}), ("stage", "two")],
    )


def hang(report: Report) -> None:
    signal.pause()


def hang_with_child(report: Report) -> None:
    grandchild = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    report("pids", [os.getpid(), grandchild.pid])
    signal.pause()


def grow(report: Report) -> None:
    hoard = []
    while True:
        hoard.append(bytearray(b"x") * 10_000_000)


def crash(report: Report) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def use_up_processor_time(report: Report) -> None:
    os.kill(os.getpid(), signal.SIGXCPU)


def stop_parent(report: Report) -> None:
    os.kill(os.getppid(), signal.SIGTERM)
    signal.pause()


@pytest.mark.parametrize(
    ("task", "limits", "how"),
    [
        (hang, {"timeout": 0.1}, "timeout"),
        (grow, {"memory_mb": 400}, "memory"),
        (crash, {}, "died"),
        (stop_parent, {}, "stopped"),
        (use_up_processor_time, {}, "timeout"),
    ],
)
def test_every_end_is_told_apart(
    task: Callable[[Report], None], limits: dict[str, Any], how: str
) -> None:
    handlers = [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)]
    ended = supervise(task, **limits)
    assert ended.how == how
    assert [signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_crash_names_its_signal() -> None:
    assert supervise(crash).detail == "killed by SIGKILL"


def test_no_descendant_survives() -> None:
    pids: list[int] = []

    def stop(kind: str, data: Any) -> None:
        if kind == "pids":
            pids.extend(data)
            os.kill(os.getpid(), signal.SIGINT)

    assert supervise(hang_with_child, on_report=stop).how == "stopped"
    assert len(pids) == 2
    assert [p for p in pids if alive(p)] == []


def alive(pid: int) -> bool:
    """Is there such a process that is not a zombie?"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ask_and_answer(channel: Channel) -> list[int]:
    """Tell a number, wait for two from elsewhere."""
    channel("number", os.getpid())
    got: list[int] = []
    while len(got) < 2:
        got += channel.inbox()
        signal.sigtimedwait([signal.SIGUSR1], 0.01)
    return got


def test_several_children_hear_of_each_other() -> None:
    told: dict[str, int] = {}
    kept: dict[str, Child] = {}

    def pass_on(child: Child, kind: str, data: Any) -> None:
        kept[child.name] = child
        if kind == "number":
            told[child.name] = data
        if len(told) == 3 and kind == "number":
            for receiver in kept.values():
                for name, number in told.items():
                    assert name == receiver.name or receiver.send(number)

    ended = supervise_all(dict.fromkeys("abc", ask_and_answer), on_report=pass_on, timeout=60)
    assert {name: e.how for name, e in ended.items()} == dict.fromkeys("abc", "done")
    for name, e in ended.items():
        assert sorted(e.value) == sorted(number for other, number in told.items() if other != name)


def wait_for_mail(channel: Channel) -> int:
    channel("here", None)
    while not channel.inbox():
        signal.sigtimedwait([signal.SIGUSR1], 0.01)
    return 1


def test_the_first_good_answer_ends_the_others() -> None:
    """The quick child answers when the slow one is known to run."""
    pids: list[int] = []
    waiting: list[Child] = []

    def note(child: Child, kind: str, data: Any) -> None:
        if kind == "pids":
            pids.extend(data)
        elif kind == "here":
            waiting.append(child)
        if pids and waiting:
            waiting.pop().send("go")

    tasks = {"slow": hang_with_child, "quick": wait_for_mail, "bad": crash}
    ended = supervise_all(tasks, on_report=note, timeout=60, enough=lambda e: e.how == "done")
    assert (ended["quick"].how, ended["quick"].value, ended["slow"].how) == ("done", 1, "outrun")
    assert [p for p in pids if alive(p)] == []


def test_a_child_that_does_not_read_stops_nobody() -> None:
    """Its messages are dropped."""
    answers: list[bool] = []

    def flood(child: Child, kind: str, data: Any) -> None:
        if kind == "pids":
            answers.extend([child.send(bytes(1000)) for _ in range(1000)])
            os.kill(os.getpid(), signal.SIGINT)

    assert supervise_all({"deaf": hang_with_child}, on_report=flood)["deaf"].how == "stopped"
    assert answers[0] and not answers[-1]
