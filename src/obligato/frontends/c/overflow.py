"""When does signed arithmetic stay in range? One condition on the operands, in the form that is
easiest to prove.

What the widths of extended operands say already is `true`; with a constant operand the condition is
that the other one lies between two constants; else the result in more bits must be the extended
result. A product in twice the width is hard for solvers: the condition is then joined with sizes of
factors that imply it, so that a proof by intervals never looks at the product.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.terms import Op, Term, TermStore

WIDE = {k.B_ADD: Op.BVADD, k.B_SUB: Op.BVSUB, k.B_MUL: Op.BVMUL}


def in_range(store: TermStore, operator: int, a: Term, b: Term) -> Term:
    """Does the signed sum, difference or product of the operands fit into their width?"""
    width = a.sort.width
    least, most = -1 << (width - 1), (1 << (width - 1)) - 1
    results = [_exact(operator, x, y) for x in _bounds(a) for y in _bounds(b)]
    if least <= min(results) and max(results) <= most:
        return store.true
    if b.is_const or (a.is_const and operator != k.B_SUB):
        x, c = (a, _number(b)) if b.is_const else (b, _number(a))
        return _between(store, x, *_operands(operator, c, least, most))
    extra = width if operator == k.B_MUL else 1
    wide = store.mk(WIDE[operator], (store.sign_ext(a, extra), store.sign_ext(b, extra)))
    exact = store.eq(wide, store.sign_ext(store.extract(wide, width - 1, 0), extra))
    return exact if operator != k.B_MUL else store.or_(*_small(store, a, b), exact)


def _exact(operator: int, x: int, y: int) -> int:
    return x + y if operator == k.B_ADD else x - y if operator == k.B_SUB else x * y


def _number(t: Term) -> int:
    """The value of a constant as a signed number."""
    assert isinstance(t.data, int)
    return t.data - (1 << t.sort.width) if t.data >> (t.sort.width - 1) else t.data


def _bounds(t: Term) -> tuple[int, int]:
    """Bounds of a term as a signed number, as far as it shows them: of constants and of extended
    values.
    """
    if t.is_const:
        return _number(t), _number(t)
    inner = t.args[0].sort.width if t.op in (Op.SIGN_EXT, Op.ZERO_EXT) else t.sort.width
    if t.op is Op.ZERO_EXT and inner < t.sort.width:
        return 0, (1 << inner) - 1
    return -1 << (inner - 1), (1 << (inner - 1)) - 1


def _operands(operator: int, c: int, least: int, most: int) -> tuple[int, int]:
    """The least and the greatest x for which x + c, x - c or x * c is between `least` and
    `most`; c is not 0 for a product, whose bounds say that it fits.
    """
    if operator != k.B_MUL:
        c = c if operator == k.B_ADD else -c
        return least - c, most - c
    low, high = (least, most) if c > 0 else (most, least)
    return -(-low // c), high // c  # rounded up, and down


def _small(store: TermStore, a: Term, b: Term) -> list[Term]:
    """Sizes of two factors whose product fits: together they have fewer bits than it may have."""
    width = a.sort.width
    sizes = [(1 << n, 1 << (width - 1 - n)) for n in range(1, width - 1)]
    return [
        store.and_(_between(store, a, -x, x - 1), _between(store, b, 1 - y, y - 1))
        for x, y in sizes
    ]


def _between(store: TermStore, x: Term, low: int, high: int) -> Term:
    """low <= x <= high, as signed numbers; bounds that every number keeps are left out."""
    w = x.sort.width
    if x.is_const:
        return store.bool_(low <= _number(x) <= high)
    parts = [store.mk(Op.BVSLE, (store.bv(low, w), x))] if low > -1 << (w - 1) else []
    parts += [store.mk(Op.BVSLE, (x, store.bv(high, w)))] if high < (1 << (w - 1)) - 1 else []
    return store.and_(*parts) if len(parts) > 1 else parts[0] if parts else store.true
