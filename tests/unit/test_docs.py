"""Documents say what the code says: reference pages, the man page, the tutorial, navigation,
metadata of the project.
"""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

import obligato
from obligato.api.registry import ENGINES
from obligato.cli.main import COMMANDS
from obligato.reports.registry import REPORTS
from tests.corpus import REPOSITORY
from tools import reference, tutorial

DOCS = REPOSITORY / "docs"


def test_the_reference_names_every_command_engine_and_report() -> None:
    commands, engines = reference.cli_page(), reference.engines_page()
    assert all(f"## obligato {name}\n" in commands for name in COMMANDS)
    assert all(f"| {r.name} |" in commands for r in REPORTS) and all(
        f"## {name}\n" in engines for name in ENGINES
    )
    assert all(f"## {name}\n" in reference.python_page() for name in obligato.__all__)


@pytest.mark.slow  # `make docs` checks it, too
def test_the_reference_is_up_to_date() -> None:
    assert reference.outdated() == [], "run `make docs-write`"


def test_a_page_that_differs_from_what_is_printed_is_noticed() -> None:
    page = (
        '```text title="a.txt"\nhello\n```\n\n```console\n$ cat a.txt\n{}\n$ echo \'took 1.25'
        " s'\ntook 7.5 s\n```\n"
    )
    assert tutorial.same(tutorial.play(page.format("hello"))) == tutorial.same(page.format("hello"))
    assert tutorial.same(tutorial.play(page.format("other"))) == tutorial.same(page.format("hello"))


@pytest.mark.slow  # `make docs` plays it, too
def test_the_tutorial_shows_what_is_printed() -> None:
    assert tutorial.differences(DOCS / "tutorial.md") == []


@pytest.mark.slow
def test_every_page_is_in_the_navigation() -> None:
    shown = re.findall(
        r"[\w/.-]+\.md",
        (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[2],
    )
    pages = [str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")]
    own = [
        p
        for p in pages
        if not p.startswith(("results/", "decisions/", "ic3cfa-evaluation/")) and p not in shown
    ]
    assert own == [], "add them to the navigation in mkdocs.yml"
    assert all((DOCS / p).is_file() for p in shown)


def test_links_between_pages_lead_somewhere() -> None:
    for page in (
        *DOCS.glob("*.md"),
        *DOCS.glob("reference/*.md"),
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
    ):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_versions_and_files_of_the_project_agree() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == project["version"] and citation["license"] == project["license"]
    for file in (
        ".pre-commit-config.yaml",
        ".github/workflows/test.yml",
        ".github/workflows/release.yml",
        "mkdocs.yml",
    ):
        text = (REPOSITORY / file).read_text(encoding="utf-8")
        assert yaml.safe_load(text), file
