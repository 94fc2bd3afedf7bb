"""Linear Horn clauses as a CFA: a location per relation, an edge per clause; the error is reachable
iff they are unsat.

The arguments of all relations share variables, the k-th argument of a sort everywhere the same one;
where a location's relation has fewer, the others hold their sort's default value. So the invariant
of a location, with these values put in, is about the arguments only: a *model* of the relation
(`HornCFA.model`).

A clause  R(t) and phi  implies  Q(u)  is the edge  assume(x = t and phi); x := u.  Its variables
are inputs of the edge, unless the argument t or an equation of phi determines them: those are
replaced, so that few inputs remain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from obligato.errors import Span, Unsupported
from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.models.gcl import Assign, Assume, Command, Seq
from obligato.models.horn import Clause, HornSystem
from obligato.terms import BOOL, Op, Sort, Term, TermStore, default_value, free_vars, substitute
from obligato.terms.printer import symbol, to_smtlib

INITIAL, ERROR = 0, 1
_LETTERS = {"Int": "i", "Real": "r", "Bool": "b"}


@dataclass(frozen=True, eq=False)
class HornCFA:
    """The CFA of Horn clauses; `location` and `arguments` (variables of the CFA's store) by
    relation name.
    """

    cfa: CFA
    location: dict[str, int]
    arguments: dict[str, tuple[Term, ...]]

    def model(self, invariants: Mapping[int, Term]) -> dict[str, Term]:
        """The formulas of the relations that `invariants` speak about, over their arguments
        only.
        """
        out: dict[str, Term] = {}
        for name, location in self.location.items():
            if location in invariants:
                formula = invariants[location]
                own = {v.name for v in self.arguments[name]}
                others = [v for v in free_vars(formula) if v.name not in own]
                out[name] = substitute(
                    formula, {v: formula.store.const(default_value(v.sort), v.sort) for v in others}
                )
        return out

    def definitions(self, model: Mapping[str, Term]) -> list[str]:
        """The model as SMT-LIB."""
        lines = []
        for name, formula in model.items():
            params = " ".join(f"({symbol(v.name)} {v.sort})" for v in self.arguments[name])
            lines.append(f"(define-fun {symbol(name)} ({params}) Bool {to_smtlib(formula)})")
        return lines


def to_cfa(system: HornSystem) -> HornCFA:
    """Ensures: the error location is reachable iff the clauses have no model. Refuses clauses that
    are not linear.
    """
    for c in system.clauses:
        if len(c.body) > 1:
            names = ", ".join(a.relation.name for a in c.body)
            message = (
                f"a clause with several relations in its body is not linear: {names} (engine"
                " summaries solves them)"
            )
            raise Unsupported(message, c.span, "non-linear clause")
    store, relations = system.store, list(system.relations.values())
    clauses, file = system.clauses, system.file
    pool = _Pool(store)
    arguments = {r.name: pool.take(r.sorts) for r in relations}
    location = {r.name: n for n, r in enumerate(relations, 2)}
    locations = {
        INITIAL: Location(INITIAL, "start", Span(file)),
        ERROR: Location(ERROR, "false", Span(file)),
    }
    locations |= {location[r.name]: Location(location[r.name], r.name, r.span) for r in relations}
    maker = _Edges(store, arguments, location, pool.variables())
    edges = tuple(maker.edge(n, clause) for n, clause in enumerate(clauses))
    inputs = tuple(dict.fromkeys(v for clause in maker.inputs for v in clause))
    return HornCFA(
        CFA(store, pool.variables(), inputs, locations, edges, INITIAL, ERROR, file),
        location,
        arguments,
    )


class _Pool:
    """The shared variables: by sort, in order."""

    def __init__(self, store: TermStore) -> None:
        self.store = store
        self._of: dict[Sort, list[Term]] = {}

    def take(self, sorts: Sequence[Sort]) -> tuple[Term, ...]:
        """A variable for each argument."""
        used: dict[Sort, int] = {}
        out: list[Term] = []
        for sort in sorts:
            mine = self._of.setdefault(sort, [])
            k = used[sort] = used.get(sort, -1) + 1
            if k == len(mine):
                mine.append(self.store.fresh(f"{_prefix(sort)}{k}", sort))
            out.append(mine[k])
        return tuple(out)

    def variables(self) -> tuple[Term, ...]:
        """The variables of all relations."""
        return tuple(v for mine in self._of.values() for v in mine)


def _prefix(sort: Sort) -> str:
    text = str(sort)
    return _LETTERS.get(text) or "".join(c for c in text if c.isalnum()).lower() + "_"


class _Edges:
    def __init__(
        self,
        store: TermStore,
        arguments: Mapping[str, tuple[Term, ...]],
        location: Mapping[str, int],
        pool: tuple[Term, ...],
    ) -> None:
        self.store, self.arguments, self.location, self.pool = store, arguments, location, pool
        self.inputs: list[list[Term]] = []

    def edge(self, number: int, clause: Clause) -> Edge:
        """assume the body, assign the head's arguments."""
        source = self.arguments[clause.body[0].relation.name] if clause.body else ()
        target = self.arguments[clause.head.relation.name] if clause.head else ()
        solved = _Solved(self.store, clause, source)
        assigned = dict(zip(target, solved.head, strict=True))
        if clause.head:
            stale = [v for v in self.pool if v not in assigned and (not clause.body or v in source)]
            assigned |= {v: self.store.const(default_value(v.sort), v.sort) for v in stale}
        pairs = tuple((x, e) for x, e in assigned.items() if x is not e)
        parts: list[Command] = [Assume(c) for c in solved.conditions]
        command = Seq((*parts, *((Assign(pairs),) if pairs else ())))
        own = dict.fromkeys(clause.variables)
        self.inputs.append(
            [v for v in free_vars(*solved.conditions, *(e for _, e in pairs)) if v in own]
        )
        return Edge(
            number,
            self.location[clause.body[0].relation.name] if clause.body else INITIAL,
            self.location[clause.head.relation.name] if clause.head else ERROR,
            command,
            clause.span,
            clause.text,
            None if clause.head else Violation("false is derived", span=clause.span),
            approximates=clause.approximates,
        )


class _Solved:
    """A clause over the arguments of its body: variables that an argument or an equation determines
    are replaced.
    """

    def __init__(self, store: TermStore, clause: Clause, source: tuple[Term, ...]) -> None:
        self.store = store
        self._own = dict.fromkeys(clause.variables)
        self._value: dict[Term, Term] = {}
        facts: list[Term] = []
        for x, t in zip(source, clause.body[0].args if clause.body else (), strict=True):
            if t in self._own and t not in self._value:
                self._value[t] = x
            else:
                facts.append(store.eq(x, t))
        self.conditions = self._solve([*facts, *clause.constraints])
        self.head = [self._now(t) for t in (clause.head.args if clause.head else ())]

    def _now(self, t: Term) -> Term:
        return substitute(t, self._value) if self._value else t

    def _solve(self, facts: list[Term]) -> list[Term]:
        before = -1
        while before != len(self._value):
            before, left = len(self._value), list[Term]()
            for fact in facts:
                found = self._definition(self._now(fact))
                if found is None:
                    left.append(fact)
                else:
                    x, e = found
                    self._value = {y: substitute(v, {x: e}) for y, v in self._value.items()} | {
                        x: e
                    }
            facts = left
        return [self._now(f) for f in facts]

    def _definition(self, fact: Term) -> tuple[Term, Term] | None:
        """x and e where the fact says x = e and e is not about x."""
        if fact in self._own:
            return fact, self.store.true
        if fact.op is Op.NOT and fact.args[0] in self._own:
            return fact.args[0], self.store.false
        if fact.op is not Op.EQ or len(fact.args) != 2:
            return None
        for x, e in (fact.args, fact.args[::-1]):
            if x in self._own and x not in free_vars(e) and (x.sort is BOOL or e.sort is x.sort):
                return x, e
        return None
