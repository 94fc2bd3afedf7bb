"""Infinite runs of programs: ranking functions from samples, lassos and recurrence sets, by
IC3CFA.
"""

from obligato.engines.rank.options import Options
from obligato.engines.rank.run import prove
from obligato.engines.rank.systems import prove_live

__all__ = ["Options", "prove", "prove_live"]
