"""SMV by interpretation: the second reader. It shares the parser with the translation, and nothing
else.

A *frame* is an instance of a module; names are looked up when they are met. An expression has a set
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
class Frame:
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
    frame: Frame


class Simulation:
    """One model. `variables` are its scalar variables with their kinds and types."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.frames: list[Frame] = []
        self.variables: dict[str, tuple[str, TypeExpr, Frame]] = {}
        self.movers = [""]
        self.main = self._frame("", model.modules["main"], "")
        for frame in self.frames:
            for d in frame.module.defines:
                if d.target.op != "name":
                    self._place(d.target.args[0], frame).names[str(d.target.data)] = Meaning(
                        d.value, frame
                    )
        self.assignments = [(a, f) for f in self.frames for a in f.module.assignments]
        self._current: dict[str, tuple[Assignment, Frame]] | None = None
        self._now: State = {}
        self._later: State | None = None
        self._mover = ""
        self._memo: dict[tuple[Meaning, bool], list[Any]] = {}

    def at(self, now: State, later: State | None = None, mover: str = "") -> None:
        """From here on expressions are about this state, this next state and this process."""
        self._now, self._later, self._mover, self._memo = now, later, mover, {}

    # -- instances ---------------------------------------------------------------------------------

    def _frame(self, name: str, module: Module, mover: str) -> Frame:
        frame = Frame(name, module, mover)
        self.frames.append(frame)
        for d in module.defines:
            if d.target.op == "name":
                frame.names[str(d.target.data)] = Meaning(d.value, frame)
        for v in module.variables:
            full = f"{name}.{v.name}" if name else v.name
            frame.names[v.name] = self._declared(frame, v.kind, full, v.type)
        return frame

    def _declared(self, frame: Frame, kind: str, full: str, t: TypeExpr) -> Any:
        if t.kind == "module":
            if t.process:
                self.movers.append(full)
            inner = self._frame(
                full, self.model.modules[t.name], full if t.process else frame.mover
            )
            for p, e in zip(inner.module.parameters, t.args, strict=True):
                inner.names[p] = Meaning(e, frame)
            return inner
        if t.kind == "array":
            low, high = (self._number(e, frame) for e in t.args)
            return {
                n: self._declared(frame, kind, f"{full}[{n}]", t.types[0])
                for n in range(low, high + 1)
            }
        self.variables[full] = kind, t, frame
        return full

    def _place(self, e: Expr, frame: Frame) -> Frame:
        found = self._lookup(e, frame)
        if not isinstance(found, Frame):
            raise Impossible("no instance")
        return found

    def _lookup(self, e: Expr, frame: Frame) -> Any:
        """What an expression names: a frame, an array, a variable's name, a definition; None:
        nothing.
        """
        if e.op == "self":
            return frame
        if e.op == "name":
            found = frame.names.get(str(e.data))
        elif e.op == ".":
            found = frame.names.get(_dotted(e))
            if found is None:
                place = self._lookup(e.args[0], frame)
                found = place.names.get(str(e.data)) if isinstance(place, Frame) else None
        elif e.op == "[]":
            place = self._lookup(e.args[0], frame)
            if not isinstance(place, dict):
                return None
            index = self.one(e.args[1], frame)
            found = place.get(index.number if isinstance(index, Bits) else index)
        else:
            return None
        if isinstance(found, Meaning) and found.expr.op in ("name", ".", "[]", "self"):
            further = self._lookup(found.expr, found.frame)
            return found if further is None else further
        return found

    # -- values ------------------------------------------------------------------------------------

    def one(self, e: Expr, frame: Frame, later: bool = False) -> Any:
        """The value of an expression that has one."""
        found = self.values(e, frame, later)
        if len(found) != 1:
            raise Impossible("a set")
        return found[0]

    def _number(self, e: Expr, frame: Frame) -> int:
        value = self.one(e, frame)
        return value if isinstance(value, int) else int(value)

    def values(self, e: Expr, frame: Frame, later: bool = False) -> list[Any]:
        """All values of an expression; `later`: in the next state."""
        match e.op:
            case "int" | "bool" | "real":
                return [e.data]
            case "word":
                assert isinstance(e.data, tuple)
                return [Bits(*e.data)]
            case "name" | "." | "[]" | "self":
                return self._named(e, frame, later)
            case "next":
                return self.values(e.args[0], frame, True)
            case "case":
                return self._first(e.args, frame, later)
            case "?:":
                return self.values(
                    e.args[1] if self.one(e.args[0], frame, later) else e.args[2], frame, later
                )
            case "{}" | "union":
                return [v for a in e.args for v in self.values(a, frame, later)]
            case "..":
                low, high = (self._number(a, frame) for a in e.args)
                if high - low > MAX_RANGE:
                    raise Impossible("a large range")
                return list(range(low, high + 1))
            case "in":
                left, right = (self.values(a, frame, later) for a in e.args)
                return [any(binary("=", a, b) for a in left for b in right)]
        return [
            self._applied(e, list(args))
            for args in product(*(self.values(a, frame, later) for a in e.args))
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

    def _first(self, parts: tuple[Expr, ...], frame: Frame, later: bool) -> list[Any]:
        for condition, value in zip(parts[::2], parts[1::2], strict=True):
            if self.one(condition, frame, later):
                return self.values(value, frame, later)
        raise Impossible("no condition of a case holds")

    def _named(self, e: Expr, frame: Frame, later: bool) -> list[Any]:
        found = self._lookup(e, frame)
        if isinstance(found, str):
            return self._variable(found, later)
        if isinstance(found, Meaning):
            if (found, later) not in self._memo:
                self._memo[found, later] = self.values(found.expr, found.frame, later)
            return self._memo[found, later]
        if found is None and e.op == "[]":
            table: Table = self.one(e.args[0], frame, later)
            return [table.at(self.one(e.args[1], frame, later))]
        if found is None and e.data == "running":
            place = frame if e.op == "name" else self._place(e.args[0], frame)
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
        a, frame = self.current[name]
        return self.values(a.value, frame, later)

    @property
    def current(self) -> dict[str, tuple[Assignment, Frame]]:
        """The assignments of current values by the names of their variables."""
        if self._current is None:
            self._current = {
                self.target(a, f): (a, f) for a, f in self.assignments if a.kind == "now"
            }
        return self._current

    def target(self, a: Assignment, frame: Frame) -> str:
        """The name of the variable that is assigned."""
        name = self._lookup(a.target, frame)
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
        for name, (kind, t, frame) in self.variables.items():
            if kind == "IVAR" and name not in state:
                continue  # where no step is asked about
            if not all(self.of_type(v, t, frame) for v in self._variable(name, False)):
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
        self, formula: Expr, frame: Frame, state: State, mover: str = "", after: State | None = None
    ) -> bool:
        """Is a formula true?"""
        self.at(state, after, mover)
        return bool(self.one(formula, frame))

    def _all(self, kind: str) -> bool:
        return all(
            self.one(s.formulas[0], f)
            for f in self.frames
            for s in f.module.sections
            if s.kind == kind
        )

    def of_type(self, value: Any, t: TypeExpr, frame: Frame) -> bool:
        """Is this a value of the type?"""
        match t.kind:
            case "range":
                low, high = (self._number(e, frame) for e in t.args)
                return not isinstance(value, bool) and low <= value <= high
            case "enum":
                return any(type(v) is type(value) and v == value for v in t.values)
        return True

    def invariants(self) -> Iterator[tuple[Expr, Frame]]:
        """The formulas of INVARSPEC in the order in which they are numbered."""

        def inside(frame: Frame) -> Iterator[tuple[Expr, Frame]]:
            for v in frame.module.variables:
                yield from within(frame.names[v.name])
            yield from ((s.formula, frame) for s in frame.module.specs if s.kind == "INVARSPEC")

        def within(found: Any) -> Iterator[tuple[Expr, Frame]]:
            if isinstance(found, Frame):
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
