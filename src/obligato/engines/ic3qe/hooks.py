"""IC3QE [Tin12; CG12]: the hooks of the IC3 skeleton that do not abstract: predecessors are
pre-images.

Idea: as in Boolean IC3 every state of an obligation's cube really leads to a violation. A cube
comes from a model of a step by extrapolation (`extrapolate`): an implicant of the step, then its
quantifiers eliminated, precisely or not. Its literals are numbered as they come up. Questions are
asked as IC3IA asks them (`ic3ia.abstract`), and are about the system itself. After literals were
dropped, a lemma may be strengthened by weakening its cube (`weaken`).

Limitation: words may be eliminated value by value; over integers and reals there need not be an
end.
"""

from __future__ import annotations

from obligato.engines.ctigar.replay import Replay
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.abstract import AbstractFrames
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ia.reaching import Reaching
from obligato.engines.ic3qe.extrapolate import Extrapolation
from obligato.engines.ic3qe.options import Options
from obligato.engines.ic3qe.step import Hidden
from obligato.engines.ic3qe.weaken import Blocked, Weakening
from obligato.engines.ic3ts import (
    Cube,
    Lemma,
    Lifted,
    Obligation,
    Query,
    Reached,
    Unreached,
    cube_of,
)
from obligato.errors import InternalError, ResourceOut
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.smt.factory import Make
from obligato.terms import INT, REAL, Op, Term, Value, conjuncts, evaluate


class PreImages(AbstractFrames):
    """Frames over the literals of pre-images."""

    options: Options

    def __init__(
        self, system: TransitionSystem, options: Options, env: Environment, make: Make
    ) -> None:
        super().__init__(Predicates(system, split=False), options, env, make)
        now = [c for f in system.constraints for c in conjuncts(f)]
        self._into = Hidden(
            [*conjuncts(system.trans), *now], [*system.primed.values(), *system.inputs]
        )
        self._violating = Hidden(now, system.inputs)
        self._extrapolation = Extrapolation(self.store, options, env, make, self._plain)
        self._replay = Replay(self.predicates, self._steps, self._ends, self._initial, env)
        self._weakening = Weakening(self.predicates, env, self._blocked)
        self._lemmas: dict[Lemma, None] = {}

    def add_lemma(self, lemma: Lemma) -> None:
        """See `Hooks`."""
        super().add_lemma(lemma)
        if self.options.frame:
            self._lemmas[lemma] = None

    # -- predecessors ------------------------------------------------------------------------------

    def lift(self, reached: Reached, query: Query | None) -> Lifted:
        """See `Hooks`: the predecessors that extrapolation finds. There is no move: inputs come
        from `refine`.
        """
        assert isinstance(reached, Reaching)
        step = self._violating if query is None else self._into
        target = (
            [self._bad] if query is None else [self.predicates.next_literal(n) for n in query.cube]
        )
        self.env.count("removed_equality", step.removed(target))
        formulas = step.with_target(target)
        if self.options.frame:
            level = len(self._levels) - 1 if query is None else query.level
            formulas += self._frame_formulas(level)
        model = dict(reached.values((*self.system.state, *step.left)))
        outside = self._try_half_space({x: evaluate(x, model) for x in self.system.state})
        return Lifted(
            cube_of(
                [*self._cube(self._extrapolation.extrapolate(formulas, step.left, model)), *outside]
            ),
            None,
        )

    def _frame_formulas(self, level: int) -> list[Term]:
        if level == 0:
            return conjuncts(self.system.init)
        return [
            self.store.not_(self.formula(x.cube))
            for x in self._lemmas
            if x.level >= level and not x.dropped
        ]

    def _cube(self, formulas: list[Term]) -> Cube:
        """Numbers for the formulas; equalities of numbers become two inequalities where so
        asked.
        """
        return cube_of(self.predicates.signed(p) for f in formulas for p in self._pieces(f))

    def _pieces(self, f: Term) -> list[Term]:
        if (
            self.options.split_equalities
            and f.op is Op.EQ
            and f.args[0].sort in (INT, REAL)
            and f.args[0].op is not Op.MOD
        ):
            a, b = f.args
            return [self.store.le(a, b), self.store.le(b, a)]
        return [f]

    # -- weaker lemmas -----------------------------------------------------------------------------

    def weaken(self, cube: Cube, level: int) -> Cube:
        """See `Hooks`."""
        if self.options.weaken in ("sums", "both"):
            cube = self._weakening.sums(cube, level)
        if self.options.weaken in ("bounds", "both"):
            cube = self._weakening.relax(cube, level)
        return cube

    def _blocked(self, cube: Cube, level: int) -> Blocked | dict[Term, Value] | None:
        """Is the cube inductive relative to F_(level-1)? If not, a state of it that is initial or
        reached; None: undecided.
        """
        start = self._initial.common_state(cube)
        if start is not None:
            return start
        answer = self.predecessor(Query(cube, level - 1, "weaken"))
        if isinstance(answer, Reaching):
            model = answer.values(tuple(self.system.primed.values()))
            return {x: evaluate(p, model) for x, p in self.system.primed.items()}
        return Blocked(answer.core) if isinstance(answer, Unreached) else None

    # -- counterexamples ---------------------------------------------------------------------------

    def refine(self, chain: list[Obligation]) -> SystemTrace | None:
        """See `Hooks`: every state of the first cube leads to a violation."""
        trace, _ = self._replay.run(chain)
        if trace is None and "z3" in (self.options.elimination, self.options.precise_qe):
            raise ResourceOut(
                "incomplete: a state that z3's elimination gave does not lead to the violation"
            )
        if trace is None:
            raise InternalError("a chain of pre-images cannot be replayed")
        return trace
