"""Several C files as one text: what a linker does, before the program is lowered.

Each file is preprocessed and parsed by itself. Then their texts follow each other, with two changes. A header that an earlier
file has included is left out, if it reads the same there and has no variables of internal linkage, of which each file would
have its own. Names that only one file knows (static functions and variables, types, constants of enumerations) and that mean
something else in another file get the name of their file. What is defined twice, or declared differently in two files, the
parser finds and refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node, Tree
from obligato.frontends.c.preprocess import preprocess
from obligato.frontends.c.source import Source, check_file, parse
from obligato.frontends.preprocessing import Preprocessing

_MARKER = re.compile(rb'^# (\d+) "((?:[^"\\]|\\.)*)"[^\n]*\n', re.MULTILINE)
# Literals are passed over; a name after . or -> is a member.
_WORD = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|(?:\.|->)\s*[A-Za-z_]\w*|[A-Za-z_]\w*')
_TYPES = (k.STRUCT_DECL, k.UNION_DECL, k.ENUM_DECL, k.TYPEDEF_DECL)


@dataclass(frozen=True, slots=True)
class Part:
    """One file: its parts of text with the places they are from, and the names of its top level."""

    file: str
    chunks: tuple[tuple[str, int, bytes], ...]
    own: frozenset[str]  # names that only this file knows
    names: frozenset[str]  # all names
    private: Mapping[str, Span]  # headers that have variables of internal linkage, with the place of the first one


def linked(paths: list[Path], data_model: str, how: Preprocessing) -> Source:
    """The program in several files; the first one names it."""
    parts = [_part(path, data_model, how) for path in paths]
    seen: dict[str, bytes] = {}
    text = b"".join(_text(part, parts, seen) for part in parts)
    return Source(str(paths[0]), text, mapped=True)


def _part(path: Path, data_model: str, how: Preprocessing) -> Part:
    check_file(path)
    text = preprocess(path, data_model, how)
    unit = parse(Source(str(path), text, mapped=True), data_model)
    try:
        top = Tree(unit).root.children
        names = {n.spelling for t in top for n in _named(t)}
        own = {n.spelling for t in top if t.span.file == str(path) for n in _named(t) if _internal(n)}
        private = {t.span.file: t.span for t in reversed(top) if t.span.file != str(path) and _has_own_state(t)}
        return Part(str(path), tuple(_chunks(text)), frozenset(own), frozenset(names), private)
    finally:
        unit.close()


def _named(top: Node) -> Iterator[Node]:
    """A declaration of the top level and, of an enumeration, its constants."""
    if top.spelling and top.spelling.isidentifier():
        yield top
    if top.kind == k.ENUM_DECL:
        yield from top.children


def _internal(n: Node) -> bool:
    """Is it known in its own file only?"""
    return n.kind in _TYPES or n.kind == k.ENUM_CONSTANT_DECL or _is_static(n)


def _is_static(n: Node) -> bool:
    return n.kind in (k.VAR_DECL, k.FUNCTION_DECL) and n.tree.lib.Cursor_getStorageClass(n.cursor) == k.SC_STATIC


def _has_own_state(top: Node) -> bool:
    """Is it, or does it have inside, a variable of which every file would have its own?"""
    if top.kind == k.VAR_DECL:
        return _is_static(top)
    if not _is_static(top):
        return False
    stack = list(top.children)
    while stack:
        n = stack.pop()
        if _is_static(n):
            return True
        stack.extend(n.children)
    return False


def _chunks(text: bytes) -> Iterator[tuple[str, int, bytes]]:
    """The text between line markers, with file and line."""
    marks = list(_MARKER.finditer(text))
    for m, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
        yield m[2].decode("utf-8", "surrogateescape"), int(m[1]), text[m.end():end]


def _text(part: Part, parts: list[Part], seen: dict[str, bytes]) -> bytes:
    """What a file contributes; `seen` are the headers that earlier files have included."""
    others = frozenset().union(*(p.names for p in parts if p is not part))
    renamed = {name.encode(): f"{name}__in_{_stem(part.file)}".encode() for name in part.own & others}
    headers = {file: b"".join(t for f, _, t in part.chunks if f == file) for file, _, _ in part.chunks if file != part.file}
    for file, text in headers.items():
        if file in seen and text.strip():
            _refuse_different(part, file, seen[file].split() == text.split())
    known = frozenset(seen)
    seen.update(headers)
    return b"".join(_marked(file, line, _renamed(text, renamed) if file == part.file else text)
                    for file, line, text in part.chunks if file not in known)


def _refuse_different(part: Part, file: str, same: bool) -> None:
    if file in part.private:
        raise Unsupported(f"each file that includes {Path(file).name} has its own copy of a variable", part.private[file],
                          "static variable in a shared header")
    if not same:
        raise Unsupported(f"{file} reads differently in {part.file} and in a file before", construct="header read in two ways")


def _marked(file: str, line: int, text: bytes) -> bytes:
    return f'\n# {line} "{file}"\n'.encode("utf-8", "surrogateescape") + text if text.strip() else b""


def _renamed(text: bytes, names: Mapping[bytes, bytes]) -> bytes:
    return _WORD.sub(lambda m: names.get(m[0], m[0]), text) if names else text


def _stem(file: str) -> str:
    return re.sub(r"\W", "_", Path(file).stem)
