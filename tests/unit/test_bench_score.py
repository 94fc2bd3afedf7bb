"""Scores, tables, answers of tools, curves of plots, comparison of two benchmarks."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from obligato.bench import plots, tables
from obligato.bench.compare import compare_runs, comparison_text
from obligato.bench.limited import Ended, Limits
from obligato.bench.peers import abc
from obligato.bench.plots import quantile_points, scatter_points
from obligato.bench.score import Result, rows
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, Tool, any_command, obligato, shortened
from obligato.errors import ConfigError

LIMITS = (Limits(60, 180, 2000), Limits(60, 180, 2000))


def result(
    task: str, status: str, expected: str | None = "true", cpu: float = 1.0, category: str = "c"
) -> Result:
    return Result(task, "tool", status, "", expected, category, cpu, cpu, 10.0)


@pytest.mark.parametrize(
    ("status", "expected", "score", "column"),
    [
        ("true", "true", 2, "true"),
        ("false", "false", 1, "false"),
        ("true", "false", -32, "wrong"),
        ("false", "true", -16, "wrong"),
        ("unknown", "true", 0, "unknown"),
        ("timeout", "false", 0, "timeout"),
        ("refused", "true", 0, "refused"),
        ("true", None, 2, "true"),
    ],
)
def test_scores(status: str, expected: str | None, score: int, column: str) -> None:
    r = result("t", status, expected)
    assert (r.score, r.column) == (score, column)


def test_table() -> None:
    runs = [
        result("1", "true"),
        result("2", "false", "false", 3.0),
        result("3", "true", "false", 5.0, "d"),
        result("4", "memory", "true", 60.0, "d"),
    ]
    c, d, total = rows(runs)
    assert (c.label, c.tasks, c.score, c.solved_cpu_s) == ("c", 2, 3, 4.0)
    assert (d.counts["wrong"], d.counts["memory"], d.counts["true"], d.score) == (1, 1, 0, -32)
    assert (total.label, total.tasks, total.score, total.cpu_s) == ("all", 4, -29, 69.0)
    assert "wrong: tool on 3: true, expected false" in tables.notable_text(runs)
    assert tables.text(runs).splitlines()[-1].split()[0] == "all" and tables.markdown(
        runs
    ).startswith("| tool |")


def test_quantile_curve_starts_at_what_wrong_results_cost() -> None:
    runs = [
        result("1", "true", cpu=5),
        result("2", "false", "false", 2),
        result("3", "false", cpu=1),
        result("4", "timeout"),
    ]
    assert quantile_points(runs) == [(-15, 2), (-13, 5)]


def test_without_matplotlib_there_are_no_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    assert (
        plots.draw([result("1", "true")], 60.0, tmp_path) == [] and list(tmp_path.iterdir()) == []
    )
    assert "pip install 'obligato[bench]'" in plots.missing()


def test_scatter_puts_the_unsolved_beyond_the_limit() -> None:
    a = [
        result("1", "true", cpu=5),
        result("2", "timeout"),
        result("3", "timeout"),
        result("4", "true"),
    ]
    b = [result("1", "unknown", cpu=1), result("2", "true", cpu=7), result("3", "timeout")]
    assert scatter_points(a, b, 10) == [(5, 15, "true"), (15, 7, "true")]


# -- answers of tools ------------------------------------------------------------------------------


def said(tool: Tool, folder: Path, ended: Ended, outcome: Any = None) -> tuple[str, str]:
    if outcome is not None:
        (folder / "outcome.json").write_text(
            outcome if isinstance(outcome, str) else json.dumps(outcome)
        )
    conclusion: Conclusion = tool.conclusion(ended, folder)
    return conclusion.status, conclusion.reason


PROVED = {
    "verdict": "true",
    "reason": None,
    "stats": {"solver_calls": 3},
    "certificate": {"checker": "x"},
}
UNKNOWN = {"verdict": "unknown", "reason": "timeout", "stats": {"wall_s": 1.0}}


@pytest.mark.parametrize(
    ("ended", "outcome", "status"),
    [
        (Ended("exited", 0), PROVED, "true"),
        (Ended("exited", 20), UNKNOWN, "timeout"),
        (Ended("exited", 20), {**UNKNOWN, "reason": "incomplete: x"}, "unknown"),
        (Ended("exited", 10), PROVED, "internal"),  # status and outcome disagree
        (Ended("cpu time", 20), UNKNOWN, "timeout"),
        (Ended("cpu time", 0), PROVED, "timeout"),
        (Ended("memory", -9), None, "memory"),
        (Ended("processes", -9), None, "internal"),
        (Ended("exited", -11), None, "internal"),
        (Ended("exited", 3, err="/a/b/f.c:1:2: error: no\n  x\n  ^"), None, "refused"),
        (Ended("exited", 2), None, "refused"),
        (Ended("exited", 4, err="internal error: x"), None, "internal"),
        (Ended("exited", 0), "{", "unknown"),
        (Ended("not started", err="no"), None, "internal"),
    ],
)
def test_answers_of_obligato(tmp_path: Path, ended: Ended, outcome: Any, status: str) -> None:
    assert said(obligato("ic3cfa"), tmp_path, ended, outcome)[0] == status


def test_statistics_survive_a_limit(tmp_path: Path) -> None:
    (tmp_path / "outcome.json").write_text(json.dumps({**UNKNOWN, "reason": "interrupted"}))
    assert obligato("ic3cfa").conclusion(Ended("cpu time", 20), tmp_path).stats == {"wall_s": 1.0}


def test_command_of_obligato() -> None:
    tool = obligato("ic3cfa", "L", ("ctg=3",))
    c = tool.command(Task("n", "/x/f.c", "no-overflow", data_model="LP64"), Limits(1, 2, 3))
    plain = tool.command(Task("n", "/x/f.btor2", "invar"), Limits(1, 2, 3))
    assert tool.name == "ic3cfa/L ctg=3" and c[3:5] == ["verify", "/x/f.c"]
    assert (
        "no-overflow" in c and "LP64" in c and "invar" not in plain and "--data-model" not in plain
    )


def test_any_command(tmp_path: Path) -> None:
    tool = any_command("mine=run --t {timeout} '{file} x'")
    assert tool.command(Task("n", "/f"), Limits(1, 2, 3)) == ["run", "--t", "2", "/f x"]
    assert said(tool, tmp_path, Ended("exited", 0, out="...\nfalse(unreach-call)\n")) == (
        "false",
        "",
    )
    assert said(tool, tmp_path, Ended("exited", 20, out="why\nunknown\n")) == ("unknown", "why")
    assert said(tool, tmp_path, Ended("exited", 0, out="truely\n")) == ("unknown", "")
    with pytest.raises(ConfigError):
        any_command("x")


def test_abc(tmp_path: Path) -> None:
    assert (
        abc.read(Ended("exited", 0, out="Property proved.  Time = 1 sec"), tmp_path).status
        == "true"
    )
    assert (
        abc.read(
            Ended("exited", 0, out="Output 0 of miter was asserted in frame 3."), tmp_path
        ).status
        == "false"
    )
    assert abc.read(Ended("exited", 0, out="Networks are equivalent."), tmp_path).status == "true"
    different = Ended("exited", 0, out="Networks are not equivalent.")
    assert abc.read(different, tmp_path).status == "unknown"  # no frame is named
    assert abc.read(Ended("exited", 0, out="Reached limit"), tmp_path).status == "unknown"
    assert abc.read(Ended("exited", 3, err="error: reals"), tmp_path).status == "refused"
    assert abc.read(Ended("exited", 1, err="?"), tmp_path).status == "internal"


def test_abc_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="no ABC"):
        abc.tool()
    program = tmp_path / "berkeley-abc"
    program.write_text("#!/bin/sh\necho 'UC Berkeley, ABC 1.01'\n")
    program.chmod(0o755)
    tool = abc.tool()
    assert tool.version == "UC Berkeley, ABC 1.01" and tool.command(
        Task("m", "m.aig"), Limits(1, 1, 1)
    )[0] == str(program)
    tasks = (
        Task("m", "m.aig"),
        Task("m", "m.vmt", "invar"),
        Task("m", "m.aig", "ctl:x"),
        Task("m", "m.vmt", "ltl:x"),
        Task("m", "m.c"),
    )
    assert [tool.accepts(t) for t in tasks] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("sort", "zero", "status", "said"),
    [("(_ BitVec 2)", "#b00", 0, "aig pdr model.aig"), ("Int", "0", 3, "")],
)
def test_abc_gets_other_systems_as_aiger(
    tmp_path: Path, sort: str, zero: str, status: int, said: str
) -> None:
    """A stand-in for ABC finds the exported model beside it; what is not finite is refused."""
    program, model = tmp_path / "abc", tmp_path / "m.vmt"
    program.write_text('#!/bin/sh\nhead -c 3 model.aig; echo " $2"\n')
    program.chmod(0o755)
    model.write_text(
        f"(declare-fun s () {sort})(declare-fun t () {sort})"
        f"(define-fun n () {sort} (! s :next t))"
        f"(define-fun i () Bool (! (= s {zero}) :init true))"
        f"(define-fun r () Bool (! (= t s) :trans true))"
        f"(define-fun p () Bool (! (= s {zero}) :invar-property 0))"
    )
    command = [sys.executable, "-m", "obligato.bench.peers.abc", str(program), "pdr model.aig"]
    done = subprocess.run(
        [*command, str(model)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout.strip()) == (status, said)


def test_messages_are_short_and_without_folders() -> None:
    assert shortened("warning\n/a/b/f.c:1:2: error: no such\n  x\n  ^") == "f.c:1:2: error: no such"


# -- comparison ------------------------------------------------------------------------------------


def test_equal_benchmarks() -> None:
    runs = [result("1", "true"), result("2", "timeout", cpu=60)]
    c = compare_runs(runs, runs, LIMITS)
    assert not c.failed and c.time_ratio == 1.0 and "solved 1 -> 1" in comparison_text(c)


@pytest.mark.parametrize(
    ("before", "after", "failed"),
    [
        (result("1", "true"), result("1", "unknown"), True),
        (result("1", "true"), result("1", "timeout", cpu=60), True),
        (result("1", "true", cpu=40), result("1", "timeout", cpu=60), False),  # noise
        (result("1", "true", cpu=40), result("1", "refused"), True),
        (result("1", "true", cpu=40), result("1", "internal"), True),
        (result("1", "timeout"), result("1", "false"), True),  # wrong
        (result("1", "timeout", cpu=60), result("1", "true"), False),
        (result("1", "false"), result("1", "true"), False),
        (result("1", "true", None), result("1", "false", None), True),  # contradiction
    ],
)
def test_what_fails(before: Result, after: Result, failed: bool) -> None:
    assert compare_runs([before], [after], LIMITS).failed is failed


def test_many_near_losses_are_no_noise() -> None:
    before = [result(str(n), "true", cpu=50) for n in range(8)]
    after = [result(str(n), "timeout", cpu=60) for n in range(8)]
    assert compare_runs(before, after, LIMITS).failed
    gained = (
        [result(f"g{n}", "timeout", cpu=60) for n in range(8)],
        [result(f"g{n}", "true", cpu=50) for n in range(8)],
    )
    assert not compare_runs(before + gained[0], after + gained[1], LIMITS).failed


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (result("1", "true"), result("1", "true", cpu=9), True),
        (result("1", "true"), result("1", "unknown"), False),
        (result("1", "unknown"), result("1", "true"), False),
        (result("1", "unknown"), result("1", "refused"), False),
        (result("1", "true", cpu=40), result("1", "timeout", cpu=60), True),  # in both directions
        (result("1", "timeout", cpu=60), result("1", "true", cpu=40), True),
        (result("1", "timeout", cpu=60), result("1", "true", cpu=20), False),
        (result("1", "unknown", cpu=50), result("1", "timeout", cpu=60), True),
        (result("1", "timeout", cpu=60), result("1", "unknown", cpu=5), False),
        (replace(result("1", "true"), peak_mb=1500), result("1", "memory"), True),
        (result("1", "true", cpu=40), result("1", "memory"), False),  # not of that limit
        (replace(result("1", "true"), wall_s=100), result("1", "timeout"), True),
        (result("1", "true"), result("2", "true"), False),
        (result("1", "true", "false"), result("1", "true", "false"), True),
    ],
)
def test_two_runs_are_the_same_but_for_limits(before: Result, after: Result, same: bool) -> None:
    assert compare_runs([before], [after], LIMITS).same is same


def test_a_report_says_how_many_are_near_the_limit() -> None:
    seconds = {"1": ("true", 3), "2": ("true", 2), "3": ("timeout", 5), "4": ("unknown", 4)}
    runs = [result(task, status, cpu=cpu) for task, (status, cpu) in seconds.items()]
    meta = {"limits": {"cpu_s": 5.0, "wall_s": 15.0, "memory_mb": 100}}
    store: Any = SimpleNamespace(
        meta=lambda: meta, results=lambda: runs, tools=list, total=lambda: 4
    )
    said = dict(tables.facts(store))
    assert said["near the limit"].startswith("1 of 2 solved runs") and "incomplete" not in said
    meta["limits"]["cpu_s"] = 60.0
    assert "near the limit" not in dict(tables.facts(store))


def test_differences_are_listed() -> None:
    before = [
        result("1", "true"),
        result("2", "true", cpu=40),
        result("3", "timeout"),
        result("9", "true"),
    ]
    after = [
        result("1", "unknown"),
        result("2", "timeout", cpu=60),
        result("3", "true"),
        result("4", "true", "false"),
    ]
    text = comparison_text(compare_runs(before, after, LIMITS))
    for line in (
        "lost: 1: true",
        "lost near the limit: 2",
        "gained: 3",
        "wrong: 4",
        "1 solved tasks of A were not run",
    ):
        assert line in text
