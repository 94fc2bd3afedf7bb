"""Random SMV models. Types and operators are chosen so that expressions mostly have values that
fit.
"""

from __future__ import annotations

import random
from typing import Any

Typed = tuple[str, Any]  # boolean; number (low, high); symbol (values); word (signed, width)
TYPES: tuple[tuple[str, Typed], ...] = (
    ("boolean", ("boolean", None)),
    ("0..2", ("number", (0, 2))),
    ("-1..1", ("number", (-1, 1))),
    ("{1, 3}", ("number", (1, 3))),
    ("{red, green, blue}", ("symbol", ("red", "green", "blue"))),
    ("{none, 0, 1}", ("symbol", ("none", "0", "1"))),
    ("word[2]", ("word", (False, 2))),
    ("signed word[2]", ("word", (True, 2))),
    ("word[1]", ("word", (False, 1))),
    ("signed word[3]", ("word", (True, 3))),
    ("-2..-1", ("number", (-2, -1))),
)


class Generator:
    """One random model."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known: dict[str, Typed] = {}  # what an expression of the module at hand may name
        self.spelled: dict[str, str] = {}  # variables with their declared types
        self.later: dict[str, Typed] = {}  # of these the state variables
        self.bits = 0

    def model(self) -> str:
        """The text of a model."""
        rng = self.rng
        inner = self._module() if rng.random() < 0.6 else ""
        self.known, self.later, self.spelled = {}, {}, {}
        lines = ["MODULE main", "CONSTANTS red, green, blue, none;", "VAR"]
        names = [f"v{n}" for n in range(rng.randint(1, 3))]
        lines += [self._declare(n, True) for n in names]
        if rng.random() < 0.2:
            lines.append("  a : array 1..2 of boolean;")
            for n in (1, 2):
                self.known[f"a[{n}]"] = self.later[f"a[{n}]"] = ("boolean", None)
                self.spelled[f"a[{n}]"] = "boolean"
        process = "process " if inner and rng.random() < 0.25 else ""
        if inner:
            lines.append(
                f"  m : {process}sub({self.expression(('boolean', None), 1)}, {rng.choice(names)});"
            )
            self.known |= {"m.x": self.inner_type, "m.d": ("boolean", None)}
            self.later["m.x"] = self.inner_type
        if rng.random() < 0.3:
            lines += ["IVAR", self._declare("i", False)]
        if rng.random() < 0.2:
            lines += ["FROZENVAR", self._declare("f", True, frozen=True)]
        lines += self._define("d")
        lines += self._behaviour(names)
        lines += [
            f"INVARSPEC {self.expression(('boolean', None), 3)};" for _ in range(rng.randint(1, 2))
        ]
        return "\n".join([*lines, inner]) + "\n"

    def _module(self) -> str:
        rng = self.rng
        self.known = {"p": ("boolean", None)}
        lines = ["MODULE sub(p, q)", "VAR", self._declare("x", True)]
        self.inner_type = self.known["x"]
        lines += self._define("d", boolean=True)
        lines += ["ASSIGN", *self._assignments("x", ["p"])]
        if rng.random() < 0.3:
            lines.append(f"INVAR {self.expression(('boolean', None), 1)};")
        return "\n".join(lines)

    def _declare(self, name: str, state: bool, frozen: bool = False) -> str:
        spelled, typed = self.rng.choice(TYPES)
        self.known[name] = typed
        self.spelled[name] = spelled
        if state and not frozen:
            self.later[name] = typed
        return f"  {name} : {spelled};"

    def _define(self, name: str, boolean: bool = False) -> list[str]:
        typed: Typed = ("boolean", None) if boolean else self.rng.choice(TYPES)[1]
        out = ["DEFINE", f"  {name} := {self.expression(typed, 2)};"]
        self.known[name] = typed
        return out

    def _behaviour(self, names: list[str]) -> list[str]:
        rng, lines = self.rng, list[str]()
        assigned = ["ASSIGN"]
        for n, name in enumerate(names):
            if rng.random() < 0.75:
                assigned += self._assignments(name, [*names[:n], "a[1]", "f"])
        lines += assigned
        known = self.known
        # the definition may be about the input
        self.known = {k: t for k, t in known.items() if k not in ("i", "d")}
        lines += [
            f"{kind} {self.expression(('boolean', None), 2)};"
            for kind in ("INIT", "INVAR")
            if rng.random() < 0.3
        ]
        self.known = known
        if self.later and rng.random() < 0.4:
            lines.append(f"TRANS {self._relation()};")
        return lines

    def _relation(self) -> str:
        name = self.rng.choice(sorted(self.later))
        typed = self.later[name]
        right = self.expression(typed, 2)
        shapes = [
            f"next({name}) = {right}",
            f"next({name} = {right})" if "i" not in self.known else f"next({name}) != {right}",
            f"{self.expression(('boolean', None), 1)} -> next({name}) = {right}",
            f"next({name}) in {self._set(typed, 1)}",
        ]
        return self.rng.choice(shapes)

    def _assignments(self, name: str, earlier: list[str]) -> list[str]:
        """First and next values, or a current one; first and current values may depend on earlier
        variables only.
        """
        rng, known, out = self.rng, self.known, list[str]()
        self.known = {k: t for k, t in known.items() if k in earlier}
        if rng.random() < 0.12:
            out.append(f"  {name} := {self._within(name, 2)};")
            self.known = known
            self.later.pop(name, None)
            return out
        if rng.random() < 0.7:
            out.append(f"  init({name}) := {self._within(name, 1)};")
        self.known = known
        if rng.random() < 0.85:
            out.append(f"  next({name}) := {self._within(name, 3)};")
        return out

    def _within(self, name: str, depth: int) -> str:
        """An expression whose values a variable can have, or nearly so."""
        typed, rng = self.typed[name], self.rng
        if rng.random() < 0.4:
            return self._set(typed, depth - 1)
        if rng.random() < 0.4 and depth > 1:
            condition = self.expression(("boolean", None), depth - 1)
            first, second = self._within(name, depth - 1), self._within(name, depth - 1)
            last = "TRUE" if rng.random() < 0.8 else f"!({condition})"
            return f"case {condition} : {first}; {last} : {second}; esac"
        if typed[0] == "number" and rng.random() < 0.9:
            if rng.random() < 0.6 and depth > 1 and typed[1] == (0, 2):
                return f"({self.expression(('number', (0, 4)), depth - 1)}) mod 3"
            return self._literal(typed)
        return self.expression(typed, depth)

    @property
    def typed(self) -> dict[str, Typed]:
        """The types of declared variables."""
        table = dict(TYPES)
        return {name: table[spelled] for name, spelled in self.spelled.items()}

    def _set(self, typed: Typed, depth: int) -> str:
        rng = self.rng
        if typed[0] == "number" and typed[1] == (0, 2) and rng.random() < 0.4:
            return rng.choice(("0..2", "0..1", "1..2 union 0"))
        if typed == ("symbol", ("none", "0", "1")) and rng.random() < 0.2:
            return "0..1"
        items = [self._literal(typed) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.3:
            same = [k for k, t in self.known.items() if t == typed]
            items += [rng.choice(same)] if same else []
        joined = "{" + ", ".join(items) + "}"
        return f"({joined} union {self._literal(typed)})" if rng.random() < 0.2 else joined

    def _literal(self, typed: Typed) -> str:
        rng, (kind, data) = self.rng, typed
        match kind:
            case "boolean":
                return rng.choice(("TRUE", "FALSE"))
            case "number":
                if data in ((1, 3),):
                    return rng.choice(("1", "3"))
                return str(rng.randint(*data))
            case "symbol":
                return str(rng.choice(data))
        signed, width = data
        value = rng.randrange(1 << width)
        return rng.choice(
            (
                f"0{'s' if signed else 'u'}d{width}_{value}",
                f"0{'s' if signed else 'u'}b{width}_{value:b}",
            )
        )

    # -- expressions -------------------------------------------------------------------------------

    def expression(self, typed: Typed, depth: int) -> str:
        """An expression of a type (of numbers: of any numbers)."""
        rng, kind = self.rng, typed[0]
        same = [k for k, t in self.known.items() if t == typed or (kind == t[0] == "number")]
        if depth <= 0 or rng.random() < 0.2:
            return rng.choice(same) if same and rng.random() < 0.75 else self._literal(typed)
        if rng.random() < 0.12:
            c, a, b = (
                self.expression(("boolean", None), depth - 1),
                *(self.expression(typed, depth - 1) for _ in "ab"),
            )
            return rng.choice((f"(({c}) ? ({a}) : ({b}))", f"case {c} : {a}; TRUE : {b}; esac"))
        made: str = getattr(self, f"_{kind}")(typed, depth - 1)
        return made

    def _boolean(self, typed: Typed, depth: int) -> str:
        rng = self.rng
        shape = rng.randrange(5)
        if shape == 0:
            return f"!({self.expression(typed, depth)})"
        if shape == 1:
            op = rng.choice(("&", "|", "xor", "xnor", "->", "<->"))
            return f"({self.expression(typed, depth)} {op} {self.expression(typed, depth)})"
        other = rng.choice(TYPES)[1]
        a, b = self.expression(other, depth), self.expression(other, depth)
        if shape == 2:
            return f"(({a}) in {self._set(other, depth)})"
        ordered = other[0] in ("number", "word")
        op = rng.choice(("=", "!=", "<", "<=", ">", ">=") if ordered else ("=", "!="))
        return f"(({a}) {op} ({b}))"

    def _number(self, typed: Typed, depth: int) -> str:
        rng = self.rng
        a, b = self.expression(typed, depth), self.expression(typed, depth)
        shape = rng.randrange(7)
        if shape < 3:
            return f"({a} {rng.choice('+-*')} ({b}))"
        if shape == 3:
            return f"(({a}) {rng.choice(('/', 'mod'))} {rng.choice(('2', '3', '(-2)', '(-3)'))})"
        if shape == 4:
            return f"toint({self.expression(rng.choice([t for _, t in TYPES if t[0] in ('word', 'boolean')]), depth)})"
        if shape == 5:
            return (
                f"count({self.expression(('boolean', None), depth)},"
                f" {self.expression(('boolean', None), depth)})"
            )
        return rng.choice((f"(-({a}))", f"abs({a})", f"max({a}, {b})", f"min({a}, {b})"))

    def _symbol(self, typed: Typed, depth: int) -> str:
        c, a = self.expression(("boolean", None), depth), self.expression(typed, depth)
        b = self.expression(typed, depth)
        return f"(({c}) ? ({a}) : ({b}))"

    def _word(self, typed: Typed, depth: int) -> str:
        rng, (signed, width) = self.rng, typed[1]
        a, b = self.expression(typed, depth), self.expression(typed, depth)
        shape = rng.randrange(8)
        cast = "signed" if signed else "unsigned"
        if shape < 3:
            return (
                f"(({a})"
                f" {rng.choice(('+', '-', '*', '/', 'mod', '&', '|', 'xor', 'xnor', '->', '<->'))}"
                f" ({b}))"
            )
        if shape == 3:
            return rng.choice((f"(!({a}))", f"(-({a}))"))
        if shape == 4:
            amount = rng.choice(
                (str(rng.randint(0, width)), self.expression(("word", (False, 2)), depth))
            )
            return f"(({a}) {rng.choice(('<<', '>>'))} ({amount}))"
        if shape == 5:
            other = rng.choice([t for _, t in TYPES if t[0] == "word"])
            return f"{cast}(resize({self.expression(other, depth)}, {width}))"
        if shape == 6:
            high = rng.randint(width - 1, 2)
            wide = self.expression(("word", (True, 3)), depth)
            return f"{cast}(({wide})[{high}:{high - width + 1}])"
        if width == 1:
            return f"{cast}(word1({self.expression(('boolean', None), depth)}))"
        one = self.expression(("word", (False, 1)), depth)
        rest = rng.choice((f"extend({one}, {width - 2})", f"resize({a}, {width - 1})"))
        return f"{cast}(({one}) :: ({rest}))"
