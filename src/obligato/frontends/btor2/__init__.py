"""BTOR2: the word-level format of hardware model checking. Start reading at `reader.py`."""

from obligato.frontends.btor2.reader import Btor2Model, load, read
from obligato.frontends.btor2.witness import read_witness, witness_text
from obligato.frontends.btor2.writer import btor2_text

__all__ = ["Btor2Model", "btor2_text", "load", "read", "read_witness", "witness_text"]
