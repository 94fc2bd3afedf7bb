"""From the system as it was read to the one that is proved:
simplified terms, and only what the properties depend on.

The cone of influence of the properties and the constraints: a state variable outside it changes
nothing they speak about, and is left out with its part of `init` and `trans`. That is done only
where next-state functions are known and the dropped part of `init` merely defines dropped
variables, so that it cannot make the initial set empty. Constraints always stay.

`SystemLift` maps claims back. An invariant of the reduced system speaks about fewer variables and
needs no change; neither does a trace, since the checker computes what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from obligato.models.properties import formulas_of, map_formulas
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_functions import with_functions
from obligato.terms import Kind, Op, Sort, Term, TermStore, conjuncts, free_vars, postorder

if TYPE_CHECKING:
    from obligato.models.ts_functions import with_functions
from obligato.models.ts_claims import SystemCertificate, SystemTrace


class SystemLift(Protocol):
    """Maps claims about a reduced system to the one before the reduction."""

    def certificate(self, certificate: SystemCertificate) -> SystemCertificate:
        """Ensures: if `certificate` proves the reduced system, the result proves the one before."""

    def trace(self, trace: SystemTrace) -> SystemTrace:
        """The run of the system before that `trace` stands for."""


class SameNames:
    """The lift of a pass after which names mean what they meant before."""

    def certificate(self, certificate: SystemCertificate) -> SystemCertificate:
        """The certificate holds for the system before the pass as it is."""
        return certificate

    def trace(self, trace: SystemTrace) -> SystemTrace:
        """The trace is one of the system before the pass as it is."""
        return trace


def reduce_system(system: TransitionSystem, level: int) -> tuple[TransitionSystem, SystemLift]:
    """`system` in a simplifying store,
    and from level 1 on without what its properties do not depend on.

    A relation about arrays is written with next-state functions before it is simplified:
    afterwards they are hard to see.
    """
    lift: SystemLift = SameNames()
    if system.next is None and any(x.sort.kind is Kind.ARRAY for x in system.state):
        system, lift = with_functions(system)
    return import_system(cone_of_influence(system) if level > 0 else system, TermStore()), lift


def import_system(system: TransitionSystem, store: TermStore) -> TransitionSystem:
    """The same system in another store."""
    memo: dict[Term, Term] = {}

    def here(t: Term) -> Term:
        return store.import_term(t, memo)

    next_ = None if system.next is None else {here(x): here(e) for x, e in system.next.items()}
    return replace(
        system,
        store=store,
        state=tuple(map(here, system.state)),
        inputs=tuple(map(here, system.inputs)),
        init=here(system.init),
        trans=here(system.trans),
        next=next_,
        constraints=tuple(map(here, system.constraints)),
        properties=tuple(map_formulas(p, here) for p in system.properties),
        predicates=tuple(map(here, system.predicates)),
        fairness=tuple(map(here, system.fairness)),
    )


def cone_of_influence(system: TransitionSystem) -> TransitionSystem:
    """Only the state variables and inputs that properties and constraints depend on."""
    store, next_ = system.store, system.next
    if next_ is None or system.trans is not functional(store, next_):
        return system
    kept = _cone(system, next_)
    init: list[Term] = []
    dropped: list[Term] = []
    for f in conjuncts(system.init):
        target = _target(f)
        (init if target is None or target in kept else dropped).append(f)
    if any(v not in kept for v in free_vars(*init)) or not are_definitions(dropped):
        return system
    left = {x: e for x, e in next_.items() if x in kept}
    return replace(
        system,
        state=tuple(x for x in system.state if x in kept),
        inputs=tuple(i for i in system.inputs if i in kept),
        init=store.and_(*init),
        trans=functional(store, left),
        next=left,
        predicates=tuple(p for p in system.predicates if all(v in kept for v in free_vars(p))),
    )


def _cone(system: TransitionSystem, next_: Mapping[Term, Term]) -> dict[Term, None]:
    """The variables that the properties and constraints depend on,
    also through the start values of others."""
    starts: dict[Term, list[Term]] = {}
    for f in conjuncts(system.init):
        for x in free_vars(f):
            starts.setdefault(x, []).append(f)
    seen: dict[Term, None] = {}
    kept: dict[Term, None] = {}
    pending: list[Term] = [*system.constraints, *system.fairness]
    pending += [f for p in system.properties for f in formulas_of(p)]
    while pending:
        new = [t for t in postorder(pending, seen) if t.op is Op.VAR]
        kept.update(dict.fromkeys(new))
        pending = [next_[x] for x in new if x in next_]
        pending += [f for x in new for f in starts.get(x, ()) if _target(f) in (None, x)]
    return kept


def _target(fact: Term) -> Term | None:
    """The variable whose start value a conjunct of `init` gives, if it is of that form."""
    if fact.atom.op is Op.VAR:
        return fact.atom
    if fact.op is Op.EQ:
        for x, e in (fact.args, fact.args[::-1]):
            if x.op is Op.VAR and x not in free_vars(e):
                return x
    return None


def are_definitions(facts: list[Term]) -> bool:
    """Do the facts define each of their targets once and in some order?
    Then they are satisfiable whatever else holds."""
    open_ = {_target(f): f for f in facts}
    if len(open_) < len(facts):
        return False
    while open_:
        ready = [x for x, f in open_.items() if all(v is x or v not in open_ for v in free_vars(f))]
        if not ready:
            return False
        for x in ready:
            del open_[x]
    return True


def sorts_of(system: TransitionSystem) -> list[Sort]:
    """The sorts that a solver must know."""
    return list(system.sorts)
