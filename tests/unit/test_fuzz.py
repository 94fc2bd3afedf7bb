"""The long random runs of `make fuzz`, in small, and what they have found."""

from __future__ import annotations

import collections
import json
from pathlib import Path

import pytest

from obligato.api.pipeline import Rejected
from obligato.api.recheck import read_outcome
from obligato.api.system_recheck import read_certificate
from obligato.engines import ic3
from obligato.engines.environment import Environment
from obligato.errors import InputError
from obligato.frontends import aiger, btor2, vmt
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.models.ts_reduce import reduce_system
from obligato.results.outcome import Verdict
from obligato.results.values import from_json
from obligato.terms import BOOL, REAL, TermStore
from tests.fuzz import claims_run, horn_run, mutants_run, systems_run, vmt_run
from tests.support import oracle, systems


def test_the_fast_oracle_agrees_with_evaluation() -> None:
    for seed in range(60):
        task = systems.random_system(seed, max_bits=6, rich=seed % 2 == 0)
        slow, fast = systems.explore(task), oracle.explore(task)
        assert slow.depth == fast.depth and (
            slow.depth is not None or slow.states == fast.states
        ), seed


def test_systems() -> None:
    assert [p for case in range(20) for p in systems_run.objections(case)] == []


@pytest.mark.parametrize("case", [6000244, 6001358])
def test_facts_about_given_gates_are_rewritten(case: int) -> None:
    """Division, whose quotient is a free gate with facts, in the circuit of IC3 with bounded model
    checking.
    """
    task, options = systems.random_system(case, rich=True), ic3.Options(bounded=1)
    for level in (0, 3):
        result = ic3.prove(reduce_system(task, level)[0], options, Environment())
        assert (result.verdict is Verdict.TRUE) is (oracle.explore(task).depth is None)


def test_horn_clauses() -> None:
    tally: collections.Counter[str] = collections.Counter()
    assert [p for case in range(30) for p in horn_run.objections(case, tally)] == []


def test_inequalities_of_integers_and_of_reals_are_not_summed_up() -> None:
    assert horn_run.objections(5009374, collections.Counter()) == []


def test_vmt_systems() -> None:
    tally: collections.Counter[str] = collections.Counter()
    assert [p for case in range(20) for p in vmt_run.objections(case, tally)] == []


def test_mutated_files() -> None:
    tally: collections.Counter[str] = collections.Counter()
    assert [p for case in range(600) for p in mutants_run.objections(case, tally)] == []


def test_claims(tmp_path: Path) -> None:
    tally: collections.Counter[str] = collections.Counter()
    assert [
        p for case in range(40) for p in claims_run.Claims(case, tmp_path, tally).objections()
    ] == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("aag 3 1 1 1 1\n2\n4 6\n6\n6 8 2\n", 5, "beyond the maximum"),
        ("aag 4 1 1 1 1\n2\n4 6\n6\n6 8 2\n", 5, "not defined"),
        ("aag 4 1 1 1 1\n2\n4 8\n6\n6 4 2\n", 3, "not defined"),
        ("aag 4 1 1 1 2\n2\n4 6\n6\n6 8 2\n8 6 2\n", 5, "cyclic"),
        ("aag 4 1 1 1 1\n2\n2 6\n6\n6 4 2\n", 3, "defined twice"),
        ("", 1, "ends too early"),
        ("aag 20000000 0 0 1 0\n39999998\n", 2, "not defined"),
    ],
)
def test_aiger_refusals_have_a_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        aiger.read(text.encode(), "f.aag")
    assert refusal.value.span.line == line


def test_sizes_that_a_short_file_cannot_mean() -> None:
    with pytest.raises(InputError, match="inputs"):
        aiger.read(b"aig 1000000 1000000 0 1 0\n2\n")
    with pytest.raises(InputError, match="65536"):
        vmt.parse("(declare-fun x () (_ BitVec 65537))")


def test_claims_that_nobody_can_mean(tmp_path: Path) -> None:
    file = tmp_path / "claim.json"
    for text in ("[" * 100_000, '{"schema": ' + "9" * 5000 + "}"):
        file.write_text(text)
        with pytest.raises(InputError):
            read_outcome(str(file))
    task = systems.random_system(0)
    for k in (10**9, True, 1.5, float("inf"), None, "1"):
        with pytest.raises(InputError):
            read_certificate(task, {"k": k, "invariants": [{"formula": "true"}]}, "claim")
    for formula in ("", "true true", "(true", "nobody"):
        with pytest.raises(Rejected):
            read_certificate(
                task,
                json.loads(json.dumps({"k": 1, "invariants": [{"formula": formula}]})),
                "claim",
            )
    for number in ("1e999999999", float("inf"), "1/0", True, "0.5"):
        with pytest.raises(InputError):
            from_json(number, REAL)


def test_a_witness_without_frames_is_refused() -> None:
    model = btor2.read("1 sort bitvec 1\n2 input 1 i\n3 state 1 s\n4 init 1 3 2\n5 bad 3\n")
    with pytest.raises(InputError, match="no frames"):
        btor2.read_witness(model, "sat\nb0\n.\n")


def test_writers_use_the_equations_of_a_relation() -> None:
    s = TermStore.raw()
    x, y = s.var("x", BOOL), s.var("y", BOOL)
    trans = s.and_(s.eq(next_var(x), s.not_(y)), s.or_(next_var(y), x))
    task = TransitionSystem(s, (x, y), (), s.and_(x, y), trans, (Assertion("p", s.or_(x, y)),))
    model = btor2.read(btor2.btor2_text(task))
    assert [i.name for i in model.inputs] == ["next_of_y"]
    assert oracle.explore(model.system).depth == oracle.explore(task).depth
