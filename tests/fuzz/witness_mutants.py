"""Can validation fail? Mutated witnesses, and a compiler that judges those which are accepted.

    python tests/fuzz/witness_mutants.py --count 200 --seed 1

A mutant may still be a correct witness. Of an accepted one, the program with its markers is
compiled: in random runs no invariant may fail, and the run that was found must pass all segments
before it reaches the error.
"""

from __future__ import annotations

import argparse
import copy
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.errors import ObligatoError
from obligato.frontends.c.driver import marked
from obligato.frontends.c.source import read_source, with_stack
from obligato.frontends.c.witness import Witness, read_witness
from obligato.frontends.preprocessing import DEFAULT
from obligato.reports.harness import harness_text
from obligato.reports.svcomp import witness_text
from obligato.results.outcome import Outcome, Verdict

HEAD = """extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
"""
PROGRAMS = [
    HEAD + text
    for text in (
        """int main(void) { int x = __VERIFIER_nondet_int(), i = 0, s = 0;
  if (x < 0 || x > 20) return 0;
  while (i < x) { i++; s += 2; }
  if (s != 2 * x) reach_error();
  return 0; }
""",
        """int f(int n) { int r = 0; for (int k = 0; k < n; k++) r += 3; return r; }
int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); int a;
  if (c > 30) return 0;
  a = f(c); a += f(2);
  if (a > 96 || a < 6) reach_error();
  return 0; }
""",
        """int main(void) { int a = __VERIFIER_nondet_int(), b = 0;
  do { b++; if (a > 5) a = 5; } while (b < 7);
back:
  if (a > 0 && a < 50) { a--; b++; goto back; }
  if (b < 7) reach_error();
  return 0; }
""",
        """int main(void) { int n = 0, x = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar();
  while (n < 3) { x = __VERIFIER_nondet_int(); if (x == 4) n++;
    else n = n + 0; if (x == 9) return 1; }
  if (c == 200) reach_error();
  return 0; }
""",
        """int g(int n) { return n > 3 ? n - 1 : n; }
int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), i;
  for (i = 0; i < 4; i++) { if (x > 10) { x = g(x); } else { y = g(y); } }
  if (x == 20 && y == 7) { x++; reach_error(); }
  if (x == 21) reach_error();
  return 0; }
""",
        """enum { IDLE, ARMED, OPEN, STUCK };
static int state = IDLE, opened, level = 20;
static void step(int command) {
  switch (state) {
    case IDLE: if (command == 1) state = ARMED; break;
    case ARMED: if (command == 2) { state = OPEN; opened++; } else if (command == 0) state = IDLE; break;
    case OPEN: level--; if (level < 5) state = STUCK; else if (command == 3) state = IDLE; break;
    default: state = IDLE; }
}
static int clamp(int x, int low, int high) {
  if (x < low) return low;
  if (x > high) { return high; }
  return x;
}
int main(void) { int round, wish, sum = 0;
  for (round = 0; round < 6; round++) {
    wish = __VERIFIER_nondet_int();
    wish = clamp(wish, 0, 3);
    step(wish);
    sum += wish;
    if (state == OPEN) { level = clamp(level + 2, 0, 30); }
  }
  if (opened > 1 && sum == 9) reach_error();
  return 0; }
""",
        """static int area(int w, int h) { int a = 0, i = 0; while (i < h) { a += w; i++; } return a; }
static int limit(unsigned char c) { if (c > 12) return 12; return c; }
int main(void) { int w = limit(__VERIFIER_nondet_uchar()), h = limit(__VERIFIER_nondet_uchar()), last = 0, n = 0, total = 0;
  if (w < 1) w = 1;
  while (n < 50) {
    int more = __VERIFIER_nondet_int();
    if (more > 100) break;
    if (more < 0) { n++; continue; }
    last = more;
    do { n += 1; last -= 10; } while (last > 0);
    total++;
  }
  if (area(3, h) != 3 * h) reach_error();
  if (last > 100 || w > 12) reach_error();
  return 0; }
""",
    )
]
COUNTING = """#include <stdio.h>
#include <stdlib.h>
static int segment, passed = %d; static const int at[] = {%s}, to[] = {%s};
void obligato_mark(int n, int holds, int ends) {
  if (ends) { if (segment == passed) segment = passed + 1; }
  else if (segment == at[n] && holds) segment = to[n]; }
void reach_error(void) { printf(segment == passed ? "FOLLOWED\\n" : "ELSEWHERE\\n"); fflush(0); _Exit(0); }
"""
ASSERTING = """#include <stdio.h>
#include <stdlib.h>
static unsigned long long seed; static unsigned next(void) { seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  unsigned r = seed >> 33; return r & 64 ? r %% 40 - 5 : r & 128 ? r * 2654435761u : r %% 256; }
void obligato_mark(int n, int holds, int ends) { if (!holds) { printf("VIOLATED %%d\\n", n); fflush(0); _Exit(0); } }
int __VERIFIER_nondet_int(void) { return next(); } unsigned char __VERIFIER_nondet_uchar(void) { return next(); }
void reach_error(void) { printf("ERROR\\n"); fflush(0); _Exit(0); }
__attribute__((constructor)) static void begin(void) { seed = strtoull(getenv("SEED"), 0, 10); }
"""
MACRO = "-D__obligato_mark(n,...)=OBLIGATO_X(n,__VA_ARGS__,0)"


def mutate(data: list[Any], rng: random.Random, lines: int) -> str:
    """Change one thing; what it was."""
    content = data[0]["content"]
    item = rng.choice(content)
    part = item["invariant"] if "invariant" in item else item["segment"][0]["waypoint"]
    place, holder = part["location"], part if "value" in part else part.get("constraint")
    kind = rng.choice(
        [
            "line",
            "column",
            "value",
            "value",
            "value",
            "function",
            "drop",
            "copy",
            "swap",
            "kind",
            "negate",
        ]
    )
    if kind in ("line", "column"):
        place[kind] = (
            rng.randrange(1, lines + 2)
            if kind == "line"
            else max(1, place[kind] + rng.choice([-9, -3, -1, 1, 2, 7]))
        )
    elif kind == "function":
        place[kind] = rng.choice(["f", "g", "main", "other"])
    elif kind == "value" and holder:
        holder["value"] = changed(holder["value"], rng)
    elif kind == "negate" and holder and "\\" not in holder["value"]:
        holder["value"] = f"!({holder['value']})"
    elif kind == "drop":
        content.remove(item)
    elif kind == "copy":
        content.insert(rng.randrange(len(content)), copy.deepcopy(item))
    elif kind == "swap":
        other = rng.choice(content)
        i, j = content.index(item), content.index(other)
        content[i], content[j] = content[j], content[i]
    elif kind == "kind":
        names = (
            ("loop_invariant", "location_invariant")
            if "value" in part
            else ("assumption", "function_enter", "branching")
        )
        part["type"] = rng.choice(names)
    return kind


def changed(text: str, rng: random.Random) -> str:
    """Another number or operator somewhere in an expression."""
    spots = list(re.finditer(r"\b\d+|<=|>=|==|!=|&&|\|\||<(?![<=])|>(?![>=])", text))
    if not spots:
        return text
    spot = rng.choice(spots)
    word = spot[0]
    new = (
        str(max(0, int(word) + rng.choice([-5, -1, 1, 2, 100])))
        if word.isdigit()
        else rng.choice(
            ["&&", "||"] if word in ("&&", "||") else ["<", "<=", ">", ">=", "==", "!="]
        )
    )
    return text[: spot.start()] + new + text[spot.end() :]


def compiled(program: Path, witness: Witness, more: list[str], folder: Path) -> Path:
    """The program with the markers of a witness, beside C texts that say what they do."""

    def text() -> bytes:
        unit, _ = marked(read_source(program, "LP64", DEFAULT), "LP64", witness.markers)
        found = unit.source.text
        unit.close()
        return found

    sources = [folder / "marked.c", *(folder / f"more{n}.c" for n in range(len(more)))]
    sources[0].write_bytes(with_stack(text))
    for file, content in zip(sources[1:], more, strict=True):
        file.write_text(content)
    macros = [MACRO, "-DOBLIGATO_X(n,e,x,...)=obligato_mark(n,(e)!=0,x)"]
    subprocess.run(
        ["gcc", "-w", "-fwrapv", *macros, *map(str, sources), "-o", str(folder / "binary")],
        check=True,
    )
    return folder / "binary"


def judge(program: Path, claim: Path, outcome: Outcome, folder: Path, seed: int) -> str:
    """What the compiler says about an accepted witness: empty, or why it is wrong."""
    witness = read_witness(str(claim), str(program))
    if not witness.correct:
        passed = max(m.segment for m in witness.markers) + 1
        at = ", ".join(str(m.segment) for m in witness.markers)
        to = ", ".join(str(m.segment + 1 if m.follow else passed + 1) for m in witness.markers)
        binary = compiled(
            program, witness, [COUNTING % (passed, at, to), harness_text(outcome)], folder
        )
        said = subprocess.run(
            [str(binary)], capture_output=True, text=True, timeout=10, check=False
        ).stdout
        return "" if "FOLLOWED" in said else f"the run does not follow it: {said}"
    binary = compiled(program, witness, [ASSERTING.replace("%%", "%")], folder)
    for n in range(40):
        env = {"SEED": str(seed * 1000 + n)}
        said = subprocess.run(
            [str(binary)], capture_output=True, text=True, timeout=10, check=False, env=env
        ).stdout
        if said:
            return said
    return ""


def witnesses(folder: Path) -> list[tuple[Path, Any]]:
    """All programs, written to the folder, with our witnesses that say something."""
    originals = []
    for n, text in enumerate(PROGRAMS):
        program = folder / f"p{n}.c"
        program.write_text(text)
        outcome = obligato.verify(program, property="unreach-call", timeout=200)
        if outcome.verdict is Verdict.UNKNOWN:
            print(f"p{n}: {outcome.reason}")
            continue
        data = yaml.safe_load(witness_text(outcome))
        originals += [(program, data)] if data[0]["content"] else []
    return originals


def main() -> None:
    """Mutants of the witnesses of all programs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng, counts = random.Random(given.seed), Counter[str]()
    with TemporaryDirectory() as name:
        folder = Path(name)
        originals = witnesses(folder)
        for n in range(given.count):
            program, data = rng.choice(originals)
            mutant = copy.deepcopy(data)
            kind = mutate(mutant, rng, len(program.read_text().splitlines()))
            claim = folder / "mutant.yml"
            claim.write_text(yaml.safe_dump(mutant))
            try:
                outcome = recheck(
                    Request(str(program), timeout=200), lambda kind, data: None, str(claim)
                )
            except ClaimRefused:
                answer = "refuted"
            except ObligatoError as problem:
                answer = f"does not fit ({type(problem).__name__})"
            else:
                answer = outcome.verdict.value
                wrong = (
                    ""
                    if outcome.verdict is Verdict.UNKNOWN
                    else judge(program, claim, outcome, folder, n)
                )
                if wrong:
                    print(f"WRONG: {wrong}\n{program.read_text()}\n{claim.read_text()}")
                    sys.exit(1)
            counts[f"{kind}: {answer}"] += 1
    for what, number in sorted(counts.items()):
        print(f"{number:5} {what}")
    print(f"{given.count} mutants, none accepted that the compiler refutes")


if __name__ == "__main__":
    main()
