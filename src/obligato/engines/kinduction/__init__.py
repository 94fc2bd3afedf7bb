"""k-induction: on transition systems (`systems`) and on programs, with k counted in large blocks
(`programs`).
"""

from obligato.engines.kinduction.options import Options
from obligato.engines.kinduction.programs import prove_cfa
from obligato.engines.kinduction.systems import prove

__all__ = ["Options", "prove", "prove_cfa"]
