"""The operators of BTOR2 on our terms, by name: one table per arity.

A value of one bit is a Bool here, because conditions, constraints and most state bits of hardware
are; a value of more bits is a bit-vector, and arrays hold bit-vectors throughout. `word` and `flag`
convert. Each operator checks its operands' sorts and raises `SortError`, a text for the user; the
reader adds the position.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.terms import BOOL, Kind, Op, Sort, Term, TermStore, bitvec


class SortError(Exception):
    """An operand has the wrong sort."""


def width(sort: Sort) -> int:
    """The width of a value that is no array."""
    if sort is BOOL:
        return 1
    if sort.kind is not Kind.BITVEC:
        raise SortError("an array where a bit-vector is needed")
    return sort.width


def as_sort(bits: int) -> Sort:
    """How a value of that width is represented."""
    return BOOL if bits == 1 else bitvec(bits)


def word(s: TermStore, t: Term) -> Term:
    """The value as a bit-vector."""
    return s.ite(t, s.bv(1, 1), s.bv(0, 1)) if t.sort is BOOL else t


def flag(s: TermStore, t: Term) -> Term:
    """A value as it is represented: one bit as Bool."""
    return s.eq(t, s.bv(1, 1)) if t.sort.kind is Kind.BITVEC and t.sort.width == 1 else t


def _same(a: Term, b: Term) -> None:
    if a.sort is not b.sort:
        raise SortError(f"operands of sorts {a.sort} and {b.sort}")


def not_(s: TermStore, a: Term) -> Term:
    """Bitwise complement."""
    width(a.sort)
    return s.not_(a) if a.sort is BOOL else s.mk(Op.BVNOT, (a,))


# -- one operand -----------------------------------------------------------------------------------


def _plus(amount: int) -> Callable[[TermStore, Term], Term]:
    def run(s: TermStore, a: Term) -> Term:
        w = word(s, a)
        return flag(s, s.mk(Op.BVADD, (w, s.bv(amount, width(a.sort)))))

    return run


def _neg(s: TermStore, a: Term) -> Term:
    width(a.sort)
    return flag(s, s.mk(Op.BVNEG, (word(s, a),)))


def _redand(s: TermStore, a: Term) -> Term:
    return a if a.sort is BOOL else s.eq(a, s.bv(-1, width(a.sort)))


def _redor(s: TermStore, a: Term) -> Term:
    return a if a.sort is BOOL else s.not_(s.eq(a, s.bv(0, width(a.sort))))


def _redxor(s: TermStore, a: Term) -> Term:
    if a.sort is BOOL:
        return a
    acc = s.extract(a, 0, 0)
    for i in range(1, width(a.sort)):
        acc = s.mk(Op.BVXOR, (acc, s.extract(a, i, i)))
    return flag(s, acc)


UNARY: dict[str, Callable[[TermStore, Term], Term]] = {
    "not": not_,
    "inc": _plus(1),
    "dec": _plus(-1),
    "neg": _neg,
    "redand": _redand,
    "redor": _redor,
    "redxor": _redxor,
}

# -- two operands ----------------------------------------------------------------------------------

Binary = Callable[[TermStore, Term, Term], Term]


def _words(op: Op) -> Binary:
    """An operation of bit-vectors of one width, with a bit-vector or a Bool as result."""

    def run(s: TermStore, a: Term, b: Term) -> Term:
        _same(a, b)
        if a.sort.kind is Kind.BITVEC:
            return s.mk(op, (a, b))
        width(a.sort)
        return flag(s, s.mk(op, (word(s, a), word(s, b))))

    return run


def _bits(on_bool: Op, on_words: Op, negated: bool) -> Binary:
    def run(s: TermStore, a: Term, b: Term) -> Term:
        _same(a, b)
        width(a.sort)
        t = s.mk(on_bool if a.sort is BOOL else on_words, (a, b))
        return not_(s, t) if negated else t

    return run


def _eq(s: TermStore, a: Term, b: Term) -> Term:
    _same(a, b)
    return s.eq(a, b)


def _neq(s: TermStore, a: Term, b: Term) -> Term:
    return s.not_(_eq(s, a, b))


def _boolean(op: Op) -> Binary:
    def run(s: TermStore, a: Term, b: Term) -> Term:
        if a.sort is not BOOL or b.sort is not BOOL:
            raise SortError("operands of more than one bit")
        return s.mk(op, (a, b))

    return run


def _rotate(left: bool) -> Binary:
    def run(s: TermStore, a: Term, b: Term) -> Term:
        _same(a, b)
        n = width(a.sort)
        if n == 1:
            return a
        size = s.bv(n, n)
        by = s.mk(Op.BVUREM, (b, size))
        rest = s.mk(Op.BVSUB, (size, by))
        up, down = (by, rest) if left else (rest, by)
        return s.mk(Op.BVOR, (s.mk(Op.BVSHL, (a, up)), s.mk(Op.BVLSHR, (a, down))))

    return run


def _overflow(op: Op, signed: bool, double: bool) -> Binary:
    """Does the operation on wider operands give what the operation on the given width cannot
    hold?
    """

    def run(s: TermStore, a: Term, b: Term) -> Term:
        _same(a, b)
        n = width(a.sort)
        extra = n if double else 1
        extend = s.sign_ext if signed else s.zero_ext
        wide = s.mk(op, (extend(word(s, a), extra), extend(word(s, b), extra)))
        return s.not_(s.eq(wide, extend(s.extract(wide, n - 1, 0), extra)))

    return run


def _sdivo(s: TermStore, a: Term, b: Term) -> Term:
    _same(a, b)
    n = width(a.sort)
    least, minus_one = s.bv(1 << (n - 1), n), s.bv(-1, n)
    return s.and_(s.eq(word(s, a), least), s.eq(word(s, b), minus_one))


def _concat(s: TermStore, a: Term, b: Term) -> Term:
    width(a.sort), width(b.sort)
    return s.concat(word(s, a), word(s, b))


def _read(s: TermStore, a: Term, i: Term) -> Term:
    if a.sort.kind is not Kind.ARRAY or word(s, i).sort is not a.sort.index:
        raise SortError(f"read of an index of sort {i.sort} from {a.sort}")
    return flag(s, s.select(a, word(s, i)))


BINARY: dict[str, Binary] = {
    "iff": _boolean(Op.EQ),
    "implies": _boolean(Op.IMPLIES),
    "eq": _eq,
    "neq": _neq,
    "sgt": _words(Op.BVSGT),
    "sgte": _words(Op.BVSGE),
    "slt": _words(Op.BVSLT),
    "slte": _words(Op.BVSLE),
    "ugt": _words(Op.BVUGT),
    "ugte": _words(Op.BVUGE),
    "ult": _words(Op.BVULT),
    "ulte": _words(Op.BVULE),
    "and": _bits(Op.AND, Op.BVAND, False),
    "nand": _bits(Op.AND, Op.BVAND, True),
    "or": _bits(Op.OR, Op.BVOR, False),
    "nor": _bits(Op.OR, Op.BVOR, True),
    "xor": _bits(Op.XOR, Op.BVXOR, False),
    "xnor": _bits(Op.XOR, Op.BVXOR, True),
    "rol": _rotate(True),
    "ror": _rotate(False),
    "sll": _words(Op.BVSHL),
    "srl": _words(Op.BVLSHR),
    "sra": _words(Op.BVASHR),
    "add": _words(Op.BVADD),
    "mul": _words(Op.BVMUL),
    "sub": _words(Op.BVSUB),
    "sdiv": _words(Op.BVSDIV),
    "udiv": _words(Op.BVUDIV),
    "smod": _words(Op.BVSMOD),
    "srem": _words(Op.BVSREM),
    "urem": _words(Op.BVUREM),
    "saddo": _overflow(Op.BVADD, True, False),
    "uaddo": _overflow(Op.BVADD, False, False),
    "ssubo": _overflow(Op.BVSUB, True, False),
    "usubo": _words(Op.BVULT),
    "smulo": _overflow(Op.BVMUL, True, True),
    "umulo": _overflow(Op.BVMUL, False, True),
    "sdivo": _sdivo,
    "concat": _concat,
    "read": _read,
}

# -- three operands --------------------------------------------------------------------------------


def _ite(s: TermStore, c: Term, a: Term, b: Term) -> Term:
    _same(a, b)
    if c.sort is not BOOL:
        raise SortError("a condition of more than one bit")
    return s.ite(c, a, b)


def _write(s: TermStore, a: Term, i: Term, v: Term) -> Term:
    fits = (
        a.sort.kind is Kind.ARRAY
        and word(s, i).sort is a.sort.index
        and word(s, v).sort is a.sort.element
    )
    if not fits:
        raise SortError(f"write of {v.sort} at {i.sort} to {a.sort}")
    return s.store(a, word(s, i), word(s, v))


TERNARY: dict[str, Callable[[TermStore, Term, Term, Term], Term]] = {"ite": _ite, "write": _write}

# -- one operand and numbers -----------------------------------------------------------------------


def _slice(s: TermStore, a: Term, numbers: list[int]) -> Term:
    upper, lower = numbers
    if not width(a.sort) > upper >= lower >= 0:
        raise SortError(f"bits {upper} to {lower} of a value of {width(a.sort)} bits")
    return flag(s, s.extract(word(s, a), upper, lower))


def _extend(signed: bool) -> Callable[[TermStore, Term, list[int]], Term]:
    def run(s: TermStore, a: Term, numbers: list[int]) -> Term:
        width(a.sort)
        if numbers[0] < 0:
            raise SortError("an extension by a negative number of bits")
        if numbers[0] == 0:
            return a
        return (s.sign_ext if signed else s.zero_ext)(word(s, a), numbers[0])

    return run


INDEXED: dict[str, tuple[int, Callable[[TermStore, Term, list[int]], Term]]] = {
    "slice": (2, _slice),
    "sext": (1, _extend(True)),
    "uext": (1, _extend(False)),
}
