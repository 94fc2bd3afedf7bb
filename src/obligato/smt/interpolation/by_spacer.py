"""Interpolants by z3's Horn solver: an inductive-free system of two rules (DESIGN 3.6).

a -> I(shared),  I(shared) and b -> false.  Spacer's solution for I is an interpolant; `by_spacer`
carries it.  The budget is z3's resource limit.  Limitation: no floats; what comes back with
quantifiers or foreign symbols is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from obligato.smt.projection.z3_terms import Untranslatable, Z3Bridge
from obligato.terms import Term, free_vars

_LIMIT = 3_000_000  # a second or two: Spacer need not end
_OPTIONS = {
    "engine": "spacer",
    "xform.inline_eager": False,
    "xform.inline_linear": False,
    "xform.slice": False,
}


def by_spacer(a: Term, b: Term, shared: Sequence[Term], budget: int | None) -> Term | None:
    """An interpolant of a and b over `shared`, not verified yet;
    None if none was found within `budget`."""
    bridge = Z3Bridge(a.store)
    left, right, names = bridge.expr(a), bridge.expr(b), bridge.exprs(shared)
    try:
        horn, relation, wrong = _rules(bridge, left, right, names, bridge.exprs(free_vars(a, b)))
        horn.set("rlimit", _LIMIT if budget is None else budget)
        # is `wrong` derivable: unsat: no, and the solution for the relation is an interpolant;
        # sat: a and b are sat
        if horn.query(wrong) != z3.unsat:
            return None
        cover = horn.get_cover_delta(-1, relation)
        return bridge.term(z3.substitute_vars(cover, *names))
    except (Untranslatable, z3.Z3Exception):
        return None


def _rules(
    bridge: Z3Bridge, left: Any, right: Any, names: list[Any], everything: list[Any]
) -> tuple[Any, Any, Any]:
    ctx = bridge.ctx
    horn = z3.Fixedpoint(ctx=ctx)
    horn.set(**_OPTIONS)
    relation = z3.Function("interpolant!", *[n.sort() for n in names], z3.BoolSort(ctx))
    wrong = z3.Function("wrong!", z3.BoolSort(ctx))
    horn.register_relation(relation, wrong)
    if everything:
        horn.declare_var(*everything)
    horn.rule(relation(*names), [left])
    horn.rule(wrong(), [relation(*names), right])
    return horn, relation, wrong()
