"""Lustre (the dialect of Kind 2): `load` reads a file as a transition system."""

from obligato.frontends.lustre.system import LustreModel, load, read

__all__ = ["LustreModel", "load", "read"]
