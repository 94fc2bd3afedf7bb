"""Propagation [Bra12, 2.1]: push each lemma to the next level where it is inductive relative to its own.

A lemma that cannot be pushed keeps a witness, a state of the frame that steps into its cube; it is asked about again only when
the witness has left the frame.
"""

from __future__ import annotations

from obligato.engines.ic3ts.cube import Lemma
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.hooks import Hooks, Query, Reached, Unreached


def propagate(frames: Frames, hooks: Hooks) -> int | None:
    """Push what can be pushed; a level i < top with F_i = F_(i+1), if there is one: F_i is then inductive."""
    for level in range(1, frames.top):
        for lemma in list(frames.lemmas[level]):
            if lemma.level == level and _pushable(frames, hooks, lemma):
                frames.push(lemma, level + 1)
        if not frames.lemmas[level]:
            return level
    return None


def _pushable(frames: Frames, hooks: Hooks, lemma: Lemma) -> bool:
    if frames.keeps_witness(lemma):
        frames.env.count("push_skipped")
        return False
    # F_i and C and T and g': unsat - the lemma holds one level higher; sat - remember why not; unknown - it stays  (heuristic)
    answer = hooks.predecessor(Query(lemma.cube, lemma.level, "push", in_frame=True))
    if isinstance(answer, Reached):
        frames.remember(lemma, answer.state)
    return isinstance(answer, Unreached)
