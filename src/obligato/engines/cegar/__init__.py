"""CEGAR on programs: lazy predicate abstraction with an abstract reachability graph."""

from obligato.engines.cegar.options import Options
from obligato.engines.cegar.run import prove

__all__ = ["Options", "prove"]
