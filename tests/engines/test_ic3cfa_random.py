"""IC3CFA with each option alone and all presets on random programs: same verdicts as explicit-state
exploration.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.engines.judge import CONFIGURATIONS, objection
from tests.support.volume import parts

QUICK = 300


@pytest.mark.parametrize("part", parts(3, 3))
def test_agrees_with_exploration(part: int) -> None:
    """Each of 150 programs (300 with the slow ones) with the default and one more configuration;
    each gets its share.
    """
    for seed in range(50 * part, 50 * part + 50):
        for n in (0, 1 + seed % (len(CONFIGURATIONS) - 1)):
            assert objection(seed, CONFIGURATIONS[n]) is None, (seed, CONFIGURATIONS[n])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(CONFIGURATIONS)))
def test_each_configuration_on_all(number: int) -> None:
    """Every configuration on every one of 300 programs."""
    for seed in range(QUICK):
        assert objection(seed, CONFIGURATIONS[number]) is None, (seed, CONFIGURATIONS[number])


@pytest.mark.slow
def test_random_configurations() -> None:
    """Random combinations of options that are not refused."""
    from obligato.engines.ic3cfa import Options
    from obligato.errors import ConfigError
    from tests.engines.judge import SINGLE

    rng = random.Random(7)
    for seed in range(1000, 1400):
        chosen: dict[str, Any] = {}
        for values in rng.sample(SINGLE, 4):
            chosen |= values
        options = Options(**chosen)
        try:
            options.validate()
        except ConfigError:
            continue
        assert objection(seed, options) is None, (seed, options)
