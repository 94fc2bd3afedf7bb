"""Quotients that SMT-LIB leaves open: what is divided by zero may have any value.

Terms have one value there (`terms.semantics`), which their builders write down. In a transition
system that value would decide properties, so a division is refused whose divisor may be zero
for all that the formula around it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from obligato.errors import Span, Unsupported
from obligato.terms import Op, Term, postorder

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

    What is tested on all ways from the roots to a term is known there: parents come before their
    arguments, so each term is looked at once.
    """
    roots = list(terms)
    nodes = list(postorder(roots))
    divisors = frozenset(d.args[1] for d in map(_division, nodes) if d is not None)
    if not divisors:
        return None
    tested = dict.fromkeys(roots, frozenset[Term]())
    for t in reversed(nodes):
        if t not in tested:
            continue  # part of a division only
        division = _division(t)
        if division is not None and division.args[1] not in tested[t]:
            return division
        if division is not None:
            below = [(a, frozenset[Term]()) for a in division.args]
        else:
            below = list(zip(t.args, _tests(t, divisors), strict=True))
        for a, more in below:
            known = tested[t] | more
            tested[a] = tested[a] & known if a in tested else known
    return None


def _tests(t: Term, divisors: frozenset[Term]) -> list[frozenset[Term]]:
    """For each argument the divisors that are not zero wherever it matters."""
    nothing = frozenset[Term]()
    if t.op is Op.ITE:
        test = t.args[0]
        return [nothing, divisors & _zeros(test, False), divisors & _zeros(test, True)]
    if t.op is Op.IMPLIES:
        return [nothing, divisors & _zeros(t.args[0], False)]
    if t.op not in (Op.AND, Op.OR):
        return [nothing] * len(t.args)
    each = [divisors & _zeros(a, t.op is Op.OR) for a in t.args]
    count = Counter(x for tests in each for x in tests)
    # an argument says nothing about itself: a test counts where another argument has it, too
    return [frozenset(x for x in count if count[x] > (x in tests)) for tests in each]


def _zeros(test: Term, wrong: bool) -> frozenset[Term]:
    """What is not zero where the test is wrong, or right."""
    sides = _sides(test, wrong)
    pairs = (sides, sides[::-1]) if len(sides) == 2 else ()
    return frozenset(x for x, k in pairs if k.op is Op.CONST and not k.data)


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
