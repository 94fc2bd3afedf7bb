"""The comparison of event logs before and after a change (benchmarks/same_events.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.same_events import difference, main, tasks

TRUE = "true"


def test_logs_are_compared_to_the_byte() -> None:
    assert difference(["a", "b", TRUE], ["a", "b", TRUE]) is None
    assert difference(["a", "b", TRUE], ["a", "c", TRUE]) == "line 2: b\n  but c"
    assert difference(["a", TRUE], ["a", "b", TRUE]) == "line 2: true\n  but b"


def test_stopped_runs_are_compared_as_far_as_both_go() -> None:
    assert difference(["a", "b", "unknown"], ["a", TRUE]) is None
    assert difference(["a", "b", "unknown"], ["x", TRUE]) == "line 1: a\n  but x"


def test_another_log_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, text in (("before", "a\ntrue\n"), ("after", "b\ntrue\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.log").write_text("a\ntrue\n")
        (tmp_path / folder / "other.log").write_text(text)
    folders = [str(tmp_path / "before"), str(tmp_path / "after")]
    monkeypatch.setattr(sys, "argv", ["same_events", "compare", *folders])
    assert main() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 2 logs are the same"


def test_tasks_are_taken_evenly() -> None:
    everything = tasks("vmt", "ic3ia", 10**6, 2)
    some = tasks("vmt", "ic3ia", 5, 2)
    assert len(some) == 5 and some == [everything[i * len(everything) // 5] for i in range(5)]
