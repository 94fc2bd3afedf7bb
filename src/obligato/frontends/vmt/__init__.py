"""The VMT-LIB front end: SMT-LIB with annotations to a transition system. `load` reads a file, `parse` a string."""

from obligato.frontends.vmt.reader import load, parse

__all__ = ["load", "parse"]
