"""Random expressions of C over all arithmetic types, by number.

A program is some functions of one statement each that observe a value. Signed arithmetic wraps (the
compilers get -fwrapv); shifts, divisions and conversions of floats are kept in range, so everything
is defined or left to the implementation.
"""

from __future__ import annotations

import random

INTEGERS = {
    "_Bool": 1,
    "char": 8,
    "signed char": 8,
    "unsigned char": 8,
    "short": 16,
    "unsigned short": 16,
    "int": 32,
    "unsigned": 32,
    "long": 0,
    "unsigned long": 0,
    "long long": 64,
    "unsigned long long": 64,
}
FLOATS = ("float", "double", "long double")
ENUMS = ("enum low", "enum plain", "enum tiny", "enum high")
HEAD = """enum low { L0 = -3, L1 = 4 }; enum plain { P0, P1 = 200 }; enum __attribute__((packed)) tiny { T0, T1 = 130 };
enum high { H0 = 1, H1 = 0xf0000000 };
"""
INTEGER_VALUES = (
    *("0", "1", "2", "-1", "-2", "3", "7", "-7", "100", "127", "-128", "128", "255", "256", "-129"),
    *(
        "32767",
        "-32768",
        "65535",
        "65536",
        "2147483647",
        "-2147483647-1",
        "2147483648u",
        "0xffffffffu",
    ),
    *("0x7fffffffffffffff", "-0x7fffffffffffffff-1", "0xffffffffffffffffu", "0x123456789abcdefu"),
    *("0x80000001u", "0xaaaaaaaau", "16777217", "9007199254740993", "0x7fffff8000000000"),
)
FLOAT_VALUES = (
    *(
        "0.0",
        "-0.0",
        "1.0",
        "-1.0",
        "0.5",
        "-0.5",
        "1.5",
        "2.5",
        "-2.5",
        "0.1",
        "-3.75",
        "127.5",
        "255.99",
    ),
    *(
        "1e10",
        "-1e10",
        "16777217.0",
        "9007199254740993.0",
        "1e-310",
        "5e-324",
        "1e-45f",
        "1e308",
        "-1e308",
    ),
    *(
        "3.4028235e38f",
        "1.17549435e-38f",
        "2147483647.0",
        "-2147483648.0",
        "4294967295.0",
        "0x1p63",
        "0x1p-1074",
    ),
    *("(1e308*10)", "-(1e308*10)", "0.1f", "1.0000000000000002", "0x1.fffffep127", "0x1.8p-150"),
)
CONSTANTS = (
    *(
        "0",
        "1",
        "-1",
        "2u",
        "3L",
        "-4LL",
        "5ul",
        "'a'",
        "'\\xff'",
        "0x80000000",
        "2147483648",
        "1.5",
        "0.25f",
    ),
    *(
        "2.5L",
        "L'b'",
        "u'c'",
        "U'd'",
        "P1",
        "H1",
        "L0",
        "T1",
        "0xffffffff",
        "017",
        "(char)200",
        "'ab'",
        "-1u",
    ),
)
GENERIC = (
    "_Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9,"
    " unsigned long: 10, long long: 11, unsigned long long: 12, float: 13, double: 14, long double: 15, default: 16"
)
BITS = ("clz", "ctz", "popcount", "parity", "ffs")
ROUNDINGS = ("floor", "ceil", "trunc", "round", "rint", "nearbyint", "fabs")


class Generator:
    """Makes one program."""

    def __init__(self, number: int) -> None:
        self.rng = random.Random(number)
        self.fields: list[tuple[str, int]] = []
        self.floats = self.rng.random() < 0.5  # they are slow to interpret

    def program(self, count: int) -> tuple[str, list[str]]:
        """Declarations, and functions without their names."""
        head = HEAD + "".join(
            f"{t} v{i} = {self.value(t)}, w{i} = {self.value(t)};\n"
            for i, t in enumerate(self.types())
        )
        return head + self.record(), [self.function() for _ in range(count)]

    def types(self) -> list[str]:
        """The types of the variables, in order."""
        return [*INTEGERS, *ENUMS, *FLOATS]

    def value(self, kind: str) -> str:
        """An initial value."""
        if kind in FLOATS or (kind == "_Bool" and self.rng.random() < 0.5):
            return self.rng.choice(FLOAT_VALUES)
        return self.rng.choice(INTEGER_VALUES)

    def record(self) -> str:
        """A record of bit-fields, with values."""
        out, values = [], []
        for i in range(self.rng.randrange(3, 9)):
            kind = self.rng.choice([*INTEGERS, "enum plain", "enum low"])
            bits = INTEGERS.get(kind, 32) or 32
            width = self.rng.choice([1, bits, self.rng.randint(1, bits)])
            if kind.startswith("enum"):
                width = self.rng.randint(9, 32)
            self.fields.append((f"b{i}", width))
            out.append(f"{kind} b{i} : {width};")
            values.append(self.rng.choice(INTEGER_VALUES))
            if self.rng.random() < 0.2:
                out.append(self.rng.choice(["int : 0;", f"char m{i};", "int : 3;"]))
                values += ["1"] * ("m" in out[-1])
        packed = "__attribute__((packed))" if self.rng.random() < 0.3 else ""
        return f"struct {packed} bits {{ {' '.join(out)} }} s = {{ {', '.join(values)} }};\n"

    def variable(self, floats: bool) -> str:
        """A variable, or a field."""
        if self.rng.random() < 0.25:
            return f"s.{self.rng.choice(self.fields)[0]}"
        count = len(self.types()) - (0 if floats and self.floats else len(FLOATS))
        return f"{self.rng.choice('vw')}{self.rng.randrange(count)}"

    def integer(self, depth: int) -> str:
        """An expression of an integer type."""
        r = self.rng
        if depth <= 0:
            return r.choice([self.variable(False), self.variable(False), r.choice(CONSTANTS[:11])])
        a = self.integer(depth - 1)
        match r.randrange(17):
            case 0 | 1 | 2:
                return f"({a} {r.choice(['+', '-', '*', '&', '|', '^'])} {self.integer(depth - 1)})"
            case 3:
                return f"({a} {r.choice(['/', '%'])} (({self.integer(depth - 1)} & 63) | 1))"
            case 4:
                return f"({a} {r.choice(['<<', '>>'])} ({self.integer(depth - 1)} & 7))"
            case 5 | 6:
                return f"(({r.choice([*INTEGERS, *ENUMS])}){a})"
            case 7:
                return f"({r.choice(['-', '~', '!', '+'])} {a})"
            case 8:
                return (
                    f"({a} {r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.number(depth - 1)})"
                )
            case 9:
                return f"({self.number(depth - 1)} ? {a} : {self.integer(depth - 1)})"
            case 10:
                return f"({a} ?: {self.integer(depth - 1)})"
            case 11:
                return (
                    f"({self.number(depth - 1)} {r.choice(['&&', '||'])} {self.number(depth - 1)})"
                )
            case 12:
                return f"sizeof({r.choice(['', '(char)', '+', '(long long)'])}({a} + 0))"
            case 13:
                return self.bits(a)
            case 14:
                return self.overflow(a, self.integer(depth - 1))
            case 15:
                return f"({{ __typeof__({a} + 0) t = {a}; t {r.choice('+-^')} 1; }})"
            case _:
                return self.converted(depth)

    def number(self, depth: int) -> str:
        """An expression of any arithmetic type."""
        return (
            self.floating(depth) if self.floats and self.rng.random() < 0.4 else self.integer(depth)
        )

    def floating(self, depth: int) -> str:
        """An expression that may be a float."""
        r = self.rng
        if depth <= 0:
            return r.choice([self.variable(True), r.choice(CONSTANTS), r.choice(FLOAT_VALUES)])
        a = self.floating(depth - 1)
        match r.randrange(8):
            case 0 | 1:
                return f"({a} {r.choice('+-*')} {self.number(depth - 1)})"
            case 2:
                return f"(({r.choice(FLOATS)}){a})"
            case 3:
                return f"(- {a})"
            case 4:
                return f"({self.number(depth - 1)} ? {a} : {self.number(depth - 1)})"
            case 5:
                return f"__builtin_{r.choice(ROUNDINGS)}{r.choice(['', 'f'])}({a})"
            case 6:
                return f"({r.choice(FLOATS)})({self.integer(depth - 1)})"
            case _:
                return f"({a} / (3.0f + ({a} > 1)))"

    def converted(self, depth: int) -> str:
        """A float as an integer, where that is defined."""
        if not self.floats:
            return self.integer(depth - 1)
        low, high = self.rng.choice(
            [
                ("-129.0", "128.0"),
                ("-1.0", "256.0"),
                ("-1.0", "4294967296.0"),
                ("-2147483649.0", "2147483648.0"),
            ]
        )
        kind = {"128.0": "signed char", "256.0": "unsigned char", "4294967296.0": "unsigned"}.get(
            high, "int"
        )
        a = self.floating(depth - 1)
        if self.rng.random() < 0.3:
            return f"((_Bool){a})"
        return f"({a} > {low} && {a} < {high} ? ({kind}){a} : 9)"

    def bits(self, a: str) -> str:
        """A builtin that counts bits, or swaps bytes."""
        name, size = self.rng.choice(BITS), self.rng.choice(["", "l", "ll"])
        if self.rng.random() < 0.2:
            return f"__builtin_bswap{self.rng.choice([16, 32, 64])}({a})"
        word = {"": "unsigned", "l": "unsigned long", "ll": "unsigned long long"}[size]
        return f"__builtin_{name}{size}(({word})({a}) | {'1u' if name in ('clz', 'ctz') else '0'})"

    def overflow(self, a: str, b: str) -> str:
        """Arithmetic that says whether it fits."""
        kind = self.rng.choice([k for k in INTEGERS if k != "_Bool"])
        name = self.rng.choice(["add", "sub", "mul"])
        return f"({{ {kind} t; int o = __builtin_{name}_overflow({a} + 0, {b} + 0, &t); o * 3 + (t ^ 5); }})"

    def function(self) -> str:
        """The body of a function that observes something."""
        r, depth = self.rng, self.rng.randint(1, 4)
        match r.randrange(8):
            case 0 | 1 | 2:
                return f"observe({self.integer(depth)});"
            case 3:
                e = self.number(depth)
                return f"observe(_Generic(({e}) + 0, {GENERIC}));"
            case 4:
                return f"observe_double({self.floating(depth) if self.floats else self.integer(depth)});"
            case 5 | 6:
                return self.assignment(depth)
            case _:
                kind = r.choice([*INTEGERS, *ENUMS])
                a, i = self.integer(depth), self.integer(1)
                return f"{kind} t[] = {{ [1] = {a}, {i}, [0] = ({kind})2 }}; observe(t[({i} & 1)]); observe(sizeof t);"

    def assignment(self, depth: int) -> str:
        """A variable changes for a while; the assignment's value and the variable are observed."""
        x = self.variable(True)
        whole = x.partition(".")[0]
        body = self.assigned(x, depth)
        return f"__typeof__({whole}) old = {whole}; {body} {whole} = old;"

    def assigned(self, x: str, depth: int) -> str:
        """The assignment."""
        r = self.rng
        floating = x[0] in "vw" and int(x[1:]) >= len(INTEGERS) + len(ENUMS)
        if floating:
            return f"observe_double({x} {r.choice(['=', '+=', '-=', '*='])} {self.number(depth)}); observe_double({x});"
        match r.randrange(5):
            case 0:
                return f"observe({r.choice(['++', '--'])}{x}); observe({x});"
            case 1:
                return f"observe({x}{r.choice(['++', '--'])}); observe({x});"
            case 2:
                return f"observe({x} {r.choice(['<<=', '>>='])} ({self.integer(depth)} & 7)); observe({x});"
            case 3:
                return f"observe({x} {r.choice(['/=', '%='])} (({self.integer(depth)} & 63) | 1)); observe({x});"
            case _:
                operator = r.choice(["=", "+=", "-=", "*=", "&=", "|=", "^="])
                return f"observe({x} {operator} {self.integer(depth)}); observe({x});"
