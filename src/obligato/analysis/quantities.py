"""Linear quantities of programs over numbers, found with a solver on a CFA of large blocks,
whatever form its relations have.

Two things, as candidates for Houdini and as predicates:

- The affine hull of the reachable states at each location, over the rationals [Kar76] and of
  integers modulo 2: a step from a hull to a state outside the hull of its target (a model) adds
  that state, which raises a dimension; when no step leaves the hulls, their equations are inductive
  [RSY04].
- What the edges around a loop leave as it is: the linear forms q with q(x') = q(x), as the kernel
  of the differences x' - x. A model in which one of the known forms changes removes it. Such a form
  is bounded in the loop by what it is where the loop is entered: ``y - 2 * x >= 1`` if x = 0 and y
  >= 1 there and a round adds 1 and 2. Forms kept modulo 2 are predicates only, and equations that a
  hull has lost, and atoms of the program with a multiple of one more variable that makes the loop
  keep them.

Limitation: at most `affine.LIMIT` variables of each sort, and `CALLS` questions, fewer of large
programs; forms are those that edges from a location to itself keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from math import lcm

from obligato.analysis.affine import groups
from obligato.analysis.commands import terms_of
from obligato.analysis.modules import Basis, Number, Ring, Row, kernel
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, Assume, walk
from obligato.smt import SAT, UNKNOWN
from obligato.smt.factory import Make
from obligato.terms import INT, Kind, Op, Term, TermStore, Value, evaluate, free_vars, postorder
from obligato.terms.rules import arith

CALLS = 600
WORK = 1_000_000  # nodes of terms, all questions together
PATIENCE = 4  # unanswered questions
DESCENT, FAR = 24, 10**6  # questions about one bound, and what is without bound
FEW, FORMS = 12, 16  # variables of forms that are kept, and forms
ATOMS = 100  # that are corrected
CLOSE = 3  # a form with so few values has each of them as a predicate
FORMER = 12  # equations that a hull has lost
BUDGET = 200_000  # of one question, in the units of the backend
Model = Mapping[Term, Value]
Formulas = dict[int, list[Term]]


@dataclass(frozen=True, slots=True)
class _Space:
    """Linear forms over variables of one sort, over the rationals or modulo 2."""

    variables: tuple[Term, ...]
    ring: Ring

    def row(self, state: Model, one: int) -> Row:
        """A state as a vector, with this number at its end."""
        return tuple(self.ring.reduce(n) for n in (*(state[x] for x in self.variables), one))  # type: ignore[arg-type]

    def forms(self, basis: Basis, columns: int) -> list[Row]:
        """The forms that vanish on a space, over the integers."""
        return [_whole(row) for row in kernel(self.ring, list(basis.rows.values()), columns)]

    def term(self, store: TermStore, form: Row) -> Term:
        """The value of a form; with one number more than variables its last one is the constant."""
        constant, sort = form[-1] if len(form) > len(self.variables) else 0, self.variables[0].sort
        number = int if sort is INT else Fraction
        coeffs: dict[Term, Number] = {
            x: number(a) for x, a in zip(self.variables, form, strict=False) if a
        }
        return arith.from_linear(store, (coeffs, number(constant)), sort)

    def sparse_forms(self, basis: Basis) -> Iterator[Row]:
        """The forms of two to four variables that vanish on a space, and no part of whose variables
        has such a form.
        """
        columns, rows = range(min(len(self.variables), FEW)), list(basis.rows.values())
        for size in (2, 3, 4):
            for chosen in combinations(columns, size):
                found = kernel(self.ring, [tuple(row[c] for c in chosen) for row in rows], size)
                if len(found) == 1 and all(found[0]):
                    numbers = dict(zip(chosen, _whole(found[0]), strict=True))
                    yield tuple(numbers.get(c, 0) for c in range(len(self.variables)))

    def row_of(self, store: TermStore, atom: Term) -> Row | None:
        """The difference of what an atom compares, with its constant; None where it is not linear
        in these variables.
        """
        if atom.args[0].sort is not self.variables[0].sort:
            return None
        coeffs, constant = arith.linear_of(store.sub(*atom.args))
        if len(coeffs) < 2 or any(x not in self.variables for x in coeffs):
            return None
        return (*(coeffs.get(x, 0) for x in self.variables), constant)

    def is_zero(self, value: Term) -> Term:
        """The value is 0, in this ring."""
        store = value.store
        value = store.mod(value, store.int_(2)) if self.ring.width else value
        return store.eq(value, store.const(0, value.sort))


def _whole(row: Row) -> Row:
    scale = lcm(*(Fraction(a).denominator for a in row))
    return tuple(int(a * scale) for a in row)


def _size(blocks: CFA) -> int:
    leaves = (c for e in blocks.edges for c in walk(e.command) if isinstance(c, Assign | Assume))
    return 1 + sum(1 for _ in postorder([t for c in leaves for t in terms_of(c)]))


def _adjusted(row: Row | None, column: int, changes: Basis) -> Row | None:
    """The form with such a multiple of the variable in `column` added that it no longer changes.
    None if there is none, or if it does not change without it.
    """
    if row is None or row[column]:
        return None
    ring, factor = changes.ring, None
    for change in changes.rows.values():
        there, here = ring.dot(row[:-1], change), change[column]
        if here and factor is None:
            factor = -ring.divide(there, here)
        if there + (factor or 0) * here:
            return None
    if not factor:
        return None
    return _whole((*row[:column], factor, *row[column + 1 :]))


def quantities(blocks: CFA, make: Make, known: Formulas) -> Formulas:
    """Candidates at the locations of `blocks`, where `known` holds; none where no variable is a
    number.
    """
    spaces = [
        _Space(group, Ring()) for group in groups(blocks) if group[0].sort.kind is not Kind.BITVEC
    ]
    spaces += [
        _Space(space.variables, Ring(1)) for space in spaces if space.variables[0].sort is INT
    ]
    if not spaces:
        return {}
    with closing(_Quantities(blocks, make, spaces, known)) as run:
        run.close_hulls()
        return {
            loc: list(dict.fromkeys([*run.equations(loc), *run.kept(loc), *run.former(loc)]))
            for loc in run.hulls
        }


class _Step:
    """One edge in a solver."""

    def __init__(self, blocks: CFA, edge: Edge, make: Make) -> None:
        self.edge, self.solver = edge, make()
        self.effect = BlockEffect(blocks.store, edge.command, f"quantities!{edge.id}!")
        self.after = self.effect.pull
        for g in self.effect.guard:
            self.solver.add(g)

    def values(self, wanted: Sequence[Term]) -> list[Value]:
        """The values of terms in the step that was found last."""
        model, memo = self.solver.model_of(free_vars(*wanted)), dict[Term, Value]()
        return [evaluate(t, model, memo) for t in wanted]


class _Quantities:
    def __init__(self, blocks: CFA, make: Make, spaces: list[_Space], known: Formulas) -> None:
        self.blocks, self.store, self.spaces, self.known = blocks, blocks.store, spaces, known
        self.variables = list(dict.fromkeys(x for space in spaces for x in space.variables))
        self.make = make
        self.hulls: dict[int, list[Basis]] = {}
        self.left = min(CALLS, WORK // _size(blocks))
        self.patience = PATIENCE
        self._steps: dict[int, _Step] = {}
        self._equations: dict[int, list[Term]] = {}
        self._former: dict[int, dict[Term, None]] = {}

    def _step(self, edge: Edge) -> _Step:
        if edge.id not in self._steps:
            self._steps[edge.id] = _Step(self.blocks, edge, self.make)
        return self._steps[edge.id]

    def equations(self, location: int) -> list[Term]:
        """The equations of the hull of a location."""
        if location not in self._equations:
            hull = (
                zip(self.spaces, self.hulls[location], strict=True)
                if location in self.hulls
                else ()
            )
            self._equations[location] = [
                space.is_zero(space.term(self.store, form))
                for space, basis in hull
                for form in space.forms(basis, len(space.variables) + 1)
            ]
        return self._equations[location]

    def close_hulls(self) -> None:
        """Ensures, if there are enough questions and all are answered: steps from hulls end in
        hulls.
        """
        todo = dict.fromkeys(self.blocks.out(self.blocks.initial))
        while todo:
            edge = next(iter(todo))
            del todo[edge]
            if edge.target != self.blocks.error and self.left > 0 and self._grown(self._step(edge)):
                todo.update(dict.fromkeys(self.blocks.out(edge.target)))

    def _grown(self, step: _Step) -> bool:
        """Add states that the step reaches to the hull of its target until there are no others;
        were there any?
        """
        target, grown = step.edge.target, False
        while True:
            outside = (
                [self.store.not_(step.after(self.store.and_(*self.equations(target))))]
                if target in self.hulls
                else []
            )
            state = self._ask(
                step, [*self._before(step), *outside], [step.after(x) for x in self.variables]
            )
            if state is None:
                return grown
            hull = self.hulls.setdefault(target, [Basis(space.ring) for space in self.spaces])
            values = dict(zip(self.variables, state, strict=True))
            added = [
                basis.add(space.row(values, 1))
                for space, basis in zip(self.spaces, hull, strict=True)
            ]
            self._former.setdefault(target, {}).update(
                dict.fromkeys(self._equations.pop(target, ()))
            )
            if not any(added):
                return grown
            grown = True

    def former(self, location: int) -> list[Term]:
        """Equations that have held for a while, the last ones first: each may hold in some of the
        states.
        """
        return list(reversed(self._former.get(location, {})))[:FORMER]

    def _before(self, step: _Step) -> list[Term]:
        """The formulas that are known to hold where a step begins."""
        return [*self.known.get(step.edge.source, ()), *self.equations(step.edge.source)]

    def _ask(self, step: _Step, assumptions: list[Term], wanted: list[Term]) -> list[Value] | None:
        self.left -= 1
        if self.left < 0 or self.patience <= 0:
            return None
        # assumptions and guard: sat - a state or a difference to add; else nothing is added
        # (heuristic)
        result = step.solver.check(assumptions, budget=BUDGET, kind="quantities")
        self.patience -= result is UNKNOWN
        return step.values(wanted) if result is SAT else None

    def kept(self, location: int) -> Iterator[Term]:
        """Bounds of the forms that the edges from this location to itself leave as they are; their
        values, if there are few.
        """
        around = [self._step(e) for e in self.blocks.out(location) if e.target == location]
        entries = [self._step(e) for e in self.blocks.into(location) if e.source != location]
        for space in self.spaces if around else ():
            changes = self._changes(space, around)
            for form in islice(space.sparse_forms(changes), FORMS):
                value = space.term(self.store, form)
                yield from (
                    [space.is_zero(value)] if space.ring.width else self._bounds(value, entries)
                )
            yield from () if space.ring.width else self._corrected(space, changes, location)

    def _changes(self, space: _Space, around: list[_Step]) -> Basis:
        """The span of x' - x over these steps."""
        basis, n = Basis(space.ring), len(space.variables)
        for step in around:
            change = [self.store.sub(step.after(x), x) for x in space.variables]
            while len(basis.rows) < n:
                terms = [space.term(self.store, form) for form in space.forms(basis, n)]
                same = [space.is_zero(self.store.sub(step.after(t), t)) for t in terms]
                found = self._ask(
                    step, [*self._before(step), self.store.not_(self.store.and_(*same))], change
                )
                if found is None or not basis.add(tuple(space.ring.reduce(d) for d in found)):  # type: ignore[arg-type]
                    break
        return basis

    def _corrected(self, space: _Space, changes: Basis, location: int) -> Iterator[Term]:
        """Atoms of the edges at a location with a multiple of one more variable, such that the loop
        keeps what they compare.
        """
        effects = [self._step(e).effect for e in self.blocks.into(location)]
        effects += [
            BlockEffect(self.store, e.command, f"quantities!{e.id}!")
            for e in self.blocks.out(location)
        ]
        atoms = [
            t
            for t in postorder([g for effect in effects for g in effect.guard])
            if t.op in (Op.EQ, Op.LE)
        ]
        for atom in atoms[:ATOMS]:
            row = space.row_of(self.store, atom)
            for form in filter(
                None, (_adjusted(row, j, changes) for j in range(len(space.variables)))
            ):
                yield self.store.mk(
                    atom.op, (space.term(self.store, form), self.store.const(0, atom.args[0].sort))
                )

    def _bounds(self, form: Term, entries: list[_Step]) -> Iterator[Term]:
        """The form compared with the least and the greatest value that it has on entry."""
        least, greatest = self._least(form, entries), self._least(self.store.neg(form), entries)
        ends = [
            self.store.const(k, form.sort)
            for k in (least, None if greatest is None else -greatest)
            if k is not None
        ]
        if least is not None:
            yield self.store.le(ends[0], form)
        if greatest is not None:
            yield self.store.le(form, ends[-1])
        if (
            least is not None
            and greatest is not None
            and 0 < -greatest - least <= CLOSE
            and form.sort is INT
        ):
            yield from (
                self.store.eq(form, self.store.int_(k))
                for k in range(int(least), int(-greatest) + 1)
            )

    def _least(self, form: Term, entries: list[_Step]) -> Number | None:
        """The least value of a form after one of these steps; None: there is none, or it was not
        found.
        """
        found = [self._least_after(step, step.after(form)) for step in entries]
        known = [k for k in found if k is not None]
        return min(known) if known and len(known) == len(found) else None

    def _least_after(self, step: _Step, value: Term) -> Number | None:
        """Descend from model to model in steps that grow while there is one, and shrink when there
        is none.
        """
        known = self._before(step)
        least: Number | None = None
        down = 0
        for _ in range(DESCENT):
            below = (
                []
                if least is None
                else [self.store.lt(value, self.store.const(least - down, value.sort))]
            )
            found = self._ask(step, [*known, *below], [value])
            if (found is None and down == 0) or (least is not None and least < -FAR):
                return least if found is None else None
            least = least if found is None else found[0]  # type: ignore[assignment]
            down = down // 16 if found is None else 16 * down + 1
        return None

    def close(self) -> None:
        """Free the solvers."""
        for step in self._steps.values():
            step.solver.close()
