"""The contracts of IC3CFA, executed. Switched on in tests (`Environment.debug`); it asks its own z3 solvers, not the engine's.

Checked: each lemma is free of inputs and holds along all incoming edges at its level, (12); each obligation is free of
inputs, satisfiable, and a state of it (one per model asked) reaches the parent's cube along its path; invariants given as
seeds are inductive. (10) holds by construction of the delta encoding and is not checked.
"""

from __future__ import annotations

from obligato.engines.ic3cfa.cube import Lemma, Obligation
from obligato.engines.ic3cfa.frames import Frames
from obligato.engines.ic3cfa.queries import BlockEdge, Queries
from obligato.errors import InternalError
from obligato.models.effect import BlockEffect
from obligato.smt import SAT, UNSAT
from obligato.smt.z3_backend import Z3Solver
from obligato.smt.z3_context import Z3Context
from obligato.terms import Term, Value, free_vars


class DebugChecker:
    """Raises `InternalError` at the first broken contract."""

    def __init__(self, queries: Queries, frames: Frames) -> None:
        self.queries, self.frames = queries, frames
        self.inputs = queries.cfa.input_set
        self._context = Z3Context()
        self._effects: dict[BlockEdge, BlockEffect] = {}

    def _effect(self, edge: BlockEdge) -> BlockEffect:
        effect = self._effects.get(edge)
        if effect is None:
            effect = self._effects[edge] = BlockEffect(self.queries.store, edge.command, f"dbg!{edge.number}!")
        return effect

    def _no_inputs(self, what: str, literals: tuple[Term, ...]) -> None:
        bad = [v for v in free_vars(*literals) if v in self.inputs or v.name.startswith(("sel!", "edge!", "level!"))]
        if bad:
            raise InternalError(f"{what} contains the input {bad[0].name}")

    def lemma(self, lemma: Lemma) -> None:
        """F_(level-1, l) and wep(edge, cube) is unsat for each incoming edge (F includes the lemma itself on self-loops)."""
        self._no_inputs("a lemma", lemma.cube)
        if lemma.location in (self.queries.initial, self.queries.cfa.error):
            raise InternalError("a lemma at the initial or the error location")
        for edge in self.queries.into[lemma.location]:
            if lemma.level == 1 and edge.source != self.queries.initial:
                continue  # F_(0, l) is false
            if not self._unsat(edge, lemma):
                raise InternalError(f"lemma {lemma.clause!r} at level {lemma.level} fails along an edge to {lemma.location}")

    def _unsat(self, edge: BlockEdge, lemma: Lemma) -> bool:
        solver = Z3Solver(self._context)
        effect = self._effect(edge)
        solver.add(self.frames.formula(edge.source, lemma.level - 1))
        for part in [*self.frames.consequences[edge.source], *effect.guard, *(effect.pull(lit) for lit in lemma.cube)]:
            solver.add(part)
        # F_(level-1, source) and wep(edge, cube): unsat - the lemma holds along the edge; sat - a contract is broken
        result = solver.check()
        solver.close()
        return result is UNSAT

    def obligation(self, o: Obligation) -> None:
        """The cube is satisfiable, and a state of it satisfies wep(step, parent's cube) for some inputs."""
        self._no_inputs("an obligation", o.cube)
        state = self._model(o.cube)
        solver = Z3Solver(self._context)
        store = self.queries.store
        for v, value in state.items():
            solver.add(store.eq(v, store.const(value, v.sort)))
        for part in [*o.step.guard, *(o.step.pull(lit) for lit in (o.parent.cube if o.parent else ()))]:
            solver.add(part)
        # state and wep(step, parent): sat - as promised; unsat - the obligation does not lead to the error
        if solver.check() is not SAT:
            raise InternalError(f"a state of an obligation at {o.location} does not reach its parent")
        solver.close()

    def _model(self, cube: tuple[Term, ...]) -> dict[Term, Value]:
        solver = Z3Solver(self._context)
        for lit in cube:
            solver.add(lit)
        # cube: sat - a state; unsat - an obligation without states
        if solver.check() is not SAT:
            raise InternalError("an obligation's cube is unsatisfiable")
        variables = free_vars(*cube)
        model = solver.model_of(variables)
        solver.close()
        return {v: x for v, x in model.items() if v.sort.kind.value != "Array"}
