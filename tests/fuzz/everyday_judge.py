"""Our side of the comparison with compiled everyday C: a reading interpreted with junk, and
verdicts about given inputs.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

from obligato.errors import Span
from obligato.frontends.c import load
from obligato.program.interpreter import Interpreter, Status
from obligato.program.syntax import LIMIT, Program
from obligato.terms import ArrayValue, Kind, Sort, Value, default_value

STEPS = 400_000
REFUSED = 3  # the exit status for what is not supported


class Given:
    """The inputs at the lines that ask for them; junk for all else that is open."""

    def __init__(self, lines: dict[int, int], rng: random.Random) -> None:
        self.lines, self.rng = lines, rng

    def initial(self, name: str, sort: Sort) -> Value:
        """Junk."""
        if sort.kind is Kind.BITVEC:
            return self.rng.getrandbits(sort.width)
        return (
            ArrayValue(self.initial(name, sort.element))
            if sort.kind is Kind.ARRAY
            else default_value(sort)
        )

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        """An input, or junk."""
        if span.line in self.lines and sort.kind is Kind.BITVEC and sort.width == 32:
            return self.lines[span.line]
        return self.initial(name, sort)

    def choose(self, count: int, span: Span) -> int:
        """The first branch is the exact one."""
        return 0


class Reading:
    """A loaded program that can be run on pairs of inputs."""

    def __init__(self, program: Program, lines: list[int]) -> None:
        self.interpreter, self.lines = Interpreter(program), lines

    def run(self, pair: tuple[int, int], rng: random.Random) -> tuple[str, list[int]]:
        """How it ends ("finished", "limit ...", "failed ...", ...) and what it observed."""
        given = {line: v % 2**32 for line, v in zip(self.lines, pair, strict=True)}
        execution = self.interpreter.start(Given(given, rng))
        result = execution.run(STEPS)
        if result.status is Status.FAILED:
            return (
                (
                    f"{'limit' if result.kind == LIMIT else 'failed'} {result.label} in line"
                    f" {result.span.line}"
                ),
                [],
            )
        if result.status is not Status.FINISHED:
            return (
                "limit steps" if result.status is Status.STEP_LIMIT else result.status.value
            ), []
        count, values = execution.value("seen_count"), execution.value("seen_values")
        assert isinstance(count, int) and isinstance(values, ArrayValue)
        return "finished", [int(str(values.get(i))) for i in range(count)]


def read(file: Path, model: str, prop: str, memory: str, addresses: str = "any") -> Reading:
    """The program in a file, as read for a property, memory model and layout."""
    lines = [
        i
        for i, line in enumerate(file.read_text().splitlines(), 1)
        if "= __VERIFIER_nondet_int();" in line
    ]
    program = load(
        file, data_model=model, property=prop, memory=memory, addresses=addresses, externals="pure"
    )
    return Reading(program, lines)


def verdict_problem(
    text: str, pair: tuple[int, int], seen: list[int], model: str, file: Path
) -> str:
    """ "agree", or what is wrong: an assertion that holds on the inputs must not be refuted, one
    that fails not be proved.
    """
    expected = 0
    for v in seen:
        expected = (expected * 31 + v) % 2**64
    for sign, right in (("!=", "true"), ("==", "false")):
        bound = f"  if (x != {pair[0]} || y != {pair[1]}) return 1;\n"
        ends = f"  if (seen_hash {sign} {expected}ULL) reach_error();\n  return 0; }}\n"
        changed = re.sub(r"  return 0; \}\n\Z", lambda _: ends, text)  # noqa: B023 - used at once
        at = changed.index("  if (x < -1000")
        file.write_text(changed[:at] + bound + changed[at:])
        verdict = _verdict(file, model)
        if verdict not in (right, "unknown"):
            return f"WRONG verdict: {verdict} where seen_hash {sign} {expected} for inputs {pair}"
    return "agree"


def _verdict(file: Path, model: str) -> str:
    """What the command says of a file; in a process of its own, since one query of a solver may
    outlast the limit.
    """
    start = "import sys; from obligato.cli.main import main; sys.exit(main())"
    command = [
        sys.executable,
        "-c",
        start,
        "verify",
        str(file),
        "--data-model",
        model,
        "--property",
        "unreach-call",
    ]
    done = subprocess.run(
        [*command, "--timeout", "10"], capture_output=True, text=True, check=False
    )
    verdict = (done.stdout.splitlines() or [""])[-1].partition("(")[0]
    if verdict not in ("true", "false", "unknown") and done.returncode != REFUSED:
        raise AssertionError(f"no verdict: {done.stderr[-200:]}")
    return verdict if verdict in ("true", "false") else "unknown"
