"""The command line as a user meets it: processes, exit statuses, last lines, messages."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from obligato.cli.main import main
from tests.support.schema import OUTCOME

OBLIGATO = [sys.executable, "-c", "from obligato.cli.main import main; main()"]
SAFE = (
    "proc main() {\n  var x: bv8;\n  x := 0;\n  while (x <u 10) { x := x + 1; }\n  assert x =="
    " 10;\n}\n"
)
BUG = 'proc main() {\n  var x, y: bv8;\n  havoc x;\n  y := x + 1;\n  assert "larger": y >u x;\n}\n'
HARD = """// Whoever violates this has found the two prime factors of a number of 128 bits.
proc main() {
  var x, y: bv128;
  havoc x;
  havoc y;
  assume x >u 1 && y >u 1 && x <u 18446744073709551616 && y <u 18446744073709551616;
  assert x * y != 199736434252751315328960782911564242011;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Any:
    def write(text: str) -> str:
        path = tmp_path / "p.ivl"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*OBLIGATO, *args], capture_output=True, text=True, check=False)


def run_here(*args: str) -> subprocess.CompletedProcess[str]:
    """The same without a new interpreter: faster, and the worker is still a process of its own."""
    out, err = StringIO(), StringIO()
    argv = patch.object(sys, "argv", ["obligato", *args])
    with redirect_stdout(out), redirect_stderr(err), argv, pytest.raises(SystemExit) as end:
        main()
    assert end.value.code is None or isinstance(end.value.code, int)
    return subprocess.CompletedProcess(args, end.value.code or 0, out.getvalue(), err.getvalue())


def last_lines(done: subprocess.CompletedProcess[str], n: int = 1) -> list[str]:
    return done.stdout.splitlines()[-n:]


def test_proved(program: Any) -> None:
    done = run("verify", program(SAFE))
    assert (done.returncode, last_lines(done)) == (0, ["true"])
    assert "inductive invariant" in done.stdout and "p.ivl:4:" in done.stdout


def test_refuted(program: Any) -> None:
    done = run("verify", program(BUG))
    assert (done.returncode, last_lines(done)) == (10, ["false(unreach-call)"])
    assert "p.ivl:5: larger" in done.stdout and "x = 255" in done.stdout


def test_timeout(program: Any) -> None:
    done = run("verify", program(HARD), "--timeout", "1.5", "--json", "-")
    data = json.loads(done.stdout)
    assert (done.returncode, data["verdict"], data["reason"]) == (20, "unknown", "timeout")
    OUTCOME.validate(data)


def test_memory(program: Any) -> None:
    done = run("verify", program(HARD), "--memory", "20")
    assert (done.returncode, last_lines(done, 2)) == (20, ["memory", "unknown"])


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal(program: Any, stop: signal.Signals) -> None:
    child = subprocess.Popen(
        [*OBLIGATO, "verify", program(HARD)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    first = child.stderr.readline()  # a line of progress: the work is under way
    child.send_signal(stop)
    out, err = child.communicate(timeout=60)
    assert first.startswith("[") and "wall_s" in err
    assert (child.returncode, out.splitlines()[-2:]) == (20, ["interrupted", "unknown"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--engine", "magic"], "unknown engine 'magic'"),
        (["--set", "ctg"], "--set needs KEY=VALUE"),
        (["--set", "nonsense=1"], "no option 'nonsense'"),
        (["--set", "ctg=-1"], "ctg must be at least 0"),
        (["--set", "generalize=all"], "generalize is one of"),
        (["--preset", "Z9"], "no preset 'Z9'"),
        (["--property", "fairness"], "not supported"),
        (["--timeout", "0"], "timeout must be a positive number"),
        (["--timeout", "nan"], "timeout must be a positive number"),
        (["--property", "/dev/null/x.prp"], "property file"),
        (["--colour", "red"], "No such option"),
    ],
)
def test_wrong_usage(program: Any, args: list[str], message: str) -> None:
    done = run_here("verify", program(SAFE), *args)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""


def test_wrong_files_of_options_are_wrong_usage(program: Any, tmp_path: Path) -> None:
    """No text, or a number of more digits than Python converts."""
    for option, name, content in (
        ("--property", "p.prp", b"\xff\xfe"),
        ("--preset", "p.toml", b"\xff"),
        ("--preset", "q.toml", b"[options]\nctg = " + b"9" * 5000),
    ):
        (tmp_path / name).write_bytes(content)
        done = run_here("verify", program(SAFE), option, str(tmp_path / name))
        assert done.returncode == 2 and name in done.stderr


def test_a_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    done = run("verify", str(tmp_path / "none.ivl"))
    assert done.returncode == 2 and "there is no file" in done.stderr


def test_refused_input(program: Any, tmp_path: Path) -> None:
    done = run("verify", program("proc main() {\n  x := 1;\n}\n"))
    message, line, caret = done.stderr.splitlines()[-3:]
    assert done.returncode == 3 and message.startswith(f"{tmp_path}/p.ivl:2:3: error: ")
    assert (line, caret) == ("    x := 1;", "    ^")


def test_an_unknown_kind_of_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "p.xyz"
    other.write_text("")
    done = run_here("verify", str(other))
    assert done.returncode == 3 and "no front end" in done.stderr


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """The outcomes of SAFE and BUG, as files and as data."""
    out = {}
    for name, text in (("safe", SAFE), ("bug", BUG)):
        folder = tmp_path_factory.mktemp(name)
        (folder / "p.ivl").write_text(text)
        run_here("verify", str(folder / "p.ivl"), "--json", str(folder / "claim.json"), "-q")
        out[name] = (folder, json.loads((folder / "claim.json").read_text()))
    return out


def recheck(folder: Path, data: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    (folder / "changed.json").write_text(json.dumps(data))
    return run_here("check", str(folder / "p.ivl"), str(folder / "changed.json"), "-q")


def test_check_accepts_what_verify_wrote(claims: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    assert [recheck(*claims[n]).returncode for n in ("safe", "bug")] == [0, 10]


@pytest.mark.parametrize("formula", ["true", "false", "(= zz #x00)", "(not"])
def test_check_rejects_a_changed_certificate(
    claims: dict[str, tuple[Path, dict[str, Any]]], formula: str
) -> None:
    folder, data = claims["safe"]
    invariants = [{**i, "formula": formula} for i in data["certificate"]["invariants"]]
    done = recheck(
        folder, {**data, "certificate": {**data["certificate"], "invariants": invariants}}
    )
    assert done.returncode == 4 and done.stderr.startswith("rejected: ")


def test_check_rejects_a_changed_trace(claims: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    folder, data = claims["bug"]
    steps = data["trace"]["steps"]
    wrong_value = [{**s, "inputs": dict.fromkeys(s["inputs"], 5)} for s in steps]
    for changed in (wrong_value, steps[1:], steps[:-1], [steps[0], *steps[2:]], []):
        done = recheck(folder, {**data, "trace": {**data["trace"], "steps": changed}})
        assert done.returncode == 4 and done.stderr.startswith("rejected: ")


def test_check_reads_the_input_as_the_claim_says(
    claims: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    """With objects at certain addresses there are refutations only."""
    for name, status in (("safe", 20), ("bug", 10)):
        folder, data = claims[name]
        assert (
            recheck(
                folder, {**data, "options": {**data["options"], "addresses": "apart"}}
            ).returncode
            == status
        )


def test_check_refuses_what_is_no_outcome(claims: dict[str, tuple[Path, dict[str, Any]]]) -> None:
    folder, _ = claims["safe"]
    assert recheck(folder, {"schema": 1}).returncode == 3
    assert recheck(folder, {"schema": 2}).returncode == 3


def test_show_and_catalogue(program: Any) -> None:
    file = program(SAFE)
    assert "digraph" in run_here("show", file, "--as", "dot").stdout
    assert "initial: 0" in run_here("show", file, "--as", "cfa").stdout
    assert "proc main()" in run_here("show", file, "--as", "ivl").stdout
    assert ":invar-property" in run_here("show", file, "--as", "vmt", "--blocks").stdout
    assert "next main::x" in run_here("show", file, "--as", "ts").stdout
    assert run_here("show", file, "--as", "picture").returncode == 2
    assert "[LNNK19]" in run_here("engines", "--options").stdout
    assert run_here("presets").returncode == 0
