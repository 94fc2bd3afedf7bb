"""Terms and statements to Python code, for the interpreter:
many times faster than evaluating term by term.

Idea: a variable is a slot of a list (``L`` locals, ``G`` globals); a term becomes a Python
expression over slots; a subterm that is shared or lies deep gets a temporary of its own, so the
code is linear in the term's graph and never nests deeply. `_EXPRESSIONS` carries the bit-vector
operators; whatever is not there calls `terms.semantics`, which defines the meaning.

Arrays: a slot holds a mutable `Cells`; ``a := store(a, i, v)``, also under ite, becomes an update
in place.  Everywhere else an array is an immutable `ArrayValue`, copied when it is taken from or
put into a slot, so no two places share `Cells`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from obligato.terms import ArrayValue, Kind, Op, Sort, Term, Value, postorder
from obligato.terms.semantics import meaning, settled

MAX_DEPTH = 12  # of an expression before it gets a temporary
MAX_ARITY = 16  # of an expression
MAX_BRANCHES = 12  # nested ites of an update in place


class Cells(dict[Any, Any]):
    """A mutable array: a dictionary with a default that is not stored."""

    __slots__ = ("default", "sort")

    def __init__(self, value: ArrayValue, sort: Sort) -> None:
        super().__init__(value.entries)
        self.default = value.default
        self.sort = sort

    def __missing__(self, key: Any) -> Any:
        return self.default

    def frozen(self) -> ArrayValue:
        """The immutable value."""
        return settled(ArrayValue(self.default, self), self.sort)


class Slots:
    """Where variables live, and the constants that code refers to."""

    def __init__(self, global_names: Iterable[str]) -> None:
        self.globals = {n: f"G[{i}]" for i, n in enumerate(global_names)}
        self.locals: dict[str, str] = {}
        self.constants: dict[str, Any] = {**HELPERS}
        self._names: dict[tuple[int, str], str] = {}

    def slot(self, x: Term) -> str:
        """The Python expression for a variable's slot."""
        return self.locals.get(x.name) or self.globals[x.name]

    def constant(self, value: Any, prefix: str = "K") -> str:
        """A name for a Python object."""
        key = (id(value), prefix)
        if key not in self._names:
            name = self._names[key] = f"{prefix}{len(self.constants)}"
            self.constants[name] = value  # keeps it alive, so its id stays its own
        return self._names[key]


class Code:
    """The lines that compute some terms from the current slots;
    `value` names the result for each."""

    def __init__(self, slots: Slots, roots: Sequence[Term]) -> None:
        self.slots = slots
        self.lines: list[str] = []
        self._text: dict[Term, str] = {}
        self._depth: dict[Term, int] = {}
        uses: dict[Term, int] = dict.fromkeys(roots, 0)
        terms = list(postorder(roots))
        for t in terms:
            for a in t.args:
                uses[a] = uses.get(a, 0) + 1
        for t in terms:
            self._add(t, uses.get(t, 0))

    def value(self, t: Term) -> str:
        """The Python expression for a term; arrays are immutable values."""
        text = self._text[t]
        return f"{text}.frozen()" if t.op is Op.VAR and t.sort.kind is Kind.ARRAY else text

    def name(self, t: Term) -> str:
        """Like `value`, but computed now: later changes of slots do not matter."""
        if t.op is Op.CONST:
            return self.value(t)
        temporary = f"v{len(self.lines)}"
        self.lines.append(f"{temporary} = {self.value(t)}")
        return temporary

    def _add(self, t: Term, uses: int) -> None:
        if t.op is Op.VAR:
            self._text[t], self._depth[t] = self.slots.slot(t), 0
            return
        if t.op is Op.CONST:
            self._text[t], self._depth[t] = self._constant(t.data, t.sort), 0
            return
        depth = 1 + max(self._depth[a] for a in t.args)
        text = self._application(t)
        if uses > 1 or depth > MAX_DEPTH:
            temporary = f"t{len(self.lines)}"
            self.lines.append(f"{temporary} = {text}")
            text, depth = temporary, 0
        self._text[t], self._depth[t] = text, depth

    def _constant(self, value: Any, sort: Sort) -> str:
        if sort.kind in (Kind.BOOL, Kind.INT, Kind.BITVEC, Kind.FLOAT):
            return (
                str(value) if sort.kind is Kind.BOOL or abs(value) < 1 << 64 else f"({hex(value)})"
            )
        return self.slots.constant(value)

    def _application(self, t: Term) -> str:
        if t.op is Op.SELECT and t.args[0].op is Op.VAR:
            return f"{self._text[t.args[0]]}[{self.value(t.args[1])}]"
        args = [self.value(a) for a in t.args]
        make = _EXPRESSIONS.get(t.op)
        # associative: the first ones get a temporary
        while make is not None and len(args) > MAX_ARITY:
            temporary = f"t{len(self.lines)}"
            self.lines.append(f"{temporary} = {make(t, args[:MAX_ARITY])}")
            args = [temporary, *args[MAX_ARITY:]]
        if make is not None:
            return f"({make(t, args)})"
        if t.op is Op.CONCAT and len(args) == 2:
            return f"({args[0]} << {t.args[1].sort.width} | {args[1]})"
        return f"{self.slots.constant(meaning(t), 'F')}({', '.join(args)})"


# -- operators -------------------------------------------------------------------------------------

Make = Callable[[Term, list[str]], str]


def _mask(t: Term) -> str:
    return hex((1 << t.sort.width) - 1)


def _infix(sign: str) -> Make:
    return lambda t, a: f" {sign} ".join(a)


def _wrapped(sign: str) -> Make:
    return lambda t, a: f"{f' {sign} '.join(a)} & {_mask(t)}"


def _signed(sign: str) -> Make:
    def make(t: Term, a: list[str]) -> str:
        # flipping the sign bit maps signed to unsigned order
        bit = hex(1 << (t.args[0].sort.width - 1))
        return f"({a[0]} ^ {bit}) {sign} ({a[1]} ^ {bit})"

    return make


def _to_signed(t: Term, text: str) -> str:
    bit = hex(1 << (t.sort.width - 1))
    return f"(({text} ^ {bit}) - {bit})"


def _helper(name: str) -> Make:
    return lambda t, a: f"{name}({a[0]}, {a[1]}, {t.sort.width})"


def _shl(t: Term, a: list[str]) -> str:
    amount = t.args[1]
    if amount.is_const and isinstance(amount.data, int):
        return f"{a[0]} << {a[1]} & {_mask(t)}" if amount.data < t.sort.width else "0"
    return _helper("shl")(t, a)


def shl(a: int, b: int, w: int) -> int:
    """Shift left."""
    return a << b & (1 << w) - 1 if b < w else 0


def udiv(a: int, b: int, w: int) -> int:
    """Unsigned division."""
    return a // b if b else (1 << w) - 1


def urem(a: int, b: int, w: int) -> int:
    """Unsigned remainder."""
    return a % b if b else a


def _extract(t: Term, a: list[str]) -> str:
    assert isinstance(t.data, tuple)
    return f"{a[0]} >> {t.data[1]} & {_mask(t)}" if t.data[1] else f"{a[0]} & {_mask(t)}"


_EXPRESSIONS: dict[Op, Make] = {
    Op.NOT: lambda t, a: f"not {a[0]}",
    Op.AND: _infix("and"),
    Op.OR: _infix("or"),
    Op.XOR: _infix("!="),
    Op.EQ: _infix("=="),
    Op.IMPLIES: lambda t, a: f"not {a[0]} or {a[1]}",
    Op.ITE: lambda t, a: f"{a[1]} if {a[0]} else {a[2]}",
    Op.ADD: _infix("+"),
    Op.SUB: _infix("-"),
    Op.MUL: _infix("*"),
    Op.NEG: lambda t, a: f"-{a[0]}",
    Op.LE: _infix("<="),
    Op.LT: _infix("<"),
    Op.GE: _infix(">="),
    Op.GT: _infix(">"),
    Op.BVADD: _wrapped("+"),
    Op.BVSUB: _wrapped("-"),
    Op.BVMUL: _wrapped("*"),
    Op.BVNEG: lambda t, a: f"-{a[0]} & {_mask(t)}",
    Op.BVNOT: lambda t, a: f"{a[0]} ^ {_mask(t)}",
    Op.BVAND: _infix("&"),
    Op.BVOR: _infix("|"),
    Op.BVXOR: _infix("^"),
    Op.BVUDIV: _helper("udiv"),
    Op.BVUREM: _helper("urem"),
    Op.BVSHL: _shl,
    Op.BVLSHR: lambda t, a: f"{a[0]} >> {a[1]}",
    Op.BVASHR: lambda t, a: f"{_to_signed(t, a[0])} >> {a[1]} & {_mask(t)}",
    Op.BVULT: _infix("<"),
    Op.BVULE: _infix("<="),
    Op.BVUGT: _infix(">"),
    Op.BVUGE: _infix(">="),
    Op.BVSLT: _signed("<"),
    Op.BVSLE: _signed("<="),
    Op.BVSGT: _signed(">"),
    Op.BVSGE: _signed(">="),
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: lambda t, a: a[0],
    Op.SIGN_EXT: lambda t, a: f"{_to_signed(t.args[0], a[0])} & {_mask(t)}",
    Op.SELECT: lambda t, a: f"{a[0]}.get({a[1]})",
    Op.CONST_ARRAY: lambda t, a: f"ArrayValue({a[0]})",
}


HELPERS: dict[str, Any] = {
    "ArrayValue": ArrayValue,
    "Cells": Cells,
    "shl": shl,
    "udiv": udiv,
    "urem": urem,
}

# -- statements ------------------------------------------------------------------------------------


def value_lines(slots: Slots, terms: Sequence[Term]) -> tuple[list[str], list[str]]:
    """Lines, then one Python expression per term."""
    code = Code(slots, terms)
    return code.lines, [code.value(t) for t in terms]


def assignment_lines(slots: Slots, targets: Sequence[Term], values: Sequence[Term]) -> list[str]:
    """A parallel assignment."""
    if len(targets) == 1 and targets[0].sort.kind is not Kind.ARRAY:
        lines, (value,) = value_lines(slots, values)
        return [*lines, f"{slots.slot(targets[0])} = {value}"]
    in_place = [updates_in_place(x, e) for x, e in zip(targets, values, strict=True)]
    code = Code(
        slots, [t for e, u in zip(values, in_place, strict=True) for t in (_parts(e) if u else [e])]
    )
    after: list[str] = []
    for x, e, u in zip(targets, values, in_place, strict=True):
        if u:
            after += _update_lines(code, slots.slot(x), e)
        else:
            after.append(f"{slots.slot(x)} = {stored(slots, code.name(e), x.sort)}")
    return [*code.lines, *after]


def stored(slots: Slots, text: str, sort: Sort) -> str:
    """The expression for what a slot of that sort holds, given the immutable value."""
    return f"Cells({text}, {slots.constant(sort)})" if sort.kind is Kind.ARRAY else text


def stored_value(value: Value, sort: Sort) -> Any:
    """What a slot of that sort holds for a value."""
    return (
        Cells(value, sort) if isinstance(value, ArrayValue) and sort.kind is Kind.ARRAY else value
    )


def plain_value(held: Any) -> Value:
    """The value of what a slot holds."""
    return held.frozen() if isinstance(held, Cells) else held


def updates_in_place(x: Term, e: Term) -> bool:
    """Is `e` made from the array `x` by stores and a few ites only (and not just `x`)?"""
    if x.sort.kind is not Kind.ARRAY or e.op not in (Op.STORE, Op.ITE):
        return False
    stack = [(e, 0)]
    while stack:
        t, depth = stack.pop()
        if t.op is Op.STORE:
            stack.append((t.args[0], depth))
        elif t.op is Op.ITE and depth < MAX_BRANCHES:
            stack += [(a, depth + 1) for a in t.args[1:]]
        elif t is not x:
            return False
    return True


def _parts(e: Term) -> list[Term]:
    """The conditions, indices and elements of an update in place."""
    parts: list[Term] = []
    stack = [e]
    while stack:
        t = stack.pop()
        if t.op is Op.STORE:
            parts += t.args[1:]
            stack.append(t.args[0])
        elif t.op is Op.ITE:
            parts.append(t.args[0])
            stack += t.args[1:]
    return parts


def _update_lines(code: Code, slot: str, e: Term) -> list[str]:
    """Code that updates the array in `slot`; its parts are computed before (into `code.lines`)."""
    chain: list[str] = []
    while e.op is Op.STORE:
        index, element = code.name(e.args[1]), code.name(e.args[2])
        chain.append(f"{slot}[{index}] = {element}")
        e = e.args[0]
    lines: list[str] = []
    if e.op is Op.ITE:
        condition = code.name(e.args[0])
        for head, branch in (("if " + condition, e.args[1]), ("else", e.args[2])):
            lines += [
                f"{head}:",
                *(f" {line}" for line in [*_update_lines(code, slot, branch), "pass"]),
            ]
    return [*lines, *reversed(chain)]
