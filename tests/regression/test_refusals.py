"""Every refusal of the C front end has a file in `refused/`: each place in the sources that raises
one is reached by a file.

The exceptions are named here: refusals about files rather than programs (unit tests have them),
those of an option, and guards that no program is known to reach.
"""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterator
from pathlib import Path

from obligato.errors import InputError
from obligato.frontends.c import load
from tests.corpus import REPOSITORY
from tests.regression.test_regression import files, said

SOURCES = REPOSITORY / "src" / "obligato" / "frontends" / "c"
ABOUT_FILES = ("linking.py", "old_calls.py", "preprocess.py", "source.py", "svcomp.py")
ABOUT_WITNESSES = ("markers.py", "witness.py")  # tests/unit/test_witness.py has them
ABOUT_FORMULAS = ("atoms.py",)  # tests/engines/test_program_ltl.py has them
ELSEWHERE = (*ABOUT_FILES, *ABOUT_WITNESSES, *ABOUT_FORMULAS)
OTHERS = {
    ("bits.py", "f'{name} with arguments that are not one integer'"): "a guard: clang refuses it",
    ("bits.py", "f'{what} of other operands than integers'"): "a guard: clang refuses it",
    (
        "calls.py",
        "f'call of {name}, which does not return,'",
    ): "of the option externals=pure: tests/unit/test_c_frontend.py",
    ("calls.py", "name"): "of the option externals=pure",
    (
        "driver.py",
        "f'the witness does not fit the program: {problem.message}'",
    ): "about witnesses: tests/unit/test_witness.py",
    (
        "marking.py",
        "f'an effect in the expression of the {marker}'",
    ): "about witnesses: tests/unit/test_witness.py",
    ("positions.py", "'a label without a statement'"): "a guard: every label has a statement",
    ("nodes.py", "f'more than {MAX_NODES} syntax nodes'"): "a file of some megabytes",
    (
        "declarations.py",
        "'variable-length array type'",
    ): "a guard: a type without lengths of its own has a name with some",
    (
        "expressions.py",
        "'size of a variable-length array type before its declaration'",
    ): "a guard: clang refuses such jumps",
    (
        "driver.py",
        "'statements or operands are nested too deeply'",
    ): "a guard: other limits are lower",
    ("assignments.py", "'value of a call'"): "a guard: clang converts results",
    (
        "initialisers.py",
        "'initial value of another type'",
    ): "a guard: clang converts initial values",
    ("builtins.py", "name"): "a guard: scanf returns a number",
    (
        "code.py",
        "'use of a variable-length array before its declaration'",
    ): "a guard: clang refuses such jumps",
    (
        "memory.py",
        "'use of a variable-length array before its declaration'",
    ): "a guard: clang refuses such jumps",
    ("code.py", "'arithmetic on a pointer to an incomplete type'"): "a guard: clang refuses it",
    ("memory.py", "'index of an array of an incomplete type'"): "a guard: clang refuses it",
    ("copying.py", "name"): "a guard: all names of the list have models",
    ("entities.py", "'array of unknown size'"): "a guard: clang completes the types",
    ("expressions.py", "f'address of function {name}'"): "a guard: all functions have addresses",
    ("expressions.py", "f'conversion from {source} to {target}'"): "a guard: clang refuses it",
    ("expressions.py", "'value of a statement expression'"): "a guard: clang refuses it",
    ("initialisers.py", "'designated initialiser'"): "a guard: clang knows the members",
    ("lvalues.py", "'unknown member'"): "a guard: clang knows the members",
    ("lvalues.py", "f'address of {o.name}'"): "a guard: objects whose address is taken have one",
    ("mathematics.py", "name"): "a guard: all names of the list have models",
    (
        "memory.py",
        "'constant index out of bounds'",
    ): "a guard, beside one that is reached: only constant indices are expanded",
    ("memory.py", "'access to an incomplete object'"): "a guard: clang refuses it",
    (
        "memory.py",
        "'access by an unexpected type'",
    ): "a guard: the types under which memory is seen are collected before",
    ("records.py", "'unknown aggregate value'"): "a guard: a call of such a type has a place",
    ("scalars.py", "f'conversion from {source} to {target}'"): "a guard: clang refuses it",
    ("scalars.py", "f'operator on {t}'"): "a guard: clang refuses it",
    ("types.py", "f'type {t.name}'"): "a guard: objects of such types are refused before",
}


def reached() -> dict[tuple[str, int], str]:
    """The lines of the front end where the files are refused."""
    found: dict[tuple[str, int], str] = {}
    for path in files("refused"):
        for data_model in ("ILP32", "LP64") if path.suffix in (".c", ".i") else ():
            try:
                load(path, property=said(path, "property") or "assertions", data_model=data_model)
            except InputError as refusal:
                error: BaseException | None = refusal
                while error is not None:
                    frames = [
                        f
                        for f in traceback.extract_tb(error.__traceback__)
                        if Path(f.filename).parent == SOURCES
                    ]
                    found.update(
                        {(Path(f.filename).name, f.lineno or 0): path.name for f in frames[-1:]}
                    )
                    error = error.__cause__
    return found


def refusals() -> Iterator[tuple[str, range, str]]:
    """File, lines and message of every refusal in the sources."""
    for source in sorted(SOURCES.glob("*.py")):
        for n in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if (
                isinstance(n, ast.Raise)
                and isinstance(n.exc, ast.Call)
                and source.name not in ELSEWHERE
            ):
                name = (
                    n.exc.func.attr
                    if isinstance(n.exc.func, ast.Attribute)
                    else ast.unparse(n.exc.func)
                )
                if name in ("refuse", "Unsupported", "InputError"):
                    yield (
                        source.name,
                        range(n.lineno, (n.end_lineno or n.lineno) + 1),
                        ast.unparse(n.exc.args[0]),
                    )


def test_every_refusal_is_reached_by_a_file() -> None:
    seen = reached()
    missing = [
        (file, message)
        for file, lines, message in refusals()
        if not any((file, x) in seen for x in lines)
    ]
    assert [m for m in missing if m not in OTHERS] == []
    assert [m for m in OTHERS if m not in missing] == [], (
        "these are reached: take them from the list"
    )
