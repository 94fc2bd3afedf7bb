"""The generator of whole programs: its programs are the same each time, verdicts agree with all runs
of the compiled program, and a wrong one is seen.
"""

import argparse
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import obligato
from obligato.results.outcome import Verdict
from tests.fuzz import whole_run
from tests.fuzz.whole import PROBE, Generator, plain

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="programs are compiled by gcc")
ASKED = argparse.Namespace(engine="ic3cfa", timeout=300, show=False)


def test_a_number_stands_for_one_program() -> None:
    assert Generator(12).program() == Generator(12).program() != Generator(13).program()
    texts = [plain(Generator(n).asserted(Generator(n).program(), {}), 0) for n in range(40)]
    assert not any(w in text for text in texts for w in ("TICK", "PICK"))
    assert not any(PROBE.search(text) for text in texts)


@pytest.mark.parametrize(
    ("number", "said"), [(1, "assertions true, holds"), (3, "assertions false, fails")]
)
def test_some_verdicts_agree(number: int, said: str, tmp_path: Path) -> None:
    assert whole_run.judge(number, ASKED, tmp_path) == said


@pytest.mark.parametrize(("number", "said"), [(1, Verdict.FALSE), (3, Verdict.TRUE)])
def test_a_wrong_verdict_is_seen(
    number: int, said: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(verdict=said, reason=None)
    monkeypatch.setattr(obligato, "verify", lambda *_, **__: found)
    assert whole_run.judge(number, ASKED, tmp_path).startswith("WRONG")
