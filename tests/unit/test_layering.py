"""Imports that the layering contracts of import-linter cannot express: solver packages stay inside obligato.smt."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus import REPOSITORY

SOURCE = REPOSITORY / "src" / "obligato"
SOLVER_PACKAGES = frozenset({"z3", "bitwuzla", "cvc5", "pysat", "pysolvers"})


def imported_packages(source: str) -> Iterator[str]:
    """Top-level names of all absolute imports, at module level or inside functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


def test_only_smt_imports_solvers() -> None:
    offenders = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] != "smt"
        for name in imported_packages(path.read_text(encoding="utf-8"))
        if name in SOLVER_PACKAGES
    ]
    assert offenders == []


@pytest.mark.parametrize(
    "source", ["import z3", "import z3.z3core as core", "from z3 import Int", "def f():\n    import os, z3"]
)
def test_every_form_of_import_is_seen(source: str) -> None:
    assert "z3" in imported_packages(source)


def test_every_module_has_a_docstring() -> None:
    def undocumented(path: Path) -> bool:
        return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None

    assert [str(path.relative_to(SOURCE)) for path in sorted(SOURCE.rglob("*.py")) if undocumented(path)] == []
