"""The IC3 skeleton on predicates with concrete states [BBW14, 3.2, 3.3], every question answered by
enumeration.

An instance of the hooks that uses all of them: liftings that fail and keep the concrete state,
consecution failures, predicates that `lift`, `refine_step` and `refine` add. Refinement is the
simplest there is: the predicate "the state is s".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from obligato.engines.ic3ts import (
    Answer,
    Cube,
    Hooks,
    Lemma,
    Lifted,
    Obligation,
    Query,
    Reached,
    Spurious,
    Unreached,
)
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.terms import BOOL, Term, Value, evaluate, free_vars
from tests.support.systems import assignments, successors

State = dict[Term, Value]


class Found(Reached):
    """The step from state number `source` to state number `target` with inputs number `move`."""

    def __init__(self, bits: int, source: int, move: int, into: frozenset[int]) -> None:
        super().__init__(bits)
        self.source, self.move, self.into = source, move, into


class ExplicitHooks(Hooks):
    """`eager_lifting`, `eager_steps`: refine a failure at once; else consecution failures once
    there are `limit` of them.
    """

    def __init__(
        self, system: TransitionSystem, eager_lifting: bool, eager_steps: bool, limit: int = 2
    ) -> None:
        self.system, self.eager_lifting = system, eager_lifting
        self.eager_steps, self.limit = eager_steps, limit
        self.states: list[State] = list(assignments(system.state))
        self.inputs = list(assignments(system.inputs))
        index = {tuple(s.values()): n for n, s in enumerate(self.states)}
        self.steps: list[tuple[int, int, int]] = []
        self.violations: list[tuple[int, int]] = []
        for (n, s), (m, i) in product(enumerate(self.states), enumerate(self.inputs)):
            if all(evaluate(c, {**s, **i}) for c in system.constraints):
                self.steps += [
                    (n, m, index[tuple(t.values())]) for t in successors(system, {**s, **i}, {})
                ]
                if not all(evaluate(p.formula, {**s, **i}) for p in system.assertions):
                    self.violations.append((n, m))
        self.everything = frozenset(range(len(self.states)))
        self.initial = frozenset(
            n for n in self.everything if evaluate(system.init, self.states[n])
        )
        self.predicates: list[tuple[Term, frozenset[int]]] = []
        for f in (
            system.init,
            *(p.formula for p in system.assertions),
            *(x for x in system.state if x.sort is BOOL),
        ):
            if all(v in system.state for v in free_vars(f)):
                self._add(f)
        self.lemmas: list[Lemma] = []
        self.failures: dict[str, int] = {"lifting": 0, "consecution": 0}

    @property
    def width(self) -> int:
        return len(self.predicates) + 1

    # -- sets of states ----------------------------------------------------------------------------

    def _add(self, formula: Term) -> None:
        self.predicates.append(
            (formula, frozenset(n for n in self.everything if evaluate(formula, self.states[n])))
        )

    def _single_out(self, n: int) -> None:
        s = self.system.store
        assert len(self._in(self._cube(n))) > 1
        self._add(s.and_(*(s.eq(x, s.const(v, x.sort)) for x, v in self.states[n].items())))

    def _in(self, cube: Cube) -> frozenset[int]:
        out = self.everything
        for x in cube:
            out = out & self.predicates[x - 1][1] if x > 0 else out - self.predicates[-x - 1][1]
        return out

    def _cube(self, n: int) -> Cube:
        return tuple(k if n in holds else -k for k, (_, holds) in enumerate(self.predicates, 1))

    def _frame(self, level: int) -> frozenset[int]:
        if level == 0:
            return self.initial
        return self.everything.difference(
            *(self._in(x.cube) for x in self.lemmas if x.level >= level)
        )

    def _found(self, source: int, move: int, into: frozenset[int]) -> Found:
        return Found(sum(1 << x for x in self._cube(source) if x > 0), source, move, into)

    def _step(self, sources: frozenset[int], into: frozenset[int]) -> Found | None:
        return next(
            (self._found(n, m, into) for n, m, t in self.steps if n in sources and t in into), None
        )

    # -- the contracts -----------------------------------------------------------------------------

    def bad(self, level: int) -> Reached | None:
        frame = self._frame(level)
        return next(
            (self._found(n, m, frozenset()) for n, m in self.violations if n in frame), None
        )

    def predecessor(self, query: Query) -> Answer:
        cube, frame = self._in(query.cube), self._frame(query.level)
        found = self._step(frame - cube, cube)
        if found is None:
            return Unreached(query.cube)
        state = query.obligation.state if query.obligation is not None else None
        if state is None:
            return found
        here = frozenset((self.states.index(dict(state)),))
        concrete = self._step(frame - here, here)
        return Spurious(found) if concrete is None else concrete

    def _moves(self, move: int, into: frozenset[int], query: Query | None) -> frozenset[int]:
        """The states that do with these inputs what is wanted."""
        if query is None:
            return frozenset(n for n, m in self.violations if m == move)
        return frozenset(n for n, m, t in self.steps if m == move and t in into)

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        assert isinstance(reached, Found)
        able = self._moves(reached.move, reached.into, query)
        if not self._in(self._cube(reached.source)) <= able:
            self.failures["lifting"] += 1
            if not self.eager_lifting:
                return Lifted(self._cube(reached.source), reached.move, self.states[reached.source])
            self._single_out(reached.source)
        cube = self._cube(reached.source)
        for x in cube:
            smaller = tuple(y for y in cube if y != x)
            cube = smaller if self._in(smaller) <= able else cube
        return Lifted(cube, reached.move)

    def refine_step(self, obligation: Obligation, failure: Spurious) -> Lifted | None:
        self.failures["consecution"] += 1
        if not self.eager_steps and obligation.spurious < self.limit:
            return None
        assert obligation.state is not None
        n = self.states.index(dict(obligation.state))
        self._single_out(n)
        return Lifted(self._cube(n), obligation.move)

    def meets_initial(self, cube: Cube) -> bool:
        return not self.initial.isdisjoint(self._in(cube))

    def add_lemma(self, lemma: Lemma) -> None:
        if lemma not in self.lemmas:
            self.lemmas.append(lemma)

    def extend(self) -> None:
        pass

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        cubes = [self._in(o.cube) for o in chain]
        for n in sorted(self.initial & cubes[0]):
            run = self._run(n, cubes)
            if run is not None:
                return run
        for o in chain:
            if (
                o.state is not None
                and len(self._in(self._cube(n := self.states.index(dict(o.state))))) > 1
            ):
                self._single_out(n)
                return None
        raise AssertionError("a spurious chain without an abstraction failure")

    def _run(self, n: int, cubes: list[frozenset[int]]) -> SystemTrace | None:
        """A run from state n through the cubes to a violation."""
        if len(cubes) == 1:
            return next(
                (SystemTrace((self._at(n, m),)) for k, m in self.violations if k == n), None
            )
        for k, m, t in self.steps:
            if k == n and t in cubes[1] and (rest := self._run(t, cubes[1:])) is not None:
                return SystemTrace((self._at(n, m), *rest.steps))
        return None

    def _at(self, n: int, m: int) -> SystemStep:
        def named(values: State) -> dict[str, Value]:
            return {x.name: v for x, v in values.items()}

        return SystemStep(named(self.states[n]), named(self.inputs[m]))

    def formula(self, cube: Cube) -> Term:
        s = self.system.store
        return s.and_(
            *(
                self.predicates[abs(x) - 1][0] if x > 0 else s.not_(self.predicates[abs(x) - 1][0])
                for x in cube
            )
        )

    def close(self) -> None:
        pass


def failures_of(hooks: Iterable[ExplicitHooks]) -> dict[str, int]:
    """All abstraction failures by kind."""
    total = {"lifting": 0, "consecution": 0}
    for h in hooks:
        for kind, n in h.failures.items():
            total[kind] += n
    return total
