"""The output that README shows is the output of a run; times and versions of solvers may differ."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.corpus import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
RUNS = re.findall(r"```\n\$ \.venv/bin/obligato (.*?)\n(.*?)```", README, re.DOTALL)


def plain(output: str) -> list[str]:
    """The lines without what differs from machine to machine."""
    text = re.sub(r"\bin \d+\.\d+ s", "in ? s", output)
    return re.sub(r"(bitwuzla|cvc5|z3) [\d.]+", r"\1 ?", text).splitlines()


def test_there_are_runs() -> None:
    assert len(RUNS) >= 2


@pytest.mark.parametrize(("arguments", "shown"), RUNS, ids=[arguments for arguments, _ in RUNS])
def test_the_readme_shows_what_a_run_prints(arguments: str, shown: str) -> None:
    command = [
        sys.executable,
        "-c",
        "from obligato.cli.main import main; main()",
        *arguments.split(),
    ]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300
    )
    assert plain(done.stdout) == plain(shown)
