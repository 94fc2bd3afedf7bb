"""The backends under contract and how the tests make them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from obligato.smt import Solver, SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, Sort

Z3_COMMAND = Path(sys.executable).with_name("z3")  # the wheel of z3 brings it along
PIPE = f"pipe:{Z3_COMMAND} -in"
BACKENDS = (
    "sat",
    "sat-minisat22",
    "sat-glucose4",
    "sat-cadical153",
    "bitwuzla",
    "cvc5",
    "z3",
    PIPE,
)

every_backend = pytest.mark.parametrize("backend", BACKENDS, ids=lambda b: b.partition(":")[0])


def maker(
    backend: str, sorts: Sequence[Sort] = (BOOL,), stats: SolverStats | None = None
) -> Callable[[], Solver]:
    """Makes solvers of `backend` that share one translation."""
    if backend == PIPE and not Z3_COMMAND.exists():
        pytest.skip("the z3 executable is not installed")
    return solver_factory(sorts, prefer=backend, stats=stats)
