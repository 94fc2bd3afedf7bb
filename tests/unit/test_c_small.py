"""C semantics against the compiler: the small programs of tests/c/small, each under a title ``////
...``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from obligato.program.interpreter import Status
from tests.c.harness import can_compile, compiled_values, interpret, seen

FILES = sorted((Path(__file__).parents[1] / "c" / "small").glob("*.c"))
DECLARATIONS = """typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t);
int memcmp(const void *, const void *, size_t); char *strcpy(char *, const char *), *strcat(char *, const char *);
void *malloc(size_t), *calloc(size_t, size_t); void free(void *);
"""


def programs(file: Path) -> list[tuple[str, str]]:
    """The titles and texts of a file."""
    parts = re.split(r"^//// *(.*)$", file.read_text(), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("data_model", ["LP64", "ILP32"])
@pytest.mark.parametrize("file", FILES, ids=[f.stem for f in FILES])
def test_interpreted_like_compiled(file: Path, data_model: str, tmp_path: Path) -> None:
    if not can_compile(data_model):
        pytest.skip(f"no compiler for {data_model} (gcc, for ILP32 with gcc-multilib)")
    for title, body in programs(file):
        text = DECLARATIONS + body
        expected = compiled_values(text, data_model, tmp_path)
        assert expected, title
        for memory, addresses in (("auto", "any"), ("regions", "apart"), ("bytes", "reversed")):
            result, run = interpret(text, data_model, tmp_path, memory, addresses)
            assert result.status is Status.FINISHED, (title, memory, result)
            assert seen(run) == expected, (title, memory)
