"""Trials: bugs behind long loops, claims that are told by scripts, and what trials never do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.errors import ConfigError, InternalError, ObligatoError
from obligato.reports.json_report import to_dict
from obligato.reports.text import report
from obligato.results.outcome import Outcome, Verdict

HEAD = (
    "void reach_error(void); int __VERIFIER_nondet_int(void); float"
    " __VERIFIER_nondet_float(void);\n"
)
COPY = """int a[20000], b[20000]; int main(void) {
  for (int i = 0; i < 20000; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < 20000; i++) b[i] = i == 19999 ? 0 : a[i];
  for (int i = 0; i < 20000; i++) if (a[i] != b[i]) reach_error();
}"""
SHORT = """int main(void) { int s = 0;
  for (int i = 0; i < 9; i++) { int x = __VERIFIER_nondet_int(); if (x < 1 || x > 4) return 0; s += x; }
  if (s > 10) reach_error();
}"""
FLOAT = (
    "int main(void) { float x = __VERIFIER_nondet_float(); if (x > 0.25f && x < 0.5f && x * x >"
    " 0.2f) reach_error(); }"
)
SAFE = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5 && x < 5) reach_error(); }"
ONLY = (
    "int main(void) { unsigned s = 0; for (int i = 0; i < 9; i++) s += i; if (s != 36)"
    " reach_error(); }"
)
LAYOUT = "int x, y; int main(void) { if (&x < &y) reach_error(); if (&y < &x) reach_error(); }"


def tried(tmp_path: Path, program: str, **options: Any) -> tuple[Path, Outcome]:
    file = tmp_path / "program.c"
    file.write_text(HEAD + program)
    return file, obligato.verify(file, "trials", isolated=False, **options)


def checked(file: Path, claim: dict[str, Any]) -> Outcome:
    told = file.with_suffix(".json")
    told.write_text(json.dumps(claim))
    return recheck(Request(str(file)), lambda kind, data: None, str(told))


def test_a_bug_behind_long_loops_is_told_by_its_script(tmp_path: Path) -> None:
    file, outcome = tried(tmp_path, COPY)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert (
        outcome.trace.script is not None
        and len(outcome.trace.script["values"]) >= 20000
        and outcome.trace.cut
    )
    assert "steps of a longer run" in report(outcome)
    assert checked(file, to_dict(outcome)).verdict is Verdict.FALSE


def test_a_false_script_is_refused(tmp_path: Path) -> None:
    file, outcome = tried(tmp_path, COPY)
    claim = to_dict(outcome)
    for value in claim["trace"]["script"]["values"]:
        value[1] = 0
    with pytest.raises((ClaimRefused, InternalError)):
        checked(file, claim)
    claim["trace"]["script"]["values"] = claim["trace"]["script"]["values"][:50]
    with pytest.raises((ClaimRefused, InternalError)):
        checked(file, claim)


@pytest.mark.parametrize("program", [SHORT, FLOAT])
def test_a_short_run_is_a_trace_as_any_other(tmp_path: Path, program: str) -> None:
    file, outcome = tried(tmp_path, program)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert outcome.trace.script is None and outcome.trace.steps[-1].edge >= 0
    assert checked(file, to_dict(outcome)).verdict is Verdict.FALSE


@pytest.mark.parametrize("program", [SAFE, ONLY, LAYOUT])
def test_nothing_is_proved_and_a_limit_refutes_nothing(tmp_path: Path, program: str) -> None:
    assert tried(tmp_path, program, instructions=300_000)[1].verdict is Verdict.UNKNOWN


def test_a_program_without_inputs_is_run_once(tmp_path: Path) -> None:
    assert tried(tmp_path, ONLY)[1].stats["trials"] == 1


def test_the_same_seed_tries_the_same_runs(tmp_path: Path) -> None:
    first, second = (tried(tmp_path, SHORT, seed=7)[1] for _ in range(2))
    assert first.trace == second.trace and first.stats["trials"] == second.stats["trials"]


def test_trials_are_about_programs_and_whole_properties(tmp_path: Path) -> None:
    file = tmp_path / "clauses.smt2"
    file.write_text(
        "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))(assert (=> (p 1) false))"
    )
    with pytest.raises(ConfigError):
        obligato.verify(file, "trials", isolated=False)
    with pytest.raises(ObligatoError):
        tried(tmp_path, SHORT, property="assertions@4")
