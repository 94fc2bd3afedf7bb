"""Recurrence sets by weakening: `loops` says how. All inputs have fixed values, so a state has a
few ways on, one per path.

Sets are at accepting locations; a way from one to the next may pass others in between, each of them
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from obligato.engines.environment import Environment
from obligato.engines.rank.relation import Component
from obligato.models.effect import path_effect, paths
from obligato.models.rank_claims import BuchiCFA
from obligato.smt import SAT, UNSAT, Solver
from obligato.terms import (
    Kind,
    Op,
    Substitution,
    Term,
    TermStore,
    Value,
    default_value,
    evaluate,
    free_vars,
)

PATHS = 64  # of one hop, and of the ways from one location
DEPTH = 4  # locations that are not accepting on one way
STEPS = 40  # of the run that the first sets are taken from
ROUNDS = 200
State = Mapping[Term, Value]


@dataclass(frozen=True, slots=True)
class _Way:
    """One path through the edges between two locations, with its inputs fixed."""

    target: int
    guard: Term
    final: Mapping[Term, Term]

    def after(self, state: State) -> State | None:
        """The state at its end; None if it cannot be taken."""
        if not evaluate(self.guard, state):
            return None
        return {**state, **{x: evaluate(e, state) for x, e in self.final.items()}}

    def then(self, store: TermStore, way: _Way) -> _Way:
        """The way that follows this one and then another from its end."""
        here = Substitution(self.final)
        final = {**self.final, **{x: here(e) for x, e in way.final.items()}}
        return _Way(way.target, store.and_(self.guard, here(way.guard)), final)


class Sets:
    """The search from one state, for one choice of inputs."""

    def __init__(
        self,
        component: Component,
        inputs: Mapping[Term, Value],
        problem: BuchiCFA,
        make: Callable[[], Solver],
        env: Environment,
    ) -> None:
        self.problem, self.make, self.env, self.store = problem, make, env, problem.cfa.store
        self.variables = [x for x in component.relevant if x in set(problem.cfa.variables)]
        fixed = Substitution({i: self.store.const(v, i.sort) for i, v in inputs.items()})
        self._hops: dict[int, list[_Way]] = {loc: [] for loc in component.locations}
        for hop in component.hops:
            for path in islice(paths(hop.edge.command), PATHS):
                effect = path_effect(self.store, hop.edge.command, path)
                if all(problem.cfa.by_id[e].approximates is None for e in effect.edges):
                    final = {x: fixed(e) for x, e in effect.pull.mapping.items()}
                    self._hops[hop.source].append(
                        _Way(hop.target, fixed(self.store.and_(*effect.guard)), final)
                    )
        self.ways = {
            loc: list(islice(self._onward(loc, ()), PATHS))
            for loc in component.locations
            if problem.accepts(loc)
        }

    def stuck(self) -> list[tuple[int, Term]]:
        """By accepting location the states that have no way on."""
        return [
            (loc, self.store.not_(self.store.or_(*(w.guard for w in ways))))
            for loc, ways in self.ways.items()
        ]

    def goes_on(self, location: int, state: State) -> bool:
        """Does some run from the state take a few steps without leaving the component?"""
        return location in self.ways and bool(self._followed(location, state))

    def _onward(self, location: int, passed: tuple[int, ...]) -> Iterator[_Way]:
        """The ways from a location to the next accepting ones."""
        for way in self._hops[location]:
            if self.problem.accepts(way.target):
                yield way
            elif way.target not in passed and len(passed) < DEPTH:
                for more in self._onward(way.target, (*passed, way.target)):
                    yield way.then(self.store, more)

    def closed(self, location: int, state: State) -> dict[int, Term] | None:
        """Sets of which the state is in one, and that every state of them has a way into."""
        sets = self._first(location, state) if location in self.ways else None
        if sets is None:
            return None
        for _ in range(ROUNDS):
            answer = self._open(sets)
            if answer is None:
                return {loc: self.store.and_(*held) for loc, held in sets.items()}
            if not self._weaken(sets, *answer):
                return None
        return None

    def _first(self, location: int, state: State) -> dict[int, dict[Term, None]] | None:
        """By location, the predicates that are true whenever a run from this state is there. None
        if a run leaves the component.
        """
        seen = self._followed(location, state)
        if not seen:
            return None
        pool = list(dict.fromkeys(self._pool(seen)))
        return {
            loc: {p: None for p in pool if all(evaluate(p, s) for s in states)}
            for loc, states in seen.items()
        }

    def _followed(self, location: int, state: State) -> dict[int, list[State]]:
        """The first states of a run from the state, by location; none if it leaves the
        component.
        """
        seen: dict[int, list[State]] = {}
        for _ in range(STEPS):
            seen.setdefault(location, []).append(state)
            on = next(
                ((w.target, s) for w in self.ways[location] if (s := w.after(state)) is not None),
                None,
            )
            if on is None:
                return {}
            location, state = on
        return seen

    def _pool(self, seen: Mapping[int, list[State]]) -> Iterator[Term]:
        s = self.store
        for ways in self.ways.values():
            for t in dict.fromkeys(a for w in ways for a in _atoms(w.guard)):
                yield from (t, s.not_(t))
        words = [x for x in self.variables if x.sort.kind is Kind.BITVEC]
        for x in self.variables:
            if x.sort.kind is Kind.BOOL:
                yield from (x, s.not_(x))
        for x in words:
            low = s.extract(x, 0, 0)
            yield from (s.eq(low, s.bv(0, 1)), s.eq(low, s.bv(1, 1)))
            yield from (
                s.mk(Op.BVSGE, (x, s.bv(0, x.sort.width))),
                s.mk(Op.BVSLT, (x, s.bv(0, x.sort.width))),
            )
            for value in {
                state[x] for states in seen.values() for state in (states[0], states[-1])
            }:
                c = s.const(value, x.sort)
                yield s.eq(x, c)
                yield from (s.mk(op, (x, c)) for op in (Op.BVSLE, Op.BVSGE, Op.BVULE, Op.BVUGE))
        for i, x in enumerate(words):
            for y in words[:i]:
                alike = s.eq(s.extract(x, 0, 0), s.extract(y, 0, 0))
                yield from (alike, s.not_(alike))
                if x.sort is y.sort:
                    yield from (s.eq(x, y), s.mk(Op.BVSLE, (x, y)), s.mk(Op.BVSLE, (y, x)))

    def _open(self, sets: Mapping[int, Mapping[Term, None]]) -> tuple[int, State] | None:
        """A state of a set that has no way into a set; None if there is none."""
        for loc, held in sets.items():
            with closing(self.make()) as solver:
                for f in held:
                    solver.add(f)
                for way in self.ways[loc]:
                    if way.target in sets:
                        arrive = Substitution(way.final)(self.store.and_(*sets[way.target]))
                        solver.add(self.store.not_(self.store.and_(way.guard, arrive)))
                self.env.tick()
                # G_c and no way into a set: sat - a state to weaken for; unsat - the set is closed;
                # unknown - it is given up   (heuristic)
                result = solver.check([], kind="recurrence")
                if result is SAT:
                    variables = free_vars(
                        *held, *(t for w in self.ways[loc] for t in (w.guard, *w.final.values()))
                    )
                    model = solver.model_of(list(dict.fromkeys((*variables, *self.variables))))
                    return loc, {
                        x: model.get(x, default_value(x.sort))
                        for x in (*variables, *self.variables)
                    }
                if result is not UNSAT:
                    return loc, {}
        return None

    def _weaken(self, sets: dict[int, dict[Term, None]], location: int, state: State) -> bool:
        """Take away what the first way on does not satisfy; False if there is none, or nothing to
        take away.
        """
        if not state:
            return False
        for way in self.ways[location]:
            after = way.after(state)
            if after is not None and way.target in sets:
                wrong = [p for p in sets[way.target] if not evaluate(p, after)]
                for p in wrong:
                    del sets[way.target][p]
                return bool(wrong)
        return False


def _atoms(t: Term) -> Iterator[Term]:
    """The parts of a condition that are no conjunctions, disjunctions or negations."""
    stack = [t]
    while stack:
        t = stack.pop()
        if t.op in (Op.AND, Op.OR, Op.NOT):
            stack.extend(t.args)
        elif t.op is not Op.CONST:
            yield t
