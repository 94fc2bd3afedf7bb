"""Bit-vector rules for logic, shifts, division and width changes."""

from __future__ import annotations

from collections.abc import Hashable

from obligato.terms.rules.boolean import FLAT
from obligato.terms.store import Rule, TermStore
from obligato.terms.term import Op, Term

Args = tuple[Term, ...]


def _mask(t: Term) -> int:
    return (1 << t.width) - 1


def _int(t: Term) -> int:
    assert isinstance(t.data, int)
    return t.data


def bvnot(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Involution."""
    return args[0].args[0] if args[0].op is Op.BVNOT else None


def _lattice(s: TermStore, op: Op, args: Args, unit: int, zero: int) -> Term:
    """AND/OR on words: flat, idempotent, one constant, sorted."""
    mask = _mask(args[0])
    constant = unit & mask
    flat: dict[Term, None] = {}
    for a in args:
        for x in a.args if a.op is op and len(a.args) <= FLAT else (a,):
            if x.op is Op.CONST:
                constant = constant & _int(x) if op is Op.BVAND else constant | _int(x)
            else:
                flat[x] = None
    absorbed = constant == zero & mask or any(x.op is Op.BVNOT and x.args[0] in flat for x in flat)
    if absorbed:
        return s.const(zero, args[0].sort)
    # a low mask
    if op is Op.BVAND and flat and 0 < constant < mask and constant & (constant + 1) == 0:
        k = constant.bit_length()
        low = s.mk(Op.BVAND, tuple(s.extract(x, k - 1, 0) for x in flat))
        return s.zero_ext(low, args[0].width - k)
    terms = sorted(flat, key=lambda t: t.id)
    if constant != unit & mask or not terms:
        terms.append(s.const(constant, args[0].sort))
    return terms[0] if len(terms) == 1 else s.intern(op, tuple(terms))


def bvand(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Conjunction."""
    return _lattice(s, Op.BVAND, args, -1, 0)


def bvor(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Disjunction."""
    return _lattice(s, Op.BVOR, args, 0, -1)


def bvxor(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Exclusive or: flat, pairs cancel, one constant; all ones is NOT."""
    mask, constant = _mask(args[0]), 0
    odd: dict[Term, None] = {}
    stack = list(args)
    while stack:
        x = stack.pop()
        if x.op is Op.BVNOT:
            constant, x = constant ^ mask, x.args[0]
        if x.op is Op.CONST:
            constant ^= _int(x)
        elif x.op is Op.BVXOR and len(x.args) <= FLAT:
            stack.extend(x.args)
        elif x in odd:
            del odd[x]
        else:
            odd[x] = None
    terms = sorted(odd, key=lambda t: t.id)
    if not terms:
        return s.const(constant, args[0].sort)
    if constant not in (0, mask):
        terms.append(s.const(constant, args[0].sort))
    word = terms[0] if len(terms) == 1 else s.intern(Op.BVXOR, tuple(terms))
    return s.mk(Op.BVNOT, (word,)) if constant == mask else word


def _shift(op: Op) -> Rule:
    def rule(s: TermStore, args: Args, data: Hashable) -> Term | None:
        a, n = args
        if n.op is not Op.CONST:
            return None
        k, w = _int(n), a.width
        if k == 0:
            return a
        if op is Op.BVASHR:
            k = min(k, w - 1)
            return s.sign_ext(s.extract(a, w - 1, k), k)
        if k >= w:
            return s.bv(0, w)
        if op is Op.BVSHL:
            return s.mk(Op.BVMUL, (s.bv(1 << k, w), a))
        return s.zero_ext(s.extract(a, w - 1, k), k)

    return rule


def udiv(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Unsigned division by a power of two is a shift; by 0 it is all ones."""
    a, b = args
    if b.op is not Op.CONST or _int(b) & (_int(b) - 1):
        return None
    return (
        s.mk(Op.BVLSHR, (a, s.bv(_int(b).bit_length() - 1, a.width)))
        if b.data
        else s.bv(-1, a.width)
    )


def urem(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Unsigned remainder by a power of two is a mask; by 0 it is the dividend."""
    a, b = args
    if b.op is not Op.CONST or _int(b) & (_int(b) - 1):
        return None
    return s.mk(Op.BVAND, (a, s.bv(_int(b) - 1, a.width)))


def sdiv(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Signed division by 1 and -1."""
    a, b = args
    if b.op is not Op.CONST or b.data not in (1, _mask(a)):
        return None
    return s.mk(Op.BVNEG, (a,)) if b.data == _mask(a) else a


def srem(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Signed remainder by 1 and -1; by 0 it is the dividend.
    The same for both signed remainders."""
    a, b = args
    if b.op is not Op.CONST or b.data not in (0, 1, _mask(a)):
        return None
    return s.bv(0, a.width) if b.data else a


def extract(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Through extract, extensions, concat and ite of constants; all of a word is the word."""
    a = args[0]
    assert isinstance(data, tuple)
    hi, lo = data
    if lo == 0 and hi == a.width - 1:
        return a
    if a.op is Op.EXTRACT:
        assert isinstance(a.data, tuple)
        return s.extract(a.args[0], hi + a.data[1], lo + a.data[1])
    if a.op in (Op.ZERO_EXT, Op.SIGN_EXT):
        return _extract_extended(s, a, hi, lo)
    if a.op is Op.CONCAT:
        return _extract_concat(s, a, hi, lo)
    if a.op is Op.ITE and a.args[1].op is Op.CONST and a.args[2].op is Op.CONST:
        return s.ite(a.args[0], s.extract(a.args[1], hi, lo), s.extract(a.args[2], hi, lo))
    if lo == 0 and a.op in (Op.BVADD, Op.BVMUL, Op.BVNEG):
        return s.mk(a.op, tuple(s.extract(x, hi, 0) for x in a.args))
    if a.op in (Op.BVAND, Op.BVOR, Op.BVXOR, Op.BVNOT):
        return s.mk(a.op, tuple(s.extract(x, hi, lo) for x in a.args))
    return None


def _extract_extended(s: TermStore, a: Term, hi: int, lo: int) -> Term | None:
    x = a.args[0]
    if hi < x.width:
        return s.extract(x, hi, lo)
    if lo >= x.width and a.op is Op.ZERO_EXT:
        return s.bv(0, hi - lo + 1)
    if lo < x.width:
        return s.mk(a.op, (s.extract(x, x.width - 1, lo),), hi - x.width + 1)
    return None


def _extract_concat(s: TermStore, a: Term, hi: int, lo: int) -> Term:
    parts: list[Term] = []
    top = a.width
    for part in a.args:
        base = top - part.width
        if base <= hi and lo < top:
            parts.append(s.extract(part, min(hi, top - 1) - base, max(lo, base) - base))
        top = base
    return s.concat(*parts)


def concat(s: TermStore, args: Args, data: Hashable) -> Term | None:
    """Flat; neighbouring constants and adjacent slices of one word join;
    leading zeros become an extension."""
    parts: list[Term] = []
    for a in args:
        for x in a.args if a.op is Op.CONCAT else (a,):
            joined = _join(s, parts[-1], x) if parts else None
            if joined is not None:
                parts[-1] = joined
            else:
                parts.append(x)
    if len(parts) > 1 and parts[0].op is Op.CONST and parts[0].data == 0:
        return s.zero_ext(s.concat(*parts[1:]), parts[0].width)
    return parts[0] if len(parts) == 1 else s.intern(Op.CONCAT, tuple(parts))


def _join(s: TermStore, x: Term, y: Term) -> Term | None:
    if x.op is Op.CONST and y.op is Op.CONST:
        return s.bv(_int(x) << y.width | _int(y), x.width + y.width)
    if x.op is Op.EXTRACT and y.op is Op.EXTRACT and x.args[0] is y.args[0]:
        assert isinstance(x.data, tuple) and isinstance(y.data, tuple)
        if x.data[1] == y.data[0] + 1:
            return s.extract(x.args[0], x.data[0], y.data[1])
    return None


def _extension(op: Op) -> Rule:
    def rule(s: TermStore, args: Args, data: Hashable) -> Term | None:
        a = args[0]
        assert isinstance(data, int)
        if data == 0:
            return a
        if a.op is op:
            assert isinstance(a.data, int)
            return s.mk(op, (a.args[0],), data + a.data)
        if a.op is Op.ZERO_EXT and op is Op.SIGN_EXT:
            assert isinstance(a.data, int)
            return s.zero_ext(a.args[0], data + a.data)
        if a.op is Op.ITE and a.args[1].op is Op.CONST and a.args[2].op is Op.CONST:
            return s.ite(a.args[0], s.mk(op, (a.args[1],), data), s.mk(op, (a.args[2],), data))
        return None

    return rule


BITWISE_RULES: dict[Op, Rule] = {
    Op.BVNOT: bvnot,
    Op.BVAND: bvand,
    Op.BVOR: bvor,
    Op.BVXOR: bvxor,
    Op.BVSHL: _shift(Op.BVSHL),
    Op.BVLSHR: _shift(Op.BVLSHR),
    Op.BVASHR: _shift(Op.BVASHR),
    Op.BVUDIV: udiv,
    Op.BVUREM: urem,
    Op.BVSDIV: sdiv,
    Op.BVSREM: srem,
    Op.BVSMOD: srem,
    Op.EXTRACT: extract,
    Op.CONCAT: concat,
    Op.ZERO_EXT: _extension(Op.ZERO_EXT),
    Op.SIGN_EXT: _extension(Op.SIGN_EXT),
}
