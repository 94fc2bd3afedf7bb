"""SMV, the language of NuSMV and nuXmv: modules, enumerations, words, sets; INVARSPEC, LTLSPEC, CTLSPEC."""

from obligato.frontends.smv.system import load, read

__all__ = ["load", "read"]
