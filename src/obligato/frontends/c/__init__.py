"""The C front end: C source in, IVL `Program` out, bit-precise for the chosen data model, or a
refusal with its place.
"""

from obligato.frontends.c.driver import load

__all__ = ["load"]
