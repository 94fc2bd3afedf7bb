"""The types of calls, constructors and patterns. `callee` finds the scope of the node that a call
uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from obligato.errors import InputError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.inference import expect, infer, temporal
from obligato.frontends.lustre.scopes import Bound, Scope, Static
from obligato.frontends.lustre.types import (
    BOOL,
    Array,
    Data,
    Enum,
    Listed,
    Record,
    Table,
    Tuple,
    Type,
    items,
)


def pattern_types(p: s.Pattern, t: Type, scope: Scope) -> dict[str, Type]:
    """The variables that a pattern binds."""
    fields = constructor_fields(p, t)
    if fields is None:
        return {} if p.name == "_" else {p.name: t}
    out: dict[str, Type] = {}
    for item, (_, ft) in zip(p.items or (), fields, strict=True):
        out |= pattern_types(item, ft, scope)
    return out


def constructor_fields(p: s.Pattern, t: Type) -> tuple[tuple[str, Type], ...] | None:
    """The fields of the constructor that a pattern names; None: the pattern is a variable."""
    number = t.index(p.name) if isinstance(t, Data) else -1
    if number < 0 and isinstance(t, Enum) and p.name in t.values and p.items is None:
        return ()
    if number < 0:
        if p.items is not None:
            raise InputError(f"{p.name} is not a constructor of {t}", p.span)
        return None
    assert isinstance(t, Data)
    fields = t.constructors[number][1]
    if len(fields) != len(p.items or ()):
        raise InputError(f"{p.name} has {len(fields)} fields, not {len(p.items or ())}", p.span)
    return fields


def covers(p: s.Pattern, t: Type) -> bool:
    """Does a pattern match all values of a type?"""
    fields = constructor_fields(p, t)
    if fields is None:
        return True
    return (
        isinstance(t, Data)
        and len(t.constructors) == 1
        and all(covers(i, ft) for i, (_, ft) in zip(p.items or (), fields, strict=True))
    )


# -- calls -----------------------------------------------------------------------------------------


def call_type(scope: Scope, e: s.Call, bound: Bound, expected: Type | None) -> Type:
    """The type of a call."""
    for clock in (e.every, e.restart):
        if clock is not None:
            expect(scope, clock, BOOL, bound)
    if e.name in scope.world.constructors and e.name not in scope.world.program.nodes:
        return constructed(scope, e, e.name, e.types, e.args, bound, expected)
    inner = callee(scope, e, bound, {})
    node = inner.node
    assert node is not None
    if node.kind == "node":
        temporal(scope, e, f"the node {node.name}")
    given = [
        t
        for a, hint in zip(e.args, _hints(node, inner, e), strict=True)
        for t in items(infer(scope, a, bound, hint))
    ]
    wanted = [inner.variables[v.name] for v in node.inputs]
    if given != wanted:
        raise InputError(
            f"{e.name} expects {Listed(tuple(wanted))}, not {Listed(tuple(given))}", e.span
        )
    outputs = tuple([inner.variables[v.name] for v in node.outputs])
    if e.every is not None and e.defaults is None and outputs and e not in scope.merged:
        raise InputError("activate without defaults stands in a branch of a merge only", e.span)
    if (
        e.defaults is not None
        and tuple([t for d in e.defaults for t in items(infer(scope, d, bound))]) != outputs
    ):
        raise InputError(f"the defaults of {e.name} must be {Listed(outputs)}", e.span)
    return outputs[0] if len(outputs) == 1 else Listed(outputs)


def _hints(node: s.Node, inner: Scope, e: s.Call) -> Sequence[Type | None]:
    return (
        [inner.variables[v.name] for v in node.inputs]
        if len(e.args) == len(node.inputs)
        else [None] * len(e.args)
    )


def callee(scope: Scope, e: s.Call, bound: Bound, values: Mapping[str, Static]) -> Scope:
    """The scope of the node that a call uses; `values` are the bound indices that are known."""
    known = scope.callees.get(e)
    if known is not None:
        return known
    world = scope.world
    node = world.program.nodes.get(e.name)
    if node is None:
        raise InputError(f"there is no node or function {e.name}", e.span)
    statics: dict[str, Static] = {}
    if any(v.const for v in node.inputs) and len(e.args) == len(node.inputs):
        for v, a in zip(node.inputs, e.args, strict=True):
            value = scope.static(a, values) if v.const else None
            if value is not None:
                statics[v.name] = value
    types = tuple([world.resolve(t, scope) for t in e.types]) or _type_arguments(
        scope, e, node, bound
    )
    found = world.scope(node, types, statics)
    if not statics:
        scope.callees[e] = found
    return found


def _type_arguments(scope: Scope, e: s.Call, node: s.Node, bound: Bound) -> tuple[Type, ...]:
    if not node.params:
        return ()
    found: dict[str, Type] = {}
    given = [t for a in e.args for t in items(infer(scope, a, bound))]
    for v, t in zip(node.inputs, given, strict=False):
        _solve(scope, v.type, t, node.params, found)
    missing = [p for p in node.params if p not in found]
    if missing:
        raise InputError(
            f"the type argument {missing[0]} of {e.name} is not told by its arguments", e.span
        )
    return tuple([found[p] for p in node.params])


def _solve(
    scope: Scope, pattern: s.TypeExpr, t: Type, params: Sequence[str], found: dict[str, Type]
) -> None:
    """Read off what type parameters stand for where `pattern` is `t`."""
    if isinstance(pattern, s.NamedType):
        if pattern.name in params and not pattern.args:
            found.setdefault(pattern.name, t)
            return
        d = scope.world.program.types.get(pattern.name)
        if d is not None and pattern.args:
            inner: dict[str, Type] = {}
            _solve_declared(scope, d, t, inner)
            for p, a in zip(d.params, pattern.args, strict=False):
                if p in inner:
                    _solve(scope, a, inner[p], params, found)
    elif isinstance(pattern, s.ArrayType) and isinstance(t, Array):
        _solve(scope, pattern.element, t.element, params, found)
    elif isinstance(pattern, s.TableType) and isinstance(t, Table):
        _solve(scope, pattern.key, t.key, params, found)
        if pattern.value is not None and t.value is not None:
            _solve(scope, pattern.value, t.value, params, found)
    elif isinstance(pattern, s.TupleType) and isinstance(t, Tuple):
        for p2, i in zip(pattern.items, t.items, strict=False):
            _solve(scope, p2, i, params, found)
    elif isinstance(pattern, s.RefinementType):
        _solve(scope, pattern.base, t, params, found)


def _solve_declared(scope: Scope, d: s.TypeDecl, t: Type, found: dict[str, Type]) -> None:
    definition = d.definition
    if isinstance(definition, s.RecordType) and isinstance(t, Record):
        for (_, ft), (_, rt) in zip(definition.fields, t.fields, strict=False):
            _solve(scope, ft, rt, d.params, found)
    elif isinstance(definition, s.DataType) and isinstance(t, Data):
        for (_, fields), (_, given) in zip(definition.constructors, t.constructors, strict=False):
            for (_, ft), (_, rt) in zip(fields, given, strict=False):
                _solve(scope, ft, rt, d.params, found)
    else:
        _solve(scope, definition, t, d.params, found)


def constructed(
    scope: Scope,
    e: s.Expr,
    name: str,
    types: tuple[s.TypeExpr, ...],
    args: Sequence[s.Expr],
    bound: Bound,
    expected: Type | None,
) -> Type:
    """The datatype that a constructor makes."""
    d = scope.world.constructors[name]
    assert isinstance(d.definition, s.DataType)
    fields = dict(d.definition.constructors)[name]
    if len(fields) != len(args):
        raise InputError(f"{name} has {len(fields)} fields, not {len(args)}", e.span)
    found = dict(zip(d.params, [scope.world.resolve(t, scope) for t in types], strict=False))
    if isinstance(expected, Data) and not types and expected.index(name) >= 0:
        _solve_declared(scope, d, expected, found)
    for (_, ft), a in zip(fields, args, strict=True):
        if len(found) < len(d.params):
            _solve(scope, ft, infer(scope, a, bound), d.params, found)
    missing = [p for p in d.params if p not in found]
    if missing:
        raise InputError(f"the type argument {missing[0]} of {name} is not told here", e.span)
    t = scope.world.declared(d, tuple([found[p] for p in d.params]), scope)
    assert isinstance(t, Data)
    for (_, ft2), a in zip(t.constructors[t.index(name)][1], args, strict=True):
        expect(scope, a, ft2, bound)
    return t
