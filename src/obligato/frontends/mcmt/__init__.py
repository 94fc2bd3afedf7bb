"""MCMT, the input language of Sally: transition systems by their initial states, their transitions
and queries.
"""

from obligato.frontends.mcmt.reader import load, parse

__all__ = ["load", "parse"]
