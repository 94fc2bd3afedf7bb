"""A verdict for each single check: names and places, one proof for many, each as if it were the
only one, and re-checked.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import obligato
from obligato.api.cfa_search import CfaSearch
from obligato.api.pipeline import Run
from obligato.api.request import Request
from obligato.errors import ConfigError, InputError
from obligato.models.checks import key_of
from obligato.reports.json_report import json_text, to_dict
from obligato.results.outcome import Outcome, PropertyVerdict, Verdict

PROGRAM = """#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int table[4];
static int twice(int i) { assert(i >= 0); return table[i] + i * 2; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 4) return 0;
  int r = twice(n) + twice(n + 1);
  assert(r >= 2);
  assert(r != 6);
  assert(r != 10);
  return n ? 10 / n : 0;
}
"""


def _verify(tmp_path: Path, text: str = PROGRAM, **options: object) -> Outcome:
    path = tmp_path / "program.c"
    path.write_text(text, encoding="utf-8")
    return obligato.verify(path, **options)  # type: ignore[arg-type]


def _verdicts(outcome: Outcome) -> dict[str, str]:
    return {v.property: v.verdict.value for v in outcome.verdicts}


def test_every_check_of_every_property(tmp_path: Path) -> None:
    found = _verdicts(_verify(tmp_path, property="all"))
    assert found == {
        "assertions": "false",
        "assertions@4": "true",
        "assertions@9": "true",
        "assertions@10": "false",
        "assertions@11": "false",
        "memsafety": "false",
        "memsafety@4": "false",
        "no-overflow": "true",
        "no-overflow@4": "true",
        "no-overflow@4.2": "true",
        "no-overflow@8": "true",
        "no-overflow@8.2": "true",
        "no-overflow@12": "true",
        "div-by-zero": "true",
        "div-by-zero@12": "true",
        "shifts": "true",
    }


def test_what_holds_shares_one_proof_and_what_fails_has_its_own_run(tmp_path: Path) -> None:
    outcome = _verify(tmp_path, property="all")
    assert outcome["assertions@4"].certificate is outcome["assertions@9"].certificate is not None
    for name, line in (("assertions@10", 10), ("assertions@11", 11), ("memsafety@4", 4)):
        trace = outcome[name].trace
        assert trace is not None and trace.steps[-1].line == line
    assert outcome["assertions"].trace is outcome["assertions@10"].trace


@pytest.mark.parametrize(
    "name", ["assertions@9", "assertions@10", "assertions@11", "no-overflow@8.2"]
)
def test_a_check_alone_has_the_same_verdict(tmp_path: Path, name: str) -> None:
    together = _verify(tmp_path, property="all")[name]
    alone = _verify(tmp_path, property=name)
    assert alone.verdict is together.verdict
    assert str(alone) == str(together)


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there are: assertions@4, assertions@9"):
        _verify(tmp_path, property="assertions@5")
    with pytest.raises(ConfigError, match="not supported"):
        _verify(tmp_path, property="nothing@5")


def test_all_claims_are_accepted_again(tmp_path: Path) -> None:
    outcome = _verify(tmp_path, property="all")
    again = obligato.check(tmp_path / "program.c", outcome)
    assert _verdicts(again) == _verdicts(outcome)


def test_a_proof_of_other_checks_is_refused(tmp_path: Path) -> None:
    data = json.loads(json_text(to_dict(_verify(tmp_path, property="all"))))
    for entry in data["properties"]:
        if entry["property"] == "assertions@10":
            entry |= {"verdict": "true", "trace": None, "shares": "assertions@4"}
    data["trace"] = None
    with pytest.raises(obligato.ClaimRefused):
        obligato.check(tmp_path / "program.c", data)


def test_a_check_that_the_claim_invents_is_refused(tmp_path: Path) -> None:
    data = json.loads(json_text(to_dict(_verify(tmp_path, property="all"))))
    data["properties"].append(
        {
            "property": "no-overflow@99",
            "verdict": "true",
            "reason": None,
            "certificate": None,
            "trace": None,
            "shares": "no-overflow",
        }
    )
    with pytest.raises(InputError, match="no check 'no-overflow@99'"):
        obligato.check(tmp_path / "program.c", data)


def test_a_check_that_nobody_decides_leaves_the_others_alone(tmp_path: Path) -> None:
    text = """extern int other(void); void reach_error(void);
int main(void) { int x = other(); if (x == 3) reach_error();
  if (x > 5 && x < 5) reach_error();
  return 0; }
"""
    outcome = obligato.verify(_written(tmp_path, text), property="assertions@2,assertions@3")
    assert _verdicts(outcome) == {"assertions@2": "unknown", "assertions@3": "true"}


def test_checks_that_are_proved_one_by_one_prove_the_property(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alone(search: CfaSearch) -> PropertyVerdict:
        errors = {
            key_of(search.model.cfa, e)
            for e in search.model.cfa.edges
            if e.target == search.model.cfa.error
        }
        return (
            decide(search)
            if len(errors) == 1
            else PropertyVerdict(search.property, Verdict.UNKNOWN, "too many")
        )

    text = PROGRAM.replace("assert(r != 6);", "").replace("assert(r != 10);", "")
    with monkeypatch.context() as patch:
        decide = CfaSearch.decide
        patch.setattr(CfaSearch, "decide", alone)
        request = Request(str(_written(tmp_path, text)), property="assertions", each=True)
        outcome = Run(request, lambda kind, data: None).outcome()
    assert _verdicts(outcome) == {
        "assertions": "true",
        "assertions@4": "true",
        "assertions@9": "true",
    }
    assert outcome["assertions"].certificate is None
    assert _verdicts(obligato.check(tmp_path / "program.c", outcome)) == _verdicts(outcome)
    data = json.loads(json_text(to_dict(outcome)))
    data["properties"] = [e for e in data["properties"] if e["property"] != "assertions@9"]
    assert _verdicts(obligato.check(tmp_path / "program.c", data))["assertions"] == "unknown", (
        "one check is not proved"
    )


def _written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.c"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_on_the_command_line(tmp_path: Path) -> None:
    text = """#include <assert.h>
extern int other(void);
int main(void) { int x = other(); assert(x != 3);
  if (x == 4) assert(x < 5);
  return 0; }
"""
    command = [sys.executable, "-m", "obligato", "verify", str(_written(tmp_path, text)), "--each"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert re.search(r"^2 checks: 1 true, 1 unknown$", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"^  assertions@3 +unknown +\S+:3: int main", done.stdout, re.MULTILINE)
    assert re.search(r"^  assertions@4 +true +\S+:4: if \(x == 4\)", done.stdout, re.MULTILINE)
    assert done.stdout.splitlines()[-1] == "unknown"
    assert done.returncode == 20
