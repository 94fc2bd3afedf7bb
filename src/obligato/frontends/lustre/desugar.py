"""Blocks and frames as equations: each stream gets one definition.

A block defines a stream by the conditional of what its branches say. In a frame, what a branch
leaves out is `last x`, and so is what the body leaves out. `definitions` carries the idea.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from obligato.errors import InputError, Span
from obligato.frontends.lustre import syntax as s


@dataclass(frozen=True, slots=True)
class Definition:
    """What defines a stream: `value`, or for each value of the index variables an element of an
    array.
    """

    span: Span
    value: s.Expr
    indices: tuple[str, ...] = ()


@dataclass(slots=True)
class Body:
    """The definitions of a node, its assertions and properties, calls without results, and initial
    values in frames.
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    asserts: list[s.Assert] = field(default_factory=list)
    checks: list[s.Check] = field(default_factory=list)
    calls: list[s.Expr] = field(default_factory=list)
    initial: dict[str, Definition | None] = field(default_factory=dict)


def definitions(statements: Iterable[s.Statement]) -> Body:
    """The statements of a node as definitions."""
    body = Body()
    for statement in statements:
        if isinstance(statement, s.Assert):
            body.asserts.append(statement)
        elif isinstance(statement, s.Check):
            body.checks.append(statement)
        elif isinstance(statement, s.Equation) and not statement.targets:
            body.calls.append(statement.value)
        elif isinstance(statement, s.Frame):
            _frame(statement, body)
        else:
            _add(body.definitions, _defined(statement, None))
    return body


def _add(table: dict[str, Definition], more: dict[str, Definition]) -> None:
    for name, definition in more.items():
        if name in table:
            raise InputError(f"{name} is defined twice", definition.span)
        table[name] = definition


def _frame(frame: s.Frame, body: Body) -> None:
    names = dict.fromkeys(frame.names)
    initial: dict[str, Definition] = {}
    for equation in frame.initial:
        _add(initial, _defined(equation, names))
    out: dict[str, Definition] = {}
    for statement in frame.body:
        if isinstance(statement, s.Equation) and not statement.targets:
            body.calls.append(statement.value)
        else:
            _add(out, _defined(statement, names))
    for name in (*initial, *out):
        if name not in names:
            raise InputError(
                f"{name} is not in the list of the frame", (initial.get(name) or out[name]).span
            )
    for name in names:
        body.initial[name] = initial.get(name)
        out.setdefault(name, Definition(frame.span, s.Last(frame.span, name)))
    _add(body.definitions, out)


def _defined(statement: s.Statement, frame: dict[str, None] | None) -> dict[str, Definition]:
    """What a statement defines; `frame` are the names that branches may leave out."""
    if isinstance(statement, s.Equation):
        return _equation(statement)
    if not isinstance(statement, s.Block):
        raise InputError("only equations can stand here", statement.span)
    then: dict[str, Definition] = {}
    other: dict[str, Definition] = {}
    for part, table in ((statement.then, then), (statement.other, other)):
        for inner in part:
            _add(table, _defined(inner, frame))
    return {
        name: _joined(statement, name, then.get(name), other.get(name), frame)
        for name in {**then, **other}
    }


def _equation(e: s.Equation) -> dict[str, Definition]:
    out: dict[str, Definition] = {}
    for n, t in enumerate(e.targets):
        value = e.value if len(e.targets) == 1 else s.Project(t.span, e.value, n)
        _add(out, {t.name: Definition(t.span, value, t.indices)})
    return out


def _joined(
    block: s.Block,
    name: str,
    a: Definition | None,
    b: Definition | None,
    frame: dict[str, None] | None,
) -> Definition:
    if (a is None or b is None) and (frame is None or name not in frame):
        raise InputError(f"{name} is not defined in all branches of the block", block.span)
    indices = max((d.indices for d in (a, b) if d is not None), key=len)
    missing = Definition(block.span, s.Last(block.span, name))
    then, other = _indexed(a or missing, indices), _indexed(b or missing, indices)
    return Definition(
        (a or b or missing).span,
        s.If(block.span, block.condition, then, other, block.lazy),
        indices,
    )


def _indexed(d: Definition, indices: tuple[str, ...]) -> s.Expr:
    """The value of the element at `indices`."""
    value = d.value
    if not d.indices:
        for i in indices:
            value = s.Index(d.span, value, s.Name(d.span, i))
    elif d.indices != indices:
        for own, i in zip(d.indices, indices, strict=True):
            value = s.Let(d.span, own, s.Name(d.span, i), value)
    return value
