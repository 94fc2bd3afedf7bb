"""Affine equalities of transition systems [Kar76], location by location, found with a solver.

The control state is the valuation of the Boolean state variables and of those that are only kept or
set to constants (a program counter). For each control state the affine hull of the states known to
be reachable is kept. A step from a hull to a state outside the hulls (a model) adds that state to
the hull of its control state; so a hull has one dimension more, and the search ends after as many
models as there are control states times dimensions. When no step leaves the hulls they are closed:
`Relations.invariant` is inductive. This is the best transformer of the domain for the system's own
relation, whatever form it has [RSY04].

Limitations: numbers and words, at most `affine.LIMIT` of each sort; systems with more than
`LOCATIONS` control states are analysed as one; None where the solver gives up or `CALLS` do not
suffice. `cheap_relations` is for engines that only profit by the relations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass

from obligato.analysis.affine import LIMIT, AffineAnalysis, Hull
from obligato.analysis.modules import Basis, Row
from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import Make
from obligato.smt.projection.equality import determined
from obligato.terms import (
    BOOL,
    Kind,
    Op,
    Sort,
    Term,
    Value,
    assigned_constant,
    conjuncts,
    evaluate,
    free_vars,
    postorder,
    substitute,
)

LOCATIONS = 400
CALLS = 4_000
WORD_CALLS = 80  # where there are words, which are expensive
FEW = 12  # numbers and words of a system that is analysed cheaply
BUDGET = 4_000_000  # of one question, in the units of the backend
Location = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Relations:
    """The equations that hold in each reachable control state; `at` has all of them that may be
    reachable.
    """

    control: tuple[Term, ...]
    at: Mapping[Location, tuple[Term, ...]]

    def equations(self) -> list[Term]:
        """All equations, each once."""
        return list(dict.fromkeys(e for equations in self.at.values() for e in equations))

    def invariant(self) -> Term | None:
        """Holds in every reachable state and is inductive under the constraints; None: nothing is
        known.
        """
        known = (*self.control, *self.equations())
        if not self.at or not known:
            return None
        store = known[0].store
        return store.or_(
            *(
                store.and_(*located(self.control, here), *equations)
                for here, equations in self.at.items()
            )
        )


def located(control: tuple[Term, ...], location: Location) -> list[Term]:
    """The control state as literals."""
    return [x.store.eq(x, x.store.const(v, x.sort)) for x, v in zip(control, location, strict=True)]


def control_variables(system: TransitionSystem) -> tuple[Term, ...]:
    """Booleans, and numbers or words that start with a constant and whose next value occurs only in
    x' = c and x' = x (c and x also as branches of an ite).
    """
    owner = {p: x for x, p in system.primed.items()}
    data: dict[Term, None] = {}
    for t in postorder([system.trans]):
        if t.sort is BOOL and t.args and t.args[0].sort is not BOOL:
            data.update(
                dict.fromkeys(
                    owner[p]
                    for p in free_vars(t)
                    if p in owner and not _kept_or_set(t, p, owner[p])
                )
            )
    mentioned = free_vars(system.trans)
    starts = dict(assigned_constant(f) for f in conjuncts(system.init))
    return tuple(
        x
        for x in system.state
        if x.sort is BOOL
        or (
            x.sort.kind in (Kind.INT, Kind.BITVEC)
            and x in starts
            and x not in data
            and system.primed[x] in mentioned
        )
    )


def _kept_or_set(atom: Term, primed: Term, x: Term) -> bool:
    """Is the atom x' = x or x' = c, also as a sum that is zero?"""
    value = determined(primed, atom) if atom.op is Op.EQ else None
    values = [] if value is None else [value]
    while any(v.op is Op.ITE for v in values):
        values = [b for v in values for b in (v.args[1:] if v.op is Op.ITE else (v,))]
    return bool(values) and all(v.op is Op.CONST or v is x for v in values)


def affine_relations(
    system: TransitionSystem, make: Make, tick: Callable[[], None], calls: int = CALLS
) -> Relations | None:
    """The affine relations of a system, if so many questions do; `tick` is called before each of
    them.
    """
    groups = _groups(system)
    control = control_variables(system)
    for chosen in dict.fromkeys((control, ())):
        with closing(_Closure(system, groups, chosen, make, tick, calls)) as run:
            if run.close_hulls():
                return Relations(chosen, {here: tuple(run.equations(here)) for here in run.hulls})
            if len(run.hulls) <= LOCATIONS:
                return None
    return None


def cheap_relations(
    system: TransitionSystem, make: Make, tick: Callable[[], None]
) -> Relations | None:
    """The affine relations, those of words modulo 2^w, where they cost a second or so: of few
    variables, and with few questions where there are words.
    """
    numbers = sum(x.sort.kind in (Kind.INT, Kind.REAL) for x in system.state)
    words = sum(x.sort.kind is Kind.BITVEC and x.sort.width > 1 for x in system.state)
    if not 1 <= numbers + words <= FEW:
        return None
    return affine_relations(system, make, tick, WORD_CALLS if words else CALLS)


def _groups(system: TransitionSystem) -> list[tuple[Term, ...]]:
    by_sort: dict[Sort, list[Term]] = {}
    for x in system.state:
        if x.sort.kind in (Kind.INT, Kind.REAL, Kind.BITVEC):
            by_sort.setdefault(x.sort, []).append(x)
    return [tuple(xs[:LIMIT]) for xs in by_sort.values()]


class _Source:
    """The initial states, or the steps from one control state: a small solver, for control decides
    most of the relation.
    """

    def __init__(
        self, system: TransitionSystem, make: Make, here: Mapping[Term, Value] | None
    ) -> None:
        self.system, store = system, system.store
        self.solver = ActivationSolver(store, make, rebuild_every=0)
        # the equations of a hull, and the literal for "not in it"
        self.targets: dict[Location, tuple[list[Term], Term]] = {}
        known = {x: store.const(v, x.sort) for x, v in (here or {}).items()}
        for f in [system.init] if here is None else [*system.constraints, system.trans]:
            self.solver.add(substitute(f, known))
        self.names = {x: x if here is None else system.primed[x] for x in system.state}

    def avoid(self, control: tuple[Term, ...], target: Location, equations: list[Term]) -> None:
        """From now on look for states outside this hull."""
        old, literal = self.targets.get(target, (None, None))
        if old is equations:
            return
        if literal is not None:
            self.solver.retire(literal)
        outside = self.system.store.not_(
            self.system.store.and_(*located(control, target), *equations)
        )
        self.targets[target] = equations, self.solver.activate(substitute(outside, self.names))


class _Closure:
    """Hulls by control state, and the solvers that look for steps out of them."""

    def __init__(
        self,
        system: TransitionSystem,
        groups: list[tuple[Term, ...]],
        control: tuple[Term, ...],
        make: Make,
        tick: Callable[[], None],
        most: int,
    ) -> None:
        self.system, self.control, self.make = system, control, make
        self.tick, self.most = tick, most
        self.analyses = [AffineAnalysis(group) for group in groups]
        self.hulls: dict[Location, list[Basis]] = {}
        self.calls = 0
        self._equations: dict[Location, list[Term]] = {}
        self._sources: dict[Location | None, _Source] = {}

    def equations(self, here: Location) -> list[Term]:
        """What holds in the hull of a control state; the same list until the hull grows."""
        if here not in self._equations:
            self._equations[here] = [
                e
                for a, basis in zip(self.analyses, self.hulls[here], strict=True)
                for e in a.equalities(self.system.store, Hull(a.ring, basis.rows.values(), basis))
            ]
        return self._equations[here]

    def close_hulls(self) -> bool:
        """Ensures (True): init and all steps from hulls end in hulls. False: too many control
        states, or the solver gave up.
        """
        todo: dict[Location | None, None] = {None: None}
        while todo:
            here = next(iter(todo))
            state = self._leave(here)
            if state is None or len(self.hulls) > LOCATIONS:
                return False
            if not state:
                del todo[here]
            elif (grown := self._add(here, state)) is not None:
                todo[grown] = None
        return True

    def _leave(self, here: Location | None) -> dict[Term, Value] | None:
        """A state outside the known hulls after a step from `here` (None: an initial one); {}:
        there is none.
        """
        source = self._source(here)
        for target in source.targets:
            source.avoid(self.control, target, self.equations(target))
        self.calls += 1
        if self.calls > self.most:
            return None
        self.tick()
        # hull(x) and C and T and x' in no hull (or I and x in no hull): sat - a state to add; unsat
        # - closed   (heuristic)
        result = source.solver.check(
            [
                *([] if here is None else self.equations(here)),
                *(literal for _, literal in source.targets.values()),
            ],
            budget=BUDGET,
            kind="affine",
        )
        if result is UNSAT:
            return {}
        if result is not SAT:
            return None
        model = source.solver.model_of(list(source.names.values()))
        return {x: evaluate(name, model) for x, name in source.names.items()}

    def _source(self, here: Location | None) -> _Source:
        if here not in self._sources:
            known = None if here is None else dict(zip(self.control, here, strict=True))
            self._sources[here] = _Source(self.system, self.make, known)
        return self._sources[here]

    def _add(self, source: Location | None, state: Mapping[Term, Value]) -> Location | None:
        """The control state of the state, if its hull has grown."""
        here = tuple(state[x] for x in self.control)
        new = here not in self.hulls
        hull = self.hulls.setdefault(here, [Basis(a.ring) for a in self.analyses])
        rows: list[Row] = [(*(state[x] for x in a.variables), 1) for a in self.analyses]  # type: ignore[arg-type]
        grown = [basis.add(row) for basis, row in zip(hull, rows, strict=True)]
        if any(grown):
            self._equations.pop(here, None)
        self._source(source).avoid(self.control, here, self.equations(here))
        return here if new or any(grown) else None

    def close(self) -> None:
        """Free the solvers."""
        for source in self._sources.values():
            source.solver.close()
