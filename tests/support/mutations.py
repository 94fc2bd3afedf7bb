"""Mutations of input files: whatever comes out must be read or refused with a position, never
anything else.

`mutated` changes the tokens and lines of a text, `mutated_bytes` bytes. Among the changes:
truncation; tokens and lines deleted, doubled, swapped, moved (so names are undefined or definitions
cyclic) or replaced; absurd numbers; deep nesting.
"""

from __future__ import annotations

import random
import re

from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term
from obligato.terms.printer import symbol, to_smtlib

_TOKEN = re.compile(r"\s+|[A-Za-z_.$!@'`][\w.$!@'`-]*|\d+|.", re.DOTALL)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2",
    "7",
    "99",
    "65536",
    "65537",
    "16777216",
    "16777217",
    "2147483648",
    "4294967296",
    "9" * 30,
    "9" * 5000,
    "1" + "0" * 20,
    "0x" + "f" * 40,
    "1.5",
    "1e9",
    "1e999999999",
    "x",
    "",
    "-0",
    "007",
    "1_0",
    "\u0663",
)
ODD = (
    *"()[]{}|;`#:!_-",
    '"',
    "#b",
    "#x",
    "#b012",
    "let",
    "forall",
    "\x00",
    "\ufeff",
    "\n",
    "\r",
    "true",
    "false",
    "Int",
    "Array",
    "BitVec",
    "ite",
    "bv1",
    "bv65537",
    "float64",
    "aag",
    "aig",
    "state",
    "const",
)
PAIRS = (
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("(not ", ")"),
    ("(and ", ")"),
    ("!", ""),
    ("-", ""),
    ("(let ((x true)) ", ")"),
    ("(Array Int ", ")"),
    ("array[int] ", ""),
    ("if (*) {", "}"),
)


def mutated(rng: random.Random, text: str) -> str:
    """The text with one to a few changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 4))):
        text = _by_line(rng, text) if rng.random() < 0.35 else _by_token(rng, text)
    return text


def _by_line(rng: random.Random, text: str) -> str:
    lines = text.split("\n")
    n, m, kind = rng.randrange(len(lines)), rng.randrange(len(lines)), rng.randrange(6)
    if kind == 0:
        del lines[n]
    elif kind == 1:
        lines.insert(m, lines[n])
    elif kind == 2:
        lines[n], lines[m] = lines[m], lines[n]
    elif kind == 3:
        lines[n] = lines[n][: rng.randrange(len(lines[n]) + 1)]
    elif kind == 4:
        return text[: rng.randrange(len(text) + 1)]
    else:
        lines[n : n + 1] = [lines[n]] * rng.choice((2, 3, 200))
    return "\n".join(lines)


def _by_token(rng: random.Random, text: str) -> str:
    tokens = _TOKEN.findall(text) or [""]
    n, m, kind = rng.randrange(len(tokens)), rng.randrange(len(tokens)), rng.randrange(9)
    if kind == 0:
        del tokens[n]
    elif kind == 1:
        tokens.insert(m, tokens[n])
    elif kind == 2:
        tokens[n], tokens[m] = tokens[m], tokens[n]
    elif kind in (3, 4):
        numbers = [i for i, t in enumerate(tokens) if t.isdigit()]
        tokens[rng.choice(numbers) if numbers else n] = rng.choice(NUMBERS)
    elif kind == 5:
        words = [i for i, t in enumerate(tokens) if not t.isspace()] or [n]
        tokens[rng.choice(words)] = tokens[rng.choice(words)]
    elif kind == 6:
        tokens[n] = rng.choice(ODD)
    elif kind == 7:
        opening, closing = rng.choice(PAIRS)
        depth = rng.choice((1, 3, 60, 200, 3000))
        tokens[n] = opening * depth + tokens[n] + closing * depth
    else:
        tokens[n] = tokens[n] * rng.choice((2, 50, 3000))
    return "".join(tokens)


def mutated_bytes(rng: random.Random, data: bytes) -> bytes:
    """The data with a few bytes changed, dropped, doubled or cut off; now and then the header's
    text is mutated.
    """
    if rng.random() < 0.3:
        header, _, rest = data.partition(b"\n")
        return mutated(rng, header.decode("latin-1")).encode("utf-8", "replace") + b"\n" + rest
    out = bytearray(data)
    for _ in range(rng.choice((1, 2, 5))):
        if out:
            n, kind = rng.randrange(len(out)), rng.randrange(6)
            if kind == 0:
                del out[n]
            elif kind == 1:
                del out[n:]
            elif kind == 2:
                out[n:n] = out[n : n + rng.choice((1, 8, 64))]
            elif kind == 3:
                out[n] ^= 1 << rng.randrange(8)
            else:
                out[n] = rng.randrange(256)
    return bytes(out)


def horn_text(system: TransitionSystem, rules: bool = False) -> str:
    """The system as Horn clauses (for its runs and the violation of its properties); `rules`: in
    the fixedpoint dialect.
    """
    s, state, primed = system.store, system.state, list(system.primed.values())
    now = [*state, *system.inputs]
    allowed, good = s.and_(*system.constraints), s.and_(*(p.formula for p in system.assertions))
    shape = " ".join(f"{x.sort}" for x in state)

    def reached(variables: tuple[Term, ...] | list[Term]) -> str:
        return f"(R {' '.join(symbol(v.name) for v in variables)})"

    here, then = reached(state), reached(primed)
    clauses = [
        (list(state), f"(=> {to_smtlib(system.init)} {here})"),
        ([*now, *primed], f"(=> (and {here} {to_smtlib(s.and_(allowed, system.trans))}) {then})"),
        (
            now,
            (
                f"(=> (and {here} {to_smtlib(s.and_(allowed, s.not_(good)))})"
                f" {'bad' if rules else 'false'})"
            ),
        ),
    ]
    if rules:
        names = [f"(declare-var {symbol(v.name)} {v.sort})" for v in (*now, *primed)]
        return "\n".join(
            [
                f"(declare-rel R ({shape}))",
                "(declare-rel bad ())",
                *names,
                *(f"(rule {c})" for _, c in clauses),
                "(query bad)",
            ]
        )

    def bound(variables: list[Term]) -> str:
        return " ".join(f"({symbol(v.name)} {v.sort})" for v in variables)

    return "\n".join(
        [
            f"(set-logic HORN)\n(declare-fun R ({shape}) Bool)",
            *(f"(assert (forall ({bound(v)}) {c}))" for v, c in clauses),
            "(check-sat)",
        ]
    )
