"""The size of an array type of variable length that is spelled out: ``sizeof(int[n][m])``. libclang
does not tell that type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.types import CType, IntType

_WORDS = {"char": 1, "_Bool": 1, "short": 2, "float": 4, "double": 8}
_INTEGERS = ("int", "signed", "unsigned", "__signed__", *_WORDS, "long")
_TAGS = ("struct", "union", "enum")
_QUALIFIERS = ("const", "volatile", "restrict", "__restrict")


@dataclass(frozen=True, slots=True)
class Spelled:
    """An array type: what its elements are (a type, or their size in bytes), and its lengths."""

    element: CType | int
    lengths: list[Node]


def spelled_type(n: Node) -> Spelled | None:
    """The array type in a ``sizeof`` that is no constant; None if that is asked about an
    expression, or not understood.
    """
    text = n.tree.unit.source.text
    start = n.tree.offset(n)
    rest = text[start : n.tree.end(n)].removeprefix(b"sizeof")
    inside = start + len(b"sizeof") + len(rest) - len(rest.lstrip())
    lengths = {n.tree.offset(c): c for c in n.operands}
    if inside in lengths or not rest.lstrip().startswith(b"("):
        return None
    words = n.tree.tokens(n)[2:-1]
    base = words[: words.index("[")] if "[" in words else words
    element = _element(n, [w for w in base if w not in _QUALIFIERS])
    plain = words.count("[") == len(lengths) and all(
        isinstance(c.type, IntType) for c in lengths.values()
    )
    return (
        Spelled(element, [lengths[at] for at in sorted(lengths)])
        if element is not None and plain
        else None
    )


def _element(n: Node, words: Sequence[str]) -> CType | int | None:
    """The type of these words, without the brackets behind them."""
    if not words or "(" in words:
        return None
    if words[-1] == "*":
        return n.tree.types.pointer_size
    named = [
        c for c in n.children if c.kind in (k.TYPE_REF, k.STRUCT_DECL, k.UNION_DECL, k.ENUM_DECL)
    ]
    if named:
        return named[0].type if len(words) == 1 or words[0] in _TAGS else None
    if any(w not in _INTEGERS for w in words) or ("long" in words and "double" in words):
        return None
    if "long" in words:
        return 8 if words.count("long") == 2 else n.tree.types.pointer_size  # in both data models
    return next((size for word, size in _WORDS.items() if word in words), 4)
