"""Our own SAT solver for questions about circuits, an index of lemmas, and evaluation of circuits
for many inputs at once, where they have been compiled (`smt/native`).

They are optional: without them the same questions go to MiniSat, which is what runs are compared
with, lemmas are looked at one by one, and gates are evaluated by Python's numbers.
`OBLIGATO_PURE=1` in the environment has them ignored. `make setup` compiles them if there is a C
compiler.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence, Set
from typing import Any, Literal, Protocol


class CircuitSolver(Protocol):
    """The compiled solver. Literals are signed numbers of variables, which exist once they are
    named.

    A question is about the variables in clauses, in assumptions and in what they depend on through
    gates; a model has values for these, and 0 for all others: each of them that is no gate may have
    any value.
    """

    def gate(self, kind: int, variable: int, inputs: Sequence[int], /) -> None:
        """Define a variable as a function of others; `kind` is one of `blast.gates`."""

    def load(
        self,
        gate: int,
        known: dict[int, int],
        kinds: list[int],
        inputs: list[tuple[int, ...]],
        facts: dict[int, tuple[int, ...]],
        /,
    ) -> int:
        """Define the gates of a table (`blast.gates`) on which this one depends and that are not
        known yet; its literal. `known` has the literals of signed gates; facts are told."""

    def fact(self, literal: int, /) -> None:
        """Tell a literal that follows from the gates."""

    def add(self, clause: Sequence[int], guard: int = 0, /) -> None:
        """Assert a clause, or the guard; the guard is not relevant to questions that do not assume
        its opposite.
        """

    def deny(
        self, cubes: list[tuple[int, ...]], first: int, table: list[int], guard: int, /
    ) -> int:
        """As `add` for each of the cubes from the first on, of the negations of the literals that the
        table has for its numbers; the index of the first that has a number without one (0), or how
        many cubes there are.
        """

    def limit(self, conflicts: int, /) -> None:
        """How many conflicts each question may take."""

    def solve(self, assumptions: Sequence[int], clause: Sequence[int] | None, /) -> int:
        """1 satisfiable, 0 not, -1 the limit was reached; the clause, if any, is part of this
        question only.
        """

    def needed(
        self,
        assumptions: Sequence[int],
        numbers: Sequence[int],
        table: list[int],
        clause: Sequence[int] | None,
        denied: list[int] | None,
        /,
    ) -> bool | tuple[int, ...] | None:
        """As `solve`, with the literals that the table has for the numbers assumed, too; with a
        second table the clause is the negations of numbers. True: satisfiable, False: the limit was
        reached, None: a number has no literal (0) in its table; else those of the numbers whose
        literals took part.
        """

    def model(self) -> bytes:
        """After 1: entry v is 1 if variable v is true."""

    def core(self) -> list[int]:
        """After 0: the assumptions that took part."""

    def work(self) -> int:
        """How many literals were propagated so far."""

    def close(self) -> None:
        """Free the memory."""


class CubeIndex(Protocol):
    """The cubes of lemmas, in compiled code; they are numbered in the order in which they were
    placed.
    """

    def place(self, cube: Sequence[int], level: int, /) -> int:
        """Add a cube that is blocked at a level; its number."""

    def remove(self, number: int, /) -> None:
        """The cube with this number is gone."""

    def part(self, cube: Sequence[int], level: int, /) -> int:
        """Of the cubes at `level` or above that are part of this one the first of the lowest level;
        -1: there is none.
        """

    def whole(self, cube: Sequence[int], low: int, high: int, /) -> list[int]:
        """The cubes from level `low` to `high` of which this one is part."""

    def excludes(self, state: bytes, since: int, level: int, /) -> bool:
        """May the state be in a cube at `level` or above that has the number `since` or a later
        one? Digit n of the state says whether literal n is true; of literals beyond nothing is
        known.
        """


class Evaluation(Protocol):
    """A circuit in compiled code, with a bit of each value for each of many inputs
    (`blast.lanes`).
    """

    def __init__(self, sources: int, program: Sequence[int], wanted: Sequence[int], /) -> None:
        """Places: 1 is the constant true, then the sources, then the gates of the program, each as
        kind, number of inputs and signed places.
        """

    def run(self, values: bytes, width: int, /) -> bytes:
        """The values of the wanted literals for those of the sources, so many words of 64 bits
        each.
        """


class Unknowns(Protocol):
    """A circuit in compiled code that is evaluated with three values: true, false and unknown."""

    def __init__(self, sources: int, program: Sequence[int], /) -> None:
        """Places and program are as for `Evaluation`; sources have the numbers from 1 on."""

    def needed(
        self, state: Sequence[int], move: Sequence[int], roots: Sequence[int], /
    ) -> tuple[int, ...] | None:
        """Some of the signed numbers in `state` with which, and with `move`, all roots (signed
        places) are true whatever the others are; none of them can be spared, and the first are
        spared first. None: all of them do not suffice.
        """


def compiled(name: str) -> Any:
    """What has this name in compiled code, or None where it was not compiled or is not wanted."""
    if os.environ.get("OBLIGATO_PURE"):
        return None
    try:
        from obligato.smt import _cdcl  # type: ignore[attr-defined, unused-ignore]
    except ImportError:
        return None
    return getattr(_cdcl, name)


# a model, a table as above, numbers; None as above
Reading = Callable[[bytes, list[int], Sequence[int]], list[int] | None]

Relevant: type[CircuitSolver] | None = compiled("Solver")
Lemmas: type[CubeIndex] | None = compiled("Lemmas")
Words: type[Evaluation] | None = compiled("Words")
Ternary: type[Unknowns] | None = compiled("Ternary")
agreeing: Reading | None = compiled("agreeing")  # those of the numbers that are true in the model
# as `agreeing`, or False if one of the set is false in the model
joined: (
    Callable[[bytes, list[int], Sequence[int], Set[int]], list[int] | Literal[False] | None] | None
) = compiled("joined")
signed_as: Reading | None = compiled("signed_as")  # each number, or its negation where it is false
