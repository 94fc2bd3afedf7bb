"""Named constructors for floating point; what SMT-LIB leaves open is made explicit here (terms.softfloat says how)."""

from __future__ import annotations


class FloatBuilders:
    """Float constructors."""
