"""Model-based projection and quantifier elimination on our own terms (DESIGN 3.7)."""

from obligato.smt.projection.project import Projection, project
from obligato.smt.projection.qe import eliminate, eliminate_by_z3

__all__ = ["Projection", "eliminate", "eliminate_by_z3", "project"]
