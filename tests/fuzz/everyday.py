"""Programs of everyday C by number: some scenes and a main that gives them two inputs."""

from __future__ import annotations

import random
import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests.fuzz.everyday_scenes import scene

PROTOTYPES = """void *malloc(__SIZE_TYPE__); void *calloc(__SIZE_TYPE__, __SIZE_TYPE__); void free(void *);
void *memcpy(void *, const void *, __SIZE_TYPE__); void *memmove(void *, const void *, __SIZE_TYPE__);
void *memset(void *, int, __SIZE_TYPE__); int memcmp(const void *, const void *, __SIZE_TYPE__);
__SIZE_TYPE__ strlen(const char *); int strcmp(const char *, const char *);
int strncmp(const char *, const char *, __SIZE_TYPE__);
char *strcpy(char *, const char *); char *strncpy(char *, const char *, __SIZE_TYPE__); char *strcat(char *, const char *);
int __VERIFIER_nondet_int(void); void reach_error(void); void outside(int noreturn);
"""
OBSERVE = """unsigned long long seen_values[200]; int seen_count; unsigned long long seen_hash;
static void observe(unsigned long long v) {
  seen_hash = seen_hash * 31u + v; if (seen_count < 200) seen_values[seen_count++] = v; }
"""
BOUND = 1000


@cache
def version() -> str:
    """Changes whenever the programs may: a number stands for the same program as long as it does
    not.
    """
    folder = Path(__file__).resolve().parent
    files = [folder / f"everyday{part}.py" for part in ("", "_records", "_scenes")] + sorted(
        folder.glob("scenes/*.c")
    )
    return sha256(b"".join(f.read_bytes() for f in files)).hexdigest()[:8]


def program(number: int) -> str:
    """The program of that number, without prototypes; ``@`` is the number's place in names."""
    rng = random.Random(f"everyday {number}")
    scenes: dict[str, str] = {}
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text, name = scene(rng)
        scenes.setdefault(name, text)
    order = list(scenes) + (rng.choices(list(scenes), k=1) if rng.random() < 0.3 else [])
    calls = "\n".join(
        f"  observe({f}({rng.choice(('x, y', 'y, x', 'x, x', f'x, {rng.randrange(-9, 30)}'))}));"
        for f in order
    )
    text = (
        "".join(scenes.values())
        + "static int main@(void) {\n  int x = __VERIFIER_nondet_int();\n  int y ="
        f" __VERIFIER_nondet_int();\n  if (x < -{BOUND} || x > {BOUND} || y < -{BOUND} || y >"
        f" {BOUND}) return 1;\n{calls}\n  return 0; }}\n"
    )
    return spoiled(text, rng) if number % 5 == 4 else text


def spoiled(text: str, rng: random.Random) -> str:
    """The program with one bound changed: many of these are unsafe, or overflow.

    `< 0` is no bound but asks for a sign, of `strcmp`, say, whose other values C leaves open. An
    index grows by one: sanitizers see what is next to an object, not what is far behind it.
    """
    places = list(
        re.finditer(
            r"(?<=% )\d+u|(?<=[^)] < )[1-9]\d*\b|(?<=\w\[)[012](?=\])|(?<=& )[137](?=\])"
            r"|(?<=\()unsigned(?=\)\w)|sizeof(?= [a-z*])",
            text,
        )
    )
    if not places:
        return text
    m = rng.choice(places)
    old = m[0]
    new = {"unsigned": "int", "sizeof": "2 * sizeof"}.get(old)
    if new is None:
        more = 1 if text[m.start() - 1] == "[" else rng.choice((1, 2, 5))
        new = f"{int(old.rstrip('u')) + more}" + "u" * old.endswith("u")
    return text[: m.start()] + new + text[m.end() :]


def standalone(number: int) -> str:
    """The program as a file for the front end; what it observes is in `seen_values`."""
    text = program(number).replace("static int main@(void)", "int main(void)")
    return PROTOTYPES + OBSERVE + text.replace("@", f"_{number}")


def batch(numbers: list[int]) -> str:
    """Several programs in one file for the compiler; the first input says which one runs."""
    texts = [program(n).replace("@", f"_{n}") for n in numbers]
    cases = " ".join(f"case {i}: return main_{n}();" for i, n in enumerate(numbers))
    end = f"int main(void) {{ switch (__VERIFIER_nondet_int()) {{ {cases} }} return 2; }}\n"
    return PROTOTYPES + "void observe(unsigned long long);\n" + "".join(texts) + end


def inputs(number: int, count: int) -> list[tuple[int, int]]:
    """Pairs of inputs within the bounds."""
    rng = random.Random(f"inputs {number}")
    pool = (0, 1, 2, 3, -1, 7, 8, 255, 256, -128, -129, 127, BOUND, -BOUND)
    return [
        (
            rng.choice(pool) if rng.random() < 0.6 else rng.randrange(-BOUND, BOUND + 1),
            rng.choice(pool) if rng.random() < 0.6 else rng.randrange(-BOUND, BOUND + 1),
        )
        for _ in range(count)
    ]
