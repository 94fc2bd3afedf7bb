"""Expressions with Python's operators: `x + 1`, `x < y`, `p & ~q`, `a[i]`.

What an operator means follows from the type of its operands, which must be the same; Python's
numbers and truth values take the type of the other side, and where the other side is REAL, an INT
becomes REAL.

    + - * unary -           numbers; words wrap
    // %                    INT: rounds down, as in Python; unsigned words. Signed words: `sdiv`,
                            `srem` (to zero, as in C)
    /                       REAL
    == != < <= > >=         words by their sign, or none
    & | ^ ~                 truth values, and words bit by bit
    << >>                   words; >> of a signed one copies the sign
    x[7:4]                  bits 7 down to 4 of a word, as an unsigned word
    a[i], a.set(i, v)       arrays

Decided here: x // 0 is 0 and x % 0 is x for INT, x / 0 is 0 for REAL;
for words both are as SMT-LIB says (all ones; x).

An expression has no truth value: `if x == y`, `0 <= x < 5`, `p and q` are refused instead of being
quietly wrong. The one exception makes dictionaries work: an expression equals itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from obligato.errors import ModelError
from obligato.modelling.types import BOOL, INT, REAL, Type, signed, unsigned
from obligato.program.expressions import expression
from obligato.terms import Kind, Op, Term

NO_TRUTH = (
    "an expression is true or false in a run, not now: write p & q, p | q, ~p and ite(p, a, b)"
    " instead of and, or, not and if; write (0 <= x) & (x < 5) instead of 0 <= x < 5"
)


class Expr:
    """An expression over the variables of one builder.
    Immutable; made by builders, operators and the functions below."""

    __slots__ = ("term", "type")

    term: Term
    type: Type

    def __init__(self, term: Term, type: Type) -> None:
        self.term, self.type = term, type

    def __repr__(self) -> str:
        return expression(self.term, lambda name: name.rpartition("::")[2], limit=400)

    def __hash__(self) -> int:
        return hash((Expr, self.term.id))

    def __bool__(self) -> bool:
        if self.term.is_const and self.type is BOOL:
            return bool(self.term.data)
        raise TypeError(NO_TRUTH)

    # -- arithmetic --------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Expr:
        return _arithmetic("+", Op.ADD, Op.BVADD, self, other)

    def __radd__(self, other: Any) -> Expr:
        return _arithmetic("+", Op.ADD, Op.BVADD, other, self)

    def __sub__(self, other: Any) -> Expr:
        return _arithmetic("-", Op.SUB, Op.BVSUB, self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _arithmetic("-", Op.SUB, Op.BVSUB, other, self)

    def __mul__(self, other: Any) -> Expr:
        return _arithmetic("*", Op.MUL, Op.BVMUL, self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _arithmetic("*", Op.MUL, Op.BVMUL, other, self)

    def __neg__(self) -> Expr:
        _need(self.type.is_number, f"- is for numbers, not {self.type}")
        return Expr(
            self.term.store.mk(Op.BVNEG if self.type.is_word else Op.NEG, (self.term,)), self.type
        )

    def __abs__(self) -> Expr:
        return ite(self < 0, -self, self)

    def __floordiv__(self, other: Any) -> Expr:
        return _division(*_pair(self, other))

    def __rfloordiv__(self, other: Any) -> Expr:
        return _division(*_pair(other, self))

    def __mod__(self, other: Any) -> Expr:
        return _remainder(*_pair(self, other))

    def __rmod__(self, other: Any) -> Expr:
        return _remainder(*_pair(other, self))

    def __truediv__(self, other: Any) -> Expr:
        return _quotient(*_pair(self, other))

    def __rtruediv__(self, other: Any) -> Expr:
        return _quotient(*_pair(other, self))

    # -- comparisons -------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Expr:  # type: ignore[override]
        a, b = _pair(self, other)
        return Expr(
            a.term.store.true if a.term is b.term else a.term.store.eq(a.term, b.term), BOOL
        )

    def __ne__(self, other: object) -> Expr:  # type: ignore[override]
        a, b = _pair(self, other)
        return Expr(
            a.term.store.false if a.term is b.term else a.term.store.ne(a.term, b.term), BOOL
        )

    def __lt__(self, other: Any) -> Expr:
        return _comparison("<", Op.LT, Op.BVULT, Op.BVSLT, self, other)

    def __le__(self, other: Any) -> Expr:
        return _comparison("<=", Op.LE, Op.BVULE, Op.BVSLE, self, other)

    def __gt__(self, other: Any) -> Expr:
        return _comparison(">", Op.GT, Op.BVUGT, Op.BVSGT, self, other)

    def __ge__(self, other: Any) -> Expr:
        return _comparison(">=", Op.GE, Op.BVUGE, Op.BVSGE, self, other)

    # -- truth values and bits ---------------------------------------------------------------------

    def __and__(self, other: Any) -> Expr:
        return _bitwise("&", Op.AND, Op.BVAND, self, other)

    def __rand__(self, other: Any) -> Expr:
        return _bitwise("&", Op.AND, Op.BVAND, other, self)

    def __or__(self, other: Any) -> Expr:
        return _bitwise("|", Op.OR, Op.BVOR, self, other)

    def __ror__(self, other: Any) -> Expr:
        return _bitwise("|", Op.OR, Op.BVOR, other, self)

    def __xor__(self, other: Any) -> Expr:
        return _bitwise("^", Op.XOR, Op.BVXOR, self, other)

    def __rxor__(self, other: Any) -> Expr:
        return _bitwise("^", Op.XOR, Op.BVXOR, other, self)

    def __invert__(self) -> Expr:
        _need(
            self.type is BOOL or self.type.is_word,
            f"~ is for truth values and words, not {self.type}",
        )
        return Expr(
            self.term.store.mk(Op.NOT if self.type is BOOL else Op.BVNOT, (self.term,)), self.type
        )

    def implies(self, other: Any) -> Expr:
        """Implication: ~self | other."""
        a, b = _pair(self, other)
        _need(a.type is BOOL, f"implies is for truth values, not {a.type}")
        return Expr(a.term.store.implies(a.term, b.term), BOOL)

    def __lshift__(self, other: Any) -> Expr:
        a, b = _pair(self, other)
        _need(a.type.is_word, f"<< is for words, not {a.type}")
        return Expr(a.term.store.mk(Op.BVSHL, (a.term, b.term)), a.type)

    def __rshift__(self, other: Any) -> Expr:
        a, b = _pair(self, other)
        _need(a.type.is_word, f">> is for words, not {a.type}")
        return Expr(
            a.term.store.mk(Op.BVASHR if a.type.is_signed else Op.BVLSHR, (a.term, b.term)), a.type
        )

    # -- words -------------------------------------------------------------------------------------

    def resize(self, width: int) -> Expr:
        """The word cut to, or extended by its sign or by zeros to, so many bits:
        a conversion of C."""
        _need(self.type.is_word, f"resize is for words, not {self.type}")
        made = signed(width) if self.type.is_signed else unsigned(width)
        return Expr(self.term.store.resize(self.term, width, self.type.is_signed), made)

    def as_signed(self) -> Expr:
        """The same bits, read as a signed number."""
        _need(self.type.is_word, f"as_signed is for words, not {self.type}")
        return Expr(self.term, signed(self.type.sort.width))

    def as_unsigned(self) -> Expr:
        """The same bits, read as an unsigned number."""
        _need(self.type.is_word, f"as_unsigned is for words, not {self.type}")
        return Expr(self.term, unsigned(self.type.sort.width))

    # -- arrays and bits ---------------------------------------------------------------------------

    def __getitem__(self, where: Any) -> Expr:
        if self.type.element is not None and self.type.index is not None:
            return Expr(
                self.term.store.select(self.term, as_expr(where, self.type.index, self).term),
                self.type.element,
            )
        _need(
            self.type.is_word and isinstance(where, slice),
            f"{self.type} has no elements; bits of a word are x[7:4]",
        )
        high, low = where.start, where.stop
        _need(
            isinstance(high, int)
            and isinstance(low, int)
            and where.step is None
            and 0 <= low <= high < self.type.sort.width,
            f"x[high:low] with 0 <= low <= high < {self.type.sort.width} has the bits from high"
            " down to low",
        )
        return Expr(self.term.store.extract(self.term, high, low), unsigned(high - low + 1))

    def __iter__(self) -> Any:
        raise TypeError(f"{self.type} cannot be iterated over")

    def set(self, index: Any, value: Any) -> Expr:
        """The array with `value` at `index`."""
        _need(self.type.element is not None, f"set is for arrays, not {self.type}")
        assert self.type.index is not None and self.type.element is not None
        i, v = as_expr(index, self.type.index, self), as_expr(value, self.type.element, self)
        return Expr(self.term.store.store(self.term, i.term, v.term), self.type)


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise ModelError(message)


def as_expr(value: Any, type: Type, like: Expr) -> Expr:
    """A value as an expression of `type` beside `like`:
    an expression of that type, or a Python value that fits."""
    if isinstance(value, Expr):
        _need(value.term.store is like.term.store, f"{value} belongs to another builder")
        if value.type is INT and type is REAL:
            return to_real(value)
        _need(
            value.type == type,
            f"{value} has type {value.type}, not {type}{_advice(value.type, type)}",
        )
        return value
    return Expr(like.term.store.const(type.value(value), type.sort), type)


def _advice(given: Type, wanted: Type) -> str:
    if given.is_word and wanted.is_word:
        if given.sort is wanted.sort:
            return "; say which with .as_signed() or .as_unsigned()"
        return "; convert with .resize(width), .as_signed() or .as_unsigned()"
    return ""


def _pair(a: Any, b: Any) -> tuple[Expr, Expr]:
    """Two operands of one type, at least one of which is an expression."""
    if isinstance(a, Expr) and isinstance(b, Expr) and a.type is INT and b.type is REAL:
        return to_real(a), b
    if isinstance(a, Expr):
        return a, as_expr(b, a.type, a)
    return as_expr(a, b.type, b), b


def _arithmetic(sign: str, number: Op, word: Op, left: Any, right: Any) -> Expr:
    a, b = _pair(left, right)
    _need(a.type.is_number, f"{sign} is for numbers, not {a.type}")
    return Expr(a.term.store.mk(word if a.type.is_word else number, (a.term, b.term)), a.type)


def _comparison(sign: str, number: Op, unsigned_: Op, signed_: Op, left: Any, right: Any) -> Expr:
    a, b = _pair(left, right)
    _need(a.type.is_number, f"{sign} is for numbers, not {a.type}")
    op = number if not a.type.is_word else signed_ if a.type.is_signed else unsigned_
    return Expr(a.term.store.mk(op, (a.term, b.term)), BOOL)


def _bitwise(sign: str, truth: Op, word: Op, left: Any, right: Any) -> Expr:
    a, b = _pair(left, right)
    _need(
        a.type is BOOL or a.type.is_word,
        f"{sign} is for truth values and words, not {a.type}; comparisons bind "
        "looser than &, | and ^, so they need parentheses: (x < 1) & (y < 2)",
    )
    return Expr(a.term.store.mk(truth if a.type is BOOL else word, (a.term, b.term)), a.type)


SIGNED_DIVISION = (
    "// and % of signed words would round down; sdiv(x, y) and srem(x, y) round to zero, as C does"
)


def _division(a: Expr, b: Expr) -> Expr:
    """Rounds down: of SMT-LIB's division, which leaves no negative remainder,
    both operands are negated where b < 0."""
    _need(not a.type.is_signed, SIGNED_DIVISION)
    s = a.term.store
    if a.type.is_word:
        return Expr(s.mk(Op.BVUDIV, (a.term, b.term)), a.type)
    _need(a.type is INT, f"// is for INT and unsigned words, not {a.type}")
    if b.term.is_const:
        return (
            Expr(s.idiv(a.term, b.term), INT)
            if b.term.data >= 0  # type: ignore[operator]
            else Expr(s.idiv(s.neg(a.term), s.neg(b.term)), INT)
        )
    down = s.ite(
        s.lt(b.term, s.int_(0)), s.idiv(s.neg(a.term), s.neg(b.term)), s.idiv(a.term, b.term)
    )
    return Expr(down, INT)


def _remainder(a: Expr, b: Expr) -> Expr:
    """The remainder has the sign of b."""
    _need(not a.type.is_signed, SIGNED_DIVISION)
    s = a.term.store
    if a.type.is_word:
        return Expr(s.mk(Op.BVUREM, (a.term, b.term)), a.type)
    _need(a.type is INT, f"% is for INT and unsigned words, not {a.type}")
    negative = s.neg(s.mod(s.neg(a.term), s.neg(b.term)))
    if b.term.is_const:
        return Expr(negative if b.term.data < 0 else s.mod(a.term, b.term), INT)  # type: ignore[operator]
    return Expr(s.ite(s.lt(b.term, s.int_(0)), negative, s.mod(a.term, b.term)), INT)


def _quotient(a: Expr, b: Expr) -> Expr:
    _need(
        a.type is REAL,
        f"/ is for REAL, not {a.type}; // rounds down, and to_real(x) makes a REAL of an INT",
    )
    return Expr(a.term.store.rdiv(a.term, b.term), REAL)


# -- functions -------------------------------------------------------------------------------------


def ite(condition: Any, then: Any, otherwise: Any) -> Expr:
    """`then` where the condition is true, `otherwise` where it is not."""
    known = [x for x in (then, otherwise, condition) if isinstance(x, Expr)]
    _need(bool(known), "ite needs an expression among its arguments")
    c = as_expr(condition, BOOL, known[0])
    _need(
        isinstance(then, Expr) or isinstance(otherwise, Expr),
        "ite(p, 1, 0): of which type? One of the two values must be an expression; builders have"
        " constant(1, INT)",
    )
    a, b = _pair(then, otherwise)
    return Expr(a.term.store.ite(c.term, a.term, b.term), a.type)


def all_of(*conditions: Expr | Iterable[Expr]) -> Expr:
    """All conditions are true; at least one must be given, as arguments or in an iterable."""
    return _joined("all_of", Op.AND, conditions)


def any_of(*conditions: Expr | Iterable[Expr]) -> Expr:
    """One of the conditions is true, at least; at least one must be given."""
    return _joined("any_of", Op.OR, conditions)


def distinct(*values: Expr | Iterable[Expr]) -> Expr:
    """No two of the values are equal."""
    given = _flat("distinct", values)
    terms = [as_expr(x, given[0].type, given[0]).term for x in given]
    return Expr(
        given[0].term.store.distinct(*terms) if len(terms) > 1 else given[0].term.store.true, BOOL
    )


def _joined(name: str, op: Op, conditions: tuple[Any, ...]) -> Expr:
    given = _flat(name, conditions)
    terms = tuple(as_expr(x, BOOL, given[0]).term for x in given)
    return Expr(given[0].term.store.mk(op, terms) if len(terms) > 1 else terms[0], BOOL)


def _flat(name: str, given: tuple[Any, ...]) -> list[Expr]:
    out = [x for part in given for x in ([part] if isinstance(part, Expr) else part)]
    _need(bool(out) and isinstance(out[0], Expr), f"{name} needs expressions")
    return out


def to_real(x: Expr) -> Expr:
    """An INT as a REAL."""
    _need(x.type is INT, f"to_real is for INT, not {x.type}")
    return Expr(x.term.store.to_real(x.term), REAL)


def floor(x: Expr) -> Expr:
    """The greatest INT that is not above a REAL."""
    _need(x.type is REAL, f"floor is for REAL, not {x.type}")
    return Expr(x.term.store.to_int(x.term), INT)


def sdiv(x: Any, y: Any) -> Expr:
    """The quotient of two signed words, rounded to zero;
    by zero it is 1 for negative x and else -1, as in SMT-LIB."""
    return _signed_pair("sdiv", Op.BVSDIV, x, y)


def srem(x: Any, y: Any) -> Expr:
    """The remainder of two signed words, with the sign of x; by zero it is x."""
    return _signed_pair("srem", Op.BVSREM, x, y)


def _signed_pair(name: str, op: Op, x: Any, y: Any) -> Expr:
    _need(isinstance(x, Expr) or isinstance(y, Expr), f"{name} needs an expression")
    a, b = _pair(x, y)
    _need(
        a.type.is_word and a.type.is_signed,
        f"{name} is for signed words, not {a.type}; // and % are for others",
    )
    return Expr(a.term.store.mk(op, (a.term, b.term)), a.type)


def concat(*words: Expr) -> Expr:
    """The words beside each other, the most significant first, as one unsigned word."""
    given = _flat("concat", words)
    _need(all(w.type.kind is Kind.BITVEC for w in given), "concat is for words")
    joined = given[0].term.store.concat(*(w.term for w in given))
    return Expr(joined, unsigned(joined.sort.width))
