"""Are claims about Horn clauses true?
A model is checked clause by clause, a derivation step by step.

A model is one if for each clause whose head has a formula P (false, without a head)

    the formulas of the body and the constraints imply P, each with the arguments put in.

A relation without a formula is determined by its clauses, so in a body it stands for the
disjunction of their bodies; its own clauses then hold. That is well-defined only where such
relations do not depend on themselves, which is checked first. Everything is encoded in a fresh
store that does not simplify, with variables of its own for each use of a clause.

A derivation is one if in each step, by evaluation, the constraints hold and each atom of the body
has the arguments that the head of its premise has;
premises come before, and the last step has no head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from time import perf_counter

from obligato.models.horn import (
    Application,
    Clause,
    Derivation,
    DerivationStep,
    HornModel,
    HornSystem,
)
from obligato.program.graphs import on_cycles
from obligato.results.checking.solving import SAT, UNSAT, Link, Questions
from obligato.results.checking.status import CertificateCheck, Status
from obligato.terms import (
    BOOL,
    ArrayValue,
    Sort,
    Term,
    TermStore,
    Value,
    default_value,
    evaluate,
    free_vars,
)
from obligato.terms.semantics import settled
from obligato.terms.store import rebuild

MOST = 20_000  # uses of clauses that stand for relations without a formula, in one question


def check_model(
    system: HornSystem,
    model: HornModel,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check `model` with the solvers `links`."""
    start = perf_counter()
    malformed = next(_malformed(system, model), None)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    checker = _Checker(system, model, links, tick)
    for number, clause in enumerate(system.clauses):
        status, reason = checker.clause(clause)
        if status is not Status.ACCEPTED:
            name = f"clause {number + 1} ({clause.span})"
            return CertificateCheck(
                status, checker.names, checker.independent, name, reason, {}, perf_counter() - start
            )
    return CertificateCheck(
        Status.ACCEPTED,
        checker.names,
        checker.independent,
        seconds=perf_counter() - start,
        queries=checker.queries,
    )


def _malformed(system: HornSystem, model: HornModel) -> Iterator[str]:
    """Why the model cannot speak about these clauses."""
    for name, d in model.definitions.items():
        relation = system.relations.get(name)
        if relation is None:
            yield f"there is no relation {name}"
        elif tuple(p.sort for p in d.parameters) != relation.sorts or len(set(d.parameters)) != len(
            d.parameters
        ):
            yield f"{name} has other parameters"
        elif d.formula.sort is not BOOL:
            yield f"the formula of {name} has sort {d.formula.sort}"
        elif any(v not in d.parameters for v in free_vars(d.formula)):
            yield f"the formula of {name} is about something else than its parameters"
    left = [name for name in system.relations if name not in model.definitions]
    uses = {
        name: [a.relation.name for n in system.deriving(name) for a in system.clauses[n].body]
        for name in left
    }
    for name in on_cycles(left, {n: [q for q in qs if q in uses] for n, qs in uses.items()}):
        yield f"{name} has no formula and depends on itself"


class _Checker:
    def __init__(
        self, system: HornSystem, model: HornModel, links: Sequence[Link], tick: Callable[[], None]
    ) -> None:
        self.system, self.model, self.links, self.tick = system, model, links, tick
        self.used: dict[str, Link] = {}
        self.queries = 0

    @property
    def names(self) -> str:
        """The solvers that have answered."""
        return ", ".join(self.used)

    @property
    def independent(self) -> bool:
        """Are none of them the engine's own?"""
        return all(link.independent for link in self.used.values())

    def clause(self, clause: Clause) -> tuple[Status, str]:
        """Does the clause hold in the model?"""
        if clause.head is not None and clause.head.relation.name not in self.model.definitions:
            return Status.ACCEPTED, ""  # it is one of those that determine its relation
        encoding = _Encoding(self.system, self.model)
        formulas = encoding.broken(clause)
        if formulas is None:
            return Status.UNKNOWN, "relations without a formula stand for too many clauses"
        self.queries += 1
        with closing(Questions(self.links, formulas, self.tick)) as questions:
            # body and constraints and not the head: unsat - the clause holds;
            # sat - it does not   (required)
            reply = questions.ask([], "certify")
        if reply.link is not None:
            self.used[reply.link.name] = reply.link
        if reply.result is UNSAT:
            return Status.ACCEPTED, ""
        if reply.result is SAT:
            return Status.REFUTED, "the clause does not hold"
        return Status.UNKNOWN, reply.reason


class _Encoding:
    """The negation of one clause."""

    def __init__(self, system: HornSystem, model: HornModel) -> None:
        self.system, self.model, self.store = system, model, TermStore.raw()
        self.formulas: list[Term] = []
        # a condition, and the atom (of this store) that it must imply
        self.open: list[tuple[Term, Application]] = []
        self.count = 0

    def broken(self, clause: Clause) -> list[Term] | None:
        """Formulas that are satisfiable iff the clause is violated; None if they are too many."""
        copy = self._copy(clause)
        self.formulas += [copy(c) for c in clause.constraints]
        self.formulas += [self._holds(a, copy) for a in clause.body]
        if clause.head is not None:
            self.formulas.append(self.store.not_(self._holds(clause.head, copy)))
        while self.open:
            condition, atom = self.open.pop()
            cases = [
                self._case(atom, self.system.clauses[n])
                for n in self.system.deriving(atom.relation.name)
            ]
            self.formulas.append(
                self.store.or_(self.store.not_(condition), *(cases or [self.store.false]))
            )
            if self.count > MOST:
                return None
        return self.formulas

    def _copy(self, clause: Clause) -> Callable[[Term], Term]:
        """Terms of the clause with variables of their own."""
        self.count += 1
        memo = {v: self.store.fresh(f"{v.name}#{self.count}", v.sort) for v in clause.variables}
        return lambda t: rebuild(t, self.store, memo)

    def _holds(self, atom: Application, copy: Callable[[Term], Term]) -> Term:
        """The formula of an atom; for a relation without one,
        a condition that implies one of its clauses."""
        args = tuple(map(copy, atom.args))
        found = self.model.definitions.get(atom.relation.name)
        if found is not None:
            return rebuild(
                found.formula, self.store, dict(zip(found.parameters, args, strict=True))
            )
        condition = self.store.fresh(f"{atom.relation.name}?{self.count}", BOOL)
        self.open.append((condition, Application(atom.relation, args)))
        return condition

    def _case(self, atom: Application, clause: Clause) -> Term:
        """The clause derives the atom."""
        assert clause.head is not None
        copy = self._copy(clause)
        equal = [
            self.store.eq(x, copy(t)) for x, t in zip(atom.args, clause.head.args, strict=True)
        ]
        parts = [
            *equal,
            *map(copy, clause.constraints),
            *(self._holds(a, copy) for a in clause.body),
        ]
        return self.store.and_(*parts) if parts else self.store.true


# -- derivations -----------------------------------------------------------------------------------


def check_derivation(system: HornSystem, derivation: Derivation) -> str | None:
    """None: false is derived; else what is wrong."""
    heads: list[tuple[str, tuple[Value, ...]] | None] = []
    for n, step in enumerate(derivation.steps):
        if not 0 <= step.clause < len(system.clauses):
            return f"step {n + 1}: there is no clause {step.clause}"
        clause = system.clauses[step.clause]
        problem = _wrong(clause, step, heads)
        if problem is not None:
            return f"step {n + 1}: {problem}"
        heads.append(None if clause.head is None else _element(clause.head, _values(clause, step)))
    if not heads or heads[-1] is not None:
        return "false is not derived"
    return None


def _values(clause: Clause, step: DerivationStep) -> dict[Term, Value]:
    return {v: step.values.get(v.name, default_value(v.sort)) for v in clause.variables}


def _element(atom: Application, values: dict[Term, Value]) -> tuple[str, tuple[Value, ...]]:
    """The atom with its arguments' values; an array that may be told in several ways is told in one."""
    return atom.relation.name, tuple(_told(evaluate(t, values), t.sort) for t in atom.args)


def _told(value: Value, sort: Sort) -> Value:
    return settled(value, sort) if isinstance(value, ArrayValue) else value


def _wrong(
    clause: Clause, step: DerivationStep, heads: list[tuple[str, tuple[Value, ...]] | None]
) -> str | None:
    if clause.approximates is not None:
        return f"the clause refutes nothing ({clause.approximates})"
    values = _values(clause, step)
    for c in clause.constraints:
        if evaluate(c, values) is not True:
            return "a constraint of the clause does not hold"
    if len(step.premises) != len(clause.body):
        return "the clause needs other premises"
    for atom, premise in zip(clause.body, step.premises, strict=True):
        if not 0 <= premise < len(heads) or heads[premise] != _element(atom, values):
            return f"{atom.relation.name} is not derived with these arguments"
    return None
