"""`ic3`: Boolean IC3 on the bits of a transition system [Bra12; EMB11]. The algorithm is in
`engines.ic3ts`, the questions here in `hooks.py`.
"""

from obligato.engines.ic3.run import Options, prove

__all__ = ["Options", "prove"]
