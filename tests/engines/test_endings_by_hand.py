"""Small programs whose infinite runs were thought about by hand: an answer, if there is one, is
that of the file's name.

`undefined`: every infinite run overflows (or divides by zero, or shifts too far), so that nothing
may be answered.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato import verify
from tests.corpus import REPOSITORY

FILES = sorted((REPOSITORY / "tests" / "c" / "endings_by_hand").glob("*.c"))


def test_there_are_files_of_each_kind() -> None:
    kinds = {f.stem.rpartition("_")[2] for f in FILES}
    assert kinds == {"true", "false", "undefined"} and len(FILES) > 100


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_by_hand(file: Path) -> None:
    asked = file.read_text(encoding="utf-8").splitlines()[0].removeprefix("// property: ")
    answer = verify(file, property=asked, timeout=10).verdict.value
    assert answer in (file.stem.rpartition("_")[2], "unknown")
