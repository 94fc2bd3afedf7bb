"""Infinite runs of a component: loops of a few hops back to the same state, and recurrence sets
[GHMRX08].

`same_state` asks IC3CFA whether a run can come to a state from which some hops, with some inputs,
lead back to it. It is enough that the variables return that decide where the component can go
(`Component.relevant`).

`recurrence` begins with a state that a run reaches and fixed values of all inputs. From there the
component is executed; at each location the predicates that hold whenever the run is there are a
first set, which is then weakened: a state of a set with a way into the component, but not into the
sets, takes away the predicates that the way's end does not satisfy (Houdini). A state without a way
ends the attempt. Then IC3CFA is asked whether the run ever comes to a state without a way; "no"
comes with sets that it does not leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from obligato.engines.environment import Environment
from obligato.engines.rank.questions import Questions, Reached
from obligato.engines.rank.relation import Component, Hop, Sample, whole
from obligato.engines.rank.sets import Sets
from obligato.errors import Unsupported
from obligato.models.cfa import CFA
from obligato.models.claims import Trace, TraceStep
from obligato.models.path_formula import PathFormula, PathRun
from obligato.models.rank_claims import BuchiCFA, Endless
from obligato.smt import SAT
from obligato.terms import Kind, Term, Value, default_value

CYCLES = 12
SEEDS = 6
INPUTS = (0, 1, -1)  # values of all inputs that are tried


@dataclass(frozen=True, slots=True, eq=False)
class Seed:
    """A run to a location of a component, and the state there."""

    trace: Trace
    location: int
    state: Mapping[Term, Value]


class Loops:
    """The search for infinite runs; `invariants` are those of the whole search, and grow."""

    def __init__(
        self,
        problem: BuchiCFA,
        blocks: CFA,
        questions: Questions,
        invariants: dict[int, dict[Term, None]],
        env: Environment,
    ) -> None:
        self.problem, self.cfa, self.blocks, self.store = problem, problem.cfa, blocks, blocks.store
        self.questions, self.invariants, self.env = questions, invariants, env
        self.seeds: dict[Component, list[Seed]] = {}
        # cycles that no run takes from a state back to it
        self._excluded: set[tuple[int, ...]] = set()
        self._tried: set[Seed] = set()
        self._asked: set[tuple[int, Term]] = set()
        self._variables = frozenset(problem.cfa.variables)

    # -- loops back to the same state

    def same_state(self, component: Component, longest: int, budget: int) -> Endless | None:
        """A lasso whose loop has at most `longest` hops."""
        found = [
            c
            for c in islice(_cycles(component, longest), CYCLES)
            if _numbers(c) not in self._excluded
        ]
        asked = [
            (cycle, formula)
            for cycle in found
            if (formula := self._returns(component, cycle)) is not None
        ]
        if not asked:
            return None
        answer = self.questions.reach(
            [(cycle[0].source, formula) for cycle, formula in asked], budget
        )
        if answer is None:
            return None
        if not isinstance(answer, Reached):
            self._excluded |= {_numbers(cycle) for cycle, _ in asked}
            return None
        return self._lasso(component, answer, asked[answer.condition][0])

    def _returns(self, component: Component, cycle: list[Hop]) -> Term | None:
        """The condition that the hops lead back to the same state; None if it cannot be
        satisfied.
        """
        path = PathFormula(self.blocks, cycle[0].source)
        for hop in cycle:
            path.extend(hop.edge)
        formula = path.unversioned(
            self.store.and_(*path.formulas(), *self._same(component, path, 0)), 0
        )
        solver = self.questions.make()
        try:
            for f in (*self.invariants[cycle[0].source], formula):
                solver.add(f)
            self.env.tick()
            # P_c and the hops and s' = s: sat - worth a question; unsat - excluded   (heuristic)
            if solver.check([], kind="loop") is SAT:
                return formula
        except Unsupported:
            return None  # equality of arrays: this cycle is not asked about
        finally:
            solver.close()
        self._excluded.add(_numbers(cycle))
        return None

    def _same(self, component: Component, path: PathFormula, start: int) -> Iterator[Term]:
        """The relevant variables have the same values at position `start` and at the end."""
        for x in component.returning:
            if x in path.versions[-1] and path.versions[-1][x] is not path.versions[start][x]:
                yield self.store.eq(path.versions[-1][x], path.versions[start][x])

    def _lasso(self, component: Component, answer: Reached, cycle: list[Hop]) -> Endless | None:
        path = self.questions.along(answer.edges)
        start = len(path.steps)
        for hop in cycle:
            path.extend(hop.edge)
        run = self.questions.solve(path, list(self._same(component, path, start)))
        if run is None:
            return None
        return Endless(self.trace(run), sum(len(edges) for edges in run.edges[:start]))

    def trace(self, run: PathRun) -> Trace:
        """The original edges of a run with their inputs."""
        steps = []
        for edges, given in zip(run.edges, run.inputs, strict=True):
            values = {i.name: value for i, value in given.items()}
            for number in edges:
                names = [i.name for i in self.cfa.edge_inputs(self.cfa.by_id[number])]
                steps.append(
                    TraceStep(number, {name: values[name] for name in names if name in values})
                )
        return Trace({x.name: value for x, value in run.states[0].items()}, tuple(steps))

    # -- recurrence sets

    def seed(self, component: Component, samples: Sequence[Sample], budget: int) -> None:
        """Seeds where the variables that the component does not change have the values of steps
        that decrease no tuple.
        """
        changed = {x for h in component.hops for x in h.effect.pull.mapping}
        fixed = [
            x
            for x in component.relevant
            if x not in changed and x in self._variables and x.sort.kind is not Kind.ARRAY
        ]
        for sample in samples[-SEEDS:] if fixed else ():
            condition = self.store.and_(
                *(self.store.eq(x, self.store.const(sample.before[x], x.sort)) for x in fixed)
            )
            if (sample.source, condition) in self._asked:
                continue
            self._asked.add((sample.source, condition))
            answer = self.questions.reach([(sample.source, condition)], budget)
            if isinstance(answer, Reached):
                path = self.questions.along(answer.edges)
                run = self.questions.solve(path, [path.at(condition, len(path.steps))])
                if run is not None:
                    found = Seed(self.trace(run), sample.source, run.states[-1])
                    self.seeds.setdefault(component, []).append(found)

    def recurrence(self, component: Component, budget: int) -> Endless | None:
        """A run into a recurrence set, from one of the seeds."""
        if any(x.sort.kind in (Kind.ARRAY, Kind.FLOAT, Kind.REAL) for x in component.relevant):
            return None
        inside = {v for h in component.hops for v in h.reads}
        choices = INPUTS if any(i in inside for i in self.cfa.inputs) else INPUTS[:1]
        for seed in [s for s in self.seeds.get(component, ()) if s not in self._tried][-SEEDS:]:
            self._tried.add(seed)
            for value in choices:
                found = self._from(
                    component, seed, {i: _constant(i, value) for i in self.cfa.inputs}, budget
                )
                if found is not None:
                    return found
        return None

    def _from(
        self, component: Component, seed: Seed, values: Mapping[Term, Value], budget: int
    ) -> Endless | None:
        """A recurrence set from the seed, on which inputs have these values."""
        sets = Sets(component, values, self.problem, self.questions.make, self.env)
        found = sets.closed(seed.location, seed.state)
        if found is None and sets.goes_on(seed.location, seed.state):
            found = self._trap(component, seed, values, sets, budget)
        told = {i.name: v for i, v in values.items()}
        return None if found is None else Endless(seed.trace, len(seed.trace.steps), found, told)

    def _trap(
        self,
        component: Component,
        seed: Seed,
        values: Mapping[Term, Value],
        sets: Sets,
        budget: int,
    ) -> dict[int, Term] | None:
        """Sets that the run from the seed never leaves, and in which it always has a way on."""
        store = self.store
        known = [x for x in self.cfa.variables if x in seed.state and x.sort.kind is not Kind.ARRAY]
        start = store.and_(*(store.eq(x, store.const(seed.state[x], x.sort)) for x in known))
        given = {i: store.const(v, i.sort) for i, v in values.items()}
        self.env.count("traps")
        found = self.questions.trap(
            whole(self.cfa, component), (seed.location, start), sets.stuck(), given, budget
        )
        return None if found is None else {loc: found[loc] for loc in sets.ways if loc in found}


def _constant(variable: Term, value: int) -> Value:
    match variable.sort.kind:
        case Kind.BITVEC:
            return value % (1 << variable.sort.width)
        case Kind.BOOL:
            return bool(value)
        case Kind.INT:
            return value
    return default_value(variable.sort)


def _numbers(cycle: list[Hop]) -> tuple[int, ...]:
    return tuple(h.edge.id for h in cycle)


def _cycles(component: Component, longest: int) -> Iterator[list[Hop]]:
    """Ways of at most `longest` hops from a location back to it, shortest first, one of them
    strict.
    """
    layer: list[list[Hop]] = [[h] for h in component.hops]
    for _ in range(longest):
        for way in layer:
            if way[-1].target == way[0].source and any(h.strict for h in way):
                yield way
        layer = [[*way, h] for way in layer for h in component.hops if h.source == way[-1].target][
            :200
        ]
