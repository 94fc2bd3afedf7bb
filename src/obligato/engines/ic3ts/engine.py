"""IC3 on transition systems [Bra11; Bra12; EMB11]:
the part that Boolean IC3, IC3IA, CTIGAR and IC3 with QE share.

Idea: F_i over-approximates the states reachable in at most i steps. `strengthen` looks for
violations in the frontier F_k and has `block` work off obligations, lowest level first: a cube that
has no predecessor in F_(level-1) is generalised and becomes a lemma, else a predecessor becomes an
obligation one level below. An obligation that has been blocked is put back one level higher, up to
the frontier and beyond [Bra12, 2.2]: so bugs deeper than the frontier are found. `propagate` pushes
lemmas; two equal neighbouring frames are the invariant. A chain of obligations that meets the
initial states is handed to `refine`: a run, or a refined abstraction with which the search goes on,
all lemmas kept.

What is asked, and of which solver, is known to the hooks only (`hooks.py` has the contracts).
Limitation: none of its own; what the hooks cannot decide ends as UNKNOWN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from obligato.engines.ic3ts.cube import Cube, Lemma, Obligation
from obligato.engines.ic3ts.frames import Frames
from obligato.engines.ic3ts.generalize import Generalizer
from obligato.engines.ic3ts.guidance import Guidance, terms_of
from obligato.engines.ic3ts.hooks import Hooks, Lifted, Query, Reached, Spurious, Unreached
from obligato.engines.kernel.concretise import Slopes, concretised
from obligato.engines.kernel.queue import ObligationQueue
from obligato.errors import InternalError, ResourceOut
from obligato.models.ts_claims import SystemCertificate, SystemTrace
from obligato.results.outcome import SystemResult, Verdict

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3ts.debug import DebugChecker
    from obligato.engines.ic3ts.options import SkeletonOptions
    from obligato.engines.ic3ts.turns import Turns
    from obligato.models.transition_system import TransitionSystem


class IC3:
    """One run on one system; `turns` gives another search for violations its share of the work."""

    # False: hooks that ask about another start, relation or target than the system's
    checks_contracts = True

    def __init__(
        self,
        system: TransitionSystem,
        hooks: Hooks,
        options: SkeletonOptions,
        env: Environment,
        turns: Turns | None = None,
    ) -> None:
        self.system, self.options, self.env = system, options, env
        self.frames = Frames(hooks, env)
        self.hooks: Hooks = hooks
        self.debug: DebugChecker | None = None
        if env.debug and self.checks_contracts:
            self.hooks, self.debug = self._checked(hooks)
        self.queue: ObligationQueue[Obligation] = ObligationQueue(options.cube_order, env.random)
        self.turns = turns
        self.exchange = env.exchange if self.checks_contracts else None
        self._explained: set[int] = set()  # literals that the event log knows
        self.generalizer = Generalizer(self.hooks, options, env, self._learn, self.frames.parent)
        self.guidance: Guidance | None = None
        if self.hooks.guidance:
            self.guidance = Guidance(system.store, self.hooks, self.generalizer, self._learn, env)
            self.guidance.inspect = None if self.debug is None else self.debug.suggested
        self.slopes = Slopes(frozenset(self.hooks.control))
        if self.debug is not None:
            self.frames.hooks, self.frames.inspect = self.hooks, self.debug.lemma
            self.generalizer.inspect = self.debug.generalized

    def _checked(self, hooks: Hooks) -> tuple[Hooks, DebugChecker]:
        """Hooks whose contracts are executed, and what executes them."""
        from obligato.engines.ic3ts.debug import CheckedHooks, DebugChecker

        checker = DebugChecker(self.system, hooks, self.frames)
        return CheckedHooks(hooks, checker), checker

    def prove(self) -> SystemResult:
        """Raise the frontier until a run is found or two neighbouring frames are equal. The
        frontier starts at 0: a violation in an initial state needs no case of its own."""
        try:
            while True:
                trace = self.strengthen()
                if trace is not None:
                    return SystemResult(Verdict.FALSE, trace=trace, stats=self.statistics())
                self.frames.extend()
                level = self.frames.propagate()
                if level is not None:
                    return self._proved(level)
        except ResourceOut as out:
            return SystemResult(Verdict.UNKNOWN, reason=out.resource, stats=self.statistics())
        finally:
            self.hooks.close()

    def strengthen(self) -> SystemTrace | None:
        """Ensures: F_k and C implies P (k the frontier); or a run that violates a property."""
        k = self.frames.top
        self.env.counters["frontier"] = k
        self.env.event("frontier", k=k)
        while True:
            found = self.block(k)
            if isinstance(found, SystemTrace):
                return found
            if found is None:
                # F_k and C and not P: sat - a state to block;
                # unsat - the frontier is safe   (required)
                answer = self.hooks.bad(k)
                if answer is None:
                    break
                self._push(k, self.hooks.lift(answer, None), None, 0)
                continue
            self.queue.clear()
            trace = self._examined(found.chain())
            if trace is not None:
                return trace
        if not self.options.reuse_obligations:
            self.queue.clear()
        return None

    def _examined(self, chain: list[Obligation]) -> SystemTrace | None:
        """The run along a chain that reaches an initial state, or the frames have been refined."""
        trace = self.hooks.refine(chain)
        if trace is None:
            self.env.count("refinements")
        return trace

    def _push(self, level: int, found: Lifted, parent: Obligation | None, spurious: int) -> None:
        """Queue new obligations whose move leads to `parent`, or to a violation."""
        for other in found.also:
            self._push(level, other, parent, spurious)
        depth = 0 if parent is None else parent.depth + 1
        o = Obligation(level, found.cube, parent, depth, found.move, found.state, spurious)
        self.queue.push(self._made(o))

    def _made(self, o: Obligation) -> Obligation:
        """Number a new obligation, and say so in the event log."""
        self.env.count("obligations")
        o.number = self.env.counters["obligations"]
        self._explain(o.cube)
        what = {"number": o.number, "parent": None if o.parent is None else o.parent.number}
        self.env.event("obligation", **what, level=o.level, depth=o.depth, cube=o.cube)
        if self.debug is not None:
            self.debug.obligation(o)
        return o

    def _share(self) -> None:
        """Tell other engines what is known, and hear what they found."""
        from obligato.engines.ic3ts.exchange import share  # which needs static analyses

        share(self)

    def block(self, k: int) -> Obligation | SystemTrace | None:
        """Work off all obligations up to level k, until the queue has none of them left (None); one
        that meets the initial states is a counterexample. A trace: the other search had its turn
        and found one.
        """
        while (level := self.queue.level()) is not None and level <= k:
            trace = self.turns.take() if self.turns is not None else None
            if trace is not None:
                return trace
            if self.exchange is not None and self.exchange.due(self.env, self._share):
                continue
            o = self.queue.pop()
            if self.hooks.meets_initial(o.cube):
                self.env.event("counterexample", number=o.number)
                return o
            if o.level == 0:  # refined since it was found: now it has no initial states, so no F_0
                self._requeue(o, 1)
                continue
            known = o.subsumer
            if known is None or known.dropped or known.level < o.level:
                known = o.subsumer = self.frames.subsumer(o.cube, o.level)
            if known is not None:
                self._requeue(o, known.level + 1)
                continue
            if self.guidance is not None and self.guidance.excludes(o.cube, o.level):
                self._requeue(o, o.level + 1)
                continue
            part = self._part(o)
            if part is not None:
                self.queue.push(o)
            self._handle(part or o)
        return None

    def _part(self, o: Obligation) -> Obligation | None:
        """A part of an obligation that is to be parted, around a state of it that its frame has.
        It leads where the obligation leads, and blocking it blocks nothing else."""
        split, o.split = o.split, ()
        # F_i and c: sat - a state of the part; otherwise there is no part  (heuristic)
        state = self.hooks.state_in(o.cube, o.level) if split and o.state is None else None
        if state is None:
            return None
        whole = terms_of(self.hooks, o.cube)
        part = concretised(whole, split, state)
        if part == whole:
            return None
        if self.debug is not None:
            self.debug.parted(whole, part)
        self.env.count("concretised")
        cube = self.hooks.entered(part)
        return self._made(Obligation(o.level, cube, o.parent, o.depth, o.move, None, o.spurious))

    def _handle(self, o: Obligation) -> None:
        """Block the obligation's cube at its level, or queue a predecessor."""
        query = Query(o.cube, o.level - 1, "block", required=True, obligation=o)
        # F_(i-1) and not c and C and T and c': sat - a predecessor;
        # unsat - blocked, with a core   (required)
        answer = self.hooks.predecessor(query)
        if isinstance(answer, Unreached):
            cube = self.hooks.weaken(self.generalizer.generalize(answer.core, o.level), o.level)
            self._explain(cube)
            self.env.event("blocked", number=o.number, level=o.level, core=answer.core, cube=cube)
            level = self._learn(cube, o.level)
            if self.guidance is not None and self.guidance.guide(cube, o.level):
                level = o.level
            if self.hooks.concretise:
                o.split = self.slopes.directions(terms_of(self.hooks, cube))
            self._requeue(o, level + 1)
        elif isinstance(answer, Reached):
            self._push(o.level - 1, self.hooks.lift(answer, query), o, o.spurious)
            self.queue.push(o)
        elif isinstance(answer, Spurious):
            self._handle_spurious(o, query, answer)
        else:
            raise InternalError("a required query was left undecided")

    def _handle_spurious(self, o: Obligation, query: Query, failure: Spurious) -> None:
        """A consecution abstraction failure [BBW14, 3.2, 3.3]:
        refine now, or follow the spurious predecessor."""
        self.env.count("consecution_failures")
        sharper = self.hooks.refine_step(o, failure)
        if sharper is None:
            self._push(o.level - 1, self.hooks.lift(failure.reached, query), o, o.spurious + 1)
            self.queue.push(o)
        else:  # a new obligation: predecessors of the old cube still lead to the old one
            self.env.count("refinements")
            self._push(o.level, sharper, o.parent, o.spurious)

    def _requeue(self, o: Obligation, level: int) -> None:
        o.level = level
        self.env.event("requeue", number=o.number, level=level)
        if level <= self.frames.top or self.options.reuse_obligations:
            self.queue.push(o)

    def _learn(self, cube: Cube, level: int) -> int:
        """Add the lemma at the highest level up to the frontier at which it holds; that level."""
        while level < self.frames.top:
            # F_level and not g and C and T and g':
            # unsat - the lemma holds one level higher   (heuristic)
            if not isinstance(self.hooks.predecessor(Query(cube, level, "raise")), Unreached):
                break
            level += 1
        self._explain(cube)
        self.frames.add(Lemma.make(cube, level))
        return level

    def _explain(self, cube: Cube) -> None:
        """Say in the event log what the literals of a cube mean that have not occurred there
        yet."""
        for literal in cube if self.env.log is not None else ():
            if abs(literal) not in self._explained:
                self._explained.add(abs(literal))
                self.env.event(
                    "literal", number=abs(literal), formula=self.hooks.formula((abs(literal),))
                )

    def _proved(self, level: int) -> SystemResult:
        """F_level = F_(level+1) is inductive,
        and it was free of violations when it was the frontier."""
        self.env.event("proved", level=level)
        store = self.system.store
        clauses = [store.not_(self.hooks.formula(lemma.cube)) for lemma in self.frames.at(level)]
        certificate = SystemCertificate(store.and_(*self.hooks.known, *clauses))
        if self.debug is not None:
            self.debug.certificate(certificate)
        return SystemResult(Verdict.TRUE, certificate=certificate, stats=self.statistics())

    def statistics(self) -> dict[str, Any]:
        """Frames and lemmas at the end."""
        return {"frames": self.frames.top, "lemmas_alive": sum(map(len, self.frames.lemmas))}
