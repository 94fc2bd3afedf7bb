"""Random small C programs (tests/fuzz/whole.py), proved or refuted as a whole: verdicts against all
runs of the compiled program.

    python tests/fuzz/whole_run.py [--from 0] [--count 100] [--timeout 10] [--log FILE]
                                   [--engine NAME] [--show]

The number decides what is asked: assertions, memory safety (also with lost memory), overflow,
termination, and of which data model. All choices of inputs are tried, by gcc's sanitizers, each run
in a process of its own; runs with undefined behaviour that is not asked for are told apart. TRUE is
wrong if a run fails, FALSE if all runs were tried and none fails (that a run does not end is not
known, so TRUE about termination is not judged). What an engine cannot decide in
time counts as unknown. The log keeps one line per case, and a run with the same log goes on where
it ended. Exit status 1 if anything is wrong, or an internal error.
"""

from __future__ import annotations

import argparse
import collections
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
import obligato  # noqa: E402
from obligato.errors import InputError, InternalError  # noqa: E402
from obligato.results.outcome import Verdict  # noqa: E402
from tests.c.harness import MODEL_FLAGS, can_compile  # noqa: E402
from tests.fuzz.whole import PICKS, PROBE, Generator, plain  # noqa: E402

FLAGS = ("-w", "-std=gnu11", "-O1", "-g0", "-fno-builtin")
ARITHMETIC = "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero"
MEMORY = "-fsanitize=address,bounds"
MOST, MOST_WATCHED = 800, 150  # runs of one program; with a sanitizer of addresses
ENDS = ("end", "error", "undefined", "endless", "many", "lost", "memory")
DRIVER = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
enum { END, ERROR, UNDEFINED, ENDLESS, MANY, LOST, MEMORY, PROBES = 400, KEPT = 60 };
static struct { unsigned rounds; int depth, choice[200], width[200]; int many[PROBES]; long long kept[PROBES][KEPT]; } *all;
static int used, live; static unsigned rounds;
static void finish(int how) { _exit(how); }
static void trap(int number) { finish(UNDEFINED); }
static void slow(int number) { finish(MANY); }
const char *__asan_default_options(void) { return "exitcode=6:detect_leaks=0:detect_stack_use_after_return=1:log_path=/dev/null"; }
void reach_error(void) { finish(ERROR); }
static unsigned pick(unsigned n)
{
  if (used == 200) finish(MANY);
  if (used == all->depth) { all->choice[used] = 0; all->width[used] = n; all->depth++; }
  return all->choice[used++];
}
static void probe(int k, long long v)
{
  for (int i = 0; i < all->many[k]; i++) if (all->kept[k][i] == v) return;
  if (all->many[k] < KEPT) { all->kept[k][all->many[k]++] = v; return; }
  long long *low = all->kept[k], *high = low + 1;
  for (int i = 0; i < KEPT; i++) {
    if (all->kept[k][i] < *low) { long long t = *low; *low = all->kept[k][i]; all->kept[k][i] = t; }
    if (all->kept[k][i] > *high) { long long t = *high; *high = all->kept[k][i]; all->kept[k][i] = t; }
  }
  if (v < *low) *low = v;
  if (v > *high) *high = v;
}
static void *my_malloc(size_t n) { live++; void *p = malloc(n); memset(p, 0x5a, n); return p; }
static void my_free(void *p) { live -= p != 0; free(p); }
#define TICK if (++rounds > 2000000) finish(ENDLESS); if (++all->rounds > 20000000) finish(MANY);
#define main checked
#define malloc my_malloc
#define free my_free
%s
#undef main
int main(void)
{
  int ends[7] = {0}, runs = 0;
  all = mmap(0, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  signal(SIGILL, trap); signal(SIGTRAP, trap); signal(SIGALRM, slow);
  for (;;) {
    int status, child = fork();
    if (!child) { alarm(2); checked(); finish(live && TRACKED ? LOST : END); }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) < 7) ends[WEXITSTATUS(status)]++;
    else ends[MEMORY]++;
    while (all->depth && all->choice[all->depth - 1] + 1 == all->width[all->depth - 1]) all->depth--;
    if (!all->depth) break;
    if (++runs == %d || ends[ENDLESS] > 4 || ends[MANY] || all->rounds > 20000000) { ends[MANY]++; break; }
    all->choice[all->depth - 1]++;
  }
  for (int i = 0; i < 7; i++) printf("%%d ", ends[i]);
  for (int k = 0; k < PROBES; k++) {
    if (all->many[k]) printf("\\n%%d", k);
    for (int i = 0; i < all->many[k]; i++) printf(" %%lld", all->kept[k][i]);
  }
  return 0;
}
"""
Runs = tuple[collections.Counter[str], dict[int, list[int]]]


def runs(text: str, wanted: str, model: str, folder: Path) -> Runs:
    """How the runs of a compiled program end, and what its probes saw."""
    text = PROBE.sub(lambda m: f"probe({m[1]}, {m[2]});", text)
    text = text[text.index("PICKS") + 5 :].replace("PICK(", "pick(")
    source, binary = folder / "runs.c", folder / "runs"
    source.write_text(DRIVER % (text, MOST_WATCHED if "mem" in wanted else MOST))
    checks = [ARITHMETIC, "-fsanitize-undefined-trap-on-error"]
    if "mem" in wanted:
        checks = [MEMORY, "-fsanitize-undefined-trap-on-error"]
    tracked = int(wanted == "valid-memsafety")
    command = ["gcc", *FLAGS, *checks, *MODEL_FLAGS[model], f"-DTRACKED={tracked}"]
    subprocess.run([*command, str(source), "-o", str(binary)], check=True, capture_output=True)
    done = subprocess.run([str(binary)], check=True, capture_output=True, text=True, timeout=120)
    first, *rest = done.stdout.splitlines()
    seen = [list(map(int, line.split())) for line in rest]
    counts = collections.Counter(dict(zip(ENDS, map(int, first.split()), strict=True)))
    return counts, {k: values for k, *values in seen}


def failing(ends: collections.Counter[str], wanted: str) -> int:
    """How many runs violate the property; a long run may end later."""
    kinds: dict[str, tuple[str, ...]] = {
        "memsafety": ("memory", "undefined"),
        "valid-memsafety": ("memory", "undefined", "lost"),
        "no-overflow": ("undefined",),
        "termination": (),
    }
    return sum(ends[kind] for kind in kinds.get(wanted, ("error",)))


def known(ends: collections.Counter[str], wanted: str) -> str:
    """What is known by the runs: that one fails, that none does, or nothing."""
    if failing(ends, wanted):
        return "fails"
    left = set(ENDS) - {"end", "error", "lost"}  # membership only
    return "open" if any(ends[kind] for kind in left) else "holds"


def judge(number: int, o: argparse.Namespace, folder: Path) -> str:
    """A word about a case; what is wrong is in capitals."""
    generator = Generator(number)
    wanted = generator.property
    model = "ILP32" if number % 3 == 0 and can_compile("ILP32") else "LP64"
    text = generator.program()
    seen = runs(text, wanted, model, folder)[1] if wanted == "assertions" else {}
    text = generator.asserted(text, seen)
    truth = known(runs(text, wanted, model, folder)[0], wanted)
    file = folder / "case.c"
    file.write_text(plain(text, number % len(PICKS)))
    if o.show:
        print(f"{wanted} {model} {truth}\n{file.read_text()}")
    limits = {"timeout": o.timeout, "memory": 3000}
    try:
        outcome = obligato.verify(file, o.engine, property=wanted, data_model=model, **limits)
    except InputError as problem:
        return f"refused: {problem}"
    except InternalError as problem:
        return f"INTERNAL ERROR: {problem}"
    said = outcome.verdict
    wrong = (said is Verdict.TRUE and truth == "fails") or (
        said is Verdict.FALSE and truth == "holds"
    )
    reason = f": {outcome.reason}" if said is Verdict.UNKNOWN else ""
    return f"{'WRONG ' * wrong}{wanted} {said.value}, {truth}{reason}"


def main() -> int:
    """Compare, count, report."""
    options = argparse.ArgumentParser()
    options.add_argument("--from", type=int, default=0, dest="first")
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--engine", default="auto")
    options.add_argument("--timeout", type=float, default=10)
    options.add_argument("--log", type=Path, help="where outcomes are kept")
    options.add_argument("--show", action="store_true", help="print the programs")
    o = options.parse_args()
    kept = o.log.read_text().splitlines() if o.log is not None and o.log.exists() else []
    done = dict(line.split("\t", 1) for line in kept)
    tally: collections.Counter[str] = collections.Counter()
    for number in map(str, range(o.first, o.first + o.count)):
        if number not in done:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    done[number] = judge(int(number), o, Path(folder)).replace("\n", " ")
                except subprocess.TimeoutExpired:
                    done[number] = "slow"
            if o.log is not None:
                with o.log.open("a") as out:
                    out.write(f"{number}\t{done[number]}\n")
        if done[number].split()[0].isupper():
            print(f"case {number}: {done[number]}", flush=True)
        tally[done[number].partition(":")[0]] += 1
    for what, count in sorted(tally.items()):
        print(f"{count:7}  {what}")
    return 1 if any(what.split()[0].isupper() for what in tally) else 0


if __name__ == "__main__":
    sys.exit(main())
