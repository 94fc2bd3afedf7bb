"""`obligato bench` as processes: stopped, it leaves nothing; what is refused; reports and
comparison.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from obligato.bench.store import Store, lock
from obligato.bench.tasks import Task
from obligato.bench.tools import any_command
from obligato.errors import ConfigError
from tests.unit.test_bench_limited import IGNORE, PIDS, eventually, gone, noted
from tests.unit.test_cli import OBLIGATO, run_here
from tests.unit.test_page import Elements

HEADER = "set,track,path,property,expected,category,note,family\n"
VERDICTS = ["true", "false", "unknown", "true", "false", "true"]
FAKE = (
    "import sys, pathlib\nwith open(sys.argv[2], 'a') as log: log.write(sys.argv[1] + '\\n')\n"
    "print(pathlib.Path(sys.argv[1]).read_text())"
)


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Twelve tasks whose files say what the fake tool answers; one answer is wrong."""
    folder = tmp_path / "tasks"
    (folder / "s").mkdir(parents=True)
    rows = []
    for n in range(12):
        answer = VERDICTS[n % len(VERDICTS)]
        expected = "false" if n == 9 else answer if answer != "unknown" else "true"
        (folder / f"s/t{n}.x").write_text(answer)
        rows.append(f"s,T,t{n}.x,p,{expected},cat{n % 2},,f{n}\n")
    (folder / "tasks.csv").write_text(HEADER + "".join(rows))
    return folder


def command(tasks: Path, out: Path, code: str = FAKE) -> list[str]:
    fake = f"fake='{sys.executable}' -c \"{code}\" {{file}} {tasks / 'log'}"
    return [
        "bench",
        str(tasks),
        "--command",
        fake,
        "--out",
        str(out),
        "--jobs",
        "2",
        "-v",
        "--any-revision",
    ]


def verdicts(out: Path) -> list[tuple[str, str, str]]:
    store = Store(out)
    found = [(r.task, r.tool, r.status) for r in store.results()]
    store.close()
    return found


def executed(tasks: Path) -> list[str]:
    return [Path(line).name for line in (tasks / "log").read_text().splitlines()]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_running(tasks: Path, tmp_path: Path, stop: signal.Signals) -> None:
    out, place = tmp_path / "out", str(tasks)
    code = IGNORE + f"os.chdir('{place}')\n" + PIDS + "os.fork()\nnote()\ntime.sleep(1000)"
    process = subprocess.Popen(
        [*OBLIGATO, *command(tasks, out, code)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert eventually(lambda: len(noted(tasks)) == 4)
    process.send_signal(stop)
    said, _ = process.communicate()
    assert eventually(lambda: all(map(gone, noted(tasks))))
    if stop is not signal.SIGKILL:
        assert process.returncode == 20 and b"12 of 12 runs are left" in said
    assert verdicts(out) == []


def test_it_stops_in_time_and_reports(tmp_path: Path) -> None:
    (tmp_path / "t.x").write_text("1000")
    argv = [
        "bench",
        str(tmp_path / "t.x"),
        "--command",
        "sleeps=sh -c 'sleep 1000' {file}",
        "--out",
        str(tmp_path / "out"),
    ]
    done = run_here(*argv, "--jobs", "2", "--within", "0.02", "--wall", "60")
    assert done.returncode == 20 and "1 of 1 runs are left" in done.stdout
    assert "1 of 1 runs are missing" in (tmp_path / "out/report.md").read_text()
    too_much = run_here(*argv, "--within", "0.02")
    assert too_much.returncode == 2 and "1 runs do not fit into 0.02 minutes" in too_much.stderr


def test_another_benchmark_in_the_same_folder_is_refused(tasks: Path, tmp_path: Path) -> None:
    argv = command(tasks, tmp_path / "out")
    assert run_here(*argv).returncode == 1
    limits = run_here(*argv, "--timeout", "5")
    fewer = run_here(*argv, "--match", "t1")
    assert (limits.returncode, fewer.returncode) == (2, 2)
    assert "other limits" in limits.stderr and "other tasks" in fewer.stderr
    before = len(executed(tasks))
    # complete: only the report is written
    assert run_here(*argv).returncode == 1 and len(executed(tasks)) == before


def test_other_sources_are_refused_unless_asked_for(tmp_path: Path) -> None:
    plan = [Task("t", "t.x")], [any_command("fake=echo {file}")]
    store = Store(tmp_path, create=True)
    store.begin(*plan, {"limits": {}, "source": "1"})
    store.begin(*plan, {"limits": {}, "source": "2"}, any_source=True)
    with pytest.raises(ConfigError, match="other sources"):
        store.begin(*plan, {"limits": {}, "source": "2"})
    store.close()


def test_one_runner_at_a_time(tmp_path: Path) -> None:
    with lock(tmp_path), pytest.raises(ConfigError, match="another runner"), lock(tmp_path):
        pass


def test_reports_and_comparison(tasks: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    second = ["--command", f"second='{sys.executable}' -c \"print('true')\" {{file}}"]
    assert run_here(*command(tasks, out), *second).returncode == 1
    names = {p.name for p in out.iterdir()}
    assert {
        "report.html",
        "report.md",
        "results.json",
        "results.csv",
        "quantile.png",
        "quantile.svg",
        "scatter-fake-second.png",
        "scatter-fake-second.svg",
    } <= names
    shown = json.loads("".join(Elements((out / "report.html").read_text()).texts["data"]))
    assert (
        len(shown["plots"]) == 2
        and len(shown["tables"]) == 3
        and shown["tools"] == ["fake", "second"]
    )
    assert [t["runs"][0][0] for t in shown["tasks"] if t["name"] == "s/t9.x"] == ["wrong"]
    assert shown["tasks"][0]["file"] == "./../tasks/s/t0.x" and len(shown["tasks"]) == 12
    data = json.loads((out / "results.json").read_text())
    assert (
        len(data["results"]) == 24
        and data["meta"]["machine"]["cores"] >= 1
        and data["meta"]["revision"]
    )
    assert str(tasks) not in (out / "results.csv").read_text()
    assert run_here("bench", "compare", str(out), str(out)).returncode == 1  # a wrong verdict
    assert run_here(*command(tasks, other), "--exclude", "t9").returncode == 0
    assert run_here("bench", "compare", str(other), str(other)).returncode == 0
    assert run_here("bench", "compare", str(out), str(out), "--same").returncode == 0
    (tasks / "s/t0.x").write_text("unknown")
    worse = tmp_path / "worse"
    assert run_here(*command(tasks, worse), "--exclude", "t9").returncode == 0
    lost = run_here("bench", "compare", str(other), str(worse))
    assert lost.returncode == 1 and "lost: s/t0.x: true" in lost.stdout


def test_our_engine_and_spacer(tmp_path: Path) -> None:
    (tmp_path / "p.ivl").write_text(
        "proc main() {\n  var x: bv8;\n  x := 0;\n  while (x <u 10) { x := x + 1; }\n"
        "  assert x == 10;\n}\n"
    )
    (tmp_path / "bad.ivl").write_text("proc main( {\n")
    out = tmp_path / "out"
    files = [str(tmp_path / "p.ivl"), str(tmp_path / "bad.ivl")]
    done = run_here("bench", *files, "--engine", "ic3cfa", "--peer", "spacer", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert [s for _, _, s in verdicts(out)] == ["true", "true", "refused", "refused"]
    store = Store(out)
    results, tools = store.results(), store.tools()
    store.close()
    assert (
        "solver_calls" in results[0].stats
        and "error" in results[2].reason
        and "error" in results[3].reason
    )
    assert tools[1]["version"].startswith("z3 ") and "--as chc" in tools[1]["command"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--engine", "magic"], "unknown engine"),
        (["--engine", "ic3cfa,magic"], "unknown engine 'magic'"),
        (["--engine", "auto", "--preset", "L"], "a preset belongs to one engine"),
        (["--engine", "ic3cfa", "--set", "nonsense=1"], "no option 'nonsense'"),
        (["--engine", "ic3cfa", "--preset", "Z9"], "no preset"),
        (["--preset", "L"], "need an --engine"),
        (["--peer", "magic"], "unknown peer"),
        (["--match", "nothing"], "no task is left"),
        (["--command", "x"], "NAME=COMMAND"),
        (["--engine", "ic3cfa", "--engine", "ic3cfa"], "named twice"),
    ],
)
def test_wrong_usage(tasks: Path, args: list[str], message: str) -> None:
    done = run_here("bench", str(tasks), *args)
    assert done.returncode == 2 and message in done.stderr


def test_load_only(tmp_path: Path) -> None:
    (tmp_path / "good.ivl").write_text("proc main() { assert true; }\n")
    (tmp_path / "strange.xyz").write_text("?")
    done = run_here(
        "bench", "--load-only", str(tmp_path / "good.ivl"), str(tmp_path / "strange.xyz"), "-v"
    )
    assert (
        done.returncode == 0
        and "1 of 2 load (50.0 %)" in done.stdout
        and "    1  file type" in done.stdout
    )
    assert "strange.xyz: file type" in done.stderr
