"""What the operators of Lustre mean on Python's numbers, for the interpreter. Machine integers
wrap.
"""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

from obligato.frontends.lustre.types import INT, REAL, Machine, Type


class NoValue(Exception):
    """The operation has no value of its own: division by zero."""


def binary(op: str, a: Any, b: Any, t: Type) -> Any:
    """a op b, of operands of type `t`; raises NoValue on division of mathematical numbers by
    zero.
    """
    if op in _COMPARE:
        return _COMPARE[op](a, b)
    if isinstance(t, Machine):
        return t.wrap(_machine(op, a, b, t))
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if b == 0:
        raise NoValue
    if op == "/":
        return Fraction(a) / b
    remainder = a % abs(b)
    return remainder if op == "mod" else (a - remainder) // b


_COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "xor": lambda a, b: a != b,
}


def _machine(op: str, a: int, b: int, t: Machine) -> int:
    if op in ("div", "mod"):
        return _truncated(op, a, b)
    if op == "lsh":
        return a << b if b < t.width else 0
    if op == "rsh":
        return a >> min(b, t.width)
    if op == "&&":
        return a & b
    if op == "||":
        return a | b
    return {"+": a + b, "-": a - b, "*": a * b}[op]


def _truncated(op: str, a: int, b: int) -> int:
    """Division towards zero; by zero as SMT-LIB has it for bit-vectors."""
    if b == 0:
        return a if op == "mod" else 1 if a < 0 else -1
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient if op == "div" else a - b * quotient


def convert(value: Any, to: Type) -> Any:
    """A number in another type."""
    if isinstance(to, Machine):
        return to.wrap(int(value))
    if to == REAL:
        return Fraction(value)
    assert to == INT
    return floor(value)
