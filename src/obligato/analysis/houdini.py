"""Houdini: the greatest inductive subset of given candidate invariants (Flanagan and Leino, 2001),
on a CFA of large blocks.

Start with all candidates; while an edge l -> l' has a transition from the candidates at l into a
state where some candidates at l' are false, drop these.  What is left holds at every reachable
state and is inductive, so engines may assume it in every frame.  Deterministic; budgets are
counted.  When `calls` are used up nothing is known to be inductive and nothing is returned.
`minimal` then drops formulas that the others at their location imply.  Equations between
polynomials of words are first asked of a solver that multiplies out (`smt.z3_polynomials`), since
the usual ones cannot show them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from types import MappingProxyType

from obligato.analysis.candidates import candidates
from obligato.analysis.cells import Cells, at_places, reads
from obligato.analysis.graph import reverse_postorder, successors
from obligato.analysis.weaker import Waiting
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult, Solver, SolverStats
from obligato.smt.factory import polynomial_solver, solver_factory
from obligato.smt.without_arrays import ReadsWrittenOut
from obligato.smt.z3_polynomials import multiplies
from obligato.terms import Kind, Op, Term, Value, evaluate, free_vars, postorder

NOTHING: Mapping[int, Sequence[Term]] = MappingProxyType({})
MakeSolver = Callable[[], Solver]
Answer = tuple[SatResult, Solver]  # which has the model
CALLS = 2000
BUDGET = {"z3": 1_000_000}  # per check, in the units of the backend
CONFLICTS = 2_000  # where the backend counts conflicts or the like
LARGE = 10  # times the budget, for what is to be kept
LARGER = 50  # the same for questions about all cells: places of two counters need it
FAILURES = 3  # of these
POLYNOMIALS = 200_000  # per question about polynomials
PATIENCE = 5  # unanswered checks per edge and round before what is left is dropped unasked


class _BudgetUsed(Exception):
    """No more solver calls are allowed."""


def seed_invariants(
    cfa: CFA, blocks: CFA, make_solver: MakeSolver, calls: int = CALLS
) -> dict[int, list[Term]]:
    """Verified invariants at the locations of `blocks`, the large-block form of `cfa`."""
    return houdini(blocks, candidates(cfa, blocks.locations), make_solver, calls=calls)


def houdini(
    cfa: CFA,
    formulas: Mapping[int, Sequence[Term]],
    make_solver: MakeSolver,
    *,
    calls: int = CALLS,
    budget: int | None = None,
    cells: Cells | None = None,
    keep: Mapping[int, Sequence[Term]] = NOTHING,
    hard: Mapping[int, Sequence[Term]] = NOTHING,
    known: Mapping[int, Sequence[Term]] = NOTHING,
) -> dict[int, list[Term]]:
    """The inductive part of `formulas` (by location of `cfa`; none at the initial location); {} if
    `calls` do not suffice.

    Of what is left, formulas that others imply are dropped, unless they are in `keep`; questions
    about these, and about what is `hard`, may take longer. What is `known` to be inductive is
    assumed, and part of the result. What is left holds for every value of the index of `cells`,
    which no edge assigns.
    """
    run = _Houdini(cfa, formulas, make_solver, calls, budget, cells, keep, hard, known)
    try:
        run.filter()
        run.minimize()
    except _BudgetUsed:
        return run.settled or {loc: list(fs) for loc, fs in known.items()}
    finally:
        run.close()
    return run.settled


def excludes_errors(
    cfa: CFA, invariants: Mapping[int, Sequence[Term]], make_solver: MakeSolver
) -> bool:
    """Does no edge lead from the invariants into the error, as far as a counted search shows?"""
    return all(
        _is_shut(cfa, e, invariants.get(e.source, ()), make_solver()) for e in cfa.into(cfa.error)
    )


def _is_shut(cfa: CFA, edge: Edge, known: Sequence[Term], solver: Solver) -> bool:
    budget = LARGE * BUDGET.get(solver.capabilities.name, CONFLICTS)
    for f in (*BlockEffect(cfa.store, edge.command, f"shut!{edge.id}!").guard, *known):
        solver.add(f)
    # guard of an edge to the error and the invariants at its source   (heuristic)
    #   unsat: no run takes it; else a run may
    result = solver.check((), budget=budget, kind="houdini")
    solver.close()
    return result is UNSAT


class _Houdini:
    def __init__(
        self,
        cfa: CFA,
        formulas: Mapping[int, Sequence[Term]],
        make_solver: MakeSolver,
        calls: int,
        budget: int | None,
        cells: Cells | None,
        keep: Mapping[int, Sequence[Term]],
        hard: Mapping[int, Sequence[Term]],
        known: Mapping[int, Sequence[Term]],
    ) -> None:
        self.cfa, self.make_solver, self.cells = cfa, make_solver, cells
        self.calls, self.budget = calls, budget
        self.known = {loc: dict.fromkeys(fs) for loc, fs in known.items()}
        self.waiting = {
            loc: Waiting(f for f in formulas.get(loc, ()) if f not in self.known.get(loc, ()))
            for loc in cfa.inner
        }
        self.alive = {
            loc: dict.fromkeys(waiting.strongest) for loc, waiting in self.waiting.items()
        }
        # membership only
        self.kept = frozenset(f for fs in keep.values() for f in fs)
        self.hard = self.kept | {f for fs in hard.values() for f in fs}
        self.settled: dict[int, list[Term]] = {}
        self.edges: dict[int, _BlockQuery] = {}
        self.larger = FAILURES
        self._polynomials: Solver | None = None
        self._patient: Solver | None = None
        self._words: MakeSolver | None = None

    def filter(self) -> None:
        """Ensures: `settled` is inductive."""
        # also what is not reached: a certificate is inductive everywhere
        roots = [self.cfa.initial, *self.cfa.locations]
        order = {loc: i for i, loc in enumerate(reverse_postorder(roots, successors(self.cfa)))}
        queue = [(order[e.source], e.id) for e in self.cfa.edges if e.target != self.cfa.error]
        waiting = set(queue)
        queue.sort()
        by_id = self.cfa.by_id
        while queue:
            item = heappop(queue)
            waiting.discard(item)
            edge = by_id[item[1]]
            if self._shrink(edge):
                for e in self.cfa.out(edge.target):
                    again = (order[e.source], e.id)
                    if e.target != self.cfa.error and again not in waiting:
                        waiting.add(again)
                        heappush(queue, again)
        all_ = {loc: [*self.known.get(loc, ()), *alive] for loc, alive in self.alive.items()}
        self.settled = {loc: formulas for loc, formulas in all_.items() if formulas}

    def _shrink(self, edge: Edge) -> bool:
        """Drop the candidates at the target that the edge does not establish; were there any?"""
        alive, dropped = self.alive[edge.target], False
        while alive:
            query = self._query(edge)
            before = [*self.known.get(edge.source, ()), *self.alive.get(edge.source, ())]
            wrong = query.refuted(
                before, self._not_polynomial(query, before, list(alive)), self._ask
            )
            for c in wrong:
                del alive[c]
            for c in wrong:
                alive.update(dict.fromkeys(self.waiting[edge.target].dropped(c, alive)))
            if not wrong:
                break
            dropped = True
        return dropped

    def _not_polynomial(
        self, query: _BlockQuery, before: list[Term], after: list[Term]
    ) -> list[Term]:
        """The candidates at the target without the equations that follow by multiplying out."""
        equations = dict.fromkeys(f for f in before if _is_equation(f))
        shown = dict[Term, None]()
        for c in (c for c in after if c in equations):
            pulled = query.effect.pull(c)
            sources = ([c], equations) if multiplies(pulled) else ()
            stats = query.solver.stats
            if any(self._follows([*query.effect.guard, *fs], pulled, stats) for fs in sources):
                shown[c] = None
        return [c for c in after if c not in shown]

    def _follows(self, known: list[Term], claim: Term, stats: SolverStats) -> bool:
        if self._polynomials is None:
            self._polynomials = polynomial_solver(stats)
        # guard and equations at the source and not this one, pulled back: unsat - established; else
        # it is asked again
        question = [*known, self.cfa.store.not_(claim)]
        return self._polynomials.check(question, budget=POLYNOMIALS, kind="houdini") is UNSAT

    def _query(self, edge: Edge) -> _BlockQuery:
        if edge.id not in self.edges:
            self.edges[edge.id] = _BlockQuery(self.cfa, edge, self._new_solver(), self.cells)
        return self.edges[edge.id]

    def _new_solver(self) -> Solver:
        """A solver for questions about edges; about cells in order reads are written out, which are
        few.
        """
        if self.cells is None or not self.cells.words:
            return self.make_solver()
        if self._words is None:
            usual, words = self.make_solver(), solver_factory([Kind.BITVEC], prefer="sat")
            self._words = lambda: ReadsWrittenOut(words(), usual.stats)
            usual.close()
        return self._words()

    def _ask(
        self,
        solver: Solver,
        assumptions: Sequence[Term],
        guard: Sequence[Term] = (),
        about: Term | None = None,
    ) -> Answer:
        """Are the assumptions satisfiable together with the guard, which the solver knows? It is
        one question `about` a candidate, or about many.
        """
        if self.calls <= 0:
            raise _BudgetUsed
        self.calls -= 1
        budget = self.budget or BUDGET.get(solver.capabilities.name, CONFLICTS)
        # guard and assumptions: sat - a state that the candidates do not exclude; unsat - none; the
        # callers say what follows   (heuristic)
        result = solver.check(assumptions, budget=budget, kind="houdini")
        if result is UNKNOWN and self.larger:
            if self.cells is not None and _about_cells(
                assumptions if about is None else (about,), self.cells.index
            ):
                return self._ask_again([*guard, *assumptions], LARGER * budget)
            if about in self.hard:
                return self._ask_again([*guard, *assumptions], LARGE * budget)
        return result, solver

    def _ask_again(self, formulas: Sequence[Term], budget: int) -> Answer:
        """The same of a new solver that may simplify all of them, since nothing else will be asked
        of it.
        """
        if self._patient is not None:
            self._patient.close()
        self._patient = self._new_solver()
        for f in formulas:
            self._patient.add(f)
        # guard and assumptions of the question before   (as there)
        result = self._patient.check((), budget=budget, kind="houdini")
        self.larger -= result is UNKNOWN
        return result, self._patient

    def minimize(self) -> None:
        """Drop from `settled` what the rest implies, later formulas first; conjunctions stay
        equivalent. What is to be kept stays: that it follows from the others may be hard to see.
        """
        if not self.settled:
            return
        solver, self.larger = self.make_solver(), 0
        try:
            for loc, formulas in self.settled.items():
                kept, products = list(formulas), [f for f in formulas if multiplies(f)]
                for f in (f for f in reversed(formulas) if f not in self.kept):
                    rest = [g for g in kept if g is not f and (f in products or g not in products)]
                    if self._is_implied(f, rest, solver, f in products):
                        kept.remove(f)
                self.settled[loc] = kept
        finally:
            solver.close()

    def _is_implied(self, f: Term, rest: list[Term], solver: Solver, polynomial: bool) -> bool:
        """By the equations among the rest if it has products, else by all."""
        if polynomial:
            equations = [g for g in rest if _is_equation(g)]
            return _is_equation(f) and self._follows(equations, f, solver.stats)
        # the other invariants here and not f: unsat - f is implied and can go; else it stays
        # (heuristic)
        return self._ask(solver, [*rest, self.cfa.store.not_(f)])[0] is UNSAT

    def close(self) -> None:
        """Free the solvers."""
        for query in self.edges.values():
            query.solver.close()
        for solver in (self._polynomials, self._patient):
            if solver is not None:
                solver.close()


def _is_equation(f: Term) -> bool:
    """Is the candidate an equation between words?"""
    return f.op is Op.EQ and f.args[0].sort.kind is Kind.BITVEC


def _about_cells(formulas: Sequence[Term], index: Term) -> bool:
    """Are they about the index, and is there hope: no product of variables?"""
    nodes = list(postorder(formulas))
    return index in nodes and not any(
        t.op in (Op.BVMUL, Op.MUL) and sum(not a.is_const for a in t.args) > 1 for t in nodes
    )


Ask = Callable[[Solver, Sequence[Term], Sequence[Term], Term | None], Answer]


class _BlockQuery:
    """One edge in one solver: its guard is asserted, candidates come as assumptions."""

    def __init__(self, cfa: CFA, edge: Edge, solver: Solver, cells: Cells | None) -> None:
        self.store, self.cells = cfa.store, cells
        self.effect = BlockEffect(cfa.store, edge.command, f"houdini!{edge.id}!")
        self.solver = solver
        for g in self.effect.guard:
            solver.add(g)
        known = (*self.effect.guard, *self.effect.pull.mapping.values())
        self.places: list[Term] = []
        if cells is not None and cells.places is not None:
            self.places = cells.places.get(edge.source, [])
        elif cells is not None:
            self.places = reads(known, cells.index.sort, frozenset(cfa.variables))

    def refuted(self, before: list[Term], after: list[Term], ask: Ask) -> list[Term]:
        """Some of `after` that a state with all of `before` does not lead to; [] only if it leads
        to all of them.
        """
        before = list(
            dict.fromkeys(
                (
                    *before,
                    *(at_places(before, self.cells, self.places) if self.cells is not None else ()),
                )
            )
        )
        # membership only: what the edge does not change needs no question
        known = frozenset(before)
        pulled = {c: p for c in after if (p := self.effect.pull(c)) not in known}
        if not pulled:
            return []
        # candidates at the source and guard and some pulled-back candidate is false   (heuristic)
        #   unsat: the edge establishes all candidates; sat: the model refutes some of them;
        #   unknown: they are asked about one by one
        broken = self.store.or_(*(self.store.not_(p) for p in pulled.values()))
        result, solver = ask(self.solver, [*before, broken], self.effect.guard, None)
        if result is UNSAT:
            return []
        if result is SAT:
            model = solver.model_of(free_vars(*pulled.values()))
            memo: dict[Term, Value] = {}
            wrong = [c for c, p in pulled.items() if not evaluate(p, model, memo)]
            if wrong:
                return wrong
        return self._one_by_one(before, pulled, ask)

    def _one_by_one(self, before: list[Term], pulled: Mapping[Term, Term], ask: Ask) -> list[Term]:
        """The candidates that are not established, where each is asked about alone."""
        out: list[Term] = []
        unanswered = 0
        for c, p in pulled.items():
            # candidates at the source and guard and not this one: unsat - established; else it goes
            # (heuristic)
            patient = unanswered < PATIENCE
            result = (
                ask(self.solver, [*before, self.store.not_(p)], self.effect.guard, c)[0]
                if patient
                else UNKNOWN
            )
            unanswered += result is UNKNOWN
            if result is not UNSAT:
                out.append(c)
        return out
