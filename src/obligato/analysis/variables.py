"""Analyses of variables as bit sets: needed variables, possibly uninitialised variables, reaching
definitions [LNNK19, 6.2].

A set of variables or definitions is one Python integer, so that joins cost a machine operation per
30 elements.  *Needed* is strong liveness: ``x := e`` needs the variables of `e` only if `x` is
needed afterwards; conditions are always needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from obligato.analysis.commands import Leaf, LeafAnalysis, terms_of
from obligato.analysis.dataflow import Analysis, solve
from obligato.models.cfa import CFA, Edge
from obligato.models.gcl import Assign, Assume, assigned, walk
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
        """Nothing is needed at an end."""
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


class Uninitialised(LeafAnalysis[int]):
    """Variables that may not have been assigned yet."""

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering

    def start(self) -> int:
        """All of them."""
        return self.numbering.of(self.numbering.variables)

    def leaf(self, command: Leaf, state: int) -> int:
        """An assignment initialises, a havoc too."""
        return (
            state & ~self.numbering.of(x for x, _ in command.pairs)
            if isinstance(command, Assign)
            else state
        )

    def join(self, old: int, new: int) -> int:
        """Union."""
        return old if new & ~old == 0 else old | new


class ReachingDefinitions(Analysis[int]):
    """Which edges' assignments may have given a variable its value: bit i is edge number i of the
    CFA's tuple.
    """

    def __init__(self, cfa: CFA) -> None:
        self.cfa = cfa
        self._bit = {e.id: 1 << i for i, e in enumerate(cfa.edges)}
        self._by_variable: dict[Term, int] = {}
        self._targets = {e.id: tuple(assigned(e.command)) for e in cfa.edges}
        for e in cfa.edges:
            for x in self._targets[e.id]:
                self._by_variable[x] = self._by_variable.get(x, 0) | self._bit[e.id]

    def start(self) -> int:
        """No definition."""
        return 0

    def transfer(self, edge: Edge, state: int) -> int:
        """An edge that assigns one variable on all its paths replaces its other definitions."""
        targets = self._targets[edge.id]
        if not targets:
            return state
        if len(targets) == 1 and isinstance(edge.command, Assign):
            state &= ~self._by_variable[targets[0]]
        return state | self._bit[edge.id]

    def join(self, old: int, new: int) -> int:
        """Union."""
        return old if new & ~old == 0 else old | new

    def definitions(self, state: int, variable: Term) -> list[Edge]:
        """The edges in `state` that assign `variable`."""
        mask = state & self._by_variable.get(variable, 0)
        return [e for e in self.cfa.edges if self._bit[e.id] & mask]


def needed(cfa: CFA, numbering: Numbering) -> dict[int, int]:
    """The needed variables at every location from which an end is reached."""
    return solve(cfa, Needed(numbering)).everywhere()


def uninitialised_uses(cfa: CFA) -> Iterator[tuple[Edge, Term]]:
    """Edges that read a variable which may not have been assigned."""
    numbering = Numbering(cfa.variables)
    for edge, state, _ in solve(cfa, Uninitialised(numbering)).walk():
        read = 0
        for c in walk(edge.command):
            if isinstance(c, Assign | Assume):
                for t in terms_of(c):
                    read |= numbering.in_term(t)
        for x in numbering.members(read & state):
            yield edge, x
