"""Analyses that are defined on assignments and assumptions, and rewriting of commands with the
state before each leaf.

Sequences, choices and tags are handled here, once, for both directions.  Recursion follows the
nesting of choices: passes run before large blocks, where commands are flat.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from obligato.analysis.dataflow import Analysis, Solution
from obligato.models.cfa import Edge
from obligato.models.gcl import SKIP, Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import Term

S = TypeVar("S")
Leaf = Assign | Assume
Edit = Callable[[Leaf, S], Command]


class LeafAnalysis(Analysis[S]):
    """An analysis given by the effect of a leaf."""

    @abstractmethod
    def leaf(self, command: Leaf, state: S) -> S | None:
        """The state after `command` (backward: before it); None if no run passes."""

    def transfer(self, edge: Edge, state: S) -> S | None:
        """The state after (backward: before) the edge's command."""
        return self.through(edge.command, state)

    def through(self, command: Command, state: S) -> S | None:
        """The state after (backward: before) a command."""
        if isinstance(command, Assign | Assume):
            return self.leaf(command, state)
        return self.rewrite(command, state, _same)[1]

    def rewrite(self, command: Command, state: S, edit: Edit[S]) -> tuple[Command, S | None]:
        """`command` with each leaf edited in the state before it (backward: after it), and the
        state that results.

        The state follows the leaf as it was. Leaves behind a point that no run passes are left out.
        """
        if isinstance(command, Assign | Assume):
            return edit(command, state), self.leaf(command, state)
        if isinstance(command, Seq):
            return self._sequence(command, state, edit)
        if isinstance(command, Tagged):
            inner, after = self.rewrite(command.command, state, edit)
            return Tagged(command.edge, inner), after
        return self._choice(command, state, edit)

    def _sequence(self, command: Seq, state: S, edit: Edit[S]) -> tuple[Command, S | None]:
        parts: list[Command] = []
        current: S | None = state
        for part in reversed(command.parts) if self.backward else command.parts:
            if current is None:
                break
            new, current = self.rewrite(part, current, edit)
            parts.append(new)
        return sequence(parts[::-1] if self.backward else parts), current

    def _choice(self, command: Choice, state: S, edit: Edit[S]) -> tuple[Command, S | None]:
        ends = [self.rewrite(b, state, edit) for b in command.branches]
        joined: S | None = None
        for _, after in ends:
            joined = (
                after if joined is None else joined if after is None else self.join(joined, after)
            )
        return Choice(tuple(c for c, _ in ends)), joined


def edited(solution: Solution[S], analysis: LeafAnalysis[S], edit: Edit[S]) -> list[Edge]:
    """The edges that a run may pass according to a forward solution, with each leaf edited in the
    state before it.
    """
    new: dict[int, Edge] = {}
    for edge, before, after in solution.walk():
        if after is not None:
            command = analysis.rewrite(edge.command, before, edit)[0]
            new[edge.id] = edge if command is edge.command else replace(edge, command=command)
    return [new[e.id] for e in solution.cfa.edges if e.id in new]


def _same(command: Leaf, state: object) -> Command:
    return command


def sequence(parts: list[Command]) -> Command:
    """The parts one after the other, without nested sequences and a needless outer one."""
    flat = [p for part in parts for p in (part.parts if isinstance(part, Seq) else (part,))]
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def assumption(condition: Term) -> Command:
    """`assume condition`, or nothing if it is true."""
    return SKIP if condition is condition.store.true else Assume(condition)


def mapped(command: Leaf, f: Callable[[Term], Term]) -> Command:
    """A leaf with `f` applied to what it evaluates; the leaf itself if nothing changes."""
    old = terms_of(command)
    new = tuple(f(t) for t in old)
    if new == old:
        return command
    if isinstance(command, Assume):
        return assumption(new[0])
    return Assign(tuple((x, e) for (x, _), e in zip(command.pairs, new, strict=True)))


def terms_of(command: Leaf) -> tuple[Term, ...]:
    """The terms that a leaf evaluates."""
    return (
        (command.condition,) if isinstance(command, Assume) else tuple(e for _, e in command.pairs)
    )
