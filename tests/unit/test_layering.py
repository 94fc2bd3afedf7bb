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


def long_functions(source: str, most: int) -> list[str]:
    """The functions of more than `most` lines."""
    functions = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return [f.name for f in functions if (f.end_lineno or 0) - f.lineno >= most]


def test_functions_and_files_stay_short() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    assert [f"{path}: {name}" for path, text in texts.items() for name in long_functions(text, 40)] == []
    assert [path for path, text in texts.items() if text.count("\n") > 400] == []


def test_a_long_function_is_seen() -> None:
    assert long_functions("def f():\n    a\n    b\n", 3) == []
    assert long_functions("def f():\n    def g():\n        a\n        b\n        c\n", 3) == ["f", "g"]
