"""The first pass over all reachable code, with calls: what functions make of what their arguments
point to.
"""

from __future__ import annotations

from obligato.errors import Unsupported
from obligato.frontends.c import catalogue, standard
from obligato.frontends.c import kinds as k
from obligato.frontends.c.callees import called_type
from obligato.frontends.c.entities import IndirectCall, Value
from obligato.frontends.c.flow import Flow
from obligato.frontends.c.loads import ANYTHING
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.output import texts_read
from obligato.frontends.c.patterns import (
    bare_pointer_type,
    decayed_array,
    direct_callee,
    inside_conversions,
    inside_pointer,
    is_null,
    string_literal,
    strip_parentheses,
)
from obligato.frontends.c.refused_early import refuse_by_name, refuse_undeclared
from obligato.frontends.c.types import (
    CType,
    FunctionType,
    PointerType,
    RecordType,
    VoidType,
    element_type,
    ends_inside,
)

_NORETURN = "__attribute__((noreturn))"  # as the parser prints types


class Usage(Flow):
    """What a program uses, and what may point where."""

    def _call(self, n: Node) -> int | None:
        callee, *arguments = n.operands
        name = direct_callee(callee)
        if name is None:
            target = self.value(callee)
            values, result = self._arguments(arguments), self.result(n.type)
            called = called_type(callee.type)
            rest = self._variable(n, called, values)
            if target is not None and self._current is not None:
                self.indirect_calls.append(
                    IndirectCall(target, called, values, (result, n.type), self._current, rest)
                )
            return result
        if name in self.definitions and name not in self.errors:
            f = self.function(name)
            if self._current is not None:
                self._current.calls[name] = None
            values = self._arguments(arguments)
            self._connect(f, values)
            rest = self._variable(n, f.type, values)
            if rest is not None:
                self.points.unify(f.arguments, rest)
            return f.result_class
        refuse_undeclared(name, n)
        if catalogue.is_known(name):
            return self._known(n, name, arguments)
        return self._external(n, name, arguments)

    def _arguments(self, arguments: list[Node]) -> list[Value]:
        return [(self.value(a), a.type) for a in arguments]

    def _variable(self, n: Node, called: CType, values: list[Value]) -> int | None:
        """The class of the slots that a call fills with variable arguments."""
        rest = (
            values[len(called.parameters) :]
            if isinstance(called, FunctionType) and self.is_variadic(called)
            else []
        )
        if not rest:
            return None
        o = self.arguments(n, len(rest))
        for v, _ in rest:
            if v is not None:
                self.points.unify(self.points.pointee(o.location), v)
        return o.location

    def _known(self, n: Node, name: str, arguments: list[Node]) -> int | None:
        if name == catalogue.ARGUMENTS:
            assert self._current is not None
            return self._current.arguments
        if name in catalogue.NO_EFFECT or name in catalogue.ASSERT_FAILS:
            texts = texts_read(name, arguments) if self.prints_texts else None
            for a in arguments:
                if texts and a in texts:
                    self._stretch("strlen", [a], [self.value(a)])
                else:
                    self._harmless(a)
            return self.from_elsewhere() if isinstance(n.type, PointerType) else None
        values = [self.value(a) for a in arguments]
        if name in catalogue.ALLOCATIONS:
            o = self.site(n, "heap", self.tree.types.void)
            o.automatic = name.endswith("alloca")
            return o.location
        if name in catalogue.REALLOCATIONS and len(arguments) == 2:
            self.frees = self.reallocates = True
            o = self.site(n, "heap", self.tree.types.void)
            self.see_untyped(o.location, self.tree.types.void)
            if values[0] is not None:
                self.points.unify(values[0], o.location)
            return o.location
        if catalogue.OVERFLOWS.fullmatch(name) and len(arguments) == 3:
            self.written_as_numbers.append(self.target(arguments[2]))
        if name in catalogue.TRANSPARENT:
            return values[0]
        self.frees |= name in catalogue.FREES
        self.rounds |= name == "fesetround"
        if name in catalogue.MEMORY_FUNCTIONS:
            return self._stretch(name, arguments, values)
        return self.from_elsewhere() if isinstance(n.type, PointerType) else None

    def _harmless(self, a: Node) -> None:
        """An argument of a function without effect: strings and addresses do not escape into it."""
        inner = strip_parentheses(a)
        while inner.kind in (k.UNEXPOSED_EXPR, k.CAST, k.PAREN) and len(inner.operands) == 1:
            inner = inner.operands[0]
        if inner.kind not in (k.STRING, k.DECL_REF):
            self.value(a)

    def _stretch(self, name: str, arguments: list[Node], values: list[int | None]) -> int | None:
        """memcpy and friends work element by element, memcmp on bytes; a copy joins what the
        contents point to.
        """
        size = arguments[-1].evaluate() if "mem" in name or name == "bzero" else None
        for a, v in zip(arguments, values, strict=True):
            t = bare_pointer_type(a)
            if v is not None and (t is None or isinstance(t.to, VoidType)):
                self.see_untyped(v, self.tree.types.void)
            if v is not None and t is not None and not isinstance(t.to, VoidType):
                if not (isinstance(size, int) and _fits(a, t.to, size)) and not _stays(
                    name, a, arguments
                ):
                    self.stride(v, t)
                if _fits(a, t.to, size):
                    self.stretches.append((v, element_type(t.to)))
                else:
                    self.see(v, t.to)
                if t.to.size > 0 and _may_cut(arguments, size, t.to):
                    self.see(v, self.tree.types.char)
            if v is not None and name.endswith("memcmp"):
                self.see(v, self.tree.types.char)
        if "cpy" in name or "move" in name or "cat" in name:
            d, s = values[0], values[1]
            if d is not None and s is not None:
                self.points.unify(self.points.pointee(d), self.points.pointee(s))
                self.copies.append((d, s, _common_element(arguments, size)))
                if self.copies[-1][2] is None:
                    self.points.collapse(self.points.pointee(d))
        elif "set" not in name:
            self.read_as_numbers += [v for v in values if v is not None]
        if "str" in name:  # which looks for the end of a text
            for v in values:
                if v is not None:
                    self.loads.setdefault(v, {})[ANYTHING] = None
        if name.startswith("str") or (name.endswith("memset") and not is_null(arguments[1])):
            self.written_as_numbers += [v for v in values[:1] if v is not None]
        return values[0] if values else None

    def _external(self, n: Node, name: str, arguments: list[Node]) -> int | None:
        refuse_by_name(name, n)
        self.refuse_alias(self.declarations(n.operands[0]))
        self.called_externals.setdefault(name, n)
        for a in arguments:
            v = self.value(a)
            if v is not None and (not self.pure_externals or name in standard.DETERMINED):
                self.points.unify(v, self.unknown)
        return self.from_elsewhere() if isinstance(n.type, PointerType | RecordType) else None

    def never_returns(self, callee: Node) -> bool:
        """Is a function declared not to return?"""
        return any(map(self._is_noreturn, self.declarations(callee)))

    def declarations(self, callee: Node) -> list[Node]:
        """The declarations of a function that is called by its name."""
        while callee.kind in (k.UNEXPOSED_EXPR, k.PAREN):
            callee = callee.operands[0]
        return [callee.reference.node, *self._declared(callee.reference.name)]

    def is_last(self, name: str) -> bool:
        """May a function that a pointer leads to be declared not to return? Declarations inside of
        functions are not looked up.
        """
        found = self._declared(name)
        return not found or any(map(self._is_noreturn, found))

    def _declared(self, name: str) -> list[Node]:
        """The declarations of a function outside of others."""
        nodes = self.tree.root.children
        return [n for n in nodes if n.kind == k.FUNCTION_DECL and n.spelling == name]

    def _is_noreturn(self, declared: Node) -> bool:
        """Has the declared function the attribute, as a part of its type or beside it?"""
        t = declared.type
        if _NORETURN in t.name and isinstance(t, FunctionType) and _gives_function(t.result):
            raise Unsupported(
                "attribute noreturn of a function that returns one",
                declared.span,
                "attribute noreturn",
            )
        beside = [
            w for c in declared.children if c.kind == k.UNEXPOSED_ATTR for w in self.tree.tokens(c)
        ]
        return t.name.endswith(_NORETURN) or any(
            w in ("_Noreturn", "noreturn", "__noreturn__") for w in beside
        )


def _fits(pointer: Node, t: CType, size: object) -> bool:
    """Is a stretch of `size` bytes made of what a pointer to `t` points to, or is its size not
    known here?
    """
    if isinstance(t, FunctionType) or t.size < 0:
        return False
    array = decayed_array(inside_pointer(pointer))
    return not isinstance(size, int) or 0 <= size <= max(
        t.size, array.type.size if array is not None else 0
    )


def _stays(name: str, pointer: Node, arguments: list[Node]) -> bool:
    """Does such a function, called with a declared array, touch no more than this array?"""
    array = decayed_array(inside_pointer(pointer))
    if array is None or name in ("strcat", "strncat"):
        return False
    last = arguments[-1].evaluate() if len(arguments) == 3 or name.endswith("bzero") else None
    # with quotes, and its end
    texts = [len(text) - 1 for text in map(string_literal, arguments) if text is not None]
    return any(isinstance(size, int) and 0 <= size <= array.type.size for size in (last, *texts))


def _may_cut(arguments: list[Node], known: object, t: CType) -> bool:
    """May a stretch end inside a scalar?  Not if its size, the last argument, is a product with the
    size of elements.
    """
    if isinstance(known, int):
        return ends_inside(t, known % t.size)
    size = inside_conversions(arguments[-1])
    if t.size == 1 or len(arguments) < 3:
        return False
    factors = size.operands if size.kind == k.BINARY and size.operator == k.B_MUL else []
    return not any(isinstance(v, int) and v % t.size == 0 for v in (f.evaluate() for f in factors))


def _common_element(arguments: list[Node], size: object) -> CType | None:
    """The type of the elements that are copied, if the pointers agree about it and point to enough
    of them.
    """
    a, b = (bare_pointer_type(x) for x in arguments[:2])
    if (
        a is None
        or b is None
        or isinstance(a.to, VoidType)
        or element_type(a.to) is not element_type(b.to)
    ):
        return None
    inside = _fits(arguments[0], a.to, size) and _fits(arguments[1], b.to, size)
    return element_type(a.to) if inside else None


def _gives_function(t: CType) -> bool:
    while isinstance(t, PointerType):
        t = t.to
    return isinstance(t, FunctionType)


Usage._VALUES = {
    k.DECL_REF: Usage._reference,
    k.MEMBER: Usage._load,
    k.SUBSCRIPT: Usage._load,
    k.PAREN: Usage._paren,
    k.STRING: Usage._string,
    k.CAST: Usage._cast,
    k.UNEXPOSED_EXPR: Usage._cast,
    k.UNARY: Usage._unary,
    k.BINARY: Usage._binary,
    k.COMPOUND_ASSIGN: Usage._binary,
    k.CONDITIONAL: Usage._conditional,
    k.STMT_EXPR: Usage._statement_expression,
    k.CALL: Usage._call,
    k.COMPOUND_LITERAL: Usage._load,
    k.SIZEOF: Usage._sizeof,
}
