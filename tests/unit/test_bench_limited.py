"""Containment: whatever a command does, it is ended with all it has started and recorded as what it
was.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from obligato.bench.limited import TIMEOUTS, Ended, Limits, dismiss, order, start, watchdog

IGNORE = "import os, signal, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
PIDS = "def note(): open('pids', 'a').write(f'{os.getpid()}\\n')\n"
# Bounded on purpose: 2 * 12 processes at most, half of them in sessions of their own.
STUBBORN_CHILDREN = (
    IGNORE
    + PIDS
    + """
for n in range(12):
    if os.fork() == 0:
        if n % 2:
            os.setsid()
            if os.fork():
                os._exit(0)
        note()
        time.sleep(1000)
"""
)
LOOSE = Limits(60, 60, 1000)


def contained(code: str, limits: Limits, folder: Path) -> Ended:
    return start([sys.executable, "-c", code], limits, folder).wait()


def gone(pid: int) -> bool:
    """Dead, or dying and not ours to wait for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def eventually(condition: Callable[[], bool]) -> bool:
    end = monotonic() + 30
    while not condition() and monotonic() < end:
        os.sched_yield()
    return condition()


def noted(folder: Path) -> list[int]:
    file = folder / "pids"
    return [int(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_a_watchdog_takes_one_command_after_the_other(tmp_path: Path) -> None:
    """Each has its own limits, output and processor time; nothing of one is left for the next."""
    process = watchdog()
    burn = "import time\nwhile time.process_time() < {}: sum(range(10000))\nprint('{}')"
    said = []
    for code, limits in [
        (burn.format(0.8, "slow"), LOOSE),
        (burn.format(0.2, "quick"), Limits(0.9, 60, 1000)),
        (STUBBORN_CHILDREN, LOOSE),
        ("while True: pass", Limits(0.3, 60, 1000)),
        ("print('true')", LOOSE),
    ]:
        ended = order(process, [sys.executable, "-c", code], limits, tmp_path).wait()
        said.append((ended.how, ended.out))
    dismiss(process)
    assert said == [
        ("exited", "slow\n"),
        ("exited", "quick\n"),
        ("exited", ""),
        ("cpu time", ""),
        ("exited", "true\n"),
    ]
    assert process.returncode == 0 and all(map(gone, noted(tmp_path)))


def test_a_watchdog_without_a_command_ends_when_asked() -> None:
    process = watchdog()
    process.terminate()
    dismiss(process)
    assert process.returncode == -signal.SIGTERM


def test_a_plain_command(tmp_path: Path) -> None:
    ended = contained(
        "import sys; print('true'); sys.stderr.write('why'); sys.exit(10)", LOOSE, tmp_path
    )
    assert (ended.how, ended.status, ended.out, ended.err, ended.left) == (
        "exited",
        10,
        "true\n",
        "why",
        0,
    )
    assert ended.cpu_s > 0 and ended.wall_s > 0


def test_it_ignores_sigterm_and_spins(tmp_path: Path) -> None:
    ended = contained(
        IGNORE + "print('true', flush=True)\nwhile True: pass", Limits(0.5, 20, 1000), tmp_path
    )
    assert (ended.how, ended.status) == ("cpu time", -signal.SIGKILL)


def test_it_sleeps(tmp_path: Path) -> None:
    ended = contained("import time; time.sleep(1000)", Limits(60, 0.5, 1000), tmp_path)
    assert (ended.how, ended.status) == ("wall time", -signal.SIGTERM)


def test_at_a_time_limit_it_may_say_what_it_knows(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\nsignal.signal(15, lambda *_: (print('statistics'),"
        " sys.exit(20)))\n"
    )
    ended = contained(
        code + "print('begun', flush=True)\ntime.sleep(1000)", Limits(60, 2, 1000), tmp_path
    )
    assert (ended.how, ended.status, ended.out) == ("wall time", 20, "begun\nstatistics\n")


def test_it_eats_memory(tmp_path: Path) -> None:
    ended = contained(
        "x = []\nwhile True: x.append(bytearray(5 << 20))", Limits(60, 60, 100), tmp_path
    )
    assert (ended.how, ended.status) == ("memory", -signal.SIGKILL) and ended.peak_mb > 100


def test_it_asks_for_all_memory_at_once(tmp_path: Path) -> None:
    ended = contained("x = bytearray(1 << 40)", LOOSE, tmp_path)
    assert (ended.how, ended.status) == ("exited", 1) and "MemoryError" in ended.err


def test_memory_of_children_counts(tmp_path: Path) -> None:
    code = "import os, time\nos.fork(); os.fork()\nx = b'x' * (50 << 20)\ntime.sleep(1000)"
    assert contained(code, Limits(60, 60, 150), tmp_path).how == "memory"


def test_processor_time_of_children_counts(tmp_path: Path) -> None:
    code = "import os\nif os.fork(): os.wait()\nwhile True: pass"
    assert contained(code, Limits(0.5, 30, 1000), tmp_path).how == "cpu time"


def test_it_prints_a_gigabyte(tmp_path: Path) -> None:
    code = "import sys\nfor _ in range(256): sys.stdout.write('x' * (4 << 20))\nprint('\\ntrue')"
    ended = contained(code, LOOSE, tmp_path)
    assert (ended.how, ended.status, ended.out_bytes) == ("exited", 0, (1 << 30) + 6)
    assert (
        len(ended.out) < 100_000
        and ended.out.endswith("\ntrue\n")
        and list(tmp_path.iterdir()) == []
    )


def test_it_leaves_stubborn_children(tmp_path: Path) -> None:
    ended = contained(
        "open('pids', 'a').close()\n"
        + STUBBORN_CHILDREN
        + "while open('pids').read().count('\\n') < 12: pass\nprint('true')",
        LOOSE,
        tmp_path,
    )
    pids = noted(tmp_path)
    assert (ended.how, ended.status, ended.out, len(pids)) == ("exited", 0, "true\n", 12)
    assert ended.left == 12 and all(map(gone, pids))


def test_it_starts_too_many_processes(tmp_path: Path) -> None:
    ended = contained(
        STUBBORN_CHILDREN + "time.sleep(1000)", Limits(60, 60, 1000, processes=8), tmp_path
    )
    assert ended.how == "processes" and all(map(gone, noted(tmp_path)))


def test_it_crashes(tmp_path: Path) -> None:
    assert contained("import os; os.abort()", LOOSE, tmp_path).status == -signal.SIGABRT


def test_it_does_not_exist(tmp_path: Path) -> None:
    assert start(["/no/such/program"], LOOSE, tmp_path).wait().how == "not started"


def test_it_is_stopped(tmp_path: Path) -> None:
    running = start([sys.executable, "-c", STUBBORN_CHILDREN + "time.sleep(1000)"], LOOSE, tmp_path)
    assert eventually(lambda: len(noted(tmp_path)) == 12)
    running.stop()
    assert running.wait().how == "stopped" and all(map(gone, noted(tmp_path)))


def test_whoever_started_it_is_killed(tmp_path: Path) -> None:
    owner = (
        "import sys; from pathlib import Path; from obligato.bench.limited import Limits, start\n"
        "start([sys.executable, '-c', sys.argv[1]], Limits(60, 60, 1000), Path(sys.argv[2])).wait()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", owner, STUBBORN_CHILDREN + "time.sleep(1000)", str(tmp_path)]
    )
    assert eventually(lambda: len(noted(tmp_path)) == 12)
    process.kill()
    process.wait()
    assert eventually(lambda: all(map(gone, noted(tmp_path))))


@pytest.mark.parametrize("how", TIMEOUTS)
def test_names_of_time_limits(how: str) -> None:
    assert how.endswith("time")
