"""Constant variables of every sort: a map from variables to values; a variable that is missing may have any.

An expression is evaluated by substitution in the simplifying store, so that ``x * 0`` is constant whatever `x` is.
Conditions teach constants: ``x == 5``, and Boolean variables that stand alone.  What no run passes is not followed, as in
conditional constant propagation.
"""

from __future__ import annotations

from obligato.analysis.commands import Leaf
from obligato.analysis.maps import MapAnalysis, NeededAt
from obligato.models.cfa import CFA
from obligato.models.gcl import Assume
from obligato.terms import BOOL, Op, Term, conjuncts, free_vars
from obligato.terms.store import rebuild

Constants = dict[Term, Term]


class ConstantAnalysis(MapAnalysis[Term]):
    """Forward; inputs are never constant."""

    def __init__(self, cfa: CFA, needed: NeededAt | None = None) -> None:
        super().__init__(needed)
        self.store = cfa.store
        self.variables = frozenset(cfa.variables)  # membership only

    def leaf(self, command: Leaf, state: Constants) -> Constants | None:
        """Evaluate, then assign or filter."""
        if isinstance(command, Assume):
            return self._assume(evaluated(command.condition, state), state)
        new = [(x, evaluated(e, state)) for x, e in command.pairs]
        if all(state.get(x) is (v if v.is_const else None) for x, v in new):
            return state
        out = dict(state)
        for x, v in new:
            if v.is_const:
                out[x] = v
            else:
                out.pop(x, None)
        return out

    def _assume(self, condition: Term, state: Constants) -> Constants | None:
        if condition is self.store.false:
            return None
        learnt = {x: v for c in conjuncts(condition) for x, v in self._fact(c)}
        return {**state, **learnt} if learnt else state

    def _fact(self, c: Term) -> list[tuple[Term, Term]]:
        atom, value = (c.args[0], self.store.false) if c.op is Op.NOT else (c, self.store.true)
        if atom.is_var and atom in self.variables:
            return [(atom, value)]
        if c.op is Op.EQ and c.args[0] in self.variables and c.args[1].is_const and c.args[0].sort is not BOOL:
            return [(c.args[0], c.args[1])]
        return []

    def join(self, old: Constants, new: Constants) -> Constants:
        """What both know."""
        if all(new.get(x) is v for x, v in old.items()):
            return old
        return {x: v for x, v in old.items() if new.get(x) is v}


def evaluated(term: Term, state: Constants) -> Term:
    """`term` with the known constants put in, simplified."""
    if term.is_const:
        return term
    memo = {v: state[v] for v in free_vars(term) if v in state}
    return rebuild(term, term.store, memo) if memo else term
