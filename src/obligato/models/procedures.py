"""Programs with recursive procedures:
one CFA for the entry and one for each procedure that is not inlined.

In the CFA of a procedure a call is one edge that gives any value to the caller's result variables
and to the globals that the callee may change; its `CallSite` says what is called, with which
arguments, and which inputs of the edge stand for what comes back. So the CFA by itself is an
over-approximation, and a summary of the callee makes it exact.

Locations and edges are numbered through all CFAs.
A halt inside a called procedure ends the run: an assumption that never holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from obligato.errors import Unsupported
from obligato.models.build import build_procedure
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign
from obligato.program.activation import procedure_scalars, scalars
from obligato.program.inline import inline_all_but, recursive_procedures
from obligato.program.syntax import Assign as AssignStatement
from obligato.program.syntax import (
    Assume,
    Call,
    Choice,
    Halt,
    Havoc,
    If,
    Procedure,
    Program,
    Statement,
    While,
    statements,
)
from obligato.program.tail_calls import without_tail_calls
from obligato.terms import Sort, Term, Value, free_vars


@dataclass(frozen=True, slots=True)
class CallSite:
    """What the call edge `edge` stands for;
    `after` maps result variables and globals to the edge's inputs."""

    edge: int
    callee: str
    arguments: tuple[Term, ...]
    results: tuple[Term, ...]
    after: Mapping[Term, Term]


@dataclass(frozen=True, eq=False)
class ProcedureCFA:
    """One procedure. `exit` is the location of its end, None if that is not reached. `fresh`:
    results and own locals, in the order in which a call gives them values."""

    name: str
    cfa: CFA
    parameters: tuple[Term, ...]
    results: tuple[Term, ...]
    fresh: tuple[Term, ...]
    calls: dict[int, CallSite]
    exit: int | None
    changes: dict[Term, None]  # globals that it or what it calls may change
    uses: dict[Term, None]  # globals that it or what it calls may read or change
    used_by_callee: dict[str, dict[Term, None]]


def entry_value(x: Term) -> Term:
    """The variable that stands for the value of x when its procedure was entered."""
    return x.store.var(f"{x.name}@entry", x.sort)


@dataclass(frozen=True, slots=True)
class Contract:
    """What is claimed of a procedure:
    if `requires` holds at its entry, no assertion fails, and at its exit `ensures` holds.

    `requires` is about values at the entry (`entry_value` of parameters and globals), `ensures`
    about these, results and globals; the `invariants`, by location, about these and all variables
    of the procedure. The entry has invariants only.
    """

    requires: Term
    ensures: Term
    invariants: dict[int, Term]


@dataclass(frozen=True, slots=True)
class Contracts:
    """A contract for each procedure by name: the claim that no run violates an assertion."""

    procedures: dict[str, Contract]


@dataclass(frozen=True, slots=True)
class Script:
    """A run of a program by what it does not determine itself: start values by name, the values of
    havocs (with the name of the variable) in the order in which the run needs them, and its
    choices: the claim that it violates an assertion."""

    initial: Mapping[str, Value]
    values: tuple[tuple[str, Value], ...]
    choices: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RecursiveProgram:
    """The entry, whose runs begin with the program's, and the procedures by name;
    `source` is the program as it was read."""

    source: Program
    entry: ProcedureCFA
    procedures: dict[str, ProcedureCFA]

    def all(self) -> list[ProcedureCFA]:
        """All procedures, the entry first."""
        return [self.entry, *self.procedures.values()]


def is_recursive(program: Program) -> bool:
    """Does the entry reach a procedure that calls itself?"""
    return bool(recursive_procedures(program))


def split_program(source: Program) -> RecursiveProgram:
    """The CFAs of a recursive program;
    tail calls are jumps, and what is not recursive then is inlined."""
    _refuse_names(source)
    looping = without_tail_calls(source)
    program = inline_all_but(looping, recursive_procedures(looping))
    called = {name: p for name, p in program.procedures.items() if name != program.entry}
    program = replace(
        program,
        procedures={
            **program.procedures,
            **{name: replace(p, body=_without_halt(program, p.body)) for name, p in called.items()},
        },
    )
    effects = _Effects(program)
    first = 0
    made: dict[str, ProcedureCFA] = {}
    for name in program.procedures:
        made[name] = _procedure(program, source, name, effects, first)
        first += max(len(made[name].cfa.edges), len(made[name].cfa.locations))
    return RecursiveProgram(source, made.pop(program.entry), made)


def _refuse_names(source: Program) -> None:
    """No variable has the name that stands for the value of another at the entry."""
    names = dict(
        (
            *scalars(source.globals),
            *(x for p in source.procedures.values() for x in procedure_scalars(p)),
        )
    )
    for name, sort in names.items():
        needed = entry_value(source.store.var(name, sort)).name
        if needed in names:
            message = f"the name {needed!r} is needed for a value at the entry of a procedure"
            raise Unsupported(message, source.procedures[source.entry].span, "names")


def _without_halt(program: Program, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The body with `assume false` for `halt`;
    nested statements are rebuilt from the inside, without recursion."""
    if not any(isinstance(s, Halt) for s in statements(body)):
        return body
    done: dict[int, Statement] = {}
    for s in reversed(list(statements(body))):
        done[id(s)] = _plain(s, done, program)
    return tuple(done[id(s)] for s in body)


def _plain(s: Statement, done: dict[int, Statement], program: Program) -> Statement:
    match s:
        case Halt():
            return Assume(program.store.false, s.span)
        case If():
            return replace(
                s,
                then=tuple(done[id(t)] for t in s.then),
                otherwise=tuple(done[id(t)] for t in s.otherwise),
            )
        case While():
            return replace(s, body=tuple(done[id(t)] for t in s.body))
        case Choice():
            return replace(s, branches=tuple(tuple(done[id(t)] for t in b) for b in s.branches))
        case _:
            return s


class _Effects:
    """The globals that each procedure reads or changes, calls included."""

    def __init__(self, program: Program) -> None:
        known = {program.store.var(n, s): None for n, s in scalars(program.globals)}
        self.changes = {name: self._own(p, known, False) for name, p in program.procedures.items()}
        self.uses = {name: self._own(p, known, True) for name, p in program.procedures.items()}
        for table in (self.changes, self.uses):
            changed = True
            while changed:
                changed = False
                for name, p in program.procedures.items():
                    before = len(table[name])
                    for call in _calls(p):
                        table[name].update(table[call.callee])
                    changed = changed or len(table[name]) > before

    @staticmethod
    def _own(p: Procedure, known: Mapping[Term, None], reads: bool) -> dict[Term, None]:
        found: dict[Term, None] = {}
        for s in statements(p.body):
            if isinstance(s, AssignStatement | Havoc):
                found.update({x: None for x in s.targets if x in known})
            if isinstance(s, Call):
                found.update({x: None for x in s.results if x in known})
            if reads:
                found.update({x: None for x in free_vars(*_terms(s)) if x in known})
        return found


def _calls(p: Procedure) -> Iterator[Call]:
    return (s for s in statements(p.body) if isinstance(s, Call))


def _terms(s: Statement) -> list[Term]:
    if isinstance(s, AssignStatement):
        return list(s.values)
    if isinstance(s, Call):
        return list(s.arguments)
    condition = getattr(s, "condition", None)
    return [] if condition is None else [condition]


def _shifted(cfa: CFA, first: int) -> CFA:
    """The CFA with its locations and edges numbered from `first` on."""
    edges = tuple(
        replace(e, id=e.id + first, source=e.source + first, target=e.target + first)
        for e in cfa.edges
    )
    locations = {n + first: replace(loc, id=n + first) for n, loc in cfa.locations.items()}
    return replace(
        cfa, locations=locations, edges=edges, initial=cfa.initial + first, error=cfa.error + first
    )


def without_limits(program: RecursiveProgram) -> RecursiveProgram:
    """The program in which limits are assumed and over-approximations not used:
    every run of it counts."""

    def left(p: ProcedureCFA) -> ProcedureCFA:
        return replace(
            p, cfa=replace(p.cfa, edges=tuple(e for e in p.cfa.edges if not e.refutes_nothing))
        )

    return replace(
        program,
        entry=left(program.entry),
        procedures={n: left(p) for n, p in program.procedures.items()},
    )


def _procedure(
    program: Program, source: Program, name: str, effects: _Effects, first: int
) -> ProcedureCFA:
    calls: dict[int, Call] = {}

    def changes(edge: int, call: Call) -> list[Term]:
        calls[edge] = call
        return list(dict.fromkeys((*call.results, *effects.changes[call.callee])))

    p = program.procedures[name]
    entry = name == program.entry
    cfa = build_procedure(program, None if entry else name, changes)
    cfa = _shifted(cfa, first)
    exits = [n for n, loc in cfa.locations.items() if loc.name == "exit"]
    sites = {}
    for e in cfa.edges:
        call = calls.get(e.id - first)
        if call is not None:
            assert isinstance(e.command, Assign)
            sites[e.id] = CallSite(
                e.id, call.callee, call.arguments, call.results, dict(e.command.pairs)
            )
    original = source.procedures[p.name or source.entry]  # without the locals of what was inlined

    def terms(pairs: Iterable[tuple[str, Sort]]) -> tuple[Term, ...]:
        return tuple(program.store.var(n, s) for n, s in pairs)

    parameters = terms(scalars(p.parameters))
    return ProcedureCFA(
        name,
        cfa,
        parameters,
        terms(scalars(p.results)),
        terms(procedure_scalars(original)[len(parameters) :]),
        sites,
        exits[0] if exits else None,
        effects.changes[name],
        effects.uses[name],
        {c.callee: effects.uses[c.callee] for c in _calls(p)},
    )
