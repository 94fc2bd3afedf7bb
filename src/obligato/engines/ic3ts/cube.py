"""Cubes, lemmas and obligations over numbered literals.

A literal is a signed number: n says that bit (or predicate) number n is true, -n that it is false; what a number means is
known to the hooks alone. A cube is a sorted tuple of literals of different numbers. Beside it stand two integers, `mask` and
`value`, with bit n for literal n, so that inclusion is two machine-like operations: lemma includes cube iff
cube.mask & lemma.mask = lemma.mask and cube.value & lemma.mask = lemma.value. A *state* is such a value over all numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from obligato.terms import Term, Value

Cube = tuple[int, ...]
ConcreteState = Mapping[Term, Value]


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
class Witness:
    """A state that keeps a lemma from being pushed: it is in the lemma's frame and steps into the lemma's cube.

    `width`: the state decides the numbers below. `seen`: so many changes of the frames has it survived.
    """

    state: int
    width: int
    seen: int


@dataclass(slots=True, eq=False)
class Lemma:
    """The clause "not cube", known to hold in all states reachable in at most `level` steps.

    A dropped lemma (another one subsumes it) has level `frames.DROPPED`.
    """

    cube: Cube
    mask: int
    value: int
    level: int
    witness: Witness | None = None

    @classmethod
    def make(cls, cube: Cube, level: int) -> Lemma:
        """A lemma with its masks."""
        return cls(cube, *masks(cube), level)

    def may_exclude(self, witness: Witness) -> bool:
        """Is the witness in the cube, or does it not decide all literals of the cube?"""
        return witness.state & self.mask == self.value or self.mask >> witness.width != 0


@dataclass(slots=True, eq=False)
class Obligation:
    """A cube to be blocked at `level`: its states lead to `parent`'s cube (or violate a property) by `move`.

    `move` is the hooks' own: the inputs of the step. `depth` counts the steps to the violation. Where the abstraction was too
    coarse to lift the step, `state` is the concrete state of which alone that is known [BBW14, 3.2]; `spurious` counts the
    steps on the way to the violation that no concrete state of the successor's obligation justifies (consecution abstraction
    failures).
    """

    level: int
    cube: Cube
    parent: Obligation | None
    move: Any
    depth: int
    state: ConcreteState | None = None
    spurious: int = 0

    def chain(self) -> list[Obligation]:
        """From this obligation to the violation."""
        out: list[Obligation] = []
        here: Obligation | None = self
        while here is not None:
            out.append(here)
            here = here.parent
        return out
