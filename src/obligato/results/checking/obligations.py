"""What every check of a certificate needs: claims about locations in a state, and questions whose
answer must be unsat.

`Checker` is the base of the checks of inductive certificates (`checking.certificate`) and of
unwindings (`checking.unwinding`). Everything is encoded in a fresh store, which does not simplify
unless another one is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from obligato.results.checking.cones import MANY, Local, cases
from obligato.results.checking.encoding import State
from obligato.results.checking.graph import Regions
from obligato.results.checking.solving import (
    HURRIED,
    QUICK,
    QUICKER,
    SAT,
    UNKNOWN,
    UNSAT,
    Link,
    Questions,
)
from obligato.results.checking.status import Open, Status
from obligato.smt.z3_polynomials import multiplies
from obligato.terms import Op, Term, TermStore, conjuncts, free_vars
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.results.outcome import Certificate

# of formulas that are asked about one by one where a quick question about all of them does not do
CONJUNCTS = 400


def is_constant(claim: Term | None, value: bool) -> bool:
    """Is the formula plainly this truth value?"""
    return claim is not None and claim.op is Op.CONST and claim.data is value


def reserve(store: TermStore, variables: Iterable[Term]) -> None:
    """Make the program's variables known, so that no fresh name of the checker's is one of
    theirs.
    """
    for v in variables:
        store.var(v.name, v.sort)


class Checker:
    """The obligations of one certificate; `used` are the solvers that have answered."""

    def __init__(
        self,
        cfa: CFA,
        certificate: Certificate,
        links: Sequence[Link],
        tick: Callable[[], None],
        store: TermStore | None = None,
    ) -> None:
        self.cfa = cfa
        self.k = certificate.k
        self.links, self.tick = links, tick
        self.used: dict[str, Link] = {}
        self.queries = 0
        self.store = TermStore.raw() if store is None else store
        self.ghosts = certificate.ghosts
        ghosts = [g for pairs in self.ghosts.values() for g, _ in pairs]
        reserve(self.store, (*cfa.variables, *ghosts))
        self.claims = {
            loc: f
            for loc, f in certificate.invariants.items()
            if loc not in (cfa.initial, cfa.error)
        }
        self.stated = certificate.invariants.get(cfa.initial)
        self.index, self.instances = certificate.index, certificate.instances
        self.arbitrary = (
            None if self.index is None else self.store.fresh("arbitrary index", self.index.sort)
        )
        cuts = dict.fromkeys([cfa.initial, *self.claims])
        self.cuts = list(cuts)
        self.regions = Regions(cfa, {**cuts, cfa.error: None})
        self.variables = {v.name: v for v in (*cfa.variables, *ghosts)}

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged, in a fixed order; none if the certificate is a
        proof.
        """
        raise NotImplementedError

    def _stated_at_initial(self) -> Iterator[Open]:
        """A formula at the initial location, whose region is `true`, must be valid."""
        if self.stated is not None:
            here = State(self.store.true, {})
            yield from self._ask(
                [], [(self._name("initiation", self.cfa.initial), here, self.stated)]
            )

    def _continue(self, reached: Mapping[int, State]) -> dict[int, State]:
        """The states to go on from: those at cut points, where the formula holds."""
        out: dict[int, State] = {}
        for loc, state in reached.items():
            if loc == self.cfa.error:
                continue
            claim = self._assumed(loc, state) if loc in self.claims else self.store.true
            out[loc] = State(self.store.and_(state.reach, claim), state.values)
        return out

    def _recorded(self, location: int, state: State) -> State:
        """The state after arrival at a location: its ghosts have got their values."""
        pairs = self.ghosts.get(location, ())
        values = {self.variables[g.name]: self._at(t, state) for g, t in pairs}
        return State(state.reach, {**state.values, **values}) if values else state

    def _name(self, kind: str, *locations: int) -> str:
        return f"{kind} {' -> '.join(self.cfa.locations[loc].name for loc in locations)}"

    def _assumed(self, location: int, state: State) -> Term:
        """The formula at a location, in `state`, for the arbitrary index and the instances."""
        claim = self.claims[location]
        values = [self._at(t, state) for t in self.instances.get(location, ())]
        return self.store.and_(
            self._at(claim, state), *(self._at(claim, state, value) for value in values)
        )

    def _at(self, formula: Term, state: State, index: Term | None = None) -> Term:
        """`formula` in `state`, in the checker's store; for the given index, else the arbitrary
        one.
        """
        memo: dict[Term, Term] = {}
        for v in free_vars(formula):
            if self.index is not None and v.name == self.index.name:
                value = index or self.arbitrary
            else:
                value = state.values.get(self.variables[v.name])
            if value is not None:
                memo[v] = value
        return rebuild(formula, self.store, memo)

    def _ask(self, assertions: list[Term], goals: list[tuple[str, State, Term]]) -> Iterator[Open]:
        held = frozenset(assertions)  # membership only
        broken = [
            (name, f)
            for name, state, claim in goals
            if (f := self._violated(state, claim, held)) is not None
        ]
        if len(assertions) >= MANY:
            broken = self._not_local(assertions, broken)
        if not broken:
            return
        with closing(Questions(self.links, assertions, self.tick)) as questions:
            split = len(broken) < sum(len(cases(formula)) for _, formula in broken) <= CONJUNCTS
            formulas, rounds = [formula for _, formula in broken], 1 if split else HURRIED
            # what multiplies out shows equations, and no disjunction of them
            hopeless = split and multiplies(*formulas)
            if (
                (split or len(broken) > 1)
                and not hopeless
                and self._none(questions, formulas, rounds)
            ):
                return
            for name, formula in broken:
                if split and len(cases(formula)) > 1:
                    yield from self._each(assertions, name, formula)
                    continue
                # (definitions) and the path arrives here and not P here (required)
                #   unsat: the obligation holds; sat: a state that refutes the certificate
                yield from self._judge(questions, name, [formula])

    def _each(self, assertions: list[Term], name: str, formula: Term) -> Iterator[Open]:
        """The conjuncts of P one by one, with the path here asserted: a search that goes for one
        thing at a time.

        Requires: the formula is "the path arrives here and not P here".
        """
        path, claim = formula.args[0], formula.args[1].args[0]
        with closing(
            Questions(self.links, [*assertions, *conjuncts(path)], self.tick)
        ) as questions:
            for c in conjuncts(claim):
                # (definitions) and the path arrives here and not c here, for a conjunct c of P
                #               (required)
                #   unsat: the conjunct holds here; sat: a state that refutes the certificate
                yield from self._judge(questions, name, [self.store.not_(c)])

    def _violated(self, state: State, claim: Term, held: frozenset[Term]) -> Term | None:
        """The path arrives here and not P here, without what P says that is asserted; None if
        nothing is left of P.
        """
        if is_constant(claim, False):
            return state.reach
        left = [
            c
            for c in conjuncts(self._at(claim, state))
            if c not in held and not is_constant(c, True)
        ]
        return (
            self.store.and_(state.reach, self.store.not_(self.store.and_(*left))) if left else None
        )

    def _not_local(
        self, assertions: list[Term], broken: list[tuple[str, Term]]
    ) -> list[tuple[str, Term]]:
        """What is left of the obligations after those parts are discharged for which few of the
        assertions do.
        """
        local = Local(assertions, self.links, self.tick)
        left = local.left([formula for _, formula in broken])
        self.used |= local.used
        self.queries += local.queries
        return [
            (name, formula)
            for (name, _), formula in zip(broken, left, strict=True)
            if not is_constant(formula, False)
        ]

    def _none(self, questions: Questions, formulas: list[Term], rounds: int) -> bool:
        """Is none of them satisfiable? Asked at once, for speed only: a certificate of a large
        program has many obligations.
        """
        self.queries += 1
        # (definitions) and some obligation is broken (heuristic) - unsat: all hold; else they are
        #               asked one by one
        reply = questions.ask(
            [self.store.or_(*formulas)], "certify", rounds, QUICKER if rounds == 1 else QUICK
        )
        if reply.result is not UNSAT or reply.link is None:
            return False
        self.used[reply.link.name] = reply.link
        return True

    def _judge(self, questions: Questions, name: str, assumptions: list[Term]) -> Iterator[Open]:
        self.queries += 1
        reply = questions.ask(assumptions, "certify")
        if reply.link is not None:
            self.used[reply.link.name] = reply.link
        if reply.result is UNKNOWN:
            yield Open(Status.UNKNOWN, name, reply.reason)
        elif reply.result is SAT:
            start = {v: self.store.lookup(v) for v in self.variables}
            model = {
                n: reply.model[t] for n, t in start.items() if t is not None and t in reply.model
            }
            yield Open(Status.REFUTED, name, "a state of the program refutes it", model)
