"""FAIR [BSHZ11; Bra12, 3]: is there an infinite run that takes a step in each fairness set again
and again?

`prove` asks for a skeleton: a step in each set, all on one side of every wall. If there is none, no
fair run exists: a run crosses each wall at most once, so in the end it stays on one side of all of
them. Else the skeleton is to be connected: the *stem* asks whether its first state is reached, the
*cycles* whether the state after each step reaches the next one. A "no" to a stem strengthens R, a
"no" to a cycle is a new wall; either way this skeleton is excluded with many others. If all answers
are paths, they are a lasso.

A question has a budget, counted in solver calls; what exceeds it is put off, and when nothing else
is left the budget grows. Limitation: finite systems of Booleans and bit-vectors.
"""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.fair.options import Options
from obligato.engines.fair.skeleton import Joint, NewCopy, Skeletons
from obligato.engines.fair.walls import Builder
from obligato.engines.ic3.service import Answer, Move, Path, Proof, Service, State, cube_of_state
from obligato.engines.ic3ts.cube import Cube
from obligato.models.live_claims import Wall, Walls
from obligato.models.ts_bits import BitSystem
from obligato.smt.blast import BlastContext

Run = tuple[list[tuple[State, Move]], int]  # steps of a lasso, and where its loop begins


def connected(stem: Path, skeleton: list[Joint], paths: list[Path]) -> Run:
    """The lasso along the stem and, from each joint of the skeleton, the path to the next one."""
    steps = list(zip(stem.states, stem.moves, strict=False))
    loop = len(steps)
    for joint, path in zip(skeleton, paths, strict=True):
        steps.append((joint.state, joint.move))
        steps += zip(path.states, path.moves, strict=False)
    return steps, loop


class Fair:
    """One run on one system, given as bits with the fairness sets `bits.watched`."""

    def __init__(self, bits: BitSystem, options: Options, env: Environment) -> None:
        self.bits, self.options, self.env = bits, options, env
        sets = list(dict.fromkeys(x for x in bits.watched if x != 1)) or [1]
        self.service = Service(bits, env, options)
        self.builder = Builder(bits, env, self.service.invariant)
        context = BlastContext()
        copies = [NewCopy(bits, context, b) for b in sets]
        self.skeletons = Skeletons(
            bits, context, copies, self.service.successor, env, options.inner_first
        )
        self.budget = options.budget
        self._lemmas: list[Cube] = []  # of the proofs about cycles, in their order

    def prove(self) -> Run | None:
        """A lasso; None: there is no fair run."""
        while (skeleton := self.skeletons.find()) is not None:
            self.env.count("skeletons")
            self.env.event("skeleton", states=[j.state for j in skeleton])
            lasso = self.connect(skeleton)
            if lasso is not None:
                return lasso
        return None

    def connect(self, skeleton: list[Joint]) -> Run | None:
        """The lasso of the skeleton; None: it has been excluded."""
        self.budget = self.options.budget
        while True:
            stem = self._stem(skeleton[0]) if self.options.stem_first else None
            if isinstance(stem, Proof):
                return None
            paths: list[Answer] = []
            for here, there in zip(skeleton, [*skeleton[1:], skeleton[0]], strict=True):
                paths.append(self._cycle(here, there))
                if isinstance(paths[-1], Proof):
                    return None
            if not self.options.stem_first:
                stem = self._stem(skeleton[0])
                if isinstance(stem, Proof):
                    return None
            known = [p for p in (stem, *paths) if isinstance(p, Path)]
            if len(known) == len(paths) + 1:
                return connected(known[0], skeleton, known[1:])
            self.budget *= 2
            self.env.counters["budget"] = max(self.budget, self.env.counters.get("budget", 0))

    def _stem(self, joint: Joint) -> Answer:
        self.env.count("stems")
        answer = self.service.stem(
            self.service.gate(cube_of_state(self.bits, joint.state)), self.budget
        )
        if isinstance(answer, Proof):
            self.env.event("stem", clauses=len(answer.cubes))
            self.skeletons.exclude(answer.cubes)
            self.env.counters["invariant"] = len(self.service.invariant)
        return answer

    def _cycle(self, here: Joint, there: Joint) -> Answer:
        self.env.count("cycles")
        arena = self.builder.arena(here.after, self._chosen())
        within = self.builder.gates(arena)
        offered = self._lemmas[-self.options.reuse :] if self.options.reuse else []
        answer = self.service.travel(here.after, there.state, within, self.budget, offered)
        if isinstance(answer, Proof):
            self._lemmas += [cube for cube in answer.cubes if cube not in offered]
            wall = self.builder.wall(answer.cubes, there.state, arena)
            self.skeletons.separate(wall)
            self.env.event(
                "wall",
                proof=len(answer.cubes),
                clauses=len(wall.cubes),
                relative=wall.relative,
                sides=wall.sides,
            )
            self.env.counters["walls"] = len(self.builder.walls)
        return answer

    def _chosen(self) -> list[int]:
        """The walls that a question about a cycle may use."""
        walls, many = self.builder.walls, self.options.wall_count
        if self.options.walls == "all":
            return list(range(len(walls)))
        if self.options.walls == "recent":
            return list(range(max(0, len(walls) - many), len(walls)))
        return [j for j, w in enumerate(walls) if len(walls) - w.used <= many]

    def certificate(self) -> Walls:
        """The proof that there is no fair run."""
        invariant = self.bits.system.store.and_(*self.builder.reached())
        formulas = self.builder.formulas()
        return Walls(
            invariant,
            tuple(Wall(f, w.relative) for f, w in zip(formulas, self.builder.walls, strict=True)),
        )

    def close(self) -> None:
        """Free all solvers."""
        for part in (self.service, self.builder, self.skeletons):
            part.close()
