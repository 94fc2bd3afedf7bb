"""Linear algebra over the rationals and over the integers modulo 2^w: row spaces in echelon form,
kernels, intersections.

Modulo 2^w not every number has an inverse, so a basis keeps for a leading entry 2^v also the row
times 2^(w-v), whose leading entry vanishes (Howell's form, as [MOS05] needs it).  Then a vector is
in the row space iff it reduces to zero (`Basis.add` says whether it did), and the rows of a basis
of [A^T | I] whose left part is zero generate the whole kernel of A (`kernel`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

Number = int | Fraction
Row = tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Ring:
    """The integers modulo 2^width, or the rationals (width 0)."""

    width: int = 0

    def reduce(self, a: Number) -> Number:
        """The representative of `a`."""
        return int(a) & ((1 << self.width) - 1) if self.width else a

    def valuation(self, a: Number) -> int:
        """The exponent of 2 in `a` (not zero); 0 over the rationals, where everything divides
        everything.
        """
        return (int(a) & -int(a)).bit_length() - 1 if self.width else 0

    def divide(self, a: Number, b: Number) -> Number:
        """Some q with q * b = a. Requires: the valuation of a is not less than that of b."""
        if not self.width:
            return Fraction(a) / b
        v = self.valuation(b)
        return (int(a) >> v) * pow(int(b) >> v, -1, 1 << self.width) & ((1 << self.width) - 1)

    def combine(self, a: Row, q: Number, b: Row) -> Row:
        """a - q * b."""
        if self.width:
            mask = (1 << self.width) - 1
            return tuple([int(x - q * y) & mask for x, y in zip(a, b, strict=True)])
        return tuple([x - q * y for x, y in zip(a, b, strict=True)])

    def scale(self, q: Number, a: Row) -> Row:
        """q * a."""
        return tuple([self.reduce(q * x) for x in a])

    def annihilator(self, a: Number) -> Number:
        """The least q with q * a = 0."""
        v = self.valuation(a)
        return 1 << (self.width - v) if self.width and v else 0

    def dot(self, a: Row, b: Row) -> Number:
        """The scalar product."""
        return self.reduce(sum(x * y for x, y in zip(a, b, strict=True) if x and y))


class Basis:
    """A row space in echelon form: at most one row per leading column."""

    __slots__ = ("ring", "rows")

    def __init__(self, ring: Ring, rows: Iterable[Row] = ()) -> None:
        self.ring = ring
        self.rows: dict[int, Row] = {}
        for row in rows:
            self.add(row)

    def copy(self) -> Basis:
        """A basis of the same space."""
        out = Basis(self.ring)
        out.rows = dict(self.rows)
        return out

    def add(self, row: Row) -> bool:
        """Add a row; False if it was in the space already."""
        grown = False
        queue = [row]
        while queue:
            row = queue.pop()
            lead = next((i for i, x in enumerate(row) if x), None)
            if lead is None:
                continue
            old = self.rows.get(lead)
            if old is not None and self.ring.valuation(row[lead]) >= self.ring.valuation(old[lead]):
                queue.append(self.ring.combine(row, self.ring.divide(row[lead], old[lead]), old))
                continue
            grown = True
            self.rows[lead] = row
            if old is not None:
                queue.append(old)
            q = self.ring.annihilator(row[lead])
            if q:
                queue.append(self.ring.scale(q, row))
        return grown


def intersect(ring: Ring, rows: Iterable[Row], equation: Row) -> list[Row]:
    """Generators of the vectors of the row space that satisfy equation . v = 0."""
    weighted = [(ring.dot(equation, r), r) for r in rows]
    out = [r for d, r in weighted if not d]
    live = [(d, r) for d, r in weighted if d]
    if not live:
        return out
    i = min(range(len(live)), key=lambda n: ring.valuation(live[n][0]))
    pivot, by = live[i]
    out.extend(
        ring.combine(r, ring.divide(d, pivot), by) for n, (d, r) in enumerate(live) if n != i
    )
    q = ring.annihilator(pivot)
    return [*out, ring.scale(q, by)] if q else out


def kernel(ring: Ring, rows: list[Row], columns: int) -> list[Row]:
    """Generators of {a : a . r = 0 for all rows r}, by elimination on [rows^T | I]."""
    m = len(rows)
    basis = Basis(ring)
    for j in range(columns):
        unit = tuple(int(i == j) for i in range(columns))
        basis.add((*(r[j] for r in rows), *unit))
    return [row[m:] for lead, row in sorted(basis.rows.items()) if lead >= m]
