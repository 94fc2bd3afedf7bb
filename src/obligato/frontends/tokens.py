"""Tokens of a text and a position among them: what the parsers of several languages share."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from obligato.errors import Span


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is one of the language's own, or `end`; `at` is the offset in the text."""

    kind: str
    text: str
    at: int


class Source:
    """A text and its lines, so that offsets become spans."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    def span(self, at: int) -> Span:
        """Line and column of an offset."""
        line = bisect_right(self._lines, at)
        return Span(self.file, line, at - self._lines[line - 1] + 1)


class TokenCursor:
    """The tokens of a source, an `end` last, and where the parser is."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source, self.tokens, self.here = source, tokens, 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.here]

    @property
    def text(self) -> str:
        """The text of the next token if it is an operator or keyword, else its kind in capitals."""
        t = self.tokens[self.here]
        return t.text if t.kind in ("op", "keyword") else t.kind.upper()

    def ahead(self, n: int = 1) -> Token:
        """A later token."""
        return self.tokens[min(self.here + n, len(self.tokens) - 1)]

    def span(self, token: Token | None = None) -> Span:
        """The place of a token, of the next one unless said otherwise."""
        return self.source.span((token or self.token).at)

    def take(self) -> Token:
        """The next token, consumed."""
        t = self.tokens[self.here]
        if t.kind != "end":
            self.here += 1
        return t
