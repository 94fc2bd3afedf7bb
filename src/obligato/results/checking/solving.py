"""Which solver answers a checker's question, and whether to believe it.

A *link* is one solver of the chain. Links are asked in order; one that does not know the theory,
gives up or breaks is passed over. The first two rounds are on a counted budget, so that one
solver's hard question reaches the next one; the third has no limit. A SAT answer counts only if its
model satisfies the formulas by evaluation (`terms.evaluate`), so a certificate is never refuted by
a solver's slip. An UNSAT answer is the solver's word; that is why links other than the engine's own
solver come first, and why it does not count after another solver has said SAT, with whatever model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from obligato.errors import SolverFailure, Unsupported
from obligato.results.checking.hints import hints
from obligato.smt import SAT, UNKNOWN, UNSAT, SatResult, Solver, SolverStats, ranges, reals
from obligato.smt.factory import (
    Used,
    available_backends,
    checker_chain,
    family,
    make_solver,
    polynomial_solver,
    real_solver,
    word_solver,
)
from obligato.smt.querylog import QueryLog
from obligato.smt.z3_polynomials import is_product
from obligato.terms import Kind, Sort, Term, Value, evaluate, free_vars, postorder

QUICK = 20  # part of the budget that the first round has
QUICKER = 80  # the same where there is another way to ask
HASTY = 50_000  # units of a solver that has no budget, there
HURRIED = 2  # rounds, those with a budget
BAD_MODEL = "its model does not satisfy the formulas"


@dataclass(frozen=True, slots=True)
class Link:
    """One solver of a chain. `independent`: not the engine's own; `budget`: what a check of the
    second round may cost.
    """

    name: str
    independent: bool
    make: Callable[[], Solver]
    kinds: frozenset[Kind] = frozenset(Kind)
    budget: int | None = None
    polynomial: bool = False  # for questions with products of words only


@dataclass(frozen=True, slots=True)
class Reply:
    """SAT with a model of all variables asked about, UNSAT, or UNKNOWN with a reason; `link`
    answered.
    """

    result: SatResult
    link: Link | None = None
    model: Mapping[Term, Value] = field(default_factory=dict)
    reason: str = ""


class Questions:
    """Questions over one set of assertions: each link has one incremental solver, made when it is
    first needed.
    """

    def __init__(
        self, links: Sequence[Link], assertions: Sequence[Term], tick: Callable[[], None]
    ) -> None:
        self.links = list(links)
        self.assertions = list(assertions)
        self.tick = tick
        self._solvers: dict[str, Solver] = {}
        self._kinds: dict[Kind, None] = {}
        self._scanned: dict[Term, None] = {}
        self._hints: list[Term] = []
        self._multiplies = False
        self._scan(self.assertions)

    def tell(self, formulas: Sequence[Term]) -> None:
        """Add assertions for all questions to come."""
        self._scan(formulas)
        self.assertions += formulas
        for solver in self._solvers.values():
            for f in formulas:
                solver.add(f)

    def ask(
        self, assumptions: Sequence[Term], kind: str, rounds: int = 3, quick: int = QUICK
    ) -> Reply:
        """Are the assertions and `assumptions` satisfiable together? Only the third of the `rounds`
        has no limits, and the first one a part of the budget, `quick`.
        """
        self._scan(assumptions)
        reasons: dict[str, str] = {}
        contradicted = False
        for share in (quick, 1, None)[:rounds]:
            for link in list(self.links):
                if not self._kinds.keys() <= link.kinds or (share != quick and link.budget is None):
                    continue
                if link.polynomial and (share is None or not self._multiplies):
                    continue
                self.tick()
                budget = _part(link, share)
                reply = self._ask(link, assumptions, kind, budget)
                if reply.result is SAT or (reply.result is UNSAT and not contradicted):
                    return reply
                contradicted |= reply.reason == BAD_MODEL
                reasons[link.name] = "says unsat" if reply.result is UNSAT else reply.reason
        told = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        return Reply(UNKNOWN, reason=told or "no solver knows these theories")

    def _ask(self, link: Link, assumptions: Sequence[Term], kind: str, budget: int | None) -> Reply:
        try:
            solver = self._solver(link)
            # the assertions and assumptions: the caller of `ask` says what the answers mean
            result = solver.check(assumptions, budget=budget, kind=kind)
            if result is not SAT:
                return Reply(result, link, reason="gave up" if result is UNKNOWN else "")
            formulas = [*self.assertions, *assumptions]
            model = solver.model_of(free_vars(*formulas))
        except (SolverFailure, Unsupported) as failure:
            self.links.remove(link)  # whatever it says from now on is not worth asking for
            return Reply(UNKNOWN, link, reason=str(failure))
        memo: dict[Term, object] = {}
        if all(evaluate(f, model, memo) for f in formulas):
            return Reply(SAT, link, model)
        return Reply(UNKNOWN, link, reason=BAD_MODEL)

    def _solver(self, link: Link) -> Solver:
        if link.name not in self._solvers:
            solver = self._solvers[link.name] = link.make()
            for f in (*self.assertions, *self._hints):
                solver.add(f)
        return self._solvers[link.name]

    def _scan(self, terms: Iterable[Term]) -> None:
        """Note the theories of new terms, and tell hints about them."""
        for t in list(postorder(terms, self._scanned)):
            self._kinds.update(dict.fromkeys(_kinds(t.sort)))
            self._multiplies = self._multiplies or is_product(t)
            for hint in hints(t):
                self._hints.append(hint)
                for solver in self._solvers.values():
                    solver.add(hint)

    def close(self) -> None:
        """Free all solvers."""
        for solver in self._solvers.values():
            solver.close()
        self._solvers.clear()


def _part(link: Link, share: int | None) -> int | None:
    """What a check of a round may cost; links that are asked once only may be asked again where
    there is another way to ask.
    """
    if link.budget is None:
        return HASTY if share == QUICKER else None
    return None if share is None else link.budget // share


def _kinds(sort: Sort) -> list[Kind]:
    if sort.kind is Kind.ARRAY:
        return [Kind.ARRAY, *_kinds(sort.index), *_kinds(sort.element)]
    return [sort.kind]


_WORDS = frozenset((Kind.BOOL, Kind.BITVEC, Kind.ARRAY))

# What one check of the second round may cost, in each solver's own unit; about ten seconds.
_BUDGETS = {"bitwuzla": 100_000, "cvc5": 2_000_000, "z3": 30_000_000, "sat": 50_000}


def chain(sorts: Iterable[Sort], used: Used, stats: SolverStats) -> list[Link]:
    """The solvers for formulas over `sorts`, best first; those that the engine `used` are not
    independent and come last.
    """
    sorts, own = list(dict.fromkeys(sorts)), dict.fromkeys(family(name) for name in used)
    links = [_link(name, sorts, name not in own, stats) for name in checker_chain(sorts, own)]
    if any(Kind.FLOAT in _kinds(s) for s in sorts):
        links[1:1] = _for_floats(own, stats)
    if any(s.kind is Kind.ARRAY for s in sorts) and "sat" in available_backends():
        name = f"{versioned('sat')} (reads written out)"
        words = Link(name, "sat" not in own, lambda: word_solver(stats), _WORDS, _BUDGETS["sat"])
        links.insert(
            sum(link.independent and link.name.startswith("bitwuzla") for link in links), words
        )
    if "z3" not in available_backends() or not any(s.kind is Kind.BITVEC for s in sorts):
        return links
    name = f"{versioned('z3')} (polynomials)"
    return [
        Link(
            name,
            "z3" not in own,
            lambda: polynomial_solver(stats),
            budget=_BUDGETS["z3"],
            polynomial=True,
        ),
        *links,
    ]


def _for_floats(own: Mapping[str, None], stats: SolverStats) -> list[Link]:
    """Solvers that only ever say unsat, and soon if at all."""
    links = [Link(ranges.NAME, ranges.NAME not in own, lambda: ranges.RangeSolver(stats))]
    if "z3" not in available_backends():
        return links
    independent = reals.NAME not in own and "z3" not in own
    return [Link(reals.NAME, independent, lambda: real_solver(stats)), *links]


def hasty(links: Sequence[Link], part: int) -> list[Link]:
    """The first solver of a chain that answers any question, with a part of its budget."""
    general = [link for link in links if not link.polynomial]
    return [
        replace(link, budget=link.budget and max(1, link.budget // part)) for link in general[:1]
    ]


def logged(link: Link, log: QueryLog) -> Link:
    """The same link, with its questions and answers written down."""
    return replace(link, make=lambda: log.wrap(link.make()))


def _link(name: str, sorts: list[Sort], independent: bool, stats: SolverStats) -> Link:
    # each solver has a translation of its own: one chain may serve questions over several term
    # stores
    return Link(
        versioned(name),
        independent,
        lambda: make_solver(sorts, "check", name, stats=stats),
        budget=_BUDGETS.get(name),
    )


def versioned(name: str) -> str:
    """A solver's name with the version of its package."""
    version = _installed({"sat": "python_sat", "z3": "z3_solver"}.get(name, name))
    return f"{name} {version}" if version else name


@cache
def _installed(package: str) -> str:
    """The version of a package, by the folder that its installation leaves (importlib.metadata
    takes as long to import as a small proof); empty where there is none.
    """
    folders = (f for path in sys.path for f in Path(path).glob(f"{package}-*.dist-info"))
    return next((f.stem.partition("-")[2] for f in folders), "")


__all__ = ["SAT", "UNKNOWN", "UNSAT", "Reply", "Link", "Questions", "chain"]
