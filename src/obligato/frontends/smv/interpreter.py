"""SMV by interpretation: the second reader. It shares the parser with the translation, and nothing
else.

Names are looked up when they are met, in an instance of a module. An expression has a set
of values, mostly of one. `Simulation` says whether states are initial, allowed, and follow each
other, given the values of the variables by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from obligato.frontends.smv.concrete import Bits, Impossible, Table, binary, bits, call
from obligato.frontends.smv.syntax import Assignment, Expr, Model, Module, TypeExpr

State = Mapping[str, Any]
MAX_RANGE = 1 << 20


@dataclass(eq=False)
class Instance:
    """An instance: what its parameters, definitions and variables are; a variable is its
    full name.
    """

    name: str
    module: Module
    mover: str  # the process that must move for its assignments
    names: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Meaning:
    """A definition or an argument."""

    expr: Expr
    instance: Instance


class Simulation:
    """One model. `variables` are its scalar variables with their kinds and types."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.instances: list[Instance] = []
        self.variables: dict[str, tuple[str, TypeExpr, Instance]] = {}
        self.movers = [""]
        self.main = self._instance("", model.modules["main"], "")
        for instance in self.instances:
            for d in instance.module.defines:
                if d.target.op != "name":
                    self._place(d.target.args[0], instance).names[str(d.target.data)] = Meaning(
                        d.value, instance
                    )
        self.assignments = [(a, f) for f in self.instances for a in f.module.assignments]
        self._current: dict[str, tuple[Assignment, Instance]] | None = None
        self._now: State = {}
        self._later: State | None = None
        self._mover = ""
        self._memo: dict[tuple[Meaning, bool], list[Any]] = {}

    def at(self, now: State, later: State | None = None, mover: str = "") -> None:
        """From here on expressions are about this state, this next state and this process."""
        self._now, self._later, self._mover, self._memo = now, later, mover, {}

    # -- instances ---------------------------------------------------------------------------------

    def _instance(self, name: str, module: Module, mover: str) -> Instance:
        instance = Instance(name, module, mover)
        self.instances.append(instance)
        for d in module.defines:
            if d.target.op == "name":
                instance.names[str(d.target.data)] = Meaning(d.value, instance)
        for v in module.variables:
            full = f"{name}.{v.name}" if name else v.name
            instance.names[v.name] = self._declared(instance, v.kind, full, v.type)
        return instance

    def _declared(self, instance: Instance, kind: str, full: str, t: TypeExpr) -> Any:
        if t.kind == "module":
            if t.process:
                self.movers.append(full)
            inner = self._instance(
                full, self.model.modules[t.name], full if t.process else instance.mover
            )
            for p, e in zip(inner.module.parameters, t.args, strict=True):
                inner.names[p] = Meaning(e, instance)
            return inner
        if t.kind == "array":
            low, high = (self._number(e, instance) for e in t.args)
            return {
                n: self._declared(instance, kind, f"{full}[{n}]", t.types[0])
                for n in range(low, high + 1)
            }
        self.variables[full] = kind, t, instance
        return full

    def _place(self, e: Expr, instance: Instance) -> Instance:
        found = self._lookup(e, instance)
        if not isinstance(found, Instance):
            raise Impossible("no instance")
        return found

    def _lookup(self, e: Expr, instance: Instance) -> Any:
        """What an expression names: an instance, an array, a variable's name, a definition; None:
        nothing.
        """
        if e.op == "self":
            return instance
        if e.op == "name":
            found = instance.names.get(str(e.data))
        elif e.op == ".":
            found = instance.names.get(_dotted(e))
            if found is None:
                place = self._lookup(e.args[0], instance)
                found = place.names.get(str(e.data)) if isinstance(place, Instance) else None
        elif e.op == "[]":
            place = self._lookup(e.args[0], instance)
            if not isinstance(place, dict):
                return None
            index = self.one(e.args[1], instance)
            found = place.get(index.number if isinstance(index, Bits) else index)
        else:
            return None
        if isinstance(found, Meaning) and found.expr.op in ("name", ".", "[]", "self"):
            further = self._lookup(found.expr, found.instance)
            return found if further is None else further
        return found

    # -- values ------------------------------------------------------------------------------------

    def one(self, e: Expr, instance: Instance, later: bool = False) -> Any:
        """The value of an expression that has one."""
        found = self.values(e, instance, later)
        if len(found) != 1:
            raise Impossible("a set")
        return found[0]

    def _number(self, e: Expr, instance: Instance) -> int:
        value = self.one(e, instance)
        return value if isinstance(value, int) else int(value)

    def values(self, e: Expr, instance: Instance, later: bool = False) -> list[Any]:
        """All values of an expression; `later`: in the next state."""
        match e.op:
            case "int" | "bool" | "real":
                return [e.data]
            case "word":
                assert isinstance(e.data, tuple)
                return [Bits(*e.data)]
            case "name" | "." | "[]" | "self":
                return self._named(e, instance, later)
            case "next":
                return self.values(e.args[0], instance, True)
            case "case":
                return self._first(e.args, instance, later)
            case "?:":
                return self.values(
                    e.args[1] if self.one(e.args[0], instance, later) else e.args[2],
                    instance,
                    later,
                )
            case "{}" | "union":
                return [v for a in e.args for v in self.values(a, instance, later)]
            case "..":
                low, high = (self._number(a, instance) for a in e.args)
                if high - low > MAX_RANGE:
                    raise Impossible("a large range")
                return list(range(low, high + 1))
            case "in":
                left, right = (self.values(a, instance, later) for a in e.args)
                return [any(binary("=", a, b) for a in left for b in right)]
        return [
            self._applied(e, list(args))
            for args in product(*(self.values(a, instance, later) for a in e.args))
        ]

    def _applied(self, e: Expr, args: list[Any]) -> Any:
        a = args[0]
        match e.op:
            case "!":
                return (not a) if isinstance(a, bool) else bits(a.signed, a.width, ~a.pattern)
            case "neg":
                return bits(a.signed, a.width, -a.number) if isinstance(a, Bits) else -a
            case "[:]":
                high, low = args[1:]
                return Bits(
                    False, high - low + 1, (a.pattern >> low) & ((1 << (high - low + 1)) - 1)
                )
            case "call":
                return call(str(e.data), args)
        return binary(e.op, a, args[1])

    def _first(self, parts: tuple[Expr, ...], instance: Instance, later: bool) -> list[Any]:
        for condition, value in zip(parts[::2], parts[1::2], strict=True):
            if self.one(condition, instance, later):
                return self.values(value, instance, later)
        raise Impossible("no condition of a case holds")

    def _named(self, e: Expr, instance: Instance, later: bool) -> list[Any]:
        found = self._lookup(e, instance)
        if isinstance(found, str):
            return self._variable(found, later)
        if isinstance(found, Meaning):
            if (found, later) not in self._memo:
                self._memo[found, later] = self.values(found.expr, found.instance, later)
            return self._memo[found, later]
        if found is None and e.op == "[]":
            table: Table = self.one(e.args[0], instance, later)
            return [table.at(self.one(e.args[1], instance, later))]
        if found is None and e.data == "running":
            place = instance if e.op == "name" else self._place(e.args[0], instance)
            return [self._mover == place.mover]
        if found is None and e.op == "name":
            return [str(e.data)]
        raise Impossible(f"{e.data} has no value")

    def _variable(self, name: str, later: bool) -> list[Any]:
        state = self._later if later else self._now
        if state is None:
            raise Impossible("there is no next state")
        if name in state:
            return [state[name]]
        if name not in self.current:
            raise Impossible(f"{name} has no value")
        a, instance = self.current[name]
        return self.values(a.value, instance, later)

    @property
    def current(self) -> dict[str, tuple[Assignment, Instance]]:
        """The assignments of current values by the names of their variables."""
        if self._current is None:
            self._current = {
                self.target(a, f): (a, f) for a, f in self.assignments if a.kind == "now"
            }
        return self._current

    def target(self, a: Assignment, instance: Instance) -> str:
        """The name of the variable that is assigned."""
        name = self._lookup(a.target, instance)
        if not isinstance(name, str):
            raise Impossible("no variable is assigned")
        return name

    # -- runs --------------------------------------------------------------------------------------

    def initial(self, state: State) -> bool:
        """Is this a first state?"""
        self.at(state)
        starts = (
            (self.target(a, f), self.values(a.value, f))
            for a, f in self.assignments
            if a.kind == "init"
        )
        return self.allowed(state) and all(state[x] in vs for x, vs in starts) and self._all("INIT")

    def allowed(self, state: State) -> bool:
        """May a run be in this state?"""
        self.at(state)
        for name, (kind, t, instance) in self.variables.items():
            if kind == "IVAR" and name not in state:
                continue  # where no step is asked about
            if not all(self.of_type(v, t, instance) for v in self._variable(name, False)):
                return False
        fixed = ((x, self.values(a.value, f)) for x, (a, f) in self.current.items() if x in state)
        return all(state[x] in vs for x, vs in fixed) and self._all("INVAR")

    def step(self, state: State, mover: str, after: State) -> bool:
        """May `after` follow, if it is that process's turn? `state` has the inputs, too."""
        self.at(state, after, mover)
        assigned: dict[str, bool] = {}
        for a, f in self.assignments:
            if a.kind == "next":
                name = self.target(a, f)
                turn = f.mover == mover
                assigned[name] = assigned.get(name, False) or turn
                if turn and after[name] not in self.values(a.value, f):
                    return False
        kept = [x for x, moved in assigned.items() if not moved]
        kept += [x for x, (kind, *_) in self.variables.items() if kind == "FROZENVAR"]
        return all(after[x] == state[x] for x in kept) and self._all("TRANS")

    def holds(
        self,
        formula: Expr,
        instance: Instance,
        state: State,
        mover: str = "",
        after: State | None = None,
    ) -> bool:
        """Is a formula true?"""
        self.at(state, after, mover)
        return bool(self.one(formula, instance))

    def _all(self, kind: str) -> bool:
        return all(
            self.one(s.formulas[0], f)
            for f in self.instances
            for s in f.module.sections
            if s.kind == kind
        )

    def of_type(self, value: Any, t: TypeExpr, instance: Instance) -> bool:
        """Is this a value of the type?"""
        match t.kind:
            case "range":
                low, high = (self._number(e, instance) for e in t.args)
                return not isinstance(value, bool) and low <= value <= high
            case "enum":
                return any(type(v) is type(value) and v == value for v in t.values)
        return True

    def invariants(self) -> Iterator[tuple[Expr, Instance]]:
        """The formulas of INVARSPEC in the order in which they are numbered."""

        def inside(instance: Instance) -> Iterator[tuple[Expr, Instance]]:
            for v in instance.module.variables:
                yield from within(instance.names[v.name])
            yield from (
                (s.formula, instance) for s in instance.module.specs if s.kind == "INVARSPEC"
            )

        def within(found: Any) -> Iterator[tuple[Expr, Instance]]:
            if isinstance(found, Instance):
                yield from inside(found)
            elif isinstance(found, dict):
                for item in found.values():
                    yield from within(item)

        return inside(self.main)


def _dotted(e: Expr) -> str:
    parts: list[str] = []
    while e.op == ".":
        parts.insert(0, str(e.data))
        e = e.args[0]
    return ".".join([str(e.data), *parts]) if e.op == "name" else ""
