"""`iictl`: formulas of branching time by bounds that are refined on demand [HBS12].
Start reading at `engine.py`."""

from obligato.engines.iictl.run import Options, prove

__all__ = ["Options", "prove"]
