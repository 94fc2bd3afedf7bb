"""Modules expanded: the tree of instances, and what each name in them means.

An argument is an expression in the scope of the instance that makes another one, and its name
stands for it (by reference, so it may be an instance or an array). A definition or assignment may
name something inside another instance. `Tree` carries it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.smv.syntax import Assignment, Expr, Model, Module, TypeExpr, Variable
from obligato.frontends.smv.types import (
    BOOLEAN,
    INTEGER,
    MAX_BITS,
    REALS,
    Map,
    Numbers,
    Type,
    Word,
    enumeration,
)

MAX_INSTANCES = 20_000
MAX_ELEMENTS = 1 << 16
MAX_WIDTH = 1 << 16


@dataclass(eq=False, slots=True)
class Scalar:
    """One variable of the model; `kind` is VAR, IVAR or FROZENVAR."""

    name: str
    type: Type
    kind: str
    span: Span


@dataclass(eq=False, slots=True)
class Elements:
    """An array: its elements from index `low` on."""

    low: int
    items: list[Symbol]


@dataclass(eq=False, slots=True)
class Definition:
    """A definition, or a parameter that stands for its argument: an expression in the scope of an
    instance.
    """

    name: str
    value: Expr
    scope: Instance
    span: Span


@dataclass(eq=False, slots=True)
class Instance:
    """One instance of a module. `process` is the instance whose turn it must be for its
    assignments; None: main's.
    """

    name: str
    module: Module
    process: Instance | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)

    def inner(self, name: str) -> str:
        """The full name of something in this instance."""
        return f"{self.name}.{name}" if self.name else name


Symbol = Scalar | Elements | Definition | Instance


class Tree:
    """All instances, variables and processes of a model, in the order of their declaration."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.instances: list[Instance] = []
        self.variables: list[Scalar] = []
        self.processes: list[Instance] = []
        self.constants: dict[str, None] = {}  # symbols of enumerations
        self._depending: list[Definition] = []
        self._names: set[str] = set()
        self._pending: list[tuple[Instance, Variable]] = []
        self.main = self._instance("", model.modules["main"], None, ())
        while self._pending:  # types may use definitions of other instances, which are there now
            pending, self._pending = self._pending, []
            for scope, v in pending:
                self._declare(scope, v, ())
        for instance in self.instances:
            for d in instance.module.defines:
                if d.target.op != "name":
                    self._define(instance, d)

    # -- expansion ---------------------------------------------------------------------------------

    def _instance(
        self,
        name: str,
        module: Module,
        process: Instance | None,
        above: tuple[str, ...],
        own: bool = False,
    ) -> Instance:
        """The instance with its definitions and inner instances; other variables wait. `own`: it is
        a process.
        """
        instance = Instance(name, module, process)
        self.instances.append(instance)
        if own:
            instance.process = instance
            self.processes.append(instance)
        if len(self.instances) > MAX_INSTANCES:
            raise Unsupported(
                f"a model of more than {MAX_INSTANCES} instances is not supported",
                module.span,
                "instances",
            )
        for d in module.defines:
            if d.target.op == "name":
                self._define(instance, d)
        self.constants.update(dict.fromkeys(module.constants))
        for v in module.variables:
            if v.type.kind == "module":
                self._declare(instance, v, (*above, module.name))
            else:
                self._pending.append((instance, v))
        return instance

    def _declare(self, scope: Instance, v: Variable, above: tuple[str, ...]) -> None:
        if v.name in scope.symbols or v.name in scope.module.parameters:
            raise InputError(f"{v.name} is declared twice", v.span)
        scope.symbols[v.name] = self._made(scope, v.type, v.kind, scope.inner(v.name), above)

    def _define(self, instance: Instance, d: Assignment) -> None:
        place, name = self.owner(d.target, instance)
        if name in place.symbols or name in place.module.parameters:
            raise InputError(f"{name} is declared twice", d.span)
        place.symbols[name] = Definition(place.inner(name), d.value, instance, d.span)

    def _made(
        self, scope: Instance, t: TypeExpr, kind: str, name: str, above: tuple[str, ...]
    ) -> Symbol:
        """The variable or definition that a declaration makes."""
        if t.kind == "module":
            return self._inner(scope, t, name, above)
        if t.kind == "array":
            low, high = (self.number(e, scope) for e in t.args)
            if high < low or len(self.variables) + high - low >= MAX_ELEMENTS:
                raise InputError(
                    f"an array needs a range, of at most {MAX_ELEMENTS} elements", t.span
                )
            return Elements(
                low,
                [
                    self._made(scope, t.types[0], kind, f"{name}[{n}]", above)
                    for n in range(low, high + 1)
                ],
            )
        if name in self._names or len(self.variables) >= MAX_ELEMENTS:
            raise InputError(
                f"{name} is declared twice, or there are more than {MAX_ELEMENTS} variables", t.span
            )
        variable = Scalar(name, self._type(t, scope), kind, t.span)
        self._names.add(name)
        self.variables.append(variable)
        return variable

    def _inner(self, scope: Instance, t: TypeExpr, name: str, above: tuple[str, ...]) -> Instance:
        module = self.model.modules.get(t.name)
        if module is None and t.name == "clock":
            raise Unsupported("clock (timed systems) is not supported", t.span, "clock")
        if module is None:
            raise InputError(f"there is no module {t.name}", t.span)
        if t.name in (*above, "main"):
            raise InputError(f"module {t.name} contains itself", t.span)
        if len(t.args) != len(module.parameters):
            raise InputError(
                f"module {t.name} has {len(module.parameters)} parameters, not {len(t.args)}",
                t.span,
            )
        instance = self._instance(name, module, scope.process, above, t.process)
        for p, e in zip(module.parameters, t.args, strict=True):
            if p in instance.symbols:
                raise InputError(f"{p} is declared twice", module.span)
            instance.symbols[p] = Definition(instance.inner(p), e, scope, e.span)
        return instance

    def _type(self, t: TypeExpr, scope: Instance) -> Type:
        match t.kind:
            case "boolean":
                return BOOLEAN
            case "integer":
                return INTEGER
            case "real":
                return REALS
            case "word":
                width = self.number(t.args[0], scope)
                if not 0 < width <= MAX_WIDTH:
                    raise InputError(f"a word has 1 to {MAX_WIDTH} bits", t.span)
                return Word(t.signed, width)
            case "range":
                low, high = (self.number(e, scope) for e in t.args)
                if high < low:
                    raise InputError(f"the range {low}..{high} is empty", t.span)
                return Numbers(low, high)
            case "map":
                index, element = (self._type(inner, scope) for inner in t.types)
                if (
                    not isinstance(index, Word | Numbers)
                    or not isinstance(element, Word | Numbers)
                    or (isinstance(element, Numbers) and element.low is not None)
                ):
                    raise Unsupported(
                        f"an array {index} of {element} is not supported", t.span, "array type"
                    )
                return Map(index, element)
            case "enum":
                self.constants.update((v, None) for v in t.values if isinstance(v, str))
                return enumeration(t.values, t.span)
        raise Unsupported(f"{t.kind} inside a type is not supported", t.span, "type")

    # -- names -------------------------------------------------------------------------------------

    def owner(self, target: Expr, scope: Instance) -> tuple[Instance, str]:
        """The instance in which a target such as `above.token` is, and its name there."""
        if target.op == "name":
            return scope, str(target.data)
        place = self.symbol(target.args[0], scope) if target.op == "." else None
        if not isinstance(place, Instance):
            raise InputError(
                "only a variable, or one of an instance of a module, can be assigned or defined",
                target.span,
            )
        return place, str(target.data)

    def symbol(self, e: Expr, scope: Instance) -> Symbol | None:
        """What a name, member or element with a constant index means; None: it is another
        expression, or a symbol.

        A parameter or definition that merely names something means that.
        """
        if e.op == "self":
            return scope
        if e.op == "name":
            return self._followed(scope.symbols.get(str(e.data)))
        if e.op == ".":
            if (text := _dotted(e)) in scope.symbols:
                return self._followed(scope.symbols[text])
            place = self.symbol(e.args[0], scope)
            return (
                self._followed(place.symbols.get(str(e.data)))
                if isinstance(place, Instance)
                else None
            )
        if e.op == "[]":
            place = self.symbol(e.args[0], scope)
            if isinstance(place, Elements) and (n := self.fixed(e.args[1], scope)) is not None:
                if not place.low <= n < place.low + len(place.items):
                    raise InputError(f"index {n} is outside the array", e.span)
                return self._followed(place.items[n - place.low])
        return None

    def _followed(self, found: Symbol | None) -> Symbol | None:
        if not isinstance(found, Definition) or found.value.op not in ("name", ".", "[]", "self"):
            return found
        if found in self._depending:
            raise InputError(f"the definition of {found.name} is circular", found.span)
        self._depending.append(found)
        try:
            further = self.symbol(found.value, found.scope)
        finally:
            self._depending.pop()
        return found if further is None else further

    def number(self, e: Expr, scope: Instance) -> int:
        """The value of an expression that must be a constant number."""
        found = self.fixed(e, scope)
        if found is None:
            raise InputError("a constant number is needed", e.span)
        return found

    def fixed(self, e: Expr, scope: Instance) -> int | None:
        """The value of an expression of constant numbers; None: it is none."""
        if e.op == "int":
            return int(e.data) if isinstance(e.data, int) else None
        if e.op in ("name", ".", "[]"):
            found = self.symbol(e, scope)
            if not isinstance(found, Definition):
                return None
            if found in self._depending:
                raise InputError(f"the definition of {found.name} is circular", found.span)
            self._depending.append(found)
            try:
                return self.fixed(found.value, found.scope)
            finally:
                self._depending.pop()
        if e.op not in ("neg", "+", "-", "*"):
            return None
        parts = [self.fixed(a, scope) for a in e.args]
        a, b = parts[0], parts[-1]
        if a is None or b is None or max(abs(a), abs(b)).bit_length() > MAX_BITS:
            return None
        return -a if e.op == "neg" else a + b if e.op == "+" else a - b if e.op == "-" else a * b

    def scalars(self, s: Symbol) -> Iterator[Scalar]:
        """The variables of a symbol."""
        if isinstance(s, Scalar):
            yield s
        elif isinstance(s, Elements):
            for item in s.items:
                yield from self.scalars(item)


def _dotted(e: Expr) -> str:
    parts = []
    while e.op == ".":
        parts.append(str(e.data))
        e = e.args[0]
    return ".".join([str(e.data), *reversed(parts)]) if e.op == "name" else ""
