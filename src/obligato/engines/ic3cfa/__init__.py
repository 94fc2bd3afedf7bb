"""IC3CFA: IC3 on control-flow automata [LNNK19]. Start reading at `engine.py`."""

from obligato.engines.ic3cfa.options import Options
from obligato.engines.ic3cfa.run import prove

__all__ = ["Options", "prove"]
