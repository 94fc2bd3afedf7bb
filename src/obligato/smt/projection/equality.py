"""Eliminate a variable of any sort by an equality that determines it: exact.

Idea: if a literal implies x = t with x not in t, replacing x by t in all literals (that one
included) is equivalent to the existential.  `determined` peels invertible operators off the side
that contains x until x stands alone: sums, products with an odd constant, xor, not, extensions,
concatenation; Boolean literals x, not x and x != t determine x. Limitation: an integer with another
coefficient than 1 or -1 is left to `projection.integers`, which solves it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from obligato.smt.projection.linear import Rel, parse, scale
from obligato.terms import Kind, Op, Term, free_vars
from obligato.terms.rules import arith
from obligato.terms.rules.bitvec import combine, from_linear


def determined(x: Term, literal: Term) -> Term | None:
    """A term t without x such that `literal` implies x = t, or None."""
    s = x.store
    if literal is x:
        return s.true
    if literal.op is Op.NOT:
        return s.false if literal.args[0] is x else _opposite(x, literal.args[0])
    if literal.op is not Op.EQ:
        return None
    if x.sort.kind in (Kind.INT, Kind.REAL):
        return _solve_linear(x, literal)
    left, right = literal.args
    if x in free_vars(right):
        left, right = right, left
    return None if x in free_vars(right) else _peel(x, left, right)


def _opposite(x: Term, atom: Term) -> Term | None:
    """What x is if it is a truth value that differs from another."""
    if atom.op is not Op.EQ or x.sort.kind is not Kind.BOOL or x not in atom.args:
        return None
    other = atom.args[1] if atom.args[0] is x else atom.args[0]
    return None if x in free_vars(other) else x.store.not_(other)


def _solve_linear(x: Term, literal: Term) -> Term | None:
    c = parse(literal, x)
    if c is None or c.rel is not Rel.EQ or (x.sort.kind is Kind.INT and abs(c.a) != 1):
        return None
    factor = -int(c.a) if x.sort.kind is Kind.INT else Fraction(-1) / c.a
    return arith.from_linear(x.store, scale(c.rest, factor), x.sort)


def _peel(x: Term, left: Term, right: Term) -> Term | None:
    """Invert `left` = `right` towards x; x is not in `right`."""
    while left is not x:
        step = _invert(x, left, right)
        if step is None:
            return None
        left, right = step
    return right


def _only(x: Term, args: Sequence[Term]) -> int | None:
    """The position of the one argument that contains x."""
    where = [i for i, a in enumerate(args) if x in free_vars(a)]
    return where[0] if len(where) == 1 else None


def _invert(x: Term, left: Term, right: Term) -> tuple[Term, Term] | None:
    s = x.store
    at = _only(x, left.args)
    if at is None:
        return None
    inner = left.args[at]
    others = left.args[:at] + left.args[at + 1 :]
    match left.op:
        case Op.BVADD:
            parts = [(1, right)] + [(-1, t) for t in others]
            return inner, from_linear(s, combine(parts, left.width), left.sort)
        case Op.BVMUL if len(others) == 1 and others[0].op is Op.CONST and _odd(others[0]):
            assert isinstance(others[0].data, int)
            inverse = s.bv(pow(others[0].data, -1, 1 << left.width), left.width)
            return inner, s.mk(Op.BVMUL, (inverse, right))
        case Op.BVXOR:
            return inner, s.mk(Op.BVXOR, (right, *others))
        case Op.BVNOT | Op.BVNEG | Op.FP_NEG:
            return inner, s.mk(left.op, (right,))
        case Op.ZERO_EXT | Op.SIGN_EXT:
            return inner, s.extract(right, inner.width - 1, 0)
        case Op.CONCAT:
            low = sum(t.width for t in left.args[at + 1 :])
            return inner, s.extract(right, low + inner.width - 1, low)
        case _:
            return None


def _odd(t: Term) -> bool:
    return isinstance(t.data, int) and bool(t.data & 1)
