"""IC3IA: IC3 with implicit predicate abstraction [CGMT16]. Start reading at `hooks.py`."""

from obligato.engines.ic3ia.options import Options
from obligato.engines.ic3ia.run import prove

__all__ = ["Options", "prove"]
