"""How much of a random test is run: a share of the same kind in every run, the rest by
`make test-slow`.
"""

from __future__ import annotations

from typing import Any

import pytest


def parts(quick: int, more: int) -> list[Any]:
    """Numbers for `parametrize`: the first `quick` are run always, `more` others are slow tests."""
    return [
        *range(quick),
        *(pytest.param(n, marks=pytest.mark.slow) for n in range(quick, quick + more)),
    ]
