"""From an inlined program to its control-flow automaton [LNNK19, Def. 4]:
the original that all checking refers to.

One location per program point, numbered in the order of the text; one edge per primitive statement,
two per branch (assume the condition, assume its negation) and per assert (to the error location,
and on).  Labels and single gotos are no points of their own.  `havoc x` assigns a fresh input
``x!in<edge>``.  What no path reaches is left out; the initial location is the first point, or a
fresh one if a loop returns there.  `_layout` puts structured statements in a row with explicit
jumps, `_Builder` turns points into edges; neither recurses, both are linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from obligato.errors import NO_SPAN, InternalError, Span
from obligato.models import gcl
from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.program.activation import initial_assignments, procedure_scalars, scalars
from obligato.program.names import original_name, short_name
from obligato.program.printer import guard_texts, head_text
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Halt,
    Havoc,
    If,
    Label,
    Program,
    Return,
    Statement,
    While,
)
from obligato.terms import Term

# Told the number of the edge of a call, it says which variables the call may change.
CallEdge = Callable[[int, Call], Iterable[Term]]
# Where a jump leads: a label (str), a point (int),
# the end or a branch of the statement at a point (tuple), or EXIT.
Key = str | int | tuple[int, str | int] | None
EXIT: Key = (-1, "exit")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark in the list of statements: jumps to `key` lead to the next point."""

    key: Key


@dataclass(frozen=True, slots=True)
class _Jump:
    """A point without a statement, from which control passes to `key` at once."""

    key: Key


@dataclass(slots=True)
class _Point:
    """A program point; None as successor is the next point in the row."""

    statement: Statement | _Jump | None
    successors: tuple[Key, ...] = (None,)


def _layout(body: tuple[Statement, ...]) -> tuple[list[_Point], dict[Key, int]]:
    """All points in the order of the text, the exit last, and the index that each key leads to."""
    points: list[_Point] = []
    marks: dict[Key, int] = {}
    stack: list[Statement | _Mark | _Jump] = list(reversed(body))
    while stack:
        s = stack.pop()
        if isinstance(s, _Mark):
            marks[s.key] = len(points)
        elif isinstance(s, Label):
            marks[s.name] = len(points)
        else:
            point, rest = _point(s, len(points))
            points.append(point)
            stack.extend(reversed(rest))
    marks[EXIT] = len(points)
    points.append(_Point(None, ()))
    return points, marks


def _point(s: Statement | _Jump, here: int) -> tuple[_Point, list[Statement | _Mark | _Jump]]:
    """The point (number `here`) of a statement,
    and what follows it in the row before the next statement."""
    end = (here, "end")
    match s:
        case _Jump():
            return _Point(s, (s.key,)), []
        case If():
            if not s.otherwise:
                return _Point(s, (None, end)), [*s.then, _Mark(end)]
            other = (here, "else")
            return _Point(s, (None, other)), [
                *s.then,
                _Jump(end),
                _Mark(other),
                *s.otherwise,
                _Mark(end),
            ]
        case While():
            return _Point(s, (None, end)), [*s.body, _Jump(here), _Mark(end)]
        case Choice():
            rest: list[Statement | _Mark | _Jump] = []
            for i, b in enumerate(s.branches):
                rest += [_Mark((here, i)), *b, _Jump(end)]
            return _Point(s, tuple((here, i) for i in range(len(s.branches)))), [*rest, _Mark(end)]
        case Goto():
            return _Point(_Jump(s.targets[0]) if len(s.targets) == 1 else s, s.targets), []
        case Return() | Halt():
            return _Point(_Jump(EXIT), (EXIT,)), []
        case _:
            return _Point(s), []


def _targets(points: list[_Point], marks: dict[Key, int]) -> list[tuple[int, ...]]:
    """The successors of each point as indices, with jumps followed to where they end."""
    end: dict[int, int] = {}

    def where(i: int, key: Key) -> int:
        return i + 1 if key is None else key if isinstance(key, int) else marks[key]

    def follow(i: int) -> int:
        path: dict[int, None] = {}
        while i not in end and i not in path and isinstance(points[i].statement, _Jump):
            path[i] = None
            i = where(i, points[i].successors[0])
        i = end.get(i, i)  # a cycle of jumps ends at one of them: a point that only leads to itself
        end.update(dict.fromkeys(path, i))
        return i

    return [tuple(follow(where(i, k)) for k in p.successors) for i, p in enumerate(points)]


class _Builder:
    """Numbers the reachable points and makes their edges."""

    def __init__(
        self, program: Program, procedure: str | None = None, calls: CallEdge | None = None
    ) -> None:
        self.program, self.calls = program, calls
        self.store = program.store
        self.first = procedure is None
        self.entry = program.procedures[program.entry if procedure is None else procedure]
        names = (*scalars(program.globals), *procedure_scalars(self.entry))
        self.variables = tuple(self.store.var(n, s) for n, s in names)
        self.taken = frozenset(n for n, _ in names)
        self.inputs: list[Term] = []
        self.edges: list[Edge] = []

    def build(self) -> CFA:
        begin = initial_assignments(self.program) if self.first else []
        points, marks = _layout((*begin, *self.entry.body))
        # the way in: a jump to the first point, followed like any other
        points.append(_Point(_Jump(0), (0,)))
        targets = _targets(points, marks)
        first = targets[-1][0]
        number = {p: n for n, p in enumerate(sorted(_reachable(first, targets)))}
        error = len(number)
        locations = {n: self._location(n, points[p]) for p, n in number.items()}
        locations[error] = Location(error, "error")
        for p, n in number.items():
            self._edges(points[p], n, tuple(number[t] for t in targets[p]), error)
        initial = self._initial(number[first], locations)
        return CFA(
            self.store,
            self.variables,
            tuple(self.inputs),
            locations,
            tuple(self.edges),
            initial,
            error,
            self.program.file,
            {v.name: self._display(v.name) for v in self.variables},
            self.program.places,
        )

    def _display(self, name: str) -> str:
        """The short name, unless it is that of a global."""
        short = short_name(name)
        return original_name(name) if short != name and short in self.taken else short

    def _location(self, n: int, point: _Point) -> Location:
        if point.statement is None:
            return Location(n, "exit", self.entry.span)
        s = point.statement
        return Location(
            n, f"l{n}", getattr(s, "span", NO_SPAN), inner=isinstance(s, While) and not s.head
        )

    def _initial(self, first: int, locations: dict[int, Location]) -> int:
        if all(e.target != first for e in self.edges):
            return first
        fresh = len(locations)
        locations[fresh] = Location(fresh, "start", self.entry.span)
        self._add(fresh, first, gcl.SKIP, NO_SPAN, "")
        return fresh

    def _add(self, source: int, target: int, command: gcl.Command, span: Span, text: str) -> None:
        self.edges.append(Edge(len(self.edges), source, target, command, span, text))

    def _mark_last(self, **changes: object) -> None:
        self.edges[-1] = replace(self.edges[-1], **changes)  # type: ignore[arg-type]

    def _assertion(self, s: Assert, n: int, to: int, error: int) -> None:
        text = head_text(s)
        self._add(n, error, gcl.Assume(self.store.not_(s.condition)), s.span, text)
        self._mark_last(violation=Violation(s.label, s.kind, s.span))
        self._add(n, to, gcl.Assume(s.condition), s.span, text)

    def _edges(self, point: _Point, n: int, to: tuple[int, ...], error: int) -> None:
        s = point.statement
        match s:
            case None:
                return
            case Assign():
                self._add(
                    n,
                    to[0],
                    gcl.Assign(tuple(zip(s.targets, s.values, strict=True))),
                    s.span,
                    head_text(s),
                )
            case Havoc():
                self._add(n, to[0], gcl.Assign(self._havoc(s)), s.span, head_text(s))
                self._mark_last(approximates=s.approximates, asks=s.source)
            case Assume():
                self._add(n, to[0], gcl.Assume(s.condition), s.span, head_text(s))
            case Assert():
                self._assertion(s, n, to[0], error)
            case If(condition=Term() as c) | While(condition=Term() as c):
                holds, fails = guard_texts(c)
                self._add(n, to[0], gcl.Assume(c), s.span, holds)
                self._add(n, to[1], gcl.Assume(self.store.not_(c)), s.span, fails)
            case If() | While() | Choice() | Goto():
                for i, t in enumerate(to):
                    self._add(n, t, gcl.SKIP, s.span, head_text(s))
                    self._mark_last(choice=i)
            case _Jump():
                self._add(n, n, gcl.SKIP, NO_SPAN, "")
            case Call() if self.calls is not None:
                self._add(
                    n,
                    to[0],
                    gcl.Assign(self._unknown(self.calls(len(self.edges), s))),
                    s.span,
                    head_text(s),
                )
            case Call() | Label() | Return() | Halt():
                raise InternalError(f"{head_text(s)}: no edge for it (is the program inlined?)")

    def _havoc(self, s: Havoc) -> tuple[tuple[Term, Term], ...]:
        """A fresh input of this edge for each target."""
        return self._unknown(s.targets)

    def _unknown(self, targets: Iterable[Term]) -> tuple[tuple[Term, Term], ...]:
        pairs = []
        for x in targets:
            name = f"{x.name}!in{len(self.edges)}"
            while name in self.taken:
                name += "!"
            pairs.append((x, self.store.var(name, x.sort)))
        self.inputs += [i for _, i in pairs]
        return tuple(pairs)


def _reachable(first: int, targets: list[tuple[int, ...]]) -> dict[int, None]:
    seen, stack = {first: None}, [first]
    while stack:
        for t in targets[stack.pop()]:
            if t not in seen:
                seen[t] = None
                stack.append(t)
    return seen


def build_procedure(program: Program, procedure: str | None, calls: CallEdge) -> CFA:
    """The CFA of a procedure with calls (None: of the entry, as it begins a run),
    in the program's raw store.

    A call is an edge that gives any value to what `calls` says it may change;
    who reads the CFA knows more about it.
    """
    return _Builder(program, procedure, calls).build()


def build_cfa(program: Program) -> CFA:
    """The CFA of the entry procedure, in the program's raw store; the program must be inlined."""
    return _Builder(program).build()
