"""Lassos of very many steps: found by following the run without inputs, checked without keeping
their states.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from obligato.engines import fair
from obligato.engines.environment import Environment
from obligato.frontends.btor2.reader import read
from obligato.models.live_claims import Lasso
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep
from obligato.results.checking.lasso import MAX_STEPS, check_lasso
from obligato.results.checking.trace import TraceStatus
from tests.unit.test_cli import OBLIGATO

# counts to 32,767 and goes back to 16,384; the justice set is 20,000
COUNTER = """1 sort bitvec 1
2 sort bitvec 15
3 zero 2
4 one 2
5 state 2 c
6 init 2 5 3
7 ones 2
8 constd 2 16384
9 eq 1 5 7
10 add 2 5 4
11 ite 2 9 8 10
12 next 2 5 11
13 constd 2 20000
14 eq 1 5 13
15 justice 1 14
"""


@pytest.fixture
def system() -> TransitionSystem:
    return read(COUNTER).system


def found(system: TransitionSystem) -> Lasso | None:
    return fair.prove(system, fair.Options(), Environment()).trace


def command(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*OBLIGATO, *map(str, args)], capture_output=True, text=True, check=False)


def rejected(system: TransitionSystem, lasso: Lasso) -> str:
    check = check_lasso(system, system.temporal[0], lasso, [])
    assert check.status is TraceStatus.REJECTED
    return check.reason


def test_the_one_run_is_followed(system: TransitionSystem) -> None:
    lasso = found(system)
    assert lasso is not None and (lasso.loop, len(lasso.steps)) == (16384, 32768)
    assert len({id(step) for step in lasso.steps}) == 2  # no state of it is kept
    check = check_lasso(system, system.temporal[0], lasso, [])
    assert check.status is TraceStatus.CONFIRMED and check.trace is lasso


def test_a_run_that_is_not_fair_is_no_answer() -> None:
    text = COUNTER.replace("constd 2 20000", "constd 2 10000")  # on the stem only
    result = fair.prove(
        read(text).system, fair.Options(budget=1), Environment(cancelled=lambda: True)
    )
    assert result.trace is None


@pytest.mark.parametrize(
    ("loop", "length", "why"),
    [
        (16383, 32768, "does not close"),
        (16384, 32767, "does not close"),
        (16385, 32768, "does not close"),
        (20001, 20001 + 16384, ""),
        (0, 32768, "does not close"),
    ],
)
def test_the_loop_must_close(system: TransitionSystem, loop: int, length: int, why: str) -> None:
    lasso = Lasso((SystemStep(),) * length, loop)
    if why:
        assert why in rejected(system, lasso)
    else:
        assert check_lasso(system, system.temporal[0], lasso, []).status is TraceStatus.CONFIRMED


def test_what_a_long_lasso_says_of_states_must_be_so(system: TransitionSystem) -> None:
    steps = [SystemStep()] * 32768
    steps[30000] = SystemStep({"c": 29999})
    assert "step 30000: the value of c" in rejected(system, Lasso(tuple(steps), 16384))
    assert "not initial" in rejected(system, Lasso((SystemStep({"c": 1}), *steps[1:]), 16384))


def test_constraints_and_sets_count_on_every_step(system: TransitionSystem) -> None:
    lasso = Lasso((SystemStep(),) * 32768, 16384)
    forbidden = COUNTER.replace(
        "15 justice 1 14", "15 justice 1 14\n16 constd 2 31001\n17 eq 1 5 16\n18 constraint -17"
    )
    assert "step 31001: a constraint" in rejected(read(forbidden).system, lasso)
    early = COUNTER.replace("constd 2 20000", "constd 2 10000")
    assert "is not taken on the loop" in rejected(read(early).system, lasso)
    never = replace(system, fairness=(system.store.false,))
    assert "fairness set 0" in rejected(never, lasso)
    assert len(lasso.steps) > MAX_STEPS


def test_the_outcome_tells_the_first_steps_and_is_checked_again(tmp_path: Path) -> None:
    file, outcome = tmp_path / "counter.btor2", tmp_path / "outcome.json"
    witness = tmp_path / "counter.wit"
    file.write_text(COUNTER)
    done = command("verify", file, "--json", outcome, "--witness", witness)
    assert (
        "16384 steps and then 16384 again and again" in done.stdout
        and "32748 steps left out" in done.stdout
    )
    for claim in (outcome, witness):
        assert command("check", file, claim).returncode == 10, claim
    outcome.write_text(outcome.read_text().replace('"length": 32768', '"length": 32769'))
    assert command("check", file, outcome).returncode not in (0, 10)
