"""SV-COMP task definitions and property files."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.errors import InputError, Unsupported
from obligato.frontends.c.svcomp import read_property, read_task

UNREACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
TASK = """format_version: '2.0'
input_files: 'p.c'
properties:
  - property_file: unreach.prp
    expected_verdict: false
  - property_file: termination.prp
    expected_verdict: true
options:
  language: C
  data_model: LP64
"""


def test_task(tmp_path: Path) -> None:
    (tmp_path / "unreach.prp").write_text(UNREACH)
    (tmp_path / "termination.prp").write_text("CHECK( init(main()), LTL(F end) )")
    (tmp_path / "t.yml").write_text(TASK)
    task, other = read_task(tmp_path / "t.yml")
    assert other.property.name == "termination" and other.expected is True
    assert task.program == tmp_path / "p.c" and task.data_model == "LP64" and task.expected is False
    assert task.property.name == "unreach-call" and task.property.entry == "main"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (UNREACH, "unreach-call"),
        ("CHECK( init(main()), LTL(G ! overflow) )", "no-overflow"),
        ("CHECK( init(main()), LTL(F end) )", "termination"),
        (
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )",
            "memsafety",
        ),
    ],
)
def test_properties(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "x.prp").write_text(text)
    assert read_property(tmp_path / "x.prp").name == name


def test_errors(tmp_path: Path) -> None:
    another = UNREACH.replace("reach_error", "another")
    for text in (
        "CHECK( init(main()), LTL(F begin) )",
        another,
        UNREACH + "\nCHECK( init(main()), LTL(G ! overflow) )",
    ):
        (tmp_path / "x.prp").write_text(text)
        with pytest.raises(Unsupported):
            read_property(tmp_path / "x.prp")
    numbers = "input_files: a.c\nproperties: {}"
    for text in ("a: [", "- 1", "input_files: [a.c, b.c]", numbers.format(5), numbers.format([5])):
        (tmp_path / "x.yml").write_text(text)
        with pytest.raises(InputError):
            read_task(tmp_path / "x.yml")
    with pytest.raises(InputError):
        read_task(tmp_path / "missing.yml")
