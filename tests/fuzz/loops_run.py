"""Random loops that count (tests/fuzz/loops.py): verdicts against the compiled program.

    python tests/fuzz/loops_run.py [--from 0] [--count 100] [--engine ic3cfa] [--timeout 10]
                                   [--property unreach-call] [--log FILE]

The compiled program is run with all inputs that the program asks for at its beginning, and some for
those inside of loops; runs with undefined behaviour are told apart. TRUE is wrong if such a run
fails. FALSE is wrong if the program with the harness of the trace does not fail. An internal error
is a complaint, too. The log keeps one line per case, and a run with the same log goes on where it
ended. Exit status 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import obligato  # noqa: E402
from obligato.errors import InputError, InternalError  # noqa: E402
from obligato.results.outcome import Outcome, Verdict  # noqa: E402
from tests.fuzz.loops import TYPES, Generator, plain  # noqa: E402

UNDEFINED = ("-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,bounds",)
FLAGS = ("-w", "-std=gnu11", "-O1", *UNDEFINED, "-fsanitize-undefined-trap-on-error")
ROUNDS = 3_000_000  # of a run
OPEN = ("slow", "endless", "undefined", "no harness")  # nothing is known by the compiled program
STREAMS = 6  # of inputs inside of loops
DRIVER = """
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf out;
static long long given[2];
static int asked, stream;
static unsigned random_state;
static unsigned rounds;
#define TICK if (++rounds > %(rounds)d) siglongjmp(out, 3);
#define TEST
#define SEEN printf("%%lld %%lld %%lld\\n", (long long)x, (long long)y, (long long)z);
#define main checked
static void trap(int number) { siglongjmp(out, 2); }
void reach_error(void) { siglongjmp(out, 1); }
static long long next_value(void) {
  if (asked < 2) return given[asked++];
  if (stream < 4) return stream;
  random_state = random_state * 1103515245u + 12345u;
  return random_state >> 16;
}
%(inputs)s
%(program)s
#undef main
static void one(void) {
  asked = rounds = 0; random_state = stream;
  int how = sigsetjmp(out, 1);
  if (how == 0) { checked(); printf("end\\n"); }
  else printf("%%s %%lld %%lld\\n", how == 1 ? "error" : how == 2 ? "undefined" : "endless", given[0], given[1]);
}
int main(void) {
  signal(SIGILL, trap); signal(SIGTRAP, trap);
  for (stream = 0; stream < %(streams)d; stream++)
    for (long long i = 0; i <= %(many0)d; i++)
      for (long long k = 0; k <= %(many1)d; k++) {
        given[0] = %(first0)dULL + i; given[1] = %(first1)dULL + k; one();
      }
  return 0;
}
"""
INPUTS = "".join(
    f"{c} __VERIFIER_nondet_{t}(void) {{ return next_value(); }}\n"
    for t, (c, _, _) in TYPES.items()
)
END = """
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static void trap(int number) { _Exit(2); }
void reach_error(void) { _Exit(1); }
static unsigned long long rounds;
#define TICK if (++rounds > 400000000ull) _Exit(3);
#define SEEN
__attribute__((constructor)) static void begin(void) { signal(SIGILL, trap); signal(SIGTRAP, trap); }
"""


def compiled(*files: Path) -> Path:
    """The binary of C files."""
    binary = files[0].with_suffix("")
    subprocess.run(
        ["gcc", *FLAGS, *map(str, files), "-o", str(binary)], check=True, capture_output=True
    )
    return binary


def runs(text: str, ranges: list[tuple[int, int]], folder: Path) -> list[list[str]]:
    """What the runs of the compiled program print, word by word."""
    streams = STREAMS if text.count("nondet_") > len(TYPES) + 2 else 1
    (a, b), (c, d) = ranges
    source = folder / "runs.c"
    wide = {"first0": a % (1 << 64), "first1": c % (1 << 64), "many0": b - a, "many1": d - c}
    fill = {**wide, "rounds": ROUNDS, "streams": streams, "inputs": INPUTS, "program": text}
    source.write_text(DRIVER % fill)
    done = subprocess.run([str(compiled(source))], check=True, capture_output=True, text=True)
    return [line.split() for line in done.stdout.splitlines()]


def confirmed(text: str, outcome: Outcome, folder: Path) -> str:
    """How the program ends with the inputs of a trace."""
    program, harness = folder / "ended.c", folder / "harness.c"
    program.write_text(END + text)
    harness.write_text(inputs := obligato.report(outcome, "harness"))
    if inputs.startswith("/* There is no harness"):  # it would have to hold too many inputs
        return "no harness"
    try:
        done = subprocess.run([str(compiled(program, harness))], timeout=60)
    except subprocess.TimeoutExpired:
        return "slow"
    return {0: "no error", 1: "error", 2: "undefined", 3: "endless"}.get(done.returncode, "crash")


def judge(number: int, o: argparse.Namespace, folder: Path) -> str:
    """A word about a case; what is wrong is in capitals."""
    generator = Generator(number)
    text = generator.program()
    seen = [list(map(int, w)) for w in runs(text, generator.ranges, folder) if w[0][-1].isdigit()]
    text = generator.tested(text, sorted(set(map(tuple, seen))))
    ends = collections.Counter(
        w[0] for w in runs(text, generator.ranges, folder) if not w[0][-1].isdigit()
    )
    file = folder / "case.c"
    file.write_text(plain(text))
    try:
        outcome = obligato.verify(
            file, o.engine, property=o.property, timeout=o.timeout, memory=o.memory
        )
    except InputError as problem:
        return f"refused: {problem}"
    except InternalError as problem:
        return f"INTERNAL ERROR: {problem}"
    bad = ends["undefined"] if o.property == "no-overflow" else ends["error"]
    known = "an error" if bad else "open" if ends["endless"] or ends["undefined"] else "no error"
    if outcome.verdict is Verdict.TRUE:
        return "WRONG true" if bad else f"true, {known}"
    if outcome.verdict is Verdict.FALSE:
        how = confirmed(text, outcome, folder)
        return judged_false(how, o.property, bool(outcome.trace and outcome.trace.repeats))
    return f"unknown, {known}" + (
        "" if not outcome.reason or "time" in outcome.reason else f": {outcome.reason}"
    )


def judged_false(how: str, property: str, repeats: bool) -> str:
    """FALSE, and how the program ends with the harness."""
    wanted = "undefined" if property == "no-overflow" else "error"
    word = "false with repeats" if repeats else "false"
    if how == wanted:
        return word
    return f"{word}, {how}" if how in OPEN else f"WRONG {word}: {how}"


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("--from", type=int, default=0, dest="first")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--engine", default="ic3cfa")
    options.add_argument("--property", default="unreach-call")
    options.add_argument("--timeout", type=float, default=10)
    options.add_argument("--memory", type=int, default=3000)
    options.add_argument("--log", type=Path, help="where outcomes are kept")
    o = options.parse_args()
    kept = o.log.read_text().splitlines() if o.log is not None and o.log.exists() else []
    done = dict(line.split("\t", 1) for line in kept)
    tally: collections.Counter[str] = collections.Counter()
    for number in map(str, itertools.islice(itertools.count(o.first), o.count)):
        if number not in done:
            with tempfile.TemporaryDirectory() as folder:
                done[number] = judge(int(number), o, Path(folder)).replace("\n", " ")
            if o.log is not None:
                with o.log.open("a") as out:
                    out.write(f"{number}\t{done[number]}\n")
        if done[number].isupper() or done[number].split()[0].isupper():
            print(f"case {number}: {done[number]}", flush=True)
        tally[done[number].partition(":")[0]] += 1
    for what, count in sorted(tally.items()):
        print(f"{count:7}  {what}")
    return 1 if any(what.split()[0].isupper() for what in tally) else 0


if __name__ == "__main__":
    sys.exit(main())
