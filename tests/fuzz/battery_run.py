"""Programs that observe values, as we read them against gcc and clang with their builtins.

    python tests/fuzz/battery_run.py [FILE...] [--models LP64,ILP32] [--every N]

A file holds programs, each under a title ``//// ...``; without files, those of tests/c/small and
tests/c/corners are taken. Each is compiled by gcc and clang, without and with optimisation (the
harness of tests/c has gcc without optimisation and without builtin functions only), and interpreted
in the ways of `corners_run.py`, with two kinds of junk for what is left open. What all compilers
observe alike must be what every reading observes; where they differ, that is said and nothing is
compared. `--every N` takes every N-th reading of each program, in turns. Exit status 1 if anything
is wrong.
"""

from __future__ import annotations

import argparse
import collections
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.errors import InputError, Span  # noqa: E402
from obligato.frontends.c import load  # noqa: E402
from obligato.program.interpreter import Interpreter, Status  # noqa: E402
from obligato.program.syntax import LIMIT, Havoc, Program, statements  # noqa: E402
from obligato.terms import Sort, Value  # noqa: E402
from tests.c.harness import MODEL_FLAGS, PRELUDE, WRAPPER, can_compile, seen  # noqa: E402
from tests.fuzz.corners_run import READINGS, STEPS, is_clean  # noqa: E402
from tests.fuzz.everyday_judge import Given  # noqa: E402
from tests.fuzz.expressions_run import COMPILERS, FLAGS  # noqa: E402
from tests.unit.test_c_small import DECLARATIONS, programs  # noqa: E402

SEEDS = (1, 2)  # of the junk


class Junk(Given):
    """Junk for what is left open; `guessed` says whether a run met an approximation."""

    def __init__(self, program: Program, seed: int) -> None:
        super().__init__({}, random.Random(seed))
        self.guessed = False
        self.places = {
            s.span
            for p in program.procedures.values()
            for s in statements(p.body)
            if isinstance(s, Havoc) and s.approximates is not None
        }  # membership only

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        """Any value."""
        self.guessed |= span in self.places
        return super().havoc(name, sort, span)


def compiled(text: str, compiler: tuple[str, str], model: str, folder: Path) -> list[int] | str:
    """What a compiled program observes, or why it does not."""
    source, binary = folder / "compiled.c", folder / "compiled"
    source.write_text(f"#define main test_main\n{PRELUDE}{text}{WRAPPER}")
    command = [*compiler, *FLAGS, *MODEL_FLAGS[model], str(source), "-o", str(binary), "-lm"]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    if made.returncode != 0:
        return f"not compiled: {made.stderr[:200]}"
    done = subprocess.run([str(binary)], check=False, capture_output=True, text=True, timeout=20)
    return [int(w) for w in done.stdout.split()] if done.returncode == 0 else f"{done.returncode}"


def readings(
    text: str, model: str, how: dict[str, str], expected: list[int], folder: Path
) -> list[str]:
    """What came of one reading, by the kind of junk."""
    source = folder / "input.c"
    source.write_text(PRELUDE + text)
    try:
        program = load(source, data_model=model, **how)  # type: ignore[arg-type]
    except InputError as problem:
        return [f"refused: {problem}"]
    out = []
    for seed in SEEDS:
        junk = Junk(program, seed)
        run = Interpreter(program).start(junk)
        result = run.run(STEPS)
        if result.status is Status.STUCK or result.kind == LIMIT:
            out.append(f"limit: {result.label}")
        elif junk.guessed:
            out.append("limit: an approximation")
        elif result.status is Status.FAILED and not is_clean(text, model, folder):
            out.append("agree")  # that it is undefined
        elif result.status is not Status.FINISHED:
            out.append(f"WRONG: {result}")
        else:
            found = seen(run)
            pairs = enumerate(zip(expected, found, strict=False))
            differ = [f"number {i} is {a}, ours {b}" for i, (a, b) in pairs if a != b]
            same = found == expected
            out.append("agree" if same else f"WRONG: {(*differ, 'the number of values')[0]}")
    return out


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--models", default="LP64,ILP32")
    options.add_argument("--every", type=int, default=1, metavar="N")
    o = options.parse_args()
    files = o.files or sorted(
        p for d in ("small", "corners") for p in (ROOT / "tests/c" / d).glob("*.c")
    )
    tally: collections.Counter[str] = collections.Counter()
    for number, (name, text) in enumerate(
        (f"{file.stem}: {title}", text) for file in files for title, text in programs(file)
    ):
        whole = text if "#include" in text else DECLARATIONS + text
        for model in [m for m in o.models.split(",") if can_compile(m)]:
            with tempfile.TemporaryDirectory() as folder:
                for outcome in _program(
                    whole, model, READINGS[number % o.every :: o.every], Path(folder)
                ):
                    tally[outcome.partition(": ")[0]] += 1
                    if outcome != "agree":
                        print(f"{name}, {model}: {outcome}", flush=True)
    for what, count in sorted(tally.items()):
        print(f"{count:7}  {what}")
    return 1 if tally["WRONG"] or not tally else 0


def _program(text: str, model: str, ways: tuple[dict[str, str], ...], folder: Path) -> list[str]:
    native = [compiled(text, c, model, folder) for c in COMPILERS]
    expected = native[0]
    if isinstance(expected, str) or any(n != expected for n in native):
        return [f"compilers differ: {' | '.join(map(str, native))}"]
    found: dict[str, None] = {}
    out = []
    for how in ways:
        for outcome in readings(text, model, how, expected, folder):
            if outcome != "agree" and outcome not in found:
                found[outcome] = None
                out.append(f"{outcome} ({' '.join(how.values())})")
            else:
                out.append(outcome if outcome == "agree" else "agree")
    return out


if __name__ == "__main__":
    sys.exit(main())
