"""Summaries: IC3 for Horn clauses and for programs with recursive procedures [HB12; KGC14]."""

from obligato.engines.summaries.options import Options
from obligato.engines.summaries.run import prove_horn

__all__ = ["Options", "prove_horn"]
