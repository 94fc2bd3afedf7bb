"""Which functions a call through a pointer may mean, by their types."""

from __future__ import annotations

from collections.abc import Sequence

from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Function
from obligato.frontends.c.patterns import inside_implicit, is_null
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    RecordType,
)

INT, DOUBLE = 4, 8  # sizes to which smaller numbers are promoted


def fits(f: Function, called: CType, arguments: Sequence[CType], result: CType) -> bool:
    """Can a function be meant by a call with such a type, arguments and result? C leaves open what
    happens if the types differ; a call where they do not even have as many parameters, where one
    is a pointer and the other a number, or where records differ, is beyond the model.
    """
    given, parameters = len(arguments), [p.type for p in f.parameters]
    if len(parameters) > given or (len(parameters) < given and not f.type.variadic):
        return False
    pairs = list(zip(parameters, arguments, strict=False))
    if any(isinstance(t, RecordType) and t is not u for p in pairs for t, u in (p, p[::-1])):
        return False
    declared = isinstance(called, FunctionType) and called.prototype and f.type.prototype
    if declared and any(_is_pointer(p) is not _is_pointer(a) for p, a in pairs):
        return False
    returned = f.type.result
    return returned is result or not any(isinstance(t, RecordType) for t in (returned, result))


def finds(t: CType, passed: CType) -> bool:
    """Does a function find in a parameter of type `t` what the caller passes, or a caller in the
    result what the function returns? Numbers and pointers, and what is not of one size, are passed
    in different ways, and nothing is converted, not even to a truth value. Compilers expect numbers
    that are smaller than a register to be extended by their sign.
    """
    if _is_address(t) or _is_address(passed):
        return _is_address(t) and _is_address(passed)
    if isinstance(t, IntType) and isinstance(passed, IntType) and t.size < INT:
        return t.sort is passed.sort and (t.is_bool, t.signed) == (passed.is_bool, passed.signed)
    return t.sort is passed.sort


def finds_promoted(t: CType, argument: Node) -> bool:
    """Does a function without a prototype find such an argument? The parser converts it as if there
    were one.
    """
    source = inside_implicit(argument).type
    if isinstance(source, IntType) and isinstance(t, IntType) and source.size < INT:
        return t.size == INT
    if isinstance(source, FloatType) and isinstance(t, FloatType) and source.size < DOUBLE:
        return t.size == DOUBLE
    return isinstance(source, RecordType) or is_null(argument) or finds(t, source)


def called_type(callee: CType) -> CType:
    """The type of the function that is called by a pointer, or by its name."""
    return callee.to if isinstance(callee, PointerType) else callee


def _is_address(t: CType) -> bool:
    return isinstance(t, PointerType | FunctionType | ArrayType)


def _is_pointer(t: CType) -> bool:
    return isinstance(t, PointerType)
