"""The programs of tests/c, read in every way, against the compiler.

    python tests/fuzz/corners_run.py [FILE...] [--models LP64,ILP32] [--every N]

What a program observes must be the same whatever is asked of it: for each property, memory model
and layout of `READINGS` it is read, interpreted and compared with the compiled program.  If the
sanitizers are silent about it, no reading may fail; where they complain, the reading for that
property need not finish.  Programs of tests/c/inputs ask for inputs and end in errors; they go
through `crosscheck`.  Programs of several files (tests/c/several) leave a result in a variable of
that name. `--every N` takes every N-th reading of each program, in turns.  Exit status 1 if
anything is wrong.
"""

from __future__ import annotations

import argparse
import collections
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from obligato.crosscheck.comparison import crosscheck  # noqa: E402
from obligato.errors import InputError  # noqa: E402
from obligato.frontends.c import load  # noqa: E402
from obligato.frontends.preprocessing import Preprocessing  # noqa: E402
from obligato.program.interpreter import Defaults, Interpreter, Status  # noqa: E402
from obligato.program.syntax import LIMIT  # noqa: E402
from tests.c.harness import GCC, MODEL_FLAGS, PRELUDE, WRAPPER, can_compile, compiled_values, seen  # noqa: E402
from tests.unit.test_c_small import DECLARATIONS, programs  # noqa: E402

READINGS = tuple(
    {"property": p, "memory": m, "addresses": a, "externals": e}
    for p, m, a, e in (
        ("unreach-call", "auto", "any", "pure"),
        ("memsafety", "auto", "any", "pure"),
        ("assertions", "regions", "apart", "havoc"),
        ("no-overflow", "bytes", "reversed", "pure"),
        ("valid-memsafety", "regions", "apart", "pure"),
        ("shifts", "auto", "apart", "havoc"),
        ("memsafety", "bytes", "apart", "pure"),
        ("div-by-zero", "regions", "reversed", "pure"),
        ("undefined", "auto", "any", "pure"),
        ("valid-memsafety", "auto", "reversed", "havoc"),
    )
)
STEPS = 5_000_000
ERRORS = ("unreach-call", "assertions")  # properties for which a call of an error function is one
HALTED = "original ends with error unreach-call, ours with halt"


def observing() -> Iterator[tuple[str, str]]:
    """Name and text of the programs that observe values."""
    folder = ROOT / "tests" / "c"
    for file in sorted(folder.glob("*.c")):
        yield file.stem, file.read_text()
    for file in sorted((*folder.glob("small/*.c"), *folder.glob("corners/*.c"))):
        for title, text in programs(file):
            yield f"{file.stem}: {title}", text if "#include" in text else DECLARATIONS + text


def asking() -> list[Path]:
    """The programs that ask for inputs."""
    return sorted((ROOT / "tests" / "c" / "inputs").glob("*.c"))


def several() -> list[list[Path]]:
    """The programs of several files."""
    return [
        sorted(folder.glob("*.c"))
        for folder in sorted((ROOT / "tests" / "c" / "several").iterdir())
    ]


def together(files: list[Path]) -> Preprocessing:
    """How a program of several files is read."""
    return Preprocessing(
        others=tuple(map(str, files[1:])), macros=(("D", "LIMIT=3"), ("U", "OTHER"))
    )


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("only", nargs="*", help="names of files, without ending")
    options.add_argument("--models", default="LP64,ILP32")
    options.add_argument("--every", type=int, default=1, metavar="N")
    o = options.parse_args()
    tally: collections.Counter[str] = collections.Counter()
    for model in [m for m in o.models.split(",") if can_compile(m)]:
        for n, (name, text) in enumerate(observing()):
            if not o.only or name.split(":")[0] in o.only:
                with tempfile.TemporaryDirectory() as folder:
                    _observe(
                        name, text, model, READINGS[n % o.every :: o.every], Path(folder), tally
                    )
        for file in asking():
            if not o.only or file.stem in o.only:
                _ask(file, model, tally)
        for files in several():
            with tempfile.TemporaryDirectory() as folder:
                _link(files, model, Path(folder), tally)
    for what, count in sorted(tally.items()):
        print(f"{count:7}  {what}")
    return 1 if any(what.startswith("WRONG") for what in tally) or not tally else 0


def _observe(
    name: str,
    text: str,
    model: str,
    readings: tuple[dict[str, str], ...],
    folder: Path,
    tally: collections.Counter[str],
) -> None:
    expected, clean = compiled_values(text, model, folder), is_clean(text, model, folder)
    for how in readings:
        outcome = _outcome(PRELUDE + text, model, how, expected, clean, folder)
        tally[outcome.partition(": ")[0]] += 1
        if not outcome.startswith("agree"):
            print(f"{name}, {model}, {' '.join(how.values())}: {outcome}", flush=True)


def _outcome(
    text: str, model: str, how: dict[str, str], expected: list[int], clean: bool, folder: Path
) -> str:
    source = folder / "input.c"
    source.write_text(text)
    try:
        run = Interpreter(load(source, data_model=model, **how)).start(Defaults())  # type: ignore[arg-type]
    except InputError as problem:
        return f"refused: {problem}"
    result = run.run(STEPS)
    if result.status is Status.FAILED and result.kind == LIMIT:
        return f"limit: {result.label}"
    if result.status is Status.FAILED and not clean:
        return "agree that it is undefined"
    if result.status is not Status.FINISHED:
        return f"WRONG: {result}"
    found = seen(run)
    first = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), len(found)
    )
    if found == expected:
        return "agree"
    return (
        f"WRONG: observation {first} is {expected[first : first + 1]}, ours"
        f" {found[first : first + 1]}"
    )


def is_clean(text: str, model: str, folder: Path) -> bool:
    """Are the sanitizers silent about a run?"""
    source, binary = folder / "sanitized.c", folder / "sanitized"
    source.write_text("#define main test_main\n" + PRELUDE + text + WRAPPER)
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv"]
    subprocess.run(
        [*GCC, *flags, *MODEL_FLAGS[model], str(source), "-o", str(binary), "-lm"],
        check=True,
        capture_output=True,
    )
    return (
        subprocess.run([str(binary)], check=False, capture_output=True, timeout=60).returncode == 0
    )


def _ask(file: Path, model: str, tally: collections.Counter[str]) -> None:
    """By `crosscheck`, as read for both ways to treat functions that are not defined."""
    for how in READINGS[::2]:
        try:
            report = crosscheck(file, load(file, data_model=model, **how), model, 20)  # type: ignore[arg-type]
        except InputError as problem:
            tally["refused"] += 1
            print(f"{file.stem}, {model}: refused: {problem}", flush=True)
            continue
        tally["agree on inputs" if report.compared else "nothing compared"] += 1
        for d in [x for x in report.differences if how["property"] in ERRORS or x.what != HALTED][
            :1
        ]:
            tally["WRONG crosscheck"] += 1
            print(f"{file.stem}, {model}, {' '.join(how.values())}: WRONG: {d.what}", flush=True)


def _link(files: list[Path], model: str, folder: Path, tally: collections.Counter[str]) -> None:
    """The result of a program of several files."""
    last = folder / "last.c"
    last.write_text(
        "int printf(const char *, ...); extern int result; int test_main(void);\n"
        'int main(void) { test_main(); printf("%d", result); return 0; }\n'
    )
    names = [str(f) for f in files]
    macros = ("-Dmain=test_main", "-DLIMIT=3", "-UOTHER")
    subprocess.run([*GCC, *MODEL_FLAGS[model], *macros, "-c", *names], check=True, cwd=folder)
    objects = [f"{f.stem}.o" for f in files]
    subprocess.run(
        [*GCC, *MODEL_FLAGS[model], str(last), *objects, "-o", "program"], check=True, cwd=folder
    )
    expected = int(
        subprocess.run(
            [str(folder / "program")], check=True, capture_output=True, timeout=60
        ).stdout
    )
    for how in READINGS:
        outcome = _linked(files, model, how, expected)
        tally[outcome.partition(": ")[0]] += 1
        if outcome != "agree":
            print(
                f"{files[0].parent.name}, {model}, {' '.join(how.values())}: {outcome}", flush=True
            )


def _linked(files: list[Path], model: str, how: dict[str, str], expected: int) -> str:
    try:
        run = Interpreter(
            load(files[0], data_model=model, preprocessing=together(files), **how)  # type: ignore[arg-type]
        ).start(Defaults())
    except InputError as problem:
        return f"refused: {problem}"
    ended = run.run(STEPS)
    # it frees nothing
    if ended.status is Status.FAILED and (ended.kind == LIMIT or ended.label == "valid-memtrack"):
        return f"limit: {ended.label}"
    found = run.value("result") if ended.status is Status.FINISHED else ended
    return "agree" if found == expected % 2**32 else f"WRONG: result {expected}, ours {found}"


if __name__ == "__main__":
    sys.exit(main())
