"""Formulas of branching time from the command line: texts, files beside AIGER, BTOR2, outcomes that
are checked again.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run as command
from tests.support.schema import OUTCOME

AAG = "aag 3 1 1 1 1\n2\n4 6\n4\n6 5 2\ni0 go\nl0 on<0>\no0 lamp\n"  # on' = not on and go
BTOR2 = """1 sort bitvec 2
2 zero 1
3 state 1 n
4 init 1 3 2
5 one 1
6 add 1 3 5
7 sort bitvec 1
8 input 7 step
9 ite 1 8 6 3
10 next 1 3 9
"""
CTL = "# two\nAG EF lamp\nAF on<0>\n"


def run(*args: str) -> tuple[int, str]:
    status, out, err = command("verify", *args)
    return status, out + err


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "m.aag").write_text(AAG)
    (tmp_path / "m.ctl").write_text(CTL)
    (tmp_path / "n.btor2").write_text(BTOR2)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "asked", "status", "last"),
    [
        ("m.aag", "ctl:m.ctl#0", 0, "true"),
        ("m.aag", "ctl:m.ctl#1", 10, "false(ctl:m.ctl#1)"),
        ("m.aag", "ctl: AG (go & !lamp -> AX lamp)", 0, "true"),
        ("m.aag", 'ctl: EG "on<0>"', 10, 'false(ctl: EG "on<0>")'),
        ("n.btor2", "ctl: AG EF n = 3", 0, "true"),
        ("n.btor2", "ctl: A [n < 3 W n = 3]", 0, "true"),
        ("n.btor2", "ctl: AF n = 2", 10, "false(ctl: AF n = 2)"),
    ],
)
def test_verdicts(model: Path, file: str, asked: str, status: int, last: str) -> None:
    found, out, _ = command("verify", str(model / file), "--property", asked)
    assert (found, out.strip().splitlines()[-1]) == (status, last)


def test_all_formulas_of_a_file(model: Path) -> None:
    status, text = run(str(model / "m.aag"), "--property", "ctl:m.ctl")
    assert status == 10 and "ctl0: true" in text and "ctl1: false" in text


def test_outcomes_are_checked_again(model: Path) -> None:
    for n, verdict in enumerate(("true", "false")):
        told = model / "told.json"
        run(str(model / "m.aag"), "--property", f"ctl:m.ctl#{n}", "--json", str(told))
        data = json.loads(told.read_text())
        assert data["certificate"]["kind"] == "branching" and data["certificate"]["witness"][
            "holds"
        ] is (n == 0)
        OUTCOME.validate(data)
        assert (
            command("check", str(model / "m.aag"), str(told))[1]
            .strip()
            .splitlines()[-1]
            .startswith(verdict)
        )
        data["certificate"]["bounds"]["entries"] = data["certificate"]["bounds"]["entries"][1:]
        told.write_text(json.dumps(data))
        assert command("check", str(model / "m.aag"), str(told))[0] not in (0, 10)


def test_the_witness_of_a_path_is_shown(model: Path) -> None:
    text = run(str(model / "n.btor2"), "--property", "ctl: EF n = 2")[1]
    assert "by this path" in text and "n = 1" in text and "n = 2" in text


@pytest.mark.parametrize(
    ("file", "asked", "status", "message"),
    [
        ("m.aag", "ctl: AG nobody", 3, "'nobody' is no name"),
        ("m.aag", "ctl:m.ctl#2", 2, "has 2 formulas"),
        ("m.aag", "ctl:other.ctl#0", 3, "cannot read"),
        ("n.btor2", "unreach-call", 3, "no property"),
        ("n.btor2", "ctl: AG n", 3, "a formula is needed"),
    ],
)
def test_what_cannot_be_asked(
    model: Path, file: str, asked: str, status: int, message: str
) -> None:
    found, text = run(str(model / file), "--property", asked)
    assert found == status and message in text


@pytest.mark.parametrize("engine", ["fair", "ic3"])
def test_other_engines_refuse(model: Path, engine: str) -> None:
    status, text = run(str(model / "m.aag"), "--property", "ctl: AG EF lamp", "--engine", engine)
    assert status == 2 and "iictl" in text
    assert run(str(model / "m.aag"), "--engine", "iictl")[0] == 2
