"""Several C files as one text: what a linker does, before the program is lowered.

Each file is preprocessed and parsed by itself. Then their texts follow each other, with two
changes. A header that an earlier file has included is left out, if it reads the same there,
consists of whole declarations, uses nothing that belongs to the file that includes it, and has no
variables of internal linkage, of which each file would have its own. Names that only one file knows
(static functions and variables, types, constants of enumerations) and that mean something else in
another file get the name of their file; a file may use an external name by `extern` inside a
function, or by a call only. What is defined twice, or declared differently in two files, the parser
finds and refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node, Tree
from obligato.frontends.c.old_calls import OldCall, old_calls, prototypes, refuse_old_calls
from obligato.frontends.c.preprocess import preprocess, with_headers
from obligato.frontends.c.source import Source, check_file, parse
from obligato.frontends.c.types import FunctionType
from obligato.frontends.preprocessing import Preprocessing

_MARKER = re.compile(rb'^# (\d+) "((?:[^"\\]|\\.)*)"[^\n]*\n', re.MULTILINE)
# Literals, numbers, ..., -- (as in i-->n) and the names of attributes are passed over; a name after
# . or -> is a member.
_WORD = re.compile(
    rb'(?:L|u8?|U)?(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')|\.?\d(?:[eEpP][+-]|[\w.])*|\.\.\.'
    rb"|--|__attribute__\s*\(\([^()]*\)\)|(?:\.|->)\s*[A-Za-z_]\w*|[A-Za-z_]\w*"
)
# Not looked at where brackets are counted.
_PLAIN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|^[ \t]*#[^\n]*', re.MULTILINE)
_PACK = re.compile(
    rb'^[ \t]*#[ \t]*pragma[ \t]+pack\b\s*\(\s*(push|pop)?|\b_Pragma\s*\(\s*"\s*pack()',
    re.MULTILINE,
)
# The name of the function, but where a failed assertion shows it.
_OWN_NAME = re.compile(rb"(?<!__extension__ )\b(?:__func__|__FUNCTION__|__PRETTY_FUNCTION__)\b")
# Members; words that may be external names: those of a declaration with extern, and those of calls.
_FOREIGN = re.compile(rb"(?:\.|->)\s*[A-Za-z_]\w*|\bextern\b[^;{}]*|[A-Za-z_]\w*(?=[\s)]*\()")
_NAME = re.compile(rb"[A-Za-z_]\w*")
# What stands before a tag; tags and other names are different things in C.
_BEFORE_TAG = re.compile(
    rb"\b(?:struct|union|enum)\s*(?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*)*$"
)
_LOOK_BACK = 400
_TAGGED = (k.STRUCT_DECL, k.UNION_DECL, k.ENUM_DECL)
# Where members are declared, designated and accessed.
_MEMBERS = (k.FIELD_DECL, k.MEMBER_REF, k.MEMBER)


class Chunk(NamedTuple):
    """Text between two line markers: of which file, from which line on, and where it begins in the
    preprocessed text.
    """

    file: str
    line: int
    text: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class Part:
    """One file: its parts of text with the places they are from, and the names of its top level."""

    file: str
    mark: str  # what its own names get, different for all files
    chunks: tuple[Chunk, ...]
    own: frozenset[str]  # names that only this file knows, but for tags
    tags: frozenset[str]  # the tags that only this file knows
    names: frozenset[str]  # all names
    undeclared: frozenset[str]  # other names that it may use without a declaration at its top level
    hidden: frozenset[str]  # names of internal linkage that its headers have
    # headers that have variables of internal linkage, with the place of the first one
    private: Mapping[str, Span]
    # headers that use names that only this file knows, with these and the places
    dependent: Mapping[str, Mapping[str, Span]]
    members: frozenset[int]  # where members of structs and unions are named
    known: Mapping[str, FunctionType]  # its functions with a prototype
    old: tuple[OldCall, ...]  # its calls without one


def linked(paths: list[Path], data_model: str, how: Preprocessing) -> Source:
    """The program in several files; the first one names it."""
    how = with_headers(paths, data_model, how)
    spellings = {path.resolve(): str(path) for path in paths}
    parts = [
        _part(path, mark, data_model, how, spellings)
        for path, mark in zip(paths, marks(paths), strict=True)
    ]
    _refuse_undeclared(parts)
    for part in parts:
        for other in parts:
            if other is not part:
                refuse_old_calls(part.old, other.known)
    seen: dict[str, bytes] = {}
    text = b"".join(_text(part, parts, seen) for part in parts)
    return Source(str(paths[0]), text, mapped=True, old=how.is_old)


def marks(paths: list[Path]) -> Iterator[str]:
    """A mark for each file: its name, and where several files have this name a number."""
    stems = [re.sub(r"\W", "_", path.stem) for path in paths]
    count = Counter(stems)
    for i, stem in enumerate(stems):
        yield f"__in_{stem}" if count[stem] == 1 else f"__in_{stem}__{i}"


def _part(
    path: Path, mark: str, data_model: str, how: Preprocessing, spellings: dict[Path, str]
) -> Part:
    check_file(path)
    text = _spelled_alike(preprocess(path, data_model, how), spellings)
    unit = parse(Source(str(path), text, mapped=True, old=how.is_old), data_model)
    try:
        top = Tree(unit).root.children
        names = {n.spelling for t in top for n in _named(t)}
        foreign = [t for t in reversed(top) if t.span.file != str(path)]
        mine = [n for t in top if t.span.file == str(path) for n in _named(t) if _internal(n)]
        # what a header declares and this file completes
        shared = {t.spelling for t in foreign if t.kind in _TAGGED}
        own = frozenset(n.spelling for n in mine if n.kind not in _TAGGED)
        tags = frozenset(n.spelling for n in mine if n.kind in _TAGGED) - shared
        private = {t.span.file: t.span for t in foreign if _has_own_state(t)}
        members = {
            n.tree.lib.offset(n.tree.lib.getCursorLocation(n.cursor))
            for t in top
            for n in _inside(t)
            if n.kind in _MEMBERS and n.spelling in own
        }
        hidden = frozenset(t.spelling for t in foreign if _is_static(t))
        return Part(
            str(path),
            mark,
            tuple(_chunks(text)),
            own,
            tags,
            frozenset(names),
            _foreign(text) - names,
            hidden,
            private,
            _dependent(top, own | tags, shared, str(path)),
            frozenset(members),
            prototypes(t for t in top if t.spelling not in own),
            tuple(c for t in top for c in old_calls(_inside(t)) if c.name not in own),
        )
    finally:
        unit.close()


def _spelled_alike(text: bytes, spellings: dict[Path, str]) -> bytes:
    """The same text, in which a header has the name by which it was first found."""

    def alike(m: re.Match[bytes]) -> bytes:
        name = m[2].decode("utf-8", "surrogateescape")
        known = spellings.setdefault(Path(name).resolve(), name)
        start, end = m.start(2) - m.start(), m.end(2) - m.start()
        return m[0][:start] + known.encode("utf-8", "surrogateescape") + m[0][end:]

    return _MARKER.sub(alike, text)


def _foreign(text: bytes) -> frozenset[str]:
    found = (m[0] for m in _FOREIGN.finditer(text) if m[0][:1] not in b".-")
    return frozenset(name.decode() for words in found for name in _NAME.findall(words))


def _refuse_undeclared(parts: list[Part]) -> None:
    """An undeclared function is not the one that another file's header hides."""
    for part in parts:
        for other in parts:
            for name in sorted(part.hidden & other.undeclared):
                raise Unsupported(
                    f"{other.file} uses {name} without a declaration of its own; a header of"
                    f" {part.file} has a static one",
                    construct="undeclared name",
                )


def _named(top: Node) -> Iterator[Node]:
    """A declaration of the top level and, of an enumeration, its constants."""
    if top.spelling and top.spelling.isidentifier():
        yield top
    if top.kind == k.ENUM_DECL:
        yield from top.children


def _internal(n: Node) -> bool:
    """Does the declaration have internal linkage, so that only its own file can refer to it?"""
    return n.kind in (*_TAGGED, k.TYPEDEF_DECL, k.ENUM_CONSTANT_DECL) or _is_static(n)


def _is_static(n: Node) -> bool:
    return (
        n.kind in (k.VAR_DECL, k.FUNCTION_DECL)
        and n.tree.lib.Cursor_getStorageClass(n.cursor) == k.SC_STATIC
    )


def _has_own_state(top: Node) -> bool:
    """Is it, or does it have inside, a variable of which every file would have its own?"""
    if top.kind == k.VAR_DECL:
        return _is_static(top)
    if not _is_static(top):
        return False
    return any(_is_static(n) for n in _inside(top) if n is not top)


def _inside(top: Node) -> Iterator[Node]:
    """A node and all that is inside of it."""
    stack = [top]
    while stack:
        n = stack.pop()
        yield n
        stack.extend(n.children)


def _dependent(
    top: list[Node], own: Set[str], shared: Set[str], file: str
) -> dict[str, dict[str, Span]]:
    """The headers that use names that only `file` knows, or declare what it defines: with these
    names and the places.
    """
    uses = [(n.reference.name, n.span) for t in top for n in _inside(t) if _uses(n, own, file)]
    declared = [(t.spelling, t.span) for t in top if t.spelling in own and _is_static(t)]
    found: dict[str, dict[str, Span]] = {}
    for name, span in [*((name, span) for name, span in uses if name not in shared), *declared]:
        if span.file != file:
            found.setdefault(span.file, {})[name] = span
    return found


def _uses(n: Node, own: Set[str], file: str) -> bool:
    """Does a node refer to one of the names `own` as `file` declares it?"""
    return (
        n.kind in (k.DECL_REF, k.TYPE_REF)
        and n.reference.name in own
        and n.reference.node.span.file == file
    )


def _chunks(text: bytes) -> Iterator[Chunk]:
    """The text between line markers."""
    marks = list(_MARKER.finditer(text))
    for m, end in zip(marks, [*(m.start() for m in marks[1:]), len(text)], strict=True):
        yield Chunk(
            m[2].decode("utf-8", "surrogateescape"), int(m[1]), text[m.end() : end], m.end()
        )


def _text(part: Part, parts: list[Part], seen: dict[str, bytes]) -> bytes:
    """What a file contributes; `seen` are the headers that earlier files have included."""
    others = frozenset().union(*(p.names | p.undeclared for p in parts if p is not part))
    renamed = {
        name.encode(): _new_name(f"{name}{part.mark}".encode(), parts)
        for name in sorted((part.own | part.tags) & others)
    }
    _refuse_dependent(part, {name.decode() for name in renamed})
    headers = {c.file: b"" for c in part.chunks if c.file != part.file}
    for c in part.chunks:
        if c.file != part.file:
            headers[c.file] += c.text
    for file, text in headers.items():
        if file in seen and text.strip():
            _refuse_different(parts, file, seen[file].split() == text.split(), part)
    known = frozenset(seen)
    seen.update(headers)
    _refuse_open(part, known)
    _refuse_packing(part)
    return b"".join(
        _marked(c, _renamed(c, renamed, part) if c.file == part.file else c.text)
        for c in part.chunks
        if c.file not in known
    )


def _refuse_different(parts: list[Part], file: str, same: bool, part: Part) -> None:
    """Raise for a header that does not mean the same in each file that includes it."""
    if file in part.private:
        raise Unsupported(
            f"each file that includes {Path(file).name} has its own copy of a variable",
            part.private[file],
            "static variable in a shared header",
        )
    if not same:
        raise Unsupported(
            f"{file} reads differently in {part.file} and in a file before",
            construct="header read in two ways",
        )
    for p in parts:
        _refuse_dependent(p, frozenset(p.dependent.get(file, ())))


def _refuse_dependent(part: Part, names: Set[str]) -> None:
    """Raise for a header of a file that uses one of the names as this file, and no other,
    knows it.
    """
    for file, uses in part.dependent.items():
        for name in sorted(names & uses.keys()):
            raise Unsupported(
                f"{Path(file).name} uses {name} as only {part.file} knows it",
                uses[name],
                "header that depends on where it is included",
            )


def _refuse_open(part: Part, known: Set[str]) -> None:
    """Raise where text that is left out (of the files `known`) begins or ends inside of a
    declaration.
    """
    depth, last, left_out = 0, b"", False
    for c in part.chunks:
        plain = _PLAIN.sub(b"", c.text).strip()
        if not plain:
            continue
        if (c.file in known) is not left_out and (depth or last not in (b"", b";", b"}")):
            raise Unsupported(
                "a file that is included in the middle of a declaration, and elsewhere, too",
                Span(c.file, c.line),
                "header inside of a declaration",
            )
        left_out = c.file in known
        depth += sum((ch in b"({[") - (ch in b")}]") for ch in plain)
        last = plain[-1:]


def _refuse_packing(part: Part) -> None:
    """Raise for #pragma pack that acts beyond the text where it is written: on headers, or on the
    next file.
    """
    for file, chunks in groupby((c for c in part.chunks if c.text.strip()), lambda c: c.file):
        first = next(chunks)
        depth = 0
        for m in _PACK.finditer(first.text + b"".join(c.text for c in chunks)):
            depth += {b"push": 1, b"pop": -1}.get(m[1], 0)
            if depth < 0 or (m[1] is None and not depth):
                depth = -1
                break
        if depth:
            raise Unsupported(
                "#pragma pack without push and pop around its declarations, in a program of several"
                " files",
                Span(file, first.line),
                "pragma pack",
            )


def _marked(chunk: Chunk, text: bytes) -> bytes:
    return (
        f'\n# {chunk.line} "{chunk.file}"\n'.encode("utf-8", "surrogateescape") + text
        if text.strip()
        else b""
    )


def _new_name(name: bytes, parts: list[Part]) -> bytes:
    """The name, made longer until no file has it."""
    while any(name in c.text for p in parts for c in p.chunks):
        name += b"_"
    return name


def _renamed(chunk: Chunk, names: Mapping[bytes, bytes], part: Part) -> bytes:
    if not names:
        return chunk.text
    if own_name := _OWN_NAME.search(chunk.text):
        line = chunk.line + chunk.text.count(b"\n", 0, own_name.start())
        raise Unsupported(
            "a function's name as text, in a file whose names are not all its own",
            Span(chunk.file, line),
            "__func__ in several files",
        )

    def new_name(m: re.Match[bytes]) -> bytes:
        is_tag = (
            _BEFORE_TAG.search(chunk.text[max(0, m.start() - _LOOK_BACK) : m.start()]) is not None
        )
        known = m[0].decode("utf-8", "replace") in (part.tags if is_tag else part.own)
        return (
            names.get(m[0], m[0])
            if known and chunk.offset + m.start() not in part.members
            else m[0]
        )

    return _WORD.sub(new_name, chunk.text)
