"""Every file in `true/`, `false/`, `unknown/` and `refused/` is verified by the engine for its
kind; the folder is the verdict.

The other engines may give up on a file or refuse it, but not contradict the folder (a slow test).
Each bug that was found gets a file here. A TRUE has passed the certificate checker and a FALSE was
replayed, because the pipeline reports nothing else; the certificate or trace that is written as
JSON must pass once more when it is read back.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import obligato
from obligato.api.recheck import recheck
from obligato.api.registry import ENGINES
from obligato.api.request import Request
from obligato.errors import InputError, Unsupported
from obligato.frontends.registry import LANGUAGES, SUFFIXES, InputKind, language_of
from obligato.reports.json_report import json_text, to_dict
from obligato.results.outcome import Verdict
from tests.support.schema import OUTCOME

HERE = Path(__file__).parent


def files(folder: str) -> list[Path]:
    return [p for p in sorted((HERE / folder).iterdir()) if p.suffix in SUFFIXES]


def name(path: Path) -> str:
    return path.name


def said(path: Path, key: str) -> str | None:
    """What a comment (``// key: text``, ``-- key: text``, ``; key: text``, a line ``key: text`` of
    AIGER's comments) says.
    """
    found = re.search(
        rf"^(?:// |; |-- )?{key}: (.*)$",
        path.read_text(encoding="utf-8", errors="replace"),
        re.MULTILINE,
    )
    return found and found[1]


def asked(path: Path) -> str:
    """The property that a comment names, as in ``// property: memsafety``; else the default."""
    return said(path, "property") or language_of(path).property("")


@pytest.mark.parametrize("path", [*files("true"), *files("false")], ids=name)
def test_verdict(path: Path, tmp_path: Path) -> None:
    outcome = obligato.verify(
        path, property=asked(path), data_model=said(path, "data model") or "LP64"
    )
    assert (outcome.verdict.value, outcome.reason) == (path.parent.name, None)
    if outcome.certificate is not None:
        families = {solver.partition("-")[0] for solver in outcome.stats["solvers"]}
        assert outcome.certificate.independent is not any(
            f in outcome.certificate.checker.split() for f in families
        )
    claim = tmp_path / "claim.json"
    claim.write_text(json_text(to_dict(outcome)), encoding="utf-8")
    shortened = json.loads(
        claim.read_text(encoding="utf-8"), parse_int=lambda digits: int(digits[:9])
    )
    OUTCOME.validate(shortened)  # which spells numbers for its messages, and cannot spell long ones
    again = recheck(Request(str(path), property=asked(path)), lambda kind, data: None, str(claim))
    assert again.verdict is outcome.verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine", [name for name, e in ENGINES.items() if not (e.live or e.ending)]
)
@pytest.mark.parametrize("path", [*files("true"), *files("false")], ids=name)
def test_other_engines(path: Path, engine: str) -> None:
    kind = language_of(path).kind
    if (kind is InputKind.SYSTEM and not ENGINES[engine].on_systems) or (
        kind is InputKind.HORN and ENGINES[engine].trying
    ):
        return
    try:
        model = said(path, "data model") or "LP64"
        outcome = obligato.verify(
            path, engine, timeout=5, isolated=False, property=asked(path), data_model=model
        )
    except Unsupported:
        return
    assert outcome.verdict.value in (path.parent.name, "unknown")


def expected(path: Path) -> str:
    """A part of the message, from the comment ``expected``."""
    text = said(path, "expected")
    assert text, "the file does not say what is expected"
    return text


@pytest.mark.parametrize("data_model", ["ILP32", "LP64"])
@pytest.mark.parametrize("path", files("unknown"), ids=name)
def test_unknown(path: Path, data_model: str) -> None:
    outcome = obligato.verify(path, data_model=data_model, property=said(path, "property"))
    assert outcome.verdict is Verdict.UNKNOWN and expected(path) in (outcome.reason or "")


@pytest.mark.parametrize("operator", ["<", ">"])
def test_a_trace_must_run_in_another_layout(operator: str, tmp_path: Path) -> None:
    """One of the two errors is reached where the objects are in order."""
    file = tmp_path / "order.c"
    file.write_text(
        f"void reach_error(void); int x, y; int main(void) {{ if (&x {operator} &y) reach_error();"
        " }\n"
    )
    assert obligato.verify(file, addresses="apart").verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("path", files("refused"), ids=name)
def test_refused(path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        obligato.verify(path, property=said(path, "property"))
    assert expected(path) in refusal.value.message and refusal.value.span.line > 0


@pytest.mark.parametrize("folder", ["true", "false", "refused"])
def test_every_format_has_a_file(folder: str) -> None:
    """Verilog is read by another program, which need not be there."""
    there = {language_of(p).name for p in files(folder)}
    assert there >= {language.name for language in LANGUAGES} - {"verilog"}
