"""Termination of C: an infinite run must be one that C defines, so it does not overflow in signed arithmetic."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato import verify
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.reports.json_report import outcome_text

UP = """extern TYPE __VERIFIER_nondet_NAME(void);
int main(void) { TYPE max = __VERIFIER_nondet_NAME(), x = 1; while (x <= max) x = x + 1; return 0; }
"""


def test_a_run_that_goes_on_only_by_overflow_is_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "up.c"
    file.write_text(UP.replace("TYPE", "int").replace("NAME", "int"))
    assert str(verify(file, property="termination", timeout=6)) == "unknown"


@pytest.mark.parametrize("text", [
    UP.replace("TYPE", "unsigned").replace("NAME", "uint"),
    "int main(void) { int x = 0; unsigned n = 0; while (x >= 0) { n = n + 1; x = 1 - x; } return 0; }\n",  # n wraps around
    "extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x != 3) x = x; }\n",
])
def test_other_infinite_runs_are_checked_again(text: str, tmp_path: Path) -> None:
    file, claim = tmp_path / "p.c", tmp_path / "claim.json"
    file.write_text(text)
    outcome = verify(file, property="termination", timeout=60)
    assert str(outcome) == "false(termination)"
    claim.write_text(outcome_text(outcome))
    request = Request(str(file), property="termination")
    assert str(recheck(request, lambda *_: None, str(claim))) == "false(termination)"
    file.write_text(text.replace("while (", "while (0 && "))
    with pytest.raises(ClaimRefused):
        recheck(request, lambda *_: None, str(claim))
