"""Tree-IC3: IC3 along the paths of an unwinding of the program."""

from obligato.engines.treeic3.options import Options
from obligato.engines.treeic3.run import prove

__all__ = ["Options", "prove"]
