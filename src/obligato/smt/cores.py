"""Core minimisation: from assumptions that are unsat with a solver's formulas to a subset none of
which can go.

Idea: leave one assumption out; if the rest is still unsat, continue with the solver's new core,
else keep it for good. `minimise` carries it.  Deterministic: assumptions are tried in the given
order (put first what should go first). Limitation: minimal, not minimum; with a budget used up, or
an UNKNOWN, the result is a core but perhaps not minimal.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.smt.solver import UNSAT, Solver
from obligato.terms import Term


def minimise(
    solver: Solver,
    assumptions: Sequence[Term],
    *,
    max_checks: int | None = None,
    budget: int | None = None,
) -> list[Term]:
    """A subset of `assumptions`, in their order, that is unsat with the solver's formulas.

    Requires: formulas and assumptions are unsat.
    Ensures: the result is unsat with the formulas, and minimal if at most `max_checks` checks (each
    within `budget`) sufficed and none was UNKNOWN.
    """
    needed: list[Term] = []
    open_ = list(assumptions)
    checks = 0
    while open_ and (max_checks is None or checks < max_checks):
        candidate, *rest = open_
        checks += 1
        # formulas and needed and rest: unsat: `candidate` can go; sat or unknown: it stays
        if solver.check([*needed, *rest], budget=budget, kind="core") is UNSAT:
            core = dict.fromkeys(solver.core())
            open_ = [a for a in rest if a in core]
        else:
            needed.append(candidate)
            open_ = rest
    kept = dict.fromkeys([*needed, *open_])
    return [a for a in assumptions if a in kept]
