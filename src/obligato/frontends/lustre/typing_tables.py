"""The types of sets and maps."""

from __future__ import annotations

from obligato.errors import InputError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.inference import RULES, expect, infer
from obligato.frontends.lustre.scopes import Bound, Scope
from obligato.frontends.lustre.types import BOOL, Table, Type, has_table


def table_type(scope: Scope, e: s.TableExpr, bound: Bound, expected: Type | None) -> Type:
    """The type of a literal: what is written after @, else what its first entry or the context
    tells.
    """
    t = _stated(scope, e, bound, expected)
    if has_table(t.key, arrays=True):
        raise InputError(f"{t.key} cannot be the type of keys: it has sets, maps or arrays", e.span)
    for k in e.keys:
        expect(scope, k, t.key, bound)
    for v in e.values:
        assert t.value is not None
        expect(scope, v, t.value, bound)
    return t


def _stated(scope: Scope, e: s.TableExpr, bound: Bound, expected: Type | None) -> Table:
    types = [scope.world.resolve(t, scope) for t in e.types]
    if types:
        if len(types) != 1 + e.is_map:
            raise InputError(
                f"a {'map' if e.is_map else 'set'} has {1 + e.is_map} type arguments, not"
                f" {len(types)}",
                e.span,
            )
        return Table(*types)
    hint = (
        expected
        if isinstance(expected, Table) and (expected.value is not None) == e.is_map
        else None
    )
    if not e.keys:
        if hint is None:
            raise InputError(
                f"an empty {'map' if e.is_map else 'set'} needs its type: @<...>", e.span
            )
        return hint
    key = infer(scope, e.keys[0], bound, hint and hint.key)
    return Table(key, infer(scope, e.values[0], bound, hint and hint.value) if e.is_map else None)


def member_type(scope: Scope, e: s.Binary, bound: Bound) -> Type:
    """k in t."""
    t = infer(scope, e.right, bound)
    if not isinstance(t, Table):
        raise InputError(f"expected a set or a map, not {t}", e.right.span)
    expect(scope, e.left, t.key, bound)
    return BOOL


def operation_type(scope: Scope, e: s.Binary, t: Table, bound: Bound) -> Type:
    """Union, intersection and difference of sets, a map without the keys in a set, and equality."""
    if e.op in ("=", "<>"):
        expect(scope, e.right, t, bound)
        return BOOL
    if e.op != "-" and (e.op not in ("+", "*") or t.value is not None):
        raise InputError(f"expected a number, not {t}", e.left.span)
    expect(scope, e.right, Table(t.key), bound)
    return t


def _each(scope: Scope, e: s.Each, bound: Bound, expected: Type | None) -> Type:
    t = infer(scope, e.table, bound)
    assert isinstance(t, Table)
    expect(
        scope,
        e.body,
        BOOL,
        {**bound, e.key: t.key, **({} if t.value is None else {e.value: t.value})},
    )
    return BOOL


RULES.update({s.TableExpr: table_type, s.Each: _each})
