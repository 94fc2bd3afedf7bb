"""Random C programs with pointers against the sanitizers of gcc: what they report, the interpreter
must fail on.

    python tests/fuzz/pointers_run.py [--count 200] [--seed 1] [--data-model LP64]

Exit status 1 if a sanitizer reports an error that we do not, 2 if there is no gcc.  The other
direction is printed only: an access that lands in another object is an error that the sanitizers do
not see.
"""

from __future__ import annotations

import argparse
import collections
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from obligato.errors import InputError, Unsupported
from obligato.frontends.c import load
from obligato.frontends.c.tracking import CHOSEN
from obligato.program.interpreter import Defaults, Interpreter, Result, Status
from obligato.program.syntax import LIMIT, Program
from obligato.terms import Sort, Value

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.c.harness import can_compile  # noqa: E402

BLOCKS = 40  # of a program: no run has more
FLAGS = (
    "-w",
    "-O0",
    "-fsanitize=address,bounds,null,alignment,object-size",
    "-fno-sanitize-recover=all",
)
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1"}
HEAD = """void *malloc(unsigned long); void free(void *); void *memset(void *, int, unsigned long);
struct pair { int a; int b[3]; int c; };
struct link { struct link *next; int *own; int n; };
int *g; int gs[5]; struct link *gl;
int *keep(int v) { int x = v; int *r = &x; if (v & 1) g = r; return v > 5 ? gs : r; }
int *id(int *z) { return z; }
void put(int **w, int *z) { *w = z; }
struct entry { const char *name; int *value; struct pair *pair; };
static int gv; static struct pair gp;
static struct entry table[3] = { { "a", &gv, &gp }, { "b", gs, 0 }, { .pair = &gp, .value = &gp.a } };
struct link *chain(struct link *n, int *o) { struct link *l = malloc(sizeof *l); l->next = n; l->own = o; l->n = 0; return l; }
"""
VARIABLES = (
    "int a[4] = {0}, b[3] = {0}, t[3][4] = {{0}}, i = 0, j = 0, s = 0, *p = a, *q = b; struct pair"
    " x = {0}, *z = &x; struct link l0 = {0}, *l = &l0, *k; struct entry *e = table;"
)
STATEMENTS = (
    "V = a;",
    "V = b + N;",
    "V = x.b;",
    "V = malloc(4 * N);",
    "V = W + N - 1;",
    "V[N - 1] = 1;",
    "s += *V;",
    "free(V);",
    "g = V;",
    "if (s & 1) V = W;",
    "V = id(W);",
    "{ int y = 2; V = &y; S }",
    "a[I] = 3;",
    "t[N][I] = 3;",
    "V = keep(N + N);",
    "z = &x;",
    "i = N; j = i - 1;",
    "for (i = 0; i < N; i++) V[i] = i;",
    "put(&V, W);",
    "if (g) *g = 4;",
    "V = &z->c; z->b[I] = 1;",
    "memset(V, 0, 4 * N);",
    "V++;",
    "V--;",
    "while (s < N) { s++; S }",
    "l = chain(l, V);",
    "V = l->own;",
    "k = l; l = l->next; free(k);",
    "l->own = V; s += l->n;",
    "gl = l;",
    "l = &l0;",
    "l->own[I] = 2;",
    "if (l->next) l->next->own = V;",
    "gl = 0;",
    "while (l) { k = l->next; if (l != &l0) free(l); l = k; } l = &l0;",
    "free(l->own); l->own = 0;",
    "memset(l, 0, sizeof *l);",
    "l0 = *l;",
    "if (gl) gl->n++;",
    "if (l) V = &l->n;",
    "e = &table[N % 3];",
    "V = e->value;",
    "e->value = V;",
    "e->pair = z; z = table[1].pair;",
    "s += e->name[0] + e->pair->a;",
    "if (e->pair) V = &e->pair->c;",
    "*table[I].value = 3;",
    "table[N % 3] = *e;",
    "e++;",
)


def statement(rng: random.Random, depth: int = 0) -> str:
    """A random statement; S inside stands for another one."""
    text = rng.choice(STATEMENTS)
    if "S" in text and depth > 1:
        text = "V = a;"
    for letter, choices in (("V", "pq"), ("W", "pq"), ("I", "ij02345"), ("N", "012345")):
        while letter in text:
            text = text.replace(letter, rng.choice(choices), 1)
    return text.replace("S", statement(rng, depth + 1)) if "S" in text else text


def function(rng: random.Random, name: str) -> str:
    """A function with some random statements."""
    body = " ".join(statement(rng) for _ in range(rng.randrange(2, 9)))
    return f"int {name}(void) {{ {VARIABLES} {body} return 0; }}\n"


def main() -> int:
    """Compare."""
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=200, help="how many programs")
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    options.add_argument(
        "--data-model", default="LP64", help="ours; the programs mean the same in both"
    )
    o = options.parse_args()
    if not can_compile("LP64"):
        print("gcc is needed", file=sys.stderr)
        return 2
    outcomes: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        binary = compiled(o.seed, o.count, Path(folder))
        for k in range(o.count):
            text = HEAD + function(random.Random(o.seed + k), "main")
            outcome = compare(text, [str(binary), str(k)], Path(folder) / "program.c", o.data_model)
            outcomes[outcome] += 1
            if outcome in ("MISSED", "only we fail"):
                print(f"{outcome}, seed {o.seed + k}: {text.removeprefix(HEAD)}")
    for outcome, count in outcomes.most_common():
        print(f"{count:6}  {outcome}")
    return 1 if outcomes["MISSED"] else 0


def compiled(seed: int, count: int, folder: Path) -> Path:
    """One program with all functions; its argument says which one runs."""
    text = HEAD + "".join(function(random.Random(seed + k), f"f{k}") for k in range(count))
    text += "int (*all[])(void) = {" + ", ".join(f"f{k}" for k in range(count)) + "};\n"
    text += "int atoi(const char *); int main(int c, char **v) { return all[atoi(v[1])](); }\n"
    (folder / "all.c").write_text(text)
    subprocess.run(["gcc", *FLAGS, str(folder / "all.c"), "-o", str(folder / "all")], check=True)
    return folder / "all"


class Chosen(Defaults):
    """Defaults, but the block that may be the one that is lost is chosen."""

    def __init__(self, block: int) -> None:
        self.block = block

    def initial(self, name: str, sort: Sort) -> Value:
        return self.block if name == CHOSEN else super().initial(name, sort)


def executed(program: Program) -> Result:
    """The end of the run, with each of the newest blocks in turn, until one is lost."""
    blocks = BLOCKS if any(v.name == CHOSEN for v in program.globals) else 1
    for block in range(blocks):
        result = Interpreter(program).run(Chosen(block), 100_000)
        if result.status is not Status.FINISHED:
            break
    return result


def compare(text: str, command: list[str], file: Path, data_model: str) -> str:
    """What became of one program."""
    file.write_text(text)
    try:
        program = load(file, data_model=data_model, property="valid-memsafety")
    except InputError as e:
        return f"refused: {e.construct if isinstance(e, Unsupported) else e.message}"
    result = executed(program)
    ours = result.status
    said = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=OPTIONS
    ).stderr
    theirs = "AddressSanitizer" in said or "runtime error" in said or "LeakSanitizer" in said
    if ours is Status.FINISHED:
        return "MISSED" if theirs else "agree: safe"
    if result.label == "valid-memtrack":
        return (
            "agree: lost"
            if "LeakSanitizer" in said
            else "only we fail"
            if theirs
            else "lost, as we say"
        )
    if ours is not Status.FAILED or result.kind == LIMIT:
        return "a limit" if ours is Status.FAILED else f"interpreted: {ours.value}"
    return "agree: unsafe" if theirs else "only we fail"


if __name__ == "__main__":
    sys.exit(main())
