"""Where statements, conditions of branches, and calls are in the text of a C program: what a
witness names by line and column.

Lines and columns are those of the user's file; offsets are those of the text that was parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node, Tree
from obligato.frontends.c.types import CType

LOOPS = (k.WHILE, k.DO, k.FOR)
LABELS = (k.LABEL, k.CASE, k.DEFAULT)
_OWN_END = (k.COMPOUND, k.DECL_STMT, k.NULL_STMT)
_BLANK = re.compile(rb"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A statement, or a call; `end` is behind its semicolon, or its right parenthesis.

    `condition`: of a branch or loop, where the condition is (start and end are the same: there is
    none). `in_block`: is it one of the statements of a block? `name`: of a call, the function's, if
    it is named; `type`: that of its result.
    """

    kind: int
    span: Span
    function: str
    start: int
    end: int
    condition: tuple[int, int] | None = None
    in_block: bool = False
    name: str = ""
    type: CType | None = None


class Positions:
    """All statements and calls of the functions that a translation unit defines."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self._text = tree, tree.unit.source.text
        self.statements: list[Piece] = []
        self.calls: list[Piece] = []
        for f in tree.root.children:
            body = (
                next((c for c in f.children if c.kind == k.COMPOUND), None)
                if f.kind == k.FUNCTION_DECL
                else None
            )
            if body is not None:
                self._function(f.spelling, body)
        self.statements.sort(key=lambda s: s.start)
        self.calls.sort(key=lambda c: c.start)

    def _function(self, name: str, body: Node) -> None:
        stack: list[tuple[Node, bool, bool]] = [(body, True, False)]
        while stack:
            n, statement, in_block = stack.pop()
            if statement:
                self.statements.append(self._statement(n, name, in_block))
            if n.kind == k.CALL:
                self.calls.append(self._call(n, name))
            inner = {id(c) for c in _statements_of(n)}
            stack += [(c, id(c) in inner, n.kind == k.COMPOUND) for c in n.children]

    def _statement(self, n: Node, function: str, in_block: bool) -> Piece:
        condition = self._condition(n)
        return Piece(
            n.kind, n.span, function, self.tree.offset(n), self._end(n), condition, in_block
        )

    def _call(self, n: Node, function: str) -> Piece:
        callee = n.operands[0] if n.operands else n
        while callee.kind in (k.UNEXPOSED_EXPR, k.PAREN) and len(callee.operands) == 1:
            callee = callee.operands[0]
        name = callee.spelling if callee.kind == k.DECL_REF else ""
        return Piece(
            n.kind, n.span, function, self.tree.offset(n), self.tree.end(n), name=name, type=n.type
        )

    def _condition(self, n: Node) -> tuple[int, int] | None:
        if n.kind in (k.WHILE, k.IF, k.SWITCH):
            return self._extent(n.operands[0])
        if n.kind == k.DO:
            return self._extent(n.operands[-1])
        if n.kind != k.FOR:
            return None
        *parts, body = n.operands
        first, second = self.tree.header_separators(n, body)
        inside = [p for p in parts if first < self.tree.offset(p) < second]
        return self._extent(inside[0]) if inside else (first + 1, first + 1)

    def _extent(self, n: Node) -> tuple[int, int]:
        return self.tree.offset(n), self.tree.end(n)

    def _end(self, n: Node) -> int:
        """Behind the semicolon that ends a statement."""
        while n.kind in (k.IF, k.WHILE, k.FOR, k.SWITCH, *LABELS) and n.operands:
            n = n.operands[-1]
        end = self.tree.end(n)
        if n.kind in _OWN_END:
            return end
        blank = _BLANK.match(self._text, end)
        at = blank.end() if blank is not None else end
        return at + 1 if self._text[at : at + 1] == b";" else end

    def innermost(self, at: int) -> Piece | None:
        """The smallest statement that covers an offset."""
        return min(
            (s for s in self.statements if s.start <= at < s.end),
            key=lambda s: s.end - s.start,
            default=None,
        )

    def offset(self, file: str, line: int, column: int) -> int | None:
        """The offset of a place in the user's file; None where nothing that is known is there."""
        if not self.tree.unit.source.mapped:
            lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", self._text)
            return sum(map(len, lines[: line - 1])) + column - 1 if 0 < line <= len(lines) else None
        pieces = [
            p
            for p in (*self.statements, *self.calls)
            if p.span.line == line and p.span.file == file
        ]
        best = max(
            (p for p in pieces if p.span.column <= column),
            key=lambda p: p.span.column,
            default=None,
        )
        return None if best is None else best.start + column - best.span.column

    def closing(self, call: Piece) -> tuple[int, int]:
        """Line and column of the right parenthesis of a call."""
        text = self._text[call.start : call.end]
        if b"\n" in text:
            return call.span.line + text.count(b"\n"), len(text.rpartition(b"\n")[2])
        return call.span.line, call.span.column + len(text) - 1


def _statements_of(n: Node) -> list[Node]:
    """The children of a node that are statements."""
    if n.kind in (k.COMPOUND, *LABELS):
        inner = n.operands
        return inner if n.kind == k.COMPOUND else inner[-1:]
    if n.kind in (k.IF, k.SWITCH, k.WHILE):
        return n.operands[1:]
    if n.kind == k.DO:
        return n.operands[:1]
    if n.kind == k.FOR:
        return n.operands[-1:]
    return [c for c in n.operands if c.kind == k.COMPOUND] if n.kind == k.STMT_EXPR else []


def behind_labels(statements: list[Piece], place: Piece) -> Piece:
    """The statement that the labels at a place belong to."""
    while place.kind in LABELS:
        inner = [s for s in statements if place.start < s.start and s.end <= place.end]
        if not inner:
            raise Unsupported("a label without a statement", place.span, "witness")
        place = inner[0]
    return place


def pieces_on(pieces: list[Piece], line: int, column: int | None, file: str) -> Iterator[Piece]:
    """The pieces that begin at a line (and column) of a file, outermost first."""
    name = file.rpartition("/")[2]
    for p in pieces:
        if (
            p.span.line == line
            and column in (None, p.span.column)
            and p.span.file.rpartition("/")[2] == name
        ):
            yield p
