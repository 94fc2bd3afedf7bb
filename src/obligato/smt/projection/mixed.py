"""Where integers and reals meet: literals of one sort about a variable of the other.

An integer x below ``to_real`` is bounded by reals: x <= t is x <= floor(t), x >= t is x >=
-floor(-t), and so on: exact, with ``to_int`` for floor. Where only integers occur, the literal is
multiplied out instead. A real x below ``to_int`` is freed by a scratch integer q for the floor:  q
<= t < q + 1.  Reals go before integers (`project`), so that the floors of the first kind are never
in the way of the second.

Limitation: a disequality is split by the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from obligato.smt.projection.elimination import Elimination, Scratch
from obligato.smt.projection.linear import Constraint, Rel, add, build, parse, scale, value_of
from obligato.terms import INT, Op, Term, Value, evaluate, free_vars, postorder, substitute
from obligato.terms.rules.arith import Linear, from_linear

Model = Mapping[Term, Value]


def over_integers(x: Term, literal: Term, model: Model) -> tuple[list[Term], bool] | None:
    """Literals over integers that are equivalent to a literal over reals about the integer x, and
    whether they are: a split disequality only implies it. None: the literal is not linear in x."""
    inside = x.store.to_real(x)
    c = parse(literal, inside)
    if c is None or any(x in free_vars(t) for t in c.rest[0]):
        return None
    exact = c.rel is not Rel.NE
    if not exact:
        total = add(c.rest, ({inside: 1}, 0), c.a)
        c = (
            Constraint(Rel.LT, c.a, c.rest)
            if value_of(total, model) < 0
            else Constraint(Rel.LT, -c.a, scale(c.rest, -1))
        )
    if all(t.op is Op.TO_REAL for t in c.rest[0]):
        return [_multiplied(x, c)], exact
    return _bounded(x, c), exact


def _multiplied(x: Term, c: Constraint) -> Term:
    """The same without conversions: all of it is about integers."""
    factor = lcm(*(Fraction(n).denominator for n in (c.a, c.rest[1], *c.rest[0].values())))
    rest: Linear = (
        {t.args[0]: int(factor * n) for t, n in c.rest[0].items()},
        int(factor * c.rest[1]),
    )
    return build(x.store, c.rel, add(rest, ({x: 1}, 0), int(factor * c.a)), INT)


def _bounded(x: Term, c: Constraint) -> list[Term]:
    s = x.store
    bound = scale(c.rest, Fraction(-1) / c.a)
    t, opposite = (from_linear(s, p, s.to_real(x).sort) for p in (bound, scale(bound, -1)))
    floor, ceiling = s.to_int(t), s.neg(s.to_int(opposite))
    match c.rel:
        case Rel.EQ:
            return [s.eq(x, floor), s.eq(s.to_real(floor), t)]
        case Rel.LE:
            return [s.le(x, floor) if c.a > 0 else s.le(ceiling, x)]
        case _:
            return [s.lt(x, ceiling) if c.a > 0 else s.lt(floor, x)]


def without_floors(
    x: Term, literals: Sequence[Term], model: Model, scratch: Scratch
) -> Elimination:
    """Replace, innermost first, each floor of a term that contains the real x."""
    s, out, values = x.store, list(literals), dict(model)
    new: dict[Term, Value] = {}
    while True:
        inner = next((t for t in postorder(out) if t.op is Op.TO_INT and x in free_vars(t)), None)
        if inner is None:
            return Elimination(out, True, new)
        q = scratch.new(INT)
        new[q] = values[q] = evaluate(inner, values)
        t, low = inner.args[0], s.to_real(q)
        out = [substitute(c, {inner: q}) for c in out] + [
            s.le(low, t),
            s.lt(t, s.add(low, s.real(1))),
        ]
