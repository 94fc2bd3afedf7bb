"""FSIS: an incremental proof by inductive clauses, with backward search where there is none [BM07;
Bra12, 1.2].

With L the lemmas so far, X the states that have joined the target, C the constraints and P the
properties:

    initiation    I and C implies P
    consecution   L and P and not X and C and T   implies   P' and not X'
                  then L and not X is the invariant
    a CTI s       violates consecution; the largest clause of literals of `not s` that holds
                  initially and is inductive relative to L, P and not X is found by joining s with
                  what stands in the way (`_inductive`), and made smaller. It is a lemma. If there
                  is none, all states that do as s does join X, and are tried again when there are
                  new lemmas

Every CTI is a state outside X that L does not exclude, so on a finite system the search ends. X
that meets the initial states is a counterexample. P at the next state is asked about with inputs of
its own, copies of the system's (`_with_copies`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from obligato.engines.environment import Environment
from obligato.engines.ic3.hooks import BitsReached, BooleanHooks
from obligato.engines.ic3.run import Options as BooleanOptions
from obligato.engines.ic3.run import prove_expanded
from obligato.engines.ic3.service import cube_of_state
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube, Obligation, masks
from obligato.engines.ic3ts.generalize import Generalizer
from obligato.engines.ic3ts.hooks import Query, Reached, Unreached
from obligato.engines.options import option
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SAT
from obligato.terms import BOOL, Substitution, Term

LEMMAS = 1  # the one frame: lemmas and states that have joined the target


@dataclass(frozen=True, slots=True)
class Options:
    """What can be varied in FSIS."""

    revisit: bool = option(
        True,
        "states that have joined the target are tried again when there are new lemmas",
        "[Bra12, 1.2]",
    )
    rebuild_every: int = option(1000, "questions after which the solver is rebuilt", "", low=1)
    array_bits: int = option(
        4096,
        "arrays of at most so many bits are expanded; there is no answer for larger ones",
        "",
        low=0,
    )


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run FSIS on the bits of a system."""
    return prove_expanded(
        system, options.array_bits, lambda flat: _Fsis(flat, options, env).prove()
    )


def _with_copies(system: TransitionSystem) -> tuple[TransitionSystem, dict[Term, Term], Term]:
    """The system with a second copy of its inputs, the copies by input, and the formula that the
    next state with the copies violates a property.
    """
    s = system.store
    copies = {i: s.fresh(f"{i.name}!then", i.sort) for i in system.inputs}
    then = Substitution({**copies, **(system.primed if system.next is None else system.next)})
    broken = s.and_(
        *map(then, system.constraints),
        s.not_(s.and_(*(then(p.formula) for p in system.assertions))),
    )
    return replace(system, inputs=(*system.inputs, *copies.values())), copies, broken


class FsisHooks(BooleanHooks):
    """Boolean hooks with one frame, in which P holds; `target` is that the next state
    violates P.
    """

    def __init__(self, bits: BitSystem, env: Environment, rebuild_every: int) -> None:
        self.cubes: dict[Cube, None] = {}  # excluded: lemmas, and X
        super().__init__(bits, env, rebuild_every, True)
        self.target = self.gates.all_of([*bits.watched, *bits.step])
        self.extend()

    def _fresh(self) -> StepSolver:
        solver = super()._fresh()
        solver.add_clause((-solver.load(self.bits.bad),))
        return solver

    def _rebuild(self) -> None:
        self._main.close()
        self._main = self._fresh()
        self._frame = [self._main.load(self.init), self._main.load(self._activation[LEMMAS])]
        self._tell(list(self.cubes), LEMMAS)

    def exclude(self, cube: Cube) -> None:
        """Assume from now on that no state of the cube is reached."""
        self.cubes[cube] = None
        self._tell([cube], LEMMAS)

    def before_violation(self) -> Reached | None:
        """A state that violates consecution of P."""
        if self._main.questions >= self.rebuild_every:
            self._rebuild()
        # L and not X and P and C and T and C' and not P': sat - a CTI; unsat - P is inductive
        # relative to them (required)
        return self._bad_in(self._main, self._in_frame(LEMMAS))

    def initial_violation(self) -> Obligation | None:
        """An initial state that violates P."""
        solver, bits = self._in_initial_states(), self.bits
        # I and C and not P: sat - a run without a step; unsat - initiation holds   (required)
        answer = self._ask(solver, [*solver.constraints, solver.load(bits.bad)], "initiation")
        if answer is not SAT:
            solver.close()
            return None
        reached = BitsReached(bits, solver.now, solver.model())
        move = reached.values(bits.support([bits.bad, *bits.constraints])[1])
        state = cube_of_state(bits, reached.state)
        solver.close()
        return Obligation(0, state, None, 0, tuple(move))


class _Fsis:
    def __init__(self, system: TransitionSystem, options: Options, env: Environment) -> None:
        doubled, copies, broken = _with_copies(system)
        self.options, self.env = options, env
        self.bits = BitSystem(doubled, [broken])
        self.copies = copies
        env.counters |= {
            "state_bits": len(self.bits.bit) - 1,
            "gates": len(self.bits.context.gates),
        }
        self.hooks = FsisHooks(self.bits, env, options.rebuild_every)
        self.generalizer = Generalizer(
            self.hooks, BooleanOptions(ctg=0), env, lambda cube, level: level
        )
        self.target: list[Obligation] = []  # X
        self.lemmas: list[Cube] = []
        self._tried = 0  # lemmas there were when X was last revisited

    def prove(self) -> SystemResult:
        """Handle one CTI after the other until there are none, or one that cannot be excluded is
        initial.
        """
        try:
            first = self.hooks.initial_violation()
            if first is not None:
                return self._refuted(first)
            while (cti := self._cti()) is not None:
                state, does = cti
                if self.hooks.meets_initial(does.cube):
                    return self._refuted(does)
                if not self._exclude(state):
                    self._join(does)
                self._revisit()
            return SystemResult(Verdict.TRUE, SystemCertificate(self._invariant()))
        finally:
            self.env.counters |= {"lemmas": len(self.lemmas), "target": len(self.target)}
            self.hooks.close()

    def _cti(self) -> tuple[Cube, Obligation] | None:
        """A state with a step to a violation or into X, and the cube of states that do the same."""
        found = self.hooks.before_violation()
        if found is not None:
            lifted = self.hooks.lift(found, None)
            return self._state(found), Obligation(
                0, lifted.cube, self._violation(lifted.move), 1, lifted.move
            )
        for x in reversed(self.target):
            query = Query(x.cube, LEMMAS, "target")
            # L and not X and P and C and T and x': sat - a CTI; unsat - no step into x   (required)
            answer = self.hooks.predecessor(query)
            if isinstance(answer, Reached):
                lifted = self.hooks.lift(answer, query)
                return self._state(answer), Obligation(0, lifted.cube, x, x.depth + 1, lifted.move)
        return None

    def _state(self, found: Reached) -> Cube:
        return cube_of_state(self.bits, found.state)

    def _violation(self, move: tuple[int, ...]) -> Obligation:
        """The end of a run: the inputs of the next state, which the copies have in `move`, as
        inputs of that state.
        """
        bits = self.bits
        number = {gate: n for n, gate in enumerate(bits.source)}
        own = {
            number[g]: number[bits.image[i, k]]
            for i, copy in self.copies.items()
            for k in range(1 if i.sort is BOOL else i.width)
            if (g := bits.image.get((copy, k))) in number and bits.image.get((i, k)) in number
        }
        return Obligation(
            0, (), None, 0, tuple(own[abs(n)] * (1 if n > 0 else -1) for n in move if abs(n) in own)
        )

    # -- lemmas and X ------------------------------------------------------------------------------

    def _exclude(self, cube: Cube) -> bool:
        """Learn a clause that excludes the cube, if there is an inductive one."""
        found = self._inductive(cube)
        if found is None:
            return False
        found = self.generalizer.generalize(found, LEMMAS + 1)
        self.lemmas.append(found)
        self.hooks.exclude(found)
        mask, value = masks(found)
        self.target = [x for x in self.target if not _includes(x.cube, mask, value)]
        return True

    def _inductive(self, cube: Cube) -> Cube | None:
        """The largest part of the cube that no initial state is in and no step enters; None: there
        is none.

        A state outside with a step into the cube must be in every such part, so literals in which
        they differ go.
        """
        while not self.hooks.meets_initial(cube):
            # L and not X and P and not c and C and T and c': unsat - inductive, with a core; sat -
            # what to join   (required)
            answer = self.hooks.predecessor(Query(cube, LEMMAS, "inductive"))
            if isinstance(answer, Unreached):
                return answer.core
            assert isinstance(answer, Reached)
            cube = answer.agreeing(cube)
        return None

    def _join(self, does: Obligation) -> None:
        """The target grows: P and not s is to be established."""
        self.env.count("joined")
        self.target.append(does)
        self.hooks.exclude(does.cube)

    def _revisit(self) -> None:
        """Try again to exclude what has joined the target by lemmas, if there are new ones."""
        if not self.options.revisit or self._tried == len(self.lemmas):
            return
        self._tried = len(self.lemmas)
        for x in tuple(self.target):
            if x in self.target:
                self._exclude(x.cube)

    # -- the end -----------------------------------------------------------------------------------

    def _refuted(self, o: Obligation) -> SystemResult:
        return SystemResult(Verdict.FALSE, trace=self.hooks.refine(o.chain()))

    def _invariant(self) -> Term:
        s = self.bits.system.store
        return s.and_(
            *self.hooks.known, *(s.not_(self.hooks.formula(cube)) for cube in self.hooks.cubes)
        )


def _includes(cube: Cube, mask: int, value: int) -> bool:
    """Are these literals among those of the cube?"""
    m, v = masks(cube)
    return m & mask == mask and v & mask == value
