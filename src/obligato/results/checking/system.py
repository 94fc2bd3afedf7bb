"""Is a certificate of a transition system a proof? The check that every TRUE about a system passes
(DESIGN 4).

With Q = the invariant and the properties, C the constraints and T the transition relation of the
*original* system:

    initiation    I and C and T and C ... and C (j steps)   implies   Q at the end, for all j < k
    consecution   Q and C and T ... Q and C and T (k steps) and C   implies   Q at the end; with
                  `distinct`, of runs whose states are pairwise different in those variables

With a `relation` R of successive states, "Q at the end" is "Q at the end and R of the last step"
(where there is a step), and consecution assumes R of its steps but the last.

Then every run without repetition satisfies Q at all times and R of all steps, by induction over its
length: its beginnings repeat nothing either; below k steps it is so by initiation, and else by
consecution of the last k steps, all but the last of which satisfy Q and R. So every run satisfies
every property: what violates one can be reached without repetition. (With `distinct`, R need not
hold of a step back to an earlier state; nothing is concluded from it.) If `distinct` leaves out
state variables, that needs the others to be a system of their own (`_closed`): what repeats is then
their part of the state. `check_system_certificate` carries the idea. Initiation is shown step by
step, with what was shown of the steps before. Of a conjunct that follows from Q and R along any one
step, or any two, it is asked at the first times only (`_settle`): from then on it follows from
them. Everything is encoded in a fresh store that does not simplify; each variable has a copy per
point of time. Conjuncts of the invariant are asked for in groups, under one set of assertions; of a
large system first with those about connected variables, and where that takes long, each claim with
the assertions that it needs (`checking.cones`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_parts import cases
from obligato.results.checking.cones import MANY, Local, apart
from obligato.results.checking.solving import HURRIED, SAT, UNKNOWN, UNSAT, Link, Questions, hasty
from obligato.results.checking.status import CertificateCheck, Open, Status, judged
from obligato.terms import (
    BOOL,
    Op,
    Sort,
    Term,
    TermStore,
    conjuncts,
    evaluate,
    free_vars,
    postorder,
)
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.ts_claims import SystemCertificate

LOCAL = 2  # steps along which parts of a claim are tried by themselves
GROUP = 32  # conjuncts of the invariant in one question
SOON = 10  # part of a solver's budget that a group may take before cones are tried: about a second
TRIALS = 4  # groups that may be left before that ends, unless more have been discharged


Group = tuple[str, list[Term]]  # a name, and claims that are asked about together


def check_system_certificate(
    system: TransitionSystem,
    certificate: SystemCertificate,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check `certificate` on the original `system` with the solvers `links`."""
    start = perf_counter()
    malformed = _malformed(system, certificate)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    return judged(_checker(certificate)(system, certificate, links, tick), start)


def _checker(certificate: SystemCertificate) -> type[Checker]:
    """The checker that knows the obligations of this certificate."""
    if not certificate.indices:
        return Checker
    from obligato.results.checking.indices import ForAllIndices

    return ForAllIndices


def _malformed(system: TransitionSystem, certificate: SystemCertificate) -> str | None:
    """Why the certificate cannot speak about this system."""
    sorts = {x.name: x.sort for x in system.state}
    if certificate.k < 1:
        return f"k is {certificate.k}"
    if certificate.invariant.sort is not BOOL:
        return f"the invariant has sort {certificate.invariant.sort}"
    if certificate.indices or certificate.instances or certificate.differences:
        from obligato.results.checking.indices import malformed_indices

        wrong = malformed_indices(system, certificate)
        if wrong is not None:
            return wrong
        sorts |= {p.name: p.sort for p in certificate.indices}
    strangers = [
        v.name for v in free_vars(certificate.invariant) if sorts.get(v.name) is not v.sort
    ]
    if strangers:
        return f"the invariant is about {strangers[0]}, not a state variable"
    if certificate.relation is not None:
        return _malformed_relation(sorts, certificate.relation) or _malformed_states(
            system, certificate
        )
    return _malformed_states(system, certificate)


def _malformed_relation(sorts: Mapping[str, Sort], relation: Term) -> str | None:
    """Why a relation cannot speak about two successive states."""
    if relation.sort is not BOOL:
        return f"the relation has sort {relation.sort}"
    for v in free_vars(relation):
        meant = [sorts[name] for name in (v.name, _unprimed(v.name)) if name in sorts]
        if len(meant) != 1 or meant[0] is not v.sort:
            return (
                f"the relation is about {v.name}, not one variable of the state or the next state"
            )
    return None


def _unprimed(name: str) -> str:
    """The state variable whose next-state variable has this name; nothing if it is none."""
    return name[:-1] if name.endswith("'") else ""


def _malformed_states(system: TransitionSystem, certificate: SystemCertificate) -> str | None:
    """Why states may not be assumed to differ."""
    if certificate.distinct and not _closed(system, frozenset(certificate.distinct)):
        return "states that differ are asked for in variables that are not all that matter"
    return None


def _closed(system: TransitionSystem, names: frozenset[str]) -> bool:
    """Do the constraints, the properties and the next values of the named variables depend on these
    and inputs only?
    """
    if all(x.name in names for x in system.state):
        return True
    if system.next is None or system.trans is not functional(system.store, system.next):
        return False
    within = {x: None for x in system.state if x.name in names} | dict.fromkeys(system.inputs)
    read = free_vars(
        *system.constraints,
        *(p.formula for p in system.assertions),
        *(e for x, e in system.next.items() if x in within),
    )
    return all(v in within for v in read)


def _needed(system: TransitionSystem, certificate: SystemCertificate) -> Term:
    """The conjuncts of T about variables that the claim depends on. To assume less is safe; here it
    also loses nothing, since the other conjuncts are definitions x' = e of variables that occur
    nowhere else.
    """
    next_ = system.next
    if next_ is None or system.trans is not functional(system.store, next_):
        return system.trans
    names = {v.name for v in free_vars(certificate.invariant)} | set(certificate.distinct)
    if certificate.relation is not None:
        names |= {
            name for v in free_vars(certificate.relation) for name in (v.name, _unprimed(v.name))
        }
    about = [t for terms in (*certificate.instances, *certificate.differences) for t in terms]
    names |= {name for v in free_vars(*about) for name in (v.name, _unprimed(v.name))}
    seen: dict[Term, None] = {}
    pending = [
        *system.constraints,
        *(p.formula for p in system.assertions),
        *(x for x in system.state if x.name in names),
    ]
    while pending:
        variables = [t for t in postorder(pending, seen) if t.op is Op.VAR]
        pending = [next_[x] for x in variables if x in next_]
    return functional(system.store, {x: e for x, e in next_.items() if x in seen})


class Checker:
    """The obligations of one certificate; with indices it is `checking.indices`."""

    def __init__(
        self,
        system: TransitionSystem,
        certificate: SystemCertificate,
        links: Sequence[Link],
        tick: Callable[[], None],
    ) -> None:
        self.system, self.certificate = system, certificate
        self.links, self.tick = links, tick
        self.store = TermStore.raw()
        self.used: dict[str, Link] = {}
        self.queries = 0
        self._memos: dict[int, dict[Term, Term]] = {}
        self.trans = _needed(system, certificate)
        related = [] if certificate.relation is None else conjuncts(certificate.relation)
        # conjuncts, with how many steps they are about
        self.parts = [(c, 0) for c in conjuncts(certificate.invariant)] + [(c, 1) for c in related]
        # part: a number of steps along which it follows from Q and R
        self.settled: dict[int, int] = {}

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged; none if the certificate is a proof."""
        k = self.certificate.k
        for steps in range(1, min(k, LOCAL + 1)):
            self._settle(steps)
        yield from self._initiation()
        assumed = self._steps(k) + self._follows(k)
        if self.certificate.distinct:
            assumed += [self._different(a, b) for b in range(k + 1) for a in range(b)]
        yield from self._ask("consecution", assumed, k)

    def _initiation(self) -> Iterator[Open]:
        """The obligations about the first k steps. What was shown about a time is assumed for the
        times behind it; this is right only if no obligation is left open.
        """
        begin = [self._at(self.system.init, 0), *self._constraints(0)]
        yield from self._ask("initiation after 0 steps", begin, 0)
        if self.certificate.k == 1:
            return
        with closing(Questions(self.links, self._all_cases(begin), self.tick)) as questions:
            for time in range(1, self.certificate.k):
                step = [
                    *self._shown(time - 1),
                    self._at(self.trans, time - 1),
                    *self._constraints(time),
                ]
                questions.tell(self._all_cases([*step, *self._follows(time)]))
                yield from self._answers(
                    questions, self._groups(f"initiation after {time} steps", time)
                )

    def _steps(self, number: int) -> list[Term]:
        """Any steps with C throughout, Q but at their end, and R of all but the last."""
        before = [
            f
            for time in range(number)
            for f in (*self._shown(time), *self._constraints(time), self._at(self.trans, time))
        ]
        return before + self._constraints(number)

    def _shown(self, time: int) -> list[Term]:
        """Q at a time, and R of the step that ends there, of a run that begins at time 0."""
        held = [self._at(c, time - about) for c, about in self.parts if about <= time]
        return held + [self._at(p.formula, time) for p in self.system.assertions]

    def _claims(self, time: int) -> list[Term]:
        """The parts that are to be shown at a time."""
        return [
            self._at(c, time - about)
            for n, (c, about) in enumerate(self.parts)
            if about <= time and self.settled.get(n, time + 1) > time
        ]

    def _follows(self, time: int) -> list[Term]:
        """The parts of the certificate that are settled already, as assumptions about a time."""
        return [
            self._at(c, time - about)
            for n, (c, about) in enumerate(self.parts)
            if self.settled.get(n, time + 1) <= time
        ]

    def _settle(self, steps: int) -> None:
        """Note the parts that follow from Q and R along so many steps; what is not found soon stays
        open.
        """
        open_ = {
            n: self._at(c, steps - about)
            for n, (c, about) in enumerate(self.parts)
            if n not in self.settled
        }
        with closing(
            Questions(self._impatient(), self._all_cases(self._steps(steps)), self.tick)
        ) as questions:
            while open_:
                self.queries += 1
                # Q and R and C and T ... (any steps) and not (all parts at their end)   (heuristic)
                #   unsat: they follow; sat: those that the model violates do not; unknown: none is
                #   known to
                reply = questions.ask(
                    [self.store.not_(self.store.and_(*open_.values()))], "certify", HURRIED
                )
                if reply.result is UNSAT and reply.link is not None:
                    self.used[reply.link.name] = reply.link
                    self.settled |= dict.fromkeys(open_, steps)
                if reply.result is not SAT:
                    return
                memo: dict[Term, object] = {}
                open_ = {n: f for n, f in open_.items() if evaluate(f, reply.model, memo)}

    def _impatient(self) -> list[Link]:
        """The first solver, with a part of its budget."""
        return hasty(self.links, SOON)

    def _constraints(self, time: int) -> list[Term]:
        return [self._at(c, time) for c in self.system.constraints]

    def _different(self, a: int, b: int) -> Term:
        s = self.store
        variables = [x for x in self.system.state if x.name in self.certificate.distinct]
        return s.or_(*(s.not_(s.eq(self._at(x, a), self._at(x, b))) for x in variables))

    def _at(self, formula: Term, time: int) -> Term:
        """`formula` about state and inputs at `time` and the next state, in the checker's store."""
        if time not in self._memos:
            self._memos[time] = self._variables(time)
        return rebuild(formula, self.store, self._memos[time])

    def _variables(self, time: int) -> dict[Term, Term]:
        """The checker's variables for those of the system and the certificate."""
        system, var = self.system, self.store.var
        memo = {x: var(f"{x.name}@{time}", x.sort) for x in (*system.state, *system.inputs)}
        memo |= {y: var(f"{x.name}@{time + 1}", x.sort) for x, y in system.primed.items()}
        names = {x.name for x in system.state}
        for v in free_vars(*(c for c, _ in self.parts)):
            if v.name in names:
                memo[v] = var(f"{v.name}@{time}", v.sort)
            elif _unprimed(v.name) in names:
                memo[v] = var(f"{_unprimed(v.name)}@{time + 1}", v.sort)
        return memo

    def _ask(self, name: str, assertions: list[Term], time: int) -> Iterator[Open]:
        return self._discharge(assertions, self._groups(name, time))

    def _discharge(self, assertions: list[Term], groups: list[Group]) -> Iterator[Open]:
        """The groups that do not follow from the assertions."""
        assertions = self._all_cases(assertions)
        if len(assertions) >= MANY:
            groups = self._not_apart(assertions, groups)
            groups = self._not_easy(assertions, groups) if groups else []
            groups = self._not_local(assertions, groups) if groups else []
        if not groups:
            return
        with closing(Questions(self.links, assertions, self.tick)) as questions:
            yield from self._answers(questions, groups)

    def _groups(self, name: str, time: int) -> list[Group]:
        """The obligations about a time, in groups that are asked about together."""
        return [*self._invariants(name, time), *self._properties(name, time)]

    def _invariants(self, name: str, time: int) -> list[Group]:
        claims = self._claims(time)
        return [(name, claims[i : i + GROUP]) for i in range(0, len(claims), GROUP)]

    def _properties(self, name: str, time: int) -> list[Group]:
        return [
            (f"{name}, property {p.name}", [self._at(p.formula, time)])
            for p in self.system.assertions
        ]

    def _answers(self, questions: Questions, groups: Sequence[Group]) -> Iterator[Open]:
        for what, group in groups:
            self.queries += 1
            # the runs and not (all of the group at their end) (required; of several claims
            # heuristic, then one by one)
            #   unsat: the obligation holds; sat: a run that refutes the certificate
            reply = questions.ask(
                [self.store.not_(self.store.and_(*group))], "certify", 1 if len(group) > 1 else 3
            )
            if reply.link is not None:
                self.used[reply.link.name] = reply.link
            if reply.result is UNKNOWN and len(group) > 1:
                yield from self._answers(questions, [(what, [claim]) for claim in group])
            elif reply.result is UNKNOWN:
                yield Open(Status.UNKNOWN, what, reply.reason)
            elif reply.result is SAT:
                yield Open(Status.REFUTED, what, "a run of the system refutes it")

    def _all_cases(self, assertions: Sequence[Term]) -> list[Term]:
        return [c for a in assertions for c in cases(self.store, a)]

    def _not_apart(self, assertions: list[Term], groups: list[Group]) -> list[Group]:
        """The groups without the claims that follow from the assertions about what is connected
        with them (`cones.apart`).
        """
        claims = [
            (what, claim)
            for what, group in groups
            for part in group
            for claim in cases(self.store, part)
        ]
        batches = apart(assertions, [claim for _, claim in claims])
        if len(batches) < 2:
            return groups
        found: set[Term] = set()
        for some, own in batches:
            found |= self._soon(some, [own[i : i + GROUP] for i in range(0, len(own), GROUP)])
        return _by_name((what, claim) for what, claim in claims if claim not in found)

    def _soon(self, assertions: list[Term], groups: list[list[Term]]) -> set[Term]:
        """What is claimed in those groups that the first solver discharges soon."""
        with closing(Questions(self._impatient(), assertions, self.tick)) as questions:
            return {claim for group in groups if self._follow(questions, group) for claim in group}

    def _follow(self, questions: Questions, claims: list[Term]) -> bool:
        """Do the claims follow from the assertions of the questions, as far as the first solver
        sees soon?
        """
        self.queries += 1
        # the runs and not (all of the claims at their end)   (heuristic)
        #   unsat: the obligation holds; sat, unknown: it is asked about again
        reply = questions.ask([self.store.not_(self.store.and_(*claims))], "certify", HURRIED)
        if reply.result is not UNSAT or reply.link is None:
            return False
        self.used[reply.link.name] = reply.link
        return True

    def _not_easy(self, assertions: list[Term], groups: list[Group]) -> list[Group]:
        """The groups that the first solver does not discharge soon: the clauses of a circuit's
        invariant need each other, and then one solver that knows them all is many times faster than
        small questions. It ends when most groups are left; where few are, it takes its time for
        them.
        """
        questions = Questions(self._impatient(), assertions, self.tick)
        left: list[Group] = []
        try:
            for number, (what, group) in enumerate(groups):
                if 2 * len(left) > TRIALS + number:
                    return left + groups[number:]
                if not self._follow(questions, group):
                    left.append((what, group))
            if TRIALS * len(left) > len(groups):
                return left
            # the same solver, with all of its budget: it has learnt from the others
            questions.links = hasty(self.links, 1)
            return [(what, group) for what, group in left if not self._follow(questions, group)]
        finally:
            questions.close()

    def _not_local(self, assertions: list[Term], groups: list[Group]) -> list[Group]:
        """The groups without the claims for which few of the assertions do (`checking.cones`)."""
        local = Local(assertions, self.links, self.tick)
        claims = [
            (what, claim)
            for what, group in groups
            for part in group
            for claim in cases(self.store, part)
        ]
        left = local.left([self.store.not_(claim) for _, claim in claims])
        self.used |= local.used
        self.queries += local.queries
        return _by_name(
            claim
            for claim, formula in zip(claims, left, strict=True)
            if formula is not self.store.false
        )


def _by_name(claims: Iterable[tuple[str, Term]]) -> list[Group]:
    """The claims as groups, those of a name together."""
    out: dict[str, list[Term]] = {}
    for what, claim in claims:
        out.setdefault(what, []).append(claim)
    return list(out.items())
