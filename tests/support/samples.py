"""Random programs together with the truth about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.program.inline import inline
from obligato.program.syntax import Program
from tests.support.explore import Exploration, TooLarge, explore
from tests.support.programs import random_program


class Sample(NamedTuple):
    """A program, the CFA of its inlined form, and what exploring it found."""

    seed: int
    program: Program
    cfa: CFA
    truth: Exploration


def explored(seeds: Iterable[int], max_states: int = 4_000, **options: Any) -> Iterator[Sample]:
    """The random programs of those seeds whose state space is within the limit (about 19 of 20
    are).
    """
    for seed in seeds:
        program = random_program(seed, **options)
        cfa = build_cfa(inline(program))
        try:
            yield Sample(seed, program, cfa, explore(cfa, max_states))
        except TooLarge:
            continue
