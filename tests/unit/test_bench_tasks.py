"""Task sets: a corpus folder, SV-COMP definitions, filters and samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato.bench.tasks import Filter, Task, read_tasks, select
from obligato.errors import ConfigError

HEADER = "set,track,path,property,expected,category,note,family\n"
ROWS = """s,C-core,c/a.c,unreach-call,true,Loops/x,32,a
s,C-core,c/b.i,unreach-call,false,Loops/y,64,b
s,CTL,m.aig,ctl:f.ctl#0,true,ctl,,m
s,CTL,m.aig,ctl:f.ctl#1,false,ctl,,m
"""
DEFINITION = """format_version: '2.0'
input_files: 'p.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: false
  - property_file: ../properties/no-overflow.prp
    expected_verdict: true
  - property_file: ../properties/coverage-branches.prp
options: {language: C, data_model: LP64}
"""


@pytest.fixture
def corpus_folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks.csv").write_text(HEADER + ROWS)
    return tmp_path


def test_a_corpus(corpus_folder: Path) -> None:
    a, b, m, _ = read_tasks([corpus_folder])
    file = str((corpus_folder / "s/c/a.c").resolve())
    assert a == Task("s/c/a.c", file, "unreach-call", "true", "C-core", "Loops/x", "a", "ILP32")
    assert (b.data_model, m.data_model) == ("LP64", "")


def test_one_file_with_several_properties_is_several_tasks(corpus_folder: Path) -> None:
    assert [t.name for t in read_tasks([corpus_folder])][2:] == [
        "s/m.aig#ctl:f.ctl#0",
        "s/m.aig#ctl:f.ctl#1",
    ]


def test_svcomp_definitions(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir/p.yml").write_text(DEFINITION)
    (tmp_path / "Some.set").write_text("# comment\ndir/*.yml\n")
    one, two = read_tasks([tmp_path / "Some.set"])
    assert (one.name, one.property, one.expected) == (
        "dir/p.yml#unreach-call",
        "unreach-call",
        "false",
    )
    assert (two.property, two.expected, two.category, two.data_model) == (
        "no-overflow",
        "true",
        "Some",
        "LP64",
    )
    assert one.file == str((tmp_path / "dir/p.c").resolve())
    assert [t.category for t in read_tasks([tmp_path / "dir/p.yml"])] == ["dir", "dir"]


@pytest.mark.parametrize("text", ["- 1", "input_files: [a.c, b.c]\nproperties: []", "x: [", "{}"])
def test_what_is_no_definition(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(ConfigError):
        read_tasks([tmp_path / "p.yml"])


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tasks"):
        read_tasks([tmp_path])


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Filter(), ["a", "b", "m#0", "m#1"]),
        (Filter(track=("C-core",)), ["a", "b"]),
        (Filter(category=("Loops",)), ["a", "b"]),
        (Filter(family=("m", "b")), ["b", "m#0", "m#1"]),
        (Filter(expected="false"), ["b", "m#1"]),
        (Filter(match=("m",), exclude=("#1",)), ["m#0"]),
        (Filter(property="unreach-call", expected="true"), ["a"]),
    ],
)
def test_filters(corpus_folder: Path, wanted: Filter, names: list[str]) -> None:
    short = {
        "s/c/a.c": "a",
        "s/c/b.i": "b",
        "s/m.aig#ctl:f.ctl#0": "m#0",
        "s/m.aig#ctl:f.ctl#1": "m#1",
    }
    assert [short[t.name] for t in select(read_tasks([corpus_folder]), wanted)] == names


def test_samples_depend_on_the_seed_alone() -> None:
    tasks = [Task(str(n), str(n)) for n in range(100)]
    one = select(tasks, Filter(), 10, seed=1)
    assert one == select(tasks, Filter(), 10, seed=1) != select(tasks, Filter(), 10, seed=2)
    assert (
        len(one) == 10
        and one == sorted(one, key=lambda t: int(t.name))
        and select(tasks, Filter(), 200) == tasks
    )


def test_the_corpus(corpus: Path) -> None:
    tasks = read_tasks([corpus])
    core = select(tasks, Filter(track=("C-core",), exclude=("/recursive",)))
    assert len(core) == 186 and all(Path(t.file).is_file() and t.data_model for t in core)
