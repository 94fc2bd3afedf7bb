"""The front end for constrained Horn clauses.

`load` and `parse` give linear ones as a CFA, `load_system` and `parse_system` all as they are.
"""

from obligato.frontends.chc.reader import load, load_system, parse, parse_system
from obligato.frontends.chc.to_cfa import HornCFA

__all__ = ["HornCFA", "load", "load_system", "parse", "parse_system"]
