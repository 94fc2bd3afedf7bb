"""The contracts of IC3CFA, executed. Switched on in tests (`Environment.debug`); it asks its own z3
solvers, not the engine's.

Each method checks what the function named in its docstring ensures. A contract about all states of
an obligation is checked for one of them, because it says that for each state there are inputs.
Formula (10) of [LNNK19] holds by construction of the delta encoding.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.engines.ic3cfa.cube import Lemma, Obligation
from obligato.engines.ic3cfa.frames import Frames
from obligato.engines.ic3cfa.queries import BlockEdge, Queries, Unreached
from obligato.engines.kernel.cube import Literals
from obligato.engines.kernel.debug import ContractChecker
from obligato.errors import InternalError
from obligato.models.effect import BlockEffect, PathEffect
from obligato.terms import Term, free_vars


class DebugChecker(ContractChecker):
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, queries: Queries, frames: Frames) -> None:
        super().__init__(queries.store)
        self.queries, self.frames = queries, frames
        self.inputs = queries.cfa.input_set
        self._effects: dict[BlockEdge, BlockEffect | PathEffect] = {}

    def _effect(self, edge: BlockEdge) -> BlockEffect | PathEffect:
        effect = self._effects.get(edge)
        if effect is None:
            effect = edge.only_path or BlockEffect(self.store, edge.command, f"dbg!{edge.number}!")
            self._effects[edge] = effect
        return effect

    def _wep(self, edge: BlockEdge, literals: Sequence[Term]) -> list[Term]:
        effect = self._effect(edge)
        return [*effect.guard, *(effect.pull(lit) for lit in literals)]

    def _known(self, location: int) -> list[Term]:
        return [*self.frames.invariants[location], *self.frames.consequences[location]]

    def _frame(self, location: int, level: int) -> list[Term]:
        """F_(level, location) with all that is known there."""
        if level == 0 and location != self.queries.initial:
            return [self.store.false]
        return [self.frames.formula(location, level), *self.frames.consequences[location]]

    def _no_inputs(self, what: str, literals: Literals) -> None:
        bad = [
            v
            for v in free_vars(*literals)
            if v in self.inputs or v.name.startswith(("sel!", "edge!", "level!"))
        ]
        if bad:
            raise InternalError(f"{what} contains the input {bad[0].name}")

    # -- frames ------------------------------------------------------------------------------------

    def lemma(self, lemma: Lemma) -> None:
        """(12), of new and of pushed lemmas: F_(level-1, l) and wep(edge, cube) is unsat for each
        incoming edge (F includes the lemma itself on self-loops)."""
        self._no_inputs("a lemma", lemma.cube)
        if lemma.location in (self.queries.initial, self.queries.cfa.error):
            raise InternalError("a lemma at the initial or the error location")
        for edge in self.queries.into[lemma.location]:
            self.never(
                f"lemma {lemma.clause!r} at level {lemma.level} fails along an edge to"
                f" {lemma.location}",
                *self._frame(edge.source, lemma.level - 1),
                *self._wep(edge, lemma.cube),
            )

    def seeds(self) -> None:
        """Invariants given as seeds are inductive, with their consequences as premises."""
        for edge in self.queries.edges:
            if edge.target != self.queries.cfa.error:
                for f in self.frames.invariants[edge.target]:
                    self.never(
                        f"the seed {f!r} fails along an edge to {edge.target}",
                        *self._known(edge.source),
                        *self._wep(edge, (self.store.not_(f),)),
                    )

    def strengthened(self, level: int) -> None:
        """`IC3CFA.strengthen`: no state of F_(level, l) steps into the error location."""
        for edge in self.queries.into[self.queries.cfa.error]:
            self.never(
                f"F_{level} steps into the error location",
                *self._frame(edge.source, level),
                *self._wep(edge, ()),
            )

    def proved(self, level: int) -> None:
        """`propagate`: F_level is inductive along each edge, and has no step into the error."""
        error = self.queries.cfa.error
        for edge in self.queries.edges:
            after = (
                self.store.false
                if edge.target == error
                else self.frames.formula(edge.target, level)
            )
            self.never(
                f"F_{level} is not inductive along an edge to {edge.target}",
                *self._frame(edge.source, level),
                *self._wep(edge, (self.store.not_(after),)),
            )

    # -- obligations -------------------------------------------------------------------------------

    def obligation(self, o: Obligation) -> None:
        """`predecessor`: the cube is satisfiable, and a state of it satisfies wep(step, parent's
        cube) for some inputs; if the obligation is exact,
        every state that does so is in the cube."""
        self._no_inputs("an obligation", o.cube)
        wep = [*o.step.guard, *(o.step.pull(lit) for lit in (o.parent.cube if o.parent else ()))]
        state = self.a_state(
            "an obligation's cube is unsatisfiable", o.cube, list(free_vars(*o.cube))
        )
        if state is not None:
            self.possible(
                f"a state of an obligation at {o.location} does not reach its parent", *state, *wep
            )
        if o.exact:
            self.implies(
                f"an exact obligation at {o.location} is not the whole pre-image", wep, o.cube
            )

    def queued(self, o: Obligation, predecessors: Sequence[Obligation]) -> None:
        """`IC3CFA._queue_all`: every step from F_(level-1) into the cube starts in one of the
        queued predecessors."""
        for edge in self.queries.into[o.location]:
            others = [
                self.store.not_(self.store.and_(*p.cube))
                for p in predecessors
                if p.location == edge.source
            ]
            self.never(
                f"a predecessor along an edge to {o.location} was not queued",
                *self._frame(edge.source, o.level - 1),
                *others,
                *self._wep(edge, o.cube),
            )

    def normalized(self, literals: Sequence[Term], result: Sequence[Term]) -> None:
        """`normalize`: the result is part of the cube and equivalent to it."""
        if not set(result) <= set(literals):
            raise InternalError("normalisation made a literal")
        self.implies("normalisation dropped a literal that is not implied", result, literals)

    # -- generalisation ----------------------------------------------------------------------------

    def unreached(
        self, edge: BlockEdge, cube: Literals, level: int, answer: Unreached | None
    ) -> None:
        """Answers without a solver (`contexts`):
        the core is part of the cube and unreachable along the edge."""
        if answer is None:
            return
        if not set(answer.core) <= set(cube):
            raise InternalError("a core is not part of the cube")
        self.never(
            f"a static answer about an edge to {edge.target} is wrong",
            *self._frame(edge.source, level),
            *self._wep(edge, answer.core),
        )

    def generalized(self, location: int, cube: Literals, level: int, result: Literals) -> None:
        """`Generalizer.generalize`: F_(level, l) and cube implies the result, which is unreachable
        along each edge from F_(level-1), itself excluded on self-loops."""
        self.implies(
            "a generalisation does not include the cube",
            [*self._frame(location, level), *cube],
            result,
        )
        clause = self.store.not_(self.store.and_(*result))
        for edge in self.queries.into[location]:
            relative = [clause] if edge.is_loop else []
            self.never(
                f"a generalisation is reached along an edge to {location}",
                *self._frame(edge.source, level - 1),
                *relative,
                *self._wep(edge, result),
            )

    def weakened(self, cube: Literals, result: Literals) -> None:
        """`weaken`, `interpolants`: the result includes every state of the cube."""
        self.implies("a weakened cube does not include the cube", cube, result)

    def abstracted(self, location: int, cube: Literals, level: int, result: Literals) -> None:
        """`predicates`: F_(level, l) and cube implies the abstraction."""
        self.implies(
            "an abstraction does not include the cube",
            [*self._frame(location, level), *cube],
            result,
        )
