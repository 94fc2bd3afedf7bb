"""The skeleton of IC3 on transition systems.
Start reading at `engine.py`; `hooks.py` is what an instance implements."""

from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of
from obligato.engines.ic3ts.engine import IC3
from obligato.engines.ic3ts.hooks import (
    Answer,
    Hooks,
    Lifted,
    Query,
    Reached,
    Spurious,
    Undecided,
    Unreached,
)
from obligato.engines.ic3ts.options import SkeletonOptions
from obligato.engines.ic3ts.turns import Shared, Turns

__all__ = [
    "IC3",
    "Answer",
    "Cube",
    "Hooks",
    "Lemma",
    "Lifted",
    "Obligation",
    "Query",
    "Reached",
    "Shared",
    "SkeletonOptions",
    "Spurious",
    "Turns",
    "Undecided",
    "Unreached",
    "cube_of",
]
