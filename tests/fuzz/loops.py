"""Random C programs of loops that count: words of all widths, bounds from a few rounds to a million,
ends that are met, missed and jumped over, exits and errors on the way, arrays and inputs inside.

`Generator(number)` makes the program but for its last test, which asks whether the variables have
certain values at the end. `tested` adds one: of values that some run has (an error), or of values
next to them. The program as it is compiled has `TICK`, `SEEN` and other inputs; `plain` is without.

Inputs at the beginning lie in a small range, so that all of them can be tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

TYPES = {
    "uchar": ("unsigned char", 8, False),
    "schar": ("signed char", 8, True),
    "ushort": ("unsigned short", 16, False),
    "short": ("short", 16, True),
    "uint": ("unsigned int", 32, False),
    "int": ("int", 32, True),
    "ulong": ("unsigned long", 64, False),
    "long": ("long", 64, True),
}
RELATIONS = ("<", "<=", "!=", ">", ">=", "==")
FAR = (5, 9, 40, 255, 300, 999, 4096, 32767, 65535, 65536, 99999, 1_000_000)
HEAD = "".join(f"extern {c} __VERIFIER_nondet_{t}(void);\n" for t, (c, _, _) in TYPES.items())
VARIABLES = ("x", "y", "z")
Values = tuple[int, ...]


class Generator:
    """The program with a number."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.ranges: list[tuple[int, int]] = []
        self.types = {v: self.rng.choice(list(TYPES)) for v in (*VARIABLES, "n", "d")}
        if self.rng.random() < 0.6:  # mostly one type: the sums of the loop are then plain
            self.types = dict.fromkeys(self.types, self.rng.choice(list(TYPES)))

    def program(self) -> str:
        """All but the last test."""
        start = [self._given("n"), self._given("d")]
        start += [f"{self._c(v)} {v} = {self._near(v)};" for v in VARIABLES]
        loops = [
            self._loop(self.rng.sample(VARIABLES, 3)) for _ in range(self.rng.choice((1, 1, 2)))
        ]
        lines = [*start, "unsigned char a[4] = {0, 1, 2, 3};", *loops, "SEEN"]
        body = "\n".join(f"    {line}" for line in lines)
        return f"{HEAD}extern void reach_error(void);\nint main(void)\n{{\n{body}\nTEST    return 0;\n}}\n"

    def _c(self, v: str) -> str:
        return TYPES[self.types[v]][0]

    def _limits(self, v: str) -> tuple[int, int]:
        _, width, signed = TYPES[self.types[v]]
        return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)

    def _near(self, v: str) -> int:
        """A number that fits: small, far, or next to the limits of the type."""
        low, high = self._limits(v)
        near = self.rng.choice([0, 0, 1, 2, -1, -3, self.rng.choice(FAR), -self.rng.choice(FAR)])
        if self.rng.random() < 0.15:
            near = self.rng.choice([low, high]) + near
        return min(max(near, low), high)

    def _given(self, v: str) -> str:
        """An input in a small range."""
        low, high = self._limits(v)
        first = self._near(v) if v == "n" else self.rng.choice([0, 1, 2, -2])
        first = min(max(first, low), high)
        last = min(first + self.rng.choice([0, 3, 9]), high)
        self.ranges.append((first, last))
        call = f"{self._c(v)} {v} = __VERIFIER_nondet_{self.types[v]}();"
        return f"{call} if ({v} < {self._number(first)} || {v} > {self._number(last)}) return 0;"

    @staticmethod
    def _number(value: int) -> str:
        if value >= 1 << 31:
            return f"{value}{'L' if value < 1 << 63 else 'UL'}"
        return f"({value + 1}L - 1)" if value <= -(1 << 31) else str(value)

    def _loop(self, names: Sequence[str], inner: bool = True) -> str:
        rng, (x, y, z) = self.rng, names
        bound = rng.choice(["n", "n", y, self._number(self._near(x))])
        step = rng.choice(["1", "1", "1", "2", "3", "7", "100", "d", "d", "n"])
        up = rng.random() < 0.7
        relation = rng.choice(("<", "<", "<=", "!=", "!=") if up else (">", ">", ">=", "!=", "=="))
        stay = f"{x} {relation} {bound}"
        if rng.random() < 0.15:
            stay += f" {rng.choice(('&&', '||'))} {y} {rng.choice(RELATIONS)} {self._near(y)}"
        if rng.random() < 0.07:
            stay = "__VERIFIER_nondet_uchar() & 1"
        count = f"{x} {'+' if up else '-'}= {step};"
        body = [self._inside(x, y, z, inner) for _ in range(rng.randrange(4))]
        body.insert(rng.randrange(len(body) + 1), count)
        text = " ".join(body)
        shape = rng.randrange(4)
        if shape == 0:
            return f"do {{ TICK {text} }} while ({stay});"
        if shape == 1:
            return f"while (1) {{ TICK if (!({stay})) break; {text} }}"
        return f"while ({stay}) {{ TICK {text} }}"

    def _inside(self, x: str, y: str, z: str, inner: bool) -> str:
        """A statement of a round."""
        rng = self.rng
        change = [
            f"{y} += {rng.choice((1, 2, 3, 5, 'd', 'n'))};",
            f"{y} += {rng.choice((1, 2, 3, 5, 'd', 'n'))};",
            f"{y} -= {rng.choice((1, 2, 7, 'd'))};",
            f"{z} = {x};",
            f"{z} = {rng.choice((x, y))} {rng.choice('+-')} {rng.randrange(9)};",
            f"{z}++;",
        ]
        rare = [
            f"{y} += {x};",
            f"{y} ^= {rng.randrange(8)};",
            f"{y} = {y} * 3 + 1;",
            f"a[{x} & 3] = {y};",
            f"{y} += a[{x} & 3];",
            f"{y} += __VERIFIER_nondet_uchar() & {rng.choice((1, 3))};",
            f"if (__VERIFIER_nondet_uchar() & 1) {{ {rng.choice(change)} }}",
            f"if ({x} == {self._number(self._near(x))}) break;",
            f"if ({y} {rng.choice(RELATIONS)} {self._number(self._near(y))}) break;",
            f"if ({z} == {self._number(self._near(z))}) reach_error();",
            f"if ({y} {rng.choice(RELATIONS)} {self._number(self._near(y))}) {{ {rng.choice(change)} }}",
            f"if ({x} {rng.choice(RELATIONS)} n) {{ {rng.choice(change)} }} else {{ {rng.choice(change)} }}",
        ]
        if inner and rng.random() < 0.08:
            return f"{z} = 0; {self._loop((z, y, x), inner=False)}"
        return rng.choice(change) if rng.random() < 0.6 else rng.choice(rare)

    def tested(self, text: str, seen: Sequence[Values]) -> str:
        """The program with a test at its end, most often one that some run or no run fails by one."""
        rng, values = self.rng, list(_some(self.rng, seen) if seen else (0, 0, 0))
        names = rng.sample(range(3), rng.choice((1, 1, 2)))
        if rng.random() < 0.5:  # next to the values of a run
            k = names[0]
            values[k] += rng.choice((-1, 1, 2))
        parts = []
        for k in names:
            low, high = self._limits(VARIABLES[k])
            number = self._number(min(max(values[k], low), high))
            relation = "==" if rng.random() < 0.8 else rng.choice((">", "<"))
            parts.append(f"{VARIABLES[k]} {relation} {number}")
        return text.replace("TEST", f"    if ({' && '.join(parts)}) reach_error();\n")


def _some(rng: random.Random, seen: Sequence[Values]) -> Values:
    """Some of the values, mostly the greatest or the least."""
    return rng.choice([min(seen), max(seen), rng.choice(seen)])


def plain(text: str) -> str:
    """The program as it is verified."""
    return re.sub(r"    SEEN\n|TICK |TEST", "", text)
