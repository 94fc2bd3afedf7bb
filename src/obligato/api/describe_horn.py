"""Accepted models and derivations of Horn clauses as plain data for the user."""

from __future__ import annotations

from obligato.models.horn import (
    Application,
    Clause,
    Derivation,
    DerivationStep,
    HornModel,
    HornSystem,
    Relation,
)
from obligato.program.graphs import components
from obligato.results.checking.certificate import CertificateCheck
from obligato.results.outcome import CertificateReport, InvariantReport, StepReport, TraceReport
from obligato.results.values import to_json, to_text
from obligato.terms import Term, TermStore, default_value, evaluate
from obligato.terms.printer import symbol, to_smtlib
from obligato.terms.store import rebuild


def parameters(store: TermStore, relation: Relation) -> tuple[Term, ...]:
    """The names of a relation's arguments in reports: x0, x1, ..."""
    return tuple(store.var(f"x{n}", sort) for n, sort in enumerate(relation.sorts))


def _formula(relation: Relation, model: HornModel) -> Term:
    store, d = TermStore.raw(), model.definitions[relation.name]
    return rebuild(
        d.formula, store, dict(zip(d.parameters, parameters(store, relation), strict=True))
    )


def describe_model(
    system: HornSystem, model: HornModel, check: CertificateCheck
) -> CertificateReport:
    """The report of an accepted model: an invariant for each relation that has a formula, over x0,
    x1, ...
    """
    invariants = tuple(
        InvariantReport(
            n, r.name, r.span.file, r.span.line, to_smtlib(_formula(r, model)), None, True
        )
        for n, r in enumerate(system.relations.values())
        if r.name in model.definitions
    )
    return CertificateReport(
        1, invariants, True, check.independent, check.checker, round(check.seconds, 3), form="model"
    )


def definitions(system: HornSystem, model: HornModel) -> tuple[str, ...]:
    """The model as SMT-LIB; relations without a formula are what their clauses say."""
    uses = {
        name: [a.relation.name for n in system.deriving(name) for a in system.clauses[n].body]
        for name in system.relations
        if name not in model.definitions
    }
    ordered = [name for members in components(system.relations, uses) for name in members]
    lines = []
    for name in ordered:
        relation = system.relations[name]
        if name in model.definitions:
            text = to_smtlib(_formula(relation, model))
        else:
            cases = [_case(system.clauses[n]) for n in system.deriving(name)]
            text = f"(or {' '.join(cases)})" if len(cases) > 1 else cases[0] if cases else "false"
        params = " ".join(f"(x{n} {sort})" for n, sort in enumerate(relation.sorts))
        lines.append(f"(define-fun {symbol(name)} ({params}) Bool {text})")
    return tuple(lines)


def _case(clause: Clause) -> str:
    assert clause.head is not None
    store = TermStore.raw()
    bound = [store.var(f"v{n}", v.sort) for n, v in enumerate(clause.variables)]
    memo = dict(zip(clause.variables, bound, strict=True))  # grows with what is rebuilt

    def text(t: Term) -> str:
        return to_smtlib(rebuild(t, store, memo))

    parts = [f"(= x{n} {text(t)})" for n, t in enumerate(clause.head.args)]
    parts += [text(c) for c in clause.constraints]
    parts += [
        f"({symbol(a.relation.name)} {' '.join(map(text, a.args))})"
        if a.args
        else symbol(a.relation.name)
        for a in clause.body
    ]
    body = f"(and {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "true"
    return f"(exists ({' '.join(f'({v.name} {v.sort})' for v in bound)}) {body})" if bound else body


def describe_derivation(system: HornSystem, derivation: Derivation) -> TraceReport:
    """The report of a derivation: one step for each use of a clause, with the numbers (from 0) of
    the steps it rests on.
    """
    steps = tuple(_step(system.clauses[s.clause], s) for s in derivation.steps)
    return TraceReport({}, {}, steps, True, "false is derived")


def _step(clause: Clause, step: DerivationStep) -> StepReport:
    values = {v: step.values.get(v.name, default_value(v.sort)) for v in clause.variables}

    def shown(a: Application) -> str:
        args = ", ".join(to_text(to_json(evaluate(t, values), t.sort)) for t in a.args)
        return f"{a.relation.name}({args})" if a.args else a.relation.name

    head = "false" if clause.head is None else shown(clause.head)
    rests = f" from {', '.join(str(p + 1) for p in step.premises)}" if step.premises else ""
    inputs = {v.name: to_json(value, v.sort) for v, value in values.items()}
    return StepReport(
        step.clause,
        clause.span.file,
        clause.span.line,
        head + rests,
        {},
        inputs,
        clause.span.column,
        premises=step.premises,
    )
