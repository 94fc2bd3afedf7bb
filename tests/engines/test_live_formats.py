"""Temporal properties written in other formats and read back: the explicit-state oracle answers the
same.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from obligato.frontends import aiger, btor2, vmt
from obligato.frontends.aiger.reader import read as read_aiger
from obligato.frontends.btor2.reader import read as read_btor2
from obligato.models.properties import Justice, LtlProperty
from obligato.models.transition_system import TransitionSystem
from tests.support.live import random_live_system, random_ltl_system, violated

Trip = Callable[[TransitionSystem], TransitionSystem]

TRIPS: dict[str, Trip] = {
    "vmt": lambda system: vmt.parse(vmt.vmt_text(system)),
    "btor2": lambda system: read_btor2(btor2.btor2_text(system)).system,
    "aiger": lambda system: read_aiger(aiger.aiger_bytes(system)).system,
}


@pytest.mark.parametrize("form", TRIPS)
def test_formulas(form: str) -> None:
    answers = set[bool]()
    for seed in range(6):
        system = random_ltl_system(seed, 3)
        again = TRIPS[form](system)
        assert isinstance(again.temporal[0], LtlProperty if form == "vmt" else Justice)
        assert violated(again) == violated(system), seed
        answers.add(violated(system))
    assert len(answers) == 2


def test_justice_as_vmt() -> None:
    for seed in range(6):
        system = random_live_system(seed, 3)
        assert violated(TRIPS["vmt"](system)) == violated(system), seed
