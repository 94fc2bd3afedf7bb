"""LRA: eliminate a real variable from linear literals, guided by the model [KGC14, Sect. 5].

Idea: solve an equality if there is one.  Otherwise take the greatest lower bound under the model
(or the least upper bound, whichever side has fewer bounds) and compare all other bounds with it:
one disjunct of Loos and Weispfenning's elimination, and with one bound on that side all of Fourier
and Motzkin's, hence exact.  `eliminate_real` carries it.

Limitation: a disequality is split by the model unless the remaining interval is open or one-sided,
where it is irrelevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from obligato.smt.projection.elimination import Elimination, Scratch
from obligato.smt.projection.linear import Constraint, Rel, add, build, parse, scale, value_of
from obligato.smt.projection.mixed import without_floors
from obligato.terms import REAL, Term, TermStore, Value, free_vars
from obligato.terms.rules.arith import Linear, Number


@dataclass(frozen=True, slots=True)
class Bound:
    """x above (or below) `at`; strictly or not."""

    at: Linear
    strict: bool
    value: Number


def eliminate_real(
    x: Term, literals: Sequence[Term], model: Mapping[Term, Value], scratch: Scratch
) -> Elimination | None:
    """Remove x from literals that all contain it;
    None if one is not linear in x even without floors."""
    prepared = without_floors(x, literals, model, scratch)
    mine = [c for c in prepared.literals if x in free_vars(c)]
    step = _eliminate(x, mine, {**model, **prepared.scratch})
    if step is None:
        return None
    return Elimination(
        [c for c in prepared.literals if c not in mine] + step.literals,
        step.exact,
        prepared.scratch,
    )


def _eliminate(
    x: Term, literals: Sequence[Term], model: Mapping[Term, Value]
) -> Elimination | None:
    constraints: list[Constraint] = []
    for literal in literals:
        c = parse(literal, x)
        if c is None:
            return None
        constraints.append(c)
    for c in constraints:
        if c.rel is Rel.EQ:
            return Elimination(
                _substitute(x.store, constraints, scale(c.rest, Fraction(-1) / c.a)), True
            )
    return _by_bounds(x, constraints, model)


def _substitute(s: TermStore, constraints: Sequence[Constraint], t: Linear) -> list[Term]:
    """x := t."""
    return [build(s, c.rel, add(c.rest, t, c.a), REAL) for c in constraints]


def _by_bounds(
    x: Term, constraints: Sequence[Constraint], model: Mapping[Term, Value]
) -> Elimination:
    bounds = [c for c in constraints if c.rel is not Rel.NE]
    apart = [c for c in constraints if c.rel is Rel.NE]
    open_ = all(c.rel is Rel.LT for c in bounds)
    one_sided = len({c.a > 0 for c in bounds}) < 2
    exact = open_ or one_sided or not apart
    if not exact:
        bounds += [_split(c, x, model) for c in apart]
    lower = [_bound(c, model) for c in bounds if c.a < 0]
    upper = [_bound(c, model) for c in bounds if c.a > 0]
    if not lower or not upper:
        return Elimination([], exact)
    if len(lower) <= len(upper):
        best = max(lower, key=lambda b: (b.value, b.strict))
        return Elimination(_compare(x.store, best, lower, upper, 1), exact and len(lower) == 1)
    best = min(upper, key=lambda b: (b.value, not b.strict))
    return Elimination(_compare(x.store, best, upper, lower, -1), exact and len(upper) == 1)


def _split(c: Constraint, x: Term, model: Mapping[Term, Value]) -> Constraint:
    """The side of a disequality on which the model lies."""
    total = add(c.rest, ({x: 1}, 0), c.a)
    if value_of(total, model) < 0:
        return Constraint(Rel.LT, c.a, c.rest)
    return Constraint(Rel.LT, -c.a, scale(c.rest, -1))


def _bound(c: Constraint, model: Mapping[Term, Value]) -> Bound:
    at = scale(c.rest, Fraction(-1) / c.a)
    return Bound(at, c.rel is Rel.LT, value_of(at, model))


def _compare(
    s: TermStore, best: Bound, same: Sequence[Bound], other: Sequence[Bound], sign: int
) -> list[Term]:
    """`best` dominates its side, and leaves room before each bound of the other side; sign 1:
    best is a lower bound."""
    out = []
    for b in same:
        if b is not best:
            strict = b.strict and not best.strict
            out.append(
                build(s, Rel.LT if strict else Rel.LE, scale(add(b.at, best.at, -1), sign), REAL)
            )
    for b in other:
        strict = b.strict or best.strict
        out.append(
            build(s, Rel.LT if strict else Rel.LE, scale(add(best.at, b.at, -1), sign), REAL)
        )
    return out
