"""IICTL [HBS12; Bra12, 3]: does every initial state satisfy a formula of branching time?

Every node of the formula has a lower and an upper bound (`graph.py`). A state between them that
comes up is *decided* by a question of its node, and the answer is generalised to a set that joins
the lower or leaves the upper bound:

EX f (`_next`): SAT for a successor in U_f. One: decide it for f; then the cube of states that the
same input leads into L_f joins. None: the core of the state leaves.
E f U g (`_until`): IC3 for a path inside U_f to U_g. One: decide its states, from its end; each
joins with a cube that the input of its step leads into L. None: IC3's invariant leaves, as far as
its cores need it. EG f (`_always`): FAIR for a fair cycle inside U_f (`cycles.py`). A lasso: decide
its states; its cubes join. None: the set Q that contains the state and is closed under steps
leaves.

`check` decides initial states until all are in the lower bound of the root, or one is outside the
upper bound. Where the root says "not E f U g" all initial states are the start of one question.
Nothing here builds a formula; `entries.py` makes each change of a bound, with the claim that it is.
Limitation: finite systems of Booleans and bit-vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from obligato.engines.ic3.hooks import BitsReached
from obligato.engines.ic3.service import Path, State
from obligato.engines.ic3.solver import StepSolver
from obligato.engines.ic3ts.cube import Cube
from obligato.engines.iictl.cycles import BitLasso, Cycles
from obligato.engines.iictl.entries import Entries
from obligato.engines.iictl.graph import Graph, Node
from obligato.engines.iictl.model import Model, Move, Step
from obligato.engines.iictl.options import Options
from obligato.engines.iictl.reach import NO_LIMIT, PutOff, Reach
from obligato.engines.iictl.walks import Walks
from obligato.models.ctl import FAIR, Formula
from obligato.smt import SAT

FAIR_SHARE = 3  # solver calls that FAIR may have for one of a search for dead ends
FAR_CALLS = 300  # questions about predecessors to decide a state far away
MAX_MOVES = 40  # that are tried to keep all states going


class Iictl:
    """One formula on one system."""

    def __init__(self, model: Model, graph: Graph, fair: Sequence[int], options: Options) -> None:
        """`fair` are the gate literals of the fairness sets."""
        self.model, self.graph, self.options, self.env = model, graph, options, model.env
        self.fair = [x for x in dict.fromkeys(fair) if x != 1]
        self.entries = Entries(model, graph)
        self.walks = Walks(model, options.walks)
        self._reach: dict[int, Reach] = {}
        self._cycles: dict[int, Cycles] = {}
        self._probed: set[Formula] = set()
        self.limit = NO_LIMIT  # questions about predecessors in one question to IC3

    # -- the root ----------------------------------------------------------------------------------

    def check(self) -> State | None:
        """An initial state that violates the formula; None: there is none."""
        pending = [len(self.graph.nodes) - 1]
        while pending:
            n = pending.pop()
            node = self.graph.nodes[n]
            if node.op == "&":
                pending += node.args[::-1]
                continue
            inner = self.graph.nodes[node.args[0]] if node.op == "!" else node
            while (state := self._initial(-node.lower)) is not None:
                if inner is not node and inner.op == "EU" and self.graph.value(n, state) is None:
                    if self._until(inner, state, anywhere=True):
                        return self._initial(inner.lower)
                elif not self.decide(n, state):
                    return state
        return None

    def _initial(self, wanted: int) -> State | None:
        """An initial state that satisfies a gate literal."""
        with closing(StepSolver(self.model.bits, self.env.stats)) as solver:
            for fact in (*self.model.bits.init_facts, wanted):
                solver.add_clause((solver.load(fact),))
            # I and not L, I and L: sat - an initial state that is (not) in the bound;
            # unsat - there is none   (required)
            if self.model.ask(solver, [], "initial") is not SAT:
                return None
            return BitsReached(self.model.bits, solver.now, solver.model()).state

    # -- one state ---------------------------------------------------------------------------------

    def decide(self, n: int, state: State) -> bool:
        """Does the state satisfy node n? Afterwards the bounds of the node say so for this state."""
        known = self.graph.value(n, state)
        node = self.graph.nodes[n]
        if node.op in ("EX", "EU", "EG"):
            self.env.count("decided")
            self.env.count("decided_by_bounds", known is not None)
        if known is not None:
            return known
        match node.op:
            case "!":
                return not self.decide(node.args[0], state)
            case "&":
                return all(self.decide(m, state) for m in sorted(node.args, key=self._effort))
            case "EX":
                return self._next(node, state)
            case "EU":
                return self._until(node, state)
        return self._always(node, state)

    def _effort(self, n: int) -> int:
        """How hard it is to decide a node: what has fewer temporal nodes goes first."""
        node = self.graph.nodes[n]
        return sum(map(self._effort, node.args)) + {"EX": 1, "EU": 10, "EG": 100}.get(node.op, 0)

    def _next(self, node: Node, state: State) -> bool:
        (f,) = node.args
        inner = self.graph.nodes[f]
        while True:
            self.env.count("ex_questions")
            # R and s and C and T and U_f': sat - a successor that may satisfy f;
            # unsat - none does   (required)
            found = self.model.step_into(state, inner.upper)
            if not isinstance(found, Step):
                self.entries.leave(node, tuple((-x,) for x in found))
                return False
            if self.decide(f, found.after):
                cube = self._cube(state, found.move, [self.model.after(inner.lower)])
                self.entries.join(node, state, cube, found.move)
                return True

    def _cube(self, state: State, move: Move, wanted: list[int]) -> Cube:
        """A cube around the state, all of whose states join with it."""
        return (
            self.model.widen(state, move, wanted)
            if self.options.generalize
            else self.model.literals(state)
        )

    # -- E f U g -----------------------------------------------------------------------------------

    def _until(self, node: Node, state: State, anywhere: bool = False) -> bool:
        """Does the state satisfy the node? `anywhere`: does some initial state?"""
        f, g = (self.graph.nodes[m] for m in node.args)
        reach = self._reach.setdefault(id(node), Reach(self.model, self.options))
        reach.begin(None if anywhere else state)
        if self._far(node, state):
            return True
        while True:
            self.env.count("eu_questions")
            target = self.model.gates.or_(self.model.gates.and_(g.upper, node.upper), node.lower)
            walked = self.walks.reach(
                state, target, self.model.gates.and_(f.upper, node.upper), str(node.formula)
            )
            if walked is not None:
                self.env.count("walked_paths")
                if self._join_path(node, *walked):
                    return True
                continue
            within = [f.upper, node.upper, self.model.after(node.upper)]
            answer = reach.ask(target, within, steps=self.limit)
            if not isinstance(answer, Path):
                self.entries.leave(node, answer)
                return False
            steps = list(zip(answer.states, map(self.model.move, answer.moves), strict=False))
            if self._join_path(node, steps, answer.states[-1]):
                return True

    def _far(self, node: Node, state: State) -> bool:
        """Once for each node whose g asks for paths: does g hold at a state far from this one, where
        random runs end? What cannot be left any more is decided soon.
        """
        f, g = (self.graph.nodes[m] for m in node.args)
        if node.formula in self._probed or "EU" not in (ops := self._below(g)) or "EG" in ops:
            return False
        self._probed.add(node.formula)
        inside = self.model.gates.and_(f.upper, node.upper)
        for steps, end in self.walks.far(state, inside, g.upper):
            self.env.count("far_states")
            self.limit = FAR_CALLS
            try:
                if self.decide(node.args[1], end) and self._join_path(node, steps, end):
                    return True
            except PutOff:
                self.env.count("put_off")
            finally:
                self.limit = NO_LIMIT
        return False

    def _below(self, node: Node) -> frozenset[str]:
        """The operators of a node and the nodes below it."""
        return frozenset({node.op}).union(*(self._below(self.graph.nodes[m]) for m in node.args))

    def _join_path(self, node: Node, steps: Sequence[tuple[State, Move]], last: State) -> bool:
        """Enter the states of a path inside U_f into the lower bound of the node, from the last one
        back. False if one of them does not satisfy it.
        """
        f, g = node.args[0], node.args[-1]
        n = self.graph.number[node.formula]
        if self.graph.value(n, last) is not True and not (node.op == "EU" and self.decide(g, last)):
            return False
        for state, move in reversed(steps):
            if self.graph.value(n, state):
                continue
            if not self.decide(f, state):
                return False
            wanted = [self.graph.nodes[f].lower, self.model.after(node.lower)]
            self.entries.join(node, state, self._cube(state, move, wanted), move)
        return True

    # -- EG f --------------------------------------------------------------------------------------

    def _always(self, node: Node, state: State) -> bool:
        n = self.graph.number[node.formula]
        cycles = self._cycles_of(node)
        cycles.begin()
        if node.formula == FAIR and not self.model.bits.system.fairness and not cycles.tried:
            cycles.tried = True
            self._join_everywhere(node)
        while self.graph.value(n, state) is None:
            self.env.count("eg_questions")
            before = self.env.questions
            if self._walk(node, state):
                continue
            if self.options.descents and FAIR_SHARE * cycles.descended <= cycles.spent:
                bounds = (node.lower, node.upper)
                self._descend(node, state)
                fruitless = bounds == (node.lower, node.upper)  # it would go the same way again
                cycles.descended += cycles.budget if fruitless else self.env.questions - before
            else:
                self._find_cycle(node, cycles, state)
                cycles.spent += self.env.questions - before
        return bool(self.graph.value(n, state))

    def _find_cycle(self, node: Node, cycles: Cycles, state: State) -> None:
        """A turn of FAIR: a path into the lower bound or a fair lasso joins, or Q leaves;
        nothing, if the budget is used up."""
        budget = cycles.budget if self.options.descents else NO_LIMIT
        try:
            if node.lower != -1 and self._into_lower(node, cycles, state, budget):
                return
            lasso = cycles.find(state, node.upper, budget)
        except PutOff:
            cycles.budget *= 2
            self.env.count("put_off")
            return
        finally:
            self.entries.walls(node, cycles.take_walls(), cycles)
        if lasso is None:
            self.entries.leave(node, tuple(cycles.closed))
        else:
            self._join_lasso(node, lasso)

    def _descend(self, node: Node, state: State) -> None:
        """Go on inside U, depth first:
        a state that cannot leaves U, one that comes back closes a loop."""
        n, (f,), path = self.graph.number[node.formula], node.args, list[Step]()
        for _ in range(self.options.descents):
            here = path[-1].after if path else state
            known = self.graph.value(n, here)
            if known is None and not self.decide(f, here):
                continue
            if known is False and not path:
                return
            if known is False:
                path.pop()
            elif known:
                self._join_path(node, [(step.state, step.move) for step in path], here)
                return
            elif not self._go_on(node, path, here):
                return

    def _go_on(self, node: Node, path: list[Step], here: State) -> bool:
        """One step further, or none: then the state leaves.
        False: it has closed a loop, which joins if it is fair."""
        # R and s and C and T and U': sat - a successor that may satisfy the node;
        # unsat - none does   (heuristic)
        found = self.model.step_into(here, node.upper)
        if not isinstance(found, Step):
            self.entries.leave(node, tuple((-x,) for x in found))
            return True
        path.append(found)
        loop = next((k for k, step in enumerate(path) if step.state == found.after), None)
        if loop is None:
            return True
        steps = [(step.state, step.move) for step in path]
        if all(any(self.model.holds(x, *step) for step in steps[loop:]) for x in self.fair):
            self._join_lasso(node, BitLasso(tuple(steps), loop))
        return False

    def _walk(self, node: Node, state: State) -> bool:
        """Has a random run led into the lower bound or into a fair loop?
        Then the bounds have changed."""
        key = str(node.formula)
        walked = (
            None
            if node.lower == -1
            else self.walks.reach(state, node.lower, node.upper, f"{key} path")
        )
        if walked is not None:
            self.env.count("walked_paths")
            self._join_path(node, *walked)
            return True
        lasso = self.walks.lasso(state, node.upper, self.fair, key)
        if lasso is not None:
            self.env.count("walked_lassos")
            self._join_lasso(node, lasso)
        return lasso is not None

    def _cycles_of(self, node: Node) -> Cycles:
        if id(node) not in self._cycles:
            self._cycles[id(node)] = Cycles(
                self.model, self.fair or [1], Reach(self.model, self.options), self.options.budget
            )
        return self._cycles[id(node)]

    def _join_everywhere(self, node: Node) -> None:
        """If every state of R has a step, all of R satisfies EG true:
        a few cubes with a move each may cover it."""
        steps: list[tuple[State, Move]] = []
        cubes: list[Cube] = []
        while (state := self.model.state_outside(cubes)) is not None:
            found = self.model.step_into(state, 1)
            if (
                not isinstance(found, Step)
                or len(cubes) >= MAX_MOVES
                or not self.options.generalize
            ):
                return
            steps.append((state, found.move))
            cubes.append(self.model.widen(state, found.move, []))
        self.entries.join_loop(node, steps, cubes)

    def _into_lower(self, node: Node, cycles: Cycles, state: State, budget: int) -> bool:
        """Has the state a path inside U into the lower bound?
        It joins, or else Q is smaller by the proof."""
        answer = cycles.reach_from(state, node.lower, node.upper, budget)
        if not isinstance(answer, Path):
            cycles.close_in(answer)
            return False
        self._join_path(
            node,
            list(zip(answer.states, map(self.model.move, answer.moves), strict=False)),
            answer.states[-1],
        )
        return True

    def _join_lasso(self, node: Node, lasso: BitLasso) -> None:
        """The lasso joins the lower bound if all of its states satisfy f."""
        (f,) = node.args
        if not all(self.decide(f, state) for state, _ in reversed(lasso.steps)):
            return
        loop = lasso.steps[lasso.loop :]
        lower, after = self.graph.nodes[f].lower, self.model.after
        following = self.model.gate(self.model.literals(loop[0][0]))
        cubes: list[Cube] = []
        fair = self._taken(loop)
        for k in reversed(range(len(loop))):
            target = self.model.gates.or_(following, node.lower)
            cubes.append(self._cube(*loop[k], [lower, after(target), *fair[k]]))
            following = self.model.gate(cubes[-1])
        self.entries.join_loop(node, loop, cubes[::-1])
        self._join_path(node, lasso.steps[: lasso.loop], loop[0][0])
        if self.options.generalize:
            self._widen_loop(node, loop)

    def _taken(self, loop: Sequence[tuple[State, Move]]) -> list[list[int]]:
        """For each step the fairness sets for which it is the first of the loop to take them."""
        out: list[list[int]] = [[] for _ in loop]
        for x in self.fair:
            out[next(k for k, step in enumerate(loop) if self.model.holds(x, *step))].append(x)
        return out

    def _widen_loop(self, node: Node, loop: Sequence[tuple[State, Move]]) -> None:
        """Go round the loop once more; states whose successors are in the lower bound join it."""
        lower = self.graph.nodes[node.args[0]].lower
        for state, move in reversed(loop):
            self.entries.join(
                node, state, self._cube(state, move, [lower, self.model.after(node.lower)]), move
            )

    def close(self) -> None:
        """Free all solvers."""
        for reach in self._reach.values():
            reach.close()
        for cycles in self._cycles.values():
            cycles.close()
        self.model.close()
