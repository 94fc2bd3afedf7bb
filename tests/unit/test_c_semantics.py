"""C semantics against the compiler: one file of tests/c per trap, both data models, all memory
models and layouts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.c.harness import can_compile, compiled_values, interpreted_values

FILES = sorted((Path(__file__).parents[1] / "c").glob("*.c"))


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("file", FILES, ids=[f.stem for f in FILES])
def test_interpreted_like_compiled(file: Path, data_model: str, tmp_path: Path) -> None:
    if not can_compile(data_model):
        pytest.skip(f"no compiler for {data_model} (gcc, for ILP32 with gcc-multilib)")
    text = file.read_text()
    expected = compiled_values(text, data_model, tmp_path)
    for memory, addresses in (("auto", "any"), ("regions", "apart"), ("bytes", "reversed")):
        found = interpreted_values(text, data_model, tmp_path, memory, addresses)
        differences = [
            (i, e, f) for i, (e, f) in enumerate(zip(expected, found, strict=False)) if e != f
        ]
        assert not differences and len(expected) == len(found), (memory, differences)
