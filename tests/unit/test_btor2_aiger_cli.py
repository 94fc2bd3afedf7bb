"""Hardware through the command line: verdicts, properties, JSON, witnesses, re-checking; programs
by engines for systems.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from obligato.api import verify
from obligato.results.outcome import Verdict
from tests.corpus import REPOSITORY
from tests.support.command import run
from tests.support.schema import OUTCOME

# x counts from 0 while the input says so and stays below 6; bad: it is 7 / it is 3 and the input is
# 0
COUNTER = """1 sort bitvec 1
2 sort bitvec 3
3 zero 2
4 input 1 go
5 state 2 x
6 init 2 5 3
7 inc 2 5
8 constd 2 5
9 ult 1 5 8
10 and 1 9 4
11 ite 2 10 7 5
12 next 2 5 11
13 redand 1 5
14 bad 13 seven
15 constd 2 3
16 eq 1 5 15
17 and 1 16 -4
18 bad 17
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    path = tmp_path / "counter.btor2"
    path.write_text(COUNTER, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("engine", ["ic3", "kinduction"])
@pytest.mark.parametrize(
    ("wanted", "status", "last"),
    [
        ("seven", 0, "true"),
        ("bad0", 0, "true"),
        ("bad1", 10, "false(bad1)"),
        ("unreach-call", 10, "false(unreach-call)"),
    ],
)
def test_verdicts_are_checked_again(
    counter: str, tmp_path: Path, engine: str, wanted: str, status: int, last: str
) -> None:
    claim = str(tmp_path / "claim.json")
    ended, out, _ = run(
        "verify", counter, "--engine", engine, "--property", wanted, "--json", claim
    )
    assert (ended, out.strip().splitlines()[-1]) == (status, last)
    data = json.loads(Path(claim).read_text())
    OUTCOME.validate(data)
    ended, out, _ = run("check", counter, claim, "--property", wanted, "-q")
    assert (ended, out.strip()) == (status, last)


def test_a_claim_about_another_property_is_refused(counter: str, tmp_path: Path) -> None:
    claim = str(tmp_path / "claim.json")
    run("verify", counter, "--property", "bad0", "--json", claim, "-q")
    assert run("check", counter, claim, "--property", "bad1", "-q")[0] == 4


@pytest.mark.parametrize("form", ["btor2", "aiger"])
def test_witnesses_of_written_files(counter: str, tmp_path: Path, form: str) -> None:
    status, text, _ = run("show", counter, "--as", form)
    assert status == 0
    written = tmp_path / f"again.{'aag' if form == 'aiger' else form}"
    witness = tmp_path / "witness"
    written.write_text(text, encoding="utf-8")
    assert run("verify", str(written), "--engine", "bmc", "--witness", str(witness), "-q")[0] == 10
    assert run("check", str(written), str(witness), "-q")[0] == 10
    witness.write_text(
        "1\nb0\n000\n0\n.\n" if form == "aiger" else witness.read_text().replace("0 1 go", "0 0 go")
    )
    assert run("check", str(written), str(witness), "-q")[0] == 4


def test_refusals(counter: str, tmp_path: Path) -> None:
    assert run("verify", counter, "--property", "bad7")[0] == 2
    assert run("verify", counter, "--property", "justice0")[0] == 2
    assert run("verify", counter, "--engine", "fair")[0] == 2
    broken = tmp_path / "broken.btor2"
    broken.write_text(COUNTER.replace("11 ite 2 10 7 5", "11 ite 2 10 7"), encoding="utf-8")
    status, _, err = run("verify", str(broken))
    assert (
        status == 3
        and "broken.btor2:11:13: error: ite has too few operands" in err
        and "11 ite 2 10 7" in err
    )


@pytest.mark.parametrize("engine", ["ic3", "kinduction"])
def test_programs_by_engines_for_systems(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "p.ivl"
    body = (
        "proc main() {\n  var x: bv4;\n  x := 0;\n  while (x <u 5) { x := x + 1; }\n  assert x %s"
        " 5;\n}\n"
    )
    path.write_text(body % "==", encoding="utf-8")
    assert verify(path, engine).verdict is Verdict.TRUE
    path.write_text(body % "!=", encoding="utf-8")
    assert verify(path, engine).verdict is Verdict.FALSE


def test_a_claim_about_another_property_is_not_accepted(counter: str, tmp_path: Path) -> None:
    claim, witness = tmp_path / "claim.json", tmp_path / "claim.wit"
    run("verify", counter, "--json", str(claim), "--witness", str(witness))
    assert "\nb1\n" in witness.read_text() and run("check", counter, str(witness))[0] == 10
    witness.write_text(witness.read_text().replace("\nb1\n", "\nb0\n"))
    assert run("check", counter, str(witness))[0] == 4
    assert run("check", counter, str(witness), "--property", "bad1")[0] == 3
    run("verify", counter, "--property", "bad1", "--json", str(claim))
    data = json.loads(claim.read_text())
    data["trace"]["violation"] = "property bad0 (seven)"
    claim.write_text(json.dumps(data))
    assert run("check", counter, str(claim))[0] == 3
    data["trace"]["violation"] = "property bad9"
    claim.write_text(json.dumps(data))
    assert run("check", counter, str(claim))[0] == 3


@pytest.mark.parametrize(
    "name", ["large_array_that_is_not_0", "memories_that_differ", "array_of_any_value"]
)
def test_witnesses_of_large_arrays(tmp_path: Path, name: str) -> None:
    """Arrays with a start value are left out, others have the cells that are read."""
    file = str(REPOSITORY / "tests" / "regression" / "false" / f"{name}.btor2")
    witness = tmp_path / "claim.wit"
    assert run("verify", file, "--engine", "ic3bmc", "--witness", str(witness), "-q")[0] == 10
    assert len(witness.read_text().splitlines()) < 40
    assert run("check", file, str(witness), "-q")[0] == 10


def test_certificates_for_all_indices_are_read_back_and_not_believed(tmp_path: Path) -> None:
    file = str(REPOSITORY / "tests" / "regression" / "true" / "memory_of_even_words.btor2")
    claim = tmp_path / "claim.json"
    assert run("verify", file, "--engine", "ic3bmc", "--json", str(claim), "-q")[0] == 0
    assert run("check", file, str(claim), "-q")[0] == 0
    data = json.loads(claim.read_text())
    taken = [{"name": "x", "sort": "(_ BitVec 16)"}]  # an input of the system
    changes: list[dict[str, object]] = [
        {"places": []},
        {"indices": []},
        {"places": [["nothing"]]},
        {"indices": taken},
    ]
    for change in changes:
        claim.write_text(json.dumps({**data, "certificate": {**data["certificate"], **change}}))
        assert run("check", file, str(claim), "-q")[0] != 0, change
