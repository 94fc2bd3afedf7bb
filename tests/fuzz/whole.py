"""Random small C programs as people write them, with loops and few inputs: arrays, records, texts,
lists, functions, jumps, early returns, narrow types.

`Generator(number).program()` has places ``@k@e@``: there the compiled program notes which
values the expression `e` has; `asserted` puts an assertion at one or two of them, which the values
that were seen pass, or miss by one. ``TICK`` counts rounds. `plain` is the program that is verified.

Each input is ``PICK(n)``, one of n values, so that all runs can be tried.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tests.fuzz.whole_statements import NARROW, WIDE, Statements

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
RECORD = (
    "struct record { {a} a; {b} b[3]; struct { {c} c; {d} d : {w}; } in; struct record *next; };"
)
PROBE = re.compile(r"@(\d+)@(.*?)@")
Seen = Mapping[int, Sequence[int]]


class Generator(Statements):
    """The program with a number."""

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
        early = (
            f"if ({self._condition()}) return {self._expression()}; " if rng.random() < 0.4 else ""
        )
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
        whole = self.rng.choice(
            (f"{t} = {r};", f"memcpy(&{t}, &{r}, sizeof {t});", f"{t}.in = {r}.in;")
        )
        return (
            f"struct record {r} = {{0}}, {t} = {{ .a = 1 }}; {r}.a = {self._expression()}; {whole}"
        )

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
                f'{c} = strcmp({s}, "ab") > 0;',
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
