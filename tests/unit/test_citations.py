"""Every citation in src/, such as [LNNK19, Thm. 7] or [HB12; KGC14, Sect. 4], resolves in
docs/references.bib.

A citation is a bracket in a comment or string that opens with a key: capital letters (and perhaps
small ones), then a two-digit year. Code is not searched, so `stack[BV32]` is no citation.
"""

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.corpus import REPOSITORY

_KEY = r"[A-Z][A-Za-z]*\d{2}[a-z]?"
_CITATION = re.compile(rf"\[({_KEY}(?:[,;][^\[\]]*)?)\]")
_ENTRY = re.compile(rf"^@\w+\{{({_KEY}),$", re.MULTILINE)
_PROSE = {tokenize.COMMENT, tokenize.STRING}


def citations(source: str) -> Iterator[tuple[int, str]]:
    """Line and key of each citation in a Python source text."""
    if _CITATION.search(source) is None:
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _PROSE:
            for bracket in _CITATION.finditer(token.string):
                line = token.start[0] + token.string.count("\n", 0, bracket.start())
                yield from ((line, part.split(",")[0].strip()) for part in bracket[1].split(";"))


def bibliography() -> list[str]:
    return _ENTRY.findall((REPOSITORY / "docs" / "references.bib").read_text(encoding="utf-8"))


def test_citations_resolve() -> None:
    known = frozenset(bibliography())
    source = REPOSITORY / "src"
    unresolved = [
        f"{path.relative_to(REPOSITORY)}:{line}: [{key}]"
        for path in sorted(source.rglob("*.py"))
        for line, key in citations(path.read_text(encoding="utf-8"))
        if key not in known
    ]
    assert unresolved == []


def test_bibliography_has_no_duplicates() -> None:
    keys = bibliography()
    assert keys
    assert sorted(set(keys)) == sorted(keys)


def test_every_entry_has_a_key_we_can_cite() -> None:
    text = (REPOSITORY / "docs" / "references.bib").read_text(encoding="utf-8")
    assert len(re.findall(r"^@", text, re.MULTILINE)) == len(bibliography())


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("# see [LNNK19, Thm. 7] and [Bra12]", ["LNNK19", "Bra12"]),
        ('"""Weakens bounds [HB12; KGC14, Sect. 4].\n"""', ["HB12", "KGC14"]),
        ("x = stack[BV32]", []),
        ("# the interval [A, B], the sort [Int]", []),
    ],
)
def test_what_counts_as_a_citation(source: str, keys: list[str]) -> None:
    assert [key for _, key in citations(source)] == keys
