"""Model-based projection on our own terms;
quantifier elimination is in `qe`, which loads z3's Python package."""

from obligato.smt.projection.project import Projection, project

__all__ = ["Projection", "project"]
