"""The frames of a transition system: one location (`kernel.frames`), lemmas over numbered literals.

For all levels i < top:   F_i implies F_(i+1) (by construction), and
                          F_i and C and T implies F_(i+1)'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from obligato.engines.ic3ts.cube import Cube, Lemma, masks
from obligato.engines.ic3ts.hooks import Hooks, Query, Reached, Unreached
from obligato.engines.kernel import frames as kernel
from obligato.smt.relevant import Lemmas

if TYPE_CHECKING:
    from obligato.engines.environment import Environment


class Frames(kernel.Frames[Lemma]):
    """All lemmas by level; level 0 holds none (F_0 is the initial states).
    The hooks are told of each."""

    def __init__(self, hooks: Hooks, env: Environment) -> None:
        super().__init__(0, env, lambda lemma, _: hooks.add_lemma(lemma), self._forget)
        self.hooks = hooks
        self._index = None if Lemmas is None else Lemmas()  # entry n is the n-th change
        # without an index, by literal, lemmas with it, also some that were dropped
        self._having: dict[int, list[Lemma]] = {}

    def add(self, lemma: Lemma) -> None:
        """See `kernel.frames.Frames.add`."""
        super().add(lemma)
        for literal in lemma.cube if self._index is None else ():
            having = self._having.setdefault(literal, [])
            having.append(lemma)
            if len(having) & len(having) - 1 == 0:  # now and then
                having[:] = [x for x in having if not x.dropped]

    def _place(self, lemma: Lemma, old_level: int | None) -> None:
        if old_level is not None:
            self._forget(lemma)
        super()._place(lemma, old_level)
        if self._index is not None:
            lemma.place = self._index.place(lemma.cube, lemma.level)

    def _forget(self, lemma: Lemma) -> None:
        if self._index is not None:
            self._index.remove(lemma.place)

    def _subsumed(self, lemma: Lemma, low: int) -> list[Lemma]:
        """See `kernel.frames.Frames._subsumed`;
        without an index, among those with the cube's rarest literal."""
        if self._index is not None:
            return [self.changes[n] for n in self._index.whole(lemma.cube, low, lemma.level)]
        if not lemma.cube:
            return super()._subsumed(lemma, low)
        rarest = min([self._having.get(x, []) for x in lemma.cube], key=len)
        return lemma.subsumed(
            [x for x in rarest if low <= x.level <= lemma.level and not x.dropped]
        )

    def may_exclude(self, state: Any, since: int, level: int) -> bool:
        """See `kernel.frames.Frames.may_exclude`."""
        if self._index is not None:
            return self._index.excludes(state, since, level)
        return super().may_exclude(state, since, level)

    def extend(self) -> None:
        """Open the next level."""
        self.open_level()
        self.hooks.extend()

    def subsumer(self, cube: Cube, level: int) -> Lemma | None:
        """A lemma of F_level whose cube includes this one."""
        if self._index is not None:
            n = self._index.part(cube, level)
            return None if n < 0 else self.changes[n]
        mask, value = masks(cube)
        for lemmas in self.lemmas[level:]:
            for x in lemmas:
                if mask & x.mask == x.mask and value & x.mask == x.value:
                    return x
        return None

    def parent(self, cube: Cube, level: int) -> Lemma | None:
        """A lemma that is known to hold up to the level below only and whose cube includes this one,
        if no lemma of F_level has such a cube."""
        found = self.subsumer(cube, level - 1)
        return found if found is not None and found.level == level - 1 else None

    def propagate(self) -> int | None:
        """Push lemmas [Bra12, 2.1]; a level with F_i = F_(i+1), if there is one:
        F_i is then inductive."""
        return kernel.propagate([self], self._refuted)

    def _refuted(self, lemma: Lemma) -> kernel.CTP | bool:
        # F_i and C and T and g': unsat - the lemma holds one level higher;
        # sat - remember why not   (heuristic)
        answer = self.hooks.predecessor(Query(lemma.cube, lemma.level, "push", in_frame=True))
        if isinstance(answer, Reached):
            width = self.hooks.width
            return self.ctp((answer.state, width) if self._index is None else answer.digits(width))
        return not isinstance(answer, Unreached)
