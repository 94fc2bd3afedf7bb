"""Proofs as circuits, and witnesses checked by other programs where they are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import Request
from obligato.frontends.aiger import load as load_aiger
from obligato.frontends.aiger.certificate import certificate_bytes
from obligato.reports.json_report import json_text, to_dict
from obligato.results.outcome import Verdict
from obligato.terms import TermStore
from tests.support.hardware import COUNTER

# Two latches that are never both on, and a third that would follow if they were; inputs choose.
SAFE = "aag 6 1 3 0 2 1\n2\n4 2 0\n6 12 0\n8 10 0\n8\n10 4 6\n12 3 5\nl0 a\nl1 b\nl2 both\n"
ABC = next(
    (found for name in ("berkeley-abc", "abc", "yosys-abc") if (found := shutil.which(name))), None
)


def emitted(model: Path, tmp_path: Path) -> Path:
    """The folder with the proof obligations of a model."""
    outcome = obligato.verify(model, timeout=60)
    assert outcome.verdict is Verdict.TRUE
    claim, folder = tmp_path / "claim.json", tmp_path / "obligations"
    claim.write_text(json_text(to_dict(outcome)))
    again = recheck(Request(str(model), emit=str(folder)), lambda kind, data: None, str(claim))
    assert again.verdict is Verdict.TRUE
    return folder


@pytest.fixture
def circuit(tmp_path: Path) -> Path:
    """The circuit of a proof."""
    model = tmp_path / "safe.aag"
    model.write_text(SAFE)
    return emitted(model, tmp_path) / "certificate.aig"


def test_the_output_is_constant(circuit: Path) -> None:
    head = circuit.read_bytes().split(b"\n")[0].split()
    assert head[0] == b"aig" and head[3:5] == [b"0", b"1"] and len(head) == 6
    assert obligato.verify(circuit, timeout=60).verdict is Verdict.TRUE


def test_a_wrong_invariant_is_no_proof(tmp_path: Path) -> None:
    model, circuit = tmp_path / "safe.aag", tmp_path / "wrong.aig"
    model.write_text(SAFE)
    system = load_aiger(model)
    store = TermStore.raw()
    a, b, both = (store.var(x.name, x.sort) for x in system.state)
    wrong = {
        "not safe": store.true,
        "not inductive": store.not_(both),
        "not initial": a,
        "false": store.false,
        "too strong": store.and_(store.not_(both), store.not_(b), store.not_(a)),
    }
    for why, invariant in wrong.items():
        circuit.write_bytes(certificate_bytes(system, invariant))
        assert obligato.verify(circuit, timeout=60).verdict is Verdict.FALSE, why


@pytest.mark.skipif(ABC is None, reason="needs ABC on PATH")
def test_abc_agrees(circuit: Path) -> None:
    command = [str(ABC), "-c", f"read_aiger {circuit}; strash; sat"]
    # it leaves a file behind
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd=circuit.parent)
    assert "UNSATISFIABLE" in said.stdout


@pytest.mark.parametrize(
    ("tool", "name", "text", "options"),
    [
        ("btorsim", "counter.btor2", COUNTER, ["-c"]),
        ("aigsim", "unsafe.aag", SAFE.replace("\n8\n10 4 6", "\n4\n10 4 6"), ["-w", "-c"]),
    ],
)
def test_simulators_accept_witnesses(
    tool: str, name: str, text: str, options: list[str], tmp_path: Path
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"needs {tool} on PATH")
    model, witness = tmp_path / name, tmp_path / "witness"
    model.write_text(text)
    command = [
        sys.executable,
        "-m",
        "obligato",
        "verify",
        str(model),
        "--witness",
        str(witness),
        "-q",
    ]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 10
    assert (
        subprocess.run(
            [tool, *options, str(model), str(witness)], check=False, capture_output=True
        ).returncode
        == 0
    )
