"""`obligato bench run` on a cluster: the table of a single run, though a worker dies; who may work;
nothing is left running.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from obligato.bench.limited import Ended, Limits
from obligato.bench.remote import Job, OtherProgram, Program, Report, run_job, this_program
from obligato.bench.shipping import packed
from obligato.bench.spread import Spread, Told, summary_status
from obligato.bench.tasks import Task
from obligato.bench.tools import Conclusion, Tool, any_command
from obligato.errors import InternalError
from tests.corpus import REPOSITORY
from tests.unit.test_bench_limited import IGNORE, PIDS, eventually, gone, noted
from tests.unit.test_bench_run import FAKE, command, executed, tasks, verdicts
from tests.unit.test_cli import OBLIGATO, run_here

assert tasks  # the fixture
# Once, on one task: kills the worker, whose child is the watchdog, whose child this is.
KILLS = (
    FAKE
    + """
import os
flag = pathlib.Path(sys.argv[2]).with_name('killed')
if sys.argv[1].endswith('t3.x') and not flag.exists():
    flag.touch()
    os.kill(int(pathlib.Path(f'/proc/{os.getppid()}/stat').read_text().split()[3]), 9)
    os.kill(os.getpid(), 19)
"""
)


def test_a_killed_worker_costs_nothing_but_time(tasks: Path, tmp_path: Path) -> None:
    single = run_here(*command(tasks, tmp_path / "single"))
    (tasks / "log").unlink()
    done = run_here(*command(tasks, tmp_path / "cluster", KILLS), "--local-cluster", "3")
    assert done.returncode == single.returncode == 1, done.stderr  # one answer is wrong
    assert (tasks / "killed").exists() and "12 runs on 3 slots" in done.stdout
    assert verdicts(tmp_path / "cluster") == verdicts(tmp_path / "single")
    assert executed(tasks).count("t3.x") >= 2


def test_stopped_it_leaves_nothing_running(tasks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = IGNORE + f"os.chdir('{tasks}')\n" + PIDS + "os.fork()\nnote()\ntime.sleep(1000)"
    process = subprocess.Popen(
        [*OBLIGATO, *command(tasks, out, code), "--local-cluster", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert eventually(lambda: len(noted(tasks)) == 4)
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate()
    assert eventually(lambda: all(map(gone, noted(tasks))))
    assert process.returncode == 20 and b"12 of 12 runs are left" in said and verdicts(out) == []


def _tool() -> Tool:
    return any_command(
        f"cat='{sys.executable}' -c 'import sys; print(open(sys.argv[1]).read())' {{file}}"
    )


def test_another_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.x"
    file.write_text("true")
    job = Job(
        packed(Task("t", str(file))), _tool, Limits(10, 30, 500), "rlimits", this_program(), "stop"
    )
    assert run_job(job).conclusion.status == "true"
    for other in (Program("2.7", job.program.source), Program(job.program.python, "000000000000")):
        with pytest.raises(OtherProgram, match="install the same on all machines"):
            run_job(Job(job.bundle, job.maker, job.limits, job.isolation, other, job.stop))


def test_files_are_shipped_by_content(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    main, header, inner = tmp_path / "src/main.c", tmp_path / "a.h", tmp_path / "b.h"
    main.write_text('#include <stdio.h>\n#  include "../a.h"\n#include "absent.h"\n')
    header.write_text('#include "b.h"\n')
    inner.write_text("int x;\n")
    bundle = packed(Task("t", str(main)))
    assert [name for name, _ in bundle.files] == ["src/main.c", "a.h", "b.h"]
    there = Path(bundle.unpacked(tmp_path / "elsewhere").file)
    assert (
        there == tmp_path / "elsewhere/src/main.c"
        and (there.parent / "../b.h").read_text() == "int x;\n"
    )
    (tmp_path / "m.ctl").write_text("EF p\n")
    (tmp_path / "m.aag").write_text("aag 0 0 0 0 0\n")
    assert [n for n, _ in packed(Task("t", str(tmp_path / "m.aag"), "ctl:m.ctl#0")).files] == [
        "m.aag",
        "m.ctl",
    ]


def test_what_is_refused(tasks: Path, tmp_path: Path) -> None:
    both = run_here(
        *command(tasks, tmp_path / "out"),
        "--local-cluster",
        "2",
        "--scheduler",
        "tcp://127.0.0.1:1",
    )
    assert both.returncode == 2 and "exclude each other" in both.stderr


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of one worker with two slots."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=":0", protocol="tcp://"
    ) as cluster:
        yield cluster.scheduler_address


def test_engines_and_files_are_spread(scheduler: str, tmp_path: Path) -> None:
    gcd = run_here(
        "verify",
        str(REPOSITORY / "examples/gcd_bug.c"),
        "--engine",
        "ic3cfa,bmc",
        "--scheduler",
        scheduler,
    )
    assert gcd.returncode == 10 and gcd.stdout.splitlines()[-1] == "false(unreach-call)", gcd.stderr
    assert "\n     1  gcd_bug.c:7: " in gcd.stdout  # no folder of the worker
    true, false = (
        REPOSITORY / "tests/regression" / name
        for name in ("true/free_next_state.vmt", "false/input_is_added.mcmt")
    )
    both = run_here("verify", str(true), str(false), "-q", "--scheduler", scheduler)
    assert both.returncode == 10, both.stderr
    assert both.stdout.splitlines() == [f"{true}:", "true", f"{false}:", "false(unreach-call)"]
    refused = run_here("verify", str(true), "--json", "-", "--scheduler", scheduler)
    assert refused.returncode == 2 and "only text comes back" in refused.stderr
    for words in (("--from", "old.json"), ("--property", "unreach.prp"), ("-I", "include")):
        away = run_here("verify", str(true), *words, "--scheduler", scheduler)
        assert away.returncode == 2 and "of this machine" in away.stderr
    core = run_here(
        "verify",
        str(REPOSITORY / "examples/gcd.c"),
        "--core",
        "--engine",
        "ic3cfa",
        "--scheduler",
        scheduler,
    )
    assert core.returncode == 0 and "the proof needs" in core.stdout, core.stderr


def test_a_program_of_several_files_is_one_input(scheduler: str, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.c").write_text(
        '#include "lib/f.h"\nvoid reach_error(void);\nint main(void) { if (f() != 3)'
        " reach_error(); }\n"
    )
    (tmp_path / "lib/f.h").write_text("int f(void);\n")
    (tmp_path / "lib/f.c").write_text('#include "f.h"\nint f(void) { return 3; }\n')
    done = run_here(
        "verify",
        str(tmp_path / "main.c"),
        str(tmp_path / "lib/f.c"),
        "-q",
        "--scheduler",
        scheduler,
    )
    assert (done.returncode, done.stdout) == (0, "true\n"), done.stderr


def test_engines_that_contradict_each_other_are_heard() -> None:
    spread = Spread.__new__(Spread)
    spread.told, spread.futures, spread.stops = {}, {}, {"f": "stop"}
    spread._take("f", "a", Report([], Ended("exited", 0), Conclusion("true")))
    with pytest.raises(InternalError, match="a says true, b says false"):
        spread._take("f", "b", Report([], Ended("exited", 10), Conclusion("false")))
    for seen, status in (((0, 10, 20), 10), ((0, 20), 20), ((0, 0), 0)):
        assert summary_status([Told("f", "", Conclusion(""), s) for s in seen]) == status
