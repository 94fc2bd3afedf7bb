"""LIA: eliminate an integer variable from linear literals, guided by the model.

Idea: Cooper's elimination [Coo72] is a disjunction over bounds and residues; the model picks one
disjunct [Tin12; KGC14]. With L the least common multiple of x's coefficients, y = L*x takes the
value  bound + k  where `bound` is the greatest lower (or least upper) bound under the model and k
is y's distance to it modulo the least common multiple D of all divisors. `eliminate_int` carries
it; an equality is solved exactly, and so is a single unit bound without divisors.

``mod`` and ``div`` by a constant are removed first (`_without_division`): the residue is the
model's, the quotient becomes a scratch variable q with  0 <= t - n*q < |n|.  Literals over reals
become literals over integers (`mixed`). Limitation: a disequality between two bounds is split by
the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, lcm

from obligato.smt.projection.elimination import Elimination, Scratch
from obligato.smt.projection.linear import (
    Constraint,
    Rel,
    add,
    build,
    parse,
    scale,
    shift,
    value_of,
)
from obligato.smt.projection.mixed import over_integers
from obligato.terms import (
    INT,
    REAL,
    Op,
    Term,
    TermStore,
    Value,
    evaluate,
    free_vars,
    postorder,
    substitute,
)
from obligato.terms.rules.arith import Linear

Model = Mapping[Term, Value]


def eliminate_int(
    x: Term, literals: Sequence[Term], model: Model, scratch: Scratch
) -> Elimination | None:
    """Remove x from literals that all contain it;
    None if one is not linear in x even without mod and div."""
    whole, exact = _without_reals(x, literals, model)
    prepared = None if whole is None else _without_division(x, whole, model, scratch)
    if prepared is None:
        return None
    values = {**model, **prepared.scratch}
    constraints: list[Constraint] = []
    keep: list[Term] = []
    for literal in prepared.literals:
        if x not in free_vars(literal):
            keep.append(literal)
            continue
        c = parse(literal, x)
        if c is None:
            return None
        constraints.append(c)
    out, solved = _solve(x, constraints, values)
    return Elimination(keep + out, exact and solved and prepared.exact, prepared.scratch)


def _without_reals(
    x: Term, literals: Sequence[Term], model: Model
) -> tuple[list[Term] | None, bool]:
    """Literals over reals as literals over integers, and whether they are equivalent."""
    out, exact = list[Term](), True
    for literal in literals:
        atom = literal.atom
        if len(atom.args) != 2 or atom.args[0].sort is not REAL:
            out.append(literal)
            continue
        found = over_integers(x, literal, model)
        if found is None:
            return None, False
        out += found[0]
        exact = exact and found[1]
    return out, exact


# -- mod and div -----------------------------------------------------------------------------------


def _without_division(
    x: Term, literals: Sequence[Term], model: Model, scratch: Scratch
) -> Elimination | None:
    """Replace, innermost first, each mod and div by a constant whose dividend contains x,
    but linear (mod t n) = r."""
    done: list[Term] = []
    todo, values, exact = list(literals), dict(model), True
    new: dict[Term, Value] = {}
    while todo:
        literal = todo.pop(0)
        inner = _innermost_division(literal, x)
        if inner is None or parse(literal, x) is not None:
            done.append(literal)
            continue
        if literal.op is Op.EQ and literal.args[0] is inner and literal.args[1].op is Op.CONST:
            return None  # a divisibility that is not linear in x
        image, facts = _divide(inner, values, scratch, new)
        exact = exact and inner.op is Op.IDIV
        values.update(new)
        todo = [substitute(t, {inner: image}) for t in (literal, *todo)] + facts
        done = [substitute(t, {inner: image}) for t in done]
    return Elimination(done, exact, new)


def _innermost_division(literal: Term, x: Term) -> Term | None:
    for t in postorder((literal,)):
        if (
            t.op in (Op.MOD, Op.IDIV)
            and t.args[1].op is Op.CONST
            and t.args[1].data
            and x in free_vars(t.args[0])
        ):
            return t
    return None


def _divide(
    t: Term, values: Model, scratch: Scratch, new: dict[Term, Value]
) -> tuple[Term, list[Term]]:
    """What replaces `t`, and the literals that make it right."""
    s, (dividend, n) = t.store, t.args
    assert isinstance(n.data, int)
    if t.op is Op.MOD:
        residue = s.int_(evaluate(t, values))
        return residue, [s.eq(t, residue)]
    q = scratch.new(INT)
    new[q] = evaluate(t, values)
    room = s.sub(dividend, s.mul(n, q))
    return q, [s.ge(room, s.int_(0)), s.lt(room, s.int_(abs(n.data)))]


# -- Cooper by the model ---------------------------------------------------------------------------


def _solve(x: Term, constraints: list[Constraint], model: Model) -> tuple[list[Term], bool]:
    """Literals without x, and whether they are exact."""
    equalities = [c for c in constraints if c.rel is Rel.EQ]
    if equalities:
        return _by_equality(
            x.store, min(equalities, key=lambda c: abs(int(c.a))), constraints
        ), True
    one_sided = len({c.a > 0 for c in constraints if c.rel is Rel.LE}) < 2
    if one_sided:  # far out there is room for everything but the divisors
        return _by_residue(x, [c for c in constraints if c.rel is Rel.DIVIDES], model)
    split = [_split(c, x, model) if c.rel is Rel.NE else c for c in constraints]
    out, exact = _by_bound(x, split, model)
    return out, exact and all(c.rel is not Rel.NE for c in constraints)


def _by_equality(s: TermStore, e: Constraint, constraints: Sequence[Constraint]) -> list[Term]:
    """e: a*x = -rest. Every other literal is multiplied by |a|, so that a*x can be replaced; and a
    divides rest.
    """
    a = abs(int(e.a))
    ax = scale(e.rest, -1 if e.a > 0 else 1)  # what a*x is, for the positive a
    out = [build(s, Rel.DIVIDES, e.rest, INT, a)] if a > 1 else []
    for c in constraints:
        if c is not e:
            out.append(build(s, c.rel, add(scale(c.rest, a), ax, c.a), INT, c.modulus * a))
    return out


def _by_residue(x: Term, divides: Sequence[Constraint], model: Model) -> tuple[list[Term], bool]:
    """Only divisibilities matter: one is solved exactly, several by the model's residue."""
    s = x.store
    if len(divides) < 2:
        return [build(s, Rel.DIVIDES, c.rest, INT, gcd(int(c.a), c.modulus)) for c in divides], True
    residue = int(value_of(({x: 1}, 0), model)) % lcm(*(c.modulus for c in divides))
    return [
        build(s, Rel.DIVIDES, shift(c.rest, c.a * residue), INT, c.modulus) for c in divides
    ], False


def _split(c: Constraint, x: Term, model: Model) -> Constraint:
    """The side of a disequality on which the model lies."""
    if value_of(add(c.rest, ({x: 1}, 0), c.a), model) < 0:
        return Constraint(Rel.LE, c.a, shift(c.rest, 1))
    return Constraint(Rel.LE, -c.a, shift(scale(c.rest, -1), 1))


def _by_bound(x: Term, constraints: Sequence[Constraint], model: Model) -> tuple[list[Term], bool]:
    """There are lower and upper bounds, no equality and no disequality."""
    factor = lcm(*(int(c.a) for c in constraints))
    scaled = [_scaled(c, factor) for c in constraints]
    period = lcm(factor, *(c.modulus for c in scaled if c.rel is Rel.DIVIDES))
    y = factor * int(value_of(({x: 1}, 0), model))
    lower = [c.rest for c in scaled if c.rel is Rel.LE and c.a < 0]
    upper = [scale(c.rest, -1) for c in scaled if c.rel is Rel.LE and c.a > 0]
    if len(lower) <= len(upper):
        best = max(lower, key=lambda t: value_of(t, model))
        image, count = shift(best, (y - value_of(best, model)) % period), len(lower)
    else:
        best = min(upper, key=lambda t: value_of(t, model))
        image, count = shift(best, -((value_of(best, model) - y) % period)), len(upper)
    return _replace(x.store, scaled, image, factor), count == 1 and period == 1


def _scaled(c: Constraint, factor: int) -> Constraint:
    """The constraint on y = factor*x, with coefficient 1 or -1."""
    m = factor // abs(int(c.a))
    return Constraint(c.rel, 1 if c.a > 0 else -1, scale(c.rest, m), c.modulus * m)


def _replace(
    s: TermStore, constraints: Sequence[Constraint], image: Linear, factor: int
) -> list[Term]:
    """y := image, and factor divides it."""
    out = [build(s, Rel.DIVIDES, image, INT, factor)] if factor > 1 else []
    return out + [build(s, c.rel, add(c.rest, image, c.a), INT, c.modulus) for c in constraints]
