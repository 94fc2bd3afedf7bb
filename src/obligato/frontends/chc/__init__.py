"""The front end for linear constrained Horn clauses: SMT-LIB to a CFA. `load` reads a file, `parse` a string."""

from obligato.frontends.chc.reader import load, parse
from obligato.frontends.chc.to_cfa import HornCFA

__all__ = ["HornCFA", "load", "parse"]
