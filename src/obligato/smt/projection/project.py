"""Model-based projection: eliminate variables from a cube, keeping the model (DESIGN 3.7).

Idea: exists x. cube is a disjunction; the model selects one disjunct, and only that one is computed
[KGC14, Sect. 5]. `project` carries it: equalities that determine a variable first (exact), then one
variable after the other by its theory: integers (Cooper), reals (Loos and Weispfenning), arrays
(reads become elements), and last a witness term or the model's value.  `exact` tells whether the
result is the whole existential.  Finitely many results per cube and variables for linear
arithmetic, so that repeating it with new models terminates (`projection.qe`); on bit-vectors it may
go value by value.

Limitation: terms must come from a simplifying store;
order is the caller's, no heuristic picks the cheapest variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from obligato.smt.implicant import implicant, implicant_of_all
from obligato.smt.projection.arrays import eliminate_array
from obligato.smt.projection.elimination import Elimination, Scratch
from obligato.smt.projection.equality import determined
from obligato.smt.projection.integers import eliminate_int
from obligato.smt.projection.reals import eliminate_real
from obligato.smt.projection.witness import eliminate_by_witness
from obligato.terms import Kind, Term, Value, conjuncts, free_vars, substitute

REMOVED = ("equality", "elimination", "value")


@dataclass(frozen=True, slots=True)
class Projection:
    """A cube without the variables; `exact`: equivalent to the existential, not only implying it.

    `removed` counts the variables that went, scratch variables included: by equality, by
    elimination (a bound, a residue, a witness term) or by value, the last resort.
    """

    literals: tuple[Term, ...]
    exact: bool
    removed: Mapping[str, int] = field(default_factory=dict, compare=False)


def project(
    cube: Sequence[Term],
    variables: Iterable[Term],
    model: Mapping[Term, Value],
    *,
    plain: bool = False,
) -> Projection:
    """Eliminate `variables` from `cube`; `plain`:
    it consists of literals without ites, as implicants do.

    Requires: model |= cube (variables left open take their sort's default); terms of a simplifying
    store.
    Ensures: model |= literals; literals imply exists variables. cube, and are implied by it where
    exact.
    """
    work = _Work(cube, model, plain)
    todo = list(dict.fromkeys(variables))
    work.scratch = (
        Scratch(cube[0].store, {**free_vars(*cube), **dict.fromkeys(todo)}) if cube else None
    )
    todo = work.solve_equalities(todo)
    while todo:
        todo.sort(key=lambda x: x.sort.kind is Kind.INT)  # reals first: see `mixed`
        todo = [*work.eliminate(todo[0]), *todo[1:]]
    return Projection(tuple(work.literals), work.exact, work.removed)


class _Work:
    """The cube in progress."""

    def __init__(self, cube: Sequence[Term], model: Mapping[Term, Value], plain: bool) -> None:
        self.values = dict(model)
        self.exact = True
        self.removed = dict.fromkeys(REMOVED, 0)
        self.literals: dict[Term, None] = {}
        self.scratch: Scratch | None = None
        self._having: dict[Term, dict[Term, None]] = {}  # the literals that contain a variable
        parts = cube if plain or not cube else conjuncts(cube[0].store.all_of(cube))
        self._take(parts, parts if plain else implicant_of_all(parts, self.values))

    def _choose(self, formula: Term) -> None:
        """Add an implicant; where that is not the formula itself, exactness ends."""
        self._take([formula], implicant(formula, self.values))

    def _take(self, formulas: Sequence[Term], literals: Sequence[Term]) -> None:
        self.exact = self.exact and list(literals) == list(formulas)
        for literal in literals:
            self._enter(literal)

    def _enter(self, literal: Term) -> None:
        if literal not in self.literals:
            self.literals[literal] = None
            for v in free_vars(literal):
                self._having.setdefault(v, {})[literal] = None

    def _absorb(self, formulas: Iterable[Term]) -> None:
        """Add formulas without ites; most are literals."""
        for formula in formulas:
            for part in conjuncts(formula):
                if part.is_literal:
                    self._enter(part)
                else:
                    self._choose(part)

    def _with(self, x: Term) -> list[Term]:
        """The literals that contain x."""
        return list(self._having.get(x, ()))

    def solve_equalities(self, todo: list[Term]) -> list[Term]:
        """Eliminate what equalities determine or what does not occur; the others are returned."""
        before = len(todo) + 1
        while len(todo) < before:
            before = len(todo)
            todo = [x for x in todo if not self._by_equality(x)]
        return todo

    def _by_equality(self, x: Term) -> bool:
        mine = self._with(x)
        step = _equality_step(x, mine)
        if step is not None:
            self._replace(mine, step)
            self.removed["equality"] += 1
        return step is not None or not mine

    def eliminate(self, x: Term) -> list[Term]:
        """Eliminate x; the scratch variables that this introduced are returned."""
        mine = self._with(x)
        if not mine:
            return []
        if self._by_equality(x):
            return []
        step = self._theory_step(x, mine)
        self._replace(mine, step)
        self.removed["value" if step.by_value else "elimination"] += 1
        return list(step.scratch)

    def _theory_step(self, x: Term, mine: Sequence[Term]) -> Elimination:
        assert self.scratch is not None
        step: Elimination | None = None
        match x.sort.kind:
            case Kind.INT:
                step = eliminate_int(x, mine, self.values, self.scratch)
            case Kind.REAL:
                step = eliminate_real(x, mine, self.values, self.scratch)
            case Kind.ARRAY:
                step = eliminate_array(x, mine, self.values, self.scratch)
            case _:
                pass
        return step or eliminate_by_witness(x, mine, self.values)

    def _replace(self, old: Sequence[Term], step: Elimination) -> None:
        for c in old:
            del self.literals[c]
            for v in free_vars(c):
                del self._having[v][c]
        self.values.update(step.scratch)
        self.exact = self.exact and step.exact
        self._absorb(step.literals)


def _equality_step(x: Term, literals: Sequence[Term]) -> Elimination | None:
    """x is determined by one of the literals."""
    for c in literals:
        image = determined(x, c)
        if image is not None:
            return Elimination([substitute(d, {x: image}) for d in literals], True)
    return None
