"""`rank`: does every run of a program end? Or, with accepting locations, does none accept again and
again?

For each component of the large blocks a lexicographic tuple is sought that decreases on all its
hops [BMS05; CPR06], by counterexamples: a tuple that fits the samples (`synthesis`) is put to a
solver under the invariants known so far; a hop on which it does not decrease is a new sample. When
no tuple fits all samples, some are part of no run: IC3CFA is asked whether a run can take a hop on
which the tuple for the reached samples does not decrease. "No" comes with the invariants that were
missing, "yes" with one more reached sample. Where no tuple fits those, a wall is asked for
(`walls`). Infinite runs are sought in between: random runs, loops back to the same state,
recurrence sets [GHMRX08]. `Rank.prove` carries the idea.

Limitations: linear components with small coefficients (`candidates`); a loop must return to the
same state after few blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from obligato.analysis.houdini import excludes_errors, houdini
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.engines.rank import beneath
from obligato.engines.rank.bounds import pair_bounds, sides
from obligato.engines.rank.candidates import Candidates
from obligato.engines.rank.cells import contents, distances
from obligato.engines.rank.counted import WIDTHS, counters_for, with_counters
from obligato.engines.rank.loops import Loops, Seed
from obligato.engines.rank.options import Options
from obligato.engines.rank.questions import Invariants, Questions, Reached
from obligato.engines.rank.relation import Component, Hop, Sample, find_components, kept
from obligato.engines.rank.steps import Steps, lower
from obligato.engines.rank.synthesis import Synthesis, Tuple
from obligato.engines.rank.tables import table
from obligato.engines.rank.walks import Walks
from obligato.engines.rank.walls import Walls
from obligato.errors import ResourceOut
from obligato.models.claims import Certificate
from obligato.models.rank_claims import BuchiCFA, Counter, Endless, Ranking
from obligato.results.outcome import RunResult, Verdict
from obligato.smt import SAT, UNSAT, Solver
from obligato.smt.factory import solver_factory
from obligato.terms import Kind, Op, Term, bitvec, evaluate

GROWTH = 2
ATTEMPTS = 5  # budgets that are tried
CONFLICTS = 50_000  # of one question about bounds
BENEATH = 3  # part of a budget that a question about the program beneath may have


def prove(problem: BuchiCFA, options: Options, env: Environment) -> RunResult:
    """Run the engine on a CFA in a simplifying store."""
    try:
        with closing(Rank(problem, options, env)) as search:
            return search.prove()
    except ResourceOut as out:
        return RunResult(Verdict.UNKNOWN, reason=out.resource, stats=dict(env.counters))


class Rank:
    """One run on one problem."""

    def __init__(
        self,
        problem: BuchiCFA,
        options: Options,
        env: Environment,
        counters: Sequence[Counter] = (),
    ) -> None:
        self.options, self.env, self.counters = options, env, counters
        cfa = replace(problem.cfa, keep=kept(problem))
        self.problem, self.cfa, self.store = replace(problem, cfa=cfa), cfa, cfa.store
        self.blocks = in_blocks(cfa, env)
        self.make = solver_factory(sorts_of(cfa), stats=env.stats, seed=env.seed)
        seeds = beneath.seeds(self.problem, self.blocks, env)
        self.invariants = {loc: dict.fromkeys(seeds.get(loc, ())) for loc in self.blocks.locations}
        self.steps = Steps(self.make, self.invariants)
        self.components = find_components(self.blocks, self.problem)
        self.questions = Questions(cfa, env, self.make, tuple(self.blocks.locations))
        self.walks = Walks(self.problem, self.components, env)
        self.loops = Loops(self.problem, self.blocks, self.questions, self.invariants, env)
        self.searches = {c: _Search(self, c) for c in self.components}
        env.counters["components"] = len(self.components)

    def close(self) -> None:
        """Free the solvers."""
        self.steps.close()

    def prove(self) -> RunResult:
        """Ranks for all components, or an infinite run."""
        if self.components:
            found = self.walks.run(self.options.walks, self.options.walk_steps)
            if found is not None:
                return self._endless(self._unchecked_loop() or found)
            self._seed()
        open_, budget = list(self.components), self.options.budget
        for attempt in range(1 if self.counters else ATTEMPTS):
            self.env.counters["attempt"] = attempt
            counted = self._counted(open_) if attempt == 1 else None
            if counted is not None:
                return counted
            for c in list(open_):
                answer = self._examine(c, budget, first=attempt == 0)
                if isinstance(answer, Endless):
                    return self._endless(answer)
                if answer:
                    open_.remove(c)
            if not open_:
                return self._proved(budget)
            budget *= GROWTH
        where = self.cfa.locations[open_[0].locations[0]]
        return RunResult(
            Verdict.UNKNOWN,
            reason=f"neither a rank nor an infinite run was found for the loop at {where.span}",
        )

    def _examine(self, component: Component, budget: int, first: bool) -> Endless | bool:
        """Has the component a rank, as far as this budget tells? Or an infinite run of it; where
        rounds are counted none is looked for.
        """
        search = self.searches[component]
        if first and (search.by_samples() or (self._bounded(component) and search.by_samples())):
            return True
        cycle = 1 if first else self.options.cycle
        found = None if self.counters else self._infinite(component, cycle, budget)
        return search.by_questions(budget) if found is None else found

    def _counted(self, open_: Sequence[Component]) -> RunResult | None:
        """A proof in which the rounds of the open components are counted."""
        if not self.options.counters:
            return None
        for width in WIDTHS:
            counters = counters_for(open_, width)
            problem = with_counters(self.problem, counters)
            with closing(Rank(problem, self.options, self.env, counters)) as search:
                result = search.prove()
            if isinstance(result.claim, Ranking):
                return replace(result, claim=replace(result.claim, counters=counters))
        return None

    def _infinite(self, component: Component, cycle: int, budget: int) -> Endless | None:
        """An infinite run in the component: into a recurrence set, or with a loop of at most
        `cycle` hops.
        """
        if self.options.recurrence:
            self.loops.seed(component, self.searches[component].samples, self.options.budget // 4)
            found = self.loops.recurrence(component, budget // 4)
            if found is not None:
                return found
        return self.loops.same_state(component, cycle, budget)

    def _bounded(self, component: Component) -> bool:
        """Learn bounds of sums and differences, contents of cells and the states of the one run, as
        far as they are inductive; False if there are none.
        """
        asked = pair_bounds(self.cfa, component)
        written = contents(self.cfa, component)
        states = table(self.cfa, component, self.walks.ended)
        if written:
            asked = {loc: [*asked.get(loc, ()), *written] for loc in self.invariants}
        asked |= {loc: [*asked.get(loc, ()), row] for loc, (row, _) in states.items()}
        new = self._inductive(asked)
        for loc, formulas in new.items():
            self.invariants[loc] |= dict.fromkeys(formulas)
        self.searches[component].forget(new)
        if states:
            self.searches[component].synthesis.candidates.append(
                {loc: rank for loc, (_, rank) in states.items()}
            )
        return bool(states) or any(new.values())

    def _unchecked_loop(self) -> Endless | None:
        """A recurrence set where a random run came back in what decides whether it can go on, but
        not in all that it tests.
        """
        if self.walks.loose is None or not self.options.recurrence:
            return None
        trace, location, state = self.walks.loose
        component = self.walks.of[location]
        self.loops.seeds.setdefault(component, []).append(Seed(trace, location, state))
        return self.loops.recurrence(component, self.options.budget // 4)

    def _seed(self) -> None:
        """Recurrence sets may begin where random runs were that did not end."""
        for trace, location, state in self.walks.unfinished:
            self.loops.seeds.setdefault(self.walks.of[location], []).append(
                Seed(trace, location, state)
            )

    def _endless(self, found: Endless) -> RunResult:
        return RunResult(Verdict.FALSE, found, stats=dict(self.env.counters))

    def _proved(self, budget: int) -> RunResult:
        """All components have ranks; no limit of the model may be reached."""
        answer = self._limits(budget)
        if answer is None or isinstance(answer, Reached):
            limit = (
                "may be reached" if answer is None else f"is reached{self.questions.limit(answer)}"
            )
            reason = f"no infinite run is left, but a limit of the model {limit}"
            return RunResult(Verdict.UNKNOWN, reason=reason, stats=dict(self.env.counters))
        self.learn(answer)
        if not all(s.holds() for s in self.searches.values()):
            return RunResult(
                Verdict.UNKNOWN,
                reason="an invariant that a rank relies on could not be proved together with the others",
                stats=dict(self.env.counters),
            )
        invariants = {
            loc: self.store.and_(*known)
            for loc, known in self.invariants.items()
            if loc not in (self.cfa.initial, self.cfa.error)
        }
        ranks = {
            loc: tuple(terms) for s in self.searches.values() for loc, terms in s.found.items()
        }
        return RunResult(
            Verdict.TRUE, Ranking(Certificate(invariants), ranks), stats=dict(self.env.counters)
        )

    def _limits(self, budget: int) -> Invariants | Reached | None:
        """Invariants by which no limit is reached, or a path to one; the program beneath is asked
        first, and then whether what loops come up to is never passed.
        """
        base, locations = self.problem.base, tuple(self.blocks.locations)
        if base is not None:
            found = beneath.limits(base, locations, self.make, self.env, budget // BENEATH)
            if found is not None:
                return found
        if self._never_passed():
            return {}
        answer = None
        for _ in range(ATTEMPTS):
            answer = self.questions.limits(budget)
            budget *= GROWTH
            if answer is not None:
                break
        return answer

    def _never_passed(self) -> bool:
        """Learn on which side of each other the two stay that a loop compares for equality, as far
        as that is inductive. Are all limits excluded now?
        """
        found = self._inductive(sides(self.cfa, self.components))
        for loc, formulas in found.items():
            self.invariants[loc] |= dict.fromkeys(formulas)
        known = {loc: list(fs) for loc, fs in self.invariants.items()}
        return excludes_errors(self.blocks, known, self.make)

    def _inductive(self, asked: Mapping[int, Sequence[Term]]) -> dict[int, list[Term]]:
        """Those of the formulas that are inductive beside what is known."""
        known = {loc: [*self.invariants[loc], *asked.get(loc, ())] for loc in self.invariants}
        kept = houdini(self.blocks, known, self.make, budget=CONFLICTS) if asked else {}
        return {loc: [f for f in fs if f in kept.get(loc, ())] for loc, fs in asked.items()}

    def learn(self, invariants: dict[int, Term]) -> None:
        """Add invariants of the whole program to what is known at the locations of the blocks; the
        others are dropped. Locations of components that have none are asked about: perhaps no
        run gets there.
        """
        for loc, formula in invariants.items():
            if loc in self.invariants and formula is not self.store.true:
                self.invariants[loc][formula] = None
        self._unreached(
            [loc for c in self.components for loc in c.locations if loc not in invariants]
        )

    def _unreached(self, locations: Sequence[int]) -> None:
        """Where a reduction has left a location out no run may come: learn that, if it is inductive
        beside what is known.
        """
        no = self.store.false
        asked = {
            loc: [*known, *([no] if loc in locations else [])]
            for loc, known in self.invariants.items()
        }
        found = houdini(self.blocks, asked, self.make) if locations else {}
        for loc in locations:
            if no in found.get(loc, ()):
                self.invariants[loc][no] = None


class _Search:
    """The search for a tuple of one component."""

    def __init__(self, rank: Rank, component: Component) -> None:
        self.rank, self.component, self.store = rank, component, rank.store
        self.samples: list[Sample] = []
        self._walls = Walls(rank.cfa, component, rank.questions, rank.env)
        self.found: Tuple = {}
        self._synthesis: Synthesis | None = None

    @property
    def synthesis(self) -> Synthesis:
        """With the candidates of the component; they are collected when they are first needed."""
        if self._synthesis is None:
            found = Candidates(self.store, self.component, self.rank.cfa.variables, self._walked())
            first = [*self._counters(), *distances(self.rank.cfa, self.component)]
            self._synthesis = Synthesis(self.store, found.all_of_them(first), found.conditions())
            self.rank.env.count("candidates", len(self._synthesis.candidates))
        return self._synthesis

    def _counters(self) -> list[Term]:
        """What is left of the counters of this component."""
        own = [c for c in self.rank.counters if c.locations & set(self.component.locations)]
        return [self.store.mk(Op.BVNOT, (self.store.var(c.name, bitvec(c.width)),)) for c in own]

    def forget(self, invariants: Mapping[int, Sequence[Term]]) -> None:
        """Keep no samples that begin outside of these invariants."""
        self.samples = [
            s
            for s in self.samples
            if all(evaluate(f, s.before) for f in invariants.get(s.source, ()))
        ]

    def holds(self) -> bool:
        """Does the tuple that was found decrease on all hops, under the invariants that are known
        now?
        """
        return not list(self._counterexamples(self.found))

    def by_questions(self, budget: int) -> bool:
        """Is there a tuple of ranks? If so it is in `found`, and the invariants that it needs are
        known.
        """
        while not self.by_samples():
            tried = self._for_reached()
            if tried is None:
                if not self._walled(budget):
                    return False
                continue
            self.rank.env.count("tuples")
            conditions = [(h.source, self._stays(h, tried)) for h in self.component.hops]
            answer = self.rank.questions.reach(conditions, budget)
            if answer is None:
                return False
            if not isinstance(answer, Reached):
                self.rank.learn(answer)
                self.found = tried
                return True
            if not self._reached(answer, conditions):
                return False
        return True

    def _walled(self, budget: int) -> bool:
        """Add a wall that a step crosses which no candidate decreases."""
        wall = self._walls.find(self.synthesis.stuck, budget)
        if wall is not None:
            self.synthesis.candidates.append(wall)
        return wall is not None

    def _for_reached(self) -> Tuple | None:
        """A tuple that fits the samples that are part of runs and, if there is one, most of the
        others.
        """
        known, places = [*self._walked(), *self.samples], self.component.locations
        tried = self.synthesis.tuple_for(places, known, soft=True)
        return (
            self.synthesis.tuple_for(places, [s for s in known if s.reached], soft=False)
            if tried is None
            else tried
        )

    def _walked(self) -> list[Sample]:
        return self.rank.walks.samples[self.component]

    def by_samples(self) -> bool:
        """Is there a tuple of ranks that decreases on all hops under the known invariants? If so it
        is in `found`.
        """
        for _ in range(self.rank.options.rounds):
            tried = self.synthesis.tuple_for(
                self.component.locations, [*self._walked(), *self.samples], soft=False
            )
            if tried is None:
                return False
            self.rank.env.count("tuples")
            new = list(self._counterexamples(tried))
            if not new:
                self.found = tried
                return True
            if None in new:
                return False
            self.samples += [s for s in new if s is not None]
        return False

    def _counterexamples(self, tried: Tuple) -> Iterator[Sample | None]:
        """For each hop a step on which the tuple does not decrease; None where a solver does not
        know.
        """
        for hop in self.component.hops:
            yield from self._asked(self.rank.steps.at(hop.source), hop, tried)

    def _asked(self, solver: Solver, hop: Hop, tried: Tuple) -> Iterator[Sample | None]:
        self.rank.env.tick()
        # P_c and guard and not (r_d' < r_c): sat - a step for the samples; unsat - the tuple
        # decreases on this hop; unknown - the tuple is given up   (heuristic)
        result = solver.check([*hop.effect.guard, self._not_lower(hop, tried)], kind="rank")
        if result is SAT:
            model = solver.model_of(list(dict.fromkeys((*hop.reads, *self.rank.cfa.variables))))
            yield hop.sample(model, self.rank.cfa.variables, reached=False)
        elif result is not UNSAT:
            yield None

    def _not_lower(self, hop: Hop, tried: Tuple) -> Term:
        new = [hop.effect.pull(t) for t in tried[hop.target]]
        return self.store.not_(lower(self.store, new, tried[hop.source], hop.strict))

    def _stays(self, hop: Hop, tried: Tuple) -> Term:
        """The hop can be taken and the tuple does not decrease."""
        return self.store.and_(*hop.effect.guard, self._not_lower(hop, tried))

    def _reached(self, answer: Reached, conditions: Sequence[tuple[int, Term]]) -> bool:
        """Add the step that a run can take; False if values for the path were not found."""
        hop, formula = self.component.hops[answer.condition], conditions[answer.condition][1]
        path = self.rank.questions.along(answer.edges)
        end = len(path.steps)
        run = self.rank.questions.solve(path, [path.at(formula, end)])
        if run is None:
            return False
        with closing(self.rank.make()) as solver:
            for x, value in run.states[end].items():
                if x in hop.reads and x.sort.kind is not Kind.ARRAY:
                    solver.add(self.store.eq(x, self.store.const(value, x.sort)))
            solver.add(formula)
            self.rank.env.tick()
            # the state and the hop and not (r_d' < r_c): sat - the step; else the sample is not
            # used   (heuristic)
            if solver.check([], kind="rank") is not SAT:
                return False
            model = {**solver.model_of(list(hop.reads)), **run.states[end]}
        self.samples.append(hop.sample(model, self.rank.cfa.variables, reached=True))
        seed = Seed(self.rank.loops.trace(run), hop.source, run.states[end])
        self.rank.loops.seeds.setdefault(self.component, []).append(seed)
        return True
