"""The command line with a solver that fails: `faulty_main.py HOW NUMBER ARGUMENTS...` runs
`obligato ARGUMENTS...`, in which the check with that number, counted in each process, does what HOW
says, and from then on every hundredth.

HOW: failure (the error of a solver), bug (any other exception), memory (MemoryError), unknown (no
answer), crash (a segmentation fault), exit (the process ends without a word).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from itertools import count
from typing import Any

from obligato.cli.main import main
from obligato.errors import SolverFailure
from obligato.smt import UNKNOWN, SatResult
from obligato.smt.solver import Solver


def fail(how: str) -> SatResult:
    """What goes wrong."""
    match how:
        case "failure":
            raise SolverFailure("injected")
        case "bug":
            raise RuntimeError("injected")
        case "memory":
            raise MemoryError
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit":
            os._exit(1)
    return UNKNOWN


def inject(how: str, number: int) -> None:
    """Have checks of all solvers fail."""
    sound, asked = Solver.check, count(1)

    def check(
        self: Solver,
        assumptions: Sequence[Any] = (),
        *,
        budget: int | None = None,
        kind: str = "check",
    ) -> SatResult:
        n = next(asked)
        if n >= number and (n - number) % 100 == 0:
            return fail(how)
        return sound(self, assumptions, budget=budget, kind=kind)

    Solver.check = check  # type: ignore[method-assign]


if __name__ == "__main__":
    inject(sys.argv[1], int(sys.argv[2]))
    sys.argv = ["obligato", *sys.argv[3:]]
    main()
