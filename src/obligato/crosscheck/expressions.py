"""Terms as C expressions.

`Code` collects the lines that compute some terms; a subterm that is shared or lies deep gets a
temporary of its own, so the text is linear in the term's graph.  `_OPERATORS` says for each
operator what it is in C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.crosscheck.values import (
    FLOAT_NAMES,
    constant,
    inexpressible,
    is_wide,
    type_name,
    word,
)
from obligato.terms import ArrayValue, Kind, Op, Sort, Term, postorder

MAX_DEPTH = 8
Name = Callable[[Term], str]


class Code:
    """The lines that compute some terms from the variables as they are now;
    `text` gives an expression for each.

    An array that is no variable is a memory of its own;
    `owned` names those, for whoever ends the lines to free them.
    """

    def __init__(self, name: Name, prefix: str = "t") -> None:
        self.name, self.prefix = name, prefix
        self.lines: list[str] = []
        self.owned: dict[str, str] = {}
        self._text: dict[Term, str] = {}
        self._depth: dict[Term, int] = {}
        self._uses: dict[Term, int] = {}
        self._count = 0

    def compute(self, roots: Sequence[Term]) -> None:
        """Add what is needed for `text` of the roots."""
        terms = [t for t in postorder(roots) if t not in self._text]
        for used in (*(a for t in terms for a in t.args), *roots):
            self._uses[used] = self._uses.get(used, 0) + 1
        for t in terms:
            self._add(t)

    def text(self, t: Term) -> str:
        """The expression for a term that was computed."""
        return self._text[t]

    def kept(self, t: Term) -> str:
        """Like `text`, but computed now: later changes of variables do not matter."""
        return (
            self._text[t] if t.op is Op.CONST else self.temporary(type_name(t.sort), self._text[t])
        )

    def moved(self, t: Term) -> str:
        """An array as a memory that nothing else uses; whoever gets it frees it."""
        name, kind = self._text[t], type_name(t.sort)
        if self.owned.get(name) and self._uses[t] <= 1:
            del self.owned[name]
            return name
        return self.temporary(kind, f"{kind}_copy(&{name})")

    def temporary(self, type_: str, value: str) -> str:
        """A new variable."""
        self._count += 1
        name = f"{self.prefix}{self._count}"
        self.lines.append(f"{type_} {name} = {value};")
        return name

    def _add(self, t: Term) -> None:
        if t.op is Op.VAR:
            self._text[t], self._depth[t] = self.name(t), 0
        elif t.sort.kind is Kind.ARRAY:
            self._text[t], self._depth[t] = self._memory(t, type_name(t.sort)), 0
        elif t.op is Op.CONST:
            self._text[t], self._depth[t] = constant(t.data, t.sort), 0
        else:
            text = application(t, [self._text[a] for a in t.args])
            depth = 1 + max(self._depth[a] for a in t.args)
            if self._uses[t] > 1 or depth > MAX_DEPTH:
                text, depth = self.temporary(type_name(t.sort), text), 0
            self._text[t], self._depth[t] = text, depth

    def _memory(self, t: Term, kind: str) -> str:
        """The name of a memory with the contents of an array term."""
        args = [self._text[a] for a in t.args]
        match t.op:
            case Op.STORE:
                name = self.moved(t.args[0])
                self.lines.append(f"{kind}_set(&{name}, {args[1]}, {args[2]});")
            case Op.ITE:
                name = self.temporary(kind, f"{kind}_copy({args[0]} ? &{args[1]} : &{args[2]})")
            case Op.CONST_ARRAY:
                name = self.temporary(kind, f"{kind}_all({args[0]})")
            case Op.CONST if isinstance(t.data, ArrayValue):
                name = self.temporary(
                    kind, f"{kind}_all({constant(t.data.default, t.sort.element)})"
                )
                for i, v in t.data.entries.items():
                    self.lines.append(
                        f"{kind}_set(&{name}, {constant(i, t.sort.index)},"
                        f" {constant(v, t.sort.element)});"
                    )
            case _:
                raise inexpressible(f"the operator {t.op.name} on memories")
        self.owned[name] = kind
        return name

    def freeing(self) -> list[str]:
        """The lines that free what is still owned."""
        return [f"{kind}_free(&{name});" for name, kind in self.owned.items()]


def application(t: Term, args: list[str]) -> str:
    """The operator of `t` applied to expressions."""
    make = _OPERATORS.get(t.op)
    if make is None:
        raise inexpressible(f"the operator {t.op.name}")
    return f"({make(t, args)})"


Make = Callable[[Term, list[str]], str]


def _infix(sign: str) -> Make:
    return lambda t, a: f" {sign} ".join(a)


def _folded(function: str, args: list[str], *more: object) -> str:
    text, extra = args[0], "".join(f", {m}" for m in more)
    for a in args[1:]:
        text = f"{function}({text}, {a}{extra})"
    return text


def _wrapping(sign: str, wide: str) -> Make:
    """Modulo 2^width."""

    def make(t: Term, a: list[str]) -> str:
        return (
            _folded(wide, a, t.sort.width) if is_wide(t.sort) else _cut(f" {sign} ".join(a), t.sort)
        )

    return make


def _bitwise(sign: str, wide: str) -> Make:
    return lambda t, a: _folded(wide, a) if is_wide(t.sort) else f" {sign} ".join(a)


def _cut(text: str, sort: Sort) -> str:
    return f"({text}) & {word(sort.mask)}" if sort.width < 64 else text


def _negated(t: Term, a: list[str]) -> str:
    return f"w_neg({a[0]}, {t.sort.width})" if is_wide(t.sort) else _cut(f"-{a[0]}", t.sort)


def _complement(t: Term, a: list[str]) -> str:
    return f"w_not({a[0]}, {t.sort.width})" if is_wide(t.sort) else _cut(f"~{a[0]}", t.sort)


def _division(narrow: str, wide: str) -> Make:
    """`narrow` has %s for operands and width;
    `wide` is applied to operands, width and whether the remainder is meant."""

    def make(t: Term, a: list[str]) -> str:
        if is_wide(t.sort):
            return wide.format(*a, w=t.sort.width)
        return narrow.format(*a, w=t.sort.width)

    return make


def _shift(narrow: str, wide: str) -> Make:
    return _division(f"{narrow}({{0}}, {{1}}, {{w}})", wide)


def _unsigned(sign: str) -> Make:
    return lambda t, a: (
        f"w_order({a[0]}, {a[1]}) {sign} 0" if is_wide(t.args[0].sort) else f"{a[0]} {sign} {a[1]}"
    )


def _signed(sign: str) -> Make:
    def make(t: Term, a: list[str]) -> str:
        w = t.args[0].sort.width
        if is_wide(t.args[0].sort):
            return f"w_signed_order({a[0]}, {a[1]}, {w}) {sign} 0"
        return f"sx({a[0]}, {w}) {sign} sx({a[1]}, {w})"

    return make


def _equal(t: Term, a: list[str]) -> str:
    sort = t.args[0].sort
    if is_wide(sort):
        return f"w_order({a[0]}, {a[1]}) == 0"
    if sort.kind is Kind.FLOAT:
        return f"{FLOAT_NAMES[sort]}_same({a[0]}, {a[1]})"
    if sort.kind is Kind.ARRAY:
        raise inexpressible("a comparison of whole memories")
    return f"{a[0]} == {a[1]}"


def _distinct(t: Term, a: list[str]) -> str:
    if len(a) != 2:
        raise inexpressible("distinct of more than two")
    return f"!({_equal(t, a)})"


def _ite(t: Term, a: list[str]) -> str:
    return f"{a[0]} ? {a[1]} : {a[2]}"


def _extract(t: Term, a: list[str]) -> str:
    assert isinstance(t.data, tuple)
    low, w = t.data[1], t.sort.width
    if not is_wide(t.args[0].sort):
        return _cut(f"{a[0]} >> {low}" if low else a[0], t.sort)
    part = f"w_cut(w_right({a[0]}, {low}), {w})"
    return part if is_wide(t.sort) else f"w_low({part})"


def _concat(t: Term, a: list[str]) -> str:
    if not is_wide(t.sort):
        text = a[0]
        for part, s in zip(a[1:], t.args[1:], strict=True):
            text = f"({text} << {s.sort.width} | {part})"
        return text
    parts = [x if is_wide(s.sort) else f"w_of({x})" for x, s in zip(a, t.args, strict=True)]
    text = parts[0]
    for part, s in zip(parts[1:], t.args[1:], strict=True):
        text = f"w_or(w_left({text}, {s.sort.width}), {part})"
    return text


def _zero_ext(t: Term, a: list[str]) -> str:
    return f"w_of({a[0]})" if is_wide(t.sort) and not is_wide(t.args[0].sort) else a[0]


def _sign_ext(t: Term, a: list[str]) -> str:
    old = t.args[0].sort.width
    if is_wide(t.sort):
        return f"w_sext({_zero_ext(t, a)}, {old}, {t.sort.width})"
    return _cut(f"(uint64_t)sx({a[0]}, {old})", t.sort)


def _select(t: Term, a: list[str]) -> str:
    return f"{type_name(t.args[0].sort)}_get(&{a[0]}, {a[1]})"


# -- floats


def _calculated(sign: str) -> Make:
    def make(t: Term, a: list[str]) -> str:
        return f"{FLOAT_NAMES[t.sort]}_calculate({a[0]}, '{sign}', {a[1]}, {a[-1]})"

    return make


def _of_float(function: str) -> Make:
    """A function of <math.h> for any type, or one per type (S stands for its name)."""

    def make(t: Term, a: list[str]) -> str:
        return f"{function.replace('S', FLOAT_NAMES[t.args[0].sort])}({', '.join(a)})"

    return make


def _from_word(t: Term, a: list[str]) -> str:
    sort, name = t.args[1].sort, FLOAT_NAMES[t.sort]
    if is_wide(sort):
        raise inexpressible("a conversion of more than 64 bits to a float")
    if t.op is Op.FP_FROM_UBV:
        return f"{name}_from_word({a[0]}, false, {a[1]})"
    return (
        f"{name}_from_word({a[0]}, sx({a[1]}, {sort.width}) < 0, magnitude({a[1]}, {sort.width}))"
    )


def _to_word(t: Term, a: list[str]) -> str:
    if is_wide(t.sort):
        raise inexpressible("a conversion of a float to more than 64 bits")
    return (
        f"{'to_signed' if t.op is Op.FP_TO_SBV else 'to_unsigned'}({a[0]}, {a[1]}, {t.sort.width})"
    )


def _from_float(t: Term, a: list[str]) -> str:
    return f"{FLOAT_NAMES[t.sort]}_from({a[0]}, {a[1]})"


def _pattern(template: str) -> Make:
    def make(t: Term, a: list[str]) -> str:
        name = FLOAT_NAMES[t.sort if t.op is Op.FP_FROM_BITS else t.args[0].sort]
        if name == "f80":
            raise inexpressible("the bits of a long double")
        return template.format(a[0], S=name)

    return make


def _sign_is(test: str) -> Make:
    return lambda t, a: f"!isnan({a[0]}) && {test}signbit({a[0]})"


_OPERATORS: dict[Op, Make] = {
    Op.NOT: lambda t, a: f"!{a[0]}",
    Op.AND: _infix("&&"),
    Op.OR: _infix("||"),
    Op.XOR: _infix("!="),
    Op.IMPLIES: lambda t, a: f"!{a[0]} || {a[1]}",
    Op.EQ: _equal,
    Op.DISTINCT: _distinct,
    Op.ITE: _ite,
    Op.BVADD: _wrapping("+", "w_add"),
    Op.BVSUB: _wrapping("-", "w_sub"),
    Op.BVMUL: _wrapping("*", "w_mul"),
    Op.BVNEG: _negated,
    Op.BVNOT: _complement,
    Op.BVAND: _bitwise("&", "w_and"),
    Op.BVOR: _bitwise("|", "w_or"),
    Op.BVXOR: _bitwise("^", "w_xor"),
    Op.BVUDIV: _division("bv_udiv({0}, {1}, {w})", "w_divide({0}, {1}, {w}, false)"),
    Op.BVUREM: _division("bv_urem({0}, {1})", "w_divide({0}, {1}, {w}, true)"),
    Op.BVSDIV: _division("bv_sdiv({0}, {1}, {w})", "w_sdivide({0}, {1}, {w}, false)"),
    Op.BVSREM: _division("bv_srem({0}, {1}, {w})", "w_sdivide({0}, {1}, {w}, true)"),
    Op.BVSMOD: lambda t, a: f"bv_smod({a[0]}, {a[1]}, {t.sort.width})",
    Op.BVSHL: _shift("bv_shl", "w_cut(w_left({0}, w_amount({1})), {w})"),
    Op.BVLSHR: _shift("bv_lshr", "w_right({0}, w_amount({1}))"),
    Op.BVASHR: _shift("bv_ashr", "w_ashr({0}, w_amount({1}), {w})"),
    Op.BVULT: _unsigned("<"),
    Op.BVULE: _unsigned("<="),
    Op.BVUGT: _unsigned(">"),
    Op.BVUGE: _unsigned(">="),
    Op.BVSLT: _signed("<"),
    Op.BVSLE: _signed("<="),
    Op.BVSGT: _signed(">"),
    Op.BVSGE: _signed(">="),
    Op.CONCAT: _concat,
    Op.EXTRACT: _extract,
    Op.ZERO_EXT: _zero_ext,
    Op.SIGN_EXT: _sign_ext,
    Op.SELECT: _select,
    Op.FP_ADD: _calculated("+"),
    Op.FP_SUB: _calculated("-"),
    Op.FP_MUL: _calculated("*"),
    Op.FP_DIV: _calculated("/"),
    Op.FP_SQRT: _calculated("s"),
    Op.FP_NEG: lambda t, a: f"-{a[0]}",
    Op.FP_ABS: lambda t, a: f"({type_name(t.sort)})fabsl({a[0]})",
    Op.FP_REM: lambda t, a: f"({type_name(t.sort)})remainderl({a[0]}, {a[1]})",
    Op.FP_RTI: lambda t, a: f"({type_name(t.sort)})to_integral({a[0]}, {a[1]})",
    Op.FP_MIN: _of_float("S_min"),
    Op.FP_MAX: _of_float("S_max"),
    Op.FP_LT: _infix("<"),
    Op.FP_LE: _infix("<="),
    Op.FP_GT: _infix(">"),
    Op.FP_GE: _infix(">="),
    Op.FP_EQ: _infix("=="),
    Op.FP_IS_NAN: _of_float("isnan"),
    Op.FP_IS_INF: _of_float("isinf"),
    Op.FP_IS_NORMAL: _of_float("isnormal"),
    Op.FP_IS_SUBNORMAL: lambda t, a: f"fpclassify({a[0]}) == FP_SUBNORMAL",
    Op.FP_IS_ZERO: lambda t, a: f"{a[0]} == 0",
    Op.FP_IS_NEG: _sign_is(""),
    Op.FP_IS_POS: _sign_is("!"),
    Op.FP_FROM_SBV: _from_word,
    Op.FP_FROM_UBV: _from_word,
    Op.FP_TO_SBV: _to_word,
    Op.FP_TO_UBV: _to_word,
    Op.FP_FROM_FP: _from_float,
    Op.FP_FROM_BITS: _pattern("{S}_bits({0})"),
    Op.FP_TO_BITS: _pattern("bits_{S}({0})"),
}
