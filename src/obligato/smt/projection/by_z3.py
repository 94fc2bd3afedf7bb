"""Model-based projection by z3:
the same contract as `projection.project`, computed by `Z3_qe_model_project`.

The model is rebuilt inside z3, value by value.  What comes back is read into our terms and must
hold in the model; where z3 refuses, leaves a variable in, or answers in terms that we do not have,
the answer is None.

Limitation: exactness is not known; sorts other than Bool, Int, Real and bit-vectors are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from obligato.smt.projection.z3_terms import Untranslatable, Z3Bridge
from obligato.terms import Kind, Term, TermStore, Value, conjuncts, evaluate, free_vars

_KNOWN = (Kind.BOOL, Kind.INT, Kind.REAL, Kind.BITVEC)


class Z3Projection:
    """Projections of cubes of one store; the translation of terms is kept."""

    def __init__(self, store: TermStore) -> None:
        self.store, self._bridge = store, Z3Bridge(store)

    def project(
        self, cube: Sequence[Term], variables: Sequence[Term], model: Mapping[Term, Value]
    ) -> list[Term] | None:
        """Literals without `variables` that the model satisfies and, as z3 has it,
        imply exists variables. cube; or None.

        Requires: model |= cube (variables left open take their sort's default); terms of a
        simplifying store.
        """
        names = free_vars(*cube)
        gone = [x for x in variables if x in names]
        if not gone:
            return list(cube)
        if any(x.sort.kind not in _KNOWN for x in names):
            return None
        try:
            found = conjuncts(self._call(cube, gone, {x: evaluate(x, model) for x in names}))
        except (Untranslatable, z3.Z3Exception):
            return None
        left = free_vars(*found)
        return (
            found
            if all(evaluate(f, model) for f in found) and not any(x in left for x in gone)
            else None
        )

    def _call(
        self, cube: Sequence[Term], gone: Sequence[Term], values: Mapping[Term, Value]
    ) -> Term:
        s, bridge = self.store, self._bridge
        ctx = bridge.ctx.ref()
        body, bound = bridge.expr(s.all_of(cube)), bridge.exprs(gone)
        model = z3.ModelRef(z3.Z3_mk_model(ctx), bridge.ctx)
        for x, value in values.items():
            z3.Z3_add_const_interp(
                ctx,
                model.model,
                bridge.expr(x).decl().ast,
                bridge.expr(s.const(value, x.sort)).as_ast(),
            )
        array = (z3.Ast * len(bound))(*(e.as_ast() for e in bound))
        result: Any = z3.Z3_qe_model_project(ctx, model.model, len(bound), array, body.as_ast())
        return bridge.term(z3.simplify(z3.z3._to_expr_ref(result, bridge.ctx)))
