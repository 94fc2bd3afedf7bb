"""Our own SAT solver for questions about circuits, where it has been compiled (`smt/native/cdcl.h`); else there is none.

It is optional: without it the same questions go to MiniSat, which is what runs are compared with. `OBLIGATO_PURE=1` in the
environment has it ignored. `make setup` compiles it if there is a C compiler (hatch_build.py).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol


class CircuitSolver(Protocol):
    """The compiled solver. Literals are signed numbers of variables, which exist once they are named.

    A question is about the variables in clauses, in assumptions and in what they depend on through gates; a model has values
    for these, and 0 for all others: each of them that is no gate may have any value.
    """

    def gate(self, kind: int, variable: int, inputs: Sequence[int], /) -> None:
        """Define a variable as a function of others; `kind` is one of `blast.gates`."""

    def fact(self, literal: int, /) -> None:
        """Tell a literal that follows from the gates."""

    def add(self, clause: Sequence[int], guard: int = 0, /) -> None:
        """Assert a clause, or the guard; the guard is not relevant to questions that do not assume its opposite."""

    def limit(self, conflicts: int, /) -> None:
        """How many conflicts each question may take."""

    def solve(self, assumptions: Sequence[int], clause: Sequence[int] | None, /) -> int:
        """1 satisfiable, 0 not, -1 the limit was reached; the clause, if any, is part of this question only."""

    def model(self) -> bytes:
        """After 1: entry v is 1 if variable v is true."""

    def core(self) -> list[int]:
        """After 0: the assumptions that took part."""

    def work(self) -> int:
        """How many literals were propagated so far."""

    def close(self) -> None:
        """Free the memory."""


def compiled() -> type[CircuitSolver] | None:
    """The solver, or None where it was not compiled or is not wanted."""
    if os.environ.get("OBLIGATO_PURE"):
        return None
    try:
        from obligato.smt._cdcl import Solver  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    found: type[CircuitSolver] = Solver
    return found


Relevant = compiled()
