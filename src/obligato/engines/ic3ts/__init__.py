"""The skeleton of IC3 on transition systems. Start reading at `engine.py`; `hooks.py` is what an instance implements."""

from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation, cube_of
from obligato.engines.ic3ts.engine import IC3
from obligato.engines.ic3ts.hooks import Hooks, Reached, Unreached
from obligato.engines.ic3ts.options import SkeletonOptions, option

__all__ = ["IC3", "Cube", "Hooks", "Lemma", "Obligation", "Reached", "SkeletonOptions", "Unreached", "cube_of", "option"]
