"""Frames, delta-encoded [EMB11]: a lemma stands at the highest level where it is known to hold.

For all levels i < top:   F_i implies F_(i+1)   (by construction)   and   F_i and C and T implies F'_(i+1).
Every change is logged, so that a *witness* (a state that keeps a lemma from being pushed) is tested against new lemmas only.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.engines.environment import Environment
from obligato.engines.ic3ts.cube import Cube, Lemma, Witness, masks
from obligato.engines.ic3ts.hooks import Hooks

DROPPED = -1  # the level of a lemma that another one subsumes


class Frames:
    """All lemmas by level; level 0 holds none (F_0 is the initial states)."""

    def __init__(self, hooks: Hooks, env: Environment) -> None:
        self.hooks, self.env = hooks, env
        self.lemmas: list[list[Lemma]] = [[]]
        self._changes: list[Lemma] = []

    @property
    def top(self) -> int:
        """The frontier."""
        return len(self.lemmas) - 1

    def extend(self) -> None:
        """Open the next level."""
        self.lemmas.append([])
        self.hooks.extend()

    def at(self, level: int) -> Iterator[Lemma]:
        """The lemmas of F_level."""
        for lemmas in self.lemmas[level:]:
            yield from lemmas

    def subsumer(self, cube: Cube, level: int) -> Lemma | None:
        """A lemma of F_level whose cube includes this one."""
        mask, value = masks(cube)
        for lemmas in self.lemmas[level:]:
            for x in lemmas:
                if mask & x.mask == x.mask and value & x.mask == x.value:
                    return x
        return None

    def add(self, cube: Cube, level: int) -> Lemma:
        """Block `cube` at all levels up to `level`; lemmas there that it subsumes go."""
        lemma = Lemma.make(cube, level)
        self._remove_subsumed(lemma)
        self._place(lemma)
        self.env.count("lemmas")
        self.env.event("lemma", level=level, cube=cube)
        return lemma

    def push(self, lemma: Lemma, level: int) -> None:
        """Move a lemma up; lemmas there that it subsumes go."""
        self.lemmas[lemma.level].remove(lemma)
        lemma.level, lemma.witness = level, None
        self._remove_subsumed(lemma)
        self._place(lemma)
        self.env.count("pushed")
        self.env.event("push", level=level, cube=lemma.cube)

    def _place(self, lemma: Lemma) -> None:
        self.lemmas[lemma.level].append(lemma)
        self._changes.append(lemma)
        self.hooks.add_lemma(lemma)

    def _remove_subsumed(self, lemma: Lemma) -> None:
        mask, value = lemma.mask, lemma.value
        for level in range(1, lemma.level + 1):
            here = self.lemmas[level]
            gone = [x for x in here if x.mask & mask == mask and x.value & mask == value and x is not lemma]
            if gone:
                for x in gone:
                    x.level = DROPPED
                here[:] = [x for x in here if x.level == level]

    # -- witnesses ----------------------------------------------------------------------------------------------------

    def remember(self, lemma: Lemma, state: int) -> None:
        """The state is in F_(lemma.level) and steps into the lemma's cube: it cannot be pushed."""
        lemma.witness = Witness(state, self.hooks.width, len(self._changes))

    def keeps_witness(self, lemma: Lemma) -> bool:
        """Is the lemma's witness certainly still in F_(lemma.level)?"""
        witness = lemma.witness
        if witness is None or any(x.level >= lemma.level and x.may_exclude(witness) for x in self._changes[witness.seen :]):
            return False
        witness.seen = len(self._changes)
        return True
