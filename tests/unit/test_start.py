"""What is imported when: a run must not pay for libraries that it does not use. Times are measured
by `make bench-start`.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from obligato.cli.main import COMMANDS, app

SOLVERS = {"z3", "cvc5", "bitwuzla", "pysolvers", "pysat"}
LARGE = {
    "clang",
    "lark",
    "matplotlib",
    "sqlite3",
    "rich",
    "yaml",
    "pydantic",
    "tomllib",
    "email",
    "importlib.metadata",
}
LATCH = "aag 1 0 1 0 0 1\n2 2\n2\n"


def imported(code: str) -> set[str]:
    """The modules that are there after running some code in a fresh interpreter."""
    tell = "\nimport sys; print('\\n', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code + tell], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def command(*arguments: str) -> str:
    """Code that runs the command line and goes on."""
    return f"""
import sys
sys.argv = ["obligato", *{list(arguments)!r}]
from obligato.cli.main import main
try:
    main()
except SystemExit:
    pass"""


def test_the_help_imports_no_command_and_no_solver() -> None:
    modules = imported(command("--help"))
    assert not modules & (SOLVERS | LARGE)
    assert not {
        m
        for m in modules
        if re.fullmatch(r"obligato\.(cli\.(?!(main|examples)$)\w+|api|terms|smt|engines|models)", m)
    }


def test_what_starts_a_worker_knows_no_solver(tmp_path: Path) -> None:
    file = tmp_path / "latch.aag"
    file.write_text(LATCH)
    modules = imported(command("verify", str(file)))
    assert "obligato.api.worker" in modules
    assert not modules & (SOLVERS | LARGE)
    assert not {
        m
        for m in modules
        if m.startswith(("obligato.engines", "obligato.smt", "obligato.analysis"))
    }


def test_a_program_without_witness_or_recursion_is_proved_without_what_these_need(
    tmp_path: Path,
) -> None:
    file = tmp_path / "loop.c"
    file.write_text(
        "int main(void) { unsigned char x = 0; while (x < 10) x++; return x == 10 ? 0 : 1; }\n"
    )
    modules = imported(
        f"from obligato.api import verify\nassert verify({str(file)!r}).verdict.value == 'true'"
    )
    assert not modules & (LARGE - {"clang"})
    others = (
        "api.(ltl_search|procedure_search|guided_search|recheck|coverage|scripts)"
        "|frontends.(chc.reader|ltl)|terms.smtlib|engines.(trials|ic3cfa.long_runs)"
    )
    assert not {m for m in modules if re.fullmatch(rf"obligato\.({others})", m)}
    assert "concurrent.futures" not in modules


def test_a_proof_imports_only_the_solvers_that_it_asks(tmp_path: Path) -> None:
    file = tmp_path / "latch.aag"
    file.write_text(LATCH)
    modules = imported(
        f"from obligato.api import verify\nassert verify({str(file)!r}).verdict.value == 'true'"
    )
    assert modules & SOLVERS == {"pysolvers", "bitwuzla"}
    assert not modules & LARGE
    assert not {
        m
        for m in modules
        if m.startswith(("obligato.analysis", "obligato.program", "obligato.engines.kinduction"))
    }


def test_the_table_of_commands_says_what_they_say_themselves() -> None:
    group = typer.main.get_command(app)
    context = typer.Context(group)
    for name, (_, about) in COMMANDS.items():
        found = group.get_command(context, name)  # type: ignore[attr-defined]
        assert found is not None
        said = " ".join((found.help or "").split())
        assert said.startswith(about), name
    assert set(group.commands) == set(COMMANDS)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("wrong", "right"), [("verfy", "verify"), ("shwo", "show")])
def test_similar_names_are_suggested(wrong: str, right: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", command(wrong)], capture_output=True, text=True, check=False
    )
    assert f"Did you mean '{right}'?" in done.stderr.replace("\n", " ")
