"""Random small C programs as people write them, with loops and few inputs: arrays, records, texts,
lists, functions, jumps, early returns, narrow types.

`Generator(number).program()` has places ``@k@e@``: there the compiled program notes which
values the expression `e` has; `asserted` puts an assertion at one or two of them, which the values
that were seen pass, or miss by one. ``TICK`` counts rounds. `plain` is the program that is verified.

Each input is ``PICK(n)``, one of n values, so that all runs can be tried.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

NARROW = ("unsigned char", "signed char", "unsigned short", "short", "_Bool")
WIDE = ("unsigned", "unsigned", "int", "unsigned long", "long long")
PROPERTIES = ("assertions",) * 9 + ("memsafety",) * 3 + ("valid-memsafety",) * 3
PROPERTIES += ("no-overflow",) * 2 + ("termination",) * 3
HEAD = """extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__);
extern __SIZE_TYPE__ strlen(const char *);
extern char *strcpy(char *, const char *);
extern int strcmp(const char *, const char *);
extern void reach_error(void);
"""
PICKS = (
    "static unsigned pick(unsigned n) { return __VERIFIER_nondet_uchar() % n; }",
    "static unsigned pick(unsigned n) { unsigned char c = __VERIFIER_nondet_uchar();"
    " if (c >= n) abort(); return c; }",
    "extern void __VERIFIER_assume(int);\nstatic unsigned pick(unsigned n)"
    " { unsigned c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c < n); return c; }",
)
RECORD = "struct record { {a} a; {b} b[3]; struct { {c} c; {d} d : {w}; } in; struct record *next; };"
PROBE = re.compile(r"@(\d+)@(.*?)@")
Seen = Mapping[int, Sequence[int]]


class Generator:
    """The program with a number."""

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

    # -- the whole

    def program(self) -> str:
        """The program with its probes."""
        rng, parts = self.rng, []
        kinds = {n: rng.choice(NARROW + WIDE) for n in "abc"}
        d = rng.choice(("unsigned", "int"))
        text = RECORD
        for name, kind in {**kinds, "d": d, "w": str(rng.randrange(2, 12))}.items():
            text = text.replace("{" + name + "}", kind)
        parts.append(text)
        for _ in range(rng.randrange(3)):
            parts.append(f"static {self._declared(rng.choice((0, 0, 3, 5)), True)}")
        outside = self._state()
        for _ in range(rng.choice((0, 1, 1, 2))):
            self._restore(outside)
            parts.append(self._function())
        self._restore(outside)
        parts.append(self._main())
        return HEAD + "PICKS\n" + "\n".join(parts) + "\n"

    def _state(self) -> tuple[list[str], list[str], list[tuple[str, int]]]:
        return list(self.numbers), list(self.written), list(self.arrays)

    def _restore(self, state: tuple[list[str], list[str], list[tuple[str, int]]]) -> None:
        self.numbers, self.written, self.arrays = map(list, state)  # type: ignore[assignment]

    def _new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def _type(self) -> str:
        if self.property == "no-overflow":
            return self.rng.choice(("int", "int", "short", "unsigned char"))
        return self.rng.choice(NARROW[:4] + WIDE if self.rng.random() < 0.9 else NARROW)

    def _declared(self, length: int, constant: bool = False) -> str:
        t = self._type()
        if length:
            name = self._new("a")
            values = ", ".join(str(self.rng.randrange(6)) for _ in range(self.rng.randrange(1, 4)))
            self.arrays.append((name, length))
            return f"{t} {name}[{length}] = {{{values}}};"
        name = self._new("v")
        value = str(self.rng.randrange(5)) if constant else self._expression()
        self.numbers.append(name)
        self.written.append(name)
        return f"{t} {name} = {value};"

    def _function(self) -> str:
        rng, name = self.rng, self._new("f")
        parameters = [self._new("p") for _ in range(rng.randrange(1, 3))]
        given = ", ".join(f"{self._type()} {p}" for p in parameters)
        self.numbers += parameters
        self.written += parameters
        where = self._state()
        static = ""
        if rng.random() < 0.3:
            s = self._new("s")
            static = f"static {self._type()} {s} = 1; {s}++; "
            self.numbers.append(s)
        body = self._block(rng.randrange(1, 4))
        early = f"if ({self._condition()}) return {self._expression()}; " if rng.random() < 0.4 else ""
        text = f"static {self._type()} {name}({given}) {{ {static}{early}{body} return {self._expression()}; }}"
        self._restore(where)
        self.functions.append((name, len(parameters)))
        return text

    def _main(self) -> str:
        rng = self.rng
        lines = []
        for _ in range(rng.randrange(1, 3)):
            name = self._new("n")
            lines.append(f"{self._type()} {name} = PICK({rng.choice((2, 3, 5, 9, 17))});")
            self.numbers.append(name)
        lines += [self._declared(0) for _ in range(rng.randrange(1, 4))]
        lines += [self._declared(rng.choice((3, 4, 6))) for _ in range(rng.randrange(1, 3))]
        if rng.random() < 0.5:
            lines.append(self._records())
        if rng.random() < 0.4:
            lines.append(self._text())
        if self.heap:
            lines.append(self._memory())
        lines += [self._statement() for _ in range(rng.randrange(2, 5))]
        lines.append(self._probe())
        lines.append(self._probe())
        return "int main(void)\n{\n    " + "\n    ".join(lines) + "\n    return 0;\n}"

    # -- data

    def _records(self) -> str:
        r, t = self._new("r"), self._new("r")
        parts = [f"{x}.{m}" for x in (r, t) for m in ("a", "b[1]", "in.c", "in.d")]
        self.numbers += parts
        self.written += parts
        self.arrays.append((f"{r}.b", 3))
        whole = self.rng.choice((f"{t} = {r};", f"memcpy(&{t}, &{r}, sizeof {t});", f"{t}.in = {r}.in;"))
        return f"struct record {r} = {{0}}, {t} = {{ .a = 1 }}; {r}.a = {self._expression()}; {whole}"

    def _text(self) -> str:
        rng, s, i = self.rng, self._new("t"), self._new("i")
        size = rng.randrange(4, 9)
        most = size - 1 if rng.random() > self.daring * 2 else size
        n = self._new("n")
        self.numbers.append(n)
        self.arrays.append((s, size))
        scan = self._new("q")
        c = self._new("v")
        self.numbers.append(c)
        clear = "" if rng.random() < self.daring else ' = ""'
        start = f"char {s}[{size}]{clear}; unsigned {n} = PICK({most + 1}), {i}, {c} = 0;"
        fill = f"for ({i} = 0; {i} < {n}; {i}++) {{ TICK {s}[{i}] = 'a' + {rng.choice(('PICK(2)', f'{i} % 3', '1'))}; }}"
        end = f"{s}[{n}] = 0;" if rng.random() > self.daring else ""
        use = rng.choice(
            (
                f"for (char *{scan} = {s}; *{scan}; {scan}++) {{ TICK {c}++; }}",
                f"{c} = strlen({s});",
                f"char {scan}[{size if rng.random() > self.daring else size - 1}]; strcpy({scan}, {s}); {c} = {scan}[0];",
                f"for (char *{scan} = {s}; *{scan}; {scan}++) {{ TICK if (*{scan} == 'b') {c} += 2; }}",
                f"{c} = strcmp({s}, \"ab\") > 0;",
            )
        )
        return f"{start} {fill} {end} {use}"

    def _memory(self) -> str:
        return self.rng.choice((self._list, self._block_of_memory))()

    def _list(self) -> str:
        """A list of nodes, walked, and freed mostly."""
        rng, h, p, c = self.rng, self._new("h"), self._new("p"), self._new("v")
        self.numbers.append(c)
        count = rng.choice(("PICK(3)", "PICK(4)", "2", "3"))
        i = self._new("i")
        back = rng.random() < 0.5
        make = (
            f"struct record *{h} = 0, *{p}; unsigned {c} = 0; for (unsigned {i} = {count}; {i}; {i}--)"
            f" {{ TICK {p} = malloc(sizeof *{p}); {p}->a = {rng.choice((i, '1', self._expression()))}; "
        )
        make += (
            f"{p}->next = {h}; {h} = {p}; }}"
            if back
            else f"{p}->next = 0; if ({h}) {{ {p}->next = {h}->next; {h}->next = {p}; }} else {h} = {p}; }}"
        )
        walk = f"for ({p} = {h}; {p}; {p} = {p}->next) {{ TICK {c} += {rng.choice((f'{p}->a', '1'))}; {self._maybe_probe()}}}"
        free = f"while ({h}) {{ TICK {p} = {h}->next; free({h}); {h} = {p}; }}"
        roll = rng.random()
        if roll < self.daring:
            free = f"while ({h}) {{ TICK free({h}); {h} = {h}->next; }}"
        elif roll < 2 * self.daring:
            free = f"if ({self._condition()}) {free}"
        elif roll < 3 * self.daring:
            free = f"while ({h} && {h}->next) {{ TICK {p} = {h}->next; free({h}); {h} = {p}; }}"
        elif roll < 0.3:
            free = f"if ({h}) {{ {p} = {h}; {h} = {h}->next; free({p}); }} {free}"
        return f"{make} {walk} {free}"

    def _block_of_memory(self) -> str:
        rng, b, n, i = self.rng, self._new("b"), self._new("n"), self._new("i")
        t = self._type()
        size = rng.choice(("3", "PICK(4) + 1", "PICK(3) + 2"))
        most = f"{i} < {n}" if rng.random() > self.daring else f"{i} <= {n}"
        self.numbers.append(n)
        self.numbers.append(f"{b}[0]")
        self.written.append(f"{b}[{n} - 1]")
        make = f"unsigned {n} = {size}; {t} *{b} = malloc({n} * sizeof *{b});"
        make += f" for (unsigned {i} = 0; {most}; {i}++) {{ TICK {b}[{i}] = {rng.choice((i, '0', self._expression()))}; }}"
        body = self._block(2)
        end = f"free({b});"
        roll = rng.random()
        if roll < self.daring:
            end += f" if ({self._condition()}) free({b});"
        elif roll < 2 * self.daring:
            end = f"if ({self._condition()}) free({b});"
        elif roll < 3 * self.daring:
            end = f"free({b} + {self._small()} % 2);"
        self.numbers.remove(f"{b}[0]")
        self.written.remove(f"{b}[{n} - 1]")
        return f"{make} {body} {end}"

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
            return f"{{ __typeof__({v}) *w = &{v}; *w {rng.choice(('=', '+=', '^='))} {self._expression()}; }}" if "." not in v else f"{v} = {self._expression()};"
        return f"{v} {rng.choice(('=', '=', '+=', '-=', '^='))} {self._expression()};"

    def _shapes(self) -> tuple:  # type: ignore[type-arg]
        return (self._if, self._if, self._for, self._for, self._for, self._while, self._do) + (
            self._switch,
            self._retry,
            self._walk,
            self._fold,
        )

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
        lines = [self._leave(), self._maybe_probe(), self._block(self.rng.randrange(1, 4)), self._maybe_probe()]
        if self.rng.random() < 0.2:
            self.rng.shuffle(lines)
        self._restore(where)
        return "".join(lines)

    def _while(self) -> str:
        rng, v = self.rng, self._new("v")
        start = f"{self._type()} {v} = {self._expression()}; "
        down = rng.choice((f"{v} /= 2;", f"{v}--;", f"{v} -= {v} > 2 ? 3 : 1;", f"{v} = {v} & ({v} - 1);"))
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
        again = f"if ({self._condition()} && {test}) goto {label};" if self.rng.random() < 0.5 else f"if ({test}) goto {label};"
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
            (f"{s} += {a}[{i}];", f"if ({a}[{i}] > {s}) {s} = {a}[{i}];", f"if ({a}[{i}] == {self._operand()}) {s}++;")
        )
        self.numbers.append(s)
        bound = length if rng.random() > self.daring else length + 1
        self.probes += 1
        probe = f"@{self.probes}@{rng.choice((s, f'{s} - {a}[0]', f'{s} >= {a}[{length - 1}]'))}@"
        return f"{self._type()} {s} = 0; for (int {i} = 0; {i} < {bound}; {i}++) {{ TICK {change} }} {probe}"

    # -- assertions

    def asserted(self, text: str, seen: Seen) -> str:
        """With assertions at one or two probes that some run passes; most hold, or miss by one."""
        rng = self.rng
        known = [k for k in seen if seen[k]]
        chosen = dict.fromkeys(rng.sample(known, min(len(known), rng.choice((1, 1, 2, 3)))))

        def replaced(m: re.Match[str]) -> str:
            k = int(m[1])
            return self._claim(m[2], seen[k]) if k in chosen else ";"

        return PROBE.sub(replaced, text)

    def _claim(self, e: str, values: Sequence[int]) -> str:
        rng, low, high = self.rng, min(values), max(values)
        missing = [v for v in range(low, min(high, low + 50)) if v not in values]
        kind, x = rng.random(), f"(long long)({e})"
        if kind < 0.3:
            c = f"{x} <= {high - (rng.random() < 0.3)}LL"
        elif kind < 0.6:
            c = f"{x} >= {low + (rng.random() < 0.3)}LL"
        elif kind < 0.8 and missing:
            c = f"{x} != {rng.choice(missing)}LL"
        else:
            c = f"{x} != {rng.choice((high + 1, low - 1, rng.choice(list(values))))}LL"
        return f"if (!({c})) reach_error();"


def plain(text: str, style: int) -> str:
    """The program as it is verified."""
    text = text.replace("TICK ", "").replace("PICKS", PICKS[style])
    return re.sub(r"PICK\((\d+)\)", r"pick(\1)", text)
