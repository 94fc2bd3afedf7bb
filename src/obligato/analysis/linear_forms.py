"""Directions of linear filters: sums of variables that a variable will be in the next rounds of a
loop, up to what is bounded (`analysis.float_bounds`).

`chains` carries it. What an edge assigns is read as a linear form over variables without bounds; the
rest of it is only known to have an *amplitude*. The form of a variable after k rounds is a direction,
and the amplitudes of all later rounds add up to the bound that it starts from. Factors are midpoints
of ranges, and floats are used in between: nothing here has to be exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from obligato.models.effect import BlockEffect
from obligato.terms import Kind, Op, Term, postorder
from obligato.terms.float_semantics import format_of
from obligato.terms.softfloat import to_fraction

Form = dict[Term, Fraction]
Limits = Mapping[Term, tuple[Fraction, Fraction]]
Sum = tuple[dict[Term, float], float]  # factors of variables, and the amplitude of the rest
LENGTH = 16  # directions of one chain
WEAK = 0.25  # largest factor of the last one
ROUNDS = 500  # whose amplitudes are added up
PARTS = 4096  # of the largest factor, in which others are given
MARGIN = 1.1
HUGE = 1e15


def chains(
    effect: BlockEffect, lost: Sequence[Term], limits: Limits
) -> list[tuple[Form, Fraction]]:
    """The directions of the `lost` variables of a loop with this effect, each with a bound to start
    from; `limits` are those of other variables and of inputs.
    """
    step: dict[Term, Sum] = {}
    for v in lost:
        made = _sum_of(effect.pull(v), frozenset(lost), limits)
        if made is None:
            return []
        step[v] = made
    found: dict[tuple[tuple[int, Fraction], ...], tuple[Form, Fraction]] = {}
    for v in lost:
        for form, bound in _chain(v, step):
            key = tuple(sorted((x.id, c) for x, c in form.items()))
            found.setdefault(key, (form, bound))
    return list(found.values())


def _chain(v: Term, step: Mapping[Term, Sum]) -> list[tuple[Form, Fraction]]:
    """The directions of one variable; none if the loop does not forget what it was."""
    forms, amplitudes = [{v: 1.0}], []
    for _ in range(ROUNDS):
        new: dict[Term, float] = {}
        rest = 0.0
        for x, c in forms[-1].items():
            factors, amplitude = step[x]
            rest += abs(c) * amplitude
            for y, d in factors.items():
                new[y] = new.get(y, 0.0) + c * d
        if max(map(abs, new.values()), default=0.0) > HUGE:
            return []
        forms.append(new)
        amplitudes.append(rest)
    if max(map(abs, forms[-1].values()), default=0.0) > 0.5:
        return []
    weak = (k for k, f in enumerate(forms) if max(map(abs, f.values()), default=0.0) < WEAK)
    length = min(LENGTH, next(weak, LENGTH) + 1)
    bounds = [sum(amplitudes[k:]) * MARGIN for k in range(length)]
    scaled = [_scaled(f, b) for f, b in zip(forms, bounds, strict=False)]
    return [s for s in scaled if s is not None and len(s[0]) > 1]


def _scaled(form: Mapping[Term, float], bound: float) -> tuple[Form, Fraction] | None:
    """The same direction with 1 as largest factor."""
    most = max(map(abs, form.values()), default=0.0)
    if most < 1e-9:
        return None
    first = next(c for c in form.values() if abs(c) == most)
    parts = {v: Fraction(round(c / first * PARTS), PARTS) for v, c in form.items()}
    return {v: c for v, c in parts.items() if c}, Fraction(bound / most).limit_denominator(PARTS)


def _sum_of(root: Term, lost: frozenset[Term], limits: Limits) -> Sum | None:
    """A term as a sum, if it is one."""
    memo: dict[Term, Sum | None] = {}
    for t in postorder((root,)):
        if t.sort.kind is Kind.FLOAT:
            memo[t] = _one(t, memo, lost, limits)
    return memo[root]


def _one(
    t: Term, memo: Mapping[Term, Sum | None], lost: frozenset[Term], limits: Limits
) -> Sum | None:
    if t.op is Op.CONST:
        value = to_fraction(format_of(t.sort), t.data) if isinstance(t.data, int) else None
        return None if value is None else ({}, abs(float(value)))
    if t in lost:
        return {t: 1.0}, 0.0
    if t in limits:
        return {}, float(max(map(abs, limits[t])))
    args = [memo[a] for a in t.args if a.sort.kind is Kind.FLOAT]
    known = [a for a in args if a is not None]
    if not args or len(known) < len(args):
        return None
    if t.op in (Op.FP_NEG, Op.FP_FROM_FP):
        return _times(known[0], -1.0 if t.op is Op.FP_NEG else 1.0)
    if t.op in (Op.FP_ADD, Op.FP_SUB):
        return _plus(known[0], _times(known[1], 1.0 if t.op is Op.FP_ADD else -1.0))
    if t.op is Op.ITE:
        return max(known, key=lambda s: (len(s[0]), s[1]))
    return _product(t, known, limits)


def _product(t: Term, known: Sequence[Sum], limits: Limits) -> Sum | None:
    """A product or quotient with a factor that is in a range, whose middle is taken."""
    if t.op not in (Op.FP_MUL, Op.FP_DIV):
        return None
    (a, b), (x, y) = known, t.args[1:]
    if not a[0] and not b[0]:
        return None if t.op is Op.FP_DIV else ({}, a[1] * b[1])
    middle = _middle(y, limits)
    if middle is not None and not b[0]:
        if t.op is Op.FP_DIV:
            return None if middle == 0 else _times(a, 1 / middle)
        return _times(a, middle)
    middle = _middle(x, limits)
    return None if middle is None or a[0] or t.op is Op.FP_DIV else _times(b, middle)


def _middle(t: Term, limits: Limits) -> float | None:
    if t.op is Op.CONST and isinstance(t.data, int):
        value = to_fraction(format_of(t.sort), t.data)
        return None if value is None else float(value)
    return float(sum(limits[t]) / 2) if t in limits else None


def _times(s: Sum, factor: float) -> Sum:
    return {v: c * factor for v, c in s[0].items()}, s[1] * abs(factor)


def _plus(a: Sum, b: Sum) -> Sum:
    total = dict(a[0])
    for v, c in b[0].items():
        total[v] = total.get(v, 0.0) + c
    return total, a[1] + b[1]
