"""A position in a list of tokens, with the small steps that every part of the parser takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.lustre.tokens import SOFT, tokens
from obligato.frontends.tokens import Source, Token, TokenCursor

T = TypeVar("T")


class Cursor(TokenCursor):
    """The tokens of a Lustre program and where the parser is."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, tokens(source))

    def peek(self, ahead: int = 1) -> str:
        """The text of a later token."""
        return self.ahead(ahead).text

    def accept(self, *texts: str) -> bool:
        """Consume the next token if it is one of these."""
        if self.text in texts:
            self.take()
            return True
        return False

    def expect(self, text: str) -> Token:
        """Consume that token, or complain."""
        if self.text != text:
            self.fail(f"{text!r}")
        return self.take()

    def fail(self, expected: str) -> NoReturn:
        """Raises InputError: what was expected, and what is there."""
        t = self.token
        raise InputError(f"expected {expected}, not {t.text!r}", self.span())

    def unsupported(self, what: str, construct: str) -> NoReturn:
        """Raises Unsupported at the next token."""
        raise Unsupported(f"{what} is not supported", self.span(), construct)

    def is_name(self, ahead: int = 0) -> bool:
        """Is there a name (or a word that may be one)?"""
        t = self.tokens[min(self.here + ahead, len(self.tokens) - 1)]
        return t.kind == "word" or (t.kind == "keyword" and t.text in SOFT)

    def name(self) -> str:
        """A name."""
        if not self.is_name():
            self.fail("a name")
        return self.take().text

    def names(self) -> list[tuple[Span, str]]:
        """Names with their places, separated by commas."""
        return self.separated(lambda: (self.span(), self.name()), ",")

    def separated(self, item: Callable[[], T], *separators: str) -> list[T]:
        """One or more items."""
        out = [item()]
        while self.accept(*separators):
            out.append(item())
        return out

    def listed(self, item: Callable[[], T], close: str, *separators: str) -> list[T]:
        """Items up to the closing token, which is consumed; a separator may stand before it."""
        out: list[T] = []
        while not self.accept(close):
            out.append(item())
            if not self.accept(*separators):
                self.expect(close)
                break
        return out
