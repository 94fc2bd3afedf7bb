"""Guarded commands [LNNK19, Def. 1]: assignment, assume, sequence, choice.

Assignments are parallel. ``havoc x`` is ``x := i`` with `i` an *input* of the edge: a variable that
is existential in each query about that edge and never occurs in a lemma or an obligation.  `Tagged`
marks which edge of the original CFA a part came from, so that a path through a large block is a
path of original edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from obligato.terms import Term


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """Parallel assignment of VAR terms."""

    pairs: tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Assume:
    """A filter on states."""

    condition: Term


@dataclass(frozen=True, slots=True, eq=False)
class Seq:
    """Commands one after the other; the empty sequence does nothing."""

    parts: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Any one of the branches, of which there is at least one."""

    branches: tuple[Command, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tagged:
    """`command` of the original edge `edge`."""

    edge: int
    command: Command


Command = Assign | Assume | Seq | Choice | Tagged
SKIP = Seq(())


def walk(command: Command) -> Iterator[Command]:
    """All parts of a command, outer first, in program order; without recursion."""
    stack: list[Command] = [command]
    while stack:
        c = stack.pop()
        yield c
        if isinstance(c, Seq):
            stack.extend(reversed(c.parts))
        elif isinstance(c, Choice):
            stack.extend(reversed(c.branches))
        elif isinstance(c, Tagged):
            stack.append(c.command)


def assigned(command: Command) -> dict[Term, None]:
    """The variables that a command may change (an ordered set)."""
    return {x: None for c in walk(command) if isinstance(c, Assign) for x, _ in c.pairs}


def terms_of(command: Command) -> list[Term]:
    """The conditions and assigned expressions of all parts, in program order."""
    out: list[Term] = []
    for c in walk(command):
        if isinstance(c, Assume):
            out.append(c.condition)
        elif isinstance(c, Assign):
            out.extend(e for _, e in c.pairs)
    return out


def is_choice_free(command: Command) -> bool:
    """No choice inside: [LNNK19, Lemma 4, 5 and Thm. 5-7] apply."""
    return not any(isinstance(c, Choice) for c in walk(command))
