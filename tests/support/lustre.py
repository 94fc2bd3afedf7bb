"""Random Lustre programs, and the comparison of the interpreter with the transition system on random runs.

A program is a few nodes, each with streams of several types, calls (also on clocks, with restarts, in merges), blocks, frames,
contracts, assertions and properties. Definitions use streams that were defined before, or any stream under `pre`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from obligato.frontends.lustre.replay import TraceOracle, decode
from obligato.frontends.lustre.simulate import Impossible, Simulation
from obligato.frontends.lustre.system import INLINE, analysed, read
from obligato.frontends.lustre.types import Type
from obligato.frontends.lustre.values import Value, parts, scalars
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms import Kind, Op, Sort, Term, conjuncts, evaluate

HEADER = """type color = enum { red, green, blue };
type pair = struct { fst: int; snd: bool };
datatype shape = Dot | Box (side: int, filled: bool) | Line (len: int8);
const limit: int = 3;
"""
TYPES = ("int", "int", "bool", "bool", "bool", "real", "int8", "int8", "uint8",
         "color", "pair", "int^2", "shape", "[int, bool]")


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
        inputs = [(f"i{k}", rng.choice(TYPES)) for k in range(rng.randint(1, 3))]
        outputs = [(f"o{k}", rng.choice(TYPES)) for k in range(rng.randint(1, 2))]
        local = [(f"x{k}", rng.choice(TYPES)) for k in range(rng.randint(0, 4))]
        self.now, self.later = list(inputs), [*outputs, *local]
        head = f"{'function' if function else 'node'} {name} ({_declared(inputs)}) returns ({_declared(outputs)});"
        defined = [*local, *outputs]
        rng.shuffle(defined)
        body = self._definitions(defined)
        body += [f"  check \"p{k}\" {self.expr('bool', 2)};" for k in range(rng.randint(0 if not last else 1, 2))]
        if not function and rng.random() < 0.3:
            body.append(f"  assert {self.expr('bool', 1)};")
        contract = self._contract(inputs, [*inputs, *outputs]) if rng.random() < 0.4 else []
        variables = [f"var {_declared(local)};"] if local else []
        self.lines += [head, *contract, *variables, "let", *body, *(["  --%MAIN;"] if last else []), "tel", ""]
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
            elif kind < 0.2 and self.temporal:
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

    def _contract(self, inputs: list[tuple[str, str]], interface: list[tuple[str, str]]) -> list[str]:
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
            out.append(f"  mode m1 (require {self.expr('bool', 1)}; ensure {self.expr('bool', 1)};);")
            out.append(f"  mode m2 (require not ::m1; ensure {self.expr('bool', 1)};);")
        self.now, self.later = kept, after
        return [*out, "*)"]

    # -- expressions ------------------------------------------------------------------------------------------------------

    def expr(self, t: str, depth: int) -> str:
        """An expression of a type."""
        rng = self.rng
        if depth <= 0:
            return self._leaf(t)
        choice = rng.random()
        if choice < 0.15:
            return f"(if {self.expr('bool', depth - 1)} then {self.expr(t, depth - 1)} else {self.expr(t, depth - 1)})"
        if self.temporal and choice < 0.33:
            rest = self._delayed(t, depth - 1) if rng.random() < 0.6 else self.expr(t, depth - 1)
            return f"({self.expr(t, depth - 1)} -> {rest})"
        if self.temporal and choice < 0.38:
            return self._delayed(t, depth - 1)
        if choice < 0.5:
            return self._call(t, depth)
        if choice < 0.55:
            return f"(when {self.expr('bool', depth - 1)} then {self.expr(t, depth - 1)} else {self.expr(t, depth - 1)})"
        return self._operator(t, depth)

    def _delayed(self, t: str, depth: int) -> str:
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
        literals: dict[str, Callable[[], str]] = {
            "int": lambda: rng.choice((number, "limit")), "bool": lambda: rng.choice(("true", "false")),
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

    def _call(self, t: str, depth: int) -> str:
        """A call of a node with an output of the type, on a clock of some kind."""
        rng = self.rng
        fitting = [n for n in self.nodes if [ot for _, ot in n.outputs] == [t] and (self.temporal or n.function)]
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
            return f"(activate {node.name} every ({clock}) initial default {self.expr(t, 0)} restart every {reset})({args})"
        clocks = [n for n, nt in self.now if nt == "bool"]
        if not clocks:
            return f"{node.name}({args})"
        c = rng.choice(clocks)
        return f"merge({c}; (activate {node.name} every {c})({args}); ({self.expr(t, depth - 1)}) when not {c})"

    def _operator(self, t: str, depth: int) -> str:
        e, rng = self.expr, self.rng
        d = depth - 1
        if t == "bool":
            return self._boolean(d)
        if t in ("int", "int8", "uint8", "real"):
            return self._number(t, d)
        if t == "pair":
            return rng.choice((lambda: f"pair {{ fst = {e('int', d)}; snd = {e('bool', d)} }}",
                               lambda: f"({e('pair', d)})[fst := {e('int', d)}]"))()
        if t == "int^2":
            return rng.choice((lambda: f"[{e('int', d)}, {e('int', d)}]", lambda: f"({e('int', d)})^2",
                               lambda: f"({e('int^2', d)})[{e('int', 0)} := {e('int', d)}]"))()
        if t == "shape":
            return rng.choice((lambda: f"Box({e('int', d)}, {e('bool', d)})", lambda: f"Line({e('int8', d)})"))()
        if t == "[int, bool]":
            return f"'({e('int', d)}, {e('bool', d)})"
        return self._leaf(t)

    def _number(self, t: str, d: int) -> str:
        e, rng = self.expr, self.rng
        if rng.random() < 0.6:
            return f"({e(t, d)} {rng.choice(('+', '-', '*') if d else ('+', '-'))} {e(t, d)})"
        if t == "real":
            return rng.choice((
                lambda: f"({e('real', d)} / 4.0)", lambda: f"real ({e('int', d)})", lambda: f"(-{e('real', d)})"))()
        if t == "int":
            return rng.choice((
                lambda: f"({e('int', d)} {rng.choice(('div', 'mod'))} {rng.choice(('3', '(-3)', e('int', 0)))})",
                lambda: f"({e('pair', d)}).fst", lambda: f"({e('int^2', d)})[{e('int', 0)}]",
                lambda: f"({e('[int, bool]', d)})[0]",
                lambda: f"int ({e(rng.choice(('int8', 'uint8', 'real')), d)})",
                lambda: f"(match {e('shape', d)} with | Dot : 0 | Box (a, _) : a | Line (b) : {e('int', d)} end)",
                lambda: "any { v: int | v >= 0 }" if self.temporal else "1",
            ))()
        other = "uint8"
        return rng.choice((
            lambda: f"({e(t, d)} {rng.choice(('div', 'mod'))} {e(t, d)})",
            lambda: f"({e(t, d)} {rng.choice(('&&', '||'))} {e(t, d)})", lambda: f"(-{e(t, d)})",
            lambda: f"(!{e(t, d)})", lambda: f"({e(t, d)} {rng.choice(('lsh', 'rsh'))} {e(other, d)})",
            lambda: f"({t} ({e('int', d)}))",
        ))()

    def _boolean(self, d: int) -> str:
        e, rng = self.expr, self.rng
        compared = rng.choice(("int", "int", "real", "int8", "uint8"))
        same = rng.choice(TYPES)
        return rng.choice((
            lambda: f"({e('bool', d)} {rng.choice(('and', 'or', 'xor', '=>', 'and then', 'or else', '==>'))} {e('bool', d)})",
            lambda: f"({e(compared, d)} {rng.choice(('<', '<=', '>', '>='))} {e(compared, d)})",
            lambda: f"({e(same, d)} {rng.choice(('=', '<>'))} {e(same, d)})",
            lambda: f"not ({e('bool', d)})", lambda: f"({e('pair', d)}).snd", lambda: f"({e('[int, bool]', d)})[1]",
            lambda: f"Box?({e('shape', d)})",
            lambda: f"(Line?({(x := e('shape', 0))}) and then ({x}).len > (int8 0))",
            lambda: f"(exists (q: color) q = {e('color', d)} and {e('bool', d)})",
        ))()


def _declared(variables: list[tuple[str, str]]) -> str:
    return "; ".join(f"{n}: {t}" for n, t in variables)


# -- comparison -----------------------------------------------------------------------------------------------------------


def random_value(rng: random.Random, sort: Sort) -> Any:
    """A value of a sort, small ones preferred."""
    if sort.kind is Kind.BOOL:
        return rng.random() < 0.5
    if sort.kind is Kind.BITVEC:
        return rng.choice((0, 1, rng.randrange(1 << sort.width), sort.mask))
    if sort.kind is Kind.REAL:
        return Fraction(rng.randint(-8, 8), rng.choice((1, 2, 3)))
    return rng.choice((0, 1, 2, rng.randint(-9, 9)))


def differences(text: str, rng: random.Random, steps: int = 6, contracts: str = INLINE) -> list[str]:
    """What interpreter and transition system say differently about a random run of a program (modular: of its first node)."""
    model = read(text, contracts=contracts)
    system, nodes = model.system, analysed(model.world)
    trace, nows, possible = _random_run(system, rng, steps)
    path = f"{nodes[0].name}." if len(nodes) > 1 else ""
    simulation = Simulation(model.world, nodes[0], TraceOracle(trace), path)
    out: list[str] = []
    for n, now in enumerate(nows):
        last = n == len(nows) - 1
        try:
            step = simulation.step()
        except Impossible as e:
            flag = system.store.lookup(f"{path}possible") if path else None
            if flag is not None and system.next is not None and not evaluate(system.next[flag], now):
                return out
            return out if last and not possible else [*out, f"step {n}: only the interpreter finds a violated assumption: {e}"]
        if last and not possible:
            return [*out, f"step {n}: only the system finds a violated assumption"]
        memo: dict[Term, Any] = {}
        for name, value in model.streams.items():
            t = simulation.scope.variables[name]
            system_value = decode(t, _scalars(t, value, now, memo))
            if system_value != step.streams[name]:
                out.append(f"step {n}: {name} is {step.streams[name]} / {system_value}")
        out += _properties(system, now, memo, step.properties, n, path)
        if out:
            return out
    return out


def _scalars(t: Type, value: Value, now: dict[Term, Any], memo: dict[Term, Any]) -> Callable[[str], Any]:
    paths: list[str] = []

    def walk(pt: Type, path: str) -> None:
        inner = parts(pt)
        if inner is None:
            paths.append(path)
        for p, it in inner or ():
            walk(it, path + p)

    walk(t, "")
    table = dict(zip(paths, scalars(value), strict=True))
    return lambda path: evaluate(table[path], now, memo)


def _properties(
    system: TransitionSystem, now: dict[Term, Any], memo: dict[Term, Any], found: dict[str, bool], n: int, path: str
) -> list[str]:
    mine: dict[str, bool] = {}
    for p in system.assertions:
        base = p.name.rpartition(" (")[0] if p.name.endswith(")") and p.name.rpartition(" (")[2][:-1].isdigit() else p.name
        mine[base] = mine.get(base, True) and bool(evaluate(p.formula, now, memo))
    # an instance that does not tick has no property for the interpreter; for the system it holds
    return [f"step {n}: property {name} is {found.get(name, True)} / {value}" for name, value in mine.items()
            if name.startswith(path) and found.get(name, True) != value]


def _random_run(system: TransitionSystem, rng: random.Random, steps: int) -> tuple[SystemTrace, list[dict[Term, Any]], bool]:
    """Steps up to the first that violates a constraint; inputs are drawn a few times to satisfy them."""
    assert system.next is not None
    state: dict[Term, Any] = {}
    for _ in range(200):
        state = {x: random_value(rng, x.sort) for x in system.state}
        for f in conjuncts(system.init):
            _fix(f, state)
        if evaluate(system.init, state):
            break
    out: list[SystemStep] = []
    nows: list[dict[Term, Any]] = []
    for _ in range(steps):
        for _ in range(30):
            now = {**state, **{i: random_value(rng, i.sort) for i in system.inputs}}
            memo: dict[Term, Any] = {}
            possible = all(evaluate(c, now, memo) for c in system.constraints)
            if possible:
                break
        out.append(SystemStep({x.name: v for x, v in state.items()}, {i.name: now[i] for i in system.inputs}))
        nows.append(now)
        if not possible:
            # numbers of enumeration values that do not exist cannot be shown to the interpreter
            return (SystemTrace(tuple(out[:-1])), nows[:-1], True) if len(out) > 1 else (SystemTrace(tuple(out)), [], True)
        state = {x: evaluate(e, now, memo) for x, e in system.next.items()}
    return SystemTrace(tuple(out)), nows, True


def _fix(f: Term, state: dict[Term, Any]) -> None:
    """Take over a start value that a conjunct of the initial condition gives."""
    if f.is_var:
        state[f] = True
    elif f.op is Op.NOT and f.args[0].is_var:
        state[f.args[0]] = False
    elif f.op is Op.EQ and f.args[0].is_var:
        state[f.args[0]] = evaluate(f.args[1], {})
