"""Cubes, lemmas and obligations over numbered literals.

A literal is a signed number: n says that bit (or predicate) number n is true, -n that it is false;
what a number means is known to the hooks alone. A cube is a sorted tuple of literals of different
numbers. Beside it stand two integers, `mask` and `value`, with bit n for literal n, so that
inclusion is two machine-like operations: lemma includes cube iff cube.mask & lemma.mask =
lemma.mask and cube.value & lemma.mask = lemma.value. A *state* is such a value over all numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from obligato.engines.kernel.obligation import Obligation as KernelObligation
from obligato.terms import Term, Value

if TYPE_CHECKING:
    from obligato.engines.kernel.frames import CTP

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


def has_state(cube: Cube, state: int) -> bool:
    """Is the state (bit n is the truth of number n) one of the cube?"""
    mask, value = masks(cube)
    return state & mask == value


def put_in(table: Sequence[int], cube: Iterable[int]) -> list[int]:
    """The literals of a cube by a table that has the literal of each number."""
    return [table[n] if n > 0 else -table[-n] for n in cube]


@dataclass(slots=True, eq=False)
class Lemma:
    """The clause "not cube", known to hold in all states reachable in at most `level` steps."""

    cube: Cube
    mask: int
    value: int
    level: int
    ctp: CTP | None = None
    dropped: bool = False
    place: int = 0  # in the index of lemmas

    @classmethod
    def make(cls, cube: Cube, level: int) -> Lemma:
        """A lemma with its masks."""
        return cls(cube, *masks(cube), level)

    def subsumed(self, lemmas: Sequence[Lemma]) -> list[Lemma]:
        """See `kernel.frames.Lemma`."""
        mask, value = self.mask, self.value
        return [
            x for x in lemmas if x.mask & mask == mask and x.value & mask == value and x is not self
        ]

    @staticmethod
    def may_exclude(lemmas: Iterable[Lemma], state: tuple[int, int]) -> bool:
        """See `kernel.frames.Lemma`; a state is its bits and the number of literals that it
        decides: later ones it does not."""
        bits, width = state
        beyond = 1 << width
        for x in lemmas:
            mask = x.mask
            if bits & mask == x.value or mask >= beyond:
                return True
        return False


@dataclass(slots=True, eq=False)
class Obligation(KernelObligation[Cube]):
    """A cube to be blocked at `level`:
    its states lead to `parent`'s cube (or violate a property) by `move`.

    `move` is the hooks' own: the inputs of the step. Where the abstraction was too coarse to lift
    the step, `state` is the concrete state of which alone that is known [BBW14, 3.2]; `spurious`
    counts the steps on the way to the violation that no concrete state of the successor's
    obligation justifies (consecution abstraction failures). `subsumer` is the lemma that was found
    to exclude the cube the last time: an obligation comes back at each new frontier.
    """

    move: Any
    state: ConcreteState | None = None
    spurious: int = 0
    subsumer: Lemma | None = None
