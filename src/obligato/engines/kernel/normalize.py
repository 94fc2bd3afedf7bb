"""Theory-aware normalisation of cubes [LNNK19, 6.3]:
of several bounds of one term only the strongest stay.

``x < 10 and x < 7 and x != 12`` is ``x < 7``; ``x == 5`` makes all other comparisons of x with
constants superfluous. Each signedness has its own bounds. Ensures: the result is equivalent to the
cube and part of it (the cube must be satisfiable).
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Op, Term, to_signed

Bound = tuple[Term, Op]  # the compared term and the order
_ORDERS = (Op.LE, Op.LT, Op.BVULT, Op.BVSLT)
_COMPARISONS = frozenset((Op.EQ, *_ORDERS))


def normalize(literals: Iterable[Term]) -> list[Term]:
    """The literals that are not implied by another comparison of the same term with a constant."""
    kept = list(dict.fromkeys(literals))
    compared = [(lit, lit.atom) for lit in kept if _compares(lit.atom)]
    fixed = {atom.args[0]: lit for lit, atom in compared if lit is atom and atom.op is Op.EQ}
    upper, lower = _strongest(compared)
    implied = {lit for lit, atom in compared if _implied(lit, atom, fixed, upper, lower)}
    return [lit for lit in kept if lit not in implied] if implied else kept


def _compares(atom: Term) -> bool:
    """Is this a comparison with a constant?"""
    return atom.op in _COMPARISONS and atom.args[1].op is Op.CONST


def _value(atom: Term) -> int:
    constant = atom.args[1]
    return to_signed(constant.data, constant.width) if atom.op is Op.BVSLT else constant.data  # type: ignore[arg-type, return-value]


def _strongest(compared: list[tuple[Term, Term]]) -> tuple[dict[Bound, Term], dict[Bound, Term]]:
    """Per term and order: the least upper bound, and the greatest lower bound."""
    upper: dict[Bound, Term] = {}
    lower: dict[Bound, Term] = {}
    for lit, atom in compared:
        if atom.op is Op.EQ:
            continue
        positive = lit is atom
        best, key = upper if positive else lower, (atom.args[0], atom.op)
        old = best.get(key)
        if old is None or (_value(atom) < _value(old.atom)) is positive:
            best[key] = lit
    return upper, lower


def _implied(
    lit: Term,
    atom: Term,
    fixed: dict[Term, Term],
    upper: dict[Bound, Term],
    lower: dict[Bound, Term],
) -> bool:
    term = atom.args[0]
    if fixed.get(term, lit) is not lit:
        return True
    if atom.op is not Op.EQ:
        return (upper if lit is atom else lower)[term, atom.op] is not lit
    return lit is not atom and _outside(atom, upper, lower)


def _outside(equation: Term, upper: dict[Bound, Term], lower: dict[Bound, Term]) -> bool:
    """Does a bound exclude the constant of ``x != k``?"""
    term, constant = equation.args
    for order in _ORDERS:
        above, below = upper.get((term, order)), lower.get((term, order))
        k = constant.data
        if order is Op.BVSLT and (above or below):
            k = to_signed(k, constant.width)  # type: ignore[arg-type]
        if above is not None and _beyond(k, above.atom):
            return True
        if below is not None and not _beyond(k, below.atom):
            return True
    return False


def _beyond(k: object, atom: Term) -> bool:
    """Is k outside ``x order bound``?"""
    bound = _value(atom)
    return k > bound if atom.op is Op.LE else k >= bound  # type: ignore[operator]
