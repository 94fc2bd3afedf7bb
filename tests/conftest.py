"""Shared by all tests: hypothesis profiles (HYPOTHESIS_PROFILE=ci|dev|fuzz) and the `corpus`
fixture.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus import corpus_location, corpus_root

# No deadlines and no complaint about slow generation: verdicts of tests must not depend on how busy
# the machine is.
_QUIET = [HealthCheck.too_slow]
settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=_QUIET)
settings.register_profile("dev", deadline=None, suppress_health_check=_QUIET)
settings.register_profile(
    "fuzz", deadline=None, suppress_health_check=_QUIET, max_examples=5_000, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The root of the benchmark corpus; skips the test where there is none."""
    root = corpus_root()
    if root is None:
        pytest.skip(f"no corpus at {corpus_location()} (set OBLIGATO_CORPUS)")
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever uses the `corpus` fixture is marked `corpus`, so that `-m "not corpus"` leaves it
    out.
    """
    for item in items:
        if "corpus" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.corpus)
