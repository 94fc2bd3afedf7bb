"""Which literals of a blocked cube are not tried: those of a lemma that could not be pushed to its
level (`keep_parent`), found with and without the compiled index of lemmas.
"""

from __future__ import annotations

from typing import Any

import pytest

from obligato.engines.environment import Environment
from obligato.engines.ic3ts import SkeletonOptions, frames
from obligato.engines.ic3ts.cube import Cube, Lemma
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.generalize import Generalizer
from obligato.engines.ic3ts.hooks import Query, Unreached
from obligato.smt.relevant import Lemmas


class Unreachable:
    """Hooks of a system in which no cube is reached in a step."""

    def __init__(self) -> None:
        self.asked: list[Cube] = []

    def add_lemma(self, lemma: Lemma) -> None:
        """Nothing is asked about lemmas."""

    def extend(self) -> None:
        """Frames are not asked about."""

    def meets_initial(self, cube: Cube) -> bool:
        """No cube has an initial state."""
        return False

    def predecessor(self, query: Query) -> Unreached:
        """The whole cube is the core."""
        self.asked.append(query.cube)
        return Unreached(query.cube)


@pytest.mark.parametrize("compiled", [False, *([] if Lemmas is None else [True])])
def test_literals_of_the_parent_are_kept(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not compiled:
        monkeypatch.setattr(frames, "Lemmas", None)
    env, hooks = Environment(), Unreachable()
    lemmas = Frames(hooks, env)  # type: ignore[arg-type]
    for _ in range(3):
        lemmas.extend()
    pushed, stuck = Lemma.make((1, 2), 1), Lemma.make((-3, 5), 1)
    lemmas.add(pushed)
    lemmas.push(pushed, 2)
    lemmas.add(stuck)

    def found(cube: Cube, level: int, keep: bool) -> Any:
        hooks.asked.clear()
        options = SkeletonOptions(keep_parent=keep)
        learn = lambda cube, level: level  # noqa: E731
        return Generalizer(hooks, options, env, learn, lemmas.parent).generalize(  # type: ignore[arg-type]
            cube, level
        )

    assert found((-3, 4, 5, 6), 2, True) == (-3, 5) and hooks.asked == [(-3, 5, 6), (-3, 5)]
    assert len(found((-3, 4, 5, 6), 2, False)) == 1
    # the lemma is two levels below, and one of the level of the cube; nothing is kept
    assert len(found((-3, 4, 5, 6), 3, True)) == 1
    assert lemmas.parent((1, 2, 4), 2) is None and lemmas.parent((1, 2, 4), 3) is pushed
    assert lemmas.parent((3, 5), 2) is None and lemmas.parent((-3, 5), 1) is None
