"""z3's Spacer as a peer: on CHC files as they are, on programs and models through
``obligato show FILE --as chc``.

    python -m obligato.bench.peers.spacer FILE [options of `obligato show`]

The Horn clauses of a program come from its large-block CFA after reductions that are exact on
paths, so that both answers mean what they say for the program; export counts into the time. A
program with limits or over-approximations is asked twice: a proof must hold with them, a refutation
without them. The last line is the verdict, the exit status that of `obligato verify`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from obligato.bench.limited import Limits
from obligato.bench.tasks import Task
from obligato.bench.tools import OBLIGATO, Tool, read_lines
from obligato.errors import InputError
from obligato.frontends.registry import InputKind, find_language
from obligato.reports.horn import LIMITED
from obligato.smt.solver import SAT, UNKNOWN, UNSAT

_FORM = ("--as", "chc", "--blocks", "--reduction", "1")
_REFUSED, _INTERNAL = 3, 4


def tool() -> Tool:
    """The adapter."""
    from obligato.smt.spacer import version

    shown = (
        f"Spacer (engine=spacer) on {{file}}; programs: obligato show {{file}} {' '.join(_FORM)}"
    )
    return Tool("spacer", version(), shown, _command, read_lines, _accepts)


def _accepts(task: Task) -> bool:
    """Safety only; what the export cannot express it refuses itself."""
    return not task.is_ctl()


def _command(task: Task, limits: Limits) -> list[str]:
    return [sys.executable, "-m", "obligato.bench.peers.spacer", task.file, *task.about()]


def main(argv: list[str]) -> int:
    """Answer for one file; the exit status."""
    try:
        return _report(_answer(argv[0], argv[1:]))
    except InputError as problem:
        sys.stderr.write(f"error: {problem.message}\n")
        return _REFUSED


def _answer(file: str, options: list[str]) -> tuple[str, str]:
    language = find_language(file)
    if language is not None and language.kind is InputKind.HORN:
        return _solve(Path(file).read_text(encoding="utf-8"))
    text = _export(file, options)
    answer = _solve(text)
    if answer[0] == "false" and text.startswith(LIMITED):
        again = _solve(_export(file, [*options, "--without-limits"]))
        answer = (
            again
            if again[0] != "true"
            else ("unknown", "incomplete: a limit or an over-approximation")
        )
    return answer


def _export(file: str, options: list[str]) -> str:
    """The Horn clauses; ends this process as the exporter ended if it refuses the file."""
    done = subprocess.run(
        [*OBLIGATO, "show", file, *_FORM, *options],
        stdout=subprocess.PIPE,
        stderr=None,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(done.returncode if done.returncode > 0 else _INTERNAL)
    return done.stdout


def _solve(text: str) -> tuple[str, str]:
    from obligato.smt.spacer import solve_horn

    answer, reason = solve_horn(text)
    return {SAT: "true", UNSAT: "false", UNKNOWN: "unknown"}[answer], reason


def _report(answer: tuple[str, str]) -> int:
    verdict, reason = answer
    sys.stdout.write(f"{reason}\n{verdict}\n" if reason else f"{verdict}\n")
    return {"true": 0, "false": 10}.get(verdict, 20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
