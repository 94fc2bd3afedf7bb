"""Control flow found again: a transition system that codes a program counter, as a control-flow
automaton.

The values of the counters (`models.counters`) that a run can have are the locations; they are
explored from the initial states, by a solver that answers which values a step from a location can
lead to. The relation between two locations, with both values put in, becomes an edge: equations x'
= e are its assignments, everything else is an assumption, about inputs that stand for next values
without an equation. Each edge has its own inputs; those that an equation determines are eliminated.

    start -> l         the initial states with l as the values of the counters
    l -> m             constraints and a step from l to m
    l -> error         constraints, and some property is violated

So a path to the error location is a run of the system, one edge for each step. `ControlLift`
(`models.control_lift`) maps back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.models.counters import counters
from obligato.models.gcl import Assign, Assume, Command, Seq
from obligato.models.transition_system import TransitionSystem
from obligato.smt import SAT, UNSAT, Solver
from obligato.smt.projection.equality import determined
from obligato.terms import BOOL, Op, Substitution, Term, Value, conjuncts, free_vars
from obligato.terms.store import rebuild

Values = tuple[Value, ...]  # of the counters
START, ERROR = 0, 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Where exploration gives up: initial values, locations, pairs of locations with a step."""

    initial: int = 4
    locations: int = 400
    steps: int = 1600


@dataclass(frozen=True, slots=True)
class ControlFlow:
    """The automaton, the counters, their values at each location but the start and the error, and
    for each edge what the inputs of the system are in the step that it stands for: terms over the
    state before it and the edge's inputs. Where several locations have the same values, `pinned`
    says of which values of other variables each is about.
    """

    cfa: CFA
    system: TransitionSystem
    counters: tuple[Term, ...]
    values: dict[int, Values]
    inputs: dict[int, dict[Term, Term]]
    pinned: dict[int, tuple[tuple[Term, Term], ...]] = field(default_factory=dict)


def recover(
    system: TransitionSystem,
    make: Callable[[], Solver],
    limits: Limits | None = None,
    tick: Callable[[], None] = lambda: None,
) -> ControlFlow | None:
    """The control flow of a system of a simplifying store; None: it has no counters, or too many
    locations.
    """
    found = counters(system)
    if not found:
        return None
    with closing(_Explorer(system, found, make, limits or Limits(), tick)) as explorer:
        known = explorer.explore()
    return _Builder(system, found).build(*known) if known is not None else None


def single_location(system: TransitionSystem) -> ControlFlow:
    """A system as an automaton with one location, which all steps lead back to."""
    return _Builder(system, []).build([()], {(): [()]})


def two_locations(system: TransitionSystem, bit: Term) -> ControlFlow:
    """A system as an automaton with a location for each value of a state variable that is
    Boolean.
    """
    both: list[Values] = [(False,), (True,)]
    return _Builder(system, [bit]).build(both, dict.fromkeys(both, both))


class _Explorer:
    """Which values of the counters follow each other? More than there are: the solver decides,
    constraints included.
    """

    def __init__(
        self,
        system: TransitionSystem,
        counters: list[Term],
        make: Callable[[], Solver],
        limits: Limits,
        tick: Callable[[], None],
    ) -> None:
        self.system, self.store, self.counters = system, system.store, counters
        self.limits, self.tick = limits, tick
        self.first, self.step = make(), make()
        self.first.add(system.init)
        self.step.add(self.store.and_(system.trans, *system.constraints))

    def explore(self) -> tuple[list[Values], dict[Values, list[Values]]] | None:
        """The initial values, and the successors of all values that can be reached; None:
        too many.
        """
        start = self._answers(self.first, self.counters, [], self.limits.initial)
        if start is None:
            return None
        after: dict[Values, list[Values]] = {}
        pending = list(start)
        steps = 0
        while pending:
            here = pending.pop()
            if here in after:
                continue
            primed = [self.system.primed[x] for x in self.counters]
            found = self._answers(
                self.step, primed, self.equations(self.counters, here), self.limits.steps - steps
            )
            if found is None or len(after) >= self.limits.locations:
                return None
            steps += len(found)
            after[here] = found
            pending.extend(reversed(found))
        return start, after

    def equations(self, variables: Sequence[Term], values: Values) -> list[Term]:
        """The variables have these values."""
        s = self.store
        return [s.eq(x, s.const(v, x.sort)) for x, v in zip(variables, values, strict=True)]

    def _answers(
        self, solver: Solver, variables: Sequence[Term], assumed: list[Term], limit: int
    ) -> list[Values] | None:
        """All values of some variables, one after the other; None: more than the limit, or the
        solver cannot say.
        """
        s, found = self.store, list[Values]()
        block = s.fresh("seen!", BOOL)
        while len(found) <= limit:
            self.tick()
            # the formula, the location and none of the values found: sat - another one; unsat -
            # these are all   (required)
            result = solver.check([block, *assumed], kind="control")
            if result is UNSAT:
                return found
            if result is not SAT:
                return None
            model = solver.model_of(variables)
            found.append(tuple(model[x] if x in model else solver.value(x) for x in variables))
            solver.add(s.or_(s.not_(block), s.not_(s.and_(*self.equations(variables, found[-1])))))
        return None

    def close(self) -> None:
        """Free the solvers."""
        self.first.close()
        self.step.close()


class _Builder:
    """Makes the edges between explored locations."""

    def __init__(self, system: TransitionSystem, counters: list[Term]) -> None:
        self.system, self.store, self.counters = system, system.store, counters
        self.data = tuple(x for x in system.state if x not in set(counters))
        self.edges: list[Edge] = []
        self.inputs: list[Term] = []
        self.origin: dict[int, dict[Term, Term]] = {}

    def build(self, start: list[Values], after: dict[Values, list[Values]]) -> ControlFlow:
        """The whole automaton."""
        number = {values: n for n, values in enumerate(after, 2)}
        locations = {START: Location(START, "start"), ERROR: Location(ERROR, "error")}
        locations |= {n: Location(n, self._name(values)) for values, n in number.items()}
        for values in start:
            self._edge(START, number[values], self._at(self.counters, values)(self.system.init))
        for values, n in number.items():
            self._leaving(values, n, after[values], number)
        cfa = CFA(
            self.store,
            self.data,
            tuple(self.inputs),
            locations,
            tuple(self.edges),
            START,
            ERROR,
            display=dict(self.system.display),
        )
        return ControlFlow(
            cfa, self.system, tuple(self.counters), {n: v for v, n in number.items()}, self.origin
        )

    def _name(self, values: Values) -> str:
        names = (self.system.display.get(x.name, x.name) for x in self.counters)
        return ", ".join(
            f"{name} = {self.store.const(v, x.sort)}"
            for name, x, v in zip(names, self.counters, values, strict=True)
        )

    def _at(self, variables: Sequence[Term], values: Values) -> Substitution:
        return Substitution(
            {x: self.store.const(v, x.sort) for x, v in zip(variables, values, strict=True)}
        )

    def _leaving(
        self, values: Values, n: int, targets: list[Values], number: dict[Values, int]
    ) -> None:
        """The edges that leave a location: steps, and violations."""
        s, system = self.store, self.system
        here = self._at(self.counters, values)
        allowed = here(s.and_(*system.constraints))
        step = here(system.trans)
        for target in targets:
            there = self._at([system.primed[x] for x in self.counters], target)
            self._edge(n, number[target], s.and_(allowed, there(step)))
        for p in system.assertions:
            self._edge(
                n, ERROR, s.and_(allowed, s.not_(here(p.formula))), Violation(p.name, span=p.span)
            )

    def _edge(
        self, source: int, target: int, relation: Term, violation: Violation | None = None
    ) -> None:
        """The edge of a relation over data, inputs and next values, unless it is false."""
        s, system, n = self.store, self.system, len(self.edges)
        relation = propagated(relation)
        if relation is s.false:
            return
        moves = target != ERROR and source != START
        named = free_vars(relation)
        inputs = {i: s.fresh(f"{i.name}!e{n}", i.sort) for i in system.inputs if i in named}
        primed = (
            {system.primed[x]: s.fresh(f"{x.name}!n{n}", x.sort) for x in self.data}
            if moves
            else {}
        )
        known, rest = solved(relation, [*primed, *inputs])
        own = {**primed, **inputs}
        rename = Substitution(own)
        values = {i: rename(known[i]) if i in known else own[i] for i in own}
        self.inputs += [v for i, v in own.items() if i not in known]
        pairs = tuple(
            (x, e) for x in self.data if moves and (e := values[system.primed[x]]) is not x
        )
        self.edges.append(
            Edge(n, source, target, edge_command(rename(rest), pairs), violation=violation)
        )
        self.origin[n] = {i: values[i] for i in inputs}


def edge_command(guard: Term, pairs: tuple[tuple[Term, Term], ...]) -> Seq:
    """Assume the guard, then assign."""
    parts: list[Command] = [] if guard is guard.store.true else [Assume(guard)]
    return Seq((*parts, *([Assign(pairs)] if pairs else [])))


def propagated(formula: Term) -> Term:
    """An equivalent formula in which literals among the conjuncts have been put into the others."""
    s, known = formula.store, dict[Term, Term]()
    while True:
        facts = conjuncts(formula)
        literals = {f: None for f in facts if f.is_literal}
        known = {f.atom: s.bool_(f is f.atom) for f in literals}
        memo = dict(known)
        changed = s.and_(*literals, *(rebuild(f, s, memo) for f in facts if f not in literals))
        if changed is formula:
            return formula
        formula = changed


def solved(relation: Term, unknowns: Sequence[Term]) -> tuple[dict[Term, Term], Term]:
    """What equations of the relation determine: terms without these unknowns, for some of them, and
    the rest of the relation.

    The relation is equivalent to the rest and all equations `unknown = term`.
    """
    found: dict[Term, Term] = {}
    rest, left = conjuncts(relation), dict.fromkeys(unknowns)
    while True:
        new = _determined(rest, left)
        if not new:
            return found, relation.store.and_(*rest)
        put = Substitution(new)
        found = {x: put(e) for x, e in found.items()} | new
        rest = conjuncts(relation.store.and_(*map(put, rest)))
        left = {x: None for x in left if x not in new}


def _determined(facts: Sequence[Term], unknowns: dict[Term, None]) -> dict[Term, Term]:
    """Unknowns with terms that equations say they are equal to; the terms are about none of these
    unknowns.
    """
    found: dict[Term, Term] = {}
    read: set[Term] = set()
    for f in facts:
        if f.op is not Op.EQ and not f.is_literal:
            continue
        names = free_vars(f)
        for x in [x for x in names if x in unknowns and x not in found and x not in read]:
            image = determined(x, f)
            if image is not None and not any(v in found for v in free_vars(image)):
                found[x] = image
                read.update(free_vars(image))
                break
    return found
