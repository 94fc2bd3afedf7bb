"""The region of a new node: what is known about predicates after a step [BPR01].

*Cartesian*: the literals over the target's predicates that hold after every step from the region
along the path that a model names; each predicate by itself. A literal is first read off the model,
then further models take away what they refute, until one question says that all others hold: their
number grows with what is lost, not with the predicates.

*Boolean*: the valuation of all predicates after the one step of the model. Together with those of
later models it is the whole abstraction, since each question leaves out the regions that are known;
blocks are followed as a whole.
"""

from __future__ import annotations

from obligato.engines.cegar.options import Options
from obligato.engines.ic3ia.predicates import atoms
from obligato.engines.kernel.block_edge import BlockEdge, Reached
from obligato.engines.kernel.cube import Literals, cube_of
from obligato.engines.kernel.steps import Steps
from obligato.errors import ResourceOut
from obligato.terms import Op, Term, Value, evaluate, postorder

Region = tuple[BlockEdge, Literals]


class Predicates:
    """The predicates of each location: formulas, in the order in which they came.
    They claim nothing."""

    def __init__(self, steps: Steps, options: Options, first: dict[int, list[Term]]) -> None:
        self.steps, self.store, self.options = steps, steps.store, options
        self.at: dict[int, dict[Term, int]] = {loc: {} for loc in steps.cfa.locations}
        self._shapes: dict[tuple[int, tuple[Op | Term, ...]], int] = {}
        for location, formulas in first.items():
            self.add(location, formulas)

    def add(self, location: int, formulas: list[Term]) -> list[int]:
        """Add what formulas consist of; the number of each part, old or new."""
        here, parts = self.at[location], [p for f in formulas for p in self._parts(f)]
        for p in parts:
            if p not in here:
                here[p] = len(here)
                self._count_shape(location, p)
        return [here[p] for p in parts]

    def _count_shape(self, location: int, predicate: Term) -> None:
        """Predicates that differ in constants only, one after the other,
        are the sign of a refinement that never ends."""
        parts = [t for t in postorder((predicate,)) if t.op is not Op.CONST]
        key = (location, tuple(t.op if t.op is not Op.VAR else t for t in parts))
        self._shapes[key] = self._shapes.get(key, 0) + 1
        if self._shapes[key] > self.options.shape_limit:
            place = self.steps.cfa.locations[location]
            where = f"line {place.span.line}" if place.span.line else place.name
            raise ResourceOut(
                f"incomplete: refinement diverges: more than {self.options.shape_limit} predicates"
                f" at {where} differ in constants only, such as {predicate!r}"
            )

    def _parts(self, formula: Term) -> list[Term]:
        """Cartesian: the formula itself,
        since a disjunction may hold while each of its parts is open; else its atoms."""
        if self.options.abstraction == "cartesian":
            return [] if formula.atom.op is Op.CONST else [formula.atom]
        return list(atoms(formula))

    # -- abstraction -------------------------------------------------------------------------------

    def region(self, reached: Reached, before: Literals) -> Region:
        """The step that a new node stands for, and its region.
        Requires: the model of `reached` is a step from `before`.

        Ensures: the end of the model's step is in the region.
        Cartesian: all steps along the returned edge end there.
        """
        if self.options.abstraction == "cartesian":
            return self._cartesian(reached, before)
        return reached.edge, cube_of(self._valuation(reached.edge, reached))

    def _valuation(self, edge: BlockEdge, reached: Reached) -> list[Term]:
        """The literals over all predicates that hold after the model's step along `edge`."""
        memo: dict[Term, Value] = {}
        return [
            p if evaluate(edge.pull(p), reached.model, memo) else self.store.not_(p)
            for p in self.at[edge.target]
        ]

    def _cartesian(self, reached: Reached, before: Literals) -> Region:
        edge = self.steps.straight(reached.edge, reached.edge.path_of(reached.model))
        literals = self._valuation(edge, reached)
        while literals:
            refuted = self.store.or_(*(self.store.not_(edge.pull(lit)) for lit in literals))
            if refuted is self.store.false:
                break
            # before and path and not all literals after it: sat - some are refuted; unsat - all
            # hold; unknown - none is taken, which is sound but may stop progress   (heuristic)
            answer = self.steps.ask(
                edge, before, relative=(refuted,), kind="post", budget=self.steps.budget
            )
            if answer is None:
                return edge, self._one_by_one(edge, before, literals)
            if not isinstance(answer, Reached):
                break
            held = dict.fromkeys(self._valuation(edge, answer))
            literals = [lit for lit in literals if lit in held]
        return edge, cube_of(literals)

    def _one_by_one(self, edge: BlockEdge, before: Literals, literals: list[Term]) -> Literals:
        """Those literals that are known to hold after the step, each asked alone:
        easier questions."""
        return cube_of(
            lit for lit in literals if self.steps.leads_to(edge, before, lit, kind="post")
        )
