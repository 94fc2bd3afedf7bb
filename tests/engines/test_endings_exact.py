"""Termination of C: an infinite run must be one that C defines, so it does not overflow in signed
arithmetic.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato import verify
from obligato.api.reading import original_cfa
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.api.run_search import without_limits
from obligato.frontends.c.driver import load
from obligato.models.claims import Trace, TraceStep
from obligato.models.execution import execute
from obligato.models.rank_claims import BuchiCFA, Endless
from obligato.reports.json_report import outcome_text
from obligato.results.checking.endless import check_endless
from obligato.results.checking.solving import chain
from obligato.results.checking.status import TraceStatus
from obligato.results.replay import replay
from obligato.smt import SolverStats
from obligato.terms import default_value

UP = """extern TYPE __VERIFIER_nondet_NAME(void);
int main(void) { TYPE max = __VERIFIER_nondet_NAME(), x = 1; while (x <= max) x = x + 1; return 0; }
"""


def test_a_run_that_goes_on_only_by_overflow_is_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "up.c"
    file.write_text(UP.replace("TYPE", "int").replace("NAME", "int"))
    assert str(verify(file, property="termination", timeout=6)) == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        UP.replace("TYPE", "unsigned").replace("NAME", "uint"),
        # n wraps around
        (
            "int main(void) { int x = 0; unsigned n = 0; while (x >= 0) { n = n + 1; x = 1 - x; }"
            " return 0; }\n"
        ),
        (
            "extern int __VERIFIER_nondet_int(void); int main(void) { int x ="
            " __VERIFIER_nondet_int(); while (x != 3) x = x; }\n"
        ),
    ],
)
def test_other_infinite_runs_are_checked_again(text: str, tmp_path: Path) -> None:
    file, claim = tmp_path / "p.c", tmp_path / "claim.json"
    file.write_text(text)
    outcome = verify(file, property="termination", timeout=60)
    assert str(outcome) == "false(termination)"
    claim.write_text(outcome_text(outcome))
    request = Request(str(file), property="termination")
    assert str(recheck(request, lambda *_: None, str(claim))) == "false(termination)"
    file.write_text(text.replace("while (", "while (0 && "))
    with pytest.raises(ClaimRefused):
        recheck(request, lambda *_: None, str(claim))


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("termination", "int main(void) { TYPE x = 1; while (1) x = x + 1; }\n"),
        (
            "termination",
            "int main(void) { int y = 0; TYPE x = 1; while (y >= 0) { x = x + 1; y = 1 - y; } }\n",
        ),
        (
            "ltl: []<>AP(on == 1)",
            "int on = 0; TYPE x = 1; int main(void) { while (1) x = x + 1; }\n",
        ),
    ],
)
def test_the_checker_refuses_a_loop_that_overflows_later(
    asked: str, text: str, tmp_path: Path
) -> None:
    """The run of the program with an unsigned counter is claimed of the one with a signed
    counter.
    """
    file, claim = tmp_path / "p.c", tmp_path / "claim.json"
    file.write_text(text.replace("TYPE", "unsigned"))
    outcome = verify(file, property=asked, timeout=60)
    assert str(outcome).startswith("false")
    claim.write_text(outcome_text(outcome))
    request = Request(str(file), property=asked)
    assert str(recheck(request, lambda *_: None, str(claim))) == str(outcome)
    file.write_text(text.replace("TYPE", "int"))
    with pytest.raises(ClaimRefused):
        recheck(request, lambda *_: None, str(claim))


@pytest.mark.parametrize(
    ("sort", "status"), [("int", TraceStatus.LOST), ("unsigned", TraceStatus.CONFIRMED)]
)
def test_once_round_the_loop_is_not_enough(sort: str, status: TraceStatus, tmp_path: Path) -> None:
    """The steps can be taken, do not overflow and lead back to the loop; whether x, which nothing
    tests, must come back is decided by whether it may overflow.
    """
    file = tmp_path / "p.c"
    file.write_text(f"int main(void) {{ {sort} x = 1; while (1) x = x + 1; }}\n")
    program = load(file, property="ltl")
    whole = original_cfa(program)
    cfa = without_limits(whole)
    here, state = cfa.initial, {v: default_value(v.sort) for v in cfa.variables}
    steps, seen = list[TraceStep](), dict[int, int]()
    while here not in seen:
        seen[here] = len(steps)
        edge, after = next(
            (e, a) for e in cfa.out(here) if (a := execute(e.command, state, {})) is not None
        )
        here, state = edge.target, after
        steps.append(TraceStep(edge.id, {}))
    claim = Endless(Trace({}, tuple(steps)), seen[here])
    links = chain([v.sort for v in cfa.variables], {}, SolverStats())
    check = check_endless(
        BuchiCFA(cfa), claim, lambda t: replay(program, whole, t, whole=False).problem, links
    )
    assert check.status is status
