"""IC3 with approximate quantifier elimination [Tin12; CG12]. Start reading at `hooks.py`."""

from obligato.engines.ic3qe.options import Options
from obligato.engines.ic3qe.run import prove

__all__ = ["Options", "prove"]
