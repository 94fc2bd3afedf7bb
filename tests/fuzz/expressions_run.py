"""Random expressions as we read them against gcc and clang, without and with optimisation.

    python tests/fuzz/expressions_run.py [--from 0] [--count 100] [--models LP64,ILP32] [--log FILE]

A case is a program of `SIZE` functions (tests/fuzz/expressions.py). What all compilers observe
alike must be what we observe; where they differ, nothing is compared. A program that is refused is
halved until the functions that are read are known. The log keeps one line per case and model, and a
run with the same log goes on where it ended. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.errors import InputError  # noqa: E402
from obligato.frontends.c import load  # noqa: E402
from obligato.program.interpreter import Interpreter, Status  # noqa: E402
from obligato.program.syntax import LIMIT  # noqa: E402
from tests.c.harness import MODEL_FLAGS, PRELUDE, can_compile, seen  # noqa: E402
from tests.fuzz.everyday_judge import Given  # noqa: E402
from tests.fuzz.expressions import Generator  # noqa: E402

SIZE = 24
STEPS = 200_000
END = 138910853750509  # observed after each function
FLAGS = ("-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off")
COMPILERS = (("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2"))
WRAPPER = """
int printf(const char *, ...);
int main(void) { for (int i = 0; i < %d; i++) { seen_count = 0; tests[i]();
for (int k = 0; k < seen_count; k++) printf("%%llu ", seen_values[k]); printf("\\n"); } return 0; }
"""
Values = list[list[int]]


def text_of(head: str, bodies: list[str]) -> str:
    """The functions of a program."""
    return PRELUDE + head + "".join(f"void t{i}(void) {{ {b} }}\n" for i, b in enumerate(bodies))


def compiled(text: str, count: int, compiler: tuple[str, str], model: str, folder: Path) -> Values:
    """What each function of the compiled program observes."""
    names = ", ".join(f"t{i}" for i in range(count))
    source, binary = folder / "compiled.c", folder / "compiled"
    source.write_text(f"{text}void (*tests[])(void) = {{ {names} }};{WRAPPER % count}")
    subprocess.run(
        [*compiler, *FLAGS, *MODEL_FLAGS[model], str(source), "-o", str(binary), "-lm"],
        check=True,
        capture_output=True,
    )
    done = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=20)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def read(
    head: str, bodies: list[str], skip: set[int], model: str, folder: Path
) -> dict[int, list[int] | str]:
    """What each function observes as we read it, or why it is refused."""
    numbers = [i for i in range(len(bodies)) if i not in skip]
    calls = "".join(f"t{i}(); observe({END}); " for i in numbers)
    kept = [b if i in numbers else "" for i, b in enumerate(bodies)]
    source = folder / "input.c"
    source.write_text(f"{text_of(head, kept)}int main(void) {{ {calls} return 0; }}")
    try:
        program = load(source, data_model=model)
    except InputError as problem:
        if len(numbers) == 1:
            return {numbers[0]: f"refused: {problem}"}
        half = len(numbers) // 2
        first, second = set(numbers[:half]), set(numbers[half:])
        return read(head, bodies, skip | second, model, folder) | read(
            head, bodies, skip | first, model, folder
        )
    run = Interpreter(program).start(Given({}, random.Random(1)))
    result = run.run(STEPS)
    if result.status is not Status.FINISHED:
        # stuck: the bits of a NaN are those of any NaN, which junk seldom is
        open_ = result.kind == LIMIT or result.status is Status.STUCK
        how = "limit" if open_ else "ends"
        return dict.fromkeys(numbers, f"{how}: {result}")
    return dict(zip(numbers, parts(seen(run)), strict=True))


def parts(values: list[int]) -> Values:
    """The values up to each mark."""
    stops = [i for i, v in enumerate(values) if v == END]
    return [values[a + 1 : b] for a, b in itertools.pairwise([-1, *stops])]


def case(number: int, model: str, folder: Path, tally: collections.Counter[str]) -> list[str]:
    """What is wrong with a case."""
    head, bodies = Generator(number).program(SIZE)
    text = text_of(head, bodies)
    native = [compiled(text, SIZE, c, model, folder) for c in COMPILERS]
    out = []
    ours = read(head, bodies, set(), model, folder)
    for i, body in enumerate(bodies):
        found, expected = ours[i], [run[i] for run in native]
        if isinstance(found, str):
            tally[found.partition(":")[0]] += 1
            if found.startswith("ends"):
                out.append(f"{found} in {body}")
        elif any(e != expected[0] for e in expected):
            tally["compilers differ"] += 1
        elif found == expected[0]:
            tally["agree"] += 1
        else:
            tally["WRONG"] += 1
            out.append(f"{expected[0]}, ours {found}: {body}")
    return out


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("--from", type=int, default=0, dest="first")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--models", default="LP64,ILP32")
    options.add_argument("--log", type=Path, help="where outcomes are kept")
    o = options.parse_args()
    kept = o.log.read_text().splitlines() if o.log is not None and o.log.exists() else []
    done = {tuple(line.split("\t")[:2]) for line in kept}
    tally: collections.Counter[str] = collections.Counter()
    for number in range(o.first, o.first + o.count):
        for model in [m for m in o.models.split(",") if can_compile(m)]:
            if (str(number), model) in done:
                continue
            with tempfile.TemporaryDirectory() as folder:
                wrong = case(number, model, Path(folder), tally)
            for line in wrong:
                print(f"case {number}, {model}: {line}", flush=True)
            if o.log is not None:
                with o.log.open("a") as out:
                    out.write(f"{number}\t{model}\t{len(wrong)} wrong\n")
    for what, count in sorted(tally.items()):
        print(f"{count:7}  {what}")
    return 1 if tally["WRONG"] or tally["ends"] or not tally else 0


if __name__ == "__main__":
    sys.exit(main())
