"""AIGER: the bit-level format of hardware model checking. Start reading at `reader.py`."""

from obligato.frontends.aiger.reader import AigerModel, load, read

__all__ = ["AigerModel", "load", "read"]
