"""Expressions and temporal formulas of SMV.

From tight to loose: members, elements and bits; `!`; `::`; unary minus; `* / mod`; `+ -`; `<< >>`;
`..`; `union`; `in`; comparisons;
the temporal operators, unary (`AG a = b` is `AG (a = b)`) and then U V S T, which do not chain
without parentheses; `&`; `| xor xnor`; `? :`; `<->`; `->` (right-associative).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn, TypeVar

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.smv.syntax import Data, Expr
from obligato.frontends.smv.tokens import FUNCTIONS, tokens
from obligato.frontends.tokens import Source, TokenCursor
from obligato.terms.numerals import parse_int

T = TypeVar("T")
LTL_UNARY = ("X", "F", "G", "Y", "Z", "H", "O")
CTL_UNARY = ("EX", "AX", "EF", "AF", "EG", "AG")
BOUNDED = ("EBF", "ABF", "EBG", "ABG", "MIN", "MAX")
COMPARISONS = ("=", "!=", "<", ">", "<=", ">=")
# left-associative, loose to tight, below the temporal operators
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("in",),
    ("union",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "mod"),
)
_RANGE = 2  # the level at which a range a..b is read
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
MAX_WIDTH = 1 << 16  # bits of a word
MAX_DIGITS, MAX_EXPONENT_DIGITS = 1000, 3


class Cursor(TokenCursor):
    """The tokens of a model and where the parser is."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, tokens(source))

    def accept(self, *texts: str) -> str:
        """Consume the next token if it is one of these; empty if not."""
        return self.take().text if self.text in texts else ""

    def expect(self, text: str) -> None:
        """Consume that token, or complain."""
        if self.text != text:
            self.fail(f"{text!r}")
        self.take()

    def fail(self, expected: str) -> NoReturn:
        """Raises InputError: what was expected, and what is there."""
        raise InputError(f"expected {expected}, not {self.token.text[:40]!r}", self.span())

    def unsupported(self, what: str) -> NoReturn:
        """Raises Unsupported at the next token."""
        raise Unsupported(f"{what} is not supported", self.span(), what)

    def name(self) -> str:
        """A name."""
        if self.token.kind != "name":
            self.fail("a name")
        return self.take().text

    def dotted(self) -> str:
        """A name with dots in it, as flattened models have."""
        name = self.name()
        while self.text == "." and self.ahead().kind in ("name", "int", "real"):
            self.take()
            name += f".{self.take().text}"
        return name

    def separated(self, item: Callable[[], T], separator: str = ",") -> list[T]:
        """One or more items."""
        out = [item()]
        while self.accept(separator):
            out.append(item())
        return out


class ExpressionParser(Cursor):
    """Expressions; `temporal` says which operators of formulas are read: none, LTL or CTL."""

    temporal = ""
    reals = False  # is there a real number?

    def formula(self, logic: str) -> Expr:
        """A formula of LTL or CTL."""
        self.temporal = logic
        try:
            return self.expression()
        finally:
            self.temporal = ""

    def expression(self) -> Expr:
        """Any expression."""
        left = self._iff()
        span = self.span()
        return Expr("->", (left, self.expression()), span) if self.accept("->") else left

    def _iff(self) -> Expr:
        left, span = self._choice(), self.span()
        while self.accept("<->"):
            left, span = Expr("<->", (left, self._choice()), span), self.span()
        return left

    def _choice(self) -> Expr:
        left, span = self._or(), self.span()
        if not self.accept("?"):
            return left
        then = self.expression()
        self.expect(":")
        return Expr("?:", (left, then, self._choice()), span)

    def _or(self) -> Expr:
        return self._left(self._and, ("|", "xor", "xnor"))

    def _and(self) -> Expr:
        return self._left(self._until, ("&",))

    def _left(self, part: Callable[[], Expr], operators: tuple[str, ...]) -> Expr:
        left, span = part(), self.span()
        while op := self.accept(*operators):
            left, span = Expr(op, (left, part()), span), self.span()
        return left

    # -- temporal operators ------------------------------------------------------------------------

    def _until(self) -> Expr:
        left, span = self._temporal(), self.span()
        if self.temporal != "LTL":
            return left
        if op := self.accept("U", "V", "S", "T"):
            self._unbounded(op)
            left = Expr(op, (left, self._temporal()), span)
            if self.text in ("U", "V", "S", "T"):
                raise InputError("put parentheses around one of these formulas", self.span())
        return left

    def _temporal(self) -> Expr:
        span, text = self.span(), self.text
        if self.temporal == "LTL" and text in LTL_UNARY:
            self.take()
            self._unbounded(text)
            return Expr(text, (self._temporal(),), span)
        if self.temporal == "CTL" and text in CTL_UNARY:
            self.take()
            return Expr(text, (self._temporal(),), span)
        if self.temporal == "CTL" and text in ("A", "E") and self.ahead().text == "[":
            return self._path(span)
        if self.temporal and text == "!" and self._formula_follows():
            self.take()
            return Expr("!", (self._temporal(),), span)
        if self.temporal == "CTL" and text in BOUNDED:
            self.unsupported(f"{text} (real-time CTL)")
        return self._comparison()

    def _formula_follows(self) -> bool:
        n = 1
        while self.ahead(n).text == "!":
            n += 1
        t = self.ahead(n)
        known = LTL_UNARY if self.temporal == "LTL" else (*CTL_UNARY, "A", "E")
        return t.kind == "keyword" and t.text in known

    def _unbounded(self, op: str) -> None:
        if self.text == "[" and op in (*LTL_UNARY, "U", "V", "S", "T"):
            self.unsupported(f"a bound of {op}")

    def _path(self, span: Span) -> Expr:
        """A [p U q], E [p U q]."""
        quantifier = self.take().text
        self.expect("[")
        left = self.expression()
        if self.text == "BU":
            self.unsupported("BU (real-time CTL)")
        self.expect("U")
        right = self.expression()
        self.expect("]")
        return Expr(f"{quantifier}U", (left, right), span)

    # -- terms -------------------------------------------------------------------------------------

    def _comparison(self) -> Expr:
        return self._left(lambda: self._level(0), COMPARISONS)

    def _level(self, n: int) -> Expr:
        if n == len(_LEVELS):
            return self._minus()
        left, span = self._left(lambda: self._level(n + 1), _LEVELS[n]), self.span()
        if n == _RANGE and self.accept(".."):
            return Expr("..", (left, self._level(n)), span)
        return left

    def _minus(self) -> Expr:
        span = self.span()
        if not self.accept("-"):
            return self._left(self._not, ("::",))
        value = self._minus()
        if value.op in ("int", "real"):
            assert isinstance(value.data, int | Fraction)
            return Expr(value.op, (), span, -value.data)
        return Expr("neg", (value,), span)

    def _not(self) -> Expr:
        span = self.span()
        return Expr("!", (self._not(),), span) if self.accept("!") else self._postfix()

    def _postfix(self) -> Expr:
        value = self._primary()
        while True:
            span = self.span()
            if self.text == "." and self.ahead().kind in ("name", "int", "real"):
                self.take()
                for part in self.take().text.split("."):
                    value = Expr(".", (value,), span, part)
            elif self.accept("["):
                first = self.plain()
                if self.accept(":"):
                    value = Expr("[:]", (value, first, self.plain()), span)
                else:
                    value = Expr("[]", (value, first), span)
                self.expect("]")
            else:
                return value

    def plain(self) -> Expr:
        """An expression without temporal operators."""
        logic, self.temporal = self.temporal, ""
        try:
            return self.expression()
        finally:
            self.temporal = logic

    def _primary(self) -> Expr:
        span, token = self.span(), self.token
        if token.kind == "name":
            return Expr("name", (), span, self.take().text)
        if token.kind == "int":
            if len(token.text) > MAX_DIGITS:
                self.unsupported(f"a number of more than {MAX_DIGITS} digits")
            return Expr("int", (), span, parse_int(self.take().text))
        if token.kind == "real":
            self.reals = True
            return Expr("real", (), span, _real(self.take().text, span))
        if token.kind == "word":
            return Expr("word", (), span, _word(self.take().text, span))
        return self._keyword(span)

    def _keyword(self, span: Span) -> Expr:
        text = self.text
        match text:
            case "TRUE" | "FALSE":
                self.take()
                return Expr("bool", (), span, text == "TRUE")
            case "self":
                self.take()
                return Expr("self", (), span)
            case "(":
                self.take()
                value = self.expression()
                self.expect(")")
                return value
            case "{":
                self.take()
                items = self.separated(self.plain)
                self.expect("}")
                return Expr("{}", tuple(items), span)
            case "case":
                return self._case(span)
            case "next":
                self.take()
                self.expect("(")
                value = self.plain()
                self.expect(")")
                return Expr("next", (value,), span)
        if text in FUNCTIONS:
            return self._call(span)
        return self.fail("an expression")

    def _case(self, span: Span) -> Expr:
        self.take()
        parts: list[Expr] = []
        while not parts or self.text != "esac":
            parts.append(self.expression())
            self.expect(":")
            parts.append(self.expression())
            self.expect(";")
        self.take()
        return Expr("case", tuple(parts), span)

    def _call(self, span: Span) -> Expr:
        name = self.take().text
        self.expect("(")
        if name == "CONSTARRAY":
            return self._constant_array(span)
        args = self.separated(self.plain)
        self.expect(")")
        return Expr("call", tuple(args), span, name)

    def _constant_array(self, span: Span) -> Expr:
        if self.accept("typeof"):
            self.expect("(")
            like = self.plain()
            self.expect(")")
        else:
            self.unsupported("CONSTARRAY with a type that is not typeof(...)")
        self.expect(",")
        value = self.plain()
        self.expect(")")
        return Expr("call", (like, value), span, "CONSTARRAY")


def _real(text: str, span: Span) -> Data:
    exponent = text.lower().partition("e")[2].lstrip("+-")
    if len(exponent) > MAX_EXPONENT_DIGITS:
        raise InputError("the exponent is too large", span)
    try:
        return Fraction(text[2:] if text[0] in "fF" else text)
    except (ValueError, ZeroDivisionError, OverflowError) as problem:
        raise InputError("this is no number", span) from problem


def _word(text: str, span: Span) -> Data:
    """The sign, width and value of a word such as 0ud8_255 or 0b_1010."""
    head, _, digits = text.lower().partition("_")
    signed, head = head[1] == "s", head[1:].lstrip("us")
    base, digits = _BASES[head[0]], digits.replace("_", "")
    try:
        value = parse_int(digits) if base == 10 else int(digits, base)
    except ValueError as problem:
        raise InputError(f"{digits[:40]!r} are no digits of base {base}", span) from problem
    if not head[1:] and base == 10:
        raise InputError("a decimal word needs a width", span)
    width = parse_int(head[1:]) if head[1:] else len(digits) * {2: 1, 8: 3, 16: 4}[base]
    if not 0 < width <= MAX_WIDTH:
        raise InputError(f"a word has 1 to {MAX_WIDTH} bits", span)
    if value >= 1 << width:
        raise InputError(f"the number does not fit into {width} bits", span)
    return signed, width, value
