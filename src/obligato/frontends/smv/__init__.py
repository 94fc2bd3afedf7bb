"""SMV, the language of NuSMV and nuXmv: modules, enumerations, words, sets; INVARSPEC, LTLSPEC,
CTLSPEC.
"""

from obligato.frontends.smv.system import load, read
from obligato.frontends.smv.writer import smv_text

__all__ = ["load", "read", "smv_text"]
