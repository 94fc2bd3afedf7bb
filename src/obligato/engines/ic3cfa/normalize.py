"""Theory-aware normalisation of cubes [LNNK19, 6.3]: of several bounds of one term only the strongest stay.

``x < 10 and x < 7 and x != 12`` is ``x < 7``; ``x == 5`` makes all other comparisons of x with constants superfluous. Each
signedness has its own bounds. Ensures: the result is equivalent to the cube and part of it (the cube must be satisfiable).
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Op, Term, to_signed

Bound = tuple[Term, Op]  # the compared term and the order
_ORDERS = (Op.LE, Op.LT, Op.BVULT, Op.BVSLT)


def normalize(literals: Iterable[Term]) -> list[Term]:
    """The literals that are not implied by another comparison of the same term with a constant."""
    kept = list(dict.fromkeys(literals))
    fixed = {t.args[0]: t for t in kept if t.op is Op.EQ and t.args[1].op is Op.CONST}
    upper, lower = _strongest(kept, positive=True), _strongest(kept, positive=False)
    return [lit for lit in kept if not _implied(lit, fixed, upper, lower)]


def _atom(lit: Term) -> Term:
    return lit.args[0] if lit.op is Op.NOT else lit


def _value(atom: Term) -> int:
    constant = atom.args[1]
    return to_signed(constant.data, constant.width) if atom.op is Op.BVSLT else constant.data  # type: ignore[arg-type, return-value]


def _is_bound(atom: Term) -> bool:
    return atom.op in _ORDERS and atom.args[1].op is Op.CONST


def _strongest(literals: list[Term], positive: bool) -> dict[Bound, Term]:
    """Per term and order: the least upper bound, or the greatest lower bound."""
    best: dict[Bound, Term] = {}
    for lit in literals:
        atom = _atom(lit)
        if (lit.op is not Op.NOT) is not positive or not _is_bound(atom):
            continue
        old = best.get((atom.args[0], atom.op))
        if old is None or (_value(atom) < _value(_atom(old))) is positive:
            best[atom.args[0], atom.op] = lit
    return best


def _implied(lit: Term, fixed: dict[Term, Term], upper: dict[Bound, Term], lower: dict[Bound, Term]) -> bool:
    atom = _atom(lit)
    if len(atom.args) != 2 or atom.args[1].op is not Op.CONST:
        return False
    term = atom.args[0]
    if term in fixed and fixed[term] is not lit and (atom.op is Op.EQ or _is_bound(atom)):
        return True
    if _is_bound(atom):
        return (lower if lit.op is Op.NOT else upper)[term, atom.op] is not lit
    return atom.op is Op.EQ and lit.op is Op.NOT and _outside(atom, upper, lower)


def _outside(equation: Term, upper: dict[Bound, Term], lower: dict[Bound, Term]) -> bool:
    """Does a bound exclude the constant of ``x != k``?"""
    term, constant = equation.args
    for order in _ORDERS:
        above, below = upper.get((term, order)), lower.get((term, order))
        k = constant.data
        if order is Op.BVSLT and (above or below):
            k = to_signed(k, constant.width)  # type: ignore[arg-type]
        if above is not None and _beyond(k, _atom(above)):
            return True
        if below is not None and not _beyond(k, _atom(below)):
            return True
    return False


def _beyond(k: object, atom: Term) -> bool:
    """Is k outside ``x order bound``?"""
    bound = _value(atom)
    return k > bound if atom.op is Op.LE else k >= bound  # type: ignore[operator]
