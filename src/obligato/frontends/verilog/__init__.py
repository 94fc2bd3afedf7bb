"""Verilog and SystemVerilog, through Yosys. Start reading at `reader.py`."""

from obligato.frontends.verilog.reader import load

__all__ = ["load"]
