"""The projects in examples/projects: all load; their outputs are like those that a person has read.

OBLIGATO_GOLDEN=write writes the outputs anew. Another invariant, or another run to the error, is no
difference.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from obligato.frontends.c import load
from obligato.frontends.preprocessing import Preprocessing
from obligato.program.syntax import Program

PROJECTS = Path(__file__).parents[2] / "examples" / "projects"
NAMES = sorted(p.name for p in PROJECTS.iterdir() if p.is_dir())
COMMAND = "import sys; from obligato.cli.main import main; sys.exit(main())"
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def commands(name: str, target: str) -> list[list[str]]:
    """The arguments that a project's Makefile gives to obligato."""
    made = subprocess.run(
        ["make", "-n", target, "OBLIGATO=obligato"],
        cwd=PROJECTS / name,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return [
        shlex.split(line)[1:] for line in made.stdout.splitlines() if line.startswith("obligato ")
    ]


def loaded(name: str, arguments: list[str]) -> Program:
    files = [a for a in arguments if a.endswith(".c")]
    folders = tuple(
        str(PROJECTS / name / arguments[i + 1]) for i, a in enumerate(arguments) if a == "-I"
    )
    macros = tuple(("D", arguments[i + 1]) for i, a in enumerate(arguments) if a == "-D")
    others = tuple(str(PROJECTS / name / f) for f in files[1:])
    return load(
        PROJECTS / name / files[0],
        preprocessing=Preprocessing(others=others, folders=folders, macros=macros),
    )


def test_there_are_ten() -> None:
    sizes = [
        sum(len(f.read_text().splitlines()) for f in (PROJECTS / n).rglob("*.[ch]")) for n in NAMES
    ]
    assert len(NAMES) == 10 and all(200 <= size <= 800 for size in sizes), dict(
        zip(NAMES, sizes, strict=True)
    )


@needs_make
@pytest.mark.parametrize("name", NAMES)
def test_all_load(name: str) -> None:
    for target in ("verify", "bug"):
        assert "main" in loaded(name, commands(name, target)[0]).procedures


def output(name: str, target: str) -> str:
    """What the target prints on standard output, without times and solver versions."""
    texts = []
    for arguments in commands(name, target):
        patient = [*arguments, "--timeout", "550"]  # the machine may be busy
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, *patient],
            cwd=PROJECTS / name,
            capture_output=True,
            text=True,
            timeout=600,
        )
        texts.append(f"$ obligato {shlex.join(arguments)}\n{done.stdout}")
    return re.sub(r"accepted by .* in [0-9.]+ s", "accepted", "\n".join(texts))


def decided(text: str, target: str) -> bool:
    verdicts = [
        line
        for line in text.splitlines()
        if line in ("true", "unknown") or line.startswith("false")
    ]
    return bool(verdicts) and set(verdicts) == (
        {"true"} if target == "verify" else {"false(unreach-call)"}
    )


@needs_make
@pytest.mark.parametrize("target", ["verify", "bug"])
def test_a_project_is_decided(target: str) -> None:
    text = output("charger", target)
    assert decided(text, target), text
    if target == "bug":
        assert re.search(
            r"violated: harness\.c:\d+: unreach-call\n    assert\(.*;    where .*c\.\w+ = \w", text
        )


@pytest.mark.slow
@needs_make
@pytest.mark.parametrize("target", ["verify", "bug"])
@pytest.mark.parametrize("name", NAMES)
def test_outputs(name: str, target: str) -> None:
    text, golden = output(name, target), PROJECTS / name / f"expected_{target}.txt"
    if os.environ.get("OBLIGATO_GOLDEN") == "write":
        golden.write_text(text)
    assert decided(text, target) and lasting(text) == lasting(golden.read_text())


def lasting(text: str) -> list[str]:
    """The lines that do not depend on which proof, or which run, was found."""
    starts = ("$ ", "note: ", "certificate accepted", "true", "false", "trace of")
    return [
        re.sub("trace of [0-9]+", "trace of n", line)
        for line in text.splitlines()
        if line.startswith(starts)
    ]
