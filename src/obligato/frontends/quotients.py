"""Quotients that SMT-LIB leaves open: what is divided by zero may have any value.

Terms have one value there (`terms.semantics`), which their builders write down. In a transition
system that value would decide properties, so a division is refused whose divisor may be zero
for all that the formula around it says.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.errors import Span, Unsupported
from obligato.terms import Op, Term

_DIVISIONS = (Op.IDIV, Op.MOD, Op.RDIV)


def check_quotients(terms: Iterable[Term], span: Span) -> None:
    """Refuse terms with a division by what may be zero. Tests are seen that stand around it, in
    `ite`, `and`, `or` and `=>`.
    """
    found = open_quotient(terms)
    if found is not None:
        raise Unsupported(
            f"division by {found.args[1]}, which may be zero; SMT-LIB leaves the value open:"
            " write (ite (= divisor 0) value quotient)",
            span,
            "division by zero",
        )


def open_quotient(terms: Iterable[Term]) -> Term | None:
    """A division, as the reader of terms makes them, that decides something where its divisor is
    zero.
    """
    nothing = frozenset[Term]()
    todo, seen = [(t, nothing) for t in terms], dict[tuple[Term, frozenset[Term]], None]()
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen[here] = None
        t, tested = here
        division = _division(t)
        if division is None:
            todo += [(a, tested | _tests(t, n)) for n, a in enumerate(t.args)]
        elif division.args[1] in tested:
            todo += [(a, tested) for a in division.args]
        else:
            return division
    return None


def _tests(t: Term, n: int) -> frozenset[Term]:
    """The terms that are not zero wherever the argument of this number matters."""
    if t.op is Op.ITE:
        test = [t.args[0]] if n else []
        return _zeros(test, n == 2)
    if t.op in (Op.AND, Op.OR):
        return _zeros((a for a in t.args if a is not t.args[n]), t.op is Op.OR)
    if t.op is Op.IMPLIES and n == 1:
        return _zeros(t.args[:1], False)
    return frozenset()


def _zeros(tests: Iterable[Term], wrong: bool) -> frozenset[Term]:
    """What is not zero where the tests are all wrong, or all right."""
    found: dict[Term, None] = {}
    for test in tests:
        sides = _sides(test, wrong)
        for x, k in (sides, sides[::-1]) if len(sides) == 2 else ():
            found |= {x: None} if k.op is Op.CONST and not k.data else {}
    return frozenset(found)


def _sides(test: Term, wrong: bool) -> tuple[Term, ...]:
    """What differs where a test is wrong, or right."""
    if wrong:
        return test.args if test.op is Op.EQ else ()
    negated = test.op is Op.NOT and test.args[0].op is Op.EQ
    return test.args[0].args if negated else test.args if test.op is Op.DISTINCT else ()


def _division(t: Term) -> Term | None:
    """The division in a term that a builder made of one, with the value that it has by zero."""
    if t.op is not Op.ITE or t.args[2].op not in _DIVISIONS:
        return None
    d = t.args[2]
    zero = t.store.eq(d.args[1], t.store.const(0, d.args[1].sort))
    own = d.args[0] if d.op is Op.MOD else t.store.const(0, d.sort)
    return d if t.args[0] is zero and t.args[1] is own else None
