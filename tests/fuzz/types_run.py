"""Random C programs that see memory under several types against what gcc computes.

    python tests/fuzz/types_run.py [--count 300] [--seed 1]

All objects have eight bytes and every pointer is to the start of one, so any access through any type is defined with
-fno-strict-aliasing; records have no padding, which a copy may or may not take along.  A program is made of few kinds of
statements, so that memory is kept by type in many of them.
Exit status 1 if a result differs, 2 if there is no gcc.
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
from obligato.program.interpreter import Defaults, Interpreter, Status
from obligato.program.syntax import LIMIT

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.c.harness import GCC, MODEL_FLAGS, can_compile  # noqa: E402

HEAD = """void *calloc(__SIZE_TYPE__, __SIZE_TYPE__); void *memcpy(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__); void *memmove(void *, const void *, __SIZE_TYPE__);
struct ints { int a, b; }; struct shorts { short a, b; int c; }; struct bits { unsigned a : 5, b : 27; int c; };
union views { int i[2]; short s[4]; long long l; struct ints x; struct shorts y; };
union pointers { int *i; short *s; struct ints *x; struct shorts *y; void *v; struct bits *z; };
struct one { int *p; short *q; }; struct other { short *p; struct ints *q; };
void set_ints(struct ints *q, int n) { q->b = n; }
void set_shorts(struct shorts *q, int n) { q->b = n; q->c = n + 1; }
short *as_short(short *q) { return q; }
struct ints made(int n) { struct ints r = {n, n + 1}; return r; }
"""
VARIABLES = """struct ints x = {1, 2}, *px = &x; struct shorts y = {3, 4, 5}, *py = &y; struct bits z = {6, 7, 8}, *pz = &z;
 int k[2] = {9, 10}, *p = k, **pp = &p; short h[4] = {11, 12, 13, 14}, *s = h; long long l = 15, *pl = &l;
 union views u = {{16, 17}}, *pu = &u; union pointers w = {k}; struct one o = {k, h}; void *v = &x, *tab[2] = {&y, k};
 void (*f)(struct ints *, int) = set_ints; int t = 0;"""
STATEMENTS = (
    "w.i = (int *)O;", "w.v = O;", "w.x = px;", "w.s = s;", "p = w.i;", "s = w.s;", "px = w.x;", "py = w.y;",
    "pz = w.z;", "v = w.v;", "p = (int *)O;", "s = (short *)O;", "px = (struct ints *)O;", "py = (struct shorts *)O;",
    "pz = (struct bits *)O;", "pl = (long long *)O;", "pu = (union views *)O;", "v = O;", "v = p;", "p = v;", "s = v;",
    "py = v;", "pz = v;", "pu = v;", "*p = N;", "p[J] = N;", "*s = N;", "s[M] = N;", "px->b = N;", "px->a += N;",
    "py->b = N;", "py->c = N;", "pz->b = N;", "pz->a = N;", "*pl = N * 0x10001LL;", "pu->s[M] = N;", "pu->i[J] = N;",
    "pu->l = N;", "pu->y.b = N;", "u.s[M] = N;", "u.l = N * 0x100010001LL;", "*pp = (int *)O;", "*(short **)pp = s;",
    "*(void **)&s = v;", "px = *(struct ints **)&py;", "w = *(union pointers *)&p;", "o.p = p;", "o.q = s;",
    "s = ((struct other *)&o)->p;", "px = ((struct other *)&o)->q;", "((struct other *)&o)->p = s;", "p = o.p;",
    "set_ints(px, N);", "set_shorts(py, N);", "f = (void (*)(struct ints *, int))set_shorts;", "f = set_ints;",
    "f(px, N);", "p = ((int *(*)(int *))as_short)(p);", "*px = made(N);", "memcpy(O, O, 8);", "memmove(O, O, 8);",
    "memset(O, N, 8);", "memset(O, 0, 8);", "memcpy(&p, &px, sizeof p);", "memcpy(&w, &s, sizeof w);",
    "memcpy(&o.q, &p, sizeof p);", "memcpy(px, py, 4);", "*px = x;", "x = *px;", "*py = *(struct shorts *)px;",
    "*pu = u;", "u = *pu;", "u.x = *px;", "y = pu->y;", "*pz = z;", "v = calloc(1, 8);", "p = calloc(2, 4);",
    "tab[J] = O;", "v = tab[J];", "p = tab[J];", "s = tab[J];", "tab[J] = px;", "t = t * 31 + *p;", "t = t * 31 + p[J];",
    "t = t * 31 + s[M];", "t = t * 31 + px->b;", "t = t * 31 + py->b;", "t = t * 31 + pz->b;", "t = t * 31 + pu->s[M];",
    "t = t * 31 + (int)*pl;", "t += px == (void *)p;", "t += w.i == p;",
)
OBJECTS = ("&x", "&y", "&z", "k", "h", "&l", "&u")
SUMS = (
    "x.a", "x.b", "y.a", "y.b", "y.c", "z.a", "z.b", "z.c", "k[0]", "k[1]", "h[0]", "h[1]", "h[2]", "h[3]", "(int)l",
    "(int)(l >> 32)", "u.i[0]", "u.i[1]",
)


def function(rng: random.Random, name: str) -> str:
    """A function of random statements of a few kinds, which returns what the variables hold."""
    kinds = rng.sample(STATEMENTS, rng.randrange(4, 12))
    objects = ["(void *)" + o for o in rng.sample(OBJECTS, rng.randrange(1, 4))]
    body = []
    for _ in range(rng.randrange(4, 16)):
        text = rng.choice(kinds)
        for letter, choices in (("O", objects), ("J", "01"), ("M", "0123"), ("N", ("1", "2", "-3", "70000", "t"))):
            while letter in text:
                text = text.replace(letter, rng.choice(choices), 1)
        body.append(f"if (t & 1) {{ {text} }}" if rng.random() < 0.1 else text)
    sums = " ".join(f"t = t * 33 + {s};" for s in SUMS)
    return f"int {name}(void) {{ {VARIABLES} {' '.join(body)} {sums} return t; }}\n"


def main() -> int:
    """Compare."""
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=300, help="how many programs")
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    o = options.parse_args()
    models = [m for m in ("LP64", "ILP32") if can_compile(m)]
    if not models:
        print("gcc is needed", file=sys.stderr)
        return 2
    outcomes: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            expected = compiled(o.seed, o.count, model, Path(folder))
            for k in range(o.count):
                text = function(random.Random(o.seed + k), "f0")
                outcome = compare(text, expected[k], model, ("auto", "regions")[k % 2], Path(folder) / "program.c")
                outcomes[outcome] += 1
                if outcome == "DIFFERENT":
                    print(f"{model}, seed {o.seed + k}: {text}", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:6}  {outcome}")
    return 1 if outcomes["DIFFERENT"] else 0


def compiled(seed: int, count: int, model: str, folder: Path) -> list[int]:
    """What the functions return, compiled into one program."""
    text = HEAD + "".join(function(random.Random(seed + k), f"f{k}") for k in range(count))
    calls = "".join(f'printf("%d\\n", f{k}());' for k in range(count))
    (folder / "all.c").write_text(f"{text}int printf(const char *, ...); int main(void) {{ {calls} }}\n")
    subprocess.run([*GCC, *MODEL_FLAGS[model], str(folder / "all.c"), "-o", str(folder / "all")], check=True)
    said = subprocess.run([str(folder / "all")], capture_output=True, text=True, timeout=60, check=True).stdout
    return [int(line) for line in said.split()]


def compare(text: str, expected: int, model: str, memory: str, file: Path) -> str:
    """What became of one program."""
    file.write_text(f"{HEAD}{text}int result; int main(void) {{ result = f0(); return 0; }}\n")
    try:
        run = Interpreter(load(file, data_model=model, memory=memory)).start(Defaults())
        result = run.run(100_000)
        if result.status is Status.FAILED and result.kind == LIMIT:
            run = Interpreter(load(file, data_model=model, memory=memory, addresses="apart")).start(Defaults())
            result = run.run(100_000)
    except InputError as e:
        return f"refused: {e.construct if isinstance(e, Unsupported) else e.message}"
    if result.status is not Status.FINISHED:
        return f"interpreted: {result.status.value} {result.label}"
    value = int(str(run.value("result")))
    return "agree" if (value - expected) % (1 << 32) == 0 else "DIFFERENT"


if __name__ == "__main__":
    sys.exit(main())
