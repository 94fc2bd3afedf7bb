"""IVL expressions: from parse tree to terms of the raw store.

`fold` walks a tree bottom-up without recursion and calls the method of `ExpressionReader` named
like the node; the order is left to right, so the first error in the text is the one reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lark import Token, Tree

from obligato.frontends.ivl.values import MAX_WIDTH, CallValue, Denoted, Elaborator, Literal, Node
from obligato.program.literals import type_text
from obligato.program.names import unquote
from obligato.program.operators import (
    BINARY,
    BUILT_IN,
    EXTENSIONS,
    FUNCTIONS,
    LEVELS,
    NARY,
    ROUNDED,
    UNARY,
    Level,
    apply,
)
from obligato.program.syntax import RecordArray, RecordType, Type
from obligato.terms import BOOL, INT, REAL, RM, ArrayValue, Kind, Op, Sort, Term, TermStore, array
from obligato.terms.softfloat import RoundingMode
from obligato.terms.typing import SortError, infer_sort

Placed = tuple[Node, Denoted]
_PLAIN = {"bool": BOOL, "int": INT, "real": REAL, "rounding": RM}
MAX_ARRAY_NESTING = 50


def fold(tree: Node, visit: Callable[[Tree[Token], list[Any]], Any]) -> Any:
    """Bottom-up: `visit` gets a node and the results of its children (tokens and None stand for
    themselves).
    """
    open_: list[tuple[Tree[Token], list[Any]]] = []
    current: Any = tree
    while True:
        if isinstance(current, Tree):
            open_.append((current, []))
        elif not open_:
            return current
        else:
            open_[-1][1].append(current)
        node, done = open_[-1]
        while len(done) == len(node.children):
            open_.pop()
            result = visit(node, done)
            if not open_:
                return result
            node, done = open_[-1]
            done.append(result)
        current = node.children[len(done)]


@dataclass(slots=True)
class _Group:
    """Operands and signs of one level of precedence, the last operand still to come."""

    level: Level
    operands: list[Placed]
    signs: list[Token]

    def add(self, operand: Placed, sign: Token) -> None:
        self.operands.append(operand)
        self.signs.append(sign)


class ExpressionReader(Elaborator):
    """One method per kind of node: ``method(node, values of the children)``."""

    def __init__(self, store: TermStore, file: str, records: dict[str, RecordType]) -> None:
        super().__init__(store, file)
        self.records = records
        self.variables: dict[str, tuple[str, Type]] = {}  # as written -> full name and type

    def read(self, tree: Node) -> Any:
        """The value or type that a tree denotes."""
        return fold(tree, self.visit)

    def visit(self, node: Tree[Token], values: list[Any]) -> Any:
        """The method named like the node."""
        return getattr(self, f"_{node.data}")(node, values)

    def _name(self, node: Tree[Token], v: list[Any]) -> str:
        return unquote(v[0])

    # -- types -------------------------------------------------------------------------------------

    def _plain_type(self, node: Tree[Token], v: list[Any]) -> Type:
        return _PLAIN[v[0]]

    def _bv_type(self, node: Tree[Token], v: list[Any]) -> Type:
        return self.bv_sort(node, v[0][2:])

    def _float_type(self, node: Tree[Token], v: list[Any]) -> Type:
        return self.float_sort(node, v[0][5:])

    def _record_name(self, node: Tree[Token], v: list[Any]) -> Type:
        if v[0] not in self.records:
            raise self.error(node, f"unknown type {v[0]}")
        return self.records[v[0]]

    def _array_type(self, node: Tree[Token], v: list[Any]) -> Type:
        index, element = v
        nested = isinstance(index, Sort) and index.kind is Kind.ARRAY
        if nested or not isinstance(index, Sort) or isinstance(element, RecordArray):
            raise self.error(
                node,
                "an array has a scalar index, and arrays of arrays of records are not supported",
            )
        if str(element).count("Array") + str(index).count("Array") > MAX_ARRAY_NESTING:
            raise self.error(node, f"arrays nested more than {MAX_ARRAY_NESTING} deep")
        return (
            RecordArray(index, element)
            if isinstance(element, RecordType)
            else array(index, element)
        )

    def _index_number(self, node: Tree[Token], v: list[Any]) -> int:
        width = self._plain_int(node.children[0])
        self.bv_sort(node, str(width))
        return width

    def _index_type(self, node: Tree[Token], v: list[Any]) -> Type:
        return v[0]  # type: ignore[no-any-return]

    def _plain_int(self, token: Any) -> int:
        lit = self.number(token)
        if lit.sort is not None or not isinstance(lit.magnitude, int):
            raise self.error(token, "a plain number is expected here")
        if lit.magnitude > MAX_WIDTH:
            raise self.error(token, f"a number of bits is at most {MAX_WIDTH}")
        return lit.magnitude

    # -- atoms -------------------------------------------------------------------------------------

    def _number(self, node: Tree[Token], v: list[Any]) -> Denoted:
        return self.number(v[0])

    def _constant(self, node: Tree[Token], v: list[Any]) -> Denoted:
        if v[0] in ("true", "false"):
            return self.store.bool_(v[0] == "true")
        return self.store.const(RoundingMode[v[0]], RM)

    def _parenthesis(self, node: Tree[Token], v: list[Any]) -> Denoted:
        lit = v[0]
        if not isinstance(lit, Literal):
            return lit  # type: ignore[no-any-return]
        if lit.sort is not None:
            return self.literal_term(node, lit, lit.sort)
        return Literal(lit.magnitude, None, lit.negative, bare=False)

    def _variable(self, node: Tree[Token], v: list[Any]) -> Denoted:
        found = self.variables.get(v[0])
        if found is None:
            raise self.error(node, f"unknown variable {v[0]}")
        return self.variable(*found)

    def _float_special(self, node: Tree[Token], v: list[Any]) -> Denoted:
        if v[1] not in ("inf", "nan"):
            raise self.error(node, f"{v[0]} has .inf and .nan, not .{v[1]}")
        return Literal(v[1], self.float_sort(node, v[0][5:]))

    def _const_array(self, node: Tree[Token], v: list[Any]) -> Denoted:
        sort = self._array_sort(node, v[0])
        return self.store.const_array(sort, self.coerce(node.children[1], v[1], sort.element))

    def _array_sort(self, node: Tree[Token], type_: Type) -> Sort:
        if not isinstance(type_, Sort):
            raise self.error(node, "there are no literals for arrays of records")
        return type_

    def _array_value(self, node: Tree[Token], v: list[Any]) -> Denoted:
        sort = self._array_sort(node, v[0])
        default = self._value(node, v[1], sort.element)
        pairs = v[2] or []
        entries = {
            self._value(node, k, sort.index): self._value(node, e, sort.element) for k, e in pairs
        }
        return self.store.const(ArrayValue(default, entries), sort)

    def _value(self, node: Tree[Token], value: Denoted, sort: Sort) -> Any:
        term = self.coerce(node, value, sort)
        if not term.is_const:
            raise self.error(node, "an array literal has literal elements")
        return term.data

    def _entries(self, node: Tree[Token], v: list[Any]) -> list[Any]:
        return v

    def _map_entry(self, node: Tree[Token], v: list[Any]) -> tuple[Any, Any]:
        return v[0], v[1]

    def _exprs(self, node: Tree[Token], v: list[Any]) -> list[tuple[Node, Denoted]]:
        return list(zip(node.children, v, strict=True))

    # -- postfix -----------------------------------------------------------------------------------

    def _field_of(self, node: Tree[Token], v: list[Any]) -> Denoted:
        return self.field(node, v[0], v[1])

    def _element(self, node: Tree[Token], v: list[Any]) -> Denoted:
        return self.element(node, v[0], node.children[1], v[1])

    def _slice(self, node: Tree[Token], v: list[Any]) -> Denoted:
        term = self.term(node, v[0])
        hi, lo = self._plain_int(v[1]), self._plain_int(v[2])
        if term.sort.kind is not Kind.BITVEC or not 0 <= lo <= hi < term.sort.width:
            raise self.error(node, f"a {type_text(term.sort)} has no bits {hi}:{lo}")
        return self.store.extract(term, hi, lo)

    def _updated(self, node: Tree[Token], v: list[Any]) -> Denoted:
        a = self.array_term(node, v[0])
        index = self.coerce(node.children[1], v[1], a.sort.index, "index")
        return self.store.store(
            a, index, self.coerce(node.children[2], v[2], a.sort.element, "element")
        )

    # -- operators ---------------------------------------------------------------------------------

    def _ite(self, node: Tree[Token], v: list[Any]) -> Denoted:
        condition = self.boolean(node.children[0], v[0])
        return self.store.ite(condition, *self.unify(node.children[1:], v[1:]))

    def _prefix(self, node: Tree[Token], v: list[Any]) -> Denoted:
        sign, value = v
        if isinstance(value, Literal) and value.bare and sign == "-":
            return Literal(value.magnitude, value.sort, not value.negative)
        term = self.term(node.children[1], value)
        op = UNARY.get((str(sign), term.sort.kind))
        if op is None:
            raise self.error(node, f"{sign} cannot be applied to a {type_text(term.sort)}")
        return self.store.mk(op, (term,))

    def _chain(self, node: Tree[Token], v: list[Any]) -> Denoted:
        """``a + b * c < d``: groups of operators of one level, opened and closed by precedence."""
        groups: list[_Group] = []
        current: Placed = (node.children[0], v[0])
        for n, sign in enumerate(v[1::2]):
            level = LEVELS[sign]
            while groups and groups[-1].level > level:
                current = self._close(groups.pop(), current)
            if groups and groups[-1].level == level != Level.IMPLIES:  # ==> associates to the right
                if level is Level.COMPARE:
                    raise self.error(sign, "comparisons do not chain; use parentheses")
                groups[-1].add(current, sign)
            else:
                groups.append(_Group(level, [current], [sign]))
            current = (node.children[2 * n + 2], v[2 * n + 2])
        while groups:
            current = self._close(groups.pop(), current)
        return current[1]

    def _close(self, group: _Group, last: Placed) -> Placed:
        """``a + b - c``: left to right; a run of one n-ary operator is one application."""
        operands = [*group.operands, last]
        node = operands[0][0]
        if group.level is Level.CONCAT:
            terms = [self.term(*x) for x in operands]
        else:
            terms = self.unify([n for n, _ in operands], [x for _, x in operands])
        run, current = [terms[0]], None
        for sign, term in zip(group.signs, terms[1:], strict=True):
            op = self._operator(sign, terms[0].sort)
            if current is not None and not (op is current and op in NARY):
                run = [self._combine(node, current, run)]
            run.append(term)
            current = op
        assert current is not None
        result = self._combine(node, current, run)
        return node, self.store.not_(result) if group.signs[0] == "!=" else result

    def _operator(self, sign: Token, sort: Sort) -> Op:
        op = BINARY.get(("==" if sign == "!=" else str(sign), sort.kind))
        if op is None:
            hint = (
                f"; bit-vectors have no sign, write {sign}s or {sign}u"
                if (f"{sign}s", sort.kind) in BINARY
                else ""
            )
            hint = hint or ("; with a space it is two tokens" if sign[-1] in "su" else "")
            raise self.error(sign, f"{sign} cannot be applied to {type_text(sort)}{hint}")
        return op

    def _combine(self, node: Node, op: Op, args: list[Term]) -> Term:
        if op in ROUNDED:
            args = [self.store.const(RoundingMode.RNE, RM), *args]
        return self._apply_op(node, op, tuple(args))

    def _apply_op(self, node: Node, op: Op, args: tuple[Term, ...], data: Any = None) -> Term:
        try:
            infer_sort(op, args, data)
            return apply(op, args, data)
        except SortError as e:
            types = ", ".join(type_text(a.sort) for a in args)
            raise self.error(node, f"{op.name.lower()} cannot be applied to ({types})") from e

    # -- functions ---------------------------------------------------------------------------------

    def _apply(self, node: Tree[Token], v: list[Any]) -> Denoted:
        name, data, arguments = v[0], v[1], v[2] or []
        quoted = str(node.children[0].children[0]).startswith("`")  # type: ignore[union-attr]
        if quoted or name not in BUILT_IN:
            return CallValue(name, arguments, node)
        if name in EXTENSIONS:
            return self._extension(node, EXTENSIONS[name], arguments)
        if name == "rat":
            return self._rational(node, arguments)
        op = FUNCTIONS[name]
        if not arguments:
            raise self.error(node, f"{name} needs arguments")
        if (data is None) != (op not in _INDEXED):
            raise self.error(
                node, f"{name} needs {'an' if op in _INDEXED else 'no'} index in braces"
            )
        return self._apply_op(node, op, tuple(self._arguments(op, arguments)), data)

    def _arguments(self, op: Op, arguments: list[tuple[Node, Denoted]]) -> list[Term]:
        """Open literals follow the other arguments where an operator wants equal sorts."""
        nodes, values = [n for n, _ in arguments], [x for _, x in arguments]
        uniform = op in _UNIFORM and all(isinstance(x, Term | Literal) for x in values)
        if not uniform:
            return [self.term(n, x) for n, x in arguments]
        return self.unify(nodes, values)

    def _extension(self, node: Node, op: Op, arguments: list[tuple[Node, Denoted]]) -> Term:
        width = arguments[1][1] if len(arguments) == 2 else None
        if not (
            isinstance(width, Literal) and isinstance(width.magnitude, int) and width.sort is None
        ):
            raise self.error(node, "zext and sext take a bit-vector and the new width")
        if width.magnitude > MAX_WIDTH:
            raise self.error(node, f"a bit-vector has 1 to {MAX_WIDTH} bits")
        term = self.term(*arguments[0])
        extra = width.magnitude - (
            term.sort.width if term.sort.kind is Kind.BITVEC else width.magnitude + 1
        )
        if extra < 0 or width.negative:
            raise self.error(
                node, f"a {type_text(term.sort)} cannot be extended to {width.magnitude} bits"
            )
        self.bv_sort(node, str(width.magnitude))
        return self._apply_op(node, op, (term,), extra)

    def _rational(self, node: Node, arguments: list[tuple[Node, Denoted]]) -> Term:
        parts = [
            t.data
            for t in (self.coerce(n, x, INT) for n, x in arguments)
            if isinstance(t.data, int)
        ]
        if len(arguments) != 2 or len(parts) != 2 or parts[1] == 0:
            raise self.error(node, "rat takes two whole numbers, the second not 0")
        return self.store.const(Fraction(*parts), REAL)


_INDEXED = frozenset(
    (
        Op.FP_FROM_BITS,
        Op.FP_FROM_FP,
        Op.FP_FROM_SBV,
        Op.FP_FROM_UBV,
        Op.FP_FROM_REAL,
        Op.FP_TO_SBV,
        Op.FP_TO_UBV,
    )
)
_UNIFORM = frozenset(BINARY.values()) - ROUNDED - {Op.CONCAT} | {Op.DISTINCT, Op.XOR, Op.BVSMOD}
