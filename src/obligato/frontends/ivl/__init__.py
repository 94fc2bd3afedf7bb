"""The IVL front end: text to Program. `load` reads a file, `parse` a string."""

from obligato.frontends.ivl.reader import load, parse

__all__ = ["load", "parse"]
