"""Int and Real rules: linear normal form.

A linear term is ``ADD(m1, ..., mn, [constant])`` with monomials ``x`` or ``MUL(c, x)``, sorted by
the id of x; x may be any non-linear term.  Atoms are ``LE(sum, constant)`` (for Real also LT) and
``EQ(sum, constant)`` with positive leading coefficient: for Int divided by the gcd, for Real by the
leading coefficient.  ``x >= 6`` is ``NOT(LE(x, 5))`` on Int and ``NOT(LT(x, 6))`` on Real.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import gcd

from obligato.terms.rules.boolean import FLAT, eq_ite
from obligato.terms.semantics import euclid_div
from obligato.terms.sorts import BOOL, INT, REAL, Sort
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]
# Python 3.11 is slow at Enum.MEMBER
_CONST, _ADD, _MUL, _LE, _LT = Op.CONST, Op.ADD, Op.MUL, Op.LE, Op.LT
_LINEAR = (_ADD, _MUL, _CONST)
Number = int | Fraction
Linear = tuple[dict[Term, Number], Number]


def _number(t: Term) -> Number:
    assert isinstance(t.data, int | Fraction)
    return t.data


def linear_of(t: Term) -> Linear:
    """Coefficients and constant of a term in normal form."""
    coeffs: dict[Term, Number] = {}
    constant: Number = 0
    for m in t.args if t.op is _ADD else (t,):
        if m.op is _CONST:
            constant += _number(m)
        elif m.op is _MUL and m.args[0].op is _CONST and len(m.args) == 2:
            _accumulate(coeffs, m.args[1], _number(m.args[0]))
        else:
            _accumulate(coeffs, m, 1)
    return coeffs, constant


def _accumulate(coeffs: dict[Term, Number], x: Term, c: Number) -> None:
    total = coeffs.get(x, 0) + c
    if total:
        coeffs[x] = total
    else:
        coeffs.pop(x, None)


def combine(parts: list[tuple[Number, Term]]) -> Linear:
    """The linear form of a weighted sum."""
    coeffs: dict[Term, Number] = {}
    constant: Number = 0
    for factor, t in parts:
        cs, k = linear_of(t)
        constant += factor * k
        for x, c in cs.items():
            _accumulate(coeffs, x, factor * c)
    return coeffs, constant


def from_linear(s: TermStore, lin: Linear, sort: Sort) -> Term:
    """The normal form of a linear combination."""
    coeffs, constant = lin
    monomials = [
        x if c == 1 else s.intern(_MUL, (s.const(c, sort), x), None, sort)
        for x, c in sorted(coeffs.items(), key=lambda item: item[0].id)
    ]
    if constant or not monomials:
        monomials.append(s.const(constant, sort))
    return monomials[0] if len(monomials) == 1 else s.intern(_ADD, tuple(monomials), None, sort)


def add(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Sum in normal form."""
    if len(args) == 2:
        a, b = args if args[1].op is _CONST else (args[1], args[0])
        if b.op is _CONST and a.op not in _LINEAR:
            return s.intern(_ADD, (a, b), None, a.sort) if b.data else a
    return from_linear(s, combine([(1, a) for a in args]), args[0].sort)


def sub(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Difference in normal form."""
    return from_linear(s, combine([(1, args[0]), (-1, args[1])]), args[0].sort)


def neg(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Negative in normal form."""
    return from_linear(s, combine([(-1, args[0])]), args[0].sort)


def mul(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """A constant factor is distributed; a product of few non-constants is flat and sorted."""
    factor: Number = 1
    rest: list[Term] = []
    for a in args:
        if a.op is Op.CONST:
            factor *= _number(a)
        else:
            coeffs, k = linear_of(a)
            if len(coeffs) == 1 and not k:
                ((a, c),) = coeffs.items()
                factor *= c
            rest.extend(a.args if a.op is Op.MUL and len(a.args) + len(rest) <= FLAT else (a,))
    if len(rest) == 1 or not factor:
        return from_linear(
            s, combine([(factor, r) for r in rest[:1]] if factor else []), args[0].sort
        )
    product = s.intern(Op.MUL, tuple(sorted(rest, key=lambda t: t.id)))
    return product if factor == 1 else s.intern(Op.MUL, (s.const(factor, product.sort), product))


def _compare(s: TermStore, op: Op, a: Term, b: Term) -> Term:
    """a <= b or a < b in normal form."""
    sort = a.sort
    if b.op is _CONST and a.op not in _LINEAR:
        return _atom(s, op, a, b)
    if a.op is _CONST and b.op not in _LINEAR:  # k <= b is not (b < k)
        return s.not_(_compare(s, _LT if op is _LE else _LE, b, a))
    coeffs, k = combine([(1, a), (-1, b)])
    bound = -k  # sum op bound
    if not coeffs:
        return s.bool_(bound >= 0 if op is _LE else bound > 0)
    if sort is INT:
        return _compare_int(s, coeffs, bound - (op is _LT))
    lead = coeffs[min(coeffs, key=lambda x: x.id)]
    lin = from_linear(s, ({x: Fraction(c) / lead for x, c in coeffs.items()}, 0), sort)
    right = s.const(Fraction(bound) / lead, sort)
    if lead > 0:
        return _atom(s, op, lin, right)
    return s.not_(_atom(s, _LT if op is _LE else _LE, lin, right))


def _atom(s: TermStore, op: Op, a: Term, b: Term) -> Term:
    """a <= b or a < b for a constant b; over Int there is only <=.  (ite c k1 k2) <= b is c, not c,
    true or false.
    """
    if a.op is Op.ITE and a.args[1].op is _CONST and a.args[2].op is _CONST:
        return s.ite(a.args[0], s.mk(op, (a.args[1], b)), s.mk(op, (a.args[2], b)))
    if op is _LT and a.sort is INT:
        op, b = _LE, s.const(_number(b) - 1, INT)
    return s.intern(op, (a, b), None, BOOL)


def _compare_int(s: TermStore, coeffs: dict[Term, Number], bound: Number) -> Term:
    """sum <= bound over Int, tightened by the gcd."""
    g = gcd(*(int(c) for c in coeffs.values()))
    limit = int(bound) // g
    positive = coeffs[min(coeffs, key=lambda x: x.id)] > 0
    sign = 1 if positive else -1
    lin = from_linear(s, ({x: sign * int(c) // g for x, c in coeffs.items()}, 0), INT)
    if positive:
        return _atom(s, _LE, lin, s.int_(limit))
    return s.not_(_atom(s, _LE, lin, s.int_(-limit - 1)))


def eq_arith(s: TermStore, a: Term, b: Term) -> Term:
    """a = b as (sum = constant)."""
    sort = a.sort
    if a.op is _CONST:
        a, b = b, a
    if b.op is _CONST and a.op not in _LINEAR:
        return _equation(s, a, b)
    coeffs, k = combine([(1, a), (-1, b)])
    bound: Number = -k
    if not coeffs:
        return s.bool_(bound == 0)
    lead = coeffs[min(coeffs, key=lambda x: x.id)]
    if sort is INT:
        scale: Number = gcd(*(int(c) for c in coeffs.values())) * (1 if lead > 0 else -1)
        if int(bound) % int(scale):
            return s.false
        lin = from_linear(s, ({x: int(c) // int(scale) for x, c in coeffs.items()}, 0), sort)
        return _equation(s, lin, s.int_(int(bound) // int(scale)))
    lin = from_linear(s, ({x: Fraction(c) / lead for x, c in coeffs.items()}, 0), sort)
    return _equation(s, lin, s.const(Fraction(bound) / lead, sort))


def _equation(s: TermStore, a: Term, b: Term) -> Term:
    return eq_ite(s, a, b) or s.intern(Op.EQ, (a, b), None, BOOL)


def le(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a <= b."""
    return _compare(s, Op.LE, args[0], args[1])


def lt(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a < b."""
    return _compare(s, Op.LT, args[0], args[1])


def ge(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a >= b."""
    return _compare(s, Op.LE, args[1], args[0])


def gt(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a > b."""
    return _compare(s, Op.LT, args[1], args[0])


def abs_(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """|a| by cases."""
    return s.ite(s.ge(args[0], s.const(0, args[0].sort)), args[0], s.neg(args[0]))


def idiv(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Division by 1 or -1."""
    a, b = args
    if b.op is Op.CONST and b.data in (1, -1):
        return a if b.data == 1 else s.neg(a)
    return None


def mod(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Remainder by a constant: positive divisor; multiples in the dividend drop out."""
    a, b = args
    if b.op is not Op.CONST or not b.data:
        return None
    n = abs(int(_number(b)))
    coeffs, k = linear_of(a)
    reduced: dict[Term, Number] = {
        x: c2 for x, c in coeffs.items() if (c2 := int(c) - n * euclid_div(int(c), n))
    }
    term = from_linear(s, (reduced, int(k) % n), INT)
    if term.op is Op.CONST:
        return s.int_(int(_number(term)) % n)
    return s.intern(Op.MOD, (term, s.int_(n)))


def rdiv(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Division by a constant is multiplication."""
    a, b = args
    if b.op is Op.CONST and b.data:
        return from_linear(s, combine([(1 / Fraction(_number(b)), a)]), a.sort)
    return None


def to_real(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Distributed over sums and constant factors, so that equal linear terms are one term;
    and over constants."""
    a = args[0]
    if a.op is Op.ITE and a.args[1].op is _CONST and a.args[2].op is _CONST:
        return s.ite(a.args[0], s.to_real(a.args[1]), s.to_real(a.args[2]))
    if a.op is not _ADD and not (a.op is _MUL and a.args[0].op is _CONST):
        return None
    coeffs, k = linear_of(a)
    return from_linear(
        s, combine([(c, s.to_real(x)) for x, c in coeffs.items()] + [(1, s.const(k, REAL))]), REAL
    )


def to_int(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """The floor of an integer combination of integers is that combination plus the constant's
    floor."""
    coeffs, k = linear_of(args[0])
    parts: list[tuple[Number, Term]] = [(1, s.int_(k.__floor__()))]
    for x, c in coeffs.items():
        if x.op is not Op.TO_REAL or Fraction(c).denominator != 1:
            return None
        parts.append((int(c), x.args[0]))
    return from_linear(s, combine(parts), INT)


def is_int(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """A real is an integer if rounding does not change it."""
    return s.eq(s.to_real(s.to_int(args[0])), args[0])


ARITH_RULES: dict[Op, Rule] = {
    Op.ADD: add,
    Op.SUB: sub,
    Op.NEG: neg,
    Op.MUL: mul,
    Op.LE: le,
    Op.LT: lt,
    Op.GE: ge,
    Op.GT: gt,
    Op.ABS: abs_,
    Op.IDIV: idiv,
    Op.MOD: mod,
    Op.RDIV: rdiv,
    Op.TO_REAL: to_real,
    Op.TO_INT: to_int,
    Op.IS_INT: is_int,
}
