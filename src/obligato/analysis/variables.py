"""The variables that are needed, as bit sets [LNNK19, 6.2].

A set of variables is one Python integer, so that joins cost a machine operation per 30 elements.
*Needed* is strong liveness: ``x := e`` needs the variables of `e` only if `x` is
needed afterwards; conditions are always needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.analysis.commands import Leaf, LeafAnalysis
from obligato.analysis.dataflow import solve
from obligato.models.cfa import CFA
from obligato.models.gcl import Assume
from obligato.terms import Term, free_vars


class Numbering:
    """Bits for the variables of a CFA; inputs and other variables have none."""

    def __init__(self, variables: Iterable[Term]) -> None:
        self.variables = tuple(variables)
        self._bit = {v: 1 << i for i, v in enumerate(self.variables)}
        self._masks: dict[Term, int] = {}

    def bit(self, variable: Term) -> int:
        """The set {variable}."""
        return self._bit.get(variable, 0)

    def of(self, variables: Iterable[Term]) -> int:
        """The set of the given variables."""
        mask = 0
        for v in variables:
            mask |= self._bit.get(v, 0)
        return mask

    def in_term(self, term: Term) -> int:
        """The variables that occur in a term."""
        mask = self._masks.get(term)
        if mask is None:
            mask = self._masks[term] = self.of(free_vars(term))
        return mask

    def members(self, mask: int) -> list[Term]:
        """The elements of a set, in order."""
        out = []
        while mask:
            low = mask & -mask
            out.append(self.variables[low.bit_length() - 1])
            mask ^= low
        return out


class Needed(LeafAnalysis[int]):
    """Strongly live variables: a set as state, backward from the error location."""

    backward = True

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering

    def start(self) -> int:
        """No variable is needed where runs end."""
        return 0

    def leaf(self, command: Leaf, state: int) -> int:
        """The variables that are needed before the leaf, given those that are needed after it."""
        n = self.numbering
        if isinstance(command, Assume):
            return state | n.in_term(command.condition)
        used, killed = 0, 0
        for x, e in command.pairs:
            if n.bit(x) & state:
                used |= n.in_term(e)
            killed |= n.bit(x)
        return state & ~killed | used

    def join(self, old: int, new: int) -> int:
        """Union."""
        return old if new & ~old == 0 else old | new


def needed(cfa: CFA, numbering: Numbering) -> dict[int, int]:
    """The needed variables at every location from which an end is reached."""
    return solve(cfa, Needed(numbering)).everywhere()
