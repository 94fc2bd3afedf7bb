"""Constant variables of every sort: a map from variables to values; a variable that is missing may
have any.

An expression is evaluated by substitution in the simplifying store, so that ``x * 0`` is constant
whatever `x` is. Conditions teach constants: ``x == 5``, and Boolean variables that stand alone.
What no run passes is not followed, as in conditional constant propagation.
"""

from __future__ import annotations

from obligato.analysis.commands import Leaf
from obligato.analysis.maps import MapAnalysis, NeededAt
from obligato.analysis.persistent import FactMap, Meeting, same
from obligato.models.cfa import CFA
from obligato.models.gcl import Assume
from obligato.terms import BOOL, Op, Term, conjuncts, free_vars
from obligato.terms.store import rebuild

Constants = FactMap[Term]


class ConstantAnalysis(MapAnalysis[Term]):
    """Forward; inputs are never constant."""

    def __init__(self, cfa: CFA, needed: NeededAt | None = None) -> None:
        super().__init__(cfa, needed)
        self._meeting = Meeting[Term](self.keys, same)
        self.store = cfa.store
        self.variables = frozenset(cfa.variables)  # membership only

    def leaf(self, command: Leaf, state: Constants) -> Constants | None:
        """Evaluate, then assign or filter."""
        if isinstance(command, Assume):
            return self._assume(evaluated(command.condition, state), state)
        new = [(x, evaluated(e, state)) for x, e in command.pairs]
        for x, v in new:
            state = state.with_fact(x, v if v.is_const else None)
        return state

    def _assume(self, condition: Term, state: Constants) -> Constants | None:
        if condition is self.store.false:
            return None
        for c in conjuncts(condition):
            for x, v in self._fact(c):
                state = state.with_fact(x, v)
        return state

    def _fact(self, c: Term) -> list[tuple[Term, Term]]:
        atom, value = (c.args[0], self.store.false) if c.op is Op.NOT else (c, self.store.true)
        if atom.is_var and atom in self.variables:
            return [(atom, value)]
        if (
            c.op is Op.EQ
            and c.args[0] in self.variables
            and c.args[1].is_const
            and c.args[0].sort is not BOOL
        ):
            return [(c.args[0], c.args[1])]
        return []

    def join(self, old: Constants, new: Constants) -> Constants:
        """The constants that both states agree on."""
        return self._meeting(old, new)


def evaluated(term: Term, state: Constants) -> Term:
    """`term` with the known constants put in, simplified."""
    if term.is_const:
        return term
    memo = {v: fact for v in free_vars(term) if (fact := state.get(v)) is not None}
    return rebuild(term, term.store, memo) if memo else term
