"""Syntax-tree nodes: one Python object per libclang cursor that the front end looks at, its facts
fetched at most once.

A node knows its kind, children, type and the declaration it refers to.  `Tree` creates nodes and
owns the type table.
"""

from __future__ import annotations

import ctypes
import itertools
from fractions import Fraction
from typing import Any

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.libclang import CXCursor, CXToken, Visitor
from obligato.frontends.c.source import Unit
from obligato.frontends.c.type_table import TypeTable
from obligato.frontends.c.types import ArrayType, CType, FunctionType, PointerType, VoidType

MAX_NODES = 1_500_000  # some 1.5 GB of memory


class Node:
    """One node. Created by a `Tree` only."""

    __slots__ = (
        "tree",
        "cursor",
        "kind",
        "_children",
        "_type",
        "_reference",
        "_operator",
        "effects",
        "points_to",
        "learns",
        "_operands",
        "only_sign",
    )

    def __init__(self, tree: Tree, cursor: CXCursor) -> None:
        self.tree = tree
        self.cursor = cursor
        self.kind: int = cursor.kind
        self._children: list[Node] | None = None
        self._type: CType | None = None
        self._reference: Declaration | None = None
        self._operator: int | None = None
        self.effects: bool | None = None  # a memo of purity.has_effects
        self.points_to: int | None = -1  # a memo of Usage.value; -1 is not known yet
        self.learns: bool | None = (
            None  # does the value depend on where objects lie? None if nobody asked (layout.py)
        )
        self._operands: list[Node] | None = None
        self.only_sign = False  # of the value, nothing else counts: it is compared with zero
        if self.kind == k.GENERIC:
            self._select()

    def _select(self) -> None:
        """A generic selection is what it selects, in parentheses: libclang does not say which, but
        its type tells, or its value where that is constant and none of the expressions does
        anything.
        """
        fitting = [c for c in self.operands[1:] if c.type is self.type]
        value = self.evaluate() if len(fitting) > 1 and not any(map(acting, fitting)) else None
        if value is not None:
            fitting = [c for c in fitting if c.evaluate() == value][:1]
        if fitting and all(
            self.tree.tokens(c) == self.tree.tokens(fitting[0]) for c in fitting[1:]
        ):
            self.kind, self._operands, self._children = k.PAREN, fitting[:1], fitting[:1]

    @property
    def kind_name(self) -> str:
        """What libclang calls nodes of this kind, for messages."""
        lib = self.tree.lib
        return lib.text(lib.getCursorKindSpelling(self.kind))

    @property
    def children(self) -> list[Node]:
        """All children in the order libclang visits them."""
        if self._children is None:
            self._children = [Node(self.tree, c) for c in self.tree.visit(self.cursor)]
        return self._children

    @property
    def operands(self) -> list[Node]:
        """The children that are expressions or statements; of a cast only what is cast, not
        expressions in the type.

        libclang exposes neither conversions nor ``__builtin_types_compatible_p(__typeof__(x),
        int)``, whose x is not evaluated: a conversion covers the same text as its operand, a text
        by name (``__func__``) and a designator aside.
        """
        if self._operands is None:
            found = [c for c in self.children if c.kind >= 100]
            if self.kind == k.UNEXPOSED_EXPR and len(found) == 1 and not self._converts(found[0]):
                found = []
            self._operands = found[-1:] if self.kind == k.CAST else found
        return self._operands

    def _converts(self, operand: Node) -> bool:
        if operand.kind == k.STRING or self.tree.same_extent(self, operand):
            return True
        return isinstance(self.tree.types.of(self.tree.lib.getCursorType(self.cursor)), VoidType)

    @property
    def type(self) -> CType:
        """The (canonical, unqualified) type of an expression or declaration."""
        if self._type is None:
            t = self.tree.types.of(self.tree.lib.getCursorType(self.cursor))
            self._type = self.tree.types.decayed(t) if self._is_adjusted(t) else t
        return self._type

    def _is_adjusted(self, t: CType) -> bool:
        """libclang shows the type of a parameter declared as array, and of what is computed from
        it, as array; likewise the type of a parameter declared as function.
        """
        if not isinstance(t, ArrayType | FunctionType):
            return False
        if self.kind == k.DECL_REF:
            return self.reference.kind == k.PARM_DECL
        if self.kind in (k.PAREN, k.UNEXPOSED_EXPR):
            return len(self.operands) == 1 and isinstance(self.operands[0].type, PointerType)
        if self.kind == k.UNARY:
            return self.operator != k.U_DEREF
        return self.kind in (k.BINARY, k.COMPOUND_ASSIGN, k.CONDITIONAL, k.CALL, k.CAST)

    @property
    def operator(self) -> int:
        """The operator of a unary or binary expression (kinds.U_*, kinds.B_*)."""
        if self._operator is None:
            lib = self.tree.lib
            read = (
                lib.getCursorUnaryOperatorKind
                if self.kind == k.UNARY
                else lib.getCursorBinaryOperatorKind
            )
            self._operator = read(self.cursor)
        return self._operator

    @property
    def reference(self) -> Declaration:
        """The declaration that a name, member or label refers to."""
        if self._reference is None:
            self._reference = self.tree.reference(self.cursor)
        return self._reference

    def redirect(self, d: Declaration) -> None:
        """Let a name refer to another declaration, for all nodes of the tree that show it."""
        self.tree.redirected[self.cursor.data[1] or 0] = self._reference = d

    @property
    def spelling(self) -> str:
        """The name, or the text of a string literal."""
        return self.tree.lib.text(self.tree.lib.getCursorSpelling(self.cursor))

    @property
    def span(self) -> Span:
        """Where it is in the source."""
        return self.tree.unit.span(self.tree.lib.getCursorLocation(self.cursor))

    @property
    def is_constant(self) -> bool:
        """Is the type of a variable, or of the elements of an array, const and not volatile?"""
        lib = self.tree.lib
        types = [lib.getCanonicalType(lib.getCursorType(self.cursor))]
        while types[-1].kind in (k.T_ARRAY, k.T_INCOMPLETE_ARRAY):
            types.append(lib.getCanonicalType(lib.getArrayElementType(types[-1])))
        return any(map(lib.isConstQualifiedType, types)) and not any(
            map(lib.isVolatileQualifiedType, types)
        )

    def evaluate(self) -> int | float | None:
        """The compile-time value as the compiler computes it, if it is a number (not for 128-bit
        ones).
        """
        lib = self.tree.lib
        result = lib.Cursor_Evaluate(self.cursor)
        if not result:
            return None
        kind = lib.EvalResult_getKind(result)
        value: int | float | None = None
        if kind == 1:
            unsigned = lib.EvalResult_isUnsignedInt(result)
            value = (
                lib.EvalResult_getAsUnsigned(result)
                if unsigned
                else lib.EvalResult_getAsLongLong(result)
            )
        elif kind == 2:
            value = lib.EvalResult_getAsDouble(result)
        lib.EvalResult_dispose(result)
        return value


class Declaration:
    """A declaration that names refer to; unique per entity (redeclarations share it), hence usable
    as a key.
    """

    __slots__ = ("node", "name", "kind", "is_global", "storage")

    def __init__(self, node: Node, is_global: bool, storage: int, name: str = "") -> None:
        self.node = node
        self.name = name or node.spelling
        self.kind = node.kind
        self.is_global = is_global
        self.storage = storage

    @property
    def type(self) -> CType:
        """The declared type; a parameter of array type is a pointer."""
        t = self.node.type
        return self.node.tree.types.decayed(t) if self.kind == k.PARM_DECL else t


def acting(root: Node) -> Node | None:
    """A part of an expression that may change something when it is evaluated, if there is one."""
    stack = [root]
    while stack:
        n = stack.pop()
        if (
            n.kind in (k.CALL, k.STMT_EXPR, k.COMPOUND_ASSIGN)
            or (n.kind == k.BINARY and n.operator == k.B_ASSIGN)
            or (n.kind == k.UNARY and n.operator in k.STEPS)
        ):
            return n
        stack.extend(n.operands)
    return None


class Tree:
    """The nodes of one translation unit."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.lib = unit.lib
        self.types = TypeTable(
            unit.lib, unit.pointer_size, lambda c: unit.span(unit.lib.getCursorLocation(c))
        )
        self._declarations: dict[int, Declaration] = {}
        self._globals: dict[tuple[int, str], Declaration] = {}
        self.number = 0  # of a copy
        self.redirected: dict[
            int, Declaration
        ] = {}  # what some names refer to (function_copies.py)
        self.size = 0
        self._has_volatile = b"volatile" in unit.source.text
        self._initialisers: dict[int, Node | None] = {}
        self._found: list[CXCursor] = []
        found = self._found

        def collect(cursor: CXCursor, parent: CXCursor, data: Any) -> int:
            found.append(cursor)
            return 1  # continue with the next sibling

        self._visitor = Visitor(collect)
        self.root = Node(self, self.lib.getTranslationUnitCursor(unit.tu))

    def visit(self, cursor: CXCursor) -> list[CXCursor]:
        """The children of a cursor."""
        self._found.clear()
        if self.size > MAX_NODES:
            raise Unsupported(
                f"more than {MAX_NODES} syntax nodes", Span(self.unit.source.file), "huge file"
            )
        self.lib.visitChildren(cursor, self._visitor, None)
        self.size += len(self._found)
        return self._found.copy()

    def declaration(self, cursor: CXCursor) -> Declaration:
        """The entity that a declaration cursor declares."""
        key = cursor.data[0] or 0
        known = self._declarations.get(key)
        if known is None:
            known = self._declarations[key] = self._new_declaration(cursor)
        return known

    def reference(self, cursor: CXCursor) -> Declaration:
        """The declaration that a name, member or label refers to."""
        known = self.redirected.get(cursor.data[1] or 0)
        return known or self.declaration(self.lib.getCursorReferenced(cursor))

    def _new_declaration(self, cursor: CXCursor) -> Declaration:
        lib = self.lib
        node = Node(self, cursor)
        storage = (
            lib.Cursor_getStorageClass(cursor) if node.kind in (k.VAR_DECL, k.FUNCTION_DECL) else 0
        )
        if node.kind == k.FUNCTION_DECL:
            is_global = True
        else:
            parent = lib.getCursorSemanticParent(cursor).kind
            is_global = node.kind == k.VAR_DECL and (
                parent == k.TRANSLATION_UNIT or storage == k.SC_EXTERN
            )
        if not is_global:
            return Declaration(node, False, storage)
        name = (node.kind, node.spelling)
        return self._globals.setdefault(name, Declaration(node, True, storage))

    def initialiser(self, declaration: Node) -> Node | None:
        """The initialiser of a variable declaration."""
        key = declaration.cursor.data[0] or 0
        if key not in self._initialisers:
            cursor = self.lib.Cursor_getVarDeclInitializer(declaration.cursor)
            self._initialisers[key] = Node(self, cursor) if cursor.kind >= 100 else None
        return self._initialisers[key]

    def is_defined(self, callee: Node) -> bool:
        """Has the function that a call names a body in this file?"""
        while len(callee.operands) == 1:
            callee = callee.operands[0]
        return bool(
            self.lib.getCursorDefinition(self.lib.getCursorReferenced(callee.cursor)).kind
            == k.FUNCTION_DECL
        )

    def header_separators(self, statement: Node, body: Node) -> list[int]:
        """Offsets of the two semicolons of a ``for`` header."""
        lib, tu = self.lib, self.unit.tu
        start = lib.getRangeStart(lib.getCursorExtent(statement.cursor))
        end = lib.getRangeStart(lib.getCursorExtent(body.cursor))
        tokens, count = ctypes.POINTER(CXToken)(), ctypes.c_uint()
        lib.tokenize(tu, lib.getRange(start, end), ctypes.byref(tokens), ctypes.byref(count))
        depth, found = 0, []
        for i in range(count.value):
            text = lib.text(lib.getTokenSpelling(tu, tokens[i]))
            depth += text in ("(", "[", "{")
            depth -= text in (")", "]", "}")
            if text == ";" and depth == 1:
                found.append(lib.offset(lib.getTokenLocation(tu, tokens[i])))
        lib.disposeTokens(tu, tokens, count)
        return found[:2]

    def exact_literal(self, n: Node) -> Fraction:
        """The value of a floating literal as written."""
        text = next(iter(self.tokens(n)), "").lower().rstrip("lfqw")
        if not text.startswith("0x"):
            return Fraction(text)
        digits, _, exponent = text[2:].partition("p")
        whole, _, part = digits.partition(".")
        return Fraction(int(whole + part, 16)) * Fraction(2) ** (int(exponent or 0) - 4 * len(part))

    def tokens(self, n: Node) -> list[str]:
        """The text of a node, token by token."""
        lib, tu = self.lib, self.unit.tu
        tokens, count = ctypes.POINTER(CXToken)(), ctypes.c_uint()
        lib.tokenize(tu, lib.getCursorExtent(n.cursor), ctypes.byref(tokens), ctypes.byref(count))
        texts = [lib.text(lib.getTokenSpelling(tu, tokens[i])) for i in range(count.value)]
        lib.disposeTokens(tu, tokens, count)
        return texts

    def is_volatile(self, n: Node) -> bool:
        """Is it an lvalue of volatile type?"""
        return self._has_volatile and bool(
            self.lib.isVolatileQualifiedType(self.lib.getCursorType(n.cursor))
        )

    def is_empty_asm(self, n: Node) -> bool:
        """Has an assembler statement no instruction and nothing that it only writes?"""
        words = self.tokens(n)
        template = itertools.takewhile(lambda t: t not in (":", "::"), words)
        instructions = [t for t in template if '"' in t and t != '""']
        return '""' in words and not instructions and not any(t.startswith('"=') for t in words)

    def same_extent(self, a: Node, b: Node) -> bool:
        """Do two nodes cover the same text (as an implicit conversion and its operand do)?"""
        x, y = self.lib.getCursorExtent(a.cursor), self.lib.getCursorExtent(b.cursor)
        return bool(x.begin == y.begin and x.end == y.end)

    def offset(self, node: Node) -> int:
        """Where a node starts in the text."""
        offset: int = self.lib.offset(self.lib.getRangeStart(self.lib.getCursorExtent(node.cursor)))
        return offset

    def end(self, node: Node) -> int:
        """Where a node ends in the text: behind its last token; the semicolon of an expression
        statement is not part of it.
        """
        offset: int = self.lib.offset(self.lib.getRangeEnd(self.lib.getCursorExtent(node.cursor)))
        return offset
