"""`obligato replay` and `obligato bench run --replay`:
a counterexample of a C program, compiled and run.

The program is compiled as it is, and beside it the harness (`reports.harness`) that gives it the
inputs of the trace. Its error functions are made weak in the object file, so that those here are
called instead: they say that the error is reached. What is no call (overflows, divisions, shifts,
accesses) is found by sanitizers of the compiler. The run has limits of time and memory.
Uninitialised variables are zero, or where that does not lead to the error, some other value, or
what chance has left on the stack; allocations then hold pointers to readable memory.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from obligato.bench.limited import Ended, Limits, start
from obligato.bench.score import FALSE
from obligato.bench.tools import OUTCOME, Conclusion, Tool, read_outcome
from obligato.errors import ConfigError, InputError, Span
from obligato.reports.harness import harness_text
from obligato.results.outcome import Outcome, StepReport, TraceReport, Verdict

COMPILE_S = 120
REACHED = "obligato: the error is reached"
STATUS = 99  # of a run in which the error is reached
_ERRORS = ("reach_error", "__VERIFIER_error")
_FLAGS = ("-O0", "-std=gnu11", "-fno-strict-aliasing", "-fno-builtin")
_TRAP = "-fsanitize-undefined-trap-on-error"
_SANITIZERS = {
    "no-overflow": ("-fsanitize=signed-integer-overflow,shift", _TRAP),
    "shifts": ("-fsanitize=shift", _TRAP),
    "div-by-zero": ("-fsanitize=integer-divide-by-zero", _TRAP),
    "memsafety": ("-fsanitize=address",),
    "valid-memsafety": ("-fsanitize=address",),
}
_STRONG = f"""int puts(const char *); int fflush(void *); void _exit(int);
static void obligato_reached(void) {{ puts("{REACHED}"); fflush(0); _exit({STATUS}); }}
void reach_error(void) {{ obligato_reached(); }}
void __VERIFIER_error(void) {{ obligato_reached(); }}
"""
_ASSERT = (
    "void __assert_fail(const char *a, const char *b, unsigned c, const char *d) {"
    " obligato_reached(); }\n"
)


# The stack below the program, and allocations, hold what chance has left there: numbers, or
# pointers to words that point to themselves.
LEFT = "uninitialized"
_SEEDS = 6
_ENTRY = "obligato_entry"
_LEFT = """#include <stdlib.h>
static unsigned long scratch[4096], chance = 12345;
static unsigned long next_word(unsigned seed)
{
    chance = chance * 1664525ul + 1013904223ul;
    return seed % 2 ? (unsigned long)(scratch + chance % 2048)
                    : (unsigned long)(int)(chance & 0xffffffff) >> 8 * (seed / 2);
}
static unsigned seed;
__attribute__((noinline)) static void paint(void)
{
    volatile unsigned long words[1 << 14];
    for (unsigned i = 0; i < 1 << 14; i++) words[i] = next_word(seed);
}
void *__real_malloc(size_t);
void *__wrap_malloc(size_t size)
{
    unsigned long *block = __real_malloc(size + sizeof *block);
    for (size_t i = 0; block && i < size / sizeof *block; i++) block[i] = next_word(seed);
    return block;
}
int obligato_entry(int, char **);
int main(int argc, char **argv)
{
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    for (unsigned i = 0; i < 4096; i++) scratch[i] = (unsigned long)(scratch + i % 2048);
    argv[1] = 0;
    paint();
    return obligato_entry(1, argv);
}
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """Was the error reached? If not, `reason` says what happened instead."""

    reached: bool
    reason: str = ""


def replay(
    program: Path, said: Mapping[str, Any], file: str, seconds: float = 10, memory: int = 2000
) -> Replayed:
    """Compile and run the program with the inputs of the trace in the JSON outcome `said` of
    `file`."""
    outcome = _outcome(program, said, file)
    compiler = shutil.which("gcc") or shutil.which("clang")
    if compiler is None or shutil.which("objcopy") is None:
        raise ConfigError(
            "replay needs a C compiler (gcc or clang) and objcopy, and they are not installed"
        )
    text = harness_text(outcome)
    if "There is no" in text.partition("\n")[0]:
        return Replayed(False, text.strip("/* \n"))
    # address sanitizer reserves much
    space = 20_000_000 if "memsafety" in outcome.property else memory
    fills = ("zero", "pattern") if "memsafety" in outcome.property else ("zero", "pattern", LEFT)
    first: Replayed | None = None
    for fill in fills:
        found = _attempt(
            compiler, program, outcome, text, fill, Limits(seconds, 10 * seconds, space)
        )
        if found.reached or not found.reason.startswith("the run"):
            return found if first is None or found.reached else first
        first = first or found
    assert first is not None
    return first


def _attempt(
    compiler: str, program: Path, outcome: Outcome, text: str, fill: str, limits: Limits
) -> Replayed:
    """One compiled program; `fill` (zero, pattern or LEFT) is what uninitialised variables hold.
    Run with one chance after another if that decides."""
    with TemporaryDirectory(prefix="obligato-replay-") as folder:
        try:
            binary = _build(compiler, program, outcome, text, Path(folder), fill)
        except subprocess.TimeoutExpired:
            return Replayed(False, "the compiler takes too long")
        if isinstance(binary, str):
            return Replayed(False, f"cannot be compiled: {binary}")
        found = Replayed(False)
        for seed in range(_SEEDS if fill == LEFT else 1):
            ended = start(
                [str(binary), *([str(seed)] if fill == LEFT else [])], limits, Path(folder)
            ).wait()
            found = _judged(ended, outcome.property)
            if found.reached or _told_by_compiler(Path(folder) / "said", outcome, ended):
                return Replayed(True)
        return found


def _told_by_compiler(said: Path, outcome: Outcome, ended: Ended) -> bool:
    """Has the compiler computed the overflow itself, at the line of the violation?
    Then the compiled program has none."""
    assert outcome.trace is not None
    line = outcome.trace.violation.rpartition(": ")[0].rpartition(":")[2]
    texts = said.read_text(encoding="utf-8").splitlines()
    told = any(re.search(rf":{line}:\d+: warning: .*\[-Woverflow\]", text) for text in texts)
    return outcome.property == "no-overflow" and ended.how == "exited" and bool(line) and told


def replaying(maker: Callable[[], Tool]) -> Tool:
    """The tool, of whose verdicts about C programs each counterexample is compiled and run:
    `replayed` in its statistics."""
    tool = maker()

    def read(ended: Ended, folder: Path) -> Conclusion:
        conclusion = tool.read(ended, folder)
        said = read_outcome(folder / OUTCOME) if conclusion.status == FALSE else None
        if said is None or not str(said["file"]).endswith((".c", ".i")):
            return conclusion
        try:
            done = replay(Path(said["file"]), said, OUTCOME)
        except InputError as problem:
            done = Replayed(False, problem.message)
        return replace(
            conclusion, stats={**conclusion.stats, "replayed": done.reached, "replay": done.reason}
        )

    return replace(tool, read=read)


def _outcome(program: Path, said: Mapping[str, Any], file: str) -> Outcome:
    """The outcome with as much of its trace as a harness needs."""
    trace = said.get("trace") or next(
        (p["trace"] for p in said.get("properties", ()) if p.get("trace")), None
    )
    if not trace:
        raise InputError("there is no trace in it", Span(file))
    try:
        return Outcome(
            str(said["property"]),
            Verdict.FALSE,
            trace=_trace(trace),
            file=str(program),
            options=dict(said["options"]),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise InputError(f"malformed trace: {problem!r}", Span(file)) from problem


def _trace(told: Mapping[str, Any]) -> TraceReport:
    """The trace that a report tells; what is missing or no number raises."""
    steps = tuple(
        StepReport(
            s["edge"],
            str(s["file"]),
            int(s["line"]),
            str(s["statement"]),
            {},
            dict(s["inputs"]),
            call=str(s.get("call", "")),
        )
        for s in told["steps"]
    )
    repeats = tuple(
        (int(r["start"]), int(r["end"]), int(r["times"])) for r in told.get("repeats", ())
    )
    violation, script = str(told.get("violation", "")), told.get("script")
    cut = bool(told.get("cut"))
    return TraceReport({}, {}, steps, True, violation, repeats=repeats, script=script, cut=cut)


def _build(
    compiler: str, program: Path, outcome: Outcome, text: str, folder: Path, fill: str
) -> Path | str:
    """The binary, or what the compiler says."""
    how = outcome.options.get("preprocessing") or {}
    model = "-m32" if outcome.options.get("data_model") == "ILP32" else "-m64"
    flags = [*_FLAGS, f"-ftrivial-auto-var-init={fill}", model, "-I", str(program.parent)]
    flags += [f"-{letter}{text}" for letter, text in how.get("macros", ())]
    flags += [x for f in how.get("folders", ()) for x in ("-I", str(f))]
    checks = _SANITIZERS.get(outcome.property, ())
    flags.append("-Woverflow" if outcome.property == "no-overflow" else "-w")
    objects = []
    for n, source in enumerate([program, *map(Path, how.get("others", ()))]):
        objects.append(folder / f"program{n}.o")
        problem = _run(
            [compiler, *flags, *checks, "-x", "c", "-c", str(source), "-o", str(objects[-1])],
            folder / "said",
        )
        weak = [x for name in _ERRORS for x in ("--weaken-symbol", name)]
        entry = str(outcome.options.get("entry", "main"))
        first = _ENTRY if fill == LEFT else "main"
        renamed = [] if entry == first else ["--redefine-sym", f"{entry}={first}"]
        renamed = renamed if entry == "main" else ["--redefine-sym", "main=original_main", *renamed]
        problem = problem or _run(["objcopy", *weak, *renamed, str(objects[-1])])
        if problem:
            return problem
    harness = folder / "harness.c"
    harness.write_text(text, encoding="utf-8")
    strong = folder / "strong.c"
    asserted = _ASSERT if outcome.property == "assertions" else ""
    strong.write_text(_STRONG + asserted + (_LEFT if fill == LEFT else ""), encoding="utf-8")
    binary = folder / "program"
    link = ["-Wl,--wrap=malloc"] if fill == LEFT else []
    link += ["-Wl,--unresolved-symbols=ignore-all", "-no-pie", "-o", str(binary), "-lm"]
    return (
        _run([compiler, *flags, *checks, str(harness), str(strong), *map(str, objects), *link])
        or binary
    )


def _run(command: Sequence[str], notes: Path | None = None) -> str:
    """What a command complains about; empty if it succeeds.
    What it says besides is added to the file `notes`."""
    done = subprocess.run(list(command), capture_output=True, check=False, timeout=COMPILE_S)
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    if notes is not None:
        with notes.open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in said)
    first = next(
        (x for x in said if "error" in x or "undefined" in x), said[0] if said else "unknown reason"
    )
    return first if done.returncode else ""


def _judged(ended: Ended, property: str) -> Replayed:
    if ended.how != "exited":
        return Replayed(False, f"the run ended by its limit of {ended.how}")
    if REACHED in ended.out and ended.status == STATUS:
        return Replayed(True)
    trapped = (
        ended.status in (-signal.SIGILL, -signal.SIGTRAP, -signal.SIGFPE)
        and "memsafety" not in property
    )
    if property in _SANITIZERS and (trapped or "AddressSanitizer" in ended.err):
        return Replayed(True)
    return Replayed(False, f"the run ended with status {ended.status} without the error")
