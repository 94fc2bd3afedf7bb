"""Bit-blasting: Boolean and bit-vector terms to hash-consed gates,
gates to clauses (DESIGN 3.4)."""

from obligato.smt.blast.cnf import CLAUSES
from obligato.smt.blast.context import BlastContext
from obligato.smt.blast.gates import TRUE, Gates

__all__ = ["CLAUSES", "TRUE", "BlastContext", "Gates"]
