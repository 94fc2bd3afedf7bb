"""One inequality instead of several: sums of the literals of a core.

Literals that come from projection are guards and pulled-back atoms; invariants such as x + y = n
relate them. A positive combination of inequalities is implied by them; where it is inconsistent
with the prefix too, it is a better interpolant than the clause of the literals, as the proofs of
linear arithmetic have it (Farkas). `combinations` offers the sum of all, and of pairs the sum and
those that cancel a variable; the caller asks which of them will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations as choose

from obligato.smt.projection.linear import Rel, add, build, inequality, scale
from obligato.terms import Op, Term
from obligato.terms.rules.arith import Linear

CANDIDATES = 8


def combinations(literals: Sequence[Term]) -> Iterator[tuple[Term, list[Term]]]:
    """Combinations with the literals that they replace, most of them first."""
    parsed = [(x, p) for x in literals if (p := inequality(x)) is not None]
    parsed = [(x, p) for x, p in parsed if p[2] is parsed[0][1][2]]
    offered = 0
    for chosen in ([parsed] if len(parsed) > 2 else []) + [
        list(pair) for pair in choose(parsed, 2)
    ]:
        for total in _sums([p[0] for _, p in chosen]):
            strict, sort = any(p[1] for _, p in chosen), chosen[0][1][2]
            found = build(literals[0].store, Rel.LT if strict else Rel.LE, total, sort)
            if total[0] and found.op is not Op.CONST and offered < CANDIDATES:
                offered += 1
                yield found, [x for x, _ in chosen]


def _sums(parts: list[Linear]) -> Iterator[Linear]:
    total: Linear = ({}, 0)
    for part in parts:
        total = add(total, part)
    yield total
    if len(parts) == 2:
        p, q = parts
        for x, c in p[0].items():
            d = q[0].get(x, 0)
            if (c > 0) is not (d > 0) and d and c != -d:
                yield add(scale(p, d if d > 0 else -d), q, c if c > 0 else -c)
