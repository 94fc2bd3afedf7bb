"""Linear literals seen from one variable x:  a*x + rest  <=, <, =, !=  0, or  modulus | a*x + rest.

`parse` reads a literal in the normal form of `terms.rules.arith`, `build` writes one.  Divisibility
is the literal ``(mod t n) = r``.  A literal that is not linear in x (x below a product, a
conversion, another mod or div) parses to None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import gcd

from obligato.terms import INT, REAL, Kind, Op, Sort, Term, TermStore, Value, evaluate, free_vars
from obligato.terms.rules.arith import Linear, Number, from_linear, linear_of

Inequality = tuple[Linear, bool, Sort]  # a sum, strictly or not below zero


class Rel(Enum):
    """How a linear sum relates to zero."""

    LE = "<="
    LT = "<"
    EQ = "="
    NE = "!="
    DIVIDES = "|"


@dataclass(frozen=True, slots=True)
class Constraint:
    """a*x + rest `rel` 0, with a != 0; `modulus` belongs to DIVIDES."""

    rel: Rel
    a: Number
    rest: Linear
    modulus: int = 0


def add(p: Linear, q: Linear, factor: Number = 1) -> Linear:
    """p + factor * q."""
    coeffs = dict(p[0])
    for x, c in q[0].items():
        total = coeffs.get(x, 0) + factor * c
        if total:
            coeffs[x] = total
        else:
            coeffs.pop(x, None)
    return coeffs, p[1] + factor * q[1]


def scale(p: Linear, factor: Number) -> Linear:
    """factor * p, factor != 0."""
    return {x: factor * c for x, c in p[0].items()}, factor * p[1]


def shift(p: Linear, k: Number) -> Linear:
    """p + k."""
    return p[0], p[1] + k


def value_of(p: Linear, model: Mapping[Term, Value]) -> Number:
    """The value of a sum under the model."""
    total = p[1]
    for x, c in p[0].items():
        value = evaluate(x, model)
        assert isinstance(value, int | Fraction)
        total += c * value
    return total


def inequality(literal: Term) -> Inequality | None:
    """The literal as an inequality, if it is one."""
    negated = literal.op is Op.NOT
    atom = literal.args[0] if negated else literal
    if atom.op not in (Op.LE, Op.LT) or atom.args[0].sort not in (INT, REAL):
        return None
    total, strict = add(linear_of(atom.args[0]), linear_of(atom.args[1]), -1), atom.op is Op.LT
    sort = atom.args[0].sort
    if not negated:
        return total, strict, sort
    return (
        (shift(scale(total, -1), 1), False, sort)
        if sort is INT
        else (scale(total, -1), not strict, sort)
    )


def parse(literal: Term, x: Term) -> Constraint | None:
    """The constraint that `literal` puts on x, or None if it is not linear in x."""
    negated = literal.op is Op.NOT
    atom = literal.args[0] if negated else literal
    if atom.op not in (Op.LE, Op.LT, Op.EQ) or atom.args[0].sort is not x.sort:
        return None
    if not negated and atom.op is Op.EQ and atom.args[0].op is Op.MOD:
        return _parse_divides(atom, x)
    left, right = linear_of(atom.args[0]), linear_of(atom.args[1])
    total = add(left, right, -1)
    return _relation(atom.op, negated, total, x)


def _relation(op: Op, negated: bool, total: Linear, x: Term) -> Constraint | None:
    if op is Op.EQ:
        return _isolate(Rel.NE if negated else Rel.EQ, total, x)
    if not negated:
        return _isolate(Rel.LE if op is Op.LE else Rel.LT, total, x)
    if x.sort.kind is Kind.INT:  # not (t <= 0)  is  1 - t <= 0
        return _isolate(Rel.LE, shift(scale(total, -1), 1 if op is Op.LE else 0), x)
    return _isolate(Rel.LT if op is Op.LE else Rel.LE, scale(total, -1), x)


def _parse_divides(atom: Term, x: Term) -> Constraint | None:
    dividend, n = atom.args[0].args
    residue = atom.args[1]
    if n.op is not Op.CONST or residue.op is not Op.CONST or not n.data:
        return None
    assert isinstance(n.data, int) and isinstance(residue.data, int)
    if not 0 <= residue.data < abs(n.data):
        return None
    return _isolate(Rel.DIVIDES, shift(linear_of(dividend), -residue.data), x, abs(n.data))


def _isolate(rel: Rel, total: Linear, x: Term, modulus: int = 0) -> Constraint | None:
    rest = dict(total[0])
    a = rest.pop(x, 0)
    if not a or any(x in free_vars(t) for t in rest if not t.is_var):
        return None
    return Constraint(rel, a, (rest, total[1]), modulus)


def build(store: TermStore, rel: Rel, total: Linear, sort: Sort, modulus: int = 0) -> Term:
    """The literal  total `rel` 0  in normal form; it may fold to true or false."""
    zero = store.const(0, sort)
    if rel is Rel.DIVIDES:
        return _divides(store, total, modulus)
    term = from_linear(store, total, sort)
    match rel:
        case Rel.LE:
            return store.le(term, zero)
        case Rel.LT:
            return store.lt(term, zero)
        case Rel.EQ:
            return store.eq(term, zero)
        case _:
            return store.ne(term, zero)


def _divides(store: TermStore, total: Linear, modulus: int) -> Term:
    """modulus | total, with what divides both taken out and the first coefficient 1 where it has an
    inverse.
    """
    coeffs, k = {x: int(c) for x, c in total[0].items()}, int(total[1])
    g = gcd(modulus, k, *coeffs.values())
    n = modulus // g
    first = coeffs[min(coeffs, key=lambda x: x.id)] // g if coeffs else 1
    factor = pow(first, -1, n) if gcd(first, n) == 1 else 1
    term = from_linear(
        store, ({x: c // g * factor for x, c in coeffs.items()}, k // g * factor), INT
    )
    return store.eq(store.mod(term, store.int_(n)), store.int_(0))
