"""`fair`: is there a fair run? By skeletons, stems, cycles and walls [BSHZ11]. Start reading at
`engine.py`.
"""

from obligato.engines.fair.run import Options, prove

__all__ = ["Options", "prove"]
