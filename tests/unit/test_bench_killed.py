"""`obligato bench` killed or interrupted anywhere, and started again: the results are those of a
run that was left alone.

A victim is a real process that counts what the code of the bench does, call by call, and sends
itself the signal at a given count: a random point without a clock, and as likely in the middle of
storing, starting or reporting as anywhere else.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_bench_limited import eventually

# Every line that is executed is a point where files, processes or the database are dealt with; what
# only computes would be most of them. Plots are left out: they take longer than all the rest.
VICTIM = """
import os, sys, types
from obligato.cli.main import main

count, at, stop = 0, int(os.environ["AT"]), int(os.environ["STOP"])
places = ("bench/runner.py", "bench/store.py", "bench/limited.py", "bench/report.py", "cli/bench.py", "cli/bench_progress.py")
sys.modules["obligato.bench.plots"] = types.SimpleNamespace(draw=lambda *_: [], missing=lambda: "")

def called(frame, event, arg):
    return line if frame.f_code.co_filename.endswith(places) else None

def line(frame, event, arg):
    global count
    count += 1
    if count == at:
        os.kill(os.getpid(), stop)
    return line

sys.settrace(called)
try:
    main()
finally:
    sys.settrace(None)
    print("points:", count)
"""
# Leaves a process behind; what it answers is up to the task.
TOOL = 'echo "$1" >> "$LOG"\nsleep 1000 &\n. "$1"\n'
ANSWERS = {
    "true": "echo true",
    "false": "echo 'false(p)'; exit 10",
    "refused": "echo 'x:1:1: error: what?' >&2; exit 3",
    "internal": "kill -9 $$",
    "wrong": "echo true",
    "memory": "{ head -c 100000000 /dev/zero; sleep 1000; } | tail 2>/dev/null",
    "timeout": "while :; do :; done",
}


class Bench:
    """One benchmark with fake tasks in a folder of its own, which is started again and again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"
        (folder / "s").mkdir(parents=True)
        (folder / "tool.sh").write_text(TOOL)
        rows = ["set,track,path,property,expected,category,note,family"]
        for n, (name, answer) in enumerate(ANSWERS.items()):
            (folder / f"s/{name}").write_text(answer)
            rows.append(f"s,T,{name},p,{'true' if name == 'true' else 'false'},c{n % 2},,f")
        (folder / "tasks.csv").write_text("\n".join(rows) + "\n")

    def start(
        self, at: int = 0, stop: signal.Signals = signal.SIGKILL
    ) -> tuple[int, str, list[str]]:
        """Run it until the given point: its exit status, output, and the tasks that were run."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        environment = os.environ | {
            "AT": str(at),
            "STOP": str(int(stop)),
            "LOG": str(log),
            "MARK": str(self.folder),
        }
        tool = f"fake=sh {self.folder / 'tool.sh'} {{file}}"
        limits = ["--memory", "50", "--timeout", "0.5", "--wall", "60"]
        argv = [
            "bench",
            "run",
            str(self.folder),
            "--command",
            tool,
            *limits,
            "--isolation",
            "rlimits",
            "--jobs",
            "2",
        ]
        # our sources may be edited
        victim = [sys.executable, "-c", VICTIM, *argv, "--out", str(self.out), "--any-revision"]
        process = subprocess.run(
            victim, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        ran = log.read_text().split() if log.exists() else []
        return process.returncode, process.stdout, [Path(r).name for r in ran]

    def rows(self) -> list[tuple[object, ...]]:
        """All that is stored but times, paths and sources."""
        if not (self.out / "results.sqlite").exists():
            return []
        db = sqlite3.connect(self.out / "results.sqlite")
        known = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'results'").fetchone()
        found = (
            db.execute(
                "SELECT r.task, tool, status, reason, how, exit_status, processes_left, output,"
                " errors, stats FROM results r JOIN tasks t ON t.name = r.task ORDER BY t.rowid"
            ).fetchall()
            if known
            else []
        )
        db.close()
        return found

    def stored(self) -> set[str]:
        return {Path(str(r[0])).name for r in self.rows()}

    def verdicts(self) -> str:
        """The table without its times."""
        lines = (self.out / "table.txt").read_text().splitlines()
        return "\n".join(line[: lines[0].index("cpu s")] for line in lines)

    def processes(self) -> list[str]:
        """What it has started and still runs, whatever it has become."""
        mark = f"MARK={self.folder}".encode()
        return [
            p.name for p in Path("/proc").iterdir() if p.name.isdigit() and mark in _environment(p)
        ]


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended
        return []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, int]:
    """A run that was left alone, and how many points it has."""
    bench = Bench(tmp_path_factory.mktemp("whole"))
    status, said, ran = bench.start()
    assert status == 1 and "wrong: fake on s/wrong: true, expected false" in said
    assert [r[2] for r in bench.rows()] == [n.replace("wrong", "true") for n in ANSWERS] and sorted(
        ran
    ) == sorted(ANSWERS)
    assert not bench.processes()
    return bench, int(said.rpartition("points: ")[2])


def killed_and_restarted(bench: Bench, stop: signal.Signals, points: list[int]) -> None:
    """Stop it at these points, start it again at once each time, and in the end leave it alone."""
    stored: set[str] = set()
    for point in [*points, 0]:
        status, said, ran = bench.start(point, stop)
        assert not stored & set(ran), "what is stored is not run again"
        assert stored <= bench.stored(), "what is stored is not lost"
        stored = bench.stored()
        assert status in (1, -stop if stop is signal.SIGKILL else 20) and "Traceback" not in said, (
            said
        )
        complete = status == 1 and "report: " in said
        if stop is not signal.SIGKILL:
            assert not bench.processes()
    assert complete and eventually(lambda: not bench.processes())


@pytest.mark.parametrize(
    ("stop", "seed", "kills"),
    [
        (signal.SIGKILL, 1, 3),
        (signal.SIGINT, 2, 3),
        *(
            pytest.param(stop, seed, 20, marks=pytest.mark.slow)
            for stop in (signal.SIGKILL, signal.SIGINT)
            for seed in (3, 4)
        ),
    ],
)
def test_killed_at_random_points_the_table_is_the_same(
    whole: tuple[Bench, int], tmp_path: Path, stop: signal.Signals, seed: int, kills: int
) -> None:
    alone, points = whole
    rng, bench = random.Random(seed), Bench(tmp_path / "killed")
    killed_and_restarted(bench, stop, [rng.randrange(1, points) for _ in range(kills)])
    assert bench.rows() == alone.rows() and bench.verdicts() == alone.verdicts()
    assert not (bench.out / "scratch").exists()
