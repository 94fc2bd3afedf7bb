"""Interpolants and sequence interpolants,
verified by a solver before anyone sees them (DESIGN 3.6).

`interpolate` takes what `methods.search` finds. `sequence_interpolants` goes left to right, each
interpolant against the previous one, so that they chain [McM03]; there the steps of the chain are
verified, which proves both sides of each.

A candidate is verified, vocabulary included: one that a solver refutes raises `SolverFailure`; one
that the solver cannot decide within the budget counts as not found, like a pair that is
satisfiable.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from obligato.errors import SolverFailure
from obligato.smt.factory import Make, kinds_in, solver_factory
from obligato.smt.interpolation.methods import problem, ranking, search
from obligato.smt.solver import SAT, UNSAT, SatResult, SolverStats
from obligato.terms import Term, free_vars


def interpolate(
    a: Term,
    b: Term,
    *,
    make: Make | None = None,
    budget: int | None = None,
    stats: SolverStats | None = None,
) -> Term | None:
    """A formula I with a => I, I and b unsat, and free variables that a and b share;
    None if none was found.

    `make` makes solvers for the sorts of a and b (by default the factory's choice, with `stats`);
    `budget` is counted and holds for each solver call.
    """
    make = make if make is not None else solver_factory(kinds_in(a, b), stats=stats)
    p = problem(a, b, make, budget)
    candidate = search(p, ranking(a, b))
    if candidate is None:
        return None
    found = candidate[0]
    _expect_vocabulary(found, p.shared)
    proved = _unsat([a, a.store.not_(found)], make, budget) and _unsat([found, b], make, budget)
    return found if proved else None


def sequence_interpolants(
    formulas: Sequence[Term], *, make: Make | None = None, budget: int | None = None
) -> list[Term] | None:
    """I_1 .. I_(n-1) for an unsat conjunction of F_1 ..
    F_n (n >= 1), or None if they were not found.

    Ensures: with I_0 = true and I_n = false, I_(k-1) and F_k imply I_k, whose variables occur both
    in F_1 .. F_k and in F_(k+1) .. F_n.
    """
    s, out = formulas[0].store, list[Term]()
    make = make if make is not None else solver_factory(kinds_in(*formulas))
    if len(formulas) == 1:  # nothing between; the claim is that the formula is unsat
        return out if _check(formulas, make, budget) is UNSAT else None
    ranked, last, before = ranking(*formulas), None, s.true
    for k, formula in enumerate(formulas[:-1], 1):
        p = problem(s.and_(before, formula), s.all_of(formulas[k:]), make, budget)
        candidate = search(p, ranked.led_by(last))
        if candidate is None:
            return None
        before, last = candidate
        _expect_vocabulary(before, p.shared)
        if not _unsat([p.a, s.not_(before)], make, budget):
            return None
        out.append(before)
    return out if _unsat([before, formulas[-1]], make, budget) else None


def _expect_vocabulary(found: Term, shared: Sequence[Term]) -> None:
    known = dict.fromkeys(shared)
    alien = [v.name for v in free_vars(found) if v not in known]
    if alien:
        raise SolverFailure(
            f"an interpolant contains variables that are not shared: {', '.join(alien)}"
        )


def _unsat(formulas: Sequence[Term], make: Make, budget: int | None) -> bool:
    """True: proved; False: the solver cannot tell; refuted:
    the interpolant is wrong, which is an error."""
    result = _check(formulas, make, budget)
    if result is SAT:
        raise SolverFailure("an interpolant was refuted by its verification")
    return result is UNSAT


def _check(formulas: Sequence[Term], make: Make, budget: int | None) -> SatResult:
    with closing(make()) as solver:
        for f in formulas:
            solver.add(f)
        # a and not I, or I and b: unsat: the implication holds; sat: it does not
        return solver.check(budget=budget, kind="verify interpolant")
