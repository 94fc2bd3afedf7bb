"""Interpolants by projection: from models of b, guided by cores of a (DESIGN 3.6).

Idea: a model of b that no clause excludes yet is projected onto the shared variables; the cube
implies exists locals. b, so it is inconsistent with a; a core of it against a is a clause that a
implies.  When the clauses exclude all of b, their conjunction is an interpolant.  `by_projection`
carries it.  Equalities enter the core as two inequalities, so that often one of them remains.

Ends for linear arithmetic, where projection has finitely many results;
`rounds` bounds it for the other theories.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from obligato.smt.cores import minimise
from obligato.smt.implicant import halves, implicant
from obligato.smt.projection import project
from obligato.smt.solver import SAT, UNSAT, Solver
from obligato.terms import Term, free_vars


def by_projection(
    a: Term,
    b: Term,
    shared: Sequence[Term],
    make: Callable[[], Solver],
    *,
    rounds: int,
    budget: int | None,
) -> Term | None:
    """An interpolant of a and b over `shared`;
    None if `rounds` or `budget` did not suffice, or a and b are sat."""
    left, right = make(), make()
    left.add(a)
    right.add(b)
    try:
        return _clauses(b, shared, left, right, rounds, budget)
    finally:
        left.close()
        right.close()


def _clauses(
    b: Term, shared: Sequence[Term], left: Solver, right: Solver, rounds: int, budget: int | None
) -> Term | None:
    s, names, kept = b.store, free_vars(b), dict.fromkeys(shared)
    local = [v for v in names if v not in kept]
    clauses: list[Term] = []
    for _ in range(rounds):
        # b and clauses: sat: a state of b that the clauses still admit; unsat:
        # they are an interpolant
        result = right.check(clauses, budget=budget, kind="interpolate")
        if result is UNSAT:
            return s.all_of(minimise(right, right.core(), budget=budget))
        if result is not SAT:
            return None
        model = right.model_of(names)
        cube = project(implicant(b, model), local, model).literals
        core = _core(left, [part for literal in cube for part in halves(literal)], budget)
        if core is None:
            return None
        clauses.append(s.not_(s.all_of(core)))
    return None


def _core(left: Solver, cube: Sequence[Term], budget: int | None) -> list[Term] | None:
    # a and cube: unsat: a implies that not all of the cube holds; sat: a and b are satisfiable
    if left.check(cube, budget=budget, kind="interpolate") is not UNSAT:
        return None
    return minimise(left, left.core(), budget=budget)
