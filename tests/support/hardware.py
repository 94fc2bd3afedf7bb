"""A hardware description that several tests use, and mutations of any: whatever comes out is read
or refused, never anything else.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress

from obligato.errors import InputError

# A counter of four bits that an input enables; it must not become 11.
COUNTER = """1 sort bitvec 4
2 sort bitvec 1
3 zero 1
4 state 1 counter
5 init 1 4 3
6 one 1
7 add 1 4 6
8 input 2 enable
9 ite 1 8 7 4
10 next 1 4 9
11 constd 1 3
12 eq 2 4 11
13 bad 12
"""
NUMBERS = ("0", "1", "-1", "2", "7", "99", "65537", "4294967296", "9" * 30, "x", "", "1e9")


def refused(rng: random.Random, text: str, read: Callable[[str], object]) -> None:
    """Read a mutation of the text; only `InputError` may come out."""
    with suppress(InputError):
        read(mutated(rng, text))


def mutated(rng: random.Random, text: str) -> str:
    """The text with a few tokens or lines changed, dropped, doubled, or cut off."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        n = rng.randrange(len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            del lines[n]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[n])
        elif kind == 2:
            lines[n] = lines[n][: rng.randrange(len(lines[n]) + 1)]
        elif kind == 3:
            lines = lines[: n + 1]
        else:
            words = lines[n].split()
            if words:
                words[rng.randrange(len(words))] = rng.choice((*NUMBERS, *words))
                lines[n] = " ".join(words)
        lines = lines or [""]
    return "\n".join(lines)


def mutated_bytes(rng: random.Random, data: bytes) -> bytes:
    """The data with a few bytes changed, dropped or cut off."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 5))):
        if out:
            n = rng.randrange(len(out))
            kind = rng.randrange(4)
            if kind == 0:
                del out[n]
            elif kind == 1:
                del out[n:]
            else:
                out[n] = rng.randrange(256)
    return bytes(out)
