"""CTIGAR [BBW14]: the hooks of the IC3 skeleton for abstraction refinement guided by
counterexamples to induction.

Idea: cubes and lemmas are about predicates as in IC3IA, but each CTI is a concrete state, and what
fails for its abstraction and not for itself is noticed in the step where it happens. `predecessor`
is consecution (3.2, 2), `lift` lifting (3.2, 1). A refinement has one of four triggers (3.3):

    counterexample   `refine`: a trace that cannot be replayed has a consecution failure (CAF):
                     refine where the replay ends
    initial          `lift`: the abstraction of a CTI meets the initial states, the CTI does not,
                     and lifting failed (LAF)
    spurious         `refine_step`: too many CAFs on a trace: refine the last one, its consecution
                     or its lifting
    lifting          `lift`: too many LAFs on a trace: refine the last one

Initial states, violations and constraints are asked about as they are (`ic3ia.abstract`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from obligato.engines.ctigar.cti import Cti, Found, cti, equations, state_of
from obligato.engines.ctigar.debug import RefinementChecker
from obligato.engines.ctigar.lifting import AbstractLifting
from obligato.engines.ctigar.mining import Mining
from obligato.engines.ctigar.options import Options
from obligato.engines.ctigar.refinement import Refinement
from obligato.engines.ctigar.replay import Replay
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.abstract import AbstractFrames
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reaching import Reaching
from obligato.engines.ic3ts import (
    Answer,
    Cube,
    Lemma,
    Lifted,
    Obligation,
    Query,
    Reached,
    Spurious,
    Unreached,
    cube_of,
)
from obligato.engines.ic3ts.cube import ConcreteState
from obligato.errors import InternalError, ResourceOut
from obligato.models.ts_claims import SystemTrace
from obligato.smt import SAT
from obligato.smt.factory import Make
from obligato.terms import Term, Value, evaluate


class Ctigar(AbstractFrames):
    """The abstraction of one system. It is exact in the skeleton's sense: every state of a lifted
    cube, and the concrete state of an unlifted one, steps into the parent's cube.
    """

    options: Options

    def __init__(
        self,
        predicates: Predicates,
        options: Options,
        env: Environment,
        make: Make,
        known: tuple[Term, ...] = (),
    ) -> None:
        super().__init__(predicates, options, env, make, known)
        self._lemmas: dict[Lemma, None] = {}
        self._abstract = AbstractLifting(
            predicates, self._plain, env, free_inputs=options.inputs == "free"
        )
        self._refinement = Refinement(predicates, options, env, make)
        self._debug = RefinementChecker(predicates) if env.debug else None
        self._replay = Replay(predicates, self._steps, self._ends, self._initial, env)
        self._mining = Mining(predicates, options.mining)
        self._everything = (*self.system.state, *self.system.inputs, *self.system.primed.values())

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks`; a consecution refinement speaks about the lemmas of a frame."""
        super().add_lemma(lemma)
        self._lemmas[lemma] = None

    def _frame_formulas(self, level: int) -> list[Term]:
        if level == 0:
            return [self.system.init, *self.known]
        return [
            *self.known,
            *(self.store.not_(self.formula(x.cube)) for x in self._lemmas if x.level >= level),
        ]

    # -- consecution (3.2, 2) ----------------------------------------------------------------------

    def predecessor(self, query: Query) -> Answer:
        """See `Hooks`. About an obligation: the abstract query; where it fails and the concrete
        state is there, the concrete one, which gives the CTI t_c, or succeeds: then t_a is spurious
        (CAF).
        """
        answer = super().predecessor(query)
        o = query.obligation
        if o is None or not isinstance(answer, Reaching):
            if o is not None and isinstance(answer, Unreached):
                self._blocked(o)
            return answer
        found = Found(answer.state, dict(answer.values(self._everything)))
        if o.state is None and not self.options.keep_concrete:
            return found
        concrete = self._concrete_consecution(cti(o).state, query.level)
        if concrete is not None:
            return Found(self.predicates.state(concrete), concrete, into_state=True)
        self.env.event("caf", level=query.level, cube=o.cube, lifted=o.state is None)
        return Spurious(Found(found.state, found.model, caf=query.level), cti(o).state)

    def _concrete_consecution(self, state: ConcreteState, level: int) -> dict[Term, Value] | None:
        """A model of the concrete query; None: it succeeds."""
        other = self.store.not_(self.store.and_(*equations(state)))
        self.env.tick()
        # F_level and not s and C and T and s': sat - a CTI t_c; unsat - a CAF, for the abstract
        # query failed   (required)
        result = self._steps.check(
            [*self._frame(level), *equations(state, self.system.primed)],
            temporary=[other],
            kind="concrete",
        )
        self._decided(result)
        return dict(self._steps.model_of(self._everything)) if result is SAT else None

    def _blocked(self, o: Obligation) -> None:
        """Count what Fig. 4(b) shows: CTIs that were used up to the frontier, and those of them
        never lifted.
        """
        if o.level == len(self._levels) - 1:
            self.env.count("frontier_lifted" if o.state is None else "frontier_unlifted")

    # -- lifting (3.2, 1) --------------------------------------------------------------------------

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks`. A counterexample to generalisation is only abstracted: no obligation comes
        of it.
        """
        if query is not None and query.obligation is None:
            return Lifted(self.predicates.cube(reached.state), None)
        parent = None if query is None else query.obligation
        if isinstance(reached, Found):
            found = reached
        else:
            assert isinstance(reached, Reaching)
            found = Found(reached.state, dict(reached.values(self._everything)))
        state = state_of(self.system, found.model)
        self._grown("mining", self._mining.note(state))
        pre = self._abstract.preimage(
            [*self.system.constraints, *self._target(found, parent)], found.model
        )
        outside = self._try_half_space(state)
        made = self._lifted(
            Cti(
                state, pre, found.into_state, found.caf, True, cti(parent).failures if parent else 0
            )
        )
        return replace(made, cube=cube_of([*made.cube, *outside])) if outside else made

    def _target(self, found: Found, parent: Obligation | None) -> list[Term]:
        """What the step leads to, over the next state; or the violation."""
        if parent is None:
            return [self._bad]
        if found.into_state:
            return [self.system.trans, *equations(cti(parent).state, self.system.primed)]
        return [self.system.trans, *map(self.predicates.next_literal, parent.cube)]

    def _lifted(self, c: Cti) -> Lifted:
        """The abstract CTI, or the cubes that it is the disjunction of. Requires: c.failures are
        the parent's.
        """
        if self.options.abstraction == "full":
            return self._one(c.state, c)
        partial = self._abstract.partial(c.state, c.pre)
        if self.options.abstraction == "partial":
            return self._one(partial, c)
        states = [c.state, *self._abstract.others(c.state, partial, self.known)]
        first, *others = (
            self._one(s, Cti(s, c.pre, c.into_state, c.caf, True, c.failures)) for s in states
        )
        return Lifted(first.cube, first.move, first.state, tuple(others))

    def _one(self, assignment: ConcreteState, c: Cti) -> Lifted:
        """The abstraction of an assignment, part of the CTI, after the refinement that its lifting
        failure may trigger.
        """
        cube, lifted = self._try(assignment, c.pre)
        trigger = None if lifted else self._lifting_trigger(cube, c.state, c.failures + 1)
        if trigger is not None:
            self.env.count("refinements")
            self._refine_lifting(trigger, c.state, c.pre)
            cube, lifted = self._try(c.state, c.pre)
        if not lifted:
            self.env.count("lifting_failures")
            self.env.event("laf", cube=cube)
        made = Cti(c.state, c.pre, c.into_state, c.caf, lifted, c.failures + (not lifted))
        return Lifted(cube, made, None if lifted else c.state)

    def _try(self, assignment: ConcreteState, pre: Sequence[Term]) -> tuple[Cube, bool]:
        """Abstract lifting: the smaller cube and True; the abstract CTI and False."""
        cube = self._abstract.cube(assignment)
        smaller = self._abstract.lift(cube, pre)
        self.env.count("liftings")
        return (cube, False) if smaller is None else (smaller, True)

    # -- refinement (3.3) --------------------------------------------------------------------------

    def _lifting_trigger(self, cube: Cube, state: ConcreteState, failures: int) -> str | None:
        """Why a lifting failure is refined at once, if it is."""
        if self.meets_initial(cube) and not evaluate(self.system.init, state):
            return "initial"
        return "lifting" if 0 <= self.options.lifting_limit < failures else None

    def refine_step(self, obligation: Obligation, failure: Spurious) -> Lifted | None:
        """See `Hooks`."""
        if obligation.spurious < self.options.spurious_limit:
            return None
        assert isinstance(failure.reached, Found) and failure.reached.caf is not None
        c = cti(obligation)
        if self.options.refinement == "lifting" and not c.lifted:
            self._refine_lifting("spurious", c.state, c.pre)
            return self._again(obligation)
        self._refine_consecution("spurious", obligation, failure.reached.caf)
        return self._again(obligation)

    def _refine_lifting(self, trigger: str, state: ConcreteState, pre: tuple[Term, ...]) -> None:
        """Ensures: lifting succeeds for the new abstraction of the state."""
        missing = self._abstract.missing(self._abstract.cube(state), pre)
        self._refined(trigger, "lifting", self._refinement.lifting(state, missing))
        if self._debug is not None:
            self._debug.lifting(self._abstract.cube(state), pre)

    def _refine_consecution(self, trigger: str, o: Obligation, level: int) -> None:
        """Ensures: consecution relative to F_level succeeds for the new abstraction."""
        state = cti(o).state
        cube = self._abstract.cube(state)
        literals = [self.predicates.literal(n) for n in cube]
        added = self._refinement.consecution(state, literals, self._frame_formulas(level))
        self._refined(trigger, "consecution", added)
        if not added and o.cube == cube:
            raise ResourceOut("incomplete: no new predicate refutes a consecution failure")
        if self._debug is not None:
            self._debug.consecution(self._abstract.cube(state), self._frame_formulas(level))

    def _again(self, o: Obligation) -> Lifted:
        """The obligation with its state abstracted and lifted anew. A cube that was lifted before
        stays whole now: without the new literals its consecution would fail again.
        """
        c = cti(o)
        before = cti(o.parent).failures if o.parent else 0
        if not c.lifted:
            return self._one(c.state, Cti(c.state, c.pre, c.into_state, c.caf, True, before))
        return Lifted(self._abstract.cube(c.state), c)

    def _refined(self, trigger: str, kind: str, added: list[int]) -> None:
        self.env.count(f"trigger_{trigger}")
        self.env.count(f"refined_{kind}")
        self.env.event("trigger", trigger=trigger, refinement=kind)
        self._grown(trigger, added)

    def _grown(self, reason: str, added: list[int]) -> None:
        if added:
            self.env.event(
                "predicates", reason=reason, new=[repr(self.predicates.terms[n]) for n in added]
            )
            self.env.counters["predicates"] = len(self.predicates)

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks`: a trace without a CAF is a counterexample [BBW14, footnote 6]; every trace is
        replayed all the same.
        """
        trace, broken = self._replay.run(chain)
        if trace is not None:
            return trace
        caf = cti(chain[broken - 1]).caf if broken else None
        if caf is None or chain[broken].state is None:
            raise InternalError("a trace without a consecution failure cannot be replayed")
        self._refine_consecution("counterexample", chain[broken], caf)
        return None

    def close(self) -> None:
        """See `Hooks`."""
        super().close()
        self._refinement.close()
