"""CTIGAR: abstraction refinement guided by counterexamples to induction [BBW14]. Start reading at
`hooks.py`.
"""

from obligato.engines.ctigar.options import Options
from obligato.engines.ctigar.run import prove

__all__ = ["Options", "prove"]
