"""Operators of SMV on values, as nuXmv defines them.

Integer and signed-word division truncates towards zero, the remainder has the dividend's sign;
words wrap; a word divided by zero is what SMT-LIB says (all ones or the dividend for unsigned
words), an integer must not be divided by zero: that is an obligation of the model. A shift by the
width or more leaves zeros, or signs of a signed word that is shifted to the right.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.smv.types import (
    BOOLEAN,
    INTEGER,
    MAX_BITS,
    REALS,
    Boolean,
    Map,
    Numbers,
    Real,
    Word,
)
from obligato.frontends.smv.values import Encoding, Val
from obligato.terms import INT, Op, Term, TermStore

MAX_WIDTH = 1 << 16
_WORDS = {"+": Op.BVADD, "-": Op.BVSUB, "*": Op.BVMUL, "&": Op.BVAND, "|": Op.BVOR, "xor": Op.BVXOR}
_DIVISIONS = {
    ("/", False): Op.BVUDIV,
    ("/", True): Op.BVSDIV,
    ("mod", False): Op.BVUREM,
    ("mod", True): Op.BVSREM,
}
Must = Callable[[Term, str, Span], None]  # what must never be true, and how to say that it is


class Operators(Encoding):
    """Operators as terms; `must_not` is told what must never be true."""

    def __init__(self, store: TermStore, wide: bool, must_not: Must) -> None:
        super().__init__(store, wide)
        self.must_not = must_not

    # -- logic -------------------------------------------------------------------------------------

    def logic(self, op: str, a: Val, b: Val, span: Span) -> Val:
        """& | xor xnor -> <-> on truth values, and bit by bit on words."""
        s = self.store
        if isinstance(a.type, Word) and a.type == b.type:
            return Val(a.type, self._bitwise(op, a.term, b.term))
        x, y = self.boolean(a, span), self.boolean(b, span)
        match op:
            case "&":
                return Val(BOOLEAN, s.and_(x, y))
            case "|":
                return Val(BOOLEAN, s.or_(x, y))
            case "->":
                return Val(BOOLEAN, s.implies(x, y))
        same = s.eq(x, y)
        return Val(BOOLEAN, s.not_(same) if op == "xor" else same)

    def _bitwise(self, op: str, x: Term, y: Term) -> Term:
        s = self.store
        if op in _WORDS:
            return s.mk(_WORDS[op], (x, y))
        if op == "->":
            return s.mk(Op.BVOR, (s.mk(Op.BVNOT, (x,)), y))
        return s.mk(Op.BVNOT, (s.mk(Op.BVXOR, (x, y)),))

    def negate(self, a: Val, span: Span) -> Val:
        """!"""
        if isinstance(a.type, Word):
            return Val(a.type, self.store.mk(Op.BVNOT, (a.term,)))
        return Val(BOOLEAN, self.store.not_(self.boolean(a, span)))

    def boolean(self, a: Val, span: Span) -> Term:
        """The term of a truth value; other values are refused."""
        if not isinstance(a.type, Boolean):
            raise InputError(f"a boolean is needed, not a value of {a.type}", span)
        return a.term

    def compare(self, op: str, a: Val, b: Val, span: Span) -> Val:
        """= != < > <= >="""
        if op in ("=", "!="):
            same = self.equal(a, b, span)
            return Val(BOOLEAN, same if op == "=" else self.store.not_(same))
        if op in (">", ">="):
            a, b = b, a
        return Val(BOOLEAN, self.less(a, b, op.endswith("="), span))

    # -- arithmetic --------------------------------------------------------------------------------

    def arithmetic(self, op: str, a: Val, b: Val, span: Span) -> Val:
        """+ - * / mod"""
        match a.type, b.type:
            case Word(), Word():
                if a.type != b.type:
                    raise InputError(f"values of {a.type} and {b.type} do not go together", span)
                mk = _WORDS.get(op) or _DIVISIONS[op, a.type.signed]
                return Val(a.type, self.store.mk(mk, (a.term, b.term)))
            case Numbers(), Numbers():
                return (
                    self._divided(op, a, b, span)
                    if op in ("/", "mod")
                    else self._calculated(op, a, b, span)
                )
            case ((Numbers() | Real()), (Numbers() | Real())):
                return self._real(op, a, b, span)
        raise InputError(f"{op} is not defined for {a.type} and {b.type}", span)

    def _calculated(self, op: str, a: Val, b: Val, span: Span) -> Val:
        assert isinstance(a.type, Numbers) and isinstance(b.type, Numbers)
        s, t = self.store, _result(op, a.type, b.type)
        if self.sort(t, span) is INT:
            x, y = a.term, b.term
            if (
                t.low is not None
                and t.high is not None
                and max(abs(t.low), abs(t.high)).bit_length() > MAX_BITS
            ):
                t = INTEGER
            return Val(t, s.add(x, y) if op == "+" else s.sub(x, y) if op == "-" else s.mul(x, y))
        whole = self.common(self.common(a.type, b.type, span), t, span)
        term = s.mk(_WORDS[op], (self.cast(a, whole, span), self.cast(b, whole, span)))
        return Val(t, self.cast(Val(whole, term), t, span))

    def _divided(self, op: str, a: Val, b: Val, span: Span) -> Val:
        assert isinstance(a.type, Numbers) and isinstance(b.type, Numbers)
        s, t = self.store, _quotient(op, a.type, b.type)
        self.must_not(self.equal(b, self.number(0, span), span), "division by zero", span)
        if self.sort(t, span) is INT:
            zero, x, y = s.int_(0), a.term, b.term
            quotient = s.ite(s.le(zero, x), s.idiv(x, y), s.neg(s.idiv(s.neg(x), y)))
            return Val(t, quotient if op == "/" else s.sub(x, s.mul(y, quotient)))
        whole = self.common(self.common(a.type, b.type, span), t, span)
        assert isinstance(whole, Numbers) and whole.low is not None
        term = s.mk(
            _DIVISIONS[op, whole.low < 0], (self.cast(a, whole, span), self.cast(b, whole, span))
        )
        return Val(t, self.cast(Val(whole, term), t, span))

    def _real(self, op: str, a: Val, b: Val, span: Span) -> Val:
        s, x, y = self.store, self.cast(a, REALS, span), self.cast(b, REALS, span)
        match op:
            case "+" | "-" | "*":
                return Val(
                    REALS, s.add(x, y) if op == "+" else s.sub(x, y) if op == "-" else s.mul(x, y)
                )
            case "/":
                self.must_not(s.eq(y, s.real(0)), "division by zero", span)
                return Val(REALS, s.rdiv(x, y))
        raise InputError("mod is not defined for real", span)

    def minus(self, a: Val, span: Span) -> Val:
        """Unary -"""
        match a.type:
            case Word():
                return Val(a.type, self.store.mk(Op.BVNEG, (a.term,)))
            case Numbers():
                return self._calculated("-", self.number(0, span), a, span)
            case Real():
                return Val(REALS, self.store.neg(a.term))
        raise InputError(f"- is not defined for {a.type}", span)

    # -- words -------------------------------------------------------------------------------------

    def word(self, a: Val, span: Span) -> Word:
        """The type of a word; other values are refused."""
        if not isinstance(a.type, Word):
            raise InputError(f"a word is needed, not a value of {a.type}", span)
        return a.type

    def concatenate(self, a: Val, b: Val, span: Span) -> Val:
        """::"""
        width = self.word(a, span).width + self.word(b, span).width
        return Val(_unsigned(width, span), self.store.concat(a.term, b.term))

    def bits(self, a: Val, high: int, low: int, span: Span) -> Val:
        """w[high:low]"""
        if not 0 <= low <= high < self.word(a, span).width:
            raise InputError(f"there are no bits {high}:{low} in a {a.type}", span)
        return Val(Word(False, high - low + 1), self.store.extract(a.term, high, low))

    def shift(self, op: str, a: Val, n: Val, span: Span) -> Val:
        """<< and >>"""
        s, t = self.store, self.word(a, span)
        width = t.width
        if isinstance(n.type, Numbers):
            constant = n.term.data if n.term.op is Op.CONST else None
            if n.type.low is None or (n.term.sort is INT and not isinstance(constant, int)):
                raise Unsupported(
                    "a shift by an integer without bounds is not supported", span, "shift"
                )
            self.must_not(
                self.less(n, self.number(0, span), False, span),
                "a shift by a negative number",
                span,
            )
            amount, signed = n.term, n.type.low < 0
            if amount.sort is INT:  # by the whole width at most: more shifts out no more
                assert isinstance(constant, int)
                amount = s.bv(min(max(constant, 0), width), width.bit_length() + 1)
        else:
            if self.word(n, span).signed:
                self.must_not(
                    s.mk(Op.BVSLT, (n.term, s.const(0, n.term.sort))),
                    "a shift by a negative number",
                    span,
                )
            amount, signed = n.term, False
        whole = max(width, amount.sort.width)
        wide = s.resize(a.term, whole, t.signed and op == ">>")
        shift = Op.BVSHL if op == "<<" else Op.BVASHR if t.signed else Op.BVLSHR
        return Val(t, s.resize(s.mk(shift, (wide, s.resize(amount, whole, signed))), width, False))

    def extended(self, a: Val, extra: int, span: Span) -> Val:
        """extend(w, n): n bits more."""
        t = self.word(a, span)
        if extra < 0:
            raise InputError("the number of bits is negative", span)
        wide = _unsigned(t.width + extra, span).width
        return Val(Word(t.signed, wide), self.store.resize(a.term, wide, t.signed))

    def resized(self, a: Val, width: int, span: Span) -> Val:
        """resize(w, n): n bits; a signed word that becomes shorter keeps its sign bit."""
        s, t = self.store, self.word(a, span)
        if width < 1:
            raise InputError("a word has at least one bit", span)
        new = Word(t.signed, _unsigned(width, span).width)
        if not t.signed or width >= t.width:
            return Val(new, s.resize(a.term, width, t.signed))
        sign = s.extract(a.term, t.width - 1, t.width - 1)
        return Val(new, sign if width == 1 else s.concat(sign, s.extract(a.term, width - 2, 0)))

    def to_number(self, a: Val, span: Span) -> Val:
        """toint(e)"""
        s = self.store
        match a.type:
            case Numbers():
                return a
            case Boolean():
                one, zero = self.number(1, span), self.number(0, span)
                return Val(
                    Numbers(0, 1),
                    s.ite(a.term, *(self.cast(v, Numbers(0, 1), span) for v in (one, zero))),
                )
            case Word():
                w = a.type.width
                t = (
                    Numbers(-(1 << w - 1), (1 << w - 1) - 1)
                    if a.type.signed
                    else Numbers(0, (1 << w) - 1)
                )
                if not self.wide:
                    return Val(t, s.resize(a.term, self.sort(t, span).width, a.type.signed))
                weights = [-(1 << i) if a.type.signed and i == w - 1 else 1 << i for i in range(w)]
                ones = [s.eq(s.extract(a.term, i, i), s.bv(1, 1)) for i in range(w)]
                return Val(
                    t,
                    s.add(
                        *(
                            s.ite(one, s.int_(n), s.int_(0))
                            for one, n in zip(ones, weights, strict=True)
                        )
                    ),
                )
        raise InputError(f"toint is not defined for {a.type}", span)

    def to_boolean(self, a: Val, span: Span) -> Val:
        """bool(e)"""
        s = self.store
        match a.type:
            case Boolean():
                return a
            case Word(width=1):
                return Val(BOOLEAN, s.eq(a.term, s.bv(1, 1)))
            case Numbers():
                return Val(BOOLEAN, s.not_(self.equal(a, self.number(0, span), span)))
        raise InputError(f"bool is not defined for {a.type}", span)

    def read(self, a: Val, i: Val, span: Span) -> Val:
        """READ(a, i)"""
        t = self._map(a, span)
        return Val(t.element, self.store.select(a.term, self.cast(i, t.index, span)))

    def written(self, a: Val, i: Val, v: Val, span: Span) -> Val:
        """WRITE(a, i, v)"""
        t = self._map(a, span)
        return Val(
            t, self.store.store(a.term, self.cast(i, t.index, span), self.cast(v, t.element, span))
        )

    def everywhere(self, a: Val, v: Val, span: Span) -> Val:
        """CONSTARRAY(typeof(a), v)"""
        t = self._map(a, span)
        return Val(t, self.store.const_array(a.term.sort, self.cast(v, t.element, span)))

    def _map(self, a: Val, span: Span) -> Map:
        if not isinstance(a.type, Map):
            raise InputError(
                f"an array with an index type is needed, not a value of {a.type}", span
            )
        return a.type


def _unsigned(width: int, span: Span) -> Word:
    if width > MAX_WIDTH:
        raise InputError(f"a word has at most {MAX_WIDTH} bits", span)
    return Word(False, width)


def _result(op: str, a: Numbers, b: Numbers) -> Numbers:
    """The bounds of a sum, difference or product."""
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Numbers(None, None)
    if op == "+":
        return Numbers(a.low + b.low, a.high + b.high)
    if op == "-":
        return Numbers(a.low - b.high, a.high - b.low)
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Numbers(min(corners), max(corners))


def _quotient(op: str, a: Numbers, b: Numbers) -> Numbers:
    """Bounds of a quotient or remainder."""
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Numbers(None, None)
    size = max(abs(a.low), abs(a.high))
    if op == "mod":
        size = min(size, max(abs(b.low), abs(b.high), 1) - 1)
        return Numbers(-size if a.low < 0 else 0, size if a.high > 0 else 0)
    return Numbers(0 if a.low >= 0 and b.low >= 0 else -size, size)
