"""Bounded model checking: of transition systems (`systems`) and of programs along their control
flow (`programs`)."""

from obligato.engines.bmc.options import Options
from obligato.engines.bmc.programs import prove_cfa
from obligato.engines.bmc.systems import prove, violation

__all__ = ["Options", "prove", "prove_cfa", "violation"]
