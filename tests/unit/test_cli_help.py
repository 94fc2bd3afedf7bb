"""The command line explains itself: version, examples that exist, completion, the verdict only."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import obligato
from obligato.cli.main import COMMANDS, app
from tests.unit.test_cli import run_here

OBLIGATO = [sys.executable, "-m", "obligato"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """One call of the command."""
    where = {**os.environ, **environment}
    return subprocess.run(
        [*OBLIGATO, *arguments], capture_output=True, text=True, check=False, env=where
    )


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"obligato {obligato.__version__}\n")


def test_examples_in_the_help_use_options_that_exist() -> None:
    group = typer.main.get_command(app)
    context = typer.Context(group)
    commands = {name: group.get_command(context, name) for name in COMMANDS}  # type: ignore[attr-defined]
    texts = [group.epilog or "", *(c.epilog or "" for c in commands.values())]
    lines = re.findall(r"^  (obligato [^\n]*)$", "\n".join(texts), re.MULTILINE)
    assert len(lines) > 15
    for line in lines:
        words = shlex.split(line.partition(" > ")[0].partition(" | ")[0])
        if words[1] in ("COMMAND", "--help"):
            continue
        known = {o for p in commands[words[1]].params for o in p.opts}
        assert all(w in known for w in words[2:] if w.startswith("-")), line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["obligato", "cro"], ["crosscheck"]),
        (["obligato", "verify", "--eng"], ["--engine"]),
        (["obligato", "verify", "--engine", "ic3c"], ["ic3cfa"]),
        (["obligato", "verify", "--engine", "au"], ["auto"]),
    ],
)
def test_completion(words: list[str], expected: list[str]) -> None:
    asked = {
        "_OBLIGATO_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    assert run(**asked).stdout.split() == expected


def test_completion_scripts_name_the_command() -> None:
    for shell in ("bash", "zsh", "fish"):
        done = run("completion", shell)
        assert (
            done.returncode == 0
            and "obligato" in done.stdout
            and "_OBLIGATO_COMPLETE" in done.stdout
        )
    assert run("completion", "cmd").returncode == 2


def test_quiet_prints_the_verdict_only(tmp_path: Path) -> None:
    file = tmp_path / "p.ivl"
    file.write_text("proc main() { var x: int; x := x * x * x; assert x != 27 * 125; }\n")
    for more, verdict in (
        ("--engine=bmc", "false(unreach-call)"),
        ("--timeout=0.000001", "unknown"),
    ):
        done = run("verify", str(file), "-q", more)
        assert (done.stdout, done.stderr) == (f"{verdict}\n", "")


def test_control_characters_of_an_input_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text("int main(void) { \x1b[31m return 1; }\n")
    said = run("verify", str(file)).stderr
    assert "\x1b" not in said and "  int main(void) { ?[31m return 1; }\n" in said


MISTAKES = [
    ("count.v", "there is no file count.v; did you mean count.c?", 2),
    (".", ". is a folder; name the files in it, for instance asm.c", 2),
    ("notes.txt", "note: the suffix says in which language a file is", 3),
    ("nomain.c", "say where runs start: --entry NAME", 3),
    ("count.c --entry mian", "there is no function mian; there are: main", 3),
    ("header.c", "name the folder with included files: -I FOLDER", 3),
    ("syntax.c", "error: expected expression", 3),
    ("asm.c", "this is not modelled, and nothing is guessed", 3),
    ("open.btor2", "say in the file what must hold", 3),
    ("empty.lus", "the file is empty: is it the right one", 3),
    ("binary.c", "a binary file, not c: name the source", 3),
    ("count.c --timelimit 5", "Possible options: --timeout", 2),
    ("count.c --engine ic4", "there are: ic3cfa", 2),
]


@pytest.mark.parametrize(
    ("call", "answer", "status"), MISTAKES, ids=[call for call, *_ in MISTAKES]
)
def test_mistakes_are_answered_by_what_to_do(
    call: str, answer: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "count.c": "int main(void) {}",
        "notes.txt": "x",
        "nomain.c": "int f(void);",
        "open.btor2": "1 sort bitvec 1\n",
        "empty.lus": "",
        "header.c": '#include "gone.h"\n',
        "syntax.c": "int main(void) { return 1+; }",
        "asm.c": 'int main(void) { __asm__("nop"); }',
        "binary.c": "\0ELF",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    done = run_here("verify", *call.split())
    assert answer in " ".join(done.stderr.split()) and done.returncode == status
