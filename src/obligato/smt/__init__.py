"""Solvers: one protocol, several backends, and what is built on them (DESIGN 3)."""

from obligato.smt.solver import SAT, UNKNOWN, UNSAT, Capabilities, SatResult, Solver, SolverStats

__all__ = ["SAT", "UNKNOWN", "UNSAT", "Capabilities", "SatResult", "Solver", "SolverStats"]
