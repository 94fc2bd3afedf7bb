"""Extrapolation [Tin12]: from a model of a step to a cube of states that have such a step.

Given E = C and T and target' (and F, where so asked) and a model of it: first a conjunctive
implicant H of E that the model satisfies (e+ and e-: `smt.implicant`), then a cube B over the state
with  model |= B  and  B implies exists i, x'. H:

    approximate   model-based projection (`smt.projection`): Cooper's and Loos and Weispfenning's
                  eliminations, guided by the model; words by equalities and invertible operations,
                  bounds, and last values
    z3            the same by z3's projection; where it has no answer that we can use, by ours
    implicant     B is exists i, x'. H, without quantifiers
    formula       B is exists i, x'. E: all predecessors at once; the model plays no part

The conjuncts of a precise result need not be literals; a cube takes them as they are. Limitation:
precise elimination is for linear arithmetic (`run` refuses the rest); beyond its limit projection
is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from obligato.engines.environment import Environment
from obligato.engines.ic3qe.options import Options
from obligato.engines.kernel.debug import ContractChecker
from obligato.smt import UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.smt.implicant import implicant_of_all
from obligato.smt.projection import project
from obligato.terms import Term, TermStore, Value, conjuncts

if TYPE_CHECKING:
    from obligato.smt.projection.by_z3 import Z3Projection

DISJUNCTS = 64
Model = Mapping[Term, Value]


class Extrapolation:
    """Extrapolates models; `solver` has no formulas of its own."""

    def __init__(
        self,
        store: TermStore,
        options: Options,
        env: Environment,
        make: Make,
        solver: ActivationSolver,
    ) -> None:
        self.store, self.options, self.env = store, options, env
        self.make, self.solver = make, solver
        self._debug = ContractChecker(store) if env.debug else None
        self._z3: Z3Projection | None = None

    def extrapolate(
        self, formulas: Sequence[Term], hidden: Sequence[Term], model: Model
    ) -> list[Term]:
        """Requires: model |= formulas. Ensures: formulas over what is not hidden that the model
        satisfies and that together imply exists hidden. formulas; each is a literal unless
        elimination is precise.
        """
        found = self._extrapolate(formulas, hidden, model)
        if self._debug is not None:
            self._debug.preimage(formulas, hidden, model, found)
        return found

    def _extrapolate(
        self, formulas: Sequence[Term], hidden: Sequence[Term], model: Model
    ) -> list[Term]:
        if self.options.elimination == "formula":
            found = self._eliminate(formulas, hidden)
            if found is not None:
                return found
        literals = implicant_of_all(formulas, model)
        if self.options.shrink_implicant:
            literals = self._shrunk(literals, formulas)
        return self._predecessors(literals, hidden, model)

    def _shrunk(self, literals: list[Term], formulas: Sequence[Term]) -> list[Term]:
        self.env.tick()
        # H and not E: unsat, for H implies E; a core of H does, too   (heuristic)
        result = self.solver.check(
            literals, temporary=[self.store.not_(self.store.and_(*formulas))], kind="implicant"
        )
        if result is not UNSAT:
            return literals
        core = dict.fromkeys(self.solver.core())
        return [x for x in literals if x in core]

    def _predecessors(
        self, literals: list[Term], hidden: Sequence[Term], model: Model
    ) -> list[Term]:
        found: list[Term] | None = None
        if self.options.elimination == "implicant":
            found = self._eliminate(literals, hidden)
        elif self.options.elimination == "z3":
            found = self._by_z3(literals, hidden, model)
        if found is not None:
            return found
        projection = project(literals, hidden, model, plain=True)
        for how, count in projection.removed.items():
            self.env.count(f"removed_{how}", count)
        return list(projection.literals)

    def _by_z3(
        self, literals: list[Term], hidden: Sequence[Term], model: Model
    ) -> list[Term] | None:
        from obligato.smt.projection.by_z3 import Z3Projection

        self._z3 = self._z3 or Z3Projection(self.store)
        found = self._z3.project(literals, hidden, model)
        self.env.count("projected_by_z3" if found is not None else "not_projected_by_z3")
        return None if found is None else implicant_of_all(found, model)

    def _eliminate(self, formulas: Sequence[Term], hidden: Sequence[Term]) -> list[Term] | None:
        """exists hidden. formulas, as conjuncts; None: beyond the limit."""
        from obligato.smt.projection.qe import eliminate, eliminate_by_z3

        self.env.tick()
        formula = self.store.all_of(formulas)
        if self.options.precise_qe == "z3":
            found = eliminate_by_z3(formula, hidden)
        else:
            found = eliminate(formula, hidden, self.make, max_disjuncts=DISJUNCTS)
        self.env.count("eliminated" if found is not None else "not_eliminated")
        return None if found is None else conjuncts(found)
