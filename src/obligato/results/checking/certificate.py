"""Is a certificate a proof? The check that every TRUE passes before it is reported (DESIGN 4).

The cut set C is the annotated locations and the initial location, whose formula is `true`; the error location counts as a
target whose formula is `false`. With P_c the formula at c and one traversal T(c, t) the loop-free way from c to the next
cut point t (`checking.encoding`), the certificate is k-inductive, and hence a proof, if

    initiation    no run of 1 to k-1 traversals from the initial location ends outside P (nothing to do for k = 1, where
                  the traversals from the initial location are part of the next line)
    consecution   P_c0 and T(c0, c1) and P_c1 ... P_c(k-1) and T(c(k-1), t)  implies  P_t     for all c0, t
    safety        the same for t = error: T(c(k-1), error) is unsatisfiable.

Formulas may speak about the variables of the CFA only, and about the certificate's `index`: P_c is then meant for all its
values. As a conclusion P_c is shown for one arbitrary value; as an assumption it is used for that value and for the values of
the given instances, which is less than it says and so never too much. Loops without a cut point are over-approximated.
`check_certificate` carries the idea. Everything is encoded in a fresh store that does not simplify. Trusted: this
package, the terms, the CFA of the inlined program, and the solver that says unsat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter

from obligato.models.cfa import CFA
from obligato.results.checking.encoding import State, Traversal
from obligato.results.checking.graph import Regions
from obligato.results.checking.solving import SAT, UNKNOWN, UNSAT, Link, Questions
from obligato.results.outcome import Certificate
from obligato.terms import BOOL, Op, Sort, Term, TermStore, Value, free_vars
from obligato.terms.store import rebuild


class Status(Enum):
    """What checking may answer."""

    ACCEPTED = "accepted"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """The answer. `obligation` names what failed or stayed open; `model` is the state at its start that refutes it."""

    status: Status
    checker: str = ""
    independent: bool = True
    obligation: str = ""
    reason: str = ""
    model: Mapping[str, Value] = field(default_factory=dict)
    seconds: float = 0.0
    queries: int = 0


@dataclass(frozen=True, slots=True)
class _Open:
    """An obligation that was not discharged."""

    status: Status
    obligation: str
    reason: str
    model: Mapping[str, Value] = field(default_factory=dict)


def check_certificate(
    cfa: CFA,
    certificate: Certificate,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check `certificate` on `cfa`, the CFA of the inlined but otherwise untouched program, with the solvers `links`."""
    start = perf_counter()
    malformed = _malformed(cfa, certificate)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    checker = _Checker(cfa, certificate, links, tick)
    left = next(iter(checker.open_obligations()), None)
    used = list(checker.used.values())
    names, independent = ", ".join(link.name for link in used), all(link.independent for link in used)
    seconds = perf_counter() - start
    if left is None:
        return CertificateCheck(Status.ACCEPTED, names, independent, seconds=seconds, queries=checker.queries)
    return CertificateCheck(
        left.status, names, independent, left.obligation, left.reason, left.model, seconds, checker.queries
    )


def _is(claim: Term | None, value: bool) -> bool:
    return claim is not None and claim.op is Op.CONST and claim.data is value


def _malformed(cfa: CFA, certificate: Certificate) -> str | None:
    """Why the certificate cannot speak about this CFA: an unknown location, a formula over something else."""
    sorts = {v.name: v.sort for v in cfa.variables}
    if certificate.k < 1:
        return f"k is {certificate.k}"
    wrong = _malformed_instances(cfa, certificate, sorts)
    if wrong is not None:
        return wrong
    if certificate.index is not None:
        sorts[certificate.index.name] = certificate.index.sort
    for location, formula in certificate.invariants.items():
        if location not in cfa.locations:
            return f"there is no location {location}"
        if formula.sort is not BOOL:
            return f"the formula at {cfa.locations[location].name} has sort {formula.sort}"
        for v in free_vars(formula):
            if sorts.get(v.name) is not v.sort:
                return f"the formula at {cfa.locations[location].name} is about {v.name}, not a variable of the program"
    return None


def _malformed_instances(cfa: CFA, certificate: Certificate, sorts: Mapping[str, Sort]) -> str | None:
    """The index is no variable of the program, and instances are terms of its sort over the program's variables."""
    index = certificate.index
    if index is not None and (index.op is not Op.VAR or index.name in (*sorts, *(v.name for v in cfa.inputs))):
        return f"{index.name if index.op is Op.VAR else 'the index'} cannot be quantified"
    for terms in certificate.instances.values():
        for t in terms:
            if index is None or t.sort is not index.sort or any(sorts.get(v.name) is not v.sort for v in free_vars(t)):
                return "an instance is not a value of the index in terms of the program's variables"
    return None


class _Checker:
    """The obligations of one certificate; `used` are the solvers that have answered."""

    def __init__(self, cfa: CFA, certificate: Certificate, links: Sequence[Link], tick: Callable[[], None]) -> None:
        self.cfa = cfa
        self.k = certificate.k
        self.links, self.tick = links, tick
        self.used: dict[str, Link] = {}
        self.queries = 0
        self.store = TermStore.raw()
        self.claims = {loc: f for loc, f in certificate.invariants.items() if loc not in (cfa.initial, cfa.error)}
        self.stated = certificate.invariants.get(cfa.initial)
        self.index, self.instances = certificate.index, certificate.instances
        self.arbitrary = None if self.index is None else self.store.fresh("arbitrary index", self.index.sort)
        cuts = dict.fromkeys([cfa.initial, *self.claims])
        self.cuts = list(cuts)
        self.regions = Regions(cfa, {**cuts, cfa.error: None})
        self.variables = {v.name: v for v in cfa.variables}

    def open_obligations(self) -> Iterator[_Open]:
        """All obligations that are not discharged, in a fixed order; none if the certificate is a proof."""
        yield from self._stated_at_initial()
        yield from self._initiation()
        for cut in self.cuts:
            if not _is(self.claims.get(cut), False):  # nothing starts where the formula is false
                yield from self._step(cut)

    def _stated_at_initial(self) -> Iterator[_Open]:
        """A formula at the initial location, whose region is `true`, must be valid."""
        if self.stated is not None:
            here = State(self.store.true, {})
            yield from self._ask([], [(self._name("initiation", self.cfa.initial), here, self.stated)])

    def _initiation(self) -> Iterator[_Open]:
        states = {self.cfa.initial: State(self.store.true, {})}
        assertions: list[Term] = []
        for _ in range(1, self.k):
            reached = self._traverse(states, assertions)
            yield from self._ask(assertions, self._goals("initiation", self.cfa.initial, reached))
            states = self._continue(reached)

    def _step(self, cut: int) -> Iterator[_Open]:
        states = self._continue({cut: State(self.store.true, {})})
        assertions: list[Term] = []
        for _ in range(1, self.k):
            states = self._continue(self._traverse(states, assertions))
        reached = self._traverse(states, assertions)
        kind = "initiation" if cut == self.cfa.initial else "consecution"
        yield from self._ask(assertions, self._goals(kind, cut, reached))

    def _traverse(self, states: Mapping[int, State], assertions: list[Term]) -> dict[int, State]:
        traversal = Traversal(self.regions, self.store)
        reached = traversal.run(states)
        assertions.extend(traversal.definitions)
        return reached

    def _continue(self, reached: Mapping[int, State]) -> dict[int, State]:
        """The states to go on from: those at cut points, where the formula holds."""
        out: dict[int, State] = {}
        for loc, state in reached.items():
            if loc == self.cfa.error:
                continue
            claim = self._assumed(loc, state) if loc in self.claims else self.store.true
            out[loc] = State(self.store.and_(state.reach, claim), state.values)
        return out

    def _goals(self, kind: str, source: int, reached: Mapping[int, State]) -> list[tuple[str, State, Term]]:
        return [
            (self._name("safety" if t == self.cfa.error else kind, source, t), state, self.claims.get(t, self.store.false))
            for t, state in reached.items()
        ]

    def _name(self, kind: str, *locations: int) -> str:
        return f"{kind} {' -> '.join(self.cfa.locations[loc].name for loc in locations)}"

    def _assumed(self, location: int, state: State) -> Term:
        """The formula at a location, in `state`, for the arbitrary index and the instances."""
        claim = self.claims[location]
        values = [self._at(t, state) for t in self.instances.get(location, ())]
        return self.store.and_(self._at(claim, state), *(self._at(claim, state, value) for value in values))

    def _at(self, formula: Term, state: State, index: Term | None = None) -> Term:
        """`formula` in `state`, in the checker's store; for the given index, else the arbitrary one."""
        memo: dict[Term, Term] = {}
        for v in free_vars(formula):
            if self.index is not None and v.name == self.index.name:
                value = index or self.arbitrary
            else:
                value = state.values.get(self.variables[v.name])
            if value is not None:
                memo[v] = value
        return rebuild(formula, self.store, memo)

    def _ask(self, assertions: list[Term], goals: list[tuple[str, State, Term]]) -> Iterator[_Open]:
        questions = Questions(self.links, assertions, self.tick)
        broken = [
            (name, self.store.and_(state.reach, self.store.not_(self._at(claim, state))))
            for name, state, claim in goals if not _is(claim, True)
        ]
        try:
            if len(broken) < 2 or not self._none(questions, [formula for _, formula in broken]):
                for name, formula in broken:
                    # (definitions) and the path arrives here and not P here (required)
                    #   unsat: the obligation holds; sat: a state that refutes the certificate
                    yield from self._judge(questions, name, [formula])
        finally:
            questions.close()

    def _none(self, questions: Questions, formulas: list[Term]) -> bool:
        """Is none of them satisfiable? Asked at once, for speed only: a certificate of a large program has many obligations."""
        self.queries += 1
        # (definitions) and some obligation is broken (heuristic) - unsat: all hold; else they are asked one by one
        answer = questions.ask([self.store.or_(*formulas)], "certify", patient=False)
        if answer.result is not UNSAT or answer.link is None:
            return False
        self.used[answer.link.name] = answer.link
        return True

    def _judge(self, questions: Questions, name: str, assumptions: list[Term]) -> Iterator[_Open]:
        self.queries += 1
        answer = questions.ask(assumptions, "certify")
        if answer.link is not None:
            self.used[answer.link.name] = answer.link
        if answer.result is UNKNOWN:
            yield _Open(Status.UNKNOWN, name, answer.reason)
        elif answer.result is SAT:
            start = {v: self.store.lookup(v) for v in self.variables}
            model = {n: answer.model[t] for n, t in start.items() if t is not None and t in answer.model}
            yield _Open(Status.REFUTED, name, "a state of the program refutes it", model)
