"""What a condition teaches about the ranges of variables: the backward half of the interval
analysis.

`assume` narrows a state by a condition, or finds that no run passes (None).  Linear Int atoms bound
each variable by the others; bit-vector comparisons bound both sides in the reading of the
comparison, pushed through extensions and constant offsets; a disjunction is the join over its
parts.  Everything else only decides, it does not narrow.
"""

from __future__ import annotations

from obligato.analysis.abstract_eval import Range, evaluate_range, join, top
from obligato.analysis.persistent import FactMap, Meeting
from obligato.analysis.ranges import (
    BitRange,
    IntRange,
    bit_linear,
    bit_meet,
    bit_top,
    int_add,
    int_meet,
    int_scale,
    unsigned,
    wrap,
)
from obligato.terms import Kind, Op, Term
from obligato.terms.rules.arith import linear_of

State = FactMap[Range]
_WIDEST = 4  # disjuncts that are analysed one by one
# subterms of a disjunction whose parts are analysed, shared ones counted as often as they occur
_LARGEST = 300


def assume(condition: Term, truth: bool, state: State) -> State | None:
    """`state` narrowed by "condition is truth"; `state` itself if nothing is learnt, None if it
    cannot be.
    """
    while condition.op is Op.NOT:
        condition, truth = condition.args[0], not truth
    if condition.op is (Op.AND if truth else Op.OR):
        return _all(condition.args, truth, state)
    known = evaluate_range(condition, state)
    if known is not None:
        return state if known is truth else None
    if condition.op in (Op.AND, Op.OR):
        return _any(condition.args, truth, state) if _is_small(condition) else state
    if condition.op is Op.EQ:
        return _equal(condition, state) if truth else _distinct(condition, state)
    if condition.op is Op.LE and condition.args[0].sort.kind is Kind.INT:
        return _linear(condition, truth, state)
    if condition.op in (Op.BVULT, Op.BVSLT):
        return _less(condition, truth, state)
    return state


def _all(parts: tuple[Term, ...], truth: bool, state: State) -> State | None:
    current: State | None = state
    for part in parts:
        if current is None:
            return None
        current = assume(part, truth, current)
    return current


def _is_small(condition: Term) -> bool:
    """Is it worth looking into the parts? Those of a system's step share most of their subterms, at
    every depth.
    """
    stack, left = [condition], _LARGEST
    while stack and left > 0:
        stack.extend(stack.pop().args)
        left -= 1
    return not stack and len(condition.args) <= _WIDEST


def _any(parts: tuple[Term, ...], truth: bool, state: State) -> State | None:
    ends = [end for part in parts if (end := assume(part, truth, state)) is not None]
    if not ends:
        return None
    out = ends[0]
    for end in ends[1:]:
        out = Meeting[Range](out.keys, joined)(out, end)
    return out


def joined(x: Term, a: Range, b: Range) -> Range:
    """The range of a variable above both; None if it says nothing."""
    r = join(a, b, x.sort)
    return None if r == top(x.sort) else r


def narrow(term: Term, r: Range, state: State) -> State | None:
    """`state` with the value of `term` within `r`, as far as that can be expressed."""
    if term.is_var:
        return _narrow_var(term, r, state)
    if term.op is Op.ZERO_EXT:
        inner = term.args[0]
        limit = (1 << inner.width) - 1
        return None if r[0] > limit else narrow(inner, unsigned(r[0], r[1], inner.width), state)
    if term.op is Op.SIGN_EXT:
        inner = term.args[0]
        low, high = max(r[2], bit_top(inner.width)[2]), min(r[3], bit_top(inner.width)[3])
        return None if low > high else narrow(inner, wrap(low, high, inner.width), state)
    if term.op is Op.BVADD and len(term.args) == 2 and term.args[1].is_const:
        assert isinstance(term.args[1].data, int)
        return narrow(term.args[0], bit_linear([(1, r)], -term.args[1].data, term.width), state)
    return state


def _narrow_var(x: Term, r: Range, state: State) -> State | None:
    old = state.get(x)
    if old is None:
        old = top(x.sort)
    met: Range = int_meet(old, r) if x.sort.kind is Kind.INT else bit_meet(old, r, x.width)
    if met is None or met == old:
        return None if met is None else state
    return state.with_fact(x, met)


def _equal(eq: Term, state: State) -> State | None:
    a, b = eq.args
    if a.sort.kind is Kind.INT:
        lower = _linear_bound(a, b, False, state)
        return None if lower is None else _linear_bound(a, b, True, lower)
    if a.sort.kind is not Kind.BITVEC:
        return state
    narrowed = narrow(a, evaluate_range(b, state), state)
    return None if narrowed is None else narrow(b, evaluate_range(a, narrowed), narrowed)


def _distinct(eq: Term, state: State) -> State | None:
    """x != k trims a range that ends at k."""
    x, k = eq.args
    if not (x.is_var and k.is_const and isinstance(k.data, int)) or x not in state:
        return state
    r = state[x]
    if x.sort.kind is Kind.INT:
        return _narrow_var(x, _trim((r[0], r[1]), k.data), state)
    if x.sort.kind is not Kind.BITVEC:
        return state
    signed = k.data - (1 << x.width) if k.data >> (x.width - 1) else k.data
    return _narrow_var(x, (*_trim(r[:2], k.data), *_trim(r[2:], signed)), state)


def _trim(r: IntRange, k: int) -> tuple[int | None, int | None]:
    lo, hi = r
    if lo == k:
        return k + 1, hi
    return (lo, k - 1) if hi == k else r


def _linear(le: Term, truth: bool, state: State) -> State | None:
    """sum <= k, or sum >= k + 1."""
    return _linear_bound(le.args[0], le.args[1], truth, state, 0 if truth else 1)


def _linear_bound(total: Term, k: Term, upper: bool, state: State, offset: int = 0) -> State | None:
    """Narrow the variables of a sum that is at most (`upper`) or at least k + offset."""
    assert isinstance(k.data, int)
    coeffs, constant = linear_of(total)
    sign = 1 if upper else -1
    bound = sign * (k.data + offset - int(constant))  # sum of sign*c*x <= bound
    parts = [(x, sign * int(c)) for x, c in coeffs.items()]
    lows = [int_scale(c, evaluate_range(x, state))[0] for x, c in parts]
    current: State | None = state
    for i, (x, c) in enumerate(parts):
        rest, _ = int_add((low, None) for j, low in enumerate(lows) if j != i)
        if current is None or rest is None or not x.is_var:
            continue
        limit = bound - rest  # c*x <= limit
        current = _narrow_var(x, (None, limit // c) if c > 0 else (-(limit // -c), None), current)
    return current


def _less(atom: Term, truth: bool, state: State) -> State | None:
    """a < b, or b <= a, in the reading of the comparison."""
    a, b = atom.args
    view = 0 if atom.op is Op.BVULT else 2
    small, large, gap = (a, b, 1) if truth else (b, a, 0)
    high = evaluate_range(large, state)[view + 1] - gap
    narrowed = narrow(small, _within(view, None, high, a.width), state)
    if narrowed is None:
        return None
    low = evaluate_range(small, narrowed)[view] + gap
    return narrow(large, _within(view, low, None, a.width), narrowed)


def _within(view: int, low: int | None, high: int | None, w: int) -> BitRange:
    r = list(bit_top(w))
    if low is not None:
        r[view] = max(r[view], low)
    if high is not None:
        r[view + 1] = min(r[view + 1], high)
    return r[0], r[1], r[2], r[3]
