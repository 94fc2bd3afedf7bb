"""Is a program well formed?  `validate` raises an InputError at the first place where it is not.

Checked: names are unique (scalar names over the whole program), every variable that occurs is
declared where it is used, sorts fit, labels are unique and exist, calls match their callee, the
entry exists.  The IVL reader calls it on each program; other front ends should, too.  Recursion is
allowed here; the inliner refuses it.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.errors import NO_SPAN, InputError, Span
from obligato.program.literals import type_text
from obligato.program.names import short_name
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Choice,
    Goto,
    Havoc,
    If,
    Label,
    Procedure,
    Program,
    Statement,
    Variable,
    While,
    flatten,
    statements,
)
from obligato.terms import BOOL, Op, Sort, Term, postorder

Scalars = dict[str, Sort]


def validate(program: Program) -> None:
    """Raise InputError unless the program is well formed."""
    if program.entry not in program.procedures:
        raise InputError(f"there is no procedure {program.entry}", Span(program.file, 1, 1))
    global_scalars: Scalars = {}
    for v in program.globals:
        if v.init is not None:
            _Checker(program, global_scalars).value(v.init, _sort_of(v), v.span)
        _declare(v, global_scalars, {})
    everything = dict(global_scalars)
    for p in program.procedures.values():
        own: Scalars = {}
        for v in (*p.parameters, *p.results, *p.locals):
            if v.init is not None or "::" not in v.name:
                raise InputError(
                    f"{v.name}: a local is named procedure::name and has no initial value", v.span
                )
            _declare(v, own, everything)
        everything.update(own)
        _Checker(program, {**global_scalars, **own}).procedure(p)


def _sort_of(v: Variable) -> Sort:
    if not isinstance(v.type, Sort):
        raise InputError(f"{v.name}: only a scalar has an initial value", v.span)
    return v.type


def _declare(v: Variable, table: Scalars, others: Scalars) -> None:
    for name, sort in flatten(v.name, v.type):
        if name in table or name in others:
            raise InputError(f"{short_name(name)} is declared twice", v.span)
        table[name] = sort


class _Checker:
    """The statements of one procedure, against the scalars in scope."""

    def __init__(self, program: Program, scope: Scalars) -> None:
        self.program = program
        self.scope = scope
        self.seen: dict[Term, None] = {}

    def procedure(self, p: Procedure) -> None:
        labels = _labels(p)
        for s in statements(p.body):
            self._statement(s, labels)

    def _statement(self, s: Statement, labels: dict[str, Span]) -> None:
        match s:
            case Assign():
                self._pairs(s.targets, s.values, s.span)
            case Havoc():
                self._targets(s.targets, s.span)
            case Assume() | Assert() | If() | While():
                if s.condition is not None:
                    self.value(s.condition, BOOL, s.span)
            case Choice() if not s.branches:
                raise InputError("a choice without branches", s.span)
            case Goto():
                missing = [t for t in s.targets if t not in labels]
                if missing or not s.targets:
                    raise InputError(f"goto: no label {', '.join(missing) or 'given'}", s.span)
            case Call():
                self._call(s)
            case _:
                pass

    def _call(self, s: Call) -> None:
        callee = self.program.procedures.get(s.callee)
        if callee is None:
            raise InputError(f"unknown procedure {s.callee}", s.span)
        parameters, results = list(_scalars(callee.parameters)), list(_scalars(callee.results))
        if len(parameters) != len(s.arguments) or len(results) != len(s.results):
            raise InputError(
                f"{s.callee} takes {len(parameters)} arguments and gives {len(results)} results",
                s.span,
            )
        for sort, e in zip(parameters, s.arguments, strict=True):
            self.value(e, sort, s.span)
        self._targets(s.results, s.span)
        for sort, x in zip(results, s.results, strict=True):
            self.value(x, sort, s.span)

    def _pairs(self, targets: tuple[Term, ...], values: tuple[Term, ...], span: Span) -> None:
        self._targets(targets, span)
        if len(targets) != len(values):
            raise InputError(f"{len(targets)} places but {len(values)} values", span)
        for x, e in zip(targets, values, strict=True):
            self.value(e, x.sort, span)

    def _targets(self, targets: tuple[Term, ...], span: Span) -> None:
        if len(dict.fromkeys(targets)) != len(targets) or any(t.op is not Op.VAR for t in targets):
            raise InputError("the places of a statement are distinct variables", span)
        for t in targets:
            self.value(t, t.sort, span)

    def value(self, e: Term, sort: Sort, span: Span) -> None:
        """`e` has `sort` and only variables that are in scope."""
        if e.store is not self.program.store:
            raise InputError("an expression of another store", span)
        if e.sort is not sort:
            raise InputError(f"{type_text(sort)} expected, found {type_text(e.sort)}", span)
        for t in postorder((e,), self.seen):
            if t.op is Op.VAR and self.scope.get(t.name) is not t.sort:
                raise InputError(f"unknown variable {t.name}", span)


def _scalars(variables: tuple[Variable, ...]) -> Iterator[Sort]:
    for v in variables:
        for _, sort in flatten(v.name, v.type):
            yield sort


def _labels(p: Procedure) -> dict[str, Span]:
    labels: dict[str, Span] = {}
    for s in statements(p.body):
        if isinstance(s, Label):
            if s.name in labels:
                raise InputError(f"label {s.name} is declared twice in {p.name}", s.span or NO_SPAN)
            labels[s.name] = s.span
    return labels
