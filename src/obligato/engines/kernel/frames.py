"""Frames of one location, delta-encoded [EMB11; LNNK19, 6.3]:
a lemma stands at the highest level where it is known to hold.

F_i is the lemmas of level i and above, so F_i implies F_(i+1) by construction. A transition system
has one location, an automaton one `Frames` for each. What a lemma is (numbered literals, or terms)
is known to the engine: see `Lemma`.

A lemma that could not be pushed has a `CTP`, a counterexample to propagation: a state of a frame
that steps into its cube. Every change of the frames is logged, so that a CTP is tested against the
lemmas that are new to it only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from obligato.engines.environment import Environment


class Lemma(Protocol):
    """A clause that blocks `cube`; it holds at all levels up to `level`.
    `dropped`: another lemma subsumes it."""

    level: int
    dropped: bool
    ctp: CTP | None

    @property
    def cube(self) -> Any:
        """The literals."""

    def subsumed(self, lemmas: Sequence[Self]) -> list[Self]:
        """The other lemmas, of those given, that this lemma makes superfluous: their cubes have all
        its literals.
        """

    @staticmethod
    def may_exclude(lemmas: Iterable[Any], state: Any) -> bool:
        """Is the state in the cube of one of the lemmas? True also if that cannot be told."""


_L = TypeVar("_L", bound=Lemma)


@dataclass(slots=True, eq=False)
class CTP:
    """A counterexample to propagation: a state of `frames` that steps into a lemma's cube.
    It was still there after the first `seen` changes."""

    frames: Frames[Any]
    state: Any
    seen: int

    def survives(self, level: int) -> bool:
        """Is the state certainly still in F_level, where it was before?
        Then it has seen all changes.

        A lemma below `level` may be passed over for good: when it is pushed that is a change again.
        """
        if self.frames.may_exclude(self.state, self.seen, level):
            return False
        self.seen = len(self.frames.changes)
        return True


class Frames(Generic[_L]):
    """All lemmas of one location by level; level 0 has none. `tell` is called when a lemma is new
    or has moved up, with its old level then; `forget` when it is dropped: it still holds, but is
    not needed. `labels` say in the event log where it is."""

    def __init__(
        self,
        top: int,
        env: Environment,
        tell: Callable[[_L, int | None], None],
        forget: Callable[[_L], None],
        **labels: int,
    ) -> None:
        self.env, self.tell, self.forget, self.labels = env, tell, forget, labels
        # a debug checker: called with each lemma at its level
        self.inspect: Callable[[_L], None] | None = None
        self.lemmas: list[list[_L]] = [[] for _ in range(top + 1)]
        self.changes: list[_L] = []

    @property
    def top(self) -> int:
        """The frontier."""
        return len(self.lemmas) - 1

    def open_level(self) -> None:
        """Open the next level."""
        self.lemmas.append([])

    def at(self, level: int) -> Iterator[_L]:
        """The lemmas of F_level."""
        for lemmas in self.lemmas[level:]:
            yield from lemmas

    def add(self, lemma: _L) -> None:
        """Block the lemma's cube at all levels up to its own."""
        self._place(lemma, None)
        self.env.count("lemmas")
        self.env.event("lemma", **self.labels, level=lemma.level, cube=lemma.cube)

    def push(self, lemma: _L, level: int) -> None:
        """Move a lemma up."""
        old = lemma.level
        self.lemmas[old].remove(lemma)
        lemma.level, lemma.ctp = level, None
        self._place(lemma, old)
        self.env.count("pushed")
        self.env.event("push", **self.labels, level=level, cube=lemma.cube)

    def _place(self, lemma: _L, old_level: int | None) -> None:
        """Put a lemma at its level; lemmas up to there that it subsumes go. One that moves up has
        done so below already: a lemma that came later is about states that this one did not
        exclude."""
        gone = self._subsumed(lemma, old_level or 1)
        for x in gone:
            x.dropped = True
            self.forget(x)
            self.env.event("drop", **self.labels, cube=x.cube)
        for level in dict.fromkeys([x.level for x in gone]):
            self.lemmas[level][:] = [x for x in self.lemmas[level] if not x.dropped]
        self.lemmas[lemma.level].append(lemma)
        self.changes.append(lemma)
        self.tell(lemma, old_level)
        if self.inspect is not None:
            self.inspect(lemma)

    def _subsumed(self, lemma: _L, low: int) -> list[_L]:
        """The lemmas that it subsumes from level `low` up to its own."""
        return [x for here in self.lemmas[low : lemma.level + 1] for x in lemma.subsumed(here)]

    def may_exclude(self, state: Any, since: int, level: int) -> bool:
        """Is the state in the cube of a lemma of F_level that is new after so many changes?
        True also if that is not known."""
        new = [x for x in self.changes[since:] if x.level >= level]
        return bool(new) and new[0].may_exclude(new, state)

    def ctp(self, state: Any) -> CTP:
        """A CTP that begins in this state, which is in the frame now."""
        return CTP(self, state, len(self.changes))


def propagate(all_frames: Sequence[Frames[_L]], refuted: Callable[[_L], CTP | bool]) -> int | None:
    """Push each lemma to the next level if it holds there;
    a level i with F_i = F_(i+1) everywhere, if there is one.

    `refuted` asks for a step from F_level into the lemma's cube:
    a CTP, True (not known to be unreachable), or False.
    Ensures: each lemma below the frontier either has a CTP or could not be decided, or has been
    pushed, up to the level that is returned: F_i is inductive then.
    """
    for level in range(1, all_frames[0].top):
        for frames in all_frames:
            for lemma in list(frames.lemmas[level]):
                if not lemma.dropped and _pushable(lemma, refuted, frames.env):
                    frames.push(lemma, level + 1)
        if not any(frames.lemmas[level] for frames in all_frames):
            return level
    return None


def _pushable(lemma: _L, refuted: Callable[[_L], CTP | bool], env: Environment) -> bool:
    if lemma.ctp is not None and lemma.ctp.survives(lemma.level):
        env.count("push_skipped")
        return False
    answer = refuted(lemma)
    lemma.ctp = answer if isinstance(answer, CTP) else None
    return answer is False
