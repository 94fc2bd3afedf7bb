"""Interpolants of bit-vector formulas from bitwuzla's refutation (DESIGN 3.6).

`by_bitwuzla` asserts the conjuncts of both sides, and asks for an interpolant; with
INTERPOLANTS_SUBST it is found on the word level where possible, else it is lifted from the bits.
Any counted budget is in polls of the termination callback, as in the backend.  Limitation: no
floats (their interpolants contain bitwuzla's own symbols).
"""

from __future__ import annotations

import bitwuzla

from obligato.smt.bitwuzla_backend import BitwuzlaEncoder
from obligato.smt.interpolation.bitwuzla_terms import Reader
from obligato.smt.projection.z3_terms import Untranslatable
from obligato.terms import Term, conjuncts, free_vars


def by_bitwuzla(a: Term, b: Term, budget: int | None) -> Term | None:
    """An interpolant of a and b, not verified yet; None if none was found within `budget`."""
    encoder = BitwuzlaEncoder()
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_INTERPOLANTS, True)
    options.set(bitwuzla.Option.INTERPOLANTS_SUBST, True)
    solver = bitwuzla.Bitwuzla(encoder.manager, options)
    if budget is not None:
        solver.configure_terminator(_Polls(budget))
    left, right = ([encoder.encode(c) for c in conjuncts(f)] for f in (a, b))
    for node in left + right:
        solver.assert_formula(node)
    try:
        # a and b: unsat: there is an interpolant; sat or unknown: none is to be had
        if solver.check_sat() != bitwuzla.Result.UNSAT:
            return None
        return Reader(a.store, free_vars(a, b)).term(solver.get_interpolant(left))
    except (Untranslatable, bitwuzla.BitwuzlaException):
        return None


class _Polls:
    """A termination callback that says stop after so many calls."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0
