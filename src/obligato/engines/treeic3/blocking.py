"""IC3 along one path of the unwinding [CG12, 3.2]: obligations go back node by node, lemmas
strengthen the frames on the way.

The frames of the path's nodes take the place of F_0, F_1, ... An obligation (cube, position) asks

    frame(v_(i-1)) and T_i and cube'      satisfiable?

sat: the predecessor along the path of the model is an obligation one node back; at the root it is a
counterexample. unsat: the cube is generalised, and its clause is a lemma of v_i.

`_drop` generalises. Where the path goes round a loop (the step is a self-loop, as large blocks make
them), the candidate's clause may be assumed before the step if it becomes a lemma of that node as
well; so it is checked at every node of the loop up to the one where the path entered it, or where
it is a lemma already, and added to all of them. This is relative induction as far as an unwinding
has it: each round of the loop has a frame of its own, while IC3CFA has one per location and level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import Literals, clause_of, cube_of
from obligato.engines.kernel.obligation import Obligation as KernelObligation
from obligato.engines.kernel.steps import Unreached
from obligato.engines.treeic3.options import Options
from obligato.engines.treeic3.tree import Node, Tree
from obligato.models.effect import PathEffect
from obligato.terms import Term, size


@dataclass(slots=True, eq=False)
class Obligation(KernelObligation[Literals]):
    """Block `cube` at a position of the path, its level;
    `step` leads to the parent's cube, without parent to the error."""

    step: PathEffect

    def edges(self) -> list[int]:
        """The original edges from here to the error location."""
        return [edge for o in self.chain() for edge in o.step.edges]


Predecessor = Callable[[Reached, Literals], tuple[Literals, PathEffect]]
Lemmas = list[tuple[int, Literals]]  # cubes to block, by position


class Blocking:
    """Blocks obligations along a path.
    `predecessor` makes the cube of an obligation from a model."""

    def __init__(
        self, tree: Tree, options: Options, env: Environment, predecessor: Predecessor
    ) -> None:
        self.tree, self.steps, self.options, self.env = tree, tree.steps, options, env
        self.predecessor = predecessor

    def block(
        self, nodes: Sequence[Node], reached: Reached, limit: int | None
    ) -> Obligation | bool:
        """Block the states of the last node that `reached` names. An obligation at the root: the
        error is reached, if predecessors are exact; True: blocked; False: more than `limit`
        obligations.

        Requires: `reached` is a step from the last node's frame to the error location.
        """
        stack = [self._obligation(len(nodes) - 1, reached, None)]
        count = 0
        while stack:
            o = stack[-1]
            if o.level == 0:
                return o
            if limit is not None and (count := count + 1) > limit:
                return False
            answer = self._ask(nodes, o.level, o.cube)
            if isinstance(answer, Reached):
                stack.append(self._obligation(o.level - 1, answer, o))
            else:
                stack.pop()
                self._block(nodes, o, answer)
        return True

    def _obligation(self, position: int, reached: Reached, parent: Obligation | None) -> Obligation:
        cube, path = self.predecessor(reached, parent.cube if parent else ())
        self.env.count("obligations")
        self.env.event("obligation", position=position, location=reached.edge.source, cube=cube)
        return Obligation(position, cube, parent, parent.depth + 1 if parent else 0, path)

    def _ask(self, nodes: Sequence[Node], position: int, cube: Literals) -> Reached | Unreached:
        step = nodes[position].step
        assert step is not None
        # frame(v_(i-1)) and T_i and cube': sat - a predecessor; unsat - a core   (required)
        return self.steps.reach(step, list(nodes[position - 1].frame), cube, kind="block")

    def _block(self, nodes: Sequence[Node], o: Obligation, answer: Unreached) -> None:
        """Learn a lemma that excludes the obligation's cube at its node."""
        core = cube_of(answer.after)
        for position, cube in self._generalize(nodes, o.level, core):
            self.tree.learn(nodes[position], clause_of(self.steps.store, cube))

    def _generalize(self, nodes: Sequence[Node], position: int, cube: Literals) -> Lemmas:
        """Lemmas, the earliest position first, the last of which excludes `cube` at its position.

        Requires: frame(v_(i-1)) and T_i exclude the cube.
        Ensures: so do the frames for each lemma, given those before it.
        """
        first = self._start(nodes, position)
        if self.options.relative and first < position:
            found = self._round(nodes, position, cube)
            if found is not None:
                return self._drop(cube, found, lambda g: self._round(nodes, position, g))
        return self._drop(cube, [(position, cube)], lambda g: self._here(nodes, position, g))

    @staticmethod
    def _start(nodes: Sequence[Node], position: int) -> int:
        """The position where the path entered the loop that its step at `position` goes round."""
        while (step := nodes[position].step) is not None and step.is_loop:
            position -= 1
        return position

    def _drop(
        self, cube: Literals, found: Lemmas, holds: Callable[[Literals], Lemmas | None]
    ) -> Lemmas:
        """Leave out literals, large ones first, while the lemmas hold."""
        for lit in sorted(cube, key=lambda t: (-size(t), -t.id)):
            here = found[-1][1]
            if lit in here and len(here) > 1:
                smaller = holds(tuple(x for x in here if x is not lit))
                found = found if smaller is None else smaller
        return found

    def _here(self, nodes: Sequence[Node], position: int, cube: Literals) -> Lemmas | None:
        """The cube, or a part of it, as a lemma of one node only."""
        core = self._core(nodes, position, cube, ())
        return None if core is None else [(position, core)]

    def _round(self, nodes: Sequence[Node], position: int, cube: Literals) -> Lemmas | None:
        """The cube as a lemma of all nodes of the loop up to `position`,
        each relative to the one before."""
        clause = clause_of(self.steps.store, cube)
        out: Lemmas = []
        while True:
            out.append((position, cube))
            step = nodes[position].step
            relative = (clause,) if step is not None and step.is_loop else ()
            if self._core(nodes, position, cube, relative) is None:
                return None
            position -= 1
            if not relative or clause in nodes[position].frame:
                return out[::-1]

    def _core(
        self, nodes: Sequence[Node], position: int, cube: Literals, relative: Sequence[Term]
    ) -> Literals | None:
        step = nodes[position].step
        assert step is not None
        before = list(nodes[position - 1].frame)
        # frame(v_(i-1)) and [clause] and T_i and cube': unsat - a lemma;
        # sat, unknown - none   (heuristic)
        answer = self.steps.ask(
            step, before, cube, relative=relative, kind="generalize", budget=self.steps.budget
        )
        return cube_of(answer.after) if isinstance(answer, Unreached) else None
