"""SMV as it is written: read again it is the same system; SMV models in other formats have the same
answers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from obligato.errors import InputError
from obligato.frontends import aiger, btor2, vmt
from obligato.frontends.smv import read, smv_text
from obligato.models.ctl import from_fair_starts
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem
from tests.support.ctl import holds, random_ctl_system
from tests.support.live import random_live_system, random_ltl_system, violated
from tests.support.smv import size
from tests.support.smv_models import Generator
from tests.support.systems import explore, random_system
from tests.unit.test_smv import ABOUT_TURNS, TURNS


@pytest.mark.parametrize("block", range(2))
def test_random_systems_again(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        system = random_system(seed, max_bits=5, rich=seed % 2 == 0)
        again = read(smv_text(system), f"{seed}.smv").system
        for p, q in zip(system.assertions, again.assertions, strict=True):
            assert _answer(system, p.name) == _answer(again, q.name), seed


def _answer(system: TransitionSystem, name: str) -> int | None:
    return explore(
        replace(system, properties=tuple(p for p in system.properties if p.name == name))
    ).depth


def test_random_temporal_systems_again() -> None:
    for seed in range(40):
        system = (
            random_ltl_system(seed, max_bits=3, depth=2)
            if seed % 2
            else random_live_system(seed, max_bits=4)
        )
        assert violated(read(smv_text(system)).system) == violated(system), seed


def test_random_branching_systems_again() -> None:
    for seed in range(60):
        system = random_ctl_system(seed, max_bits=4, depth=3)
        (p,) = system.branching
        asked = replace(system, properties=(CtlProperty(p.name, from_fair_starts(p.formula)),))
        assert holds(read(smv_text(system)).system) == holds(asked), seed


def test_temporal_specifications_again() -> None:
    text = TURNS + ";\n".join(t for t, _ in ABOUT_TURNS) + ";\nFAIRNESS p | q;"
    once = smv_text(read(text).system)
    assert "COMPASSION (p, q);" in once and "FAIRNESS (p | q);" in once and "LTLSPEC" in once
    assert "next_" not in once
    again = smv_text(read(once).system)
    assert smv_text(read(again).system) == again


def test_names_that_need_quotes() -> None:
    text = (
        'MODULE main VAR "a b[0]" : boolean; "MODULE" : word[2]; m : s; INVARSPEC "a b[0]"; MODULE'
        " s VAR x : boolean;"
    )
    again = read(smv_text(read(text).system)).system
    assert [x.name for x in again.state] == ["a_b[0]", "MODULE", "m.x"]


def test_other_formats_have_the_same_answers() -> None:
    compared = 0
    for case, system in _small_models(60):
        told = [_answer(system, p.name) is None for p in system.assertions]
        for again in _written(system):
            if size(again.state) <= 512 and size(again.inputs) <= 256:
                assert [_answer(again, p.name) is None for p in again.assertions] == told, case
                compared += 1
    assert compared > 40


def _small_models(count: int) -> Iterator[tuple[int, TransitionSystem]]:
    for case in range(count):
        try:
            system = read(Generator(random.Random(case)).model()).system
        except InputError:
            continue
        if size(system.state) <= 64 and size(system.inputs) <= 64:
            yield case, system


def _written(system: TransitionSystem) -> Iterator[TransitionSystem]:
    yield btor2.read(btor2.btor2_text(system)).system
    yield vmt.parse(vmt.vmt_text(system))
    yield aiger.read(aiger.aiger_bytes(system)).system
    yield read(smv_text(system)).system
