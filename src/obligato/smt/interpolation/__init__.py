"""Interpolants, verified before they are returned (DESIGN 3.6)."""

from obligato.smt.interpolation.verified import interpolate, sequence_interpolants

__all__ = ["interpolate", "sequence_interpolants"]
