"""Random Lustre programs; `lustre_runs` compares the interpreter with the transition system on
them.

A program is a few nodes, each with streams of several types, calls (also on clocks, with restarts,
in merges), blocks, frames, contracts, assertions and properties. Definitions use streams that were
defined before, or any stream under `pre`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

HEADER = """type color = enum { red, green, blue };
type pair = struct { fst: int; snd: bool };
datatype shape = Dot | Box (side: int, filled: bool) | Line (len: int8);
const limit: int = 3;
"""
TYPES = (
    "int",
    "int",
    "bool",
    "bool",
    "bool",
    "real",
    "int8",
    "int8",
    "uint8",
    "color",
    "pair",
    "int^2",
    "shape",
    "[int, bool]",
)
# with their keys
TABLES = {
    "set<int>": "int",
    "set<color>": "color",
    "map<color, int>": "color",
    "map<int, bool>": "int",
}


@dataclass
class _Node:
    name: str
    inputs: list[tuple[str, str]]
    outputs: list[tuple[str, str]]
    function: bool = False


@dataclass
class Generator:
    """Makes programs from a random source."""

    rng: random.Random
    nodes: list[_Node] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    now: list[tuple[str, str]] = field(default_factory=list)
    later: list[tuple[str, str]] = field(default_factory=list)
    temporal: bool = True

    def program(self) -> str:
        """A program whose last node is analysed."""
        self.lines = [HEADER]
        for n in range(self.rng.randint(1, 3)):
            self._node(f"n{n}", last=False)
        self._node("top", last=True)
        return "\n".join(self.lines)

    def _node(self, name: str, last: bool) -> None:
        rng = self.rng
        function = not last and rng.random() < 0.25
        self.temporal = not function
        inputs = [(f"i{k}", rng.choice((*TYPES, *TABLES))) for k in range(rng.randint(1, 3))]
        outputs = [(f"o{k}", rng.choice(TYPES)) for k in range(rng.randint(1, 2))]
        local = [(f"x{k}", rng.choice((*TYPES, *TABLES))) for k in range(rng.randint(0, 4))]
        self.now, self.later = list(inputs), [*outputs, *local]
        head = (
            f"{'function' if function else 'node'} {name} ({_declared(inputs)}) returns"
            f" ({_declared(outputs)});"
        )
        defined = [*local, *outputs]
        rng.shuffle(defined)
        body = self._definitions(defined)
        body += [
            f'  check "p{k}" {self.expr("bool", 2)};'
            for k in range(rng.randint(0 if not last else 1, 2))
        ]
        if not function and rng.random() < 0.3:
            body.append(f"  assert {self.expr('bool', 1)};")
        contract = self._contract(inputs, [*inputs, *outputs]) if rng.random() < 0.4 else []
        variables = [f"var {_declared(local)};"] if local else []
        self.lines += [
            head,
            *contract,
            *variables,
            "let",
            *body,
            *(["  --%MAIN;"] if last else []),
            "tel",
            "",
        ]
        self.nodes.append(_Node(name, inputs, outputs, function))

    def _definitions(self, defined: list[tuple[str, str]]) -> list[str]:
        out: list[str] = []
        while defined:
            name, t = defined.pop()
            kind = self.rng.random()
            if kind < 0.12 and defined:
                other = defined.pop()
                out += self._block([(name, t), other])
                self.now.append(other)
            elif kind < 0.2 and self.temporal and t not in TABLES:
                out += self._frame(name, t)
            elif kind < 0.3 and t == "int^2":
                out.append(f"  {name}[k] = {self.expr('int', 1)} + k;")
            else:
                out.append(f"  {name} = {self.expr(t, 3)};")
            self.now.append((name, t))
        return out

    def _block(self, pair: list[tuple[str, str]]) -> list[str]:
        word, end = self.rng.choice((("if", "fi"), ("when", "end")))
        first = [f"    {n} = {self.expr(t, 2)};" for n, t in pair]
        second = [f"    {n} = {self.expr(t, 2)};" for n, t in pair]
        return [f"  {word} {self.expr('bool', 1)} then", *first, "  else", *second, f"  {end}"]

    def _frame(self, name: str, t: str) -> list[str]:
        self.temporal = False
        initial = [f"    {name} = {self.expr(t, 1)};"] if self.rng.random() < 0.8 else []
        self.temporal = True
        word, end = self.rng.choice((("if", "fi"), ("when", "end")))
        value = f"last {name}" if self.rng.random() < 0.3 else self.expr(t, 2)
        block = f"    {word} {self.expr('bool', 1)} then {name} = {value}; {end}"
        return [f"  frame ({name})", *initial, "  let", block, "  tel"]

    def _contract(
        self, inputs: list[tuple[str, str]], interface: list[tuple[str, str]]
    ) -> list[str]:
        kept, after = self.now, self.later
        self.now, self.later = list(inputs), []
        out = ["(*@contract"]
        if self.rng.random() < 0.5:
            out.append(f"  assume {self.expr('bool', 1)};")
        self.now = interface
        if self.rng.random() < 0.5:
            out.append(f"  var g: int = {self.expr('int', 2)};")
            self.now = [*self.now, ("g", "int")]
        out.append(f"  guarantee {self.expr('bool', 2)};")
        if self.rng.random() < 0.4:
            out.append(
                f"  mode m1 (require {self.expr('bool', 1)}; ensure {self.expr('bool', 1)};);"
            )
            out.append(f"  mode m2 (require not ::m1; ensure {self.expr('bool', 1)};);")
        self.now, self.later = kept, after
        return [*out, "*)"]

    # -- expressions -------------------------------------------------------------------------------

    def expr(self, t: str, depth: int) -> str:
        """An expression of a type."""
        rng = self.rng
        if depth <= 0:
            return self._leaf(t)
        choice = rng.random()
        if choice < 0.15:
            return (
                f"(if {self.expr('bool', depth - 1)} then {self.expr(t, depth - 1)} else"
                f" {self.expr(t, depth - 1)})"
            )
        if self.temporal and choice < 0.33:
            rest = self._delayed(t, depth - 1) if rng.random() < 0.6 else self.expr(t, depth - 1)
            return f"({self.expr(t, depth - 1)} -> {rest})"
        if self.temporal and choice < 0.38:
            return self._delayed(t, depth - 1)
        if choice < 0.5:
            return self._call(t, depth)
        if choice < 0.55:
            return (
                f"(when {self.expr('bool', depth - 1)} then {self.expr(t, depth - 1)} else"
                f" {self.expr(t, depth - 1)})"
            )
        return self._operator(t, depth)

    def _delayed(self, t: str, depth: int) -> str:
        if t in TABLES:
            elements = [self._leaf(TABLES[t]) for _ in range(self.rng.randint(0, 2))]
            return (
                self.expr(t, depth)
                if t.startswith("map")
                else f"pre ({{{', '.join(elements)}}}@<{TABLES[t]}>)"
            )
        fitting = [n for n, nt in (*self.now, *self.later) if nt == t]
        if fitting and self.rng.random() < 0.7:
            return f"pre {self.rng.choice(fitting)}"
        return f"pre ({self.expr(t, depth)})"

    def _leaf(self, t: str) -> str:
        fitting = [n for n, nt in self.now if nt == t]
        if fitting and self.rng.random() < 0.75:
            return self.rng.choice(fitting)
        return self._literal(t)

    def _literal(self, t: str) -> str:
        rng = self.rng
        n = rng.randint(-3, 5)
        number = f"(-{-n})" if n < 0 else str(n)
        if t in TABLES:
            return self._table(t, 0)
        literals: dict[str, Callable[[], str]] = {
            "int": lambda: rng.choice((number, "limit")),
            "bool": lambda: rng.choice(("true", "false")),
            "real": lambda: rng.choice(("0.0", "1.5", "(-2.25)", "3.0")),
            "color": lambda: rng.choice(("red", "green", "blue")),
            "int8": lambda: f"(int8 {rng.choice((number, '127', '(-128)'))})",
            "uint8": lambda: f"(uint8 {rng.randint(0, 255)})",
            "pair": lambda: f"pair {{ fst = {number}; snd = true }}",
            "int^2": lambda: rng.choice((f"[{number}, 1]", f"{number}^2")),
            "shape": lambda: rng.choice(("Dot", f"Box({number}, true)", "Line(int8 3)")),
            "[int, bool]": lambda: f"'({number}, false)",
        }
        return literals[t]()

    def _table(self, t: str, d: int) -> str:
        key, count = TABLES[t], self.rng.randint(0, 2)
        if t.startswith("set"):
            return f"{{{', '.join(self.expr(key, d) for _ in range(count))}}}@<{key}>"
        value = t[4:-1].split(", ")[1]
        entries = "; ".join(f"{self.expr(key, d)} := {self.expr(value, d)}" for _ in range(count))
        return f"map[{entries}]@<{key}, {value}>"

    def _call(self, t: str, depth: int) -> str:
        """A call of a node with an output of the type, on a clock of some kind."""
        rng = self.rng
        fitting = [
            n
            for n in self.nodes
            if [ot for _, ot in n.outputs] == [t] and (self.temporal or n.function)
        ]
        if not fitting:
            return self._leaf(t)
        node = rng.choice(fitting)
        args = ", ".join(self.expr(it, depth - 2) for _, it in node.inputs)
        kind = rng.random()
        if node.function or kind < 0.4 or not self.temporal:
            return f"{node.name}({args})"
        clock, reset = self.expr("bool", 1), self.expr("bool", 1)
        if kind < 0.55:
            return f"condact({clock}, {node.name}({args}), {self.expr(t, 0)})"
        if kind < 0.7:
            return f"(restart {node.name} every {reset})({args})"
        if kind < 0.8:
            return (
                f"(activate {node.name} every ({clock}) initial default {self.expr(t, 0)} restart"
                f" every {reset})({args})"
            )
        clocks = [n for n, nt in self.now if nt == "bool"]
        if not clocks:
            return f"{node.name}({args})"
        c = rng.choice(clocks)
        return (
            f"merge({c}; (activate {node.name} every {c})({args}); ({self.expr(t, depth - 1)}) when"
            f" not {c})"
        )

    def _operator(self, t: str, depth: int) -> str:
        e, rng = self.expr, self.rng
        d = depth - 1
        if t == "bool":
            return self._boolean(d)
        if t in ("int", "int8", "uint8", "real"):
            return self._number(t, d)
        if t == "pair":
            return rng.choice(
                (
                    lambda: f"pair {{ fst = {e('int', d)}; snd = {e('bool', d)} }}",
                    lambda: f"({e('pair', d)})[fst := {e('int', d)}]",
                )
            )()
        if t == "int^2":
            return rng.choice(
                (
                    lambda: f"[{e('int', d)}, {e('int', d)}]",
                    lambda: f"({e('int', d)})^2",
                    lambda: f"({e('int^2', d)})[{e('int', 0)} := {e('int', d)}]",
                )
            )()
        if t in TABLES:
            key = TABLES[t]
            if t.startswith("set"):
                return f"({e(t, d)} {rng.choice('+*-')} {e(t, d)})"
            update = f"({e(t, d)})[{e(key, d)} := {e(t[4:-1].split(', ')[1], d)}]"
            return rng.choice(
                (
                    lambda: self._table(t, d),
                    lambda: update,
                    lambda: f"({e(t, d)} - {{{e(key, d)}}})",
                )
            )()
        if t == "shape":
            return rng.choice(
                (lambda: f"Box({e('int', d)}, {e('bool', d)})", lambda: f"Line({e('int8', d)})")
            )()
        if t == "[int, bool]":
            return f"'({e('int', d)}, {e('bool', d)})"
        return self._leaf(t)

    def _number(self, t: str, d: int) -> str:
        e, rng = self.expr, self.rng
        if rng.random() < 0.6:
            return f"({e(t, d)} {rng.choice(('+', '-', '*') if d else ('+', '-'))} {e(t, d)})"
        if t == "real":
            return rng.choice(
                (
                    lambda: f"({e('real', d)} / 4.0)",
                    lambda: f"real ({e('int', d)})",
                    lambda: f"(-{e('real', d)})",
                )
            )()
        if t == "int":
            return rng.choice(
                (
                    lambda: (
                        f"({e('int', d)} {rng.choice(('div', 'mod'))}"
                        f" {rng.choice(('3', '(-3)', e('int', 0)))})"
                    ),
                    lambda: f"({e('pair', d)}).fst",
                    lambda: f"({e('int^2', d)})[{e('int', 0)}]",
                    lambda: f"({e('[int, bool]', d)})[0]",
                    lambda: f"int ({e(rng.choice(('int8', 'uint8', 'real')), d)})",
                    lambda: (
                        f"(match {e('shape', d)} with | Dot : 0 | Box (a, _) : a | Line (b) :"
                        f" {e('int', d)} end)"
                    ),
                    lambda: "any { v: int | v >= 0 }" if self.temporal else "1",
                    lambda: f"({e('map<color, int>', d)})[{e('color', d)}]",
                )
            )()
        other = "uint8"
        return rng.choice(
            (
                lambda: f"({e(t, d)} {rng.choice(('div', 'mod'))} {e(t, d)})",
                lambda: f"({e(t, d)} {rng.choice(('&&', '||'))} {e(t, d)})",
                lambda: f"(-{e(t, d)})",
                lambda: f"(!{e(t, d)})",
                lambda: f"({e(t, d)} {rng.choice(('lsh', 'rsh'))} {e(other, d)})",
                lambda: f"({t} ({e('int', d)}))",
            )
        )()

    def _boolean(self, d: int) -> str:
        e, rng = self.expr, self.rng
        compared = rng.choice(("int", "int", "real", "int8", "uint8"))
        same = rng.choice((*TYPES, *TABLES))
        table = rng.choice(list(TABLES))
        return rng.choice(
            (
                lambda: (
                    f"({e('bool', d)}"
                    f" {rng.choice(('and', 'or', 'xor', '=>', 'and then', 'or else', '==>'))}"
                    f" {e('bool', d)})"
                ),
                lambda: f"({e(compared, d)} {rng.choice(('<', '<=', '>', '>='))} {e(compared, d)})",
                lambda: f"({e(same, d)} {rng.choice(('=', '<>'))} {e(same, d)})",
                lambda: f"not ({e('bool', d)})",
                lambda: f"({e('pair', d)}).snd",
                lambda: f"({e('[int, bool]', d)})[1]",
                lambda: f"Box?({e('shape', d)})",
                lambda: f"({e(TABLES[table], d)} in {e(table, d)})",
                lambda: f"({e('map<int, bool>', d)})[{e('int', d)}]",
                lambda: f"(Line?({(x := e('shape', 0))}) and then ({x}).len > (int8 0))",
                lambda: f"(exists (q: color) q = {e('color', d)} and {e('bool', d)})",
            )
        )()


def _declared(variables: list[tuple[str, str]]) -> str:
    return "; ".join(f"{n}: {t}" for n, t in variables)
