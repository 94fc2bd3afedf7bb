"""S-expressions with positions: one regular expression for the tokens, one loop for the lists,
no recursion.

An expression is an `Atom` (a str) or an `SList` (a list); both know their offset in the text, and
`Source.span` turns it into line and column.  ``|x|`` and ``x`` are the same symbol, as SMT-LIB
says; the bars are kept only where the symbol would otherwise read as a literal, such as ``|12|``
(`symbol_name` drops them).  Strings keep their quotes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from obligato.errors import InputError, Span, Unsupported

_TOKEN = re.compile(r'[^\s()";|]+|[()]|\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|["|]')
_PLAIN = re.compile(r"""[^\d#:"|\s]""")


class Atom(str):
    """A token other than a parenthesis."""

    __slots__ = ("pos",)
    pos: int


class SList(list["SExpr"]):
    """A list; `pos` is the offset of its parenthesis."""

    __slots__ = ("pos",)
    pos: int


SExpr = Atom | SList


class Source:
    """A text with its file name, for positions."""

    __slots__ = ("_starts", "filename", "text")

    def __init__(self, text: str, filename: str = "") -> None:
        self.text = text
        self.filename = filename
        self._starts: list[int] | None = None

    def span(self, pos: int) -> Span:
        """Line and column of an offset."""
        if self._starts is None:
            self._starts = [0, *(m.end() for m in re.finditer("\n", self.text))]
        line = bisect_right(self._starts, pos)
        return Span(self.filename, line, pos - self._starts[line - 1] + 1)

    def error(self, message: str, where: SExpr | int) -> InputError:
        """An input error at an expression or offset; to be raised."""
        return InputError(message, self.span(where if isinstance(where, int) else where.pos))

    def unsupported(self, where: SList) -> Unsupported:
        """About the operator or command that a list begins with; to be raised."""
        name = str(where[0])
        return Unsupported(f"{name} is not supported", self.span(where.pos), construct=name)


def iter_sexprs(source: Source) -> Iterator[SExpr]:
    """The top-level expressions, one by one."""
    stack: list[SList] = []
    top: SList | None = None
    for match in _TOKEN.finditer(source.text):
        token = match[0]
        if token == "(":
            new = SList()
            new.pos = match.start()
            if top is not None:
                top.append(new)
                stack.append(top)
            top = new
        elif token == ")":
            if top is None:
                raise source.error("unmatched )", match.start())
            if stack:
                top = stack.pop()
            else:
                yield top
                top = None
        elif token[0] != ";":
            atom = _atom(source, token, match.start())
            if top is None:
                yield atom
            else:
                top.append(atom)
    if top is not None:
        raise source.error("this ( is never closed", (stack or [top])[-1])


def _atom(source: Source, token: str, pos: int) -> Atom:
    first = token[0]
    if first == "|":
        if len(token) == 1:
            raise source.error("this | is never closed", pos)
        if len(token) > 2 and _PLAIN.match(token[1]):
            token = token[1:-1]
    elif first == '"' and len(token) == 1:
        raise source.error("this string is never closed", pos)
    atom = Atom(token)
    atom.pos = pos
    return atom


def parse_sexprs(text: str, filename: str = "") -> list[SExpr]:
    """All top-level expressions of a text."""
    return list(iter_sexprs(Source(text, filename)))


def symbol_name(atom: str) -> str:
    """The name that a symbol stands for."""
    return atom[1:-1] if atom.startswith("|") and len(atom) > 1 else atom


def show(expression: SExpr, limit: int = 60) -> str:
    """The beginning of an expression, for messages."""
    out: list[str] = []
    length = 0
    stack: list[SExpr | str] = [expression]
    while stack and length < limit:
        item = stack.pop()
        if isinstance(item, SList):
            stack.append(")")
            stack.extend(reversed(item))
            item = "("
        text = str(item)
        if out and out[-1] != "(" and text != ")":
            text = " " + text
        out.append(text)
        length += len(text)
    return "".join(out)[:limit] + (" ..." if stack else "")
