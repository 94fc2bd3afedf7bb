"""z3's Horn solver Spacer on a file of constrained Horn clauses, as a peer to compare with; our
engines do not use it.

Limitation: z3's parameters are global to the process: call it in a process of its own.
"""

from __future__ import annotations

import z3

from obligato.errors import InputError
from obligato.smt.solver import SAT, UNKNOWN, UNSAT, SatResult


def version() -> str:
    """The version of z3, of which Spacer is a part."""
    return f"z3 {z3.get_version_string()}"


def solve_horn(text: str, rlimit: int | None = None) -> tuple[SatResult, str]:
    """Is there a solution of the clauses in `text` (SMT-LIB, HORN)? With the reason of an
    unknown.
    """
    context = z3.Context()
    solver = z3.SolverFor("HORN", ctx=context)
    solver.set("engine", "spacer")
    if rlimit is not None:
        solver.set("rlimit", rlimit)
    try:
        solver.from_string(text)
    except z3.Z3Exception as problem:
        raise InputError(f"Spacer cannot read the clauses: {_message(problem)}") from problem
    try:
        # clauses: sat: a solution exists, no error is reachable; unsat: false is derivable, an
        # error is reachable
        answer = solver.check()
    except z3.Z3Exception as problem:
        return UNKNOWN, _message(problem)
    if answer == z3.unknown:
        return UNKNOWN, str(solver.reason_unknown())
    return (SAT if answer == z3.sat else UNSAT), ""


def _message(problem: z3.Z3Exception) -> str:
    """z3 gives bytes now and then."""
    value = problem.value
    return (value.decode(errors="replace") if isinstance(value, bytes) else str(value)).strip()
