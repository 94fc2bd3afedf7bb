"""Propagation: push each lemma to the highest level where it is inductive along all incoming edges.

A lemma that could not be pushed keeps a *witness*: a state of the source frame that violates it in one step. It is
re-checked only when the witness has left that frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from obligato.engines.ic3cfa.cube import Lemma, Witness
from obligato.engines.ic3cfa.queries import Reached, Unreached

if TYPE_CHECKING:
    from obligato.engines.ic3cfa.engine import IC3CFA


def propagate(run: IC3CFA) -> None:
    """Ensures: each lemma of level i < top that holds along all edges relative to F_(i) now stands at i+1."""
    for level in range(1, run.frames.top):
        for levels in run.frames.lemmas.values():
            for lemma in list(levels[level]):
                if lemma.level == level and _pushable(run, lemma):
                    run.frames.push(lemma, level + 1)


def _pushable(run: IC3CFA, lemma: Lemma) -> bool:
    if lemma.witness is not None and run.frames.alive(lemma.witness, lemma.level):
        run.env.count("push_skipped")
        return False
    for edge in run.queries.into[lemma.location]:
        # F_(i, l) and T_e and [not g, on a self-loop] and g': unsat on all edges - push; sat - remember why not  (required)
        relative = lemma.cube if edge.is_loop else None
        answer = run.queries.reach(edge, lemma.cube, lemma.level, relative_to=relative, kind="push")
        if isinstance(answer, Reached):
            state = run.queries.state(answer)
            lemma.witness = Witness(edge.source, state, run.frames.changes(edge.source))
        if not isinstance(answer, Unreached):
            return False
    return True
