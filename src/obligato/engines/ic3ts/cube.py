"""Cubes, lemmas and obligations over numbered literals.

A literal is a signed number: n says that bit (or predicate) number n is true, -n that it is false; what a number means is
known to the hooks alone. A cube is a sorted tuple of literals of different numbers. Beside it stand two integers, `mask` and
`value`, with bit n for literal n, so that inclusion is two machine-like operations: lemma includes cube iff
cube.mask & lemma.mask = lemma.mask and cube.value & lemma.mask = lemma.value. A *state* is such a value over all numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Cube = tuple[int, ...]


def cube_of(literals: Iterable[int]) -> Cube:
    """The cube of these literals."""
    return tuple(sorted(set(literals), key=abs))


def masks(cube: Cube) -> tuple[int, int]:
    """`mask` and `value` of a cube."""
    mask = value = 0
    for literal in cube:
        if literal > 0:
            bit = 1 << literal
            value |= bit
        else:
            bit = 1 << -literal
        mask |= bit
    return mask, value


@dataclass(slots=True, eq=False)
class Lemma:
    """The clause "not cube", known to hold in all states reachable in at most `level` steps.

    A dropped lemma (another one subsumes it) has level `frames.DROPPED`. `witness` is a state that kept the lemma from being
    pushed, and how many changes of the frames that state has survived.
    """

    cube: Cube
    mask: int
    value: int
    level: int
    witness: tuple[int, int] | None = None

    @classmethod
    def make(cls, cube: Cube, level: int) -> Lemma:
        """A lemma with its masks."""
        return cls(cube, *masks(cube), level)

    def excludes(self, state: int) -> bool:
        """Is the state one of the cube?"""
        return state & self.mask == self.value


@dataclass(slots=True, eq=False)
class Obligation:
    """A cube to be blocked at `level`: its states lead to `parent`'s cube (or violate a property) by `move`.

    `move` is the hooks' own: the inputs of the step. `depth` counts the steps to the violation.
    """

    level: int
    cube: Cube
    parent: Obligation | None
    move: Any
    depth: int

    def chain(self) -> list[Obligation]:
        """From this obligation to the violation."""
        out: list[Obligation] = []
        here: Obligation | None = self
        while here is not None:
            out.append(here)
            here = here.parent
        return out
