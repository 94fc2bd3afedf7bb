"""The library as a whole: inputs of all kinds, limits, events, cancelling, several at once, errors,
how results look.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import obligato as ob
from obligato.api.inputs import request_for
from obligato.api.request import Request
from obligato.api.running import isolated_outcome
from obligato.results.outcome import PropertyVerdict, StepReport, TraceReport
from tests.unit.test_builders import counter

LOOP = "int main() { int x = 0; while (x < 5) x++; if (x != LIMIT) reach_error(); }\n"


def hard() -> ob.SystemBuilder:
    """No two squares differ by this number; nobody here finds out."""
    s = ob.SystemBuilder("hard")
    x, y, i = s.state("x", ob.INT, init=2), s.state("y", ob.INT, init=2), s.input("i", ob.BOOL)
    s.next(x, ob.ite(i, x * x + 1, x + y))
    s.next(y, ob.ite(i, y + 1, y * x))
    s.check(x * x * x + y * y * y != 42_000_042)
    return s


def test_all_names_exist_and_importing_is_lazy() -> None:
    assert all(getattr(ob, name) is not None for name in ob.__all__) and set(dir(ob)) == set(
        ob.__all__
    )
    script = (
        "import sys, obligato; assert not [m for m in sys.modules if m.startswith('obligato.')],"
        " 'not lazy'"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
    with pytest.raises(AttributeError, match="nothing"):
        _ = ob.nothing


def test_text_files_and_models_are_verified(tmp_path: Path) -> None:
    outcome = ob.verify(LOOP, language="c", define={"LIMIT": "6"}, isolated=False)
    assert outcome.refuted and outcome.file == "<text>.c" and outcome.trace is not None
    assert outcome.trace.violation.startswith("<text>.c:1: ") and all(
        s.file == "<text>.c" for s in outcome.trace.steps
    )
    one, two = tmp_path / "one.c", tmp_path / "two.c"
    one.write_text("int f(int); int main() { if (f(1) != 2) reach_error(); }\n")
    two.write_text("int f(int x) { return x + 1; }\n")
    assert ob.verify([one, str(two)], isolated=False).proved
    assert ob.verify(ob.load(one), isolated=False).unknown  # f may do anything there
    two.write_text("int main() { reach_error(); }\n")
    assert ob.verify(ob.load(two), isolated=False).refuted


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("int main() {\n}\n", {}, "say its language"),
        ("missing.c", {}, "there is no file missing.c"),
        (".", {}, "is a folder"),
        ([], {}, "what can be verified"),
        (7, {}, "what can be verified"),
        (["a.vmt", "b.c"], {}, "there is no file a.vmt"),
        ("x", {"language": "cobol"}, "there is no language 'cobol'"),
        ("int main() {}", {"language": "c", "timeout": -1}, "timeout must be a positive number"),
        ("int main() {}", {"language": "c", "engine": "ic4"}, "unknown engine 'ic4'"),
        ("int main() {}", {"language": "c", "colour": 3}, "no option 'colour'"),
        (
            "int main() {}",
            {"language": "c", "memory": 100, "isolated": False},
            "leave isolated out",
        ),
    ],
)
def test_requests_that_make_no_sense_are_refused(
    given: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ob.ConfigError) as problem:
        ob.verify(given, **options)
    assert message in str(problem.value)


def test_refused_input_has_its_place_and_its_construct() -> None:
    with pytest.raises(ob.InputError) as problem:
        ob.verify("int main() {\n  int x = ;\n}\n", language="c")
    assert (problem.value.span.file, problem.value.span.line) == ("<text>.c", 2)
    with pytest.raises(ob.Unsupported) as refused:
        ob.verify('int main() {\n  __asm__("nop");\n}\n', language="c")
    assert refused.value.construct and refused.value.span.line == 2


def stuck(request: Request, report: Any) -> ob.Outcome:
    """As if a solver never came back."""
    threading.Event().wait()
    raise AssertionError


def test_time_limits_hold_whatever_happens_inside() -> None:
    with request_for(counter(), None, Request("", timeout=0.2)) as (request, rename):
        outcome = isolated_outcome(request, rename, work=stuck)
    assert outcome.unknown and outcome.reason == "timeout" and outcome.file == "<counter>"


def test_events_arrive_and_a_cancelled_run_ends_as_unknown() -> None:
    with ob.start(hard(), timeout=120) as run:
        for event in run:
            if event.kind == "stage" and event.data == "ic3ia":
                run.cancel()
        assert run.result().unknown and run.result().reason == "interrupted" and run.done()
        assert list(run) == []


def test_an_event_of_every_stage_and_the_outcome_of_a_run_in_the_background() -> None:
    run = ob.start(counter(), events=True)
    events = list(run)
    stages = [e.data for e in events if e.kind == "stage"]
    assert stages[0] == "read" and "check" in stages and run.result().proved
    assert {"frontier", "lemma"} <= {e.kind for e in events}
    refused = ob.start("no such file.c")
    with pytest.raises(ob.ConfigError, match="there is no file"):
        refused.result()


def test_several_at_once_in_one_process() -> None:
    def limit(n: int) -> int:
        outcome = ob.verify(counter(n), isolated=False)
        return 10 if outcome.proved else len(outcome.trace.steps) if outcome.trace else -1

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(limit, [10, 3, 4, 11, 2, 5])) == [10, 5, 6, 10, 4, 7]
        found = list(pool.map(partial(ob.verify, timeout=60), [counter(3), counter(), counter(4)]))
    assert [o.refuted for o in found] == [True, False, True]


def test_scripts_need_no_guard_even_with_threads(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import threading
        import obligato as ob
        print("once")
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        p = ob.ProgramBuilder()
        x = p.variable("x", ob.INT, 1)
        p.check(x == 1)
        print(ob.verify(p, memory=4000, timeout=100).verdict)
    """)
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("once\nVerdict.TRUE\n", 0), done.stderr


def test_a_verdict_has_no_truth_value() -> None:
    outcome = ob.verify(counter(3), isolated=False)
    for wrong in (
        outcome,
        outcome.verdict,
        ob.Verdict.FALSE,
        PropertyVerdict("p", ob.Verdict.TRUE),
    ):
        with pytest.raises(TypeError, match="three values"):
            bool(wrong)
    with pytest.raises(KeyError, match="there are: bounded"):
        _ = outcome["other"]


def test_results_for_people_and_for_notebooks() -> None:
    outcome = ob.verify(counter(3), isolated=False)
    assert (
        repr(outcome) == "<<counter>: false(unreach-call), trace of 5 steps replayed>"
        and outcome["bounded"].refuted
    )
    page = outcome._repr_html_()
    assert "&lt;counter&gt;" in page and "<counter>" not in page and page.count("<tr>") == 6
    assert ob.report(outcome).splitlines()[
        -1
    ] == "false(unreach-call)" and '"verdict": "false"' in ob.report(outcome, "json")
    steps = (StepReport(0, "<i>.c", 1, "x <script> y", {"<u>": "<s>"}, {}),)
    evil = TraceReport({}, {"<script>": 1}, steps, True, "<img onerror=x>")
    shown = PropertyVerdict("<b>", ob.Verdict.FALSE, "<em>", trace=evil)._repr_html_()
    assert not [tag for tag in ("<script>", "<img", "<u>", "<s>", "<em>", "<i>.c") if tag in shown]


def test_claims_of_others_are_refused() -> None:
    outcome = ob.verify(counter(), isolated=False)
    with pytest.raises(ob.ClaimRefused):
        ob.check(counter(3), outcome)


def test_python_m_obligato() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "obligato", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "verify" in done.stdout
