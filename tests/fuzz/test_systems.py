"""Random systems against exploration, and mutated hardware files, in great numbers (`make fuzz`)."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from obligato.errors import InputError
from obligato.frontends import aiger, btor2
from obligato.models.ts_reduce import import_system
from obligato.terms import TermStore
from tests.engines.test_ic3ts import check_seeds
from tests.support.hardware import mutated, mutated_bytes
from tests.support.systems import random_system


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 21_000, 500))
def test_random_systems(first: int) -> None:
    check_seeds(range(first, first + 500))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100_000, 2000))
def test_mutated_files_are_read_or_refused(first: int) -> None:
    system = import_system(random_system(first, max_bits=6), TermStore())
    text, ascii_, binary = btor2.btor2_text(system), aiger.aiger_bytes(system, False).decode(), aiger.aiger_bytes(system)
    for seed in range(first, first + 2000):
        rng = random.Random(seed)
        with suppress(InputError):
            btor2.read(mutated(rng, text))
        with suppress(InputError):
            aiger.read(mutated_bytes(rng, binary) if seed % 2 else mutated(rng, ascii_).encode())
