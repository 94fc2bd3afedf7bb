"""Quantifier elimination: exists variables. formula  as a quantifier-free formula.

Idea: project one model after the other and add up the results until no model is left outside
[KGC14, Sect. 5]; `eliminate` carries it.  Projection has finitely many results for linear integers
and reals, so it ends there; for the other theories `max_disjuncts` ends it.  `eliminate_by_z3` is
the precise alternative, z3's tactic qe2, for linear arithmetic [Tin12 compares the two].

Limitation: qe2 knows no counted budget and cannot be interrupted by a solver's `interrupt`;
use it on small formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import z3

from obligato.smt.implicant import implicant
from obligato.smt.projection.project import project
from obligato.smt.projection.z3_terms import Untranslatable, Z3Bridge
from obligato.smt.solver import SAT, UNSAT, Solver
from obligato.terms import Term, free_vars


def eliminate(
    formula: Term,
    variables: Iterable[Term],
    make: Callable[[], Solver],
    *,
    max_disjuncts: int = 1000,
    budget: int | None = None,
) -> Term | None:
    """A formula without `variables` that is equivalent to their existential;
    None if a limit was reached.

    `make` makes an empty solver; `budget` holds for each check.
    """
    s, gone, names = formula.store, list(variables), free_vars(formula)
    solver, disjuncts = make(), list[Term]()
    solver.add(formula)
    try:
        for _ in range(max_disjuncts + 1):
            # formula and no disjunct: sat: a state not covered yet; unsat:
            # the disjuncts are the existential
            result = solver.check(budget=budget, kind="qe")
            if result is UNSAT:
                return s.any_of(disjuncts)
            if result is not SAT:
                return None
            model = solver.model_of(names)
            disjuncts.append(s.all_of(project(implicant(formula, model), gone, model).literals))
            solver.add(s.not_(disjuncts[-1]))
        return None
    finally:
        solver.close()


def eliminate_by_z3(formula: Term, variables: Iterable[Term]) -> Term | None:
    """The same by z3's tactic qe2; None if its result cannot be expressed in our terms."""
    bridge = Z3Bridge(formula.store)
    body, gone = bridge.expr(formula), bridge.exprs(variables)
    if not gone:
        return formula
    try:
        goals = z3.Tactic("qe2", ctx=bridge.ctx)(z3.Exists(gone, body))
        return bridge.term(goals.as_expr())
    except (Untranslatable, z3.Z3Exception):
        return None
