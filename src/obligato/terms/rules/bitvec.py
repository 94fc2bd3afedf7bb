"""Bit-vector rules: sums in linear normal form modulo 2^w, oriented comparisons,
width changes folded.

Core comparisons are ULT and SLT; a constant stands on the right: ``x <=u k`` is ``x <u k+1``,
``x >u k`` is ``NOT(x <u k+1)``; where k+1 wraps the comparison is constant.
"""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.rules.boolean import FLAT, eq_ite
from obligato.terms.semantics import to_signed
from obligato.terms.sorts import BOOL, Sort
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]
# Python 3.11 is slow at Enum.MEMBER
_CONST, _ADD, _NEG, _MUL = Op.CONST, Op.BVADD, Op.BVNEG, Op.BVMUL
_LINEAR = (_ADD, _NEG, _MUL, _CONST)
Linear = tuple[dict[Term, int], int]
_SMALL = 255  # the largest factor that is distributed over a product of sums


def _value(t: Term) -> int:
    assert isinstance(t.data, int)
    return t.data


def _add_linear(coeffs: dict[Term, int], t: Term, factor: int) -> int:
    """Add factor * t to `coeffs`; the constant part is returned."""
    constant = 0
    for m in t.args if t.op is _ADD else (t,):
        x, c = m, 1
        if m.op is _CONST:
            constant += factor * _value(m)
            continue
        if m.op is _NEG:
            x, c = m.args[0], -1
        elif m.op is _MUL and m.args[0].op is _CONST:
            x, c = m.args[1], _value(m.args[0])
        coeffs[x] = coeffs.get(x, 0) + factor * c
    return constant


def combine(parts: list[tuple[int, Term]], width: int) -> Linear:
    """The linear form of a weighted sum modulo 2^width."""
    coeffs: dict[Term, int] = {}
    constant = 0
    for factor, t in parts:
        constant += _add_linear(coeffs, t, factor)
    mask = (1 << width) - 1
    return {x: c & mask for x, c in coeffs.items() if c & mask}, constant & mask


def from_linear(s: TermStore, lin: Linear, sort: Sort) -> Term:
    """The normal form: monomials x, NEG(x) or MUL(c, x) sorted by id, the constant last."""
    coeffs, constant = lin
    terms = [
        _monomial(s, c, x, sort) for x, c in sorted(coeffs.items(), key=lambda item: item[0].id)
    ]
    if constant or not terms:
        terms.append(s.const(constant, sort))
    return terms[0] if len(terms) == 1 else s.intern(_ADD, tuple(terms), None, sort)


def _monomial(s: TermStore, c: int, x: Term, sort: Sort) -> Term:
    if c == 1:
        return x
    if c == sort.mask:
        return s.intern(_NEG, (x,), None, sort)
    return s.intern(_MUL, (s.const(c, sort), x), None, sort)


def add(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Sum."""
    if len(args) == 2:
        a, b = args if args[1].op is _CONST else (args[1], args[0])
        if b.op is _CONST and a.op not in _LINEAR:
            return s.intern(_ADD, (a, b), None, a.sort) if b.data else a
    return from_linear(s, combine([(1, a) for a in args], args[0].width), args[0].sort)


def sub(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Difference."""
    return from_linear(s, combine([(1, args[0]), (-1, args[1])], args[0].width), args[0].sort)


def neg(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Negative."""
    return from_linear(s, combine([(-1, args[0])], args[0].width), args[0].sort)


def mul(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """A constant factor is distributed over a sum;
    a product of few non-constants is flat and sorted."""
    sort, factor = args[0].sort, 1
    rest: list[Term] = []
    for a in args:
        if a.op is Op.CONST:
            factor *= _value(a)
            continue
        if a.op is Op.BVNEG:
            factor, a = -factor, a.args[0]
        elif a.op is Op.BVMUL and a.args[0].op is Op.CONST:
            factor, a = factor * _value(a.args[0]), a.args[1]
        short = a.op is Op.BVMUL and len(a.args) + len(rest) <= FLAT
        rest.extend(a.args if short else (a,))
    factor &= (1 << sort.width) - 1
    if not factor:
        return s.const(0, sort)
    if len(rest) == 1:
        return from_linear(s, combine([(factor, rest[0])], sort.width), sort)
    if len(rest) == 2 and _ADD in (rest[0].op, rest[1].op):
        expanded = _expanded(s, factor, rest[0], rest[1])
        if expanded is not None:
            return expanded
    product = s.intern(Op.BVMUL, tuple(sorted(rest, key=lambda t: t.id)))
    return _monomial(s, factor, product, sort)


def _expanded(s: TermStore, factor: int, a: Term, b: Term) -> Term | None:
    """factor * (c x + k) * (d y + m) with small constants is one product and a sum:
    polynomials meet in one form."""
    (cs, k), (ds, m) = combine([(1, a)], a.width), combine([(1, b)], a.width)
    numbers = (factor, k, m, *cs.values(), *ds.values())
    if len(cs) != 1 or len(ds) != 1 or max(abs(to_signed(n, a.width)) for n in numbers) > _SMALL:
        return None
    ((x, c),), ((y, d),) = cs.items(), ds.items()
    parts = [
        (factor * c * d, s.mk(_MUL, (x, y))),
        (factor * c * m, x),
        (factor * d * k, y),
        (factor, s.const(k * m, a.sort)),
    ]
    return from_linear(s, combine(parts, a.width), a.sort)


def eq_bitvec(s: TermStore, a: Term, b: Term) -> Term:
    """Equality: one monomial is solved where its coefficient is odd;
    x = y + k with the smaller id left."""
    if a is b:
        return s.true
    if a.op is _CONST:
        a, b = b, a
    if b.op is _CONST:
        resolved = eq_ite(s, a, b) or _eq_const(s, a, _value(b))
        if resolved is not None:
            return resolved
        if a.op not in _LINEAR:
            return s.intern(Op.EQ, (a, b), None, BOOL)
    elif _both_extended(a, b):
        return s.eq(a.args[0], b.args[0])
    elif a.op not in _LINEAR and b.op not in _LINEAR:
        return s.intern(Op.EQ, (a, b) if a.id < b.id else (b, a), None, BOOL)
    sort, w = a.sort, a.width
    coeffs, k = combine([(1, a), (-1, b)], w)
    if not coeffs:
        return s.bool_(k == 0)
    return _eq_linear(s, coeffs, -k, sort)


def _eq_linear(s: TermStore, coeffs: dict[Term, int], bound: int, sort: Sort) -> Term:
    """sum coeffs*x = bound: scale the first odd coefficient to 1, that variable left,
    the rest right."""
    order = sorted(coeffs, key=lambda t: t.id)
    w = sort.width
    pivot = next((x for x in order if coeffs[x] & 1), None)
    if pivot is None:
        left = from_linear(s, (coeffs, 0), sort)
        return s.intern(Op.EQ, (left, s.const(bound, sort)))
    inverse = pow(coeffs[pivot], -1, 1 << w)
    mask = (1 << w) - 1
    rest = {x: -c * inverse & mask for x, c in coeffs.items() if x is not pivot}
    right = from_linear(s, (rest, bound * inverse & mask), sort)
    if right.op is Op.CONST:
        return (eq_ite(s, pivot, right) or _eq_const(s, pivot, _value(right))) or s.intern(
            Op.EQ, (pivot, right)
        )
    return s.intern(Op.EQ, (pivot, right))


def _eq_const(s: TermStore, a: Term, k: int) -> Term | None:
    """Equality with a constant through width changes."""
    if a.op is Op.VAR:
        return None
    if a.op in (Op.ZERO_EXT, Op.SIGN_EXT):
        x = a.args[0]
        low = s.bv(k, x.width)
        back = (
            _value(low)
            if a.op is Op.ZERO_EXT
            else to_signed(_value(low), x.width) & ((1 << a.width) - 1)
        )
        return s.eq(x, low) if back == k else s.false
    if a.op is Op.BVNOT:
        return s.eq(a.args[0], s.bv(~k, a.width))
    if a.op is Op.CONCAT:
        return s.all_of(_slices(s, a, k))
    return None


def _slices(s: TermStore, a: Term, k: int) -> list[Term]:
    out, hi = [], a.width
    for part in a.args:
        hi -= part.width
        out.append(s.eq(part, s.bv(k >> hi, part.width)))
    return out


def _less(s: TermStore, a: Term, b: Term, signed: bool) -> Term:
    """a < b."""
    w = a.width
    low, high = (1 << (w - 1), (1 << (w - 1)) - 1) if signed else (0, (1 << w) - 1)
    if (
        a is b
        or (b.op is Op.CONST and _value(b) == low)
        or (a.op is Op.CONST and _value(a) == high)
    ):
        return s.false
    op = Op.BVSLT if signed else Op.BVULT
    if a.op is Op.CONST and b.op is Op.CONST:
        # flipping the sign bit turns the signed order into the unsigned one
        bias = low if signed else 0
        return s.bool_(_value(a) ^ bias < _value(b) ^ bias)
    if a.op is Op.CONST:  # k < b  is  not (b < k + 1)
        return s.not_(_less(s, b, s.bv(_value(a) + 1, w), signed))
    if b.op is Op.CONST:
        special = _less_const(s, a, b, signed)
        if special is not None:
            return special
    elif _both_extended(a, b):
        return _less(s, a.args[0], b.args[0], signed and a.op is Op.SIGN_EXT)
    return s.intern(op, (a, b))


def _both_extended(a: Term, b: Term) -> bool:
    """Extended alike from one width: equality and both orders are those of the narrow words."""
    return a.op is b.op and a.op in (Op.ZERO_EXT, Op.SIGN_EXT) and a.args[0].sort is b.args[0].sort


def _less_const(s: TermStore, a: Term, b: Term, signed: bool) -> Term | None:
    """x < k for special k and for x an ite of constants or an extension."""
    w, k = a.width, _value(b)
    low = 1 << (w - 1) if signed else 0
    if k == (low + 1) & ((1 << w) - 1):
        return s.eq(a, s.bv(low, w))
    if a.op is Op.ITE and a.args[1].op is Op.CONST and a.args[2].op is Op.CONST:
        return s.ite(a.args[0], _less(s, a.args[1], b, signed), _less(s, a.args[2], b, signed))
    if a.op is Op.ZERO_EXT:
        return _less_zero_ext(s, a.args[0], to_signed(k, w) if signed else k)
    if a.op is Op.SIGN_EXT and signed:
        return _less_sign_ext(s, a.args[0], to_signed(k, w))
    if k == (low - 1) & ((1 << w) - 1):
        return s.not_(s.eq(a, b))
    return None


def _less_zero_ext(s: TermStore, x: Term, k: int) -> Term:
    if k <= 0:
        return s.false
    return s.true if k >= 1 << x.width else _less(s, x, s.bv(k, x.width), False)


def _less_sign_ext(s: TermStore, x: Term, k: int) -> Term:
    half = 1 << (x.width - 1)
    if k <= -half:
        return s.false
    return s.true if k >= half else _less(s, x, s.bv(k, x.width), True)


def ult(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a <u b."""
    return _less(s, args[0], args[1], False)


def ule(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a <=u b."""
    return s.not_(_less(s, args[1], args[0], False))


def ugt(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a >u b."""
    return _less(s, args[1], args[0], False)


def uge(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a >=u b."""
    return s.not_(_less(s, args[0], args[1], False))


def slt(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a <s b."""
    return _less(s, args[0], args[1], True)


def sle(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a <=s b."""
    return s.not_(_less(s, args[1], args[0], True))


def sgt(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a >s b."""
    return _less(s, args[1], args[0], True)


def sge(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """a >=s b."""
    return s.not_(_less(s, args[0], args[1], True))


COMPARISONS: dict[Op, Rule] = {
    Op.BVULT: ult,
    Op.BVULE: ule,
    Op.BVUGT: ugt,
    Op.BVUGE: uge,
    Op.BVSLT: slt,
    Op.BVSLE: sle,
    Op.BVSGT: sgt,
    Op.BVSGE: sge,
}

from obligato.terms.rules.bitwise import BITWISE_RULES  # noqa: E402

BITVEC_RULES: dict[Op, Rule] = {
    Op.BVADD: add,
    Op.BVSUB: sub,
    Op.BVNEG: neg,
    Op.BVMUL: mul,
    **COMPARISONS,
    **BITWISE_RULES,
}
