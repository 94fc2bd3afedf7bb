"""Is a certificate a proof? The check that every TRUE passes before it is reported (DESIGN 4).

The cut set C is the annotated locations and the initial location, whose formula is `true`; the
error location counts as a target whose formula is `false`. With P_c the formula at c and one
traversal T(c, t) the loop-free way from c to the next cut point t (`checking.encoding`), the
certificate is k-inductive, and hence a proof, if

    initiation    no run of 1 to k-1 traversals from the initial location ends outside P (nothing to
                  do for k = 1, where the traversals from the initial location are part of the next
                  line)
    consecution   P_c0 and T(c0, c1) and P_c1 ... P_c(k-1) and T(c(k-1), t)  implies  P_t,
                  for all c0, t
    safety        the same for t = error: T(c(k-1), error) is unsatisfiable.

Formulas may speak about the variables of the CFA only, and about the certificate's `index`: P_c is
then meant for all its values. As a conclusion P_c is shown for one arbitrary value; as an
assumption it is used for that value and for the values of the given instances, which is less than
it says and so never too much. Formulas may speak about the certificate's `ghosts`, too, which have
any value until a run first arrives where they get one; they are given values at cut points only, so
that a traversal changes them where it ends and nowhere else. A program that keeps such records has
the same runs. Loops without a cut point are over-approximated. A certificate with
an unwinding is checked by `checking.unwinding` instead. `check_certificate` carries the idea.
Everything is encoded in a fresh store that does not simplify. Trusted: this package, the terms, the
CFA of the inlined program, and the solver that says unsat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from obligato.results.checking.encoding import State, Traversal
from obligato.results.checking.obligations import Checker, is_constant
from obligato.results.checking.status import CertificateCheck, Open, Status, judged
from obligato.results.checking.unwinding import Unwound
from obligato.terms import BOOL, Op, Sort, Term, conjuncts, free_vars

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.results.checking.solving import Link
    from obligato.results.outcome import Certificate

__all__ = ["CertificateCheck", "Inductive", "Status", "check_certificate"]


def check_certificate(
    cfa: CFA,
    certificate: Certificate,
    links: Sequence[Link],
    tick: Callable[[], None] = lambda: None,
) -> CertificateCheck:
    """Check `certificate` on `cfa`, the CFA of the inlined but otherwise untouched program, with
    the solvers `links`.
    """
    start = perf_counter()
    malformed = malformed_certificate(cfa, certificate)
    if malformed is not None:
        return CertificateCheck(Status.REFUTED, obligation="vocabulary", reason=malformed)
    checker = (Inductive if certificate.unwinding is None else Unwound)(
        cfa, certificate, links, tick
    )
    return judged(checker, start)


def malformed_certificate(cfa: CFA, certificate: Certificate) -> str | None:
    """Why the certificate cannot speak about this CFA: an unknown location, a formula over
    something else.
    """
    sorts = {v.name: v.sort for v in cfa.variables}
    if certificate.k < 1:
        return f"k is {certificate.k}"
    wrong = _malformed_ghosts(cfa, certificate, sorts)
    if wrong is not None:
        return wrong
    sorts |= {g.name: g.sort for pairs in certificate.ghosts.values() for g, _ in pairs}
    if certificate.unwinding is not None and (certificate.k > 1 or certificate.index is not None):
        return "an unwinding is neither k-inductive nor quantified"
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
                return (
                    f"the formula at {cfa.locations[location].name} is about {v.name}, not a"
                    " variable of the program"
                )
    return None


def _malformed_ghosts(cfa: CFA, certificate: Certificate, sorts: Mapping[str, Sort]) -> str | None:
    """Ghosts are no variables of the program, have one sort each, and get terms over the program's
    variables and ghosts, at locations that the certificate speaks about.
    """
    pairs = [pair for at in certificate.ghosts.values() for pair in at]
    if pairs and (certificate.k > 1 or certificate.unwinding is not None):
        return "a certificate with ghosts is inductive"
    names = (*sorts, *(v.name for v in cfa.inputs))
    if any(g.op is not Op.VAR or g.name in names for g, _ in pairs):
        return "a ghost cannot be a variable of the program"
    known = {**sorts, **{g.name: g.sort for g, _ in pairs}}
    for g, t in pairs:
        foreign = any(known.get(v.name) is not v.sort for v in free_vars(t))
        if foreign or t.sort is not g.sort or known[g.name] is not g.sort:
            return f"{g.name} gets a value that is no term of its sort over the program's variables"
    if any(loc in (cfa.initial, cfa.error) for loc in certificate.ghosts):
        return "a ghost gets no value where runs start or end"
    if any(loc not in certificate.invariants for loc in certificate.ghosts):
        return "a ghost gets a value where the certificate says nothing"
    return None


def _malformed_instances(
    cfa: CFA, certificate: Certificate, sorts: Mapping[str, Sort]
) -> str | None:
    """The index is no variable of the program, and instances are terms of its sort over the
    program's variables.
    """
    index = certificate.index
    if index is not None and (
        index.op is not Op.VAR or index.name in (*sorts, *(v.name for v in cfa.inputs))
    ):
        return f"{index.name if index.op is Op.VAR else 'the index'} cannot be quantified"
    for terms in certificate.instances.values():
        for t in terms:
            if (
                index is None
                or t.sort is not index.sort
                or any(sorts.get(v.name) is not v.sort for v in free_vars(t))
            ):
                return "an instance is not a value of the index in terms of the program's variables"
    return None


class Inductive(Checker):
    """The obligations of an inductive or k-inductive certificate."""

    def open_obligations(self) -> Iterator[Open]:
        """All obligations that are not discharged, in a fixed order; none if the certificate is a
        proof.
        """
        yield from self._stated_at_initial()
        yield from self._initiation()
        for cut in self.cuts:
            # nothing starts where the formula is false
            if not is_constant(self.claims.get(cut), False):
                yield from self._step(cut)

    def _initiation(self) -> Iterator[Open]:
        states = {self.cfa.initial: State(self.store.true, {})}
        assertions: list[Term] = []
        for _ in range(1, self.k):
            reached = self._traverse(states, assertions)
            yield from self._ask(assertions, self._goals("initiation", self.cfa.initial, reached))
            states = self._continue(reached)

    def _step(self, cut: int) -> Iterator[Open]:
        here = State(self.store.true, {})
        # P_c0 is assumed of the start of every path, so it is asserted: conjunct by conjunct, for
        # `checking.cones`
        assertions = (
            list(dict.fromkeys(conjuncts(self._assumed(cut, here)))) if cut in self.claims else []
        )
        states = {cut: here}
        for _ in range(1, self.k):
            states = self._continue(self._traverse(states, assertions))
        reached = self._traverse(states, assertions)
        kind = "initiation" if cut == self.cfa.initial else "consecution"
        yield from self._ask(assertions, self._goals(kind, cut, reached))

    def _traverse(self, states: Mapping[int, State], assertions: list[Term]) -> dict[int, State]:
        traversal = Traversal(self.regions, self.store, nothing_at=self.cfa.error)
        reached = traversal.run(states)
        assertions.extend(traversal.definitions)
        return {loc: self._recorded(loc, state) for loc, state in reached.items()}

    def _goals(
        self, kind: str, source: int, reached: Mapping[int, State]
    ) -> list[tuple[str, State, Term]]:
        return [
            (
                self._name("safety" if t == self.cfa.error else kind, source, t),
                state,
                self.claims.get(t, self.store.false),
            )
            for t, state in reached.items()
        ]
