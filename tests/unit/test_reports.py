"""Reports: text against golden files, JSON against the schema, values there and back."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from obligato.errors import InputError
from obligato.reports.horn import horn_text
from obligato.reports.json_report import to_dict
from obligato.reports.stages import cfa_text
from obligato.reports.text import report
from obligato.results.outcome import (
    CertificateReport,
    InvariantReport,
    Outcome,
    StepReport,
    TraceReport,
    Verdict,
)
from obligato.results.values import from_json, to_json
from obligato.terms import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT,
    REAL,
    RM,
    ArrayValue,
    Sort,
    Value,
    array,
    bitvec,
    floating,
)
from obligato.terms.softfloat import RoundingMode
from tests.cfas import Counter
from tests.corpus import REPOSITORY
from tests.support.schema import OUTCOME, SCHEMA

GOLDEN = REPOSITORY / "tests" / "golden"

UNKNOWN = Outcome(
    "unreach-call",
    Verdict.UNKNOWN,
    "timeout",
    file="p.ivl",
    engine="ic3cfa",
    preset="C",
    options={"ctg": 0},
    seed=7,
    stats={"wall_s": 1.5},
)
PROVED = replace(
    UNKNOWN,
    verdict=Verdict.TRUE,
    reason=None,
    notes=("extern f returns any value",),
    certificate=CertificateReport(
        1,
        (
            InvariantReport(3, "l3", "p.ivl", 4, "(bvsle x #x0a)", "x <= 10", True),
            InvariantReport(4, "l4", "p.ivl", 5, "(bvslt x #x0a)", "x < 10", False),
            InvariantReport(9, "l9", "", 0, "(= a ((as const (Array Int Int)) 0))", None, True),
        ),
        True,
        False,
        "bitwuzla 0.9.1, z3 5.4",
        0.25,
    ),
)
REFUTED = replace(
    UNKNOWN,
    verdict=Verdict.FALSE,
    reason=None,
    trace=TraceReport(
        {"main::x": -3, "main::z": 0},
        {"x": -3},
        (
            StepReport(0, "p.ivl", 2, "havoc y", {"y": True}, {"y!in0": True}),
            StepReport(
                1,
                "p.ivl",
                3,
                "a[0] := 1.5",
                {"a": {"default": 0, "entries": [[0, "1.5 (0x3fc00000)"]]}},
                {},
            ),
            StepReport(4, "", 0, "skip", {}, {}),
            StepReport(7, "p.ivl", 9, 'assert "positive": x > 0', {}, {}),
        ),
        True,
        "p.ivl:9: positive",
    ),
)
OUTCOMES = {"proved": PROVED, "refuted": REFUTED, "unknown": UNKNOWN}


def golden(name: str, text: str) -> None:
    """Compare with a golden file; OBLIGATO_GOLDEN=write makes the files anew."""
    path = GOLDEN / name
    if os.environ.get("OBLIGATO_GOLDEN") == "write":
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OUTCOMES)
def test_text(name: str) -> None:
    golden(f"{name}.txt", report(OUTCOMES[name], stats=True))


def test_quiet_text_is_the_verdict() -> None:
    assert [report(o, quiet=True) for o in OUTCOMES.values()] == [
        "true",
        "false(unreach-call)",
        "unknown",
    ]


def test_verbose_text_shows_every_location() -> None:
    assert "x < 10" in report(PROVED, verbose=True) and "x < 10" not in report(PROVED)


def test_a_long_trace_is_shown_by_its_ends() -> None:
    assert REFUTED.trace is not None
    step = REFUTED.trace.steps[0]
    long = replace(REFUTED, trace=replace(REFUTED.trace, steps=(step,) * 1000))
    assert "... 800 steps left out" in report(long)


@pytest.mark.parametrize("name", OUTCOMES)
def test_json(name: str) -> None:
    data = to_dict(OUTCOMES[name])
    OUTCOME.validate(data)
    golden(f"{name}.json", json.dumps(data, indent=1))


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "maybe"},
        {"certificate": None},
        {"schema": 2},
        {"reason": "timeout"},
        {"stats": {}},
    ],
)
def test_the_schema_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        OUTCOME.validate({**to_dict(PROVED), **wrong})


@pytest.mark.parametrize(("form", "name"), [(cfa_text, "counter.cfa"), (horn_text, "counter.smt2")])
def test_stages(form: Any, name: str) -> None:
    golden(name, form(Counter().cfa))


VALUES: list[tuple[Value, Sort, Any]] = [
    (True, BOOL, True),
    (-5, INT, -5),
    (Fraction(1, 3), REAL, "1/3"),
    (Fraction(2), REAL, "2"),
    (253, bitvec(8), -3),
    (1, bitvec(1), 1),
    (0x3FC00000, FLOAT32, "1.5 (0x3fc00000)"),
    (0x7FF << 52, FLOAT64, "inf (0x7ff0000000000000)"),
    (0x3C00, floating(5, 11), "(0x3c00)"),
    (RoundingMode.RTZ, RM, "RTZ"),
    (
        ArrayValue(0, {200: 255}),
        array(bitvec(8), bitvec(8)),
        {"default": 0, "entries": [[200, -1]]},
    ),
]


@pytest.mark.parametrize(("value", "sort", "data"), VALUES)
def test_values_there_and_back(value: Value, sort: Sort, data: Any) -> None:
    assert to_json(value, sort) == data
    assert from_json(json.loads(json.dumps(data)), sort) == value


def test_every_nan_is_read_as_the_one() -> None:
    assert from_json("nan (0x7fc00001)", FLOAT32) == from_json("nan (0xffffffff)", FLOAT32)


@pytest.mark.parametrize(
    ("data", "sort"),
    [
        (1, BOOL),
        (True, INT),
        ("1", INT),
        (True, bitvec(8)),
        ("x", REAL),
        ("1/0", REAL),
        ("1.5", FLOAT32),
        ("RXX", RM),
        ([], array(INT, INT)),
        ({"default": 0}, array(INT, INT)),
    ],
)
def test_what_is_not_a_value_is_refused(data: Any, sort: Sort) -> None:
    with pytest.raises(InputError):
        from_json(data, sort)


def test_golden_files_are_all_used() -> None:
    used = {f"{n}.{suffix}" for n in OUTCOMES for suffix in ("txt", "json")} | {
        "counter.cfa",
        "counter.smt2",
    }
    assert {p.name for p in Path(GOLDEN).iterdir()} == used
