"""Constructs that are refused where the first pass sees them: compilers differ about them, or they
are not followed.
"""

from __future__ import annotations

import re

from obligato.errors import Unsupported
from obligato.frontends.c import catalogue, standard
from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Declaration, Node, Tree, acting
from obligato.frontends.c.patterns import direct_callee, inside_conversions
from obligato.frontends.c.sizes import spelled_type
from obligato.frontends.c.types import ArrayType, FunctionType

_ANY_TYPE = (
    k.B_ASSIGN,
    k.B_COMMA,
    k.B_LAND,
    k.B_LOR,
)  # operators that do not compute in the type of their operands
# Texts, which are passed over, and long decimal numbers that are not said to be unsigned.
_LONG_NUMBER = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|(?<![\w.])([1-9][0-9]{18,})[lL]*(?![\w.])'
)
_MOST = (1 << 63) - 1  # of the widest signed type that C knows


def refuse_large_numbers(tree: Tree) -> None:
    """Decimal numbers that fit no signed type: clang has them unsigned, gcc has 128 bits for them,
    or has them negative.
    """
    numbers = (m[1] for m in _LONG_NUMBER.finditer(tree.unit.source.text))
    if not any(number is not None and int(number) > _MOST for number in numbers):
        return
    stack = [tree.root]
    while stack:
        n = stack.pop()
        stack += n.children
        words = tree.tokens(n)[:1] if n.kind == k.INTEGER else []
        if any(int(m[1]) > _MOST for w in words if (m := _LONG_NUMBER.match(w.encode()))):
            raise Unsupported(
                "a number that fits no signed type: compilers differ", n.span, "large number"
            )


def refuse_wide_fields(n: Node) -> None:
    """An operator, or a switch, on a bit-field wider than int: gcc has a type with the bits of the
    field, clang has not.
    """
    if n.kind in (k.BINARY, k.COMPOUND_ASSIGN) and n.operator in _ANY_TYPE:
        return
    operands = (
        n.operands[1:]
        if n.kind == k.CONDITIONAL
        else n.operands[:1]
        if n.kind == k.SWITCH
        else n.operands
    )
    if any(_is_wide_field(c) for c in operands):
        raise Unsupported(
            "arithmetic on a bit-field wider than int",
            n.span,
            "arithmetic on a bit-field wider than int",
        )


def refuse_sizes(n: Node) -> None:
    """A ``sizeof`` about which compilers differ, or whose operand, of a type of variable length, is
    evaluated and has effects.
    """
    refuse_field_sizes(n)
    refuse_alignments(n)
    if n.evaluate() is None and spelled_type(n) is None:
        refuse_acting_sizes(n.operands)


def refuse_field_sizes(n: Node) -> None:
    """The size of the value of a bit-field (``sizeof(s.a = 1)``): gcc counts the bytes of its bits,
    clang those of its type.
    """
    if n.operands and _field_bits(n.operands[0]) is not None:
        raise Unsupported(
            "the size of the value of a bit-field: compilers differ",
            n.span,
            "size of a bit-field's value",
        )


def refuse_alignments(n: Node) -> None:
    """The alignment of a function (gcc: 1, clang: 4), or of a type with an attribute among its
    words, which clang passes over.
    """
    words = n.tree.tokens(n)
    if "alignof" in "".join(words[:1]).lower() and (
        "__attribute__" in words or any(isinstance(c.type, FunctionType) for c in n.operands)
    ):
        raise Unsupported(
            "an alignment about which compilers differ", n.span, "alignment of a function"
        )


def refuse_selections(tree: Tree) -> None:
    """Generic selections by a type that compilers differ about: a bit-field's (gcc: of its bits), a
    wide character's.
    """
    stack = [tree.root.cursor] if b"_Generic" in tree.unit.source.text else []
    while stack:
        cursor = stack.pop()
        inside = tree.visit(cursor)
        stack += inside
        if cursor.kind == k.GENERIC:
            by = next(Node(tree, c) for c in inside if c.kind in k.EXPRESSIONS)
            if _field_bits(by) is not None or _is_wide_character(by):
                told = (
                    "a generic selection by the type of a bit-field or a wide character: compilers"
                    " differ"
                )
                raise Unsupported(told, by.span, "generic selection")


def refuse_aligned_fields(tree: Tree) -> None:
    """Aligned bit-fields, which the table of types refuses, of records that only ``sizeof`` sees,
    which is a constant.
    """
    aligned = b"aligned" in tree.unit.source.text or b"_Alignas" in tree.unit.source.text
    stack = list(tree.root.children) if aligned else []
    while stack:
        n = stack.pop()
        if n.kind in (k.STRUCT_DECL, k.UNION_DECL):
            stack += n.children if n.type.size >= 0 else []


def _is_wide_character(by: Node) -> bool:
    """Is the type of an expression that of a wide character, or derived from one? For ILP32 gcc has
    a long, clang an int.
    """
    tree, stack = by.tree, [by]
    while stack:
        n = stack.pop()
        if "wchar_t" in tree.lib.text(tree.lib.getTypeSpelling(tree.lib.getCursorType(n.cursor))):
            return True
        stack.extend(n.operands)
    return any(t.startswith(("L'", 'L"')) for t in tree.tokens(by))


def _is_wide_field(n: Node) -> bool:
    """Has gcc the value of an expression as one of a bit-field wider than int?"""
    bits = _field_bits(n)
    return bits is not None and bool(n.tree.types.int.width < bits < 8 * n.type.size)


def _field_bits(n: Node) -> int | None:
    """The width of the bit-field as whose value gcc has an expression; None if it is not the value
    of one.
    """
    while True:
        if n.kind == k.MEMBER:
            bits: int = n.tree.lib.getFieldDeclBitWidth(n.reference.node.cursor)
            return bits if bits > 0 else None
        below = n.operands
        if n.kind in (k.PAREN, k.UNEXPOSED_EXPR) and len(below) == 1 and below[0].type is n.type:
            n = below[0]
        elif n.kind == k.BINARY and n.operator == k.B_COMMA:
            n = below[1]
        elif (
            n.kind == k.COMPOUND_ASSIGN
            or (n.kind == k.BINARY and n.operator == k.B_ASSIGN)
            or (
                n.kind == k.UNARY
                and (n.operator in k.STEPS or n.operator in (k.U_PLUS, k.U_EXTENSION))
            )
        ):
            n = below[0]
        elif (
            n.kind in (k.STMT_EXPR, k.COMPOUND)
            and below
            and (n.kind == k.STMT_EXPR or below[-1].kind in k.EXPRESSIONS)
        ):
            n = below[-1]
        else:
            return None


def refuse_by_name(name: str, n: Node) -> None:
    """A call of a function that does what is not modelled: threads, jumps out of functions,
    signals.
    """
    if name.startswith(catalogue.THREADS):
        raise Unsupported(f"threads are not supported ({name})", n.span, "threads")
    if name in catalogue.KEYWORDS:
        raise Unsupported(
            f"{name} is a keyword of C23, but no function is declared",
            n.span,
            f"{name} as a function",
        )
    if name in standard.REFUSED or name.startswith(standard.ATOMICS):
        raise Unsupported(f"{name} is not supported", n.span, name)


def refuse_symbol(name: str, n: Node) -> None:
    """A variable that only the linker knows: where a section begins or ends."""
    if name.startswith(("__start_", "__stop_")):
        raise Unsupported(f"{name}, a symbol of the linker", n.span, "symbol of the linker")


def refuse_undeclared(name: str, n: Node) -> None:
    """A call of a library function that is `int f()` for lack of a declaration, but has another
    type for compilers.
    """
    t = inside_conversions(n.operands[0]).reference.type
    if (
        name in standard.TYPED
        and isinstance(t, FunctionType)
        and not t.prototype
        and t.result is n.tree.types.int
    ):
        raise Unsupported(
            f"{name} is not declared, and compilers know its type",
            n.span,
            "undeclared library function",
        )


def refuse_acting_sizes(sizes: list[Node]) -> None:
    """Sizes of variable arrays inside other types are not evaluated: they must have no effect."""
    for n in sizes:
        found = acting(n) if n.kind in k.EXPRESSIONS else None
        if found is not None:
            raise Unsupported(
                "side effect in the size of an array type", found.span, "side effect in a type"
            )


def reads(start: Node, variable: Declaration) -> bool:
    """Is the value of a variable, or of a part of it, used in its own initialiser? Its address and
    size may be.
    """
    stack = [start]
    while stack:
        n = stack.pop()
        if n.kind == k.DECL_REF and n.reference is variable:
            return True
        if n.kind == k.SIZEOF or (n.kind == k.UNARY and n.operator == k.U_ADDR) or _is_address(n):
            continue
        if n.kind == k.CALL and direct_callee(n.operands[0]) is not None:
            stack.extend(n.operands[1:])
            continue
        inner = (
            [c.operands[0] if _is_address(c) else c for c in n.operands]
            if n.kind == k.SUBSCRIPT
            else n.operands
        )
        stack.extend(inner)
    return False


def _is_address(n: Node) -> bool:
    """Is it an array that decays to the address of its first element?"""
    return (
        n.kind == k.UNEXPOSED_EXPR
        and len(n.operands) == 1
        and isinstance(n.operands[0].type, ArrayType)
    )
