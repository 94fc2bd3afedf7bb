"""Reads formulas of branching time: as text (`read_ctl`) and from the `.ctl` files that go with
AIGER models (`read_ctl_file`).

Text: `AG (req -> AF ack)`, `A [n < 3 U done]`. As for linear time (`frontends.ltl`), with the unary
EX AX EF AF EG AG for X F G, and until, release and weak until as `E [f U g]` or `E (f U g)`.

Files, as IImc reads them: formulas one after another; a formula ends where the next token cannot go
on with it. `->`, `==` and `^` bind loosest and are left-associative (`a -> b -> c` is
`(a -> b) -> c`), then `|`, `&`, and the unary `~ ! EX EF EG AX AF AG`. In `E f U g` f goes as far
as U and g is unary, so that `E p & q U r | s` is `(E [p & q U r]) | s`; W and R stand where U does.
`;` is blank, `#` begins a comment. Names have letters, digits and `_ . * < >`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from obligato.errors import InputError, Span
from obligato.frontends.ltl import MAX_DEPTH, Operand, Parser
from obligato.models.ctl import Formula, atom
from obligato.terms import BOOL, Term, TermStore

_UNARY = ("EX", "AX", "EF", "AF", "EG", "AG")
_UNTIL = ("U", "R", "W")


def read_ctl(
    text: str,
    store: TermStore,
    names: Mapping[str, Term],
    file: str = "<property>",
    signed: frozenset[Term] = frozenset(),
) -> Formula:
    """The formula that a text says about a system whose names mean these terms; `signed` are read
    as signed numbers there.
    """
    return _CtlParser(text, store, names, file, signed).whole()


class _CtlParser(Parser):
    tokens_of = re.compile(
        r'\s*(?:("[^"]*")|(<->|<=>|->|=>|==>|&&|\|\||!=|==|<=|>=|[][()!~&|^=<>+*-])|([0-9]+)'
        r"|([A-Za-z_.$](?:[\w.$#@:']|\[\w+(?::\w+)?\])*))"
    )
    unary = ("!", *_UNARY)
    levels = tuple(level for level in Parser.levels if "U" not in level[0])
    keywords = frozenset({*_UNARY, *_UNTIL, "A", "E", "true", "false", "not", "and", "or", "xor"})

    def _take_in(self, token: str, place: int) -> None:
        """A token; letters in a row are one name here."""
        self.tokens.append((self.same.get(token, token), place))

    def _unary(self) -> Formula | Operand:
        return self._until() if self.token in ("A", "E") else super()._unary()

    def _until(self) -> Formula:
        quantifier = self._advance()
        self._deeper()
        if self.token not in ("[", "("):
            raise self._error(
                f"{quantifier} is followed by [ or (, not by {self.token!r}", self.place
            )
        end = "]" if self._advance() == "[" else ")"
        place = self.place
        first = self._formula(self._binary(0), place)
        if self.token not in _UNTIL:
            raise self._error(f"U, R or W is expected, not {self.token!r}", self.place)
        op = self._advance()
        place = self.place
        second = self._formula(self._binary(0), place)
        if self.token != end:
            raise self._error(f"{end!r} is missing", self.place)
        self._advance()
        self.depth -= 1
        return Formula(quantifier + op, (first, second))


# -- files beside AIGER ----------------------------------------------------------------------------

_FILE_TOKEN = re.compile(r"(?:[ \t;\r\n]|#[^\n]*)*(==|->|[&|~!^()]|[A-Za-z][A-Za-z_0-9.*<>]*|$)")
# loose to tight, all left-associative
_LEVELS = ({"->": "->", "==": "<->", "^": "xor"}, {"|": "|"}, {"&": "&"})
_WORDS = {*_UNARY, *_UNTIL, "A", "E", "true", "false"}


def read_ctl_file(text: str, names: Mapping[str, Term], file: str) -> list[Formula]:
    """The formulas of a file about a system whose names mean these Boolean terms."""
    return _FileParser(text, names, file).formulas()


class _FileParser:
    def __init__(self, text: str, names: Mapping[str, Term], file: str) -> None:
        self.text, self.names, self.file = text, names, file
        self.tokens: list[tuple[str, int]] = []
        place = 0
        while not self.tokens or self.tokens[-1][0]:
            found = _FILE_TOKEN.match(text, place)
            if found is None:
                blank = re.match(r"(?:[ \t;\r\n]|#[^\n]*)*", text[place:])
                place += blank.end() if blank else 0
                raise self._error(f"{text[place]!r} is not expected here", place)
            self.tokens.append((found[1], found.start(1)))
            place = found.end()
        self.next = self.depth = 0

    def _error(self, message: str, place: int) -> InputError:
        line = self.text.count("\n", 0, place) + 1
        return InputError(
            f"temporal formula: {message}",
            Span(self.file, line, place - self.text.rfind("\n", 0, place)),
        )

    def _take(self) -> tuple[str, int]:
        self.next += 1
        return self.tokens[self.next - 1]

    @property
    def token(self) -> str:
        """The token that comes next; empty at the end."""
        return self.tokens[self.next][0]

    def formulas(self) -> list[Formula]:
        """Read all formulas of the file."""
        out = []
        while self.token:
            out.append(self._binary(0))
        return out

    def _binary(self, level: int) -> Formula:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self.token in _LEVELS[level]:
            op = _LEVELS[level][self._take()[0]]
            left = Formula(op, (left, self._binary(level + 1)))
        return left

    def _unary(self) -> Formula:
        self.depth += 1
        token, place = self._take()
        if self.depth > MAX_DEPTH:
            raise self._error("the formula is nested too deeply", place)
        found = self._operand(token, place)
        self.depth -= 1
        return found

    def _operand(self, token: str, place: int) -> Formula:
        if token in ("~", "!"):
            return Formula("!", (self._unary(),))
        if token in _UNARY:
            return Formula(token, (self._unary(),))
        if token in ("A", "E"):
            first = self._binary(0)
            op, there = self._take()
            if op not in _UNTIL:
                raise self._error(f"U, R or W is expected, not {op or 'the end'!r}", there)
            return Formula(token + op, (first, self._unary()))
        if token == "(":
            found = self._binary(0)
            if self.token != ")":
                raise self._error("a closing parenthesis is missing", self.tokens[self.next][1])
            self._take()
            return found
        return Formula(token) if token in ("true", "false") else atom(self._name(token, place))

    def _name(self, token: str, place: int) -> Term:
        if not token:
            raise self._error("the formula ends too early", place)
        if token in _WORDS or not token[0].isalpha():
            raise self._error(f"{token!r} is not expected here", place)
        found = self.names.get(token)
        if found is None or found.sort is not BOOL:
            raise self._error(
                f"{token!r} is no name of the input"
                + ("" if found is None else " that is true or false"),
                place,
            )
        return found
