"""Imports that the layering contracts of import-linter cannot express: solver packages stay inside
obligato.smt.
"""

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.corpus import REPOSITORY

SOURCE = REPOSITORY / "src" / "obligato"
SOLVER_PACKAGES = frozenset({"z3", "bitwuzla", "cvc5", "pysat", "pysolvers"})


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of all modules, by path."""
    return {
        str(p.relative_to(SOURCE)): ast.parse(p.read_text(encoding="utf-8"))
        for p in sorted(SOURCE.rglob("*.py"))
    }


def imported_packages(module: ast.Module) -> Iterator[str]:
    """Top-level names of all absolute imports, at module level or inside functions."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


def test_only_smt_imports_solvers() -> None:
    offenders = [
        f"{path}: {name}"
        for path, module in modules().items()
        if not path.startswith("smt/")
        for name in imported_packages(module)
        if name in SOLVER_PACKAGES
    ]
    assert offenders == []


@pytest.mark.parametrize(
    "source",
    ["import z3", "import z3.z3core as core", "from z3 import Int", "def f():\n    import os, z3"],
)
def test_every_form_of_import_is_seen(source: str) -> None:
    assert "z3" in imported_packages(ast.parse(source))


def test_every_module_has_a_docstring() -> None:
    assert [path for path, module in modules().items() if ast.get_docstring(module) is None] == []


def statements(tree: ast.AST) -> int:
    """The number of statements inside."""
    return sum(isinstance(n, ast.stmt) for n in ast.walk(tree)) - isinstance(tree, ast.stmt)


def long_functions(module: ast.Module, most: int) -> list[str]:
    """The functions of more than `most` statements."""
    functions = (n for n in ast.walk(module) if isinstance(n, ast.FunctionDef))
    return [f.name for f in functions if statements(f) > most]


def test_functions_and_files_stay_short() -> None:
    """Size is counted in statements: lines are the formatter's."""
    found = modules().items()
    assert [
        f"{path}: {name}" for path, module in found for name in long_functions(module, 39)
    ] == []
    assert [path for path, module in found if statements(module) > 330] == []


def test_a_long_function_is_seen() -> None:
    assert long_functions(ast.parse("def f():\n    a\n    b\n"), 2) == []
    nested = "def f():\n    def g():\n        a\n        b\n        c\n"
    assert long_functions(ast.parse(nested), 2) == ["f", "g"]
