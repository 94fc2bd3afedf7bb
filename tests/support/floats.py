"""Python's floats as patterns of FLOAT64, and back."""

from __future__ import annotations

import struct

from obligato.terms.softfloat import FLOAT64, canonical


def from_python_float(value: float) -> int:
    """The FLOAT64 pattern of a Python float."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return canonical(FLOAT64, int(bits))


def to_python_float(x: int) -> float:
    """The Python float of a FLOAT64 pattern."""
    (value,) = struct.unpack("<d", struct.pack("<Q", x))
    return float(value)
