"""Named constructors, one per operator, over the generic `mk`.

Both stores share them (floats: terms.float_builders). They make explicit what SMT-LIB leaves open
(division by zero, see terms.semantics) and offer derived operations (rotate, repeat, ...) by
definition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from fractions import Fraction

from obligato.terms.sorts import INT, REAL, Kind, Sort, bitvec
from obligato.terms.term import Op, Term


class BoolBuilders(ABC):
    """Bool, equality, ite."""

    true: Term
    false: Term

    @abstractmethod
    def mk(self, op: Op, args: tuple[Term, ...], data: Hashable = None) -> Term:
        """The application of `op`."""

    @abstractmethod
    def const(self, value: Hashable, sort: Sort) -> Term:
        """The value of `sort`."""

    def bool_(self, value: bool) -> Term:
        """true or false."""
        return self.true if value else self.false

    def not_(self, a: Term) -> Term:
        """Negation."""
        return self.mk(Op.NOT, (a,))

    def and_(self, *args: Term) -> Term:
        """Conjunction of any number; none is true, one is itself."""
        return args[0] if len(args) == 1 else self.mk(Op.AND, args) if args else self.true

    def or_(self, *args: Term) -> Term:
        """Disjunction of any number; none is false, one is itself."""
        return args[0] if len(args) == 1 else self.mk(Op.OR, args) if args else self.false

    def all_of(self, args: Iterable[Term]) -> Term:
        """Conjunction of an iterable."""
        return self.and_(*args)

    def any_of(self, args: Iterable[Term]) -> Term:
        """Disjunction of an iterable."""
        return self.or_(*args)

    def xor(self, a: Term, b: Term) -> Term:
        """Exclusive or."""
        return self.mk(Op.XOR, (a, b))

    def implies(self, a: Term, b: Term) -> Term:
        """Implication."""
        return self.mk(Op.IMPLIES, (a, b))

    def eq(self, a: Term, b: Term) -> Term:
        """Equality of any sort (identity for floats)."""
        return self.mk(Op.EQ, (a, b))

    def ne(self, a: Term, b: Term) -> Term:
        """Disequality."""
        return self.not_(self.eq(a, b))

    def distinct(self, *args: Term) -> Term:
        """Pairwise disequality."""
        return self.mk(Op.DISTINCT, args)

    def ite(self, c: Term, a: Term, b: Term) -> Term:
        """If-then-else."""
        return self.mk(Op.ITE, (c, a, b))


class ArithBuilders(BoolBuilders):
    """Int and Real."""

    def int_(self, value: int) -> Term:
        """An integer."""
        return self.const(value, INT)

    def real(self, value: Fraction | int) -> Term:
        """A rational."""
        return self.const(Fraction(value), REAL)

    def add(self, *args: Term) -> Term:
        """Sum."""
        return args[0] if len(args) == 1 else self.mk(Op.ADD, args)

    def sub(self, a: Term, b: Term) -> Term:
        """Difference."""
        return self.mk(Op.SUB, (a, b))

    def neg(self, a: Term) -> Term:
        """Negative."""
        return self.mk(Op.NEG, (a,))

    def mul(self, *args: Term) -> Term:
        """Product."""
        return args[0] if len(args) == 1 else self.mk(Op.MUL, args)

    def le(self, a: Term, b: Term) -> Term:
        """a <= b."""
        return self.mk(Op.LE, (a, b))

    def lt(self, a: Term, b: Term) -> Term:
        """a < b."""
        return self.mk(Op.LT, (a, b))

    def ge(self, a: Term, b: Term) -> Term:
        """a >= b."""
        return self.mk(Op.GE, (a, b))

    def gt(self, a: Term, b: Term) -> Term:
        """a > b."""
        return self.mk(Op.GT, (a, b))

    def _guard_zero(self, b: Term, if_zero: Term, else_: Term) -> Term:
        if b.op is Op.CONST:
            return else_ if b.data else if_zero
        return self.ite(self.eq(b, self.const(0, b.sort)), if_zero, else_)

    def idiv(self, a: Term, b: Term) -> Term:
        """SMT-LIB integer division; 0 if b is 0."""
        return self._guard_zero(b, self.int_(0), self.mk(Op.IDIV, (a, b)))

    def mod(self, a: Term, b: Term) -> Term:
        """SMT-LIB integer remainder; a if b is 0."""
        return self._guard_zero(b, a, self.mk(Op.MOD, (a, b)))

    def rdiv(self, a: Term, b: Term) -> Term:
        """Real division; 0 if b is 0."""
        return self._guard_zero(b, self.real(0), self.mk(Op.RDIV, (a, b)))

    def abs(self, a: Term) -> Term:
        """Absolute value."""
        return self.mk(Op.ABS, (a,))

    def to_real(self, a: Term) -> Term:
        """An Int as Real."""
        return self.mk(Op.TO_REAL, (a,))

    def to_int(self, a: Term) -> Term:
        """The floor of a Real."""
        return self.mk(Op.TO_INT, (a,))


class BitVecBuilders(ArithBuilders):
    """Bit-vectors. Binary operators go through `mk` by their `Op`;
    here are those with indices or a twist."""

    def bv(self, value: int, width: int) -> Term:
        """The bit-vector `value` modulo 2^width."""
        return self.const(value, bitvec(width))

    def extract(self, a: Term, hi: int, lo: int) -> Term:
        """Bits hi..lo."""
        return self.mk(Op.EXTRACT, (a,), (hi, lo))

    def zero_ext(self, a: Term, extra: int) -> Term:
        """`extra` zero bits in front."""
        return a if extra == 0 else self.mk(Op.ZERO_EXT, (a,), extra)

    def sign_ext(self, a: Term, extra: int) -> Term:
        """`extra` copies of the sign bit in front."""
        return a if extra == 0 else self.mk(Op.SIGN_EXT, (a,), extra)

    def concat(self, *args: Term) -> Term:
        """Concatenation, most significant first."""
        return args[0] if len(args) == 1 else self.mk(Op.CONCAT, args)

    def resize(self, a: Term, width: int, signed: bool) -> Term:
        """Truncate or extend to `width`: what a C integer conversion does."""
        old = a.sort.width
        if width <= old:
            return a if width == old else self.extract(a, width - 1, 0)
        return self.sign_ext(a, width - old) if signed else self.zero_ext(a, width - old)

    def rotate_left(self, a: Term, n: int) -> Term:
        """Rotation by a constant."""
        w = a.sort.width
        n = n % w
        return (
            a
            if n == 0
            else self.concat(self.extract(a, w - 1 - n, 0), self.extract(a, w - 1, w - n))
        )


class ArrayBuilders(BitVecBuilders):
    """Arrays."""

    def select(self, a: Term, i: Term) -> Term:
        """a[i]."""
        return self.mk(Op.SELECT, (a, i))

    def store(self, a: Term, i: Term, v: Term) -> Term:
        """a with a[i] = v."""
        return self.mk(Op.STORE, (a, i, v))

    def const_array(self, sort: Sort, element: Term) -> Term:
        """The array that holds `element` everywhere."""
        assert sort.kind is Kind.ARRAY
        return self.mk(Op.CONST_ARRAY, (element,), sort)
