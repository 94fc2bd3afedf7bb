"""MCMT: state types, sets of states, transitions, systems and queries, with terms of SMT-LIB.

    (define-state-type S ((x Real) ...) ((i Bool) ...))     variables, and inputs if there are any
    (define-states I S f)                                   f over x, or over state.x
    (define-transition T S f)                               f over state.x, next.x, input.i; x, x'
    (define-transition-system M S I T)                      sets and transitions, by name or not
    (query M f)                                             does f hold in all reachable states?
    (define-constant c v)                                   a name for a value

A name of a set of states means its formula in later formulas about states; a name of a transition
its formula in transitions. All queries must be about one system; they are called query0, query1 and
so on. Other commands are refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.quotients import check_quotients
from obligato.frontends.reading import read_text
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import BOOL, Sort, Term, TermStore, free_vars
from obligato.terms.smtlib import Atom, Scope, SList, Source, TermReader, show, symbol_name
from obligato.terms.smtlib.sexpr import SExpr, iter_sexprs


def load(file: str | Path) -> TransitionSystem:
    """The system in a file."""
    return parse(read_text(file), str(file))


def parse(text: str, file: str = "<text>") -> TransitionSystem:
    """The system in a string; `file` is the name for messages."""
    return _Reader(Source(text, file)).system()


@dataclass(slots=True)
class _StateType:
    state: dict[str, Term] = field(default_factory=dict)
    inputs: dict[str, Term] = field(default_factory=dict)
    sets: dict[str, Term] = field(default_factory=dict)
    transitions: dict[str, Term] = field(default_factory=dict)

    def now(self) -> dict[str, Term]:
        """The names that a formula about states may use."""
        return {**self.sets, **self.state, **{f"state.{x}": t for x, t in self.state.items()}}

    def step(self) -> dict[str, Term]:
        """The names that a formula about transitions may use."""
        later = {x: next_var(t) for x, t in self.state.items()}
        inputs = {name: t for i, t in self.inputs.items() for name in (i, f"input.{i}")}
        return {
            **self.transitions,
            **self.now(),
            **inputs,
            **{f"next.{x}": t for x, t in later.items()},
            **{f"{x}'": t for x, t in later.items()},
        }


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.store = source, TermStore.raw()
        self.reader = TermReader(self.store, Scope.initial(self.store), source)
        self.types: dict[str, _StateType] = {}
        self.systems: dict[str, tuple[_StateType, Term, Term]] = {}
        self.queries: list[Assertion] = []
        self.asked = ""

    def system(self) -> TransitionSystem:
        """The system that the queries are about; without queries the last one."""
        for command in iter_sexprs(self.source):
            self._command(command)
        if not self.systems:
            raise InputError("there is no transition system", Span(self.source.filename, 1, 1))
        kind, init, trans = self.systems[self.asked or next(reversed(self.systems))]
        return TransitionSystem(
            self.store,
            tuple(kind.state.values()),
            tuple(kind.inputs.values()),
            init,
            trans,
            tuple(self.queries),
        )

    # -- commands ----------------------------------------------------------------------------------

    def _command(self, command: SExpr) -> None:
        if not isinstance(command, SList) or not command or not isinstance(command[0], Atom):
            raise self._error("a command is needed", command)
        match command[0], len(command):
            case "define-state-type", 3 | 4:
                self._define_type(command)
            case "define-states", 4:
                kind, name = self._type(command[2]), self._new(command[1])
                kind.sets[name] = self._formula(command[3], kind.now())
            case "define-transition", 4:
                kind, name = self._type(command[2]), self._new(command[1])
                kind.transitions[name] = self._formula(command[3], kind.step())
            case "define-transition-system", 5:
                self._define_system(command)
            case "define-constant", 3:
                self.reader.scope.constants[self._new(command[1])] = self._term(command[2], {})
            case "query", 3:
                self._query(command)
            case other, _:
                known = (
                    "define-state-type",
                    "define-states",
                    "define-transition",
                    "define-transition-system",
                    "query",
                )
                if other in known:
                    raise self._error(f"{other} has too many or too few parts", command)
                raise Unsupported(
                    f"{show(command[0])} is not supported",
                    self.source.span(command.pos),
                    show(command[0]),
                )

    def _define_type(self, command: SList) -> None:
        kind = _StateType()
        name = self._symbol(command[1])
        if name in self.types or self.types:
            raise Unsupported(
                "only one state type is supported", self.source.span(command.pos), "state types"
            )
        for variables, part in zip((kind.state, kind.inputs), command[2:], strict=False):
            if not isinstance(part, SList):
                raise self._error("a list of variables is needed", part)
            for v in part:
                x, sort = self._variable(v)
                if x in kind.state or x in kind.inputs:
                    raise self._error(f"{x} is declared twice", v)
                variables[x] = self.store.var(x, sort)
        for x, t in kind.state.items():
            if self.store.lookup(f"{x}'") is not None:
                raise self._error(f"the name {x}' is needed for the next state of {x}", command)
            next_var(t)
        self.types[name] = kind

    def _variable(self, v: SExpr) -> tuple[str, Sort]:
        if not isinstance(v, SList) or len(v) != 2:
            raise self._error("a variable with its sort is needed", v)
        return self._symbol(v[0]), self.reader.read_sort(v[1])

    def _define_system(self, command: SList) -> None:
        name, kind = self._new(command[1]), self._type(command[2])
        init, trans = self._formula(command[3], kind.now()), self._formula(command[4], kind.step())
        self.systems[name] = kind, init, trans

    def _query(self, command: SList) -> None:
        name = self._symbol(command[1])
        if name not in self.systems:
            raise self._error(f"there is no system {name}", command)
        if self.asked not in ("", name):
            raise Unsupported(
                "queries about several systems are not supported",
                self.source.span(command.pos),
                "query",
            )
        self.asked = name
        formula = self._formula(command[2], self.systems[name][0].now())
        self.queries.append(
            Assertion(f"query{len(self.queries)}", formula, self.source.span(command.pos))
        )

    # -- parts -------------------------------------------------------------------------------------

    def _error(self, message: str, where: SExpr) -> InputError:
        return self.source.error(message, where)

    def _symbol(self, e: SExpr) -> str:
        if not isinstance(e, Atom) or e[0] in '0123456789#:"':
            raise self._error("a name is needed", e)
        return symbol_name(e)

    def _new(self, e: SExpr) -> str:
        name = self._symbol(e)
        taken = [n for kind in self.types.values() for n in kind.step()]
        if name in self.systems or name in taken or name in self.reader.scope.constants:
            raise self._error(f"{name} is defined twice", e)
        return name

    def _type(self, e: SExpr) -> _StateType:
        name = self._symbol(e)
        if name not in self.types:
            raise self._error(f"there is no state type {name}", e)
        return self.types[name]

    def _formula(self, e: SExpr, names: dict[str, Term]) -> Term:
        term = self._term(e, names)
        if term.sort is not BOOL:
            raise self._error(f"a formula is needed, not a term of sort {term.sort}", e)
        return term

    def _term(self, e: SExpr, names: dict[str, Term]) -> Term:
        term = self.reader.read(e, names)
        if self.reader.annotations:
            raise Unsupported(
                "attributes are not supported", self.reader.annotations[0].span, "attribute"
            )
        check_quotients((term,), self.source.span(e.pos))
        known = free_vars(*names.values())
        strangers = [v.name for v in free_vars(term) if v not in known]
        if strangers:
            raise self._error(f"the variable {strangers[0]} is not known here", e)
        return term
