"""Scenes of everyday C with random details (the folder scenes): strings, lists, buffers, parsers,
machines, tables, numbers.

A scene is a text at top level and the name of a function of two numbers.  In a template ``#{a|b}``
is one of its options, ``#1`` the first such choice again, ``#A`` a random integer type; ``@``
stands for the number of the program.  What a scene computes is defined for all inputs between -1000
and 1000.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

from tests.fuzz.everyday_records import INTEGERS
from tests.fuzz.everyday_records import scene as records

Scene = tuple[str, str]
FOLDER = Path(__file__).resolve().parent / "scenes"


@cache
def templates() -> tuple[str, ...]:
    """The texts of the folder."""
    return tuple(f.read_text(encoding="utf-8") for f in sorted(FOLDER.glob("*.c")))


def details(template: str, rng: random.Random) -> str:
    """The template with its random details: #{a|b} one of them, #1 the first such choice again, #A
    a random integer type.
    """
    chosen: list[str] = []
    out, at = [], 0
    for m in re.finditer(r"#\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|#(\d|[A-Z])", template):
        out.append(template[at : m.start()])
        at = m.end()
        if m[1] is not None:
            chosen.append(rng.choice(_options(m[1])))
            out.append(chosen[-1])
        else:
            out.append(f"#{m[2]}")
    text = "".join(out) + template[at:]
    for i, c in enumerate(chosen):
        text = text.replace(f"#{i + 1}", c)
    for letter in "ABC":
        text = text.replace(f"#{letter}", rng.choice(INTEGERS))
    return text


def _options(text: str) -> list[str]:
    """The parts between bars that are not inside brackets, strings or operators."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        if c in "\"'":
            i = text.index(c, i + 1)
        depth += c in "({["
        depth -= c in ")}]"
        around = text[max(i - 1, 0) : i] + text[i + 1 : i + 2]
        if c == "|" and depth == 0 and around != "  " and not set(around) & set("=|"):
            parts.append(text[start:i])
            start = i + 1
        i += 1
    return [*parts, text[start:]]


def scene(rng: random.Random) -> Scene:
    """A random scene."""
    if rng.random() < 0.55:
        return records(rng)
    text = details(rng.choice(templates()), rng)
    last = re.findall(r"static unsigned (\w+@)\(int x, int y\)", text)[-1]
    return text, last
