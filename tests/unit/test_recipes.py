"""The recipes of docs/library.md and docs/recipes.md, each in a namespace of its own."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.corpus import REPOSITORY

RECIPES = [
    (title, text)
    for page in ("library.md", "recipes.md")
    for title, text in re.findall(
        r"^## (.*?)\n(.*?)(?=^## |\Z)",
        (REPOSITORY / "docs" / page).read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    if ">>> " in text
]


def test_there_are_twelve_recipes() -> None:
    assert len(RECIPES) >= 12


@pytest.mark.parametrize(("title", "text"), RECIPES, ids=[title for title, _ in RECIPES])
def test_recipe(title: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    example = doctest.DocTestParser().get_doctest(
        text, {"__name__": "recipe"}, title, "library.md", 0
    )
    failed = runner.run(example, out=said.append).failed
    assert failed == 0, "".join(said)
