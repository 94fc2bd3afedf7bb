"""Bit-vector terms as C expressions (see terms.c_expr for the carrier of a bit-vector and its
readings)."""

from __future__ import annotations

from collections.abc import Callable

from obligato.terms.c_expr import (
    BITAND,
    BITOR,
    BITXOR,
    BOTH,
    PRODUCT,
    SHIFT,
    SIGNED,
    SUM,
    UNARY,
    UNSIGNED,
    Expr,
    Inexpressible,
    Reading,
    as_signed,
    as_unsigned,
    cast,
    compared,
    conditional,
    infix,
    literal,
    negative,
    summed,
)
from obligato.terms.term import Op, Term

Printer = Callable[[Term, list[Expr]], Expr]
_STANDARD = (8, 16, 32, 64)


def _common(args: list[Expr]) -> Reading:
    """UNSIGNED if any operand is; C converts the others."""
    return UNSIGNED if any(e.value is None and e.reading is UNSIGNED for e in args) else SIGNED


def _fit(e: Expr, width: int, reading: Reading) -> Expr:
    """The result of promoted arithmetic, reduced to `width` bits."""
    if width in (32, 64):
        return e
    if width in _STANDARD:
        return cast(e, width, reading is SIGNED)
    return infix(
        "&",
        BITAND,
        [e.at(BITAND), literal((1 << width) - 1, 64, False).text.rstrip("ul")],
        UNSIGNED,
    )


def _constant(e: Expr, width: int, reading: Reading) -> Expr:
    """A constant in a context of that reading; the shorter of k and -(2^w - k)."""
    if e.value is None:
        return e
    if reading is SIGNED or width < 32:
        return literal(e.value, width, True) if width in _STANDARD else e
    short = literal(e.value, width, False)
    if e.value >> (width - 1):
        back = literal((1 << width) - e.value, width, False)
        return Expr(short.text, short.level, UNSIGNED, e.value, minus=back)
    return short


def add(t: Term, args: list[Expr]) -> Expr:
    """Sum modulo 2^w."""
    reading = _common(args)
    return _fit(summed([_constant(e, t.width, reading) for e in args], reading), t.width, reading)


def sub(t: Term, args: list[Expr]) -> Expr:
    """Difference."""
    reading = _common(args)
    a, b = (_constant(e, t.width, reading) for e in args)
    return _fit(infix("-", SUM, [a.at(SUM), b.at(PRODUCT)], reading), t.width, reading)


def neg(t: Term, args: list[Expr]) -> Expr:
    """Negative."""
    reading = _common(args)
    return _fit(negative(args[0], reading), t.width, reading)


def mul(t: Term, args: list[Expr]) -> Expr:
    """Product; a negative coefficient can be subtracted.
    A huge one is about the last bits: signed, it would overflow."""
    reading, w = _common(args), t.width
    if w in (32, 64) and any(
        e.value is not None and 1 << w - 2 <= e.value <= 3 << w - 2 for e in args
    ):
        reading = UNSIGNED
    parts = [_constant(e, w, reading) for e in args]
    product = infix("*", PRODUCT, [e.at(UNARY) for e in parts], reading)
    if parts[0].minus is not None and w in (32, 64):
        positive = infix(
            "*", PRODUCT, [parts[0].minus.at(UNARY), *(e.at(UNARY) for e in parts[1:])], reading
        )
        return Expr(product.text, PRODUCT, reading, minus=positive)
    return _fit(product, w, reading)


def _bitwise(op: str, level: int) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        reading = _common(args)
        read = as_signed if reading is SIGNED else as_unsigned
        return infix(op, level, [read(e, t.width).at(level + 1) for e in args], reading)

    return run


def bvnot(t: Term, args: list[Expr]) -> Expr:
    """Complement."""
    reading = _common(args)
    return _fit(Expr(f"~{args[0].at(UNARY)}", UNARY, reading), t.width, reading)


def _division(op: str, signed: bool) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        """Division by zero is as SMT-LIB has it:
        the quotient is -1 (1 for negative signed), the remainder a."""
        w, read = t.width, as_signed if signed else as_unsigned
        a, b = (read(e, w) for e in args)
        reading = SIGNED if signed else UNSIGNED
        plain = infix(op, PRODUCT, [a.at(PRODUCT), b.at(UNARY)], reading)
        divisor = t.args[1]
        if (
            divisor.op is Op.CONST
            and divisor.data
            and not (signed and b.minus is not None and b.minus.text == "1")
        ):
            return plain
        if signed:  # the one overflow: the smallest number by -1
            minus_a = neg(t, [a]) if op == "/" else literal(0, w, True)
            plain = conditional(
                compared("==", b, literal((1 << w) - 1, w, True)), minus_a, plain, reading
            )
        zero = literal(0, w, signed)
        by_zero = _quotient_by_zero(a, w, signed) if op == "/" else a
        return conditional(compared("==", b, zero), by_zero, plain, reading)

    return run


def _quotient_by_zero(a: Expr, w: int, signed: bool) -> Expr:
    ones = literal((1 << w) - 1, w, signed)
    return (
        conditional(compared("<", a, literal(0, w, True)), literal(1, w, True), ones)
        if signed
        else ones
    )


def _shift(op: str, signed: bool) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        """Shifting by w or more is defined in SMT-LIB and not in C."""
        w = t.width
        a = (
            args[0]
            if op == "<<" and args[0].value is None
            else (as_signed if signed else as_unsigned)(args[0], w)
        )
        if a.value is not None:
            a = literal(a.value, w, signed, exact_type=True)
        reading = a.reading if a.value is not None else _common([a])
        n = t.args[1]
        amount = (
            literal(n.data, 0, False)
            if isinstance(n.data, int) and n.op is Op.CONST
            else as_unsigned(args[1], w)
        )
        shifted = Expr(f"{a.at(SHIFT)} {op} {amount.at(SUM)}", SHIFT, reading)
        shifted = _fit(shifted, w, reading) if op == "<<" else shifted
        if n.op is Op.CONST and isinstance(n.data, int) and n.data < w:
            return shifted
        beyond = (
            Expr(f"{a.at(SHIFT)} {op} {w - 1}", SHIFT)
            if signed
            else literal(0, w, reading is SIGNED)
        )
        return conditional(compared("<", amount, literal(w, 32, False)), shifted, beyond, reading)

    return run


def _comparison(op: str, signed: bool) -> Printer:
    def run(t: Term, args: list[Expr]) -> Expr:
        w, read = t.args[0].width, as_signed if signed else as_unsigned
        return compared(op, read(args[0], w), read(args[1], w))

    return run


def unified(args: list[Expr], width: int) -> list[Expr]:
    """Operands with one reading, for equality and conditionals."""
    reading = _common(args)
    if reading is UNSIGNED and width in (32, 64) and all(e.value is None for e in args):
        return args  # C converts by itself
    read = as_unsigned if reading is UNSIGNED or width not in _STANDARD else as_signed
    return [read(e, width) for e in args]


def concat(t: Term, args: list[Expr]) -> Expr:
    """Shift and or, in an unsigned type that is wide enough."""
    if t.width > 64:
        raise Inexpressible("more than 64 bits")
    width = 64 if t.width > 32 else 32
    parts, low = [], t.width
    for a, e in zip(t.args, args, strict=True):
        low -= a.width
        word = as_unsigned(e, a.width)
        word = (
            literal(word.value, width, False, True)
            if word.value is not None
            else cast(word, width, False)
        )
        parts.append(Expr(f"{word.at(SHIFT)} << {low}", SHIFT) if low else word)
    word = infix("|", BITOR, [p.at(SHIFT) for p in parts], UNSIGNED)
    return cast(word, t.width, False) if t.width in (8, 16) else word


def extract(t: Term, args: list[Expr]) -> Expr:
    """A cast for the low half, else shift and mask."""
    assert isinstance(t.data, tuple)
    lo, width, source = t.data[1], t.width, t.args[0].width
    word = args[0]
    if word.value is not None:
        raise Inexpressible("constants fold before")
    if lo == 0 and width in _STANDARD:
        return cast(word, width, word.reading is SIGNED)
    if lo:
        word = infix(">>", SHIFT, [as_unsigned(word, source).at(SHIFT), str(lo)], UNSIGNED)
    if lo + width == source:
        return (
            cast(word, width, False)
            if width in _STANDARD
            else Expr(word.text, word.level, UNSIGNED)
        )
    if width in _STANDARD:
        return cast(word, width, False)
    mask = (1 << width) - 1
    return infix(
        "&", BITAND, [word.at(BITAND), f"{mask}" if mask < 1 << 31 else f"{mask}ull"], UNSIGNED
    )


def zero_ext(t: Term, args: list[Expr]) -> Expr:
    """The unsigned value; a cast only where it leaves int's width."""
    source = t.args[0].width
    e = as_unsigned(args[0], source)
    if t.width > 64:
        raise Inexpressible("more than 64 bits")
    if t.width > 32 >= source:
        return Expr(cast(e, 64, True).text, UNARY, BOTH)
    # promoted by C; other widths may have been computed in an unsigned type
    is_int = source in (8, 16)
    return Expr(e.text, e.level, BOTH if is_int else UNSIGNED)


def sign_ext(t: Term, args: list[Expr]) -> Expr:
    """The signed value; a cast only where it leaves int's width."""
    source = t.args[0].width
    e = as_signed(args[0], source)
    if t.width not in _STANDARD or source not in _STANDARD:
        raise Inexpressible("no such signed type")
    return cast(e, 64, True) if t.width > 32 >= source else Expr(e.text, e.level, SIGNED)


BITVEC_PRINTERS: dict[Op, Printer] = {
    Op.BVADD: add,
    Op.BVSUB: sub,
    Op.BVNEG: neg,
    Op.BVMUL: mul,
    Op.BVNOT: bvnot,
    Op.BVAND: _bitwise("&", BITAND),
    Op.BVOR: _bitwise("|", BITOR),
    Op.BVXOR: _bitwise("^", BITXOR),
    Op.BVUDIV: _division("/", False),
    Op.BVUREM: _division("%", False),
    Op.BVSDIV: _division("/", True),
    Op.BVSREM: _division("%", True),
    Op.BVSHL: _shift("<<", False),
    Op.BVLSHR: _shift(">>", False),
    Op.BVASHR: _shift(">>", True),
    Op.BVULT: _comparison("<", False),
    Op.BVULE: _comparison("<=", False),
    Op.BVUGT: _comparison(">", False),
    Op.BVUGE: _comparison(">=", False),
    Op.BVSLT: _comparison("<", True),
    Op.BVSLE: _comparison("<=", True),
    Op.BVSGT: _comparison(">", True),
    Op.BVSGE: _comparison(">=", True),
    Op.CONCAT: concat,
    Op.EXTRACT: extract,
    Op.ZERO_EXT: zero_ext,
    Op.SIGN_EXT: sign_ext,
}
