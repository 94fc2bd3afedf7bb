"""The types of expressions: one rule for each kind. To be imported from here: `infer` and `expect`,
with all rules in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from obligato.errors import InputError
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.free import parts_of
from obligato.frontends.lustre.inference import RULES, expect, infer, temporal
from obligato.frontends.lustre.refinements import restriction
from obligato.frontends.lustre.scopes import Bound, Scope, sized
from obligato.frontends.lustre.types import (
    BOOL,
    INT,
    REAL,
    Array,
    Data,
    Enum,
    Listed,
    Machine,
    Record,
    Table,
    Tuple,
    Type,
    items,
)
from obligato.frontends.lustre.typing_calls import (
    call_type,
    callee,
    constructed,
    constructor_fields,
    covers,
    pattern_types,
)
from obligato.frontends.lustre.typing_tables import member_type, operation_type

__all__ = ["callee", "constructor_fields", "expect", "infer"]
BOOLEAN = frozenset(("and", "or", "xor", "=>", "==>", "and then", "or else"))
RELATIONS = frozenset(("<", "<=", ">", ">="))


def _const(scope: Scope, e: s.Const, bound: Bound, expected: Type | None) -> Type:
    return BOOL if isinstance(e.value, bool) else REAL if isinstance(e.value, Fraction) else INT


def _name(scope: Scope, e: s.Name, bound: Bound, expected: Type | None) -> Type:
    if e.name in bound:
        return bound[e.name]
    found = scope.lookup(e.name)
    if found is not None:
        return found[1]
    if e.name in scope.world.enums:
        return scope.world.enums[e.name][0]
    if e.name in scope.world.constructors:
        return constructed(scope, e, e.name, e.types, (), bound, expected)
    raise InputError(f"{e.name} is not declared", e.span)


def _unary(scope: Scope, e: s.Unary, bound: Bound, expected: Type | None) -> Type:
    if e.op == "not":
        expect(scope, e.arg, BOOL, bound)
        return BOOL
    t = infer(scope, e.arg, bound, expected)
    if not isinstance(t, Machine) and (e.op == "!" or t not in (INT, REAL)):
        raise InputError(
            f"expected {'a machine integer' if e.op == '!' else 'a number'}, not {t}", e.arg.span
        )
    return t


def _binary(scope: Scope, e: s.Binary, bound: Bound, expected: Type | None) -> Type:
    if e.op in BOOLEAN:
        expect(scope, e.left, BOOL, bound)
        expect(scope, e.right, BOOL, bound)
        return BOOL
    if e.op == "in":
        return member_type(scope, e, bound)
    left = _left_type(scope, e, bound)
    if isinstance(left, Table):
        return operation_type(scope, e, left, bound)
    if e.op in ("lsh", "rsh"):
        return _shift(scope, e, left, bound)
    expect(scope, e.right, left, bound)
    if e.op in ("=", "<>"):
        return BOOL
    _numeric(e, left)
    return BOOL if e.op in RELATIONS else left


def _left_type(scope: Scope, e: s.Binary, bound: Bound) -> Type:
    """The type of the left operand; if it cannot be told alone, with the right one as hint."""
    if isinstance(e.left, s.Name) and e.left.name in scope.world.constructors:
        return infer(scope, e.left, bound, infer(scope, e.right, bound))
    return infer(scope, e.left, bound)


def _shift(scope: Scope, e: s.Binary, left: Type, bound: Bound) -> Type:
    if not isinstance(left, Machine):
        raise InputError(f"expected a machine integer, not {left}", e.left.span)
    expect(scope, e.right, Machine(left.width, False), bound)
    return left


def _numeric(e: s.Binary, t: Type) -> None:
    allowed = isinstance(t, Machine)
    if e.op == "/":
        allowed = t == REAL
    elif e.op in ("div", "mod"):
        allowed = allowed or t == INT
    elif e.op not in ("&&", "||"):
        allowed = allowed or t in (INT, REAL)
    if not allowed:
        wanted = {"/": "real", "div": "an integer", "mod": "an integer"}.get(e.op, "a number")
        raise InputError(f"expected {wanted}, not {t}", e.left.span)


def _if(scope: Scope, e: s.If, bound: Bound, expected: Type | None) -> Type:
    expect(scope, e.condition, BOOL, bound)
    t = infer(scope, e.then, bound, expected)
    expect(scope, e.other, t, bound)
    return t


def _arrow(scope: Scope, e: s.Arrow, bound: Bound, expected: Type | None) -> Type:
    temporal(scope, e, "->")
    t = infer(scope, e.first, bound, expected)
    expect(scope, e.rest, t, bound)
    return t


def _pre(scope: Scope, e: s.Pre, bound: Bound, expected: Type | None) -> Type:
    temporal(scope, e, "pre")
    return infer(scope, e.arg, bound, expected)


def _last(scope: Scope, e: s.Last, bound: Bound, expected: Type | None) -> Type:
    if e.name not in scope.variables:
        raise InputError(f"{e.name} is not declared", e.span)
    if e.name not in scope.body.initial:
        raise InputError(f"last is for the variables of a frame; {e.name} is none", e.span)
    temporal(scope, e, "last")
    return scope.variables[e.name]


def _cast(scope: Scope, e: s.Cast, bound: Bound, expected: Type | None) -> Type:
    to = scope.world.resolve(e.type, scope)
    t = infer(scope, e.arg, bound)
    machine = isinstance(t, Machine)
    if to == REAL:
        allowed = t in (INT, REAL)
    elif to == INT:
        allowed = t in (INT, REAL) or machine
    else:
        allowed = t == INT or machine
    if not allowed:
        raise InputError(f"{t} cannot be converted to {to}", e.span)
    return to


def _ascribe(scope: Scope, e: s.Ascribe, bound: Bound, expected: Type | None) -> Type:
    to = scope.world.resolve(e.type, scope)
    expect(scope, e.arg, to, bound)
    return to


def _when(scope: Scope, e: s.When, bound: Bound, expected: Type | None) -> Type:
    raise InputError("when stands in a branch of a merge only", e.span)


def _merge(scope: Scope, e: s.Merge, bound: Bound, expected: Type | None) -> Type:
    temporal(scope, e, "merge")
    clock = infer(scope, e.clock, bound)
    if clock != BOOL and not isinstance(clock, Enum):
        raise InputError(f"expected bool or an enumeration, not {clock}", e.clock.span)
    t: Type | None = None
    seen: list[object] = []
    for value, branch in e.cases:
        expect(scope, value, clock, bound)
        seen.append(
            value.value
            if isinstance(value, s.Const)
            else value.name
            if isinstance(value, s.Name)
            else None
        )
        inner = branch.arg if isinstance(branch, s.When) else branch
        if isinstance(branch, s.When):
            _matches(e, value, branch.clock)
        elif isinstance(branch, s.Call) and branch.every is not None:
            _matches(e, value, branch.every)
            scope.merged.add(branch)
        scope.types[branch] = infer(scope, inner, bound, t or expected)
        t = t or scope.types[branch]
        expect(scope, branch, t, bound)
    wanted: Sequence[object] = (
        (True, False) if clock == BOOL else clock.values if isinstance(clock, Enum) else ()
    )
    if t is None or len(seen) != len(wanted) or set(seen) != set(wanted):
        raise InputError(f"a merge needs one branch for each value of {e.clock.name}", e.span)
    return t


def _matches(e: s.Merge, value: s.Expr, clock: s.Expr) -> None:
    """The clock of a branch is the one under which the merge takes it: c, not c, or V(c) for a
    value V of an enumeration.
    """
    at, positive = clock.span, True
    if isinstance(clock, s.Unary) and clock.op == "not":
        clock, positive = clock.arg, False
    if isinstance(clock, s.Call) and isinstance(value, s.Name):
        fits = clock.name == value.name and len(clock.args) == 1 and positive
        clock = clock.args[0] if fits else clock
    else:
        fits = isinstance(value, s.Const) and value.value is positive
    if not fits or not isinstance(clock, s.Name) or clock.name != e.clock.name:
        raise InputError(
            f"the clock of this branch is not the one of the merge on {e.clock.name}", at
        )


def _record(scope: Scope, e: s.RecordExpr, bound: Bound, expected: Type | None) -> Type:
    d = scope.world.program.types.get(e.name)
    if d is None:
        raise InputError(f"there is no type {e.name}", e.span)
    args = tuple([scope.world.resolve(t, scope) for t in e.types])
    if len(args) != len(d.params):
        raise InputError(
            f"the type {e.name} needs {len(d.params)} arguments, not {len(args)}", e.span
        )
    t = scope.world.declared(d, args, scope)
    if not isinstance(t, Record):
        raise InputError(f"{e.name} is not a record", e.span)
    given = dict(e.fields)
    if given.keys() != dict(t.fields).keys() or len(given) != len(e.fields):
        raise InputError(f"a {e.name} has the fields {', '.join(f for f, _ in t.fields)}", e.span)
    for f, ft in t.fields:
        expect(scope, given[f], ft, bound)
    return t


def _field(scope: Scope, e: s.Field, bound: Bound, expected: Type | None) -> Type:
    t = infer(scope, e.arg, bound)
    if isinstance(t, Data):
        fields = {f: ft for _, fs in t.constructors for f, ft in fs}
    elif isinstance(t, Record):
        fields = dict(t.fields)
    else:
        raise InputError(f"expected a record, not {t}", e.arg.span)
    if e.name not in fields:
        raise InputError(f"{t} has no field {e.name}", e.span)
    return fields[e.name]


def _index(scope: Scope, e: s.Index, bound: Bound, expected: Type | None) -> Type:
    t = infer(scope, e.arg, bound)
    if isinstance(t, Array):
        expect(scope, e.index, INT, bound)
        return t.element
    if isinstance(t, Table) and t.value is not None:
        expect(scope, e.index, t.key, bound)
        return t.value
    if isinstance(t, Tuple):
        n = scope.static(e.index)
        if not isinstance(n, int) or not 0 <= n < len(t.items):
            raise InputError(f"expected a number below {len(t.items)}", e.index.span)
        return t.items[n]
    raise InputError(f"expected an array, a tuple or a map, not {t}", e.arg.span)


def _update(scope: Scope, e: s.Update, bound: Bound, expected: Type | None) -> Type:
    t = infer(scope, e.arg, bound)
    if isinstance(t, Array):
        expect(scope, e.key, INT, bound)
        expect(scope, e.value, t.element, bound)
    elif isinstance(t, Table) and t.value is not None:
        expect(scope, e.key, t.key, bound)
        expect(scope, e.value, t.value, bound)
    elif isinstance(t, Record):
        fields = dict(t.fields)
        if not isinstance(e.key, s.Name) or e.key.name not in fields:
            raise InputError(f"expected a field of {t}", e.key.span)
        expect(scope, e.value, fields[e.key.name], bound)
    else:
        raise InputError(f"expected an array, a record or a map, not {t}", e.arg.span)
    return t


def _group(scope: Scope, e: s.Group, bound: Bound, expected: Type | None) -> Type:
    hints: Sequence[Type | None] = [None] * len(e.items)
    if isinstance(expected, Tuple | Listed) and len(expected.items) == len(e.items):
        hints = expected.items
    if e.kind == "array":
        if not e.items:
            raise InputError("an array needs elements", e.span)
        element = infer(
            scope, e.items[0], bound, expected.element if isinstance(expected, Array) else None
        )
        for item in e.items[1:]:
            expect(scope, item, element, bound)
        return Array(element, len(e.items))
    types = [infer(scope, item, bound, hint) for item, hint in zip(e.items, hints, strict=True)]
    return (
        Tuple(tuple(types))
        if e.kind == "tuple"
        else Listed(tuple([i for t in types for i in items(t)]))
    )


def _repeat(scope: Scope, e: s.Repeat, bound: Bound, expected: Type | None) -> Type:
    hint = expected.element if isinstance(expected, Array) else None
    return sized(Array(infer(scope, e.arg, bound, hint), scope.size(e.size)), e.span)


def _quantifier(scope: Scope, e: s.Quantifier, bound: Bound, expected: Type | None) -> Type:
    inner = dict(bound)
    for v in e.variables:
        inner[v.name] = scope.world.resolve(v.type, scope)
        if v.refinement is not None:
            expect(scope, v.refinement, BOOL, inner)
    expect(scope, e.body, BOOL, inner)
    return BOOL


def _any(scope: Scope, e: s.Any, bound: Bound, expected: Type | None) -> Type:
    if not e.choose:
        temporal(scope, e, "any")
    t = scope.world.resolve(e.variable.type, scope)
    if e.choose:
        _memoryless(scope, e)
    if e.variable.refinement is not None:
        expect(scope, e.variable.refinement, BOOL, {**bound, e.variable.name: t})
    return t


def _memoryless(scope: Scope, e: s.Any) -> None:
    """`choose` is a function of what its condition names now."""
    formula = restriction(scope, e.variable)
    for x in () if formula is None else parts_of(formula):
        node = scope.world.program.nodes.get(x.name) if isinstance(x, s.Call) else None
        if isinstance(x, s.Pre | s.Arrow | s.Last | s.Merge | s.Any | s.ModeRef) or (
            node is not None and node.kind == "node"
        ):
            raise InputError(
                "the condition of choose is about the present: it has no memory, no nodes, no"
                " choices",
                x.span,
            )


def _mode_ref(scope: Scope, e: s.ModeRef, bound: Bound, expected: Type | None) -> Type:
    return BOOL


def _tester(scope: Scope, e: s.Tester, bound: Bound, expected: Type | None) -> Type:
    t = infer(scope, e.arg, bound)
    if not isinstance(t, Data) or t.index(e.constructor) < 0:
        raise InputError(f"{e.constructor} is not a constructor of {t}", e.span)
    return BOOL


def _match(scope: Scope, e: s.Match, bound: Bound, expected: Type | None) -> Type:
    subject = infer(scope, e.arg, bound)
    t: Type | None = None
    for p, body in e.arms:
        inner = {**bound, **pattern_types(p, subject, scope)}
        if t is None:
            t = infer(scope, body, inner, expected)
        expect(scope, body, t, inner)
    if t is None:
        raise InputError("a match needs arms", e.span)
    if not any(covers(p, subject) for p, _ in e.arms):
        _exhaustive(e, [p for p, _ in e.arms], subject)
    return t


def _exhaustive(e: s.Match, patterns: list[s.Pattern], t: Type) -> None:
    """Each constructor has an arm that matches it whatever its fields are."""
    names = (
        [c for c, _ in t.constructors]
        if isinstance(t, Data)
        else list(t.values)
        if isinstance(t, Enum)
        else []
    )
    for name in names:
        arms = [p for p in patterns if p.name == name]
        fields = constructor_fields(arms[0], t) if arms else None
        if fields is None or not any(
            all(covers(i, ft) for i, (_, ft) in zip(p.items or (), fields, strict=True))
            for p in arms
        ):
            raise InputError(f"the arms do not cover all values with {name}", e.span)


def _project(scope: Scope, e: s.Project, bound: Bound, expected: Type | None) -> Type:
    types = items(infer(scope, e.arg, bound))
    if e.position >= len(types):
        raise InputError(f"expected {e.position + 1} values at least, not {len(types)}", e.arg.span)
    return types[e.position]


def _let(scope: Scope, e: s.Let, bound: Bound, expected: Type | None) -> Type:
    return infer(scope, e.body, {**bound, e.name: infer(scope, e.value, bound)}, expected)


RULES.update(
    {
        s.Const: _const,
        s.Name: _name,
        s.Unary: _unary,
        s.Binary: _binary,
        s.If: _if,
        s.Arrow: _arrow,
        s.Pre: _pre,
        s.Last: _last,
        s.Cast: _cast,
        s.Ascribe: _ascribe,
        s.Call: call_type,
        s.When: _when,
        s.Merge: _merge,
        s.RecordExpr: _record,
        s.Field: _field,
        s.Index: _index,
        s.Update: _update,
        s.Group: _group,
        s.Repeat: _repeat,
        s.Quantifier: _quantifier,
        s.Any: _any,
        s.ModeRef: _mode_ref,
        s.Tester: _tester,
        s.Match: _match,
        s.Project: _project,
        s.Let: _let,
    }
)
