"""Which solver answers a checker's question, and whether to believe it.

A *link* is one solver of the chain. Links are asked in order; one that does not know the theory, gives up or breaks is
passed over. A SAT answer counts only if its model satisfies the formulas by evaluation (`terms.evaluate`), so a
certificate is never refuted by a solver's slip. An UNSAT answer is the solver's word; that is why links other than the
engine's own solver come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from obligato.errors import SolverFailure, Unsupported
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult, Solver, SolverStats
from obligato.terms import Kind, Sort, Term, Value, evaluate, free_vars, postorder


@dataclass(frozen=True, slots=True)
class Link:
    """One solver of a chain. `independent`: not the engine's own; `budget`: what one check may cost, None is no limit."""

    name: str
    independent: bool
    make: Callable[[SolverStats], Solver]
    kinds: frozenset[Kind] = frozenset(Kind)
    budget: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """SAT with a model of all variables asked about, UNSAT, or UNKNOWN with a reason; `link` answered."""

    result: SatResult
    link: Link | None = None
    model: Mapping[Term, Value] = field(default_factory=dict)
    reason: str = ""


class Questions:
    """Questions over one set of assertions: each link has one incremental solver, made when it is first needed."""

    def __init__(
        self, links: Sequence[Link], assertions: Sequence[Term], stats: SolverStats, tick: Callable[[], None]
    ) -> None:
        self.links = list(links)
        self.assertions = list(assertions)
        self.stats = stats
        self.tick = tick
        self._solvers: dict[str, Solver] = {}
        self._kinds: dict[Kind, None] = {}
        self._scanned: dict[Term, None] = {}
        self._note_kinds(self.assertions)

    def ask(self, assumptions: Sequence[Term], kind: str) -> Answer:
        """Are the assertions and `assumptions` satisfiable together?"""
        self._note_kinds(assumptions)
        reasons: list[str] = []
        for link in list(self.links):
            if not self._kinds.keys() <= link.kinds:
                continue
            self.tick()
            answer = self._ask(link, assumptions, kind)
            if answer.result is not UNKNOWN:
                return answer
            reasons.append(f"{link.name}: {answer.reason}")
        return Answer(UNKNOWN, reason="; ".join(reasons) or "no solver knows these theories")

    def _ask(self, link: Link, assumptions: Sequence[Term], kind: str) -> Answer:
        try:
            solver = self._solver(link)
            result = solver.check(assumptions, budget=link.budget, kind=kind)
            if result is not SAT:
                return Answer(result, link, reason="gave up" if result is UNKNOWN else "")
            formulas = [*self.assertions, *assumptions]
            model = solver.model_of(free_vars(*formulas))
        except (SolverFailure, Unsupported) as failure:
            self.links.remove(link)  # whatever it says from now on is not worth asking for
            return Answer(UNKNOWN, link, reason=str(failure))
        memo: dict[Term, object] = {}
        if all(evaluate(f, model, memo) for f in formulas):
            return Answer(SAT, link, model)
        return Answer(UNKNOWN, link, reason="its model does not satisfy the formulas")

    def _solver(self, link: Link) -> Solver:
        if link.name not in self._solvers:
            solver = self._solvers[link.name] = link.make(self.stats)
            for f in self.assertions:
                solver.add(f)
        return self._solvers[link.name]

    def _note_kinds(self, terms: Iterable[Term]) -> None:
        for t in postorder(terms, self._scanned):
            self._kinds.update(dict.fromkeys(_kinds(t.sort)))

    def close(self) -> None:
        """Free all solvers."""
        for solver in self._solvers.values():
            solver.close()
        self._solvers.clear()


def _kinds(sort: Sort) -> list[Kind]:
    if sort.kind is Kind.ARRAY:
        return [Kind.ARRAY, *_kinds(sort.index), *_kinds(sort.element)]
    return [sort.kind]


__all__ = ["SAT", "UNKNOWN", "UNSAT", "Answer", "Link", "Questions"]
