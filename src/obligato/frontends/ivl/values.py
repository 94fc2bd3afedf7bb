"""What an expression of IVL text may denote while it is read: a term, a literal without sort yet, a
record, a call.

A literal such as ``3`` takes the sort that its context asks for (`coerce`, `unify`); ``3bv8`` has
one.  A record is a view on the scalar variables that stand for it.  `Node` errors carry the
position of the offending text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from lark import Token, Tree

from obligato.errors import InputError, Span
from obligato.program.literals import type_text
from obligato.program.syntax import RecordArray, RecordType, Type, flatten
from obligato.terms import BOOL, INT, REAL, Kind, Sort, Term, TermStore, array, bitvec, floating
from obligato.terms.numerals import number_text, parse_int
from obligato.terms.softfloat import FloatFormat, RoundingMode, from_real

MAX_WIDTH = 1 << 16  # of a bit-vector: beyond it a typing mistake is likelier than a program
MAX_TENS = 100_000  # of an exponent to the base 10
Node = Tree[Token] | Token
NAMED_FORMATS = {"16": (5, 11), "32": (8, 24), "64": (11, 53), "128": (15, 113)}


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written; `sort` None: open. `bare` until it is in parentheses: a minus sign
    before it belongs to it.
    """

    magnitude: int | Fraction | str
    sort: Sort | None = None
    negative: bool = False
    bare: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """A record inside arrays with index sorts `dims` (outer first), of which the first are indexed
    by `indices`.
    """

    name: str
    type: RecordType
    dims: tuple[Sort, ...] = ()
    indices: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class CallValue:
    """``f(e1, e2)``: allowed only as the whole right side of an assignment."""

    callee: str
    arguments: list[Any]
    node: Node


Denoted = Term | Literal | Record | CallValue


class Places:
    """Positions in one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.scope = ""  # the procedure that is being read

    def span(self, node: Node) -> Span:
        """Where a node begins."""
        at = node if isinstance(node, Token) else node.meta
        line, column = getattr(at, "line", None) or 0, getattr(at, "column", None) or 0
        return Span(self.file, line, column, scope=self.scope)

    def error(self, node: Node, message: str) -> InputError:
        """An error at a node."""
        return InputError(message, self.span(node))


class Elaborator(Places):
    """Literals and sorts: everything that needs no names."""

    def __init__(self, store: TermStore, file: str) -> None:
        super().__init__(file)
        self.store = store

    def number(self, token: Token) -> Literal:
        """A NUMBER token: ``5``, ``0xffbv8``, ``1.5``, ``1e3f32``."""
        m = re.fullmatch(
            r"(0x[0-9A-Fa-f]+?|0b[01]+?|[0-9.]+(?:[eE][+-]?[0-9]+)?)(bv[0-9]+|f[0-9_]+)?", token
        )
        assert m is not None, token
        text, suffix = m.groups()
        sort = self._suffix_sort(token, suffix)
        if text.isdigit() or text[:2] in ("0x", "0b"):
            return Literal(int(text, 0) if not text.isdigit() else parse_int(text), sort)
        mantissa, _, exponent = text.lower().partition("e")
        if len(exponent) > 9 or abs(int(exponent or "0")) > MAX_TENS:
            raise self.error(token, f"an exponent beyond {MAX_TENS}")
        whole, _, part = mantissa.partition(".")
        return Literal(
            Fraction(10) ** (int(exponent or "0") - len(part)) * parse_int(whole + part), sort
        )

    def _suffix_sort(self, token: Token, suffix: str | None) -> Sort | None:
        if suffix is None:
            return None
        return (
            self.bv_sort(token, suffix[2:])
            if suffix.startswith("bv")
            else self.float_sort(token, suffix[1:])
        )

    def bv_sort(self, node: Node, digits: str) -> Sort:
        """bvN."""
        width = int(digits) if len(digits) < 10 else MAX_WIDTH + 1
        if not 1 <= width <= MAX_WIDTH:
            raise self.error(node, f"a bit-vector has 1 to {MAX_WIDTH} bits")
        return bitvec(width)

    def float_sort(self, node: Node, text: str) -> Sort:
        """float32, float64, floatE_S."""
        parts = text.split("_") if "_" in text else NAMED_FORMATS.get(text)
        if parts is None or max(len(str(p)) for p in parts) > 4:
            raise self.error(node, f"unknown float format {text}: 16, 32, 64, 128 or E_S")
        eb, sb = (int(p) for p in parts)
        if not (2 <= eb <= 30 and 2 <= sb <= 2000):
            raise self.error(node, f"float format {text} is out of range")
        return floating(eb, sb)

    def literal_term(self, node: Node, lit: Literal, sort: Sort) -> Term:
        """A literal as a value of `sort`."""
        value = lit.magnitude
        if sort.kind is Kind.FLOAT:
            return self._float_term(lit, sort)
        if (isinstance(value, Fraction) and sort.kind is not Kind.REAL) or isinstance(value, str):
            raise self.error(node, f"this literal is no {type_text(sort)}")
        signed = -value if lit.negative else value
        if sort.kind is Kind.BITVEC and not -(1 << (sort.width - 1)) <= signed < 1 << sort.width:
            raise self.error(node, f"{number_text(signed)[:40]} does not fit in {type_text(sort)}")
        if sort.kind not in (Kind.INT, Kind.REAL, Kind.BITVEC):
            raise self.error(node, f"a {type_text(sort)} is expected, not a number")
        return self.store.const(signed, sort)

    def _float_term(self, lit: Literal, sort: Sort) -> Term:
        fmt = FloatFormat(sort.eb, sort.sb)
        if isinstance(lit.magnitude, str):
            pattern = fmt.nan if lit.magnitude == "nan" else fmt.inf(lit.negative)
        else:
            pattern = from_real(fmt, RoundingMode.RNE, Fraction(lit.magnitude)) | (
                fmt.sign_bit if lit.negative else 0
            )
        return self.store.const(pattern, sort)

    def term(self, node: Node, value: Denoted) -> Term:
        """`value` as a term; an open literal becomes Int or Real."""
        if isinstance(value, Literal):
            default = REAL if isinstance(value.magnitude, Fraction) else INT
            return self.literal_term(node, value, value.sort or default)
        if isinstance(value, Record):
            raise self.error(
                node, f"a record ({type_text(value.type)}) cannot be used here; name its fields"
            )
        if isinstance(value, CallValue):
            raise self.error(
                value.node,
                f"no built-in function {value.callee}; a procedure call is a statement of its own",
            )
        return value

    def coerce(self, node: Node, value: Denoted, sort: Sort, what: str = "expression") -> Term:
        """`value` as a term of `sort`."""
        if isinstance(value, Literal) and value.sort is None:
            return self.literal_term(node, value, sort)
        term = self.term(node, value)
        if term.sort is not sort:
            raise self.error(
                node, f"{what} of type {type_text(sort)} expected, found {type_text(term.sort)}"
            )
        return term

    def boolean(self, node: Node, value: Denoted) -> Term:
        """`value` as a condition."""
        return self.coerce(node, value, BOOL, "condition")

    def unify(self, nodes: list[Node], values: list[Denoted]) -> list[Term]:
        """Terms of one common sort: open literals follow the others."""
        settled = [v for v in values if not (isinstance(v, Literal) and v.sort is None)]
        if settled:
            first = settled[0]
            i = values.index(first)
            sort = self.term(nodes[i], first).sort
        else:
            real = any(isinstance(v, Literal) and isinstance(v.magnitude, Fraction) for v in values)
            sort = REAL if real else INT
        return [self.coerce(n, v, sort, "operand") for n, v in zip(nodes, values, strict=True)]

    def variable(
        self, name: str, type_: Type, dims: tuple[Sort, ...] = (), indices: tuple[Term, ...] = ()
    ) -> Denoted:
        """The variable `name` of `type_`, inside arrays of `dims`, at `indices`."""
        if isinstance(type_, RecordType):
            return Record(name, type_, dims, indices)
        if isinstance(type_, RecordArray):
            return Record(name, type_.element, (*dims, type_.index), indices)
        return self._select(name, type_, dims, indices)

    def _select(
        self, name: str, sort: Sort, dims: tuple[Sort, ...], indices: tuple[Term, ...]
    ) -> Term:
        for d in reversed(dims):
            sort = array(d, sort)
        term = self.store.var(name, sort)
        for i in indices:
            term = self.store.select(term, i)
        return term

    def field(self, node: Node, value: Denoted, name: str) -> Denoted:
        """``value.name``."""
        if not isinstance(value, Record):
            raise self.error(node, f"a {type_text(self.term(node, value).sort)} has no fields")
        for f, t in value.type.fields:
            if f == name:
                return self.variable(f"{value.name}.{f}", t, value.dims, value.indices)
        raise self.error(node, f"record {value.type.name} has no field {name}")

    def element(self, node: Node, value: Denoted, index_node: Node, index: Denoted) -> Denoted:
        """``value[index]``."""
        if isinstance(value, Record):
            if len(value.indices) == len(value.dims):
                raise self.error(node, f"record {value.type.name} is no array")
            i = self.coerce(index_node, index, value.dims[len(value.indices)], "index")
            return replace(value, indices=(*value.indices, i))
        array_term = self.array_term(node, value)
        return self.store.select(
            array_term, self.coerce(index_node, index, array_term.sort.index, "index")
        )

    def array_term(self, node: Node, value: Denoted) -> Term:
        """`value` as a term of some array sort."""
        term = self.term(node, value)
        if term.sort.kind is not Kind.ARRAY:
            raise self.error(node, f"a {type_text(term.sort)} is no array")
        return term

    def scalars(self, value: Record) -> list[Term]:
        """The terms that stand for a whole record."""
        return [
            self._select(n, s, value.dims, value.indices)
            for n, s in flatten(value.name, value.type)
        ]
