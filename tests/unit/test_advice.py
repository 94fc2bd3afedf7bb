"""What is said where a limit or a signal ended a run."""

from __future__ import annotations

import pytest

from obligato.reports.advice import advice
from obligato.reports.text import report
from obligato.results.outcome import Outcome, Verdict


def ended(reason: str, **stats: object) -> Outcome:
    return Outcome(
        "x.c",
        Verdict.UNKNOWN,
        reason,
        engine="bmc",
        stats={"wall_s": 3.2, "peak_mb": 100.0, **stats},
    )


def test_how_far_each_engine_got() -> None:
    members = [
        {"engine": "ic3cfa", "frontier": 4, "lemmas": 9},
        {"engine": "bmc", "bound": 7},
        {"engine": "cegar"},
    ]
    first, then = advice(ended("timeout", portfolio={"members": members}))
    assert (
        first
        == "so far: ic3cfa reached frontier 4 with 9 lemmas; bmc found no error at depths below 7"
    )
    assert "--timeout" in then


@pytest.mark.parametrize(
    ("reason", "said"), [("memory", "--memory"), ("interrupted", "let it go on")]
)
def test_one_engine(reason: str, said: str) -> None:
    first, then = advice(ended(reason, bound=3))
    assert first == "so far: bmc found no error at depths below 3" and said in then


def test_what_an_engine_cannot_do_needs_no_advice_and_a_verdict_neither() -> None:
    assert list(advice(ended("incomplete: floats"))) == []
    assert list(advice(Outcome("x.c", Verdict.TRUE))) == []
    assert report(ended("timeout", bound=3), quiet=True) == "unknown"


def test_a_run_through_an_undefined_function_says_what_to_do() -> None:
    (said,) = advice(
        ended(
            "incomplete: ic3cfa, bmc: over-approximation used: undefined function read_key"
            " (a.c:3:1)"
        )
    )
    assert "define read_key" in said and "externals=pure" in said
