"""Are contracts a proof? Each procedure is checked by itself,
calls by the contracts of what they call (DESIGN 4).

For a procedure p a CFA is made in which every violation of its contract is a step to the error
location:

    entry       assume that the entry values are the present ones, and that `requires` holds of them
    a call      to the error, if the callee's `requires` does not hold of the arguments; else any
                values come back of which its `ensures` holds; globals that neither the callee nor
                what it calls assigns keep theirs
    exit        to the error, if `ensures` does not hold

and its invariants are a certificate for that CFA as for any other (`checking.certificate`). The
entry of the program begins where runs begin, and promises nothing to anybody. If all procedures are
accepted, no run violates an assertion:
a shortest run to a violation would violate a contract before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.models.claims import Certificate
from obligato.models.gcl import Assign, Assume, Seq
from obligato.models.procedures import (
    CallSite,
    Contracts,
    ProcedureCFA,
    RecursiveProgram,
    entry_value,
)
from obligato.program.activation import scalars
from obligato.results.checking.certificate import CertificateCheck, Status, check_certificate
from obligato.terms import BOOL, Term, free_vars
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.results.checking.solving import Link


def check_contracts(
    program: RecursiveProgram,
    contracts: Contracts,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check the contracts of all procedures with the solvers `links`."""
    wrong = next(_malformed(program, contracts), None)
    if wrong is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=wrong)
    checks: list[CertificateCheck] = []
    for p in program.all():
        cfa = _Obliged(program, contracts, p).cfa()
        check = check_certificate(
            cfa, Certificate(contracts.procedures[p.name].invariants), links, tick
        )
        checks.append(check)
        if check.status is not Status.ACCEPTED:
            return replace(
                check, obligation=f"{p.name or program.source.entry}: {check.obligation}"
            )
    names = dict.fromkeys(name for c in checks if c.checker for name in c.checker.split(", "))
    return CertificateCheck(
        Status.ACCEPTED,
        ", ".join(names),
        all(c.independent for c in checks),
        seconds=sum(c.seconds for c in checks),
        queries=sum(c.queries for c in checks),
    )


def _globals(program: RecursiveProgram) -> list[Term]:
    """The global variables of the program."""
    return [program.source.store.var(n, s) for n, s in scalars(program.source.globals)]


def _malformed(program: RecursiveProgram, contracts: Contracts) -> Iterator[str]:
    """Why the contracts cannot speak about this program."""
    known = _globals(program)
    for p in program.all():
        contract = contracts.procedures.get(p.name)
        if contract is None:
            yield f"{p.name} has no contract"
            continue
        olds = {entry_value(x).name: x.sort for x in (*p.parameters, *known)}
        after = {x.name: x.sort for x in (*p.results, *known)}
        for what, formula, names in (
            ("requires", contract.requires, olds),
            ("ensures", contract.ensures, {**olds, **after}),
        ):
            if formula.sort is not BOOL or any(
                names.get(v.name) is not v.sort for v in free_vars(formula)
            ):
                yield f"what {p.name} {what} is about something else"
    for name in contracts.procedures:
        if name != program.entry.name and name not in program.procedures:
            yield f"there is no procedure {name}"


class _Obliged:
    """The CFA of one procedure in which breaking a contract is an error."""

    def __init__(self, program: RecursiveProgram, contracts: Contracts, p: ProcedureCFA) -> None:
        self.program, self.contracts, self.p = program, contracts, p
        self.store, self.globals = p.cfa.store, _globals(program)
        self.number = max((e.id for e in p.cfa.edges), default=0)
        self.inputs: list[Term] = list(p.cfa.inputs)

    def cfa(self) -> CFA:
        """The procedure with its obligations."""
        cfa, p = self.p.cfa, self.p
        edges = [
            new
            for e in cfa.edges
            for new in (self._call(e, p.calls[e.id]) if e.id in p.calls else [e])
        ]
        if p is self.program.entry:
            return replace(cfa, edges=tuple(edges), inputs=tuple(self.inputs))
        contract, kept = self.contracts.procedures[p.name], [*p.parameters, *self.globals]
        olds = {entry_value(x): x for x in kept}
        same = [self.store.eq(old, x) for old, x in olds.items()]
        start = max(cfa.locations) + 1
        edges.append(
            self._edge(
                start, cfa.initial, Assume(self.store.and_(*same, self._in(contract.requires, {})))
            )
        )
        if p.exit is not None:
            edges.append(self._error(p.exit, self._in(contract.ensures, {})))
        locations = {**cfa.locations, start: Location(start, "entry")}
        return replace(
            cfa,
            edges=tuple(edges),
            inputs=tuple(self.inputs),
            locations=locations,
            initial=start,
            variables=(*cfa.variables, *olds),
        )

    def _in(self, formula: Term, values: Mapping[str, Term]) -> Term:
        """The formula in this store, with values for some of its variables, by name."""
        return rebuild(
            formula, self.store, {v: values[v.name] for v in free_vars(formula) if v.name in values}
        )

    def _edge(self, source: int, target: int, command: Assume | Seq) -> Edge:
        self.number += 1
        return Edge(self.number, source, target, command)

    def _error(self, source: int, condition: Term) -> Edge:
        """An edge to the error location, taken where the condition does not hold."""
        edge = self._edge(source, self.p.cfa.error, Assume(self.store.not_(condition)))
        return replace(edge, violation=Violation("contract"))

    def _call(self, e: Edge, site: CallSite) -> list[Edge]:
        callee = self.program.procedures[site.callee]
        contract = self.contracts.procedures[site.callee]
        passed = dict(zip(callee.parameters, site.arguments, strict=True))
        before = {entry_value(x).name: x for x in self.globals} | {
            entry_value(x).name: t for x, t in passed.items()
        }
        after = {g.name: self._after(g, callee, site) for g in self.globals}
        after |= {r.name: site.after[x] for r, x in zip(callee.results, site.results, strict=True)}
        ensured = Assume(self._in(contract.ensures, {**before, **after}))
        assert isinstance(e.command, Assign)
        return [
            replace(e, command=Seq((ensured, e.command))),
            self._error(e.source, self._in(contract.requires, before)),
        ]

    def _after(self, g: Term, callee: ProcedureCFA, site: CallSite) -> Term:
        """The value of a global when the call has come back, before its results are assigned."""
        if g not in callee.changes:
            return g
        if g not in site.results:
            return site.after[g]
        made = self.store.fresh(f"{g.name}!before{site.edge}", g.sort)
        self.inputs.append(made)
        return made
