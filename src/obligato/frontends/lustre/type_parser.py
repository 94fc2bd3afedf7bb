"""The parser of types and declared streams."""

from __future__ import annotations

from abc import abstractmethod

from obligato.errors import InputError, Span
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.cursor import Cursor

MACHINE = {f"{sign}int{w}": (w, not sign) for w in (8, 16, 32, 64) for sign in ("", "u")}
MAX_DIGITS = 4000
TIGHT = 20  # the size of an array: selection at most


class TypeParser(Cursor):
    """Types; expressions occur in them."""

    @abstractmethod
    def expression(self, level: int = 0) -> s.Expr:
        """An expression whose operators bind at least as tightly as `level`."""

    def type(self) -> s.TypeExpr:
        """A type."""
        at = self.span()
        t = self._simple_type(at)
        while self.accept("^"):
            t = s.ArrayType(at, t, self.expression(TIGHT))
        return t

    def _simple_type(self, at: Span) -> s.TypeExpr:
        word = self.text
        if word in ("bool", "int", "real"):
            return s.NamedType(at, self.take().text)
        if word in MACHINE:
            self.take()
            return s.MachineType(at, *MACHINE[word])
        if word in ("sint", "uint"):
            self.take()
            return s.MachineType(at, self.width(), word == "sint")
        if word == "subrange":
            return self._subrange(at)
        if word == "subtype":
            self.take()
            return self.refinement(at)
        if word == "[":
            self.take()
            return s.TupleType(at, tuple(self.listed(self.type, "]", ",")))
        if word in ("set", "map") and self.peek() == "<":
            return self._table(at)
        return s.NamedType(at, self.name(), tuple(self.type_args()) if self.text == "<" else ())

    def _table(self, at: Span) -> s.TypeExpr:
        is_map = self.take().text == "map"
        args = self.type_args()
        if len(args) != 1 + is_map:
            raise InputError(
                f"a {'map' if is_map else 'set'} has {1 + is_map} type arguments, not {len(args)}",
                at,
            )
        return s.TableType(at, *args)

    def width(self) -> int:
        """<number of bits>."""
        self.expect("<")
        width = self.number()
        self.expect(">")
        if not 1 <= width <= 1 << 12:
            raise InputError(f"a width of {width} bits", self.span())
        return width

    def number(self) -> int:
        """A numeral."""
        if self.token.kind != "int":
            self.fail("a number")
        if len(self.token.text) > MAX_DIGITS:
            raise InputError("the number is too long", self.span())
        return int(self.take().text)

    def type_args(self) -> list[s.TypeExpr]:
        """<T1, T2>."""
        self.expect("<")
        return self.listed(self.type, ">", ",", ";")

    def _subrange(self, at: Span) -> s.TypeExpr:
        self.take()
        self.expect("[")
        low = self._bound()
        self.expect(",")
        high = self._bound()
        self.expect("]")
        self.expect("of")
        self.expect("int")
        return s.SubrangeType(at, low, high)

    def _bound(self) -> s.Expr | None:
        return None if self.accept("*") else self.expression()

    def refinement(self, at: Span) -> s.RefinementType:
        """{ name: type | predicate }."""
        self.expect("{")
        name = self.name()
        self.expect(":")
        base = self.type()
        self.expect("|")
        predicate = self.expression()
        self.expect("}")
        return s.RefinementType(at, name, base, predicate)

    def variables(self, const: bool = False) -> list[s.Variable]:
        """names: type, perhaps with a predicate."""
        names = self.names()
        self.expect(":")
        t = self.type()
        if self.text == "when":
            self.unsupported("a stream declared on a clock", "clocked declaration")
        predicate = self.expression() if self.accept("|") else None
        return [s.Variable(at, name, t, const, predicate) for at, name in names]
