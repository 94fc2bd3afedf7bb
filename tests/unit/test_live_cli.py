"""Properties of infinite runs through the command line: names, temporal formulas, JSON, witnesses,
re-checking.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.schema import OUTCOME

# x counts modulo 4 while the input go is 1; d (done) is set by the input and stays
COUNTER = """1 sort bitvec 1
2 sort bitvec 2
3 zero 2
4 input 1 go
5 state 2 x
6 init 2 5 3
7 inc 2 5
8 ite 2 4 7 5
9 next 2 5 8
10 zero 1
11 state 1 d
12 init 1 11 10
13 or 1 11 4
14 next 1 11 13
15 ones 2
16 eq 1 5 15
17 justice 1 16 three
18 justice 2 11 -11
19 fair 4
"""

VMT = """(declare-fun x () (_ BitVec 2)) (declare-fun y () (_ BitVec 2)) (declare-fun go () Bool)
(define-fun .x () (_ BitVec 2) (! x :next y))
(define-fun .i () Bool (! (= x #b00) :init true))
(define-fun .t () Bool (! (= y (ite go (bvadd x #b01) x)) :trans true))
(define-fun .p () Bool (! (distinct x #b11) :live-property 0))
(define-fun .q () Bool (! (=> (ltl.G (ltl.F go)) (ltl.G (ltl.F (= x #b11)))) :ltl-property 1))
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    file = tmp_path / "counter.btor2"
    file.write_text(COUNTER, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("engine", "kind"), [("fair", "walls"), ("l2s", "saved"), ("klive", "counted")]
)
def test_proofs_are_written_and_checked_again(
    counter: str, tmp_path: Path, engine: str, kind: str
) -> None:
    file = tmp_path / "out.json"
    status, out, _ = run(
        "verify", counter, "--property", "justice1", "--engine", engine, "--json", str(file)
    )
    assert (status, out.splitlines()[-1]) == (0, "true")
    data = json.loads(file.read_text(encoding="utf-8"))
    OUTCOME.validate(data)
    assert data["certificate"]["kind"] == kind and data["certificate"]["independent"]
    assert run("check", counter, str(file), "--property", "justice1")[0] == 0
    assert run("check", counter, str(file), "--property", "three")[0] in (3, 4)
    data["certificate"]["invariants"] = [
        {**i, "formula": "true"} for i in data["certificate"]["invariants"]
    ]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert run("check", counter, str(file), "--property", "justice1")[0] == 4


@pytest.mark.parametrize("engine", ["fair", "l2s"])
def test_lassos_are_written_and_checked_again(counter: str, tmp_path: Path, engine: str) -> None:
    file, witness = tmp_path / "out.json", tmp_path / "witness"
    status, out, _ = run(
        "verify",
        counter,
        "--property",
        "justice0",
        "--engine",
        engine,
        "--json",
        str(file),
        "--witness",
        str(witness),
    )
    lines = out.splitlines()
    assert (status, lines[-1]) == (10, "false(justice0)") and "  loop:" in lines
    data = json.loads(file.read_text(encoding="utf-8"))
    OUTCOME.validate(data)
    assert 0 <= data["trace"]["loop"] < len(data["trace"]["steps"])
    text = witness.read_text(encoding="utf-8")
    assert text.startswith("sat\nj0\n") and text.endswith(f".\n; loop {data['trace']['loop']}\n")
    assert run("check", counter, str(file), "--property", "justice0")[0] == 10
    assert run("check", counter, str(witness), "--property", "justice0")[0] == 10
    # the loop is found by simulation
    witness.write_text(text[: text.rindex(";")], encoding="utf-8")
    assert run("check", counter, str(witness), "--property", "justice0")[0] == 10
    witness.write_text(text.replace("0 1 go@", "0 0 go@"), encoding="utf-8")
    assert run("check", counter, str(witness), "--property", "justice0")[0] == 4
    data["trace"]["loop"] = len(data["trace"]["steps"])
    file.write_text(json.dumps(data), encoding="utf-8")
    assert run("check", counter, str(file), "--property", "justice0")[0] == 4


def test_all_properties_have_a_verdict_each(counter: str) -> None:
    status, out, _ = run("verify", counter)
    assert status == 10 and [x for x in out.splitlines() if x.startswith("justice")] == [
        "justice0: false(justice0)",
        "justice1: true",
    ]


@pytest.mark.parametrize(
    ("formula", "status"),
    [
        ("G (d -> X d)", 0),
        ("G F x = 3", 0),
        ("F G ! d", 10),
        ("x = 0 U x = 1", 0),
        ("G (x = 0 -> X x = 1)", 10),
        ("F d", 0),
        ("[] (go -> X d)", 0),
        ("go R (x = 0)", 0),
        ('X "(= x #b01)"', 10),
    ],
)
def test_formulas(counter: str, tmp_path: Path, formula: str, status: int) -> None:
    """The run is fair to go, so that it counts on and on."""
    assert run("verify", counter, "--property", f"ltl: {formula}", "-q")[0] == status
    file = tmp_path / "property.ltl"
    file.write_text(formula + "\n", encoding="utf-8")
    assert run("verify", counter, "--property", str(file), "-q", "--engine", "l2s")[0] == status


def test_refusals(counter: str, tmp_path: Path) -> None:
    status, _, err = run("verify", counter, "--property", "ltl: G (d -> F nobody)")
    assert (
        status == 3
        and "<property>:1:16: error: temporal formula: 'nobody' is no name of the input" in err
    )
    assert run("verify", counter, "--property", "justice0", "--engine", "ic3")[0] == 2
    assert run("verify", counter, "--property", "justice7")[0] == 2
    assert (
        run("verify", counter, "--property", "ltl: F d", "--witness", str(tmp_path / "w"))[0] == 2
    )
    both = tmp_path / "both.btor2"
    both.write_text(COUNTER + "20 bad 11\n", encoding="utf-8")
    status, out, _ = run("verify", str(both), "--property", "bad0,justice0")
    assert status == 10 and "bad0: false(bad0)" in out and "justice0: " in out
    assert run("verify", str(both), "-q")[0] == 10  # the default is about states
    assert run("verify", str(both), "-q", "--engine", "fair")[0] == 2
    assert run("verify", str(tmp_path / "x.ivl"), "--engine", "fair")[0] in (2, 3)


def test_vmt(tmp_path: Path) -> None:
    file = tmp_path / "counter.vmt"
    file.write_text(VMT, encoding="utf-8")
    status, out, _ = run("verify", str(file))
    assert status == 10 and [x for x in out.splitlines() if x.startswith("l")] == [
        "live0: false(live0)",
        "ltl1: true",
    ]


def test_aiger_witness(tmp_path: Path) -> None:
    file, witness = tmp_path / "toggle.aag", tmp_path / "witness"
    file.write_text("aag 2 1 1 0 0 0 0 1 0\n2\n4 5\n1\n4\n", encoding="utf-8")
    assert run("verify", str(file), "--witness", str(witness), "-q")[0] == 10
    assert witness.read_text(encoding="utf-8").startswith(
        "1\nj0\n0\n"
    ) and "c loop" in witness.read_text(encoding="utf-8")
    assert run("check", str(file), str(witness), "-q")[0] == 10


def test_a_bad_state_is_true_where_something_is_wrong(tmp_path: Path) -> None:
    aiger, btor2 = tmp_path / "low.aag", tmp_path / "low.btor2"
    # bad where a latch is true that stays false
    aiger.write_text("aag 1 0 1 0 0 1\n2 2\n2\nb0 high\n", encoding="utf-8")
    btor2.write_text(
        "1 sort bitvec 1\n2 zero 1\n3 state 1 x\n4 init 1 3 2\n5 next 1 3 3\n6 bad 3 high\n",
        encoding="utf-8",
    )
    for file in (aiger, btor2):
        assert run("verify", str(file), "-q", "--property", "ltl: G !high")[0] == 0
        assert run("verify", str(file), "-q", "--property", "ltl: F high")[0] == 10


def test_a_proof_about_states_proves_nothing_about_infinite_runs(tmp_path: Path) -> None:
    file, claim = tmp_path / "toggle.aag", tmp_path / "claim.json"
    file.write_text("aag 2 1 1 0 0 0 0 1 0\n2\n4 5\n1\n4\n", encoding="utf-8")
    proof = {"kind": "inductive", "k": 1, "invariants": [{"location": 0, "formula": "true"}]}
    claim.write_text(
        json.dumps({"schema": 1, "verdict": "true", "certificate": proof}), encoding="utf-8"
    )
    status, _, message = run("check", str(file), str(claim))
    assert status == 3 and "about states" in message


TWO_BAD = {
    "two.btor2": "1 sort bitvec 1\n2 zero 1\n3 input 1 x\n4 bad 2 p\n5 bad 3 p\n6 bad 2 q\n",
    "unnamed.btor2": "1 sort bitvec 1\n2 zero 1\n3 input 1 x\n4 bad 2 bad1\n5 bad 3\n6 bad 2 q\n",
    "two.aag": "aag 1 1 0 0 0 3\n2\n0\n2\n0\nb0 p\nb1 p\nb2 q\n",
    "output.aag": "aag 1 1 0 1 0 2\n2\n2\n0\n0\no0 p\nb0 p\nb1 q\n",
}


@pytest.mark.parametrize("name", TWO_BAD)
def test_a_name_of_two_things_is_none_in_a_formula(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(TWO_BAD[name])
    asked = "bad1" if name.startswith("unnamed") else "p"
    # it meant a property, which says that something bad is not so
    status, _, err = run("verify", str(file), "-q", "--property", f"ltl: G {asked}")
    assert status == 3 and f"{asked!r} is no name" in err
    assert run("verify", str(file), "-q", "--property", "ltl: G !q")[0] == 0
