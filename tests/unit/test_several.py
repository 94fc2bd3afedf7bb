"""Several properties in one input: one verdict each with its certificate or trace, and a last line
that sums up.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.api.worker import run_isolated
from obligato.errors import ConfigError, InputError
from obligato.reports.json_report import json_text, to_dict
from obligato.reports.text import report
from obligato.results.outcome import CertificateReport, Outcome, PropertyVerdict, Verdict, summary
from tests.support.schema import OUTCOME

# x counts 0 .. 5 and stays there; bad0: x = 7, bad1: x = 3, bad2: x = 6, bad3: x > 2 (first where x
# = 3)
COUNTER = """1 sort bitvec 1
2 sort bitvec 3
3 zero 2
4 state 2 x
5 init 2 4 3
6 inc 2 4
7 constd 2 5
8 ult 1 4 7
9 ite 2 8 6 4
10 next 2 4 9
11 redand 1 4
12 bad 11 seven
13 constd 2 3
14 eq 1 4 13
15 bad 14
16 constd 2 6
17 eq 1 4 16
18 bad 17
19 constd 2 2
20 ugt 1 4 19
21 bad 20
"""
ONE = "proc main() {\n  var x: bv8;\n  havoc x;\n  assert x != 7;\n}\n"
TRUE, FALSE, UNKNOWN = Verdict.TRUE, Verdict.FALSE, Verdict.UNKNOWN


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    file = tmp_path / "counter.btor2"
    file.write_text(COUNTER, encoding="utf-8")
    return file


def verdicts(outcome: Outcome) -> dict[str, Verdict]:
    return {v.property: v.verdict for v in outcome.verdicts}


def judged(
    file: Path, outcome: Outcome, change: Any = lambda data: None, property: str = ""
) -> Outcome:
    """What `obligato check` says about the outcome, as JSON that `change` has changed."""
    data = to_dict(outcome)
    OUTCOME.validate(data)
    change(data)
    claim = file.with_suffix(".json")
    claim.write_text(json_text(data), encoding="utf-8")
    return recheck(Request(str(file), property=property), lambda kind, data: None, str(claim))


@pytest.mark.parametrize("engine", ["ic3", "ic3ia", "ic3bmc", "kinduction"])
def test_a_false_property_does_not_hide_the_others(counter: Path, engine: str) -> None:
    outcome = obligato.verify(counter, engine)
    assert verdicts(outcome) == {"bad1": FALSE, "bad3": FALSE, "bad0": TRUE, "bad2": TRUE}
    assert outcome.verdict is FALSE and str(outcome) == "false(unreach-call)"
    by_name = {v.property: v for v in outcome.verdicts}
    # they fail in the same state first
    assert by_name["bad1"].trace is by_name["bad3"].trace is not None
    assert by_name["bad0"].certificate is by_name["bad2"].certificate is not None
    assert by_name["bad0"].trace is None and by_name["bad1"].certificate is None
    # its last step is at the place of the property that fails there
    assert outcome.trace is not None
    assert [s.line for s in outcome.trace.steps] == [0, 0, 0, 15]
    again = judged(counter, outcome)
    assert verdicts(again) == verdicts(outcome) and again.verdict is FALSE


def test_all_hold_by_one_certificate(counter: Path) -> None:
    outcome = obligato.verify(counter, property="bad0,bad2")
    assert verdicts(outcome) == {"bad0": TRUE, "bad2": TRUE} and outcome.verdict is TRUE
    assert outcome.certificate is outcome.verdicts[0].certificate is outcome.verdicts[1].certificate
    lines = report(outcome).splitlines()
    assert lines.count("inductive invariant:") == 1 and lines[-3:] == [
        "bad0: true",
        "bad2: true",
        "true",
    ]
    entries = to_dict(outcome)["properties"]
    assert entries[0]["certificate"]["checked"] and entries[1] == {
        "property": "bad2",
        "verdict": "true",
        "reason": None,
        "certificate": None,
        "trace": None,
        "shares": "bad0",
    }
    assert judged(counter, outcome, property="bad0,bad2").verdict is TRUE


def test_text_has_one_line_for_each_property(counter: Path) -> None:
    lines = report(obligato.verify(counter)).splitlines()
    told = [line for line in lines if line.startswith("bad")]
    assert told == ["bad1: false(bad1)", "bad3: false(bad3)", "bad0: true", "bad2: true"]
    assert (
        lines[-1] == "false(unreach-call)"
        and report(obligato.verify(counter), quiet=True) == "false(unreach-call)"
    )


def test_an_engine_that_only_refutes_stops(counter: Path) -> None:
    outcome = obligato.verify(counter, "bmc")
    assert verdicts(outcome) == {"bad1": FALSE, "bad3": FALSE, "bad0": UNKNOWN, "bad2": UNKNOWN}
    assert outcome.verdict is FALSE and outcome.trace is not None
    again = judged(counter, outcome)
    assert verdicts(again) == verdicts(outcome)


def test_a_certificate_sums_up_only_if_it_proves_all() -> None:
    one, other = (CertificateReport(1, (), True, True, "cvc5", seconds) for seconds in (0.0, 1.0))
    first = PropertyVerdict("p", TRUE, certificate=one)
    second = PropertyVerdict("q", TRUE, certificate=other)
    assert summary("f", "all", (first, second)).certificate is None
    assert summary("f", "all", (first, replace(second, certificate=one))).certificate is one
    mixed = summary("f", "all", (first, PropertyVerdict("r", UNKNOWN, "timeout"), second))
    assert (mixed.verdict, mixed.reason, mixed.certificate) == (UNKNOWN, "timeout", None)


def test_unknown_sums_up_below_false_and_above_true(counter: Path) -> None:
    outcome = obligato.verify(counter, "bmc", property="bad0,bad2", bound=3)
    assert verdicts(outcome) == {"bad0": UNKNOWN, "bad2": UNKNOWN} and outcome.verdict is UNKNOWN
    assert report(outcome).splitlines()[-2:] == [outcome.reason, "unknown"]


def test_wrong_claims_about_one_of_several_are_refused(counter: Path) -> None:
    outcome = obligato.verify(counter)

    def shared_by_more(data: dict[str, Any]) -> None:
        """The certificate of bad0 is said to prove those that do not hold, too."""
        data["trace"] = None
        for entry in data["properties"]:
            if entry["verdict"] == "false":
                entry.update(verdict="true", trace=None, shares="bad0")

    def mislabelled(data: dict[str, Any]) -> None:
        data["trace"]["violation"] = data["properties"][0]["trace"]["violation"] = (
            "property bad0 (seven)"
        )

    def shared_by_another(data: dict[str, Any]) -> None:
        """The trace of bad1 is said to refute bad0 alone."""
        mislabelled(data)
        data["properties"][0]["property"] = "bad0"
        del data["properties"][1:]

    for change in (shared_by_more, shared_by_another):
        with pytest.raises(ClaimRefused):
            judged(counter, outcome, change)

    def summed_up(data: dict[str, Any]) -> None:
        data["trace"] = {**data["trace"], "violation": "property bad0"}

    with pytest.raises(InputError, match="trace outside of the list"):
        judged(counter, outcome, summed_up)

    with pytest.raises(InputError, match="says that it violates bad0"):
        judged(counter, outcome, mislabelled)

    def without(data: dict[str, Any]) -> None:
        data["properties"][0]["trace"] = None

    with pytest.raises(InputError, match="neither a certificate nor a trace for 'bad1'"):
        judged(counter, outcome, without)
    with pytest.raises(InputError, match="malformed list"):
        judged(counter, outcome, lambda data: data.update(properties=[3]))


def test_names(counter: Path) -> None:
    assert obligato.verify(counter, property="seven").verdict is TRUE  # its symbol
    with pytest.raises(ConfigError, match="no property 'bad9'"):
        obligato.verify(counter, property="bad0,bad9")


def test_verdicts_survive_a_process_that_must_be_stopped(counter: Path) -> None:
    """What is known is reported as it is found."""
    said: list[tuple[str, Any]] = []
    answer = run_isolated(Request(str(counter)), lambda kind, data: said.append((kind, data)))
    assert answer.outcome is not None and answer.outcome.verdict is FALSE
    assert [data.property for kind, data in said if kind == "verdict"] == ["bad1", "bad3", "bad0"]


def test_a_program_is_asked_for_several_properties(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    text = (
        "extern int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int(),"
        " y = x + 1; return y; }\n"
    )
    file.write_text(text, encoding="utf-8")
    outcome = obligato.verify(file, property="unreach-call,no-overflow")
    assert verdicts(outcome) == {"unreach-call": TRUE, "no-overflow": FALSE} and str(
        outcome
    ).startswith("false(")
    assert verdicts(judged(file, outcome)) == verdicts(outcome)
    # the engines differ
    outcome = obligato.verify(file, property="termination,unreach-call,termination,no-overflow")
    assert verdicts(outcome) == {"termination": TRUE, "unreach-call": TRUE, "no-overflow": FALSE}
    assert verdicts(judged(file, outcome)) == verdicts(outcome)
    with pytest.raises(ConfigError, match="'fairness' is not supported"):
        obligato.verify(file, property="no-overflow,fairness")
