"""The contracts of `hooks.py`, the generaliser and the main loop, executed (`Environment.debug`).

`CheckedHooks` stands between the skeleton and the hooks and checks what each of them ensures;
`DebugChecker` knows the system's formulas and what the frames mean. Abstract relations are checked
as concrete ones: F, the cube and its copy are about predicates only, so the two questions have the
same answer (`ic3ia.hooks`).
What `lift` says about all states of a cube is checked for one of them,
as it is about an existential step.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ic3ts.cube import ConcreteState, Cube, Lemma, Obligation
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.hooks import (
    Answer,
    Hooks,
    Lifted,
    Query,
    Reached,
    Spurious,
    Undecided,
    Unreached,
)
from obligato.engines.kernel.debug import ContractChecker
from obligato.errors import InternalError
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.models.unrolling import Unrolling
from obligato.smt import SAT
from obligato.terms import Kind, Term, evaluate


class DebugChecker(ContractChecker):
    """The formulas of one system, its frames and obligations."""

    def __init__(self, system: TransitionSystem, hooks: Hooks, frames: Frames) -> None:
        super().__init__(system.store)
        self.system, self.hooks, self.frames = system, hooks, frames
        self.bad = self.store.or_(*(self.store.not_(p.formula) for p in system.assertions))
        self.step = (*system.constraints, system.trans)

    def frame(self, level: int) -> Term:
        """F_level as a formula."""
        if level == 0:
            return self.system.init
        return self.store.and_(
            *self.hooks.known, *(self.not_in(x.cube) for x in self.frames.at(level))
        )

    def inside(self, cube: Cube) -> Term:
        """The cube as a formula."""
        return self.hooks.formula(cube)

    def not_in(self, cube: Cube) -> Term:
        """The clause that blocks a cube."""
        return self.store.not_(self.inside(cube))

    def lemma(self, lemma: Lemma) -> None:
        """I implies not c;  F_(level-1) and C and T implies not c'  (F_(level-1) includes the lemma
        itself).
        """
        cube = self.inside(lemma.cube)
        self.never(f"the lemma {lemma.cube} does not hold initially", self.system.init, cube)
        self.never(
            f"the lemma {lemma.cube} does not hold at level {lemma.level}",
            self.frame(lemma.level - 1),
            *self.step,
            self.system.prime(cube),
        )

    def generalized(self, cube: Cube, result: Cube, level: int) -> None:
        """The result is part of the cube,
        excludes the initial states and is inductive relative to F_(level-1)."""
        if not set(result) <= set(cube):
            raise InternalError(f"the generalisation {result} is not part of {cube}")
        self.inductive(f"the generalisation {result}", result, level)

    def inductive(self, what: str, cube: Cube, level: int) -> None:
        """The cube excludes the initial states and is inductive relative to F_(level-1)."""
        self.never(f"{what} has an initial state", self.system.init, self.inside(cube))
        self.never(
            f"{what} is reached from level {level - 1}",
            self.frame(level - 1),
            self.not_in(cube),
            *self.step,
            self.system.prime(self.inside(cube)),
        )

    def strengthened(self, level: int) -> None:
        """F_level and C implies P."""
        self.never(
            f"F_{level} has a violation", self.frame(level), *self.system.constraints, self.bad
        )

    def obligation(self, o: Obligation) -> None:
        """A state of the cube (the concrete one, if it has one) does what the obligation says,
        for some inputs."""
        nothing = f"the obligation {o.cube} has no states"
        given = () if o.state is None else self.equations(dict(o.state))
        state = self.a_state(
            nothing, (self.inside(o.cube), *given, *self.hooks.known), self.system.state
        )
        if state is None or not self.hooks.exact:
            return
        self.possible(
            f"a state of the obligation {o.cube} does not do what it says",
            *state,
            *self._into(None if o.parent is None else o.parent.cube),
        )

    def _into(self, target: Cube | None) -> list[Term]:
        """A step into the target; None: a violation."""
        if target is None:
            return [*self.system.constraints, self.bad]
        return [*self.step, self.system.prime(self.inside(target))]

    def abstract_steps(self, cube: Cube, own: Cube, target: Cube | None) -> None:
        """`ic3ia.lifting`: an abstract state of the cube, other than `own`, of which that is known,
        has an abstract step to the target. Systems with arrays are passed over."""
        if any(x.sort.kind is Kind.ARRAY for x in self.system.state):
            return
        found, values = self.solve([self.inside(cube), self.not_in(own)], self.system.state)
        if found is SAT:
            here = [abs(n) if evaluate(self.inside((abs(n),)), values) else -abs(n) for n in own]
            self.possible(
                f"an abstract state of {cube} has no step to the target",
                self.inside(tuple(here)),
                *self._into(target),
            )

    def trace(self, trace: SystemTrace) -> None:
        """The trace is a run that violates a property at its end."""
        run, end = Unrolling(self.system), len(trace.steps) - 1
        formulas = [
            run.at(self.system.init, 0),
            run.bad(end),
            *map(run.step, range(end)),
            *map(run.constraint, range(end + 1)),
        ]
        for time, step in enumerate(trace.steps):
            values = {**step.state, **step.inputs}
            known = {
                run.var(x, time): values[x.name]
                for x in (*self.system.state, *self.system.inputs)
                if x.name in values
            }
            formulas += self.equations(known)
        self.possible("the trace is not a run to a violation", *formulas)

    def certificate(self, certificate: SystemCertificate) -> None:
        """I implies Inv;  Inv and C and T implies Inv';  Inv and C implies P."""
        s, inv = self.system, certificate.invariant
        self.implies("the invariant fails initiation", (s.init,), (inv,))
        self.never("the invariant fails safety", inv, *s.constraints, self.bad)
        self.implies("the invariant fails consecution", (inv, *self.step), (s.prime(inv),))


class CheckedHooks(Hooks):
    """Hooks whose answers are checked against the contracts."""

    def __init__(self, hooks: Hooks, checker: DebugChecker) -> None:
        self.hooks, self.checker = hooks, checker
        self.exact, self.known = hooks.exact, hooks.known
        self.guidance, self.control = hooks.guidance, hooks.control
        self.assumes = hooks.assumes
        self.concretise = hooks.concretise
        self._made: dict[Cube, int] = {}  # how many literals there were when a cube was made

    @property
    def width(self) -> int:
        """See `Hooks`."""
        return self.hooks.width

    def assume(self, formulas: Sequence[Term], others: Sequence[Term]) -> None:
        """See `Hooks`."""
        c, new = self.checker, (*self.hooks.known, *formulas)
        c.implies("what is assumed fails initially", (c.system.init,), new)
        c.implies(
            "what is assumed is not inductive", (*new, *c.step), tuple(map(c.system.prime, new))
        )
        self.hooks.assume(formulas, others)
        self.known = self.hooks.known

    def _state(self, reached: Reached) -> Cube:
        """The state of a model as a cube."""
        return tuple(n if reached.state >> n & 1 else -n for n in range(1, self.width))

    def bad(self, level: int) -> Reached | None:
        """See `Hooks`."""
        answer, c = self.hooks.bad(level), self.checker
        if answer is None:
            c.strengthened(level)
        else:
            state = c.inside(self._state(answer))
            c.possible(
                "no state of F_level is as the model says",
                c.frame(level),
                state,
                *c.system.constraints,
                c.bad,
            )
        return answer

    def predecessor(self, query: Query) -> Answer:
        """See `Hooks`."""
        c, cube = self.checker, query.cube
        c.never("the cube of a query has an initial state", c.system.init, c.inside(cube))
        if query.in_frame:
            c.never("the lemma is not part of the frame", c.frame(query.level), c.inside(cube))
        answer = self.hooks.predecessor(query)
        if isinstance(answer, Undecided) and query.required:
            raise InternalError("a required query was left undecided")
        if isinstance(answer, Unreached):
            self._unreached(query, answer.core)
        elif isinstance(answer, Spurious):
            self._spurious(query, answer)
        elif isinstance(answer, Reached):
            self._reached(query, answer)
        return answer

    def _spurious(self, query: Query, answer: Spurious) -> None:
        """The cube is reached, the concrete state of its obligation is not."""
        c, o = self.checker, query.obligation
        self._reached(query, answer.reached)
        state = answer.kept if o is None or o.state is None else o.state
        if state is None:
            raise InternalError("a step is called spurious without a concrete state")
        here = c.store.and_(*c.equations(dict(state)))
        c.never(
            "a step into a concrete state is called spurious",
            c.frame(query.level),
            c.store.not_(here),
            *c.step,
            c.system.prime(here),
        )

    def _unreached(self, query: Query, core: Cube) -> None:
        c = self.checker
        if not set(core) <= set(query.cube):
            raise InternalError(f"the core {core} is not part of {query.cube}")
        c.never(f"the core {core} has an initial state", c.system.init, c.inside(core))
        c.never(
            f"the core {core} is reached from level {query.level}",
            c.frame(query.level),
            c.not_in(query.cube),
            *c.step,
            c.system.prime(c.inside(core)),
        )

    def _reached(self, query: Query, reached: Reached) -> None:
        c = self.checker
        state = c.inside(self._state(reached))
        c.possible(
            "no state of F_level steps into the cube as the model says",
            c.frame(query.level),
            c.not_in(query.cube),
            state,
            *c.step,
            c.system.prime(c.inside(query.cube)),
        )

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks`; what the states of the cube do is checked with the obligation."""
        state, width = reached.state, self.width
        c, query_cube = self.checker, None if query is None else query.cube
        own = self._state(reached)
        lifted = self.hooks.lift(reached, query)
        if not self.exact:
            c.abstract_steps(lifted.cube, own, query_cube)
        if any((state >> abs(x) & 1) != (x > 0) for x in lifted.cube if abs(x) < width):
            raise InternalError(f"the state that was lifted is not in the cube {lifted.cube}")
        self._made[lifted.cube] = self.width
        return lifted

    def weaken(self, cube: Cube, level: int) -> Cube:
        """See `Hooks`."""
        result, c = self.hooks.weaken(cube, level), self.checker
        c.implies(f"{result} does not include {cube}", (c.inside(cube),), (c.inside(result),))
        c.inductive(f"the weaker cube {result}", result, level)
        return result

    def refine_step(self, obligation: Obligation, failure: Spurious) -> Lifted | None:
        """See `Hooks`."""
        width = self.width
        lifted = self.hooks.refine_step(obligation, failure)
        if lifted is not None:
            if self.width == width and lifted.cube == obligation.cube:
                raise InternalError("a step was refined without a new literal")
            self._same_state(obligation, failure, lifted)
            self._made[lifted.cube] = self.width
        return lifted

    def _same_state(self, obligation: Obligation, failure: Spurious, lifted: Lifted) -> None:
        """The concrete state of the obligation is in the new cube."""
        state = failure.kept if obligation.state is None else obligation.state
        if state is not None and not evaluate(self.formula(lifted.cube), state):
            raise InternalError("a refined obligation has lost its state")

    def before(self, reached: Reached, query: Query) -> Cube:
        """See `Hooks`; checked for one state."""
        cube, c = self.hooks.before(reached, query), self.checker
        c.possible(
            f"no state of {cube} has a step to {query.cube}",
            c.inside(cube),
            *c.step,
            c.system.prime(c.inside(query.cube)),
        )
        return cube

    def entered(self, literals: Sequence[Term]) -> Cube:
        """See `Hooks`."""
        cube, c = self.hooks.entered(literals), self.checker
        c.implies(f"{cube} says less than it was entered for", (c.inside(cube),), literals)
        c.implies(f"{cube} says more than it was entered for", literals, (c.inside(cube),))
        return cube

    def excludes(self, cube: Cube, level: int) -> bool:
        """See `Hooks`."""
        answer, c = self.hooks.excludes(cube, level), self.checker
        if answer:
            c.never(f"F_{level} does not exclude {cube}", c.frame(level), c.inside(cube))
        return answer

    def state_in(self, cube: Cube, level: int) -> ConcreteState | None:
        """See `Hooks`."""
        state, c = self.hooks.state_in(cube, level), self.checker
        if state is not None:
            given = c.equations(dict(state))
            c.possible(
                f"no such state in F_{level} and {cube}", *given, c.frame(level), c.inside(cube)
            )
        return state

    def meets_initial(self, cube: Cube) -> bool:
        """See `Hooks`."""
        answer, c = self.hooks.meets_initial(cube), self.checker
        (c.possible if answer else c.never)(
            f"{cube}: wrong about initial states", c.system.init, c.inside(cube)
        )
        return answer

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks`."""
        self.hooks.add_lemma(lemma)

    def extend(self) -> None:
        """See `Hooks`."""
        self.hooks.extend()

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks`."""
        c, width = self.checker, self.width
        c.possible(
            "the counterexample has no initial state", c.system.init, c.inside(chain[0].cube)
        )
        trace = self.hooks.refine(chain)
        if trace is not None:
            c.trace(trace)
        elif self.width == width and all(self._made.get(o.cube) == width for o in chain):
            raise InternalError("a counterexample was refuted without a new literal")
        return trace

    def formula(self, cube: Cube) -> Term:
        """See `Hooks`."""
        return self.hooks.formula(cube)

    def close(self) -> None:
        """See `Hooks`."""
        self.hooks.close()
