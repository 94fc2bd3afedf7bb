"""Random C programs that see memory under several types against what gcc computes.

    python tests/fuzz/types_run.py [--count 300] [--seed 1]

All objects have eight bytes and every pointer is to the start of one, so any access through any
type is defined with -fno-strict-aliasing; records have no padding, which a copy may or may not take
along.  A program is made of few kinds of statements, so that memory is kept by type in many of
them.
Exit status 1 if a result differs, 2 if there is no gcc.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
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
struct mixed { int a; short b, c; };
union views { int i[2]; short s[4]; long long l; struct ints x; struct shorts y; };
union pointers { int *i; short *s; struct ints *x; struct shorts *y; void *v; struct bits *z; struct mixed *m; };
struct one { int *p; short *q; }; struct other { short *p; struct ints *q; };
void set_ints(struct ints *q, int n) { q->b = n; }
void set_shorts(struct shorts *q, int n) { q->b = n; q->c = n + 1; }
short *as_short(short *q) { return q; }
struct ints made(int n) { struct ints r = {n, n + 1}; return r; }
"""
VARIABLES = {
    "x": "struct ints x = {1, 2};",
    "y": "struct shorts y = {3, 4, 5};",
    "z": "struct bits z = {6, 7, 8};",
    "k": "int k[2] = {9, 10};",
    "h": "short h[4] = {11, 12, 13, 14};",
    "l": "long long l = 15;",
    "u": "union views u = {{16, 17}};",
    "px": "struct ints *px;",
    "py": "struct shorts *py;",
    "pz": "struct bits *pz;",
    "pm": "struct mixed *pm;",
    "p": "int *p;",
    "s": "short *s;",
    "pl": "long long *pl;",
    "pu": "union views *pu;",
    "pp": "int **pp;",
    "w": "union pointers w;",
    "o": "struct one o;",
    "v": "void *v;",
    "tab": "void *tab[2];",
    "f": "void (*f)(struct ints *, int);",
    "t": "int t = 0;",
}
# needed pointers | pointers that it sets | statement
PLAIN = (
    "|px|px = &x;",
    "|py|py = &y;",
    "|pz|pz = &z;",
    "|p|p = k;",
    "|s|s = h;",
    "|pl|pl = &l;",
    "|pu|pu = &u;",
    "p|pp|pp = &p;",
)
CHANNELS = (  # how a pointer gets another type
    (
        "|w|w.i = k;",
        "|w|w.v = O;",
        "px|w|w.x = px;",
        "s|w|w.s = s;",
        "w|p|p = w.i;",
        "w|s|s = w.s;",
        "w|px|px = w.x;",
        "w|py|py = w.y;",
        "w|pz|pz = w.z;",
        "w|v|v = w.v;",
        "w|pm|pm = w.m;",
    ),
    (
        "pp||*pp = (int *)O;",
        "pp s||*(short **)pp = s;",
        "v s|s|*(void **)&s = v;",
        "py|px|px = *(struct ints **)&py;",
        "|v|v = O;",
        "px|py|py = *(struct shorts **)&px;",
        "px|pm|pm = *(struct mixed **)&px;",
        "p|w|w = *(union pointers *)&p;",
        "w|s|s = w.s;",
        "px|pp|pp = (int **)&px;",
        "p|pp|pp = &p;",
    ),
    (
        "p|op|o.p = p;",
        "s|oq|o.q = s;",
        "op|s|s = ((struct other *)&o)->p;",
        "oq|px|px = ((struct other *)&o)->q;",
        "s|op|((struct other *)&o)->p = s;",
        "op|p|p = o.p;",
    ),
    (
        "px||set_ints(px, N);",
        "py||set_shorts(py, N);",
        "|f|f = (void (*)(struct ints *, int))set_shorts;",
        "|f|f = set_ints;",
        "f px||f(px, N);",
        "p|p|p = ((int *(*)(int *))as_short)(p);",
    ),
    (
        "px|p|memcpy(&p, &px, sizeof p);",
        "s|w|memcpy(&w, &s, sizeof w);",
        "p|oq|memcpy(&o.q, &p, sizeof p);",
        "oq|s|s = o.q;",
        "w|p|p = w.i;",
        "||memcpy(O, O, 8);",
        "||memmove(O, O, 8);",
        "px py||memcpy(px, py, 4);",
    ),
    (
        "|v|v = O;",
        "p|v|v = p;",
        "v|p|p = v;",
        "v|s|s = v;",
        "v|py|py = v;",
        "v|pz|pz = v;",
        "v|pm|pm = v;",
        "v|pu|pu = v;",
        "|tab0|tab[0] = O;",
        "px|tab1|tab[1] = px;",
        "tab0|v|v = tab[0];",
        "tab1|p|p = tab[1];",
        "tab0|s|s = tab[0];",
    ),
    (
        "|p|p = (int *)O;",
        "|s|s = (short *)O;",
        "|px|px = (struct ints *)O;",
        "|py|py = (struct shorts *)O;",
        "|pz|pz = (struct bits *)O;",
        "|pl|pl = (long long *)O;",
        "|pu|pu = (union views *)O;",
    ),
    (
        "px||*px = x;",
        "px||x = *px;",
        "px py||*py = *(struct shorts *)px;",
        "pu||*pu = u;",
        "pu||u = *pu;",
        "px||u.x = *px;",
        "pu||y = pu->y;",
        "pz||*pz = z;",
        "px||*px = made(N);",
        "||memset(O, N, 8);",
        "||memset(O, 0, 8);",
    ),
    (
        "|v|v = calloc(1, 8);",
        "|p|p = calloc(2, 4);",
        "v|s|s = v;",
        "v|py|py = v;",
        "p|v|v = p;",
        "v|pl|pl = v;",
    ),
)
ACCESSES = (
    "p||*p = N;",
    "p||p[J] = N;",
    "s||*s = N;",
    "s||s[M] = N;",
    "px||px->b = N;",
    "px||px->a += N;",
    "py||py->b = N;",
    "py||py->c = N;",
    "pz||pz->b = N;",
    "pm||pm->a = N;",
    "pm||t = t * 31 + pm->a;",
    "pz||pz->a = N;",
    "pl||*pl = N * 0x10001LL;",
    "pu||pu->s[M] = N;",
    "pu||pu->i[J] = N;",
    "pu||pu->l = N;",
    "pu||pu->y.b = N;",
    "||u.s[M] = N;",
    "||u.l = N * 0x100010001LL;",
    "p||t = t * 31 + *p;",
    "p||t = t * 31 + p[J];",
    "s||t = t * 31 + s[M];",
    "px||t = t * 31 + px->b;",
    "py||t = t * 31 + py->b;",
    "pz||t = t * 31 + pz->b;",
    "pu||t = t * 31 + pu->s[M];",
    "pl||t = t * 31 + (int)*pl;",
    "px p||t += px == (void *)p;",
    "w p||t += w.i == p;",
)
OBJECTS = ("&x", "&y", "&z", "k", "h", "&l", "&u")
SUMS = (
    "x.a",
    "x.b",
    "y.a",
    "y.b",
    "y.c",
    "z.a",
    "z.b",
    "z.c",
    "k[0]",
    "k[1]",
    "h[0]",
    "h[1]",
    "h[2]",
    "h[3]",
    "(int)l",
    "(int)(l >> 32)",
    "u.i[0]",
    "u.i[1]",
)


def function(rng: random.Random, name: str) -> str:
    """A function of random statements of a few kinds that returns what the variables hold."""
    kinds = [
        s
        for channel in rng.sample(CHANNELS, rng.randrange(1, 3))
        for s in rng.sample(channel, rng.randrange(2, 6))
    ]
    kinds += rng.sample(ACCESSES, rng.randrange(1, 6)) + rng.sample(PLAIN, rng.randrange(1, 3))
    objects = ["(void *)" + o for o in rng.sample(OBJECTS, rng.randrange(1, 3))]
    body: list[str] = []
    known: set[str] = set()
    for _ in range(rng.randrange(20, 80)):
        needs, gives, text = rng.choice(kinds).split("|", 2)
        if known.issuperset(needs.split()):
            known |= set(gives.split())
            body.append(_filled(text, objects, rng))
    return f"int {name}(void) {{ {_complete(' '.join(body))} return t; }}\n"


def _filled(text: str, objects: list[str], rng: random.Random) -> str:
    for letter, choices in (
        ("O", objects),
        ("J", "01"),
        ("M", "0123"),
        ("N", ("1", "2", "-3", "70000", "t")),
    ):
        while letter in text:
            text = text.replace(letter, rng.choice(choices), 1)
    return text


def _complete(body: str) -> str:
    """With declarations before and the contents of the variables after it."""
    used = {"t", *re.findall(r"\w+", body)}
    sums = [
        f"t = t * 33 + {e};" for e in SUMS if set(re.findall(r"\w+", e)) & used & set(VARIABLES)
    ]
    return " ".join([*(text for n, text in VARIABLES.items() if n in used), body, *sums])


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
                outcome = compare(
                    text, expected[k], model, ("auto", "regions")[k % 2], Path(folder) / "program.c"
                )
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
    (folder / "all.c").write_text(
        f"{text}int printf(const char *, ...); int main(void) {{ {calls} }}\n"
    )
    subprocess.run(
        [*GCC, *MODEL_FLAGS[model], str(folder / "all.c"), "-o", str(folder / "all")], check=True
    )
    said = subprocess.run(
        [str(folder / "all")], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    return [int(line) for line in said.split()]


def compare(text: str, expected: int, model: str, memory: str, file: Path) -> str:
    """What became of one program."""
    file.write_text(f"{HEAD}{text}int result; int main(void) {{ result = f0(); return 0; }}\n")
    try:
        run = Interpreter(load(file, data_model=model, memory=memory)).start(Defaults())
        result = run.run(100_000)
        if result.status is Status.FAILED and result.kind == LIMIT:
            run = Interpreter(load(file, data_model=model, memory=memory, addresses="apart")).start(
                Defaults()
            )
            result = run.run(100_000)
    except InputError as e:
        return f"refused: {e.construct if isinstance(e, Unsupported) else e.message}"
    if result.status is not Status.FINISHED:
        return f"interpreted: {result.status.value} {result.label}"
    value = int(str(run.value("result")))
    return "agree" if (value - expected) % (1 << 32) == 0 else "DIFFERENT"


if __name__ == "__main__":
    sys.exit(main())
