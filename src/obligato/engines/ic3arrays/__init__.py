"""IC3 on watched cells of large arrays. Start reading at `models/ts_cells.py`, then `engine.py`."""

from obligato.engines.ic3arrays.options import Options
from obligato.engines.ic3arrays.run import INCOMPLETE, prove

__all__ = ["INCOMPLETE", "Options", "prove"]
