"""Horn clauses from Boolean structure.

A formula over constraints and applications of relations becomes clauses: constraint and relations imply a relation or false.
Applications are read as Boolean variables, *markers*, that stand for (relation, arguments). `split` turns a formula into
clauses: conjunctions split it, implications and negations move into the body, and where a body has a disjunction about
relations, each of its cases is a clause of its own.

Refused: a relation under an equivalence or an ite, two relations in the head (not Horn), two in the body (not linear).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from obligato.errors import Span, Unsupported
from obligato.terms import Op, Sort, Term, postorder

CASES = 256  # of one clause


@dataclass(frozen=True, slots=True)
class Relation:
    """An unknown relation."""

    name: str
    sorts: tuple[Sort, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Application:
    """A relation with arguments."""

    relation: Relation
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """body (None: nothing) and constraints imply head (None: false).

    `approximates`: why the clause holds in our interpretation but perhaps not in every one.
    """

    body: Application | None
    constraints: tuple[Term, ...]
    head: Application | None
    variables: tuple[Term, ...]
    span: Span
    text: str
    approximates: str | None = None


Case = tuple[list[Application], list[Term]]


class Splitter:
    """Splits the formulas of one assertion."""

    def __init__(self, markers: Mapping[Term, Application], span: Span) -> None:
        self.markers, self.span = markers, span

    def split(self, formula: Term) -> Iterator[tuple[Case, Application | None]]:
        """All clauses of a formula that is asserted."""
        self.about: dict[Term, None] = {}  # subterms with a marker inside
        for t in postorder([formula]):
            if t in self.markers or any(a in self.about for a in t.args):
                self.about[t] = None
        for body, head in self._clauses(formula):
            for case in self._cases(body):
                yield case, head

    def _clauses(self, formula: Term) -> Iterator[tuple[list[tuple[Term, bool]], Application | None]]:
        """Bodies, as facts with their polarity, and heads."""
        stack: list[tuple[Term, list[tuple[Term, bool]]]] = [(formula, [])]
        while stack:
            t, body = stack.pop()
            if t in self.markers:
                yield body, self.markers[t]
            elif t.op is Op.IMPLIES:
                stack.append((t.args[1], [*body, (t.args[0], True)]))
            elif t.op is Op.AND:
                stack.extend((a, body) for a in reversed(t.args))
            elif t.op is Op.OR and t in self.about:
                heads = [a for a in t.args if a in self.about and a.op is not Op.NOT]
                if len(heads) > 1:
                    raise self._refused("a clause with two relations in its head", "not Horn")
                rest = [(a.args[0], True) if a.op is Op.NOT else (a, False) for a in t.args if a not in heads]
                stack.append((heads[0] if heads else t.store.false, [*body, *rest]))
            else:
                yield [*body, (t, False)], None

    def _cases(self, facts: list[tuple[Term, bool]]) -> list[Case]:
        """The cases in which all facts hold."""
        cases: list[Case] = [([], [])]
        for fact in facts:
            cases = [(a + c, b + d) for (a, b), (c, d) in product(cases, self._fact(*fact))]
            if len(cases) > CASES:
                raise self._refused(f"a clause of more than {CASES} cases", "Horn clause with many cases")
        return cases

    def _fact(self, t: Term, positive: bool) -> list[Case]:
        if t not in self.about:
            return self._constraint(t, positive)
        if t in self.markers:
            if not positive:
                raise self._refused("a clause with two relations in its head", "not Horn")
            return [([self.markers[t]], [])]
        if t.op is Op.NOT:
            return self._fact(t.args[0], not positive)
        if t.op is Op.IMPLIES:
            parts = [(t.args[0], not positive), (t.args[1], positive)]
            together = not positive
        elif t.op in (Op.AND, Op.OR):
            parts = [(a, positive) for a in t.args]
            together = (t.op is Op.AND) is positive
        else:
            raise self._refused(f"a relation inside {t.op.name.lower()}", "relation inside a term")
        return self._cases(parts) if together else [c for p in parts for c in self._fact(*p)]

    def _constraint(self, t: Term, positive: bool) -> list[Case]:
        if t.op is Op.CONST:
            return [([], [])] if t.data is positive else []
        if t.op is Op.AND and positive:
            return [([], [c for a in t.args for c in self._constraint_parts(a)])]
        return [([], [t if positive else t.store.not_(t)])]

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
    """Is a divisor zero? The logic leaves the quotient open, so clauses that need one value of it refute nothing."""
    divisions = [t for t in postorder(terms) if t.op in (Op.IDIV, Op.MOD, Op.RDIV)]
    divisors = dict.fromkeys(t.args[1] for t in divisions if t.args[1].op is not Op.CONST or not t.args[1].data)
    zeros = [d.store.eq(d, d.store.const(0, d.sort)) for d in divisors]
    return zeros[0].store.or_(*zeros) if zeros else None


def linear(case: Case, span: Span) -> tuple[Application | None, tuple[Term, ...]]:
    """The one relation of a body, if it has one, and the constraints."""
    applications = list(dict.fromkeys(case[0]))
    if len(applications) > 1:
        names = ", ".join(a.relation.name for a in applications)
        raise Unsupported(f"a clause with several relations in its body is not linear: {names}", span, "non-linear clause")
    return (applications[0] if applications else None), tuple(case[1])
