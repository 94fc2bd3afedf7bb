"""Forward propagation: a use of `x` becomes `e` where ``x == e`` is known from an assignment ``x :=
e`` on every path.

Within a large block symbolic execution does this anyway; what is gained is across loop heads, where
a copy such as ``n0 := n`` makes `n0` superfluous.  So only small expressions without inputs are
propagated (`SIZE`), resolved to their roots; and the truth of a condition as a number (``c := n > 0
&& n < 9 ? 1 : 0``, which is how it is handed to a function), so that where the number is tested
every analysis sees what is known of `n`.
"""

from __future__ import annotations

from obligato.analysis.commands import Leaf
from obligato.analysis.constants import evaluated
from obligato.analysis.fold import with_known
from obligato.analysis.maps import MapAnalysis, NeededAt
from obligato.analysis.persistent import FactMap, Meeting, bits, same
from obligato.models.cfa import CFA
from obligato.models.claims import Lift
from obligato.models.gcl import Assign, Assume
from obligato.terms import Op, Term, free_vars, size

SIZE = 4
TRUTH = 24  # of a condition whose truth is a number
Copies = FactMap[Term]


class CopyAnalysis(MapAnalysis[Term]):
    """Forward: the state maps `x` to an expression that equals it here."""

    def __init__(self, cfa: CFA, needed: NeededAt) -> None:
        super().__init__(cfa, needed)
        self._meeting = Meeting[Term](self.keys, same)
        self._numbering = needed.numbering
        self._inputs = cfa.input_set
        self._small: dict[Term, bool] = {}
        # by variable, those that were equal to an expression over it somewhere
        self._about: dict[Term, int] = {}

    def leaf(self, command: Leaf, state: Copies) -> Copies:
        """An assignment ends what is known of its targets and of expressions over them."""
        if isinstance(command, Assume):
            return state
        mask = self._numbering.of(x for x, _ in command.pairs)
        out = self._without(state, command, mask)
        for x, e in command.pairs:
            if self._propagates(e):
                new = evaluated(e, state)
                if not self._numbering.in_term(new) & mask and self._propagates(new):
                    out = out.with_fact(x, new)
                    for y in free_vars(new):
                        self._about[y] = self._about.get(y, 0) | self._numbering.bit(x)
        return state if not mask else out

    def _without(self, state: Copies, command: Assign, mask: int) -> Copies:
        """What is known that is neither of nor about the variables that `command` assigns, which
        are `mask`.
        """
        about = mask
        for x, _ in command.pairs:
            about |= self._about.get(x, 0)
        for i in bits(about & state.known):
            y = self.keys.variables[i]
            if (1 << i | self._numbering.in_term(state[y])) & mask:
                state = state.with_fact(y, None)
        return state

    def _propagates(self, e: Term) -> bool:
        known = self._small.get(e)
        if known is None:
            known = (
                (size(e) <= SIZE or (_is_truth(e) and size(e) <= TRUTH))
                and not e.is_const
                and not any(v in self._inputs for v in free_vars(e))
            )
            self._small[e] = known
        return known

    def join(self, old: Copies, new: Copies) -> Copies:
        """The equations that both states agree on."""
        return self._meeting(old, new)


def _is_truth(e: Term) -> bool:
    """Is it one of two constants, by a condition?"""
    return e.op is Op.ITE and e.args[1].is_const and e.args[2].is_const


def propagate_expressions(cfa: CFA) -> tuple[CFA, Lift]:
    """Replace variables by the small expressions that they equal."""
    return with_known(cfa, CopyAnalysis(cfa, NeededAt.of(cfa)))
