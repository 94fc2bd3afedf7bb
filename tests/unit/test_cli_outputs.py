"""Outputs: wrong destinations cost no run, a failure afterwards takes no verdict away, files are
never half there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from obligato.cli.main import stopping
from tests.corpus import REPOSITORY
from tests.unit.test_cli import run_here

OBLIGATO = [sys.executable, "-c", "from obligato.cli.main import main; main()"]
SCHEMA = json.loads((REPOSITORY / "docs" / "schema" / "outcome.json").read_text(encoding="utf-8"))
LATCH = "aag 1 0 1 0 0 1\n2 3\n2\n"  # 0, then 1, which is bad
FULL = Path("/dev/full")


@pytest.fixture
def latch(tmp_path: Path) -> Path:
    path = tmp_path / "latch.aag"
    path.write_text(LATCH, encoding="utf-8")
    return path


def run(*args: str | Path, redirect: str = "") -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'exec "$@" {redirect}', "sh", *OBLIGATO, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("option", ["--json", "--witness", "--log"])
def test_a_destination_is_tested_before_the_run(latch: Path, option: str) -> None:
    wrong = {
        latch.parent / "none" / "x": "does not exist",
        latch.parent: "Is a directory",
        latch: "overwrite",
    }
    for path, message in wrong.items():
        done = run_here("verify", str(latch), option, str(path))
        assert (
            (done.returncode, done.stdout) == (2, "")
            and option in done.stderr
            and message in done.stderr
        )
    assert latch.read_text() == LATCH


def test_two_options_need_two_files(latch: Path) -> None:
    done = run_here(
        "verify",
        str(latch),
        "--json",
        str(latch.parent / "x"),
        "--witness",
        str(latch.parent / "x"),
    )
    assert done.returncode == 2 and "same file" in done.stderr
    assert run_here("verify", str(latch), "--witness", "-").returncode == 2


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("option", ["--json", "--witness", "--log"])
def test_a_full_disk_takes_no_verdict_away(latch: Path, option: str) -> None:
    done = run("verify", latch, "-q", option, FULL)
    assert (done.returncode, done.stdout) == (5, "false(unreach-call)\n")
    assert done.stderr == f"error: {option} /dev/full: No space left on device\n"


def test_standard_output_that_cannot_be_written(latch: Path) -> None:
    witness = latch.parent / "w"
    for redirect in (">&-", ">/dev/full"):
        done = run("verify", latch, "-q", "--witness", witness, redirect=redirect)
        assert done.returncode == 5 and done.stderr.startswith("error: standard output: ")
        assert len(done.stderr.splitlines()) == 1 and witness.read_text().startswith("1\nb0\n")
        witness.unlink()
    assert run("verify", latch, redirect="2>&-").stdout.endswith("false(unreach-call)\n")
    assert run("verify", latch, redirect=">&- 2>&-").returncode == 5


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_standard_error_that_is_full_ends_no_run(latch: Path) -> None:
    code = (
        "from obligato.cli import main, progress, verify\n"  # of which a line is due at once
        "progress.Progress.report = lambda self, kind, data: main.warn('a line')\nmain.main()"
    )
    command = [
        "sh",
        "-c",
        'exec "$@" 2>/dev/full',
        "sh",
        sys.executable,
        "-c",
        code,
        "verify",
        str(latch),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 10 and done.stdout.endswith("false(unreach-call)\n")
    latch.write_text("nonsense")
    assert run("verify", latch, redirect="2>/dev/full").returncode == 3


def test_a_signal_while_results_are_written_changes_nothing() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        stop = stopping()
        assert not stop.is_set()
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


def test_standard_output_by_its_path(latch: Path) -> None:
    """It is not replaced, even if it is a file; the verdict is the last line."""
    target = latch.parent / "out"
    assert (
        run("verify", latch, "-q", "--json", "/dev/stdout", redirect=f">{target}").returncode == 10
    )
    text, _, last = target.read_text().rstrip("\n").rpartition("\n")
    assert last == "false(unreach-call)" and json.loads(text)["verdict"] == "false"


def test_a_file_is_replaced_as_a_whole(latch: Path) -> None:
    """Its mode stays, a link to it stays, and nothing is left beside it."""
    target, link = latch.parent / "out.json", latch.parent / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    assert run("verify", latch, "-q", "--json", link).returncode == 10
    assert link.is_symlink() and json.loads(target.read_text())["verdict"] == "false"
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in latch.parent.iterdir()) == ["latch.aag", "link.json", "out.json"]


def test_a_pipe_as_destination(latch: Path) -> None:
    pipe = latch.parent / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert run("verify", latch, "-q", "--json", pipe).returncode == 10
        assert (
            json.loads(reader.communicate(timeout=60)[0])["verdict"] == "false" and pipe.is_fifo()
        )


@pytest.mark.parametrize(
    ("text", "args", "status", "kind"),
    [("aag 1 0\n", [], 3, "refused"), (LATCH, ["--property", "bad7"], 2, "usage")],
)
def test_what_is_refused_is_written_as_json(
    latch: Path, text: str, args: list[str], status: int, kind: str
) -> None:
    latch.write_text(text, encoding="utf-8")
    target = latch.parent / "out.json"
    assert run_here("verify", str(latch), *args, "--json", str(target)).returncode == status
    data = json.loads(target.read_text())
    jsonschema.validate(data, SCHEMA)
    assert (data["verdict"], data["error"]["kind"]) == ("unknown", kind) and data[
        "reason"
    ].startswith(f"{kind}: ")
    assert (
        json.loads(run_here("verify", str(latch), *args, "--json", "-").stdout)["error"]
        == data["error"]
    )


def test_what_solver_libraries_print_is_not_ours(latch: Path) -> None:
    """bitwuzla warns about equalities of constant arrays on standard error."""
    path = latch.parent / "a.btor2"
    path.write_text(
        "1 sort bitvec 1\n2 sort bitvec 64\n3 sort array 2 2\n4 zero 2\n5 state 3 m\n6 init 3 5"
        " 4\n7 input 2 a\n8 one 2\n9 write 3 5 7 8\n10 next 3 5 9\n11 read 2 5 7\n12 ugt 1 11 8\n13"
        " bad 12\n",
        encoding="utf-8",
    )
    done = run("verify", path, "-q", "--engine", "ic3ia")
    assert done.returncode == 20 and done.stderr == ""
