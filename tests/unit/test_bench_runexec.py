"""BenchExec's runexec as watchdog of the limits: what it reports is read as what it was; the same
ends as without it.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from obligato.bench.limited import Ended, Limits, start
from obligato.bench.runexec import Isolation, isolation, options, read
from obligato.errors import ConfigError
from tests.unit.test_bench_limited import IGNORE, LOOSE, STUBBORN_CHILDREN, eventually, gone, noted
from tests.unit.test_cli import run_here

USED = "starttime=2026-11-16T04:38:01+00:00\nwalltime=3.9272274s\ncputime=1.138090996s\ncputime-cpu0=0.7s\nmemory=7643136B\n"


@pytest.mark.parametrize(
    ("lines", "how", "status"),
    [
        ("returnvalue=10", "exited", 10),
        ("exitsignal=6", "exited", -6),
        ("terminationreason=cputime-soft\nexitsignal=15", "cpu time", -15),
        ("terminationreason=cputime\nexitsignal=9", "cpu time", -9),
        ("terminationreason=walltime\nexitsignal=9", "wall time", -9),
        ("terminationreason=memory\nexitsignal=9", "memory", -9),
        ("terminationreason=killed\nexitsignal=9", "stopped", -9),
        ("terminationreason=memory\nreturnvalue=0", "memory", 0),
    ],
)
def test_its_report_is_read(lines: str, how: str, status: int) -> None:
    assert read(f"{USED}{lines}\nblkio-read=0B\n", "", LOOSE) == Ended(
        how, status, 3.927, 1.138, 7.6
    )


@pytest.mark.parametrize(
    ("limits", "how"), [(Limits(1, 60, 100), "cpu time"), (Limits(60, 3, 100), "wall time")]
)
def test_an_answer_after_the_limit_does_not_count(limits: Limits, how: str) -> None:
    assert read(f"{USED}returnvalue=0\n", "", limits).how == how


@pytest.mark.parametrize(
    "report",
    [
        "",
        "terminationreason=failed\n",
        f"{USED}terminationreason=magic\nreturnvalue=0\n",
        "cputime=xs\n",
    ],
)
def test_without_a_proper_report_nothing_is_claimed(report: str) -> None:
    ended = read(report, "INFO - begins\nCRITICAL - Cannot execute 'x'\n", LOOSE)
    assert (ended.how, ended.status, ended.err) == (
        "not started",
        None,
        "runexec: CRITICAL - Cannot execute 'x'",
    )


def test_limits_are_rounded_up() -> None:
    told = options(Limits(0.5, 2.5, 100))
    assert dict(zip(told[4::2], told[5::2], strict=True)) == {
        "--softtimelimit": "1",
        "--timelimit": "3",
        "--walltimelimit": "5",
        "--memlimit": "100MB",
    }


def test_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("obligato.bench.runexec._program", lambda: "")
    assert isolation("auto") == isolation("rlimits") == Isolation("rlimits", "")
    with pytest.raises(ConfigError, match=r"runexec cannot be used: it is not installed"):
        isolation("runexec")
    with pytest.raises(ConfigError, match="not 'docker'"):
        isolation("docker")


def test_where_it_does_not_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "runexec"
    broken.write_text("#!/bin/sh\necho 'ERROR - cgroups are not available' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("obligato.bench.runexec._program", lambda: str(broken))
    assert isolation("auto") == Isolation()
    with pytest.raises(ConfigError, match="cgroups are not available"):
        isolation("runexec")


@pytest.fixture(scope="module")
def runexec() -> str:
    """The program, where it works."""
    try:
        return isolation("runexec").program
    except ConfigError as problem:
        pytest.skip(str(problem))


SAYS = (
    "import signal, sys, time\nsignal.signal(15, lambda *_: (print('statistics'), sys.exit(20)))\n"
    "print('begun', flush=True)\n"
)
ENDS = {
    "plain": (
        "import sys; print('true'); sys.stderr.write('why'); sys.exit(10)",
        LOOSE,
        "exited",
        10,
        "true\n",
        "why",
    ),
    "crashes": ("import os; os.abort()", LOOSE, "exited", -signal.SIGABRT, "", ""),
    "spins": (
        IGNORE + "print('true', flush=True)\nwhile True: pass",
        Limits(1, 60, 1000),
        "cpu time",
        -9,
        "true\n",
        "",
    ),
    "spins and says": (
        SAYS + "while True: pass",
        Limits(1, 60, 1000),
        "cpu time",
        20,
        "begun\nstatistics\n",
        "",
    ),
    "sleeps and says": (
        SAYS + "time.sleep(1000)",
        Limits(60, 2, 1000),
        "wall time",
        20,
        "begun\nstatistics\n",
        "",
    ),
    "children spin": (
        "import os\nif os.fork(): os.wait()\nwhile True: pass",
        Limits(1, 60, 1000),
        "cpu time",
        None,
        "",
        "",
    ),
    "eats": (
        "x = []\nwhile True: x.append(bytearray(5 << 20))",
        Limits(60, 60, 100),
        "memory",
        -9,
        "",
        "",
    ),
    "children eat": (
        "import os, time\nos.fork(); os.fork()\nx = b'x' * (50 << 20)\ntime.sleep(1000)",
        Limits(60, 60, 150),
        "memory",
        None,
        "",
        "",
    ),
}


@pytest.mark.parametrize("name", list(ENDS))
def test_it_ends_as_without_it(runexec: str, tmp_path: Path, name: str) -> None:
    code, limits, how, status, out, err = ENDS[name]
    ended = start([sys.executable, "-c", code], limits, tmp_path, runexec).wait()
    assert (ended.how, ended.out, ended.err) == (how, out, err)
    assert status is None or ended.status == status
    assert (
        ended.cpu_s > 0
        and ended.wall_s > 0
        and ended.peak_mb > 0
        and list(tmp_path.iterdir()) == []
    )


def test_long_output_and_stubborn_children(runexec: str, tmp_path: Path) -> None:
    code = (
        STUBBORN_CHILDREN + "while open('pids').read().count('\\n') < 12: pass\n"
        "for _ in range(64): sys.stdout.write('x' * (1 << 20))\nprint('\\ntrue')"
    )
    ended = start([sys.executable, "-c", code], LOOSE, tmp_path, runexec).wait()
    assert (ended.how, ended.status, ended.out_bytes) == (
        "exited",
        0,
        (64 << 20) + 6,
    ) and ended.out.endswith("\ntrue\n")
    assert len(noted(tmp_path)) == 12 and all(map(gone, noted(tmp_path)))


def test_too_many_processes(runexec: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-c", STUBBORN_CHILDREN + "time.sleep(1000)"]
    assert (
        start(argv, Limits(60, 60, 1000, processes=8), tmp_path, runexec).wait().how == "processes"
    )
    assert all(map(gone, noted(tmp_path)))


def test_it_is_stopped(runexec: str, tmp_path: Path) -> None:
    running = start(
        [sys.executable, "-c", STUBBORN_CHILDREN + "time.sleep(1000)"], LOOSE, tmp_path, runexec
    )
    assert eventually(lambda: len(noted(tmp_path)) == 12)
    running.stop()
    assert running.wait().how == "stopped" and all(map(gone, noted(tmp_path)))


def test_a_program_that_does_not_exist(runexec: str, tmp_path: Path) -> None:
    assert start(["/no/such/program"], LOOSE, tmp_path, runexec).wait().how == "not started"


def test_a_benchmark_says_who_kept_the_limits(runexec: str, tmp_path: Path) -> None:
    (tmp_path / "t.x").write_text("true")
    argv = [
        "bench",
        str(tmp_path / "t.x"),
        "--command",
        "fake=cat {file}",
        "--out",
        str(tmp_path / "out"),
    ]
    done = run_here(*argv, "--isolation", "runexec")
    assert done.returncode == 0 and ", by runexec " in (tmp_path / "out/report.md").read_text()
    other = run_here(*argv, "--isolation", "rlimits")
    assert other.returncode == 2 and "other isolation" in other.stderr
