"""Removal of assignments, havocs, variables and inputs that nobody needs.

A variable that is needed nowhere disappears with all its assignments.  One that is needed
elsewhere, but not after this assignment, is havocked instead: were the assignment simply dropped,
an invariant could speak about the stale value, which the original does not have.  With the havoc
every run of the original is one of the result, so certificates need no lift.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.analysis.commands import Leaf, LeafAnalysis
from obligato.analysis.maps import NeededAt
from obligato.analysis.variables import Needed
from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Identity, Lift
from obligato.models.gcl import SKIP, Assign, Assume, Command, walk
from obligato.terms import Term, free_vars


def stand_in(x: Term) -> Term:
    """The input that stands for any value of `x`, the same on all edges: after it `x` is not needed
    anyway.
    """
    return x.store.var(f"{x.name}!any", x.sort)


class DeadAssignments:
    """The edit of leaves: which variables are `kept` at all (a bit set), and what becomes of an
    assignment.
    """

    def __init__(self, analysis: Needed, kept: int) -> None:
        self.numbering = analysis.numbering
        self.kept = kept

    def __call__(self, command: Leaf, after: int) -> Command:
        if isinstance(command, Assume):
            return command
        bit = self.numbering.bit
        if all(bit(x) & after for x, _ in command.pairs):
            return command
        pairs = [
            (x, e if bit(x) & after else self._idle(x, e))
            for x, e in command.pairs
            if bit(x) & self.kept
        ]
        return Assign(tuple(pairs)) if pairs else SKIP

    def _idle(self, x: Term, e: Term) -> Term:
        return e if e.is_const else stand_in(x)


def remove_dead(cfa: CFA) -> tuple[CFA, Lift]:
    """Remove assignments whose values are not read, or make them havocs, and then the variables and
    inputs that do not occur any more.
    """
    needed = NeededAt.of(cfa)
    kept = 0
    for mask in needed.sets.values():
        kept |= mask
    analysis = Needed(needed.numbering)
    edit = DeadAssignments(analysis, kept)
    edges = [_edit_edge(e, analysis, edit, needed.at(e.target)) for e in cfa.edges]
    return trimmed(replace(cfa, edges=tuple(edges)), needed.numbering.members(kept)), Identity()


def _edit_edge(edge: Edge, analysis: LeafAnalysis[int], edit: DeadAssignments, after: int) -> Edge:
    command = analysis.rewrite(edge.command, after, edit)[0]
    return edge if command is edge.command else replace(edge, command=command)


def trimmed(cfa: CFA, variables: list[Term]) -> CFA:
    """The CFA with these variables, those that only matter inside of one edge, and the inputs that
    occur.
    """
    known = frozenset(cfa.variables)  # membership only
    terms: dict[Term, None] = {}
    for e in cfa.edges:
        for c in walk(e.command):
            if isinstance(c, Assume):
                terms[c.condition] = None
            elif isinstance(c, Assign):
                terms.update((t, None) for pair in c.pairs for t in pair)
    occurring = free_vars(*terms)
    kept = dict.fromkeys((*variables, *(v for v in occurring if v in known)))
    inputs = tuple(v for v in occurring if v not in known)
    return replace(cfa, variables=tuple(v for v in cfa.variables if v in kept), inputs=inputs)
