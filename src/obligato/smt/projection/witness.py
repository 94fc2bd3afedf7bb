"""Eliminate a variable by a witness term:
bit-vectors, floats, and whatever the other modules refuse.

Idea: for any term t without x, cube[x := t] implies exists x. cube; it is a projection for this
model as soon as the model satisfies it.  `eliminate_by_witness` tries terms that x is compared with
(the tightest bound under the model and its neighbour), the ends of the range, and last the model's
value.  Only the value may lose everything but one point.

Exact cases for bit-vectors, where all literals on x compare it unsigned (or all signed) with terms
without x: no bound or one bound on one side; and fewer disequalities than values and nothing else.
Limitation: x inside an operation has only the model's value and the bounds of its other occurrences
as candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from obligato.smt.projection.elimination import Elimination
from obligato.smt.projection.equality import determined
from obligato.terms import (
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    default_value,
    evaluate,
    free_vars,
    substitute,
    to_signed,
)

Model = Mapping[Term, Value]
_STRICT = {Op.BVULT: False, Op.BVSLT: True}  # operator -> signed


def eliminate_by_witness(x: Term, literals: Sequence[Term], model: Model) -> Elimination:
    """Remove x from literals that all contain it; always succeeds."""
    if x.sort.kind is Kind.BITVEC:
        return _eliminate_bitvec(x, literals, model)
    for t in _compared(x, literals):
        if _holds(x, t, literals, model):
            return _replace(x, t, literals, False)
    return _by_value(x, literals, model)


def value_term(x: Term, model: Model) -> Term:
    """The model's value of x as a term; arrays as writes over a constant array."""
    value = model.get(x)
    return constant(x.store, default_value(x.sort) if value is None else value, x.sort)


def constant(s: TermStore, value: Value, sort: Sort) -> Term:
    """A value as a term; an array as writes over a constant array."""
    if not isinstance(value, ArrayValue):
        return s.const(value, sort)
    out = s.const_array(sort, constant(s, value.default, sort.element))
    for index, element in value.entries.items():
        out = s.store(out, constant(s, index, sort.index), constant(s, element, sort.element))
    return out


def _replace(x: Term, t: Term, literals: Sequence[Term], exact: bool) -> Elimination:
    return Elimination([substitute(c, {x: t}) for c in literals], exact)


def _by_value(x: Term, literals: Sequence[Term], model: Model) -> Elimination:
    return replace(_replace(x, value_term(x, model), literals, False), by_value=True)


def _holds(x: Term, t: Term, literals: Sequence[Term], model: Model) -> bool:
    values = {**model, x: evaluate(t, model)}
    memo: dict[Term, object] = {}
    return all(evaluate(c, values, memo) for c in literals)


def _compared(x: Term, literals: Sequence[Term]) -> Iterator[Term]:
    """The terms without x on the other side of an atom that has x alone on one side."""
    for literal in literals:
        atom = literal.atom
        if len(atom.args) == 2 and x in atom.args:
            other = atom.args[1] if atom.args[0] is x else atom.args[0]
            if other.sort is x.sort and x not in free_vars(other):
                yield other


# -- bit-vectors -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bound:
    """x at least (or at most) `at`, or strictly so; the order is signed or unsigned."""

    at: Term
    lower: bool
    strict: bool
    signed: bool

    def tightest(self) -> Term:
        """The first value of x that the bound admits, if any is admitted."""
        s, w = self.at.store, self.at.width
        if not self.strict:
            return self.at
        return s.mk(Op.BVADD, (self.at, s.bv(1 if self.lower else -1, w)))


def _bound(x: Term, literal: Term) -> Bound | None:
    negated = literal.op is Op.NOT
    atom = literal.args[0] if negated else literal
    if atom.op not in _STRICT or x not in atom.args:
        return None
    other = atom.args[1] if atom.args[0] is x else atom.args[0]
    if x in free_vars(other):
        return None
    return Bound(other, (atom.args[1] is x) != negated, not negated, _STRICT[atom.op])


def _eliminate_bitvec(x: Term, literals: Sequence[Term], model: Model) -> Elimination:
    if _only_disequalities(x, literals) and len(literals) < 1 << x.width:
        return Elimination([], True)
    found = [_bound(x, c) for c in literals]
    bounds = [b for b in found if b is not None]
    pure = len(bounds) == len(literals) and len({b.signed for b in bounds}) == 1
    for t, exact in _candidates(x, bounds, model):
        if _holds(x, t, literals, model):
            return _replace(x, t, literals, exact and pure)
    return _by_value(x, literals, model)


def _only_disequalities(x: Term, literals: Sequence[Term]) -> bool:
    """Does each literal exclude one value of x at most?"""
    return all(c.op is Op.NOT and determined(x, c.args[0]) is not None for c in literals)


def _candidates(x: Term, bounds: Sequence[Bound], model: Model) -> Iterator[tuple[Term, bool]]:
    """Witnesses to try, each with whether it is exact if nothing but bounds of one order is
    there."""
    s, w = x.store, x.width
    for signed in (False, True):
        mine = [b for b in bounds if b.signed is signed]
        lower, upper = [b for b in mine if b.lower], [b for b in mine if not b.lower]
        low = 1 << (w - 1) if signed else 0
        if not mine:
            continue
        if not lower:
            yield s.bv(low, w), True
        elif not upper:
            yield s.bv(low - 1, w), True
        for side in sorted((lower, upper), key=len):
            if side:
                yield _best(side, model).tightest(), len(side) == 1
    for end in (0, -1, 1 << (w - 1), (1 << (w - 1)) - 1):
        yield s.bv(end, w), False


def _best(side: Sequence[Bound], model: Model) -> Bound:
    """The tightest bound of one side under the model."""

    def tightness(b: Bound) -> int:
        value = evaluate(b.at, model)
        number = to_signed(value, b.at.width) if b.signed else value
        return 2 * (number if b.lower else -number) + b.strict

    return max(side, key=tightness)
