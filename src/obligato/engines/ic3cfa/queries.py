"""All solver queries of IC3CFA; the algorithm above builds no formulas.

One solver per location holds its frames (clauses under one activation literal per level) and the
guards of its outgoing edges (under one literal per edge). The question is always edge-relative
inductivity [LNNK19, Def. 13, 15]:

    F_(i, source)  and  [not c, on a self-loop, if asked for]  and  wep(edge, c)        satisfiable?

`wep` is a guard and a memoised pull-back per literal (models.effect), over all paths of a block at
once; with ``wep_inductivity`` off, the same with primed variables. F_(0, l) is false except at the
initial location, whose frames are all true, so such queries need no solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.cube import Lemma
from obligato.engines.ic3cfa.options import Options
from obligato.engines.kernel.block_edge import BlockEdge as KernelEdge
from obligato.engines.kernel.block_edge import LazyModel, Reached
from obligato.engines.kernel.cube import Literals, clause_of
from obligato.errors import Unsupported
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import Path, count_paths, paths
from obligato.smt import SAT, UNKNOWN, Solver
from obligato.smt.activation import ActivationSolver
from obligato.terms import BOOL, Substitution, Term, TermStore, Value

EAGER_LIMIT = 2000


class BlockEdge(KernelEdge):
    """An edge with what the options ask for.

    Queries use `guard` and `pull`; static answers use `assumes` and `pull_back`, the WEP of a
    literal without assumes, also where inductivity is asked with primed variables.
    """

    def __init__(
        self, store: TermStore, edge: Edge, number: int, path: Path | None, options: Options
    ) -> None:
        super().__init__(store, edge, number, path)
        self.pull_back: Substitution = self.pull
        self.assumes = frozenset(self.guard)  # wep(edge, true), if it is choice-free
        self.assumed = self.assumes if options.drop_assumed else frozenset()
        if not options.wep_inductivity:
            self._use_primes()

    def _use_primes(self) -> None:
        """x' = final value of x joins the guard,
        literals are pulled back to primed variables [LNNK19, Def. 10]."""
        primes = {x: self.store.fresh(f"{x.name}'{self.number}", x.sort) for x in self.pull.mapping}
        self.guard = [
            *self.guard,
            *(self.store.eq(p, self.pull.mapping[x]) for x, p in primes.items()),
        ]
        self.pull = Substitution(primes)


@dataclass(frozen=True, slots=True, eq=False)
class Unreached:
    """unsat: no state of the frame reaches the cube along the edge;
    `core` (part of the cube) suffices for that.

    `lemmas` are those of the frame that took part, where lemmas have their own literals (caching).
    """

    core: tuple[Term, ...]
    lemmas: tuple[Lemma, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GaveUp:
    """unknown: the budget or the solver's strength did not suffice."""

    edge: BlockEdge


Answer = Unreached | Reached | GaveUp


class Queries:
    """The solvers of all locations and the questions asked of them."""

    def __init__(
        self, cfa: CFA, options: Options, env: Environment, make_solver: Callable[[], Solver]
    ) -> None:
        self.cfa, self.options, self.env = cfa, options, env
        self.store = cfa.store
        self.initial = cfa.initial
        self._make_solver = make_solver
        self._solvers: dict[int, ActivationSolver] = {}
        self._levels: dict[int, list[Term]] = {}
        self._known: dict[int, dict[int, None]] = {}  # location -> edges whose guard its solver has
        # location -> activation literal -> lemma, where lemmas have their own
        self._own: dict[int, dict[Term, Lemma]] = {}
        self.shortcut: Callable[[BlockEdge, Literals, int], Unreached | None] = (
            lambda edge, cube, level: None
        )
        self.learn: Callable[[BlockEdge, Unreached], None] = lambda edge, answer: None
        self.edges = list(self._block_edges())
        self.into: dict[int, list[BlockEdge]] = {loc: [] for loc in cfa.locations}
        for e in self.edges:
            self.into[e.target].append(e)
        for incoming in self.into.values():
            incoming.sort(key=lambda e: e.is_loop)  # entry edges first, self-loops last

    def _block_edges(self) -> Iterator[BlockEdge]:
        n = 0
        for edge in self.cfa.edges:
            for path in self._splits(edge):
                yield BlockEdge(self.store, edge, n, path, self.options)
                n += 1

    def _splits(self, edge: Edge) -> Sequence[Path | None]:
        if self.options.splitting == "lazy":
            return (None,)
        if count_paths(edge.command, EAGER_LIMIT) >= EAGER_LIMIT:
            raise Unsupported(
                f"a block has more than {EAGER_LIMIT} paths; use splitting=lazy",
                construct="eager splitting",
            )
        return tuple(paths(edge.command))

    # -- frames in the solvers ---------------------------------------------------------------------

    def solver(self, location: int) -> ActivationSolver:
        """The location's solver, made on first use."""
        solver = self._solvers.get(location)
        if solver is None:
            solver = ActivationSolver(
                self.store, self._make_solver, rebuild_every=self.options.rebuild_every
            )
            self._solvers[location] = solver
            self._known[location] = {}
        return solver

    def _level(self, location: int, level: int) -> Term:
        """The activation literal of the lemmas of exactly this level."""
        literals = self._levels.setdefault(location, [])
        while len(literals) <= level:
            literals.append(self.store.fresh(f"level!{location}!{len(literals)}", BOOL))
        return literals[level]

    def frame(self, location: int, level: int) -> list[Term]:
        """The assumptions that switch on F_(level, location) (delta encoding: all lemmas of this
        level and above)."""
        if self.options.caching:
            return [t for t, x in self._own.get(location, {}).items() if x.level >= level]
        return self._levels.get(location, [])[level:]

    def add_lemma(self, lemma: Lemma, old_level: int | None) -> None:
        """Put a lemma into its location's solver, or move it up from `old_level`."""
        solver = self.solver(lemma.location)
        if self.options.caching:
            if lemma.active is None:
                lemma.active = solver.activate(lemma.clause)
                self._own.setdefault(lemma.location, {})[lemma.active] = lemma
            return
        solver.add(lemma.clause, under=self._level(lemma.location, lemma.level))
        if old_level is not None:
            solver.forget(lemma.clause, under=self._level(lemma.location, old_level))

    def forget_lemma(self, lemma: Lemma) -> None:
        """A subsumed lemma need not survive the next rebuild."""
        if lemma.active is not None:
            self.solver(lemma.location).retire(lemma.active)
            del self._own[lemma.location][lemma.active]
            lemma.active = None
            return
        self.solver(lemma.location).forget(
            lemma.clause, under=self._level(lemma.location, lemma.level)
        )

    def add_invariant(self, location: int, formula: Term) -> None:
        """A formula that holds at every level (verified inductive before)."""
        self.solver(location).add(formula)

    # -- questions ---------------------------------------------------------------------------------

    def reach(
        self,
        edge: BlockEdge,
        cube: Literals,
        level: int,
        *,
        relative_to: Literals | None = None,
        kind: str = "inductive",
        required: bool = False,
    ) -> Answer:
        """F_(level, source) and [not relative_to] and wep(edge, cube): satisfiable?

        sat: the cube has a predecessor in the frame. unsat: the core (a part of the cube) has none.
        """
        if level == 0 and edge.source != self.initial:
            return Unreached(())
        known = self.shortcut(edge, cube, level)
        if known is not None:
            return known
        origin: dict[Term, Term] = {}
        for lit in cube:
            pulled = edge.pull(lit)
            if pulled is self.store.false:
                return Unreached((lit,))
            # [LNNK19, Thm. 5]
            if pulled is not self.store.true and not (
                edge.assumed and edge.pull_back(lit) in edge.assumed
            ):
                origin.setdefault(pulled, lit)
        assumptions = [edge.active, *self.frame(edge.source, level), *origin]
        answer = self._ask(edge, assumptions, origin, relative_to, kind, required)
        if isinstance(answer, Unreached) and not self.options.seed_cores:
            answer = Unreached(cube, answer.lemmas)
        if isinstance(answer, Unreached) and relative_to is None:
            self.learn(edge, answer)
        return answer

    def _ask(
        self,
        edge: BlockEdge,
        assumptions: list[Term],
        origin: dict[Term, Term],
        relative_to: Literals | None,
        kind: str,
        required: bool,
    ) -> Answer:
        self.env.tick()
        solver = self._ready(edge)
        temporary = () if relative_to is None else (clause_of(self.store, relative_to),)
        budget = None if required else self.options.budget
        # F_(level, source) and [not relative_to] and wep(edge, cube): sat - a predecessor of the cube;
        # unsat - a core of the cube and the frame (the caller says whether it is required)
        result = solver.check(assumptions, temporary=temporary, budget=budget, kind=kind)
        if result is SAT:
            return Reached(edge, LazyModel(solver))
        if result is UNKNOWN:
            return self._gave_up(edge, required)
        core = solver.core()
        own = self._own.get(edge.source, {})
        lemmas = tuple([own[t] for t in core if t in own])
        return Unreached(tuple([origin[t] for t in core if t in origin]), lemmas)

    def _gave_up(self, edge: BlockEdge, required: bool) -> GaveUp:
        self.env.count("gave_up")
        if required:
            raise self.env.undecided()
        return GaveUp(edge)

    def _ready(self, edge: BlockEdge) -> ActivationSolver:
        solver = self.solver(edge.source)
        known = self._known[edge.source]
        if edge.number not in known:
            known[edge.number] = None
            for g in edge.guard:
                solver.add(g, under=edge.active)
        return solver

    def satisfiable(self, location: int, cube: Literals, level: int, kind: str) -> bool | None:
        """F_(level, location) and cube: satisfiable? None if unknown.
        unsat: the frame blocks the cube already."""
        self.env.tick()
        solver = self.solver(location)
        # F_(level, location) and cube: sat - a state of both; unsat - blocked already  (heuristic)
        result = solver.check(
            [*self.frame(location, level), *cube], budget=self.options.budget, kind=kind
        )
        return None if result is UNKNOWN else result is SAT

    def state_in(self, location: int, cube: Literals, level: int) -> dict[Term, Value] | None:
        """A state of F_(level, location) and cube, if one is found."""
        # F_(level, location) and cube: sat - a state of both; otherwise none is known  (heuristic)
        if self.satisfiable(location, cube, level, "concretise"):
            return self.solver(location).model_of(self.cfa.variables)
        return None

    def state(self, reached: Reached) -> dict[Term, Value]:
        """The source state of a model, over the variables of the program."""
        return self.solver(reached.edge.source).model_of(self.cfa.variables)

    def close(self) -> None:
        """Free all solvers."""
        for s in self._solvers.values():
            s.close()
