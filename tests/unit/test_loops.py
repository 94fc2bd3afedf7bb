"""The generator of loops that count: its programs are the same each time, verdicts agree with the
compiled program, and a wrong one is seen.
"""

import argparse
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import obligato
from obligato.results.outcome import Outcome, Verdict
from tests.fuzz import loops_run
from tests.fuzz.loops import TYPES, Generator, plain

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="programs are compiled by gcc")
ASKED = argparse.Namespace(engine="ic3cfa", property="unreach-call", timeout=300, memory=None)


def test_a_number_stands_for_one_program() -> None:
    assert Generator(12).program() == Generator(12).program() != Generator(13).program()
    words = ("TICK", "SEEN", "TEST")
    assert not any(w in plain(Generator(n).program()) for n in range(40) for w in words)


@pytest.mark.parametrize(("number", "said"), [(1, "false"), (6, "true, no error")])
def test_some_verdicts_agree(number: int, said: str, tmp_path: Path) -> None:
    assert loops_run.judge(number, ASKED, tmp_path) == said


def test_a_wrong_verdict_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts that are turned round; the inputs of no trace do not lead to an error."""

    def wrong(path: Path, *_: object, **__: object) -> Outcome:
        found = verify(path, "ic3cfa")
        is_true = found.verdict is Verdict.TRUE
        return replace(found, verdict=Verdict.FALSE if is_true else Verdict.TRUE, trace=None)

    verify = obligato.verify
    monkeypatch.setattr(obligato, "verify", wrong)
    nothing = "".join(
        f"{c} __VERIFIER_nondet_{t}(void) {{ return 0; }}\n" for t, (c, _, _) in TYPES.items()
    )
    monkeypatch.setattr(obligato, "report", lambda outcome, form: nothing)
    assert loops_run.judge(1, ASKED, tmp_path) == "WRONG true"
    assert loops_run.judge(6, ASKED, tmp_path).startswith("WRONG false")
