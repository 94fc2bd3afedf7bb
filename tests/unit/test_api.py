"""The library and the pipeline: what is reported, what is asked again, and what is our own
defect.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import obligato
from obligato.api import registry
from obligato.api.pipeline import Rejected
from obligato.api.registry import Engine
from obligato.api.request import Request, read_property
from obligato.api.settings import find_preset, make_options
from obligato.api.worker import guarded, verify_work
from obligato.engines.environment import Environment
from obligato.errors import ConfigError, InputError, ResourceOut
from obligato.frontends.registry import language_of
from obligato.models.cfa import CFA
from obligato.reports.json_report import to_dict
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict
from obligato.smt.factory import family

SAFE = (
    "proc main() {\n  var x: bv8;\n  x := 0;\n  while (x <u 10) { x := x + 1; }\n  assert x =="
    " 10;\n}\n"
)
LIMIT = (
    'proc main() {\n  var x: bv8;\n  havoc x;\n  assert [limit] "bound": x <u 9;\n  assert x !='
    " %d;\n}\n"
)
VAGUE = (
    'proc main() {\n  var x: bv8;\n  x := 1;\n  if (*) { havoc x approximates "f"; }\n  assert x !='
    " %d;\n}\n"
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def make(text: str) -> Path:
        path = tmp_path / "p.ivl"
        path.write_text(text, encoding="utf-8")
        return path

    return make


@dataclass(frozen=True)
class FakeOptions:
    level: int = field(default=1, metadata={"help": "any", "low": 0})
    flag: bool = field(default=False, metadata={"help": "any"})
    large_blocks: bool = False


Prove = Callable[[CFA, Any, Environment], EngineResult]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[Prove], Engine]:
    """Install an engine named `fake` that answers by the given function."""

    def install(prove: Prove) -> Engine:
        module = ModuleType("fake_engine")
        module.Options, module.prove = FakeOptions, prove  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fake_engine", module)
        engine = Engine("fake", "for tests", "", "fake_engine")
        monkeypatch.setitem(registry.ENGINES, "fake", engine)
        return engine

    return install


def test_verify_in_this_process(write: Callable[[str], Path]) -> None:
    outcome = obligato.verify(write(SAFE), large_blocks=False, seed=3)
    assert (outcome.verdict, outcome.reason, outcome.seed) == (Verdict.TRUE, None, 3)
    assert outcome.options["large_blocks"] is False and outcome.certificate is not None
    assert [i.line for i in outcome.certificate.invariants if i.loop_head] == [4]
    assert {
        "wall_s",
        "solver_calls",
        "solver_s",
        "frontend_s",
        "frames",
        "lemmas",
    } <= outcome.stats.keys()


def test_verify_in_a_process_of_its_own(write: Callable[[str], Path]) -> None:
    assert obligato.verify(write(SAFE), isolated=True, timeout=60).verdict is Verdict.TRUE
    with pytest.raises(ConfigError):
        obligato.verify(write(SAFE), isolated=True, nonsense=1)
    with pytest.raises(InputError) as refusal:
        obligato.verify(write("proc main() { x := 1; }"), isolated=True)
    assert refusal.value.span.line == 1


def test_a_limit_is_never_a_violation(write: Callable[[str], Path]) -> None:
    beyond = obligato.verify(write(LIMIT % 100))
    assert beyond.verdict is Verdict.UNKNOWN and beyond.reason is not None
    assert beyond.reason.startswith("incomplete: limit reached: bound")
    assert obligato.verify(write(LIMIT % 5)).verdict is Verdict.FALSE


def test_an_over_approximation_never_refutes(write: Callable[[str], Path]) -> None:
    vague = obligato.verify(write(VAGUE % 5))
    assert vague.verdict is Verdict.UNKNOWN and vague.reason is not None
    assert vague.reason.startswith("incomplete: over-approximation used: f")
    assert obligato.verify(write(VAGUE % 1)).verdict is Verdict.FALSE


def test_a_wrong_certificate_is_our_defect(
    write: Callable[[str], Path], fake: Callable[[Prove], Engine]
) -> None:
    fake(lambda cfa, options, env: EngineResult(Verdict.TRUE, Certificate({})))
    with pytest.raises(Rejected, match="certificate was rejected: safety"):
        obligato.verify(write(SAFE), "fake", reduction=0)


def test_a_wrong_trace_is_our_defect(
    write: Callable[[str], Path], fake: Callable[[Prove], Engine]
) -> None:
    def claim(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        return EngineResult(Verdict.FALSE, trace=Trace({}, (TraceStep(0, {}),)))

    fake(claim)
    with pytest.raises(Rejected, match="trace was rejected"):
        obligato.verify(write(SAFE), "fake", reduction=0)


def test_a_lost_trace_is_sought_on_a_less_reduced_program(
    write: Callable[[str], Path], fake: Callable[[Prove], Engine]
) -> None:
    attempts: list[int] = []

    def claim(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        """The first edge only, until the program is not reduced any more; then the whole path."""
        attempts.append(len(cfa.edges))
        path = [cfa.out(cfa.initial)[0]]
        while len(attempts) == 3 and path[-1].target != cfa.error:
            path.append(cfa.out(path[-1].target)[0])
        return EngineResult(
            Verdict.FALSE, trace=Trace({}, tuple(TraceStep(e.id, {}) for e in path))
        )

    fake(claim)
    bug = write("proc main() {\n  var x: bv8;\n  havoc x;\n  assert x != 7;\n}\n")
    assert obligato.verify(bug, "fake", reduction=2).verdict is Verdict.FALSE
    assert len(attempts) == 3


def test_an_internal_error_leaves_a_bundle(
    write: Callable[[str], Path],
    fake: Callable[[Prove], Engine],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake(lambda cfa, options, env: EngineResult(Verdict.TRUE, Certificate({1: cfa.store.true})))
    monkeypatch.chdir(tmp_path)
    answer = guarded(
        verify_work, Request(str(write(SAFE)), "fake", settings={"reduction": 0}), lambda k, d: None
    )
    assert answer.problem == "internal" and "rejected" in answer.message
    bundle = Path(answer.bundle)
    assert sorted(p.name for p in bundle.iterdir()) == [
        "claim.json",
        "input.ivl",
        "message.txt",
        "request.json",
    ]
    claim = json.loads((bundle / "claim.json").read_text())
    assert (claim["k"], claim["invariants"]) == (1, {"1": "true"})
    assert (bundle / "input.ivl").read_text() == SAFE


def test_a_crash_is_an_internal_error_with_its_traceback(
    write: Callable[[str], Path],
    fake: Callable[[Prove], Engine],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crash(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        raise ZeroDivisionError("oops")

    fake(crash)
    monkeypatch.chdir(tmp_path)
    answer = guarded(verify_work, Request(str(write(SAFE)), "fake"), lambda kind, data: None)
    assert (answer.problem, answer.message) == ("internal", "ZeroDivisionError: oops")
    assert "in crash" in (Path(answer.bundle) / "message.txt").read_text()


@pytest.mark.parametrize("resource", ["budget", "cancelled"])
def test_a_spent_budget_is_unknown(
    write: Callable[[str], Path], fake: Callable[[Prove], Engine], resource: str
) -> None:
    def give_up(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        raise ResourceOut(resource)

    fake(give_up)
    outcome = obligato.verify(write(SAFE), "fake")
    assert (outcome.verdict, outcome.reason) == (Verdict.UNKNOWN, f"incomplete: {resource}")


def test_the_time_limit_is_noticed_between_solver_calls(write: Callable[[str], Path]) -> None:
    outcome = obligato.verify(write(SAFE), timeout=1e-9, isolated=False)
    assert (outcome.verdict, outcome.reason) == (Verdict.UNKNOWN, "timeout")


def test_options_are_typed(fake: Callable[[Prove], Engine]) -> None:
    engine = fake(lambda cfa, options, env: EngineResult(Verdict.UNKNOWN))
    options, pipeline = make_options(engine, None, {"level": "7", "flag": "true", "reduction": "1"})
    assert (options, pipeline.reduction) == (FakeOptions(7, True), 1)
    for wrong in (
        {"level": "x"},
        {"level": "-1"},
        {"level": True},
        {"flag": "maybe"},
        {"reduction": 9},
        {"other": 1},
    ):
        with pytest.raises(ConfigError):
            make_options(engine, None, wrong)


def test_presets_are_read_from_toml_and_overridden(
    fake: Callable[[Prove], Engine], tmp_path: Path
) -> None:
    engine = fake(lambda cfa, options, env: EngineResult(Verdict.UNKNOWN))
    file = tmp_path / "quick.toml"
    file.write_text(
        'engine = "fake"\n[base]\nflag = true\n[quick]\nabout = "in a hurry"\nlevel = 3\n'
    )
    preset = find_preset(str(file), "fake")
    assert (preset.name, preset.description) == ("quick", "in a hurry")
    assert find_preset(f"{file}:quick", "fake") == preset
    assert make_options(engine, preset, {"level": 4})[0] == FakeOptions(4, True)
    with pytest.raises(ConfigError, match="belongs to engine"):
        make_options(registry.ENGINES["ic3cfa"], preset, {})
    for wrong in (
        "colour = 1\n",
        "engine = 1\n",
        "[a]\n",
        'engine = "fake"\n[a]\n[b]\n',
        "engine =",
        'engine = "fake"\n',
    ):
        file.write_text(wrong)
        with pytest.raises(ConfigError):
            find_preset(str(file), "fake")


def test_properties(tmp_path: Path) -> None:
    file = tmp_path / "p.prp"
    file.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    assert read_property("unreach-call") == read_property(str(file)) == "unreach-call"
    file.write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    assert read_property("no-overflow") == read_property(str(file)) == "no-overflow"
    memory = [
        f"CHECK( init(main()), LTL(G valid-{part}) )\n" for part in ("free", "deref", "memtrack")
    ]
    file.write_text("".join(memory[:2]))
    assert read_property("memsafety") == read_property(str(file)) == "memsafety"
    file.write_text("".join(memory))
    assert read_property(str(file)) == "valid-memsafety"
    file.write_text("CHECK( init(start()), LTL(G ! call(reach_error())) )\n")
    with pytest.raises(ConfigError):
        read_property(str(file))
    file.write_text("CHECK( init(main()), LTL(F end) )\n")
    assert read_property(str(file)) == "termination"
    file.write_text("CHECK( init(main()), LTL(F begin) )\n")
    for wrong in (str(file), "fairness", str(tmp_path / "none.prp")):
        with pytest.raises(ConfigError):
            language_of("p.c").property(read_property(wrong))


def test_sv_comp_task_file(tmp_path: Path) -> None:
    """A .yml names program, property and data model; undefined functions then have no effect."""
    (tmp_path / "p.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "p.c").write_text(
        "extern void reach_error(void); extern void log_it(int *); int x;\n"
        "int main(void) { log_it(&x); if (x != 0 || sizeof(long) != 8) reach_error(); return 0; }\n"
    )
    (tmp_path / "p.yml").write_text(
        "format_version: '2.0'\ninput_files: 'p.c'\nproperties:\n  - property_file: p.prp\n   "
        " expected_verdict: true\noptions:\n  language: C\n  data_model: LP64\n"
    )
    outcome = obligato.verify(tmp_path / "p.yml")
    assert outcome.verdict is Verdict.TRUE and any(
        "externals=pure" in note for note in outcome.notes
    )
    assert obligato.verify(tmp_path / "p.c", data_model="LP64").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("engine", ["ic3cfa", "ic3ia", "bmc", "kinduction"])
def test_a_solver_behind_a_pipe(write: Callable[[str], Path], engine: str) -> None:
    """Any SMT-LIB 2 solver can be an engine's; the checker knows who it was."""
    z3 = Path(sys.executable).parent / "z3"
    bug = write("proc main() {\n  var x: bv8;\n  havoc x;\n  assert x != 7;\n}\n")
    outcome = obligato.verify(bug, engine, backend=f"pipe:{z3} -in")
    assert outcome.verdict is Verdict.FALSE and outcome.stats["solvers"] == [f"pipe:{z3}"]
    assert family(f"pipe:{z3}") == "z3"
    with pytest.raises(ConfigError, match="backend is one of"):
        obligato.verify(bug, engine, backend="pipe:")


def test_reports_say_line_column_and_function(tmp_path: Path) -> None:
    """Inlining keeps the function that a statement comes from."""
    file = tmp_path / "p.c"
    file.write_text(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n"
        "static void check(int x) {\n  if (x == 7)\n    reach_error();\n}\n"
        "int main(void) {\n  int y = __VERIFIER_nondet_int();\n  check(y);\n  return 0;\n}\n",
        encoding="utf-8",
    )
    outcome = obligato.verify(file)
    assert outcome.trace is not None
    places = {(s.line, s.function) for s in outcome.trace.steps}
    assert (8, "main") in places and (5, "check") in places
    last = to_dict(outcome)["trace"]["steps"][-1]
    assert (last["line"], last["function"]) == (5, "check") and last["column"] == 5
