"""BTOR2: the word-level format of hardware model checking. Start reading at `reader.py`."""

from obligato.frontends.btor2.reader import Btor2Model, load, read

__all__ = ["Btor2Model", "load", "read"]
