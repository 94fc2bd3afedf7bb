"""Values that often go wrong: the ends of a range, small numbers, the constants of a program and
their neighbours, random ones.

Floats are constants of the program, numbers between two of them, and now and then a special value
or any pattern of bits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    If,
    Program,
    Statement,
    While,
    statements,
)
from obligato.terms import Kind, Op, Sort, Term, Value, default_value, postorder
from obligato.terms.float_semantics import canonical, format_of
from obligato.terms.softfloat import RoundingMode, from_real, to_fraction

MOST_CONSTANTS = 60
SMALL = 12


@dataclass(frozen=True, slots=True)
class Values:
    """Values for the inputs of one program."""

    whole: list[int]
    fractions: list[Fraction]
    chance: random.Random

    @staticmethod
    def of(program: Program, chance: random.Random) -> Values:
        """Values to try that the program's constants suggest."""
        return Values(*_constants(program), chance)

    def any(self, sort: Sort, within: range | None = None) -> Value:
        """A value of a sort; one of `within`, if it is a whole number."""
        if sort.kind is Kind.BOOL:
            return self.chance.random() < 0.5
        if within is not None and sort.kind in (Kind.INT, Kind.BITVEC):
            return self.chance.choice(within) % (
                1 << (sort.width if sort.kind is Kind.BITVEC else 31)
            )
        if sort.kind is Kind.INT:
            return self._number(1 << 31)
        if sort.kind is Kind.BITVEC:
            return self._number(1 << (sort.width - 1)) % (1 << sort.width)
        return self._float(sort) if sort.kind is Kind.FLOAT else default_value(sort)

    def few(self) -> range:
        """A few small numbers: those that commands, events or states are numbered with."""
        first = self.chance.randrange(2)
        return range(first, first + self.chance.randrange(1, 9))

    def _number(self, half: int) -> int:
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.chance.choice((half - 1, -half, half - 2, half // 2, -half // 2))
        if kind == 1 or not self.whole:
            return self.chance.randrange(-half, half)
        if kind == 2:
            return self.chance.randrange(SMALL)
        if kind == 3:
            return self.chance.randrange(1 << self.chance.randrange(1, half.bit_length() + 1))
        return self.chance.choice(self.whole) + self.chance.choice((0, 0, 1, -1))

    def _float(self, sort: Sort) -> Value:
        kind = self.chance.randrange(8)
        if kind == 0:
            return canonical(sort, self.chance.randrange(1 << sort.width))
        if kind == 1:
            ones = (1 << sort.eb) - 1 << sort.sb - 1  # infinity; one more is NaN
            return canonical(
                sort,
                self.chance.choice((ones, ones | 1, ones | 1 << sort.width - 1, 1, 0, ones - 1)),
            )
        low, high = sorted(
            self.chance.choice(self.fractions) * self.chance.choice((1, -1)) for _ in range(2)
        )
        between = low + (high - low) * Fraction(self.chance.random())
        near = self.chance.choice((low, high)) if kind == 2 else between
        return from_real(format_of(sort), RoundingMode.RNE, near)


def _constants(program: Program) -> tuple[list[int], list[Fraction]]:
    """The numbers that occur in the program, in order."""
    whole = dict[int, None]()
    fractions = dict[Fraction, None]({Fraction(0): None, Fraction(1): None})
    terms = (t for p in program.procedures.values() for s in statements(p.body) for t in _terms(s))
    for t in postorder(terms):
        if t.op is Op.CONST and t.sort.kind is Kind.FLOAT:
            value = to_fraction(format_of(t.sort), int(str(t.data)))
            fractions |= {} if value is None else {value: None}
        elif t.op is Op.CONST and isinstance(t.data, int) and not isinstance(t.data, bool):
            whole[t.data] = None
    return list(whole)[:MOST_CONSTANTS], list(fractions)[:MOST_CONSTANTS]


def _terms(s: Statement) -> Iterator[Term]:
    if isinstance(s, Assign):
        yield from s.values
    elif isinstance(s, Call):
        yield from s.arguments
    elif isinstance(s, If | While | Assume | Assert) and s.condition is not None:
        yield s.condition
