"""The examples of docs/adding.md are what they say: one module and one line each."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import obligato
from obligato.api import registry as engines
from obligato.api.registry import Engine
from obligato.cli.main import main
from obligato.errors import ConfigError, InputError
from obligato.frontends import registry as languages
from obligato.frontends.registry import InputKind, Language
from obligato.reports import registry as reports
from obligato.reports.registry import ReportFormat
from obligato.results.outcome import Verdict
from obligato.smt import factory
from obligato.smt.factory import Backend
from obligato.terms import Kind
from tests.corpus import REPOSITORY

PAGE = (REPOSITORY / "docs/adding.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```python (\S+)\n(.*?)```", PAGE, re.DOTALL))
Patch = pytest.MonkeyPatch


def module(patch: Patch, block: str, name: str) -> Any:
    """The module that a block of the page is, importable by `name`."""
    made = ModuleType(name)
    patch.setitem(sys.modules, name, made)
    exec(compile(BLOCKS[block], f"docs/adding.md: {block}", "exec"), made.__dict__)
    return made


def line(block: str, **names: Any) -> Any:
    return eval(
        BLOCKS[block],
        {
            "Engine": Engine,
            "Language": Language,
            "InputKind": InputKind,
            "Backend": Backend,
            "Kind": Kind,
            "ReportFormat": ReportFormat,
            **names,
        },
    )


def add_engine(patch: Patch) -> None:
    made = line("engine-line")
    module(patch, "engine", made.module)
    assert made.module.startswith("obligato.engines.")
    patch.setitem(engines.ENGINES, "toy", made)


def add_language(patch: Patch, block: str) -> None:
    made = line(f"{block}-line")
    module(patch, block, f"obligato.frontends.{made.name}")
    patch.setattr(languages, "LANGUAGES", (*languages.LANGUAGES, made))


def test_an_engine(monkeypatch: Patch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_engine(monkeypatch)
    file = tmp_path / "p.ivl"
    file.write_text(
        "proc main() { var x: bv4; x := 3; while (*) { x := 3; } assert x == 3; }\n",
        encoding="utf-8",
    )
    assert obligato.verify(file, "toy").verdict is Verdict.TRUE  # after reductions
    add_language(monkeypatch, "language")
    system = tmp_path / "c.toy"
    system.write_text("11", encoding="utf-8")
    # 10, which is not reached, is followed by 11
    assert obligato.verify(system, "toy").verdict is Verdict.UNKNOWN
    system.write_text("15", encoding="utf-8")
    assert obligato.verify(system, "toy", budget="7").options["budget"] == 7
    with pytest.raises(ConfigError, match="at least 1"):
        obligato.verify(system, "toy", budget=0)
    monkeypatch.setattr(sys, "argv", ["obligato", "engines", "--options"])
    with pytest.raises(SystemExit):
        main()
    assert "budget=1000: counted budget of its one query" in capsys.readouterr().out


def test_an_engine_proves(monkeypatch: Patch, tmp_path: Path) -> None:
    add_engine(monkeypatch)
    file = tmp_path / "s.vmt"
    file.write_text(
        "(declare-fun x () Int)\n(declare-fun y () Int)\n(define-fun .x () Int (! x :next"
        " y))\n(define-fun .i () Bool (! (= x 0) :init true))\n(define-fun .t () Bool (! (= y (+ x"
        " 1)) :trans true))\n(define-fun .p () Bool (! (>= x 0) :invar-property 0))\n",
        encoding="utf-8",
    )
    outcome = obligato.verify(file, "toy")
    assert (
        outcome.verdict is Verdict.TRUE
        and outcome.certificate is not None
        and outcome.certificate.checked
    )


def test_a_language(monkeypatch: Patch, tmp_path: Path) -> None:
    add_language(monkeypatch, "language")
    file = tmp_path / "c.toy"
    file.write_text("10", encoding="utf-8")
    assert obligato.verify(file).verdict is Verdict.TRUE
    file.write_text("9", encoding="utf-8")
    refuted = obligato.verify(file)
    assert (
        refuted.verdict is Verdict.FALSE
        and refuted.trace is not None
        and len(refuted.trace.steps) == 10
    )
    file.write_text("ten", encoding="utf-8")
    with pytest.raises(InputError, match="a number below 16"):
        obligato.verify(file)


def test_a_property(monkeypatch: Patch, tmp_path: Path) -> None:
    add_language(monkeypatch, "property")
    file = tmp_path / "n.number"
    file.write_text("12", encoding="utf-8")
    assert obligato.verify(file).verdict is Verdict.TRUE
    outcome = obligato.verify(file, property="positive,small")
    assert [str(v) for v in outcome.verdicts] == ["true", "false(small)"]


def test_a_solver(monkeypatch: Patch, tmp_path: Path) -> None:
    entry = line("solver-line", toy_solver=module(monkeypatch, "solver", "toy_solver"))
    monkeypatch.setattr(factory, "BACKENDS", {**factory.BACKENDS, **entry})
    file = tmp_path / "p.ivl"
    file.write_text("proc main() { var x: int; havoc x; assert x != 3; }\n", encoding="utf-8")
    made = factory.solver_factory([], prefer="toy")()
    assert made.capabilities.name.startswith("pipe:") and "toy" in factory.available_backends()
    assert "toy" not in factory.checker_chain([])


def test_a_report(monkeypatch: Patch, tmp_path: Path) -> None:
    made = line("report-line")
    module(monkeypatch, "report", made.function.partition(":")[0])
    assert made.function.startswith("obligato.reports.")
    monkeypatch.setattr(reports, "REPORTS", (*reports.REPORTS, made))
    file, written, page = tmp_path / "p.ivl", tmp_path / "summary.txt", tmp_path / "p.json"
    file.write_text("proc main() { }\n", encoding="utf-8")
    options = ["--report", f"summary={written}", "--report", f"json={page}", "-q"]
    monkeypatch.setattr(sys, "argv", ["obligato", "verify", str(file), *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert written.read_text(encoding="utf-8") == f"{file}: true by ic3cfa\n"
    assert '"verdict": "true"' in page.read_text(encoding="utf-8")
    with pytest.raises(ConfigError, match="no report 'page'"):
        reports.report_format("page")


def test_every_example_is_executed() -> None:
    names = {"engine", "language", "property", "solver", "report"}
    assert set(BLOCKS) == names | {f"{name}-line" for name in names}
