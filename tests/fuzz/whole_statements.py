"""Random expressions and statements of C over variables in scope (see `whole.py`)."""

from __future__ import annotations

import random
from collections.abc import Callable

NARROW = ("unsigned char", "signed char", "unsigned short", "short", "_Bool")
WIDE = ("unsigned", "unsigned", "int", "unsigned long", "long long")
PROPERTIES: tuple[str, ...] = ("assertions",) * 9 + ("memsafety",) * 3 + ("valid-memsafety",) * 3
PROPERTIES += ("no-overflow",) * 2 + ("termination",) * 3


class Statements:
    """Writes statements that use, and mostly stay within, what is declared so far."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.property = self.rng.choice(PROPERTIES)
        self.count = self.probes = 0
        self.numbers: list[str] = []  # names that may be read
        self.written: list[str] = []  # lvalues that may be written
        self.arrays: list[tuple[str, int]] = []
        self.depth = 0
        self.functions: list[tuple[str, int]] = []
        self.heap = self.rng.random() < (0.8 if "mem" in self.property else 0.15)
        self.daring = {"memsafety": 0.12, "valid-memsafety": 0.06}.get(self.property, 0)

    def _state(self) -> tuple[list[str], list[str], list[tuple[str, int]]]:
        return list(self.numbers), list(self.written), list(self.arrays)

    def _restore(self, state: tuple[list[str], list[str], list[tuple[str, int]]]) -> None:
        numbers, written, arrays = state
        self.numbers, self.written, self.arrays = list(numbers), list(written), list(arrays)

    def _new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def _type(self) -> str:
        if self.property == "no-overflow":
            return self.rng.choice(("int", "int", "short", "unsigned char"))
        return self.rng.choice(NARROW[:4] + WIDE if self.rng.random() < 0.9 else NARROW)

    # -- expressions

    def _small(self) -> str:
        """Something unsigned."""
        return f"(unsigned){self._operand()}"

    def _element(self, a: str, length: int) -> str:
        if self.rng.random() < self.daring:
            return f"{a}[{self._small()} % {length + 1}]"
        if self.rng.random() < 0.3:
            return f"{a}[{self.rng.randrange(length)}]"
        return f"{a}[{self._small()} % {length}]"

    def _operand(self) -> str:
        rng = self.rng
        if self.arrays and rng.random() < 0.12:
            a, length = rng.choice(self.arrays)
            return f"{a}[{rng.randrange(length)}]"
        if self.numbers and rng.random() < 0.8:
            return rng.choice(self.numbers[-6:] if rng.random() < 0.6 else self.numbers)
        return str(rng.choice((0, 1, 2, 3, 7, 15, 100, 127, 128, 255)))

    def _expression(self) -> str:
        rng, x, y = self.rng, self._operand(), self._operand()
        roll = rng.random()
        if roll < 0.3:
            return x
        if roll < 0.6:
            return f"{x} {rng.choice('+-')} {rng.choice((y, '1', '2'))}"
        if roll < 0.65 and self.functions:
            name, count = rng.choice(self.functions)
            return f"{name}({', '.join(self._operand() for _ in range(count))})"
        if roll < 0.7 and self.arrays:
            return self._element(*rng.choice(self.arrays))
        if roll < 0.75:
            return f"({self._condition()} ? {x} : {y})"
        return rng.choice(
            (
                f"({x} & {rng.choice((1, 3, 7))})",
                f"({x} ^ {y})",
                f"{x} * {rng.choice((2, 3, 5))}",
                f"{self._small()} % {rng.choice((2, 3, 5, 10))}",
                f"{self._small()} / {rng.choice((2, 3, 7))}",
                f"({self._small()} >> {rng.randrange(1, 4)})",
                f"(unsigned char)({x} + {y})",
                f"(signed char)({x})",
                f"({x} | {rng.choice((1, 2, 8))})",
                f"!{x}",
                f"~{x}",
            )
        )

    def _condition(self) -> str:
        rng, x = self.rng, self._operand()
        one = f"{x} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {rng.choice((self._operand(), str(rng.randrange(9))))}"
        if rng.random() < 0.15:
            one += f" {rng.choice(('&&', '||'))} {self._operand()} {rng.choice('<>')} {rng.randrange(9)}"
        return one

    # -- statements

    def _probe(self) -> str:
        self.probes += 1
        e = self._operand() if self.rng.random() < 0.5 else self._expression()
        return f"@{self.probes}@{e}@"

    def _maybe_probe(self) -> str:
        return self._probe() + " " if self.rng.random() < 0.35 else ""

    def _block(self, count: int) -> str:
        where = self._state()
        text = " ".join(self._statement() for _ in range(count))
        self._restore(where)
        return text

    def _statement(self) -> str:
        rng = self.rng
        self.depth += 1
        simple = self.depth > 3 or rng.random() < 0.45
        text = self._simple() if simple else rng.choice(self._shapes())()
        self.depth -= 1
        return text + (f" {self._probe()}" if rng.random() < 0.12 else "")

    def _simple(self) -> str:
        rng = self.rng
        if self.arrays and rng.random() < 0.25:
            return f"{self._element(*rng.choice(self.arrays))} {rng.choice(('=', '=', '+='))} {self._expression()};"
        if not self.written:
            return ";"
        v = rng.choice(self.written[-6:])
        if rng.random() < 0.4:
            return rng.choice((f"{v}++;", f"{v} += {rng.choice((1, 2, 3))};", f"{v}--;"))
        if rng.random() < 0.12:
            return f"{v} = PICK({rng.choice((2, 3))});"
        if rng.random() < 0.15:
            return (
                f"{{ __typeof__({v}) *w = &{v}; *w {rng.choice(('=', '+=', '^='))} {self._expression()}; }}"
                if "." not in v
                else f"{v} = {self._expression()};"
            )
        return f"{v} {rng.choice(('=', '=', '+=', '-=', '^='))} {self._expression()};"

    def _shapes(self) -> list[Callable[[], str]]:
        often = [self._if, self._if, self._for, self._for, self._for]
        return [*often, self._while, self._do, self._switch, self._retry, self._walk, self._fold]

    def _if(self) -> str:
        other = f" else {{ {self._block(1)} }}" if self.rng.random() < 0.5 else ""
        return f"if ({self._condition()}) {{ {self._block(self.rng.randrange(1, 3))} }}{other}"

    def _bound(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            return str(rng.choice((2, 3, 5, 8, 10, 12, 20, 100, 200)))
        if roll < 0.7 and self.numbers:
            return f"{rng.choice(self.numbers)} % {rng.choice((4, 10, 30))}"
        return self._operand()

    def _leave(self) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.1:
            return f"if ({self._condition()}) break; "
        if roll < 0.15:
            return f"if ({self._condition()}) continue; "
        if roll < 0.2:
            return "if (PICK(2)) break; "
        return ""

    def _for(self) -> str:
        rng, i = self.rng, self._new("i")
        t = rng.choice(("int", "int", "unsigned", "unsigned char", "short", "unsigned long"))
        bound, step = self._bound(), rng.choice(("1", "1", "1", "2", "3"))
        start = rng.choice(("0", "0", "1", self._operand()))
        if rng.random() < 0.7:
            head = f"{t} {i} = {start}; {i} < {bound}; {i} += {step}"
            if rng.random() < 0.1:
                head = f"{t} {i} = {start}; {i} != {bound}; {i} += {step}"
        else:
            head = f"{t} {i} = {bound}; {i} > 0; {i} -= {step}"
            if t.startswith("unsigned") and step != "1":
                head = f"{t} {i} = {bound}; {i} >= {step}; {i} -= {step}"
        return f"for ({head}) {{ TICK {self._body(i)} }}"

    def _body(self, i: str) -> str:
        where = self._state()
        self.numbers.append(i)
        lines = [
            self._leave(),
            self._maybe_probe(),
            self._block(self.rng.randrange(1, 4)),
            self._maybe_probe(),
        ]
        if self.rng.random() < 0.2:
            self.rng.shuffle(lines)
        self._restore(where)
        return "".join(lines)

    def _while(self) -> str:
        rng, v = self.rng, self._new("v")
        start = f"{self._type()} {v} = {self._expression()}; "
        down = rng.choice(
            (f"{v} /= 2;", f"{v}--;", f"{v} -= {v} > 2 ? 3 : 1;", f"{v} = {v} & ({v} - 1);")
        )
        stay = rng.choice((f"{v} > 0", f"{v} > 0", f"{v} != 0", f"{v} > 0 && {self._condition()}"))
        return f"{{ {start}while ({stay}) {{ TICK {self._body(v)} {down} }} }}"

    def _do(self) -> str:
        v = self._new("v")
        rest = f"{v}++ < {self.rng.choice((2, 5, 9, 60))}"
        return f"{{ {self._type()} {v} = 0; do {{ TICK {self._body(v)} }} while ({rest}); }}"

    def _switch(self) -> str:
        rng = self.rng
        cases = []
        for label in rng.sample(range(6), 3):
            end = "break;" if rng.random() < 0.75 else ""
            cases.append(f"case {label}: {self._block(1)} {end}")
        if rng.random() < 0.5:
            cases.insert(rng.randrange(4), f"default: {self._block(1)} break;")
        return f"switch ({self._small()} % 6) {{ {' '.join(cases)} }}"

    def _retry(self) -> str:
        v, label = self._new("v"), self._new("l")
        where = self._state()
        self.numbers.append(v)
        inner = self._block(2)
        self._restore(where)
        test = f"{v}++ < {self.rng.choice((1, 3, 7))}"
        again = (
            f"if ({self._condition()} && {test}) goto {label};"
            if self.rng.random() < 0.5
            else f"if ({test}) goto {label};"
        )
        return f"{{ {self._type()} {v} = 0; {label}: ; TICK {inner} {again} }}"

    def _walk(self) -> str:
        """A pointer along an array."""
        if not self.arrays:
            return self._for()
        rng, p = self.rng, self._new("p")
        a, length = rng.choice(self.arrays)
        end = length + (rng.random() < self.daring)
        where = self._state()
        self.numbers.append(f"*{p}")
        self.written.append(f"*{p}")
        body = self._block(rng.randrange(1, 3))
        self._restore(where)
        return f"for (__typeof__(*{a}) *{p} = {a}; {p} < {a} + {end}; {p}++) {{ TICK {self._maybe_probe()}{body} }}"

    def _fold(self) -> str:
        """A sum, an extreme or a count over an array, and what it says about the cells."""
        if not self.arrays:
            return self._for()
        rng, i, s = self.rng, self._new("i"), self._new("v")
        a, length = rng.choice(self.arrays)
        change = rng.choice(
            (
                f"{s} += {a}[{i}];",
                f"if ({a}[{i}] > {s}) {s} = {a}[{i}];",
                f"if ({a}[{i}] == {self._operand()}) {s}++;",
            )
        )
        self.numbers.append(s)
        bound = length if rng.random() > self.daring else length + 1
        self.probes += 1
        probe = f"@{self.probes}@{rng.choice((s, f'{s} - {a}[0]', f'{s} >= {a}[{length - 1}]'))}@"
        return f"{self._type()} {s} = 0; for (int {i} = 0; {i} < {bound}; {i}++) {{ TICK {change} }} {probe}"
