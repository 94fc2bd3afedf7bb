"""What solvers should know about remainders and find out late or never:
they are smaller than the divisor.

Each formula is valid, so adding it changes no answer, only the time (a minute becomes a fifth of a
second at 32 bits). tests/unit/test_checking_certificate.py evaluates them for all values of small
words.
"""

from __future__ import annotations

from obligato.terms import Op, Term, TermStore


def hints(term: Term) -> list[Term]:
    """Valid formulas about a term; only remainders of words have any."""
    s = term.store
    if term.op not in (Op.BVUREM, Op.BVSREM):
        return []
    dividend, divisor = term.args
    zero = s.bv(0, term.width)
    by_zero = s.eq(divisor, zero)
    if term.op is Op.BVUREM:
        return [s.or_(by_zero, s.mk(Op.BVULT, (term, divisor)))]
    same_sign = s.eq(s.mk(Op.BVSLT, (term, zero)), s.mk(Op.BVSLT, (dividend, zero)))
    return [
        s.or_(by_zero, s.mk(Op.BVULT, (_absolute(s, term), _absolute(s, divisor)))),
        s.or_(s.eq(term, zero), same_sign),
    ]


def _absolute(s: TermStore, term: Term) -> Term:
    return s.ite(s.mk(Op.BVSLT, (term, s.bv(0, term.width))), s.mk(Op.BVNEG, (term,)), term)
