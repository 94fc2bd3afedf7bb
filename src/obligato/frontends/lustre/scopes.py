"""Names and what they mean: types resolved, constants evaluated, and one scope for each node as it
is used.

A node that is used with other type arguments or other values of its constant inputs has another
`Scope`, so types in a scope are closed and array sizes are numbers. `World` holds the scopes of a
program; `World.resolve` and `Scope.static` carry it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.lustre import syntax as s
from obligato.frontends.lustre.desugar import Body, Definition, definitions
from obligato.frontends.lustre.free import free_names
from obligato.frontends.lustre.types import (
    BOOL,
    INT,
    REAL,
    Array,
    Basic,
    Data,
    Enum,
    Free,
    Machine,
    Record,
    Table,
    Tuple,
    Type,
    count,
    has_table,
)

Static = bool | int | Fraction
Bound = Mapping[str, Type]
SIZES = (2, 3, 4, 5, 6, 8, 10, 16, 1)  # of arrays of symbolic size: the first that fits
MAX_ELEMENTS = 4096  # of an array; larger ones are refused
NOTHING: Bound = {}


class World:
    """A program with its types, constants, enumeration values and constructors."""

    def __init__(self, program: s.Program, modular: bool = False) -> None:
        self.program, self.modular = program, modular
        self.enums: dict[str, tuple[Enum, int]] = {}
        self.constructors: dict[str, s.TypeDecl] = {}
        # values of constants that are sizes of arrays, of all scopes
        self.assumed: dict[str, int] = {}
        self._resolving: list[str] = []
        self._names: dict[s.Expr, frozenset[str]] = {}
        self._scopes: dict[tuple[object, ...], Scope] = {}
        for d in program.types.values():
            self._declare(d)
        self.globals = Scope(self, None, {}, {})

    def _declare(self, d: s.TypeDecl) -> None:
        if isinstance(d.definition, s.EnumType):
            enum = Enum(d.name, d.definition.values)
            for n, value in enumerate(d.definition.values):
                if value in self.enums:
                    raise InputError(f"{value} is a value of two enumerations", d.span)
                self.enums[value] = (enum, n)
        elif isinstance(d.definition, s.DataType):
            for name, _ in d.definition.constructors:
                if name in self.constructors:
                    raise InputError(f"{name} is a constructor of two datatypes", d.span)
                self.constructors[name] = d

    def abstracts(self, node: s.Node) -> bool:
        """Does the contract of a node stand for its body where it is called?"""
        return node.imported or (self.modular and bool(node.contract))

    def names(self, e: s.Expr) -> frozenset[str]:
        """The names in an expression."""
        if e not in self._names:
            self._names[e] = free_names(e)
        return self._names[e]

    def scope(self, node: s.Node, types: tuple[Type, ...], statics: Mapping[str, Static]) -> Scope:
        """The scope of a node with these type arguments and values of constant inputs."""
        key = (node, types, tuple(statics.items()))
        if key not in self._scopes:
            if len(types) != len(node.params):
                raise InputError(
                    f"{node.name} needs {len(node.params)} type arguments, not {len(types)}",
                    node.span,
                )
            scope = self._scopes[key] = Scope(
                self, node, dict(zip(node.params, types, strict=True)), statics
            )
            scope.declare()
        return self._scopes[key]

    # -- types -------------------------------------------------------------------------------------

    def resolve(
        self, t: s.TypeExpr, scope: Scope, params: Mapping[str, Type] | None = None
    ) -> Type:
        """The type that `t` means in a scope, where type parameters stand for `params`."""
        known = scope.params if params is None else params
        if isinstance(t, s.NamedType):
            return self._named(t, scope, known)
        if isinstance(t, s.MachineType):
            return Machine(t.width, t.signed)
        if isinstance(t, s.SubrangeType):
            return INT
        if isinstance(t, s.RefinementType):
            return self.resolve(t.base, scope, known)
        if isinstance(t, s.TupleType):
            return Tuple(tuple([self.resolve(i, scope, known) for i in t.items]))
        if isinstance(t, s.ArrayType):
            element, size = self.resolve(t.element, scope, known), scope.size(t.size)
            return sized(Array(element, size), t.span)
        if isinstance(t, s.TableType):
            return self._table(t, scope, known)
        raise InputError(
            "an enumeration or a record type needs a name: declare it by type NAME = ...", t.span
        )

    def _table(self, t: s.TableType, scope: Scope, known: Mapping[str, Type]) -> Type:
        key = self.resolve(t.key, scope, known)
        if has_table(key, arrays=True):
            raise InputError(
                f"{key} cannot be the type of keys: it has sets, maps or arrays", t.key.span
            )
        return Table(key, None if t.value is None else self.resolve(t.value, scope, known))

    def _named(self, t: s.NamedType, scope: Scope, known: Mapping[str, Type]) -> Type:
        if t.name in known:
            return known[t.name]
        if t.name in ("bool", "int", "real"):
            return Basic(t.name)
        d = self.program.types.get(t.name)
        if d is None:
            raise InputError(f"there is no type {t.name}", t.span)
        if len(d.params) != len(t.args):
            raise InputError(
                f"the type {t.name} needs {len(d.params)} arguments, not {len(t.args)}", t.span
            )
        return self.declared(d, tuple([self.resolve(a, scope, known) for a in t.args]), scope)

    def declared(self, d: s.TypeDecl, args: tuple[Type, ...], scope: Scope) -> Type:
        """A declared type with its arguments."""
        if d.name in self._resolving:
            raise Unsupported(f"the type {d.name} is recursive", d.span, "recursive type")
        self._resolving.append(d.name)
        try:
            return self._definition(d, dict(zip(d.params, args, strict=True)), scope)
        finally:
            self._resolving.pop()

    def _definition(self, d: s.TypeDecl, params: Mapping[str, Type], scope: Scope) -> Type:
        t = d.definition
        shown = f"{d.name}<{', '.join(map(str, params.values()))}>" if params else d.name
        if isinstance(t, s.FreeType):
            return Free(d.name)
        if isinstance(t, s.EnumType):
            return Enum(d.name, t.values)
        if isinstance(t, s.RecordType):
            return Record(
                shown, tuple([(f, self.resolve(ft, scope, params)) for f, ft in t.fields])
            )
        if isinstance(t, s.DataType):
            return Data(
                shown,
                tuple(
                    [
                        (c, tuple([(f, self.resolve(ft, scope, params)) for f, ft in fields]))
                        for c, fields in t.constructors
                    ]
                ),
            )
        return self.resolve(t, scope, params)


def sized(t: Type, span: Span) -> Type:
    """The type, unless it has too many parts."""
    if count(t) > MAX_ELEMENTS:
        raise Unsupported(
            f"values of more than {MAX_ELEMENTS} parts are not supported", span, "large array"
        )
    return t


class Scope:
    """One node (or contract, or what is global) with closed types.

    `variables` are its streams and constants with their types; `body` defines those that are no
    inputs. A contract inside a node has the node's scope as `outer`.
    """

    def __init__(
        self,
        world: World,
        node: s.Node | None,
        params: Mapping[str, Type],
        statics: Mapping[str, Static],
        outer: Scope | None = None,
    ) -> None:
        self.world, self.node, self.params = world, node, params
        self.statics, self.outer = statics, outer
        self.variables: dict[str, Type] = {}
        self.declared: dict[str, s.Variable] = {}
        self.body = Body()
        self.types: dict[s.Expr, Type] = {}
        self.callees: dict[s.Expr, Scope] = {}
        self.merged: set[s.Expr] = set()  # calls that stand in a branch of a merge
        self.contract: Scope | None = None
        self.checked = False
        self.assumed: dict[str, int] = {}  # values of constants that are sizes of arrays
        self._evaluating: set[str] = set()

    # -- declarations ------------------------------------------------------------------------------

    def declare(self) -> None:
        """Resolve the types of all streams of the node; raises InputError where names clash or
        definitions are missing.
        """
        node = self.node
        assert node is not None
        if node.body:
            self.body = definitions(node.body)
        for c in node.constants:
            self._constant(c.name, c.type, c.value, c.span)
        for v in (*node.inputs, *node.outputs, *node.locals):
            self._stream(v)
        if node.kind == "contract":
            self._ghosts()
        elif node.contract:
            self.contract = Scope(self.world, node, self.params, self.statics, self)
            self.contract._ghosts()
        if node.kind != "contract" and not node.imported:
            self._complete(node)

    def _stream(self, v: s.Variable) -> None:
        if v.name in self.variables:
            raise InputError(f"{v.name} is declared twice", v.span)
        self.declared[v.name] = v
        self.variables[v.name] = self.world.resolve(v.type, self)

    def _constant(self, name: str, t: s.TypeExpr | None, value: s.Expr | None, span: Span) -> None:
        from obligato.frontends.lustre.typing import infer

        if name in self.variables:
            raise InputError(f"{name} is declared twice", span)
        if value is not None:
            self.body.definitions[name] = Definition(span, value)
        if t is not None:
            self.declared[name] = s.Variable(span, name, t, const=True)
            self.variables[name] = self.world.resolve(t, self)
        elif value is not None:
            self.variables[name] = infer(self, value)

    def _ghosts(self) -> None:
        assert self.node is not None
        for item in self.node.contract:
            if not isinstance(item, s.Ghost):
                continue
            if item.type is not None and item.value is not None:
                for n, name in enumerate(item.names):
                    self._stream(s.Variable(item.span, name, item.type))
                    value = (
                        item.value if len(item.names) == 1 else s.Project(item.span, item.value, n)
                    )
                    self.body.definitions[name] = Definition(item.span, value)
            else:
                self._constant(item.names[0], item.type, item.value, item.span)

    def _complete(self, node: s.Node) -> None:
        inputs = {v.name for v in node.inputs}
        for name, d in self.body.definitions.items():
            if name in inputs:
                raise InputError(f"the input {name} cannot be defined", d.span)
            if name not in self.variables:
                raise InputError(f"{name} is not declared", d.span)
        for v in (*node.outputs, *node.locals):
            if v.name not in self.body.definitions:
                raise InputError(f"{v.name} is not defined by an equation", v.span)

    # -- names -------------------------------------------------------------------------------------

    def lookup(self, name: str) -> tuple[Scope, Type] | None:
        """Where a stream or constant is declared, and its type."""
        if name in self.variables:
            return self, self.variables[name]
        if self.outer is not None:
            found = self.outer.lookup(name)
            if found is not None:
                return found
        c = self.world.program.constants.get(name)
        if c is None:
            return None
        top = self.world.globals
        if name not in top.variables:
            if name in top._evaluating:
                raise InputError(f"the constant {name} depends on itself", c.span)
            top._evaluating.add(name)
            top._constant(name, c.type, c.value, c.span)
            top._evaluating.discard(name)
        return top, top.variables[name]

    # -- constants ---------------------------------------------------------------------------------

    def size(self, e: s.Expr) -> int:
        """The size of an array."""
        n = self.static(e)
        if n is None:
            self._assume(e)
            n = self.static(e)
        if n is None or (self.world.assumed and isinstance(n, int) and n < 1):
            raise Unsupported(
                "an array whose size is not a known constant is not supported",
                e.span,
                "symbolic size",
            )
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise InputError(f"the size of an array must be positive, not {n}", e.span)
        if n > MAX_ELEMENTS:
            raise Unsupported(
                f"arrays of more than {MAX_ELEMENTS} elements are not supported",
                e.span,
                "large array",
            )
        return n

    def _assume(self, e: s.Expr) -> None:
        """Assume values of the constants without a value in the size of an array: what holds for
        them need not for others.
        """
        from obligato.frontends.lustre.refinements import restriction

        for name in sorted(self.world.names(e)):
            found = self.lookup(name)
            if found is None or found[1] != INT or name in found[0].body.definitions:
                continue
            v = found[0].declared[name]
            formula = restriction(found[0], v) if v.const else None
            fitting = [
                n
                for n in SIZES
                if formula is None or found[0].static(formula, {name: n}) is not False
            ]
            if v.const and fitting:
                found[0].assumed[name] = self.world.assumed[name] = fitting[0]

    def static(self, e: s.Expr, bound: Mapping[str, Static] = {}) -> Static | None:
        """The value of an expression over constants and bound indices; None if it is not
        known now.
        """
        if isinstance(e, s.Const):
            return e.value
        if isinstance(e, s.Name):
            return bound[e.name] if e.name in bound else self._static_name(e.name)
        if isinstance(e, s.Unary):
            return _unary(e.op, self.static(e.arg, bound))
        if isinstance(e, s.Binary):
            return self._static_binary(e, bound)
        if isinstance(e, s.If):
            c = self.static(e.condition, bound)
            return None if c is None else self.static(e.then if c else e.other, bound)
        if isinstance(e, s.Let):
            value = self.static(e.value, bound)
            return None if value is None else self.static(e.body, {**bound, e.name: value})
        return None

    def _static_binary(self, e: s.Binary, bound: Mapping[str, Static]) -> Static | None:
        function = STATIC.get(e.op)
        if function is None:
            return None
        a = self.static(e.left, bound)
        if isinstance(a, bool) and e.op in ("and", "or") and a == (e.op == "or"):
            return a
        b = None if a is None else self.static(e.right, bound)
        if a is None or b is None or (e.op in ("div", "mod", "/") and b == 0):
            return None
        return function(a, b)

    def _static_name(self, name: str) -> Static | None:
        if name in self.statics:
            return self.statics[name]
        found = self.lookup(name)
        if found is not None and name in found[0].assumed:
            return found[0].assumed[name]
        if found is None or name in found[0]._evaluating:
            return None
        scope, d = found[0], found[0].body.definitions.get(name)
        v = scope.declared.get(name)
        if d is None or d.indices or (v is not None and not v.const and scope.node is not None):
            return None
        scope._evaluating.add(name)
        value = scope.static(d.value)
        scope._evaluating.discard(name)
        return value


def _unary(op: str, a: Static | None) -> Static | None:
    if a is None or (op == "not") != isinstance(a, bool):
        return None
    return not a if op == "not" else -a if op == "-" else None


STATIC: dict[str, Callable[[Static, Static], Static]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "div": lambda a, b: euclid(a, b)[0],
    "mod": lambda a, b: euclid(a, b)[1],
    "/": lambda a, b: Fraction(a) / Fraction(b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "=>": lambda a, b: not a or bool(b),
    "xor": lambda a, b: bool(a) != bool(b),
}


def euclid(a: Static, b: Static) -> tuple[int, int]:
    """Quotient and remainder of integers, the remainder never negative. Requires: b is not 0."""
    a, b = int(a), int(b)
    remainder = a % abs(b)
    return (a - remainder) // b, remainder


__all__ = ["BOOL", "INT", "REAL", "Bound", "Scope", "Static", "World", "euclid", "NOTHING"]
