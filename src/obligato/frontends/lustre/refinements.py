"""Subranges and refinement types as formulas about the stream that has them, in the language
itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from obligato.errors import Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.scopes import Bound, Scope, Static
from obligato.frontends.lustre.types import BOOL, INT, Enum

MAX_DOMAIN = 64  # values over which a quantifier is expanded
Known = Mapping[str, Static]
# what type parameters stand for, where they are used
Arguments = Mapping[str, tuple[s.TypeExpr, "Arguments"]]


def restriction(scope: Scope, v: s.Variable) -> s.Expr | None:
    """What the declared type of a stream says about its values; None: nothing."""
    formula = _restricted(scope, v.type, s.Name(v.span, v.name), {})
    return _both(formula, v.refinement)


def values_of(
    scope: Scope, e: s.Quantifier, v: s.Variable, types: Bound, statics: Known
) -> list[Static] | None:
    """The values of a variable of a quantifier that matter, if these are known and few: those of a
    small type, or those between the bounds that its body begins with: forall (i: int) 0 <= i and i
    < 4 => ...
    """
    small = domain(scope, v.type)
    if small is not None or scope.world.resolve(v.type, scope) != INT:
        return small
    guard: s.Expr = e.body
    if e.universal:
        if not isinstance(guard, s.Binary) or guard.op not in ("=>", "==>"):
            return None
        guard = guard.left
    unknown = ({*types} - {*statics}) | {u.name for u in e.variables}
    known = [
        (op, other)
        for op, other in _bounds(guard, v.name)
        if not scope.world.names(other) & unknown
    ]
    bounds = [(op, scope.static(other, statics)) for op, other in known]
    low = [n + (op == ">") for op, n in bounds if op[0] == ">" and isinstance(n, int)]
    high = [n - (op == "<") for op, n in bounds if op[0] == "<" and isinstance(n, int)]
    if not low or not high:
        return None
    first, last = max(low), min(high)
    return list(range(first, last + 1)) if last - first < MAX_DOMAIN else None


def _bounds(guard: s.Expr, name: str) -> list[tuple[str, s.Expr]]:
    """What a conjunction compares a name with, and how."""
    if not isinstance(guard, s.Binary):
        return []
    if guard.op == "and":
        return _bounds(guard.left, name) + _bounds(guard.right, name)
    op, subject, other = guard.op, guard.left, guard.right
    if isinstance(other, s.Name) and other.name == name:
        op, subject, other = op.translate(str.maketrans("<>", "><")), other, subject
    compared = isinstance(subject, s.Name) and subject.name == name and op in ("<", "<=", ">", ">=")
    return [(op, other)] if compared else []


def domain(scope: Scope, t: s.TypeExpr) -> list[Static] | None:
    """The values of a small type: bool, an enumeration or a subrange with known bounds; None for
    others.
    """
    resolved = scope.world.resolve(t, scope)
    if resolved == BOOL:
        return [False, True]
    if isinstance(resolved, Enum) and len(resolved.values) <= MAX_DOMAIN:
        return list(range(len(resolved.values)))
    while (
        isinstance(t, s.NamedType)
        and t.name in scope.world.program.types
        and t.name not in scope.params
    ):
        t = scope.world.program.types[t.name].definition
    if not isinstance(t, s.SubrangeType) or t.low is None or t.high is None:
        return None
    low, high = scope.static(t.low), scope.static(t.high)
    known = isinstance(low, int) and isinstance(high, int) and high - low < MAX_DOMAIN
    return list(range(int(low or 0), int(high or 0) + 1)) if known else None


def surroundings(e: s.Any, scope: Scope, bound: Bound) -> list[s.Name]:
    """The streams and bound names that the condition of a choice names, itself excepted."""
    formula = restriction(scope, e.variable)
    names = scope.world.names(formula) - {e.variable.name} if formula is not None else frozenset()
    return [
        s.Name(e.span, name) for name in sorted(names) if name in bound or _is_stream(scope, name)
    ]


def _is_stream(scope: Scope, name: str) -> bool:
    found = scope.lookup(name)
    return found is not None and found[0] is not scope.world.globals


def _restricted(scope: Scope, t: s.TypeExpr, subject: s.Expr, known: Arguments) -> s.Expr | None:
    if isinstance(t, s.SubrangeType):
        low = None if t.low is None else s.Binary(t.span, "<=", t.low, subject)
        return _both(low, None if t.high is None else s.Binary(t.span, "<=", subject, t.high))
    if isinstance(t, s.RefinementType):
        inner = _restricted(scope, t.base, subject, known)
        return _both(inner, s.Let(t.span, t.name, subject, t.predicate))
    if isinstance(t, s.NamedType):
        return _named(scope, t, subject, known)
    out: s.Expr | None = None
    if isinstance(t, s.TupleType):
        for n, item in enumerate(t.items):
            out = _both(
                out, _restricted(scope, item, s.Index(t.span, subject, s.Const(t.span, n)), known)
            )
    elif isinstance(t, s.ArrayType) and _restricted(scope, t.element, subject, known) is not None:
        for n in range(scope.size(t.size)):
            out = _both(
                out,
                _restricted(scope, t.element, s.Index(t.span, subject, s.Const(t.span, n)), known),
            )
    elif isinstance(t, s.RecordType):
        for f, ft in t.fields:
            out = _both(out, _restricted(scope, ft, s.Field(t.span, subject, f), known))
    elif isinstance(t, s.TableType):
        out = _each(scope, t, subject, known)
    elif isinstance(t, s.DataType):
        if any(
            _restricted(scope, ft, subject, known) is not None
            for _, fs in t.constructors
            for _, ft in fs
        ):
            raise Unsupported(
                "a restricted type in a datatype is not supported", t.span, "restricted datatype"
            )
    return out


def _each(scope: Scope, t: s.TableType, subject: s.Expr, known: Arguments) -> s.Expr | None:
    """All keys and values of a table have their types."""
    key, value = f"key:{t.span.line}:{t.span.column}", f"value:{t.span.line}:{t.span.column}"
    body = _restricted(scope, t.key, s.Name(t.span, key), known)
    if t.value is not None:
        body = _both(body, _restricted(scope, t.value, s.Name(t.span, value), known))
    return None if body is None else s.Each(t.span, subject, key, value, body)


def _named(scope: Scope, t: s.NamedType, subject: s.Expr, known: Arguments) -> s.Expr | None:
    if t.name in known:
        definition, arguments = known[t.name]
        return _restricted(scope, definition, subject, arguments)
    d = scope.world.program.types.get(t.name)
    if d is None or t.name in scope.params:
        return None
    inner = {p: (a, known) for p, a in zip(d.params, t.args, strict=False)}
    return _restricted(scope, d.definition, subject, inner)


def _both(a: s.Expr | None, b: s.Expr | None) -> s.Expr | None:
    return b if a is None else a if b is None else s.Binary(b.span, "and", a, b)
