"""VMT-LIB: `load` and `parse` read a transition system, `vmt_text` writes one."""

from obligato.frontends.vmt.reader import load, parse
from obligato.frontends.vmt.writer import vmt_text

__all__ = ["load", "parse", "vmt_text"]
