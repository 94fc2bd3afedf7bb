"""Which functions a call through a pointer may mean, by their types."""

from __future__ import annotations

from collections.abc import Sequence

from obligato.frontends.c.objects import Function
from obligato.frontends.c.types import CType, FunctionType, PointerType, RecordType


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


def called_type(callee: CType) -> CType:
    """The type of the function that is called by a pointer, or by its name."""
    return callee.to if isinstance(callee, PointerType) else callee


def _is_pointer(t: CType) -> bool:
    return isinstance(t, PointerType)
