"""Runs a C file twice, compiled and interpreted, and compares what it observed.

A test calls ``observe(x)`` and ``observe_double(x)``; the prelude keeps the values in a global
array. Compiled, a wrapper prints the array; interpreted, it is read from the final state.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

from obligato.frontends.c import load
from obligato.program.interpreter import Defaults, Execution, Interpreter, Result, Status
from obligato.program.syntax import Program
from obligato.program.validate import validate
from obligato.terms import ArrayValue

GCC = (
    "gcc",
    "-O0",
    "-w",
    "-std=gnu11",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-builtin",
)
MODEL_FLAGS = {"LP64": ("-m64",), "ILP32": ("-m32", "-msse2", "-mfpmath=sse")}
PRELUDE = """static unsigned long long seen_values[4096]; static int seen_count;
static void observe(long long v) { seen_values[seen_count] = v; seen_count++; }
static void observe_double(double d) { union { double d; long long l; } u; u.d = d; observe(u.l); }
"""
WRAPPER = """
#undef main
int printf(const char *, ...);
int main(void) { int i; test_main(); for (i = 0; i < seen_count; i++) printf("%llu\\n", seen_values[i]); return 0; }
"""


@cache
def can_compile(data_model: str) -> bool:
    """Is there a compiler (with libraries) for the data model?"""
    if shutil.which("gcc") is None:
        return False
    program = b"#include <stdio.h>\nint main(void) { return 0; }"
    run = subprocess.run(
        ["gcc", *MODEL_FLAGS[data_model], "-x", "c", "-o", "/dev/null", "-"],
        input=program,
        check=False,
        capture_output=True,
    )
    return run.returncode == 0


def compiled_values(text: str, data_model: str, folder: Path) -> list[int]:
    """What the compiled program observes."""
    source, binary = folder / "compiled.c", folder / "compiled"
    source.write_text("#define main test_main\n" + PRELUDE + text + WRAPPER)
    subprocess.run(
        [*GCC, *MODEL_FLAGS[data_model], str(source), "-o", str(binary), "-lm"],
        check=True,
        capture_output=True,
    )
    done = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=20)
    return [int(line) for line in done.stdout.split()]


def load_text(text: str, folder: Path, **options: str) -> Program:
    """The program of a C text, validated."""
    source = folder / "input.c"
    source.write_text(text)
    program = load(source, **options)  # type: ignore[arg-type]
    validate(program)
    return program


def interpreted_values(
    text: str, data_model: str, folder: Path, memory: str = "auto", addresses: str = "any"
) -> list[int]:
    """What the interpreted program observes."""
    result, run = interpret(text, data_model, folder, memory, addresses)
    assert result.status is Status.FINISHED, (result, folder)
    return seen(run)


def interpret(
    text: str, data_model: str, folder: Path, memory: str = "auto", addresses: str = "any"
) -> tuple[Result, Execution]:
    """How the interpreted program ends, and its final state."""
    program = load_text(
        PRELUDE + text, folder, data_model=data_model, memory=memory, addresses=addresses
    )
    run = Interpreter(program).start(Defaults())
    return run.run(5_000_000), run


def seen(run: Execution) -> list[int]:
    """What a run observed."""
    count, values = run.value("seen_count"), run.value("seen_values")
    assert isinstance(count, int) and isinstance(values, ArrayValue)
    return [int(str(values.get(i))) for i in range(count)]
