"""Horn clauses from Boolean structure.

A formula over constraints and applications of relations becomes clauses: constraint and relations
imply a relation or false. Applications are read as Boolean variables, *markers*, that stand for
(relation, arguments), and quantified formulas likewise. `split` turns a formula into clauses:
conjunctions split it, implications and negations move into the body, and where a body has a
disjunction about relations, each of its cases is a clause of its own; an ite is two implications in
a head and two cases in a body, an equivalence that is asserted is two implications. A relation that
must not hold in a body without a head is the head. A universal
quantifier in a head and an existential one in a body are dropped: their variables are the clause's.

Refused: the other quantifiers, and two relations in the head (not Horn).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from obligato.errors import Span, Unsupported
from obligato.models.horn import Application
from obligato.terms import Op, Term, postorder

CASES = 256  # of one clause


Case = tuple[
    list[Application], list[Term], list[Application]
]  # body, constraints, one head or none
Fact = tuple[Term, bool]  # a formula and whether it holds


@dataclass(frozen=True, slots=True)
class Quantified:
    """A quantified formula; its bound variables are free in `body`."""

    universal: bool
    body: Term


class Splitter:
    """Splits the formulas of one assertion."""

    def __init__(
        self, markers: Mapping[Term, Application], quantified: Mapping[Term, Quantified], span: Span
    ) -> None:
        self.markers, self.quantified, self.span = markers, quantified, span
        self.about: dict[Term, None] = {}  # subterms with a marker or a quantified formula inside
        self._seen: dict[Term, None] = {}

    def split(
        self, formula: Term
    ) -> Iterator[tuple[tuple[list[Application], list[Term]], Application | None]]:
        """All clauses of a formula that is asserted."""
        self._look_into(formula)
        for body, head in self._clauses(formula):
            for case in self._cases(body, head):
                yield case[:2], case[2][0] if case[2] else None

    def _look_into(self, formula: Term) -> None:
        for t in postorder([formula], self._seen):
            if t in self.markers or t in self.quantified or any(a in self.about for a in t.args):
                self.about[t] = None

    def _unquantified(self, t: Term, universal: bool) -> Term:
        """The body of a quantified formula where its variables are the clause's."""
        found = self.quantified[t]
        if found.universal is not universal:
            kind, place = ("a universal", "body") if found.universal else ("an existential", "head")
            raise self._refused(f"{kind} quantifier in the {place} of a clause", "quantifier")
        self._look_into(found.body)
        return found.body

    def _clauses(self, formula: Term) -> Iterator[tuple[list[Fact], Application | None]]:
        """Bodies, as facts, and heads."""
        stack: list[tuple[Term, list[Fact]]] = [(formula, [])]
        while stack:
            t, body = stack.pop()
            if t in self.markers:
                yield body, self.markers[t]
            elif t in self.quantified:
                stack.append((self._unquantified(t, True), body))
            elif t.op is Op.IMPLIES:
                stack.append((t.args[1], [*body, (t.args[0], True)]))
            elif t.op is Op.AND:
                stack.extend((a, body) for a in reversed(t.args))
            elif t.op is Op.ITE and t in self.about:
                condition, then, other = t.args
                stack += [(other, [*body, (condition, False)]), (then, [*body, (condition, True)])]
            elif t.op is Op.EQ and t in self.about and len(t.args) == 2:
                stack += [(a, [*body, (b, True)]) for a, b in (t.args, t.args[::-1])]
            elif t.op is Op.OR and t in self.about:
                heads = [a for a in t.args if a in self.about and a.op is not Op.NOT]
                if len(heads) > 1:
                    raise self._refused("a clause with two relations in its head", "not Horn")
                rest = [
                    (a.args[0], True) if a.op is Op.NOT else (a, False)
                    for a in t.args
                    if a not in heads
                ]
                stack.append((heads[0] if heads else t.store.false, [*body, *rest]))
            else:
                yield [*body, (t, False)], None

    def _cases(self, facts: list[Fact], head: Application | None) -> list[Case]:
        """The cases in which all facts hold, those to the left first."""
        done: list[Case] = []
        heads = [] if head is None else [head]
        open_: list[tuple[Case, list[Fact]]] = [(([], [], heads), facts[::-1])]
        while open_:
            told, todo = open_.pop()
            while todo:
                cases = self._fact(*todo.pop(), told)
                if not cases:
                    break
                open_ += [
                    ((told[0][:], told[1][:], told[2][:]), [*todo, *case[::-1]])
                    for case in reversed(cases[1:])
                ]
                if len(done) + len(open_) >= CASES:
                    raise self._refused(
                        f"a clause of more than {CASES} cases", "Horn clause with many cases"
                    )
                todo += cases[0][::-1]
            else:
                done.append(told)
        return done

    def _fact(self, t: Term, holds: bool, told: Case) -> list[list[Fact]]:
        """The cases of one fact, as facts; what is no further fact is added to the lists. No case:
        it cannot be.
        """
        applications, constraints, heads = told
        if t not in self.about:
            return [[]] if self._constraint(t, holds, constraints) else []
        if t in self.markers:
            if not holds and heads:
                raise self._refused("a clause with two relations in its head", "not Horn")
            (applications if holds else heads).append(self.markers[t])
            return [[]]
        if t in self.quantified:
            return [[(self._unquantified(t, not holds), holds)]]
        if t.op is Op.NOT:
            return [[(t.args[0], not holds)]]
        if t.op is Op.ITE:
            return [
                [(t.args[0], True), (t.args[1], holds)],
                [(t.args[0], False), (t.args[2], holds)],
            ]
        if t.op is Op.IMPLIES:
            parts, together = [(t.args[0], not holds), (t.args[1], holds)], not holds
        elif t.op in (Op.AND, Op.OR):
            parts, together = [(a, holds) for a in t.args], (t.op is Op.AND) is holds
        else:
            raise self._refused(
                f"a relation or quantifier inside {t.op.name.lower()}", "relation inside a term"
            )
        return [parts] if together else [[p] for p in parts]

    def _constraint(self, t: Term, holds: bool, constraints: list[Term]) -> bool:
        """Add a fact without relations to the constraints; False: it is known not to be."""
        if t.op is Op.CONST:
            return t.data is holds
        constraints.extend(self._constraint_parts(t) if holds else [t.store.not_(t)])
        return True

    def _constraint_parts(self, t: Term) -> Iterator[Term]:
        stack = [t]
        while stack:
            a = stack.pop()
            if a.op is Op.AND:
                stack.extend(reversed(a.args))
            else:
                yield a

    def _refused(self, message: str, construct: str) -> Unsupported:
        return Unsupported(f"{message} is not supported", self.span, construct)


def by_zero(terms: Iterable[Term]) -> Term | None:
    """Is a divisor zero? The logic leaves the quotient open, so clauses that need one value of it
    refute nothing.
    """
    divisions = [t for t in postorder(terms) if t.op in (Op.IDIV, Op.MOD, Op.RDIV)]
    divisors = dict.fromkeys(
        t.args[1] for t in divisions if t.args[1].op is not Op.CONST or not t.args[1].data
    )
    zeros = [d.store.eq(d, d.store.const(0, d.sort)) for d in divisors]
    return zeros[0].store.or_(*zeros) if zeros else None
