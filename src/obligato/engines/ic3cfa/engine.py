"""IC3CFA [LNNK19]: IC3 on a control-flow automaton, with frames per location.

Idea: F_(i, l) over-approximates the states reachable at location l in at most i edges. `prove`
(Alg. 1) raises the frontier k; `strengthen` (Alg. 2) finds states of F_(k, l) that step into the
error location; `block` (Alg. 3) works off proof obligations: a cube at (i, l') is blocked when
*every* incoming edge says unsat, else the predecessor named by a model becomes an obligation at
i-1. `generalize` (Sect. 5) enlarges blocked cubes, `propagate` pushes lemmas; equal neighbouring
frames are the invariant (Lemma 2).

An obligation that arrives at the initial location is a counterexample at once. Blocks with several
paths are asked as a whole and split lazily: one model, one path. Limitations: no recursion; what
the solvers cannot decide ends as UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.contexts import Shortcuts
from obligato.engines.ic3cfa.cube import Obligation
from obligato.engines.ic3cfa.debug import DebugChecker
from obligato.engines.ic3cfa.exchange import share
from obligato.engines.ic3cfa.frames import Frames
from obligato.engines.ic3cfa.generalize import Cores, Generalizer
from obligato.engines.ic3cfa.guidance import Guidance
from obligato.engines.ic3cfa.options import Options
from obligato.engines.ic3cfa.predicates import Predicates
from obligato.engines.ic3cfa.queries import BlockEdge, Queries, Unreached
from obligato.engines.ic3cfa.short_runs import short_runs
from obligato.engines.ic3cfa.weaken import constants_of
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.concretise import Slopes, concretised
from obligato.engines.kernel.cube import Literals
from obligato.engines.kernel.predecessor import predecessor
from obligato.engines.kernel.queue import ObligationQueue
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.results.outcome import Certificate, EngineResult, Trace, TraceStep, Verdict
from obligato.smt import Solver
from obligato.terms import INT, REAL, Term

Known = dict[int, list[Term]]  # formulas by location


class _Decided(Exception):
    """Raised when runs that were followed beside the search decide."""

    def __init__(self, result: EngineResult) -> None:
        super().__init__()
        self.result = result


class IC3CFA:
    """One run on one CFA. `invariants` (verified inductive) are assumed at every level and become
    part of the certificate; so are their `consequences`, which follow from them and do not."""

    def __init__(
        self,
        cfa: CFA,
        options: Options,
        env: Environment,
        make_solver: Callable[[], Solver],
        invariants: Known | None = None,
        predicates: Known | None = None,
        consequences: Known | None = None,
    ) -> None:
        self.cfa, self.options, self.env = cfa, options, env
        self._make, self._asked, self._tried = make_solver, env.questions, False
        self.exchange = env.exchange
        self.queries = Queries(cfa, options, env, make_solver)
        self.frames = Frames([loc for loc in cfa.locations if loc != cfa.error], self.queries, env)
        self.queue: ObligationQueue[Obligation] = ObligationQueue(options.cube_order, env.random)
        # at this frontier, if they are not asked again at once
        self._blocked: list[Obligation] = []
        self.shortcuts = Shortcuts(self.frames, options, env)
        self.queries.shortcut = self.shortcuts.answer
        if options.caching:
            self.queries.learn = self.shortcuts.learn
        self.generalizer = Generalizer(self.queries, self.shortcuts, options, env, self._learn)
        self._extend_generalizer(predicates)
        self.guidance: Guidance | None = None
        if options.guidance and any(x.sort in (INT, REAL) for x in cfa.variables):
            self.guidance = Guidance(
                self.queries, self.generalizer, self._learn, env, options.guidance
            )
        self.slopes: dict[int, Slopes] | None = None
        if options.concretise and any(x.sort is INT for x in cfa.variables):
            self.slopes = {}
        self._know(invariants, self.frames.invariants)
        self._know(consequences, self.frames.consequences)
        self.debug = DebugChecker(self.queries, self.frames) if env.debug else None
        if self.debug is not None:
            self._inspect(self.debug)

    def _extend_generalizer(self, predicates: Known | None) -> None:
        """Give the generaliser what the options ask for: predicates, constants, interpolants."""
        if predicates:
            self.generalizer.predicates = Predicates(self.queries, predicates)
        if self.options.weaken_bounds:
            self.generalizer.constants = constants_of(
                g for e in self.queries.edges for g in e.guard
            )
        if self.options.interpolation:
            # loads z3's Python package
            from obligato.engines.ic3cfa.interpolants import Interpolants

            self.generalizer.interpolants = Interpolants(self.queries, self.frames)

    def _know(self, given: Known | None, where: Known) -> None:
        """Assume the given formulas at their locations."""
        for location, formulas in (given or {}).items():
            where[location].extend(formulas)
            for f in formulas:
                self.queries.add_invariant(location, f)

    def assume(self, given: Known) -> None:
        """Assume more formulas that are inductive with the invariants. Obligations and
        counterexamples to propagation may be about states that are gone.
        """
        self._know(given, self.frames.invariants)
        self.queue.clear()
        self._blocked = []
        for frames in self.frames.of.values():
            for lemma in frames.at(1):
                lemma.ctp = None
        if self.debug is not None:
            self.debug.seeds()

    def _inspect(self, debug: DebugChecker) -> None:
        """Have the contracts of all parts executed."""
        debug.seeds()
        self.generalizer.debug = debug
        if self.guidance is not None:
            self.guidance.inspect = debug.suggested
        for frames in self.frames.of.values():
            frames.inspect = debug.lemma

        def checked(edge: BlockEdge, cube: Literals, level: int) -> Unreached | None:
            answer = self.shortcuts.answer(edge, cube, level)
            debug.unreached(edge, cube, level, answer)
            return answer

        self.queries.shortcut = checked

    def prove(self) -> EngineResult:
        """[LNNK19, Alg. 1]. Zero- and one-step counterexamples need no case of their own: an edge
        from the initial to the error location is found by `strengthen`, and its obligation stands
        at the initial location."""
        if self.exchange is not None:
            self.exchange.tell(self.frames.invariants, self.env)
        try:
            while True:
                counterexample = self.strengthen()
                if counterexample is not None:
                    return self._refuted(counterexample)
                self.frames.extend()
                level = self.frames.propagate()
                if level is not None:
                    return self._proved(level)
        except _Decided as decided:
            return replace(decided.result, stats=self.statistics())
        except ResourceOut as out:
            return EngineResult(Verdict.UNKNOWN, reason=out.resource, stats=self.statistics())
        finally:
            self.queries.close()

    def _follow_runs(self) -> None:
        """Follow runs to their end, or through shortcuts: once, after some questions.
        Raises `_Decided` if that decides."""
        asked, needed = self.env.questions - self._asked, self.options.short_runs
        if not needed or self._tried or asked < needed:
            return
        self._tried = True
        found = short_runs(self.cfa, self._make, self.env, self.options.acceleration)
        if found is None and self.options.acceleration:
            from obligato.engines.ic3cfa.long_runs import long_runs

            found = long_runs(self.cfa, self._make, self.env)
        if found is not None:
            raise _Decided(found)

    def strengthen(self) -> Obligation | None:
        """[LNNK19, Alg. 2] Ensures: no state of F_(k, l) steps into the error location;
        or a counterexample."""
        k = self.frames.top
        self.env.counters["frontier"] = k
        self.env.event("frontier", k=k)
        for o in self._blocked if self.options.reuse_obligations else ():
            self.queue.push(o)
        self._blocked = []
        found = self.block(k)  # obligations kept from the last frontier
        while found is None:
            cti = self._cti(k)
            if cti is None:
                break
            self.queue.push(cti)
            found = self.block(k)
        if self.debug is not None and found is None:
            self.debug.strengthened(k)
        if not self.options.reuse_obligations:
            self.queue.clear()
        return found

    def _cti(self, k: int) -> Obligation | None:
        """A state of F_(k, l) that steps into the error location, as an obligation at level k."""
        for edge in self.queries.into[self.cfa.error]:
            # F_(k, l) and wep(edge, true): sat - a CTI;
            # unsat - this edge is safe at the frontier   (required)
            answer = self.queries.reach(edge, (), k, kind="cti", required=True)
            if isinstance(answer, Reached):
                return self._predecessor(answer, None, k)
        return None

    def _predecessor(self, reached: Reached, parent: Obligation | None, level: int) -> Obligation:
        inspect = None if self.debug is None else self.debug.normalized
        cube, path, exact = predecessor(
            reached, parent.cube if parent else (), self.cfa.input_set, inspect
        )
        depth = parent.depth + 1 if parent else 0
        return self._made(Obligation(level, cube, parent, depth, reached.edge.source, path, exact))

    def _made(self, o: Obligation) -> Obligation:
        """Number a new obligation, and say so in the event log."""
        self.env.count("obligations")
        o.number = self.env.counters["obligations"]
        above = o.parent.number if o.parent else None
        what = {"number": o.number, "parent": above, "location": o.location}
        self.env.event("obligation", **what, level=o.level, depth=o.depth, cube=o.cube)
        if self.debug is not None:
            self.debug.obligation(o)
        return o

    def block(self, k: int) -> Obligation | None:
        """[LNNK19, Alg. 3] Work off all obligations up to level k;
        the counterexample, if one reaches the start."""
        while (level := self.queue.level()) is not None and level <= k:
            self._follow_runs()
            if self.exchange is not None and self.exchange.due(self.env, partial(share, self)):
                continue
            obligation = self.queue.pop()
            if obligation.location == self.cfa.initial:
                self.env.event("counterexample", number=obligation.number)
                return obligation
            if self._blocked_already(obligation):
                self._requeue(obligation, obligation.level + 1)
                continue
            part = self._part(obligation)
            if part is not None:
                self.queue.push(obligation)
                obligation = part
            # all its exact predecessors have been blocked [LNNK19, 4.3]
            if obligation.complete_at == obligation.level:
                self.env.count("skipped")
                into, cube = self.queries.into[obligation.location], frozenset(obligation.cube)
                self._block(obligation, dict.fromkeys(into, cube))
                continue
            ask = self._queue_all if self.options.skip_obligations else self._reach_all
            answer = ask(obligation)
            if isinstance(answer, Reached):
                self.queue.push(self._predecessor(answer, obligation, obligation.level - 1))
                self.queue.push(obligation)
            elif answer is not None:
                self._block(obligation, answer)
        return None

    def _blocked_already(self, o: Obligation) -> bool:
        """Does a lemma of F_(level, location) exclude the cube?
        By literal inclusion, or by a query if so asked."""
        if self.frames.subsumer(o.location, frozenset(o.cube), o.level) is not None:
            return True
        guided = self.guidance is not None and o.location in self.guidance.guided
        if not self.options.semantic_subsumption and not o.abstracted and not guided:
            return False
        # F_(i, l) and c: unsat - blocked already; sat or unknown - go on   (heuristic)
        return self.queries.satisfiable(o.location, o.cube, o.level, "subsumption") is False

    def _part(self, o: Obligation) -> Obligation | None:
        """A part of an obligation that is to be parted, around a state of it that its frame has.
        It leads where the obligation leads, and is inexact: blocking it blocks nothing else."""
        split, o.split = o.split, ()
        # F_(i, l) and c: sat - a state of the part; otherwise there is no part  (heuristic)
        state = self.queries.state_in(o.location, o.cube, o.level) if split else None
        cube = o.cube if state is None else concretised(o.cube, split, state)
        if cube == o.cube:
            return None
        if self.debug is not None:
            self.debug.parted(o.cube, cube)
        self.env.count("concretised")
        return self._made(Obligation(o.level, cube, o.parent, o.depth, o.location, o.step, False))

    def _reach_all(self, o: Obligation) -> Reached | Cores:
        """Ask every incoming edge for a predecessor in F_(level-1); the cores if none has one."""
        cores: Cores = {}
        for edge in self.queries.into[o.location]:
            relative = o.cube if edge.is_loop and self.generalizer.relative else None
            # F_(i-1, l) [and not c] and wep(edge, c): sat - a predecessor;
            # unsat - a core   (required)
            answer = self.queries.reach(
                edge, o.cube, o.level - 1, relative_to=relative, kind="block", required=True
            )
            if isinstance(answer, Reached):
                return answer
            assert isinstance(answer, Unreached)
            cores[edge] = frozenset(answer.core)
        return cores

    def _queue_all(self, o: Obligation) -> Cores | None:
        """Queue the predecessors along all (choice-free) edges at once;
        the cores if there are none.

        Ensures: if complete_at is set,
        blocking the queued cubes at level-1 makes o.cube unreachable at its level.
        """
        cores: Cores = {}
        found: list[Obligation] = []
        for edge in self.queries.into[o.location]:
            # F_(i-1, l) and wep(edge, c):
            # sat - a predecessor, exact unless inputs were fixed; unsat - a core  (required)
            answer = self.queries.reach(edge, o.cube, o.level - 1, kind="block", required=True)
            if isinstance(answer, Reached):
                found.append(self._predecessor(answer, o, o.level - 1))
            elif isinstance(answer, Unreached):
                cores[edge] = frozenset(answer.core)
        if not found:
            return cores
        o.complete_at = o.level if all(p.exact for p in found) else None
        if self.debug is not None and o.complete_at is not None:
            self.debug.queued(o, found)
        for p in found:
            self.queue.push(p)
        self.queue.push(o)
        return None

    def _block(self, o: Obligation, cores: Cores) -> None:
        """All edges are unsat: learn a lemma, raise it as far as it holds,
        and ask again one level up."""
        cube = self.generalizer.generalize(o.location, o.cube, o.level, cores)
        o.abstracted = not frozenset(cube) <= frozenset(o.cube)
        self.env.event("blocked", number=o.number, location=o.location, level=o.level, cube=cube)
        level = self._learn(o.location, cube, o.level)
        if self.guidance is not None and self.guidance.after(o.location, cube, o.level):
            level = o.level
        if self.slopes is not None:
            o.split = self.slopes.setdefault(o.location, Slopes()).directions(cube)
        self._requeue(o, level + 1)

    @property
    def _highest(self) -> int:
        return self.frames.top if self.options.raise_lemmas else 0

    def _learn(self, location: int, cube: Literals, level: int) -> int:
        """Add the lemma at the highest level up to the frontier at which it holds; that level."""
        # F_(level) and T and [not g] and g':
        # unsat on all edges - the lemma holds one level higher   (heuristic)
        while (
            level < self._highest
            and self.generalizer.ask_all(location, cube, level + 1, "raise") is not None
        ):
            level += 1
        self.frames.add(location, cube, level)
        return level

    def _requeue(self, o: Obligation, level: int) -> None:
        """Ask again at a higher level:
        now, or at a later frontier if obligations are reused [LNNK19, 4.3]."""
        o.level = level
        self.env.event("requeue", number=o.number, level=level)
        if level <= self.frames.top and not self.options.requeue:
            self._blocked.append(o)
        elif level <= self.frames.top or self.options.reuse_obligations:
            self.queue.push(o)

    def _refuted(self, o: Obligation) -> EngineResult:
        steps = tuple(TraceStep(edge, {}) for edge in o.edges())
        return EngineResult(Verdict.FALSE, trace=Trace({}, steps), stats=self.statistics())

    def _proved(self, level: int) -> EngineResult:
        """[LNNK19, Lemma 2]: the conjunction of (pc = l implies F_(level, l))."""
        self.env.event("proved", level=level)
        if self.debug is not None:
            self.debug.proved(level)
        invariants = {
            loc: self.frames.formula(loc, level)
            for loc in self.frames.of
            if loc != self.cfa.initial
        }
        return EngineResult(
            Verdict.TRUE, certificate=Certificate(invariants), stats=self.statistics()
        )

    def statistics(self) -> dict[str, object]:
        """Figures for the report."""
        return {**self.env.counters, "frames": self.frames.top}
