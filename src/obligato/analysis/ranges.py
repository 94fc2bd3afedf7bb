"""Ranges of integers and of bit-vectors, and arithmetic on them.

An Int range is ``(lo, hi)`` with None for no bound.  A bit-vector range is ``(ulo, uhi, slo,
shi)``: the unsigned and the signed reading are bounded independently and sharpen each other
(`tighten`), so that neither wrap-around at 0 nor the one at 2^(w-1) loses everything.  Arithmetic
is done on exact integers in either reading; `wrap` brings the result back modulo 2^w, which is
precise if the exact range lies in one window and no information otherwise.  Ranges are never empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

IntRange = tuple[int | None, int | None]
BitRange = tuple[int, int, int, int]
ALL: IntRange = (None, None)


def int_join(a: IntRange, b: IntRange) -> IntRange:
    """The least range above both."""
    lo = None if a[0] is None or b[0] is None else min(a[0], b[0])
    hi = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return lo, hi


def int_meet(a: IntRange, b: IntRange) -> IntRange | None:
    """The intersection; None if it is empty."""
    lo = b[0] if a[0] is None else a[0] if b[0] is None else max(a[0], b[0])
    hi = b[1] if a[1] is None else a[1] if b[1] is None else min(a[1], b[1])
    return None if lo is not None and hi is not None and lo > hi else (lo, hi)


def int_scale(c: int, a: IntRange) -> IntRange:
    """c * a."""
    lo, hi = (None if x is None else c * x for x in a)
    return (0, 0) if c == 0 else (lo, hi) if c > 0 else (hi, lo)


def int_add(parts: Iterable[IntRange]) -> IntRange:
    """The sum."""
    lo: int | None = 0
    hi: int | None = 0
    for a, b in parts:
        lo = None if lo is None or a is None else lo + a
        hi = None if hi is None or b is None else hi + b
    return lo, hi


def int_mul(a: IntRange, b: IntRange) -> IntRange:
    """The product; unbounded factors only where the sign is known."""
    if None not in a and None not in b:
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        return a[0] * b[0], None
    return ALL


@cache
def bit_top(w: int) -> BitRange:
    """Every value of `w` bits."""
    return 0, (1 << w) - 1, -(1 << (w - 1)), (1 << (w - 1)) - 1


def bit_value(value: int, w: int) -> BitRange:
    """One value, given unsigned."""
    signed = value - (1 << w) if value >> (w - 1) else value
    return value, value, signed, signed


def tighten(r: BitRange, w: int) -> BitRange | None:
    """Let either reading sharpen the other; None if nothing is left."""
    ulo, uhi, slo, shi = r
    m, half = 1 << w, 1 << (w - 1)
    for _ in range(2):
        if slo >= 0:
            ulo, uhi = max(ulo, slo), min(uhi, shi)
        elif shi < 0:
            ulo, uhi = max(ulo, slo + m), min(uhi, shi + m)
        if uhi < half:
            slo, shi = max(slo, ulo), min(shi, uhi)
        elif ulo >= half:
            slo, shi = max(slo, ulo - m), min(shi, uhi - m)
        if ulo > uhi or slo > shi:
            return None
    return ulo, uhi, slo, shi


def bit_join(a: BitRange, b: BitRange) -> BitRange:
    """The least range above both."""
    return min(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), max(a[3], b[3])


def bit_meet(a: BitRange, b: BitRange, w: int) -> BitRange | None:
    """The intersection; None if it is empty."""
    ulo, uhi, slo, shi = max(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), min(a[3], b[3])
    return None if ulo > uhi or slo > shi else tighten((ulo, uhi, slo, shi), w)


def wrap(lo: int, hi: int, w: int) -> BitRange:
    """The values modulo 2^w of the integers lo..hi."""
    m, half = 1 << w, 1 << (w - 1)
    ulo, uhi, slo, shi = bit_top(w)
    if hi - lo < m:
        base = lo // m * m
        if hi - base < m:
            ulo, uhi = lo - base, hi - base
        base = (lo + half) // m * m
        if hi - base < half:
            slo, shi = lo - base, hi - base
    out = tighten((ulo, uhi, slo, shi), w)
    assert out is not None
    return out


def both(a: BitRange, b: BitRange, w: int) -> BitRange:
    """The intersection of two ranges that are known to share a value."""
    met = bit_meet(a, b, w)
    return a if met is None else met


def bit_linear(parts: list[tuple[int, BitRange]], constant: int, w: int) -> BitRange:
    """constant + sum of c * x, with the readings of all x taken unsigned and taken signed."""
    out: BitRange | None = None
    for view in (0, 2):
        lo = hi = constant
        for c, r in parts:
            a, b = c * r[view], c * r[view + 1]
            lo, hi = lo + min(a, b), hi + max(a, b)
        new = wrap(lo, hi, w)
        out = new if out is None else both(out, new, w)
    assert out is not None
    return out


def bit_mul(a: BitRange, b: BitRange, w: int) -> BitRange:
    """The product."""
    signed = [x * y for x in a[2:] for y in b[2:]]
    return both(wrap(a[0] * b[0], a[1] * b[1], w), wrap(min(signed), max(signed), w), w)


def unsigned(lo: int, hi: int, w: int) -> BitRange:
    """The values lo..hi, read unsigned."""
    return wrap(max(lo, 0), min(hi, (1 << w) - 1), w)


def bit_udiv(a: BitRange, b: BitRange, w: int) -> BitRange:
    """Unsigned quotient; division by zero gives all ones."""
    return unsigned(a[0] // b[1], a[1] // b[0], w) if b[0] > 0 else bit_top(w)


def bit_urem(a: BitRange, b: BitRange, w: int) -> BitRange:
    """Unsigned remainder: never above the dividend, below a divisor that is not zero."""
    if b[0] > a[1]:
        return a
    return unsigned(0, min(a[1], b[1] - 1) if b[0] > 0 else a[1], w)


def bit_sdiv(a: BitRange, b: BitRange, w: int) -> BitRange:
    """Signed quotient, truncated; no information if the divisor may be zero."""
    if b[2] <= 0 <= b[3]:
        return bit_top(w)
    corners = [
        -(abs(x) // abs(y)) if (x < 0) != (y < 0) else abs(x) // abs(y)
        for x in a[2:]
        for y in b[2:]
    ]
    if a[2] <= 0 <= a[3]:
        corners.append(0)
    return wrap(min(corners), max(corners), w)


def bit_srem(a: BitRange, b: BitRange, w: int) -> BitRange:
    """Signed remainder: sign and bound of the dividend, smaller than a divisor that is not zero."""
    bound = max(abs(a[2]), abs(a[3]))
    if not b[2] <= 0 <= b[3]:
        bound = min(bound, max(abs(b[2]), abs(b[3])) - 1)
    return wrap(max(a[2], -bound) if a[2] < 0 else 0, min(a[3], bound) if a[3] > 0 else 0, w)
