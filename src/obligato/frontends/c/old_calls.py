"""Calls of functions without a prototype, in a program of several files.

Where a file only says ``int f();``, or nothing, its calls pass what they have, promoted. Put behind
the text of a file that knows the prototype, such a call would convert its arguments, and know
another result: it must be one that finds the function anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from obligato.errors import Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.callees import called_type, finds
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import direct_callee, is_null
from obligato.frontends.c.types import CType, FunctionType, IntType, RecordType


@dataclass(frozen=True, slots=True)
class OldCall:
    """A call of `name`: what it passes, None for a zero, and the result that it expects."""

    name: str
    passed: tuple[CType | None, ...]
    result: CType
    span: Span


def old_calls(nodes: Iterable[Node]) -> Iterator[OldCall]:
    """The calls without a prototype among some nodes."""
    for n in nodes:
        name = direct_callee(n.operands[0]) if n.kind == k.CALL and n.operands else None
        called = called_type(n.operands[0].type) if name is not None else None
        if name is not None and isinstance(called, FunctionType) and not called.prototype:
            passed = tuple(None if is_null(a) else a.type for a in n.operands[1:])
            yield OldCall(name, passed, called.result, n.span)


def prototypes(top: Iterable[Node]) -> dict[str, FunctionType]:
    """The functions of a file that have a prototype."""
    return {
        n.spelling: n.type
        for n in top
        if n.kind == k.FUNCTION_DECL and isinstance(n.type, FunctionType) and n.type.prototype
    }


def refuse_old_calls(calls: Iterable[OldCall], known: Mapping[str, FunctionType]) -> None:
    """Raise for a call that does not find the function as another file knows it."""
    for call in calls:
        t = known.get(call.name)
        if t is not None and not _is_found(call, t):
            raise Unsupported(
                f"{call.name} is called without a prototype, by other types than it has elsewhere",
                call.span,
                "call without a prototype",
            )


def _is_found(call: OldCall, t: FunctionType) -> bool:
    same = t.result is call.result or type(t.result) is type(call.result)
    if not same or t.variadic or len(t.parameters) != len(call.passed):
        return False
    if isinstance(t.result, IntType) and not finds(call.result, t.result):
        return False
    pairs = zip(t.parameters, call.passed, strict=True)
    return all(u is None or isinstance(u, RecordType) or finds(p, u) for p, u in pairs)
