"""AIGER: the bit-level format of hardware model checking. Start reading at `reader.py`."""

from obligato.frontends.aiger.reader import AigerModel, load, read
from obligato.frontends.aiger.witness import read_witness, witness_text
from obligato.frontends.aiger.writer import aiger_bytes

__all__ = ["AigerModel", "aiger_bytes", "load", "read", "read_witness", "witness_text"]
