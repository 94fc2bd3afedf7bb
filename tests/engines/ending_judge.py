"""Engines for infinite runs of programs, judged by the independent checker and by explicit
states.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

from obligato import verify
from obligato.api.ltl_search import on_program
from obligato.api.reading import original_cfa
from obligato.api.run_search import only_limits
from obligato.engines import rank
from obligato.engines.environment import Environment
from obligato.errors import Span
from obligato.frontends.ivl.reader import parse
from obligato.models.automata import automaton_of
from obligato.models.cfa import CFA
from obligato.models.claims import Trace
from obligato.models.importing import import_cfa
from obligato.models.ltl_product import entry_location, product_of
from obligato.models.no_return import without_returns
from obligato.models.procedures import is_recursive, split_program
from obligato.models.rank_claims import BuchiCFA, Endless, Ranking
from obligato.program.interpreter import Interpreter
from obligato.program.interpreter import Status as InterpreterStatus
from obligato.program.syntax import Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.automaton import unproved, wrong_automaton
from obligato.results.checking.endless import check_endless
from obligato.results.checking.program_ltl import check_violation
from obligato.results.checking.ranking import check_ranking
from obligato.results.checking.solving import chain
from obligato.results.checking.status import Status
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import RunResult, Verdict
from obligato.results.replay import replay
from obligato.smt import SolverStats
from obligato.terms import Sort, TermStore, Value
from tests.support import c_endings
from tests.support.endings import TooLarge, Writer, domain, ends, reachable
from tests.support.program_ltl import Oracle, random_atoms, random_formula, temporal
from tests.support.recursive import random_recursive, random_text

QUESTIONS = 4_000


def program_of(text: str) -> Program:
    """The program that an IVL text says."""
    return parse(text, "random.ivl")


def answered(
    problem: BuchiCFA, questions: int = QUESTIONS, options: rank.Options | None = None
) -> RunResult:
    """What the engine claims within so many questions."""
    env = Environment(debug=True)
    env.cancelled = lambda: env.questions > questions
    small = BuchiCFA(import_cfa(problem.cfa, TermStore()), problem.accepting)
    return rank.prove(small, options or rank.Options(budget=300, walk_steps=200, walks=6), env)


def refused(program: Program, problem: BuchiCFA, result: RunResult) -> str | None:
    """What the checker has against a claim."""
    cfa = problem.cfa
    links = chain([v.sort for v in (*cfa.variables, *cfa.inputs)], {}, SolverStats())
    if isinstance(result.claim, Ranking):
        check = check_ranking(problem, result.claim, links)
        return (
            None
            if check.status is Status.ACCEPTED
            else f"ranks: {check.obligation}: {check.reason}"
        )
    if isinstance(result.claim, Endless):
        told = check_endless(
            problem, result.claim, lambda t: replay(program, cfa, t, whole=False).problem, links
        )
        return (
            None
            if told.status in (TraceStatus.CONFIRMED, TraceStatus.LOST)
            else f"run: {told.reason}"
        )
    return None


def objection(seed: int, width: int = 3) -> tuple[str | None, str]:
    """What speaks against the engine on one program (None: nothing), and the kind of answer, for a
    tally.
    """
    text = Writer(seed, width).program()
    program = program_of(text)
    cfa = only_limits(original_cfa(program))
    try:
        ending, limited = ends(cfa)
    except TooLarge:
        return None, "too large"
    result = answered(BuchiCFA(cfa))
    wrong = refused(program, BuchiCFA(cfa), result)
    if wrong is None and result.verdict is Verdict.TRUE and (not ending or limited):
        wrong = "true, but a run does not end or reaches a limit"
    if wrong is None and result.verdict is Verdict.FALSE and ending:
        wrong = "false, but every run ends"
    told = (
        f"{'ends' if ending else 'endless'}{', limit' if limited else ''}: {result.verdict.value}"
    )
    return (None if wrong is None else f"{wrong}\n{text}"), told


def formula_objection(seed: int, width: int = 2) -> tuple[str | None, str]:
    """The same for a temporal formula about a random program."""
    rng = Random(seed)
    text = Writer(seed, width).program()
    program = program_of(text)
    cfa = only_limits(original_cfa(program))
    formula = random_formula(rng, random_atoms(rng, cfa), rng.choice((1, 2, 2, 3)))
    if len(temporal(formula)) > 4:
        return None, "too large"
    try:
        expected = Oracle(cfa, formula, 0).violated()
        limited = any(place[0] == cfa.error for place in reachable(cfa))
    except TooLarge:
        return None, "too large"
    automaton = automaton_of(formula)
    wrong = wrong_automaton(formula, automaton)
    product = product_of(cfa, automaton, 0)
    result = answered(product.problem)
    if isinstance(result.claim, Ranking):
        wrong = (
            wrong
            or refused(program, product.problem, result)
            or ("true, but it is violated" if expected else None)
        )
    elif isinstance(result.claim, Endless) and result.claim.sets:
        ended = check_endless(
            product.problem,
            result.claim,
            lambda t: (
                replay(program, cfa, on_program(product, Endless(t, 0)).trace, whole=False).problem
            ),
            chain([v.sort for v in (*cfa.variables, *cfa.inputs)], {}, SolverStats()),
        )
        if ended.status is TraceStatus.CONFIRMED and (not expected or unproved(automaton)):
            wrong = wrong or "false by a recurrence set, but it holds"
    elif isinstance(result.claim, Endless):
        told = check_violation(
            cfa,
            formula,
            len(entry_location(cfa, 0)) - 1,
            on_program(product, result.claim),
            lambda t: replay(program, cfa, t, whole=False).problem,
        )
        bad = told.status is TraceStatus.REJECTED
        wrong = wrong or (f"run: {told.reason}" if bad else None)
        if told.status is TraceStatus.CONFIRMED and not expected:
            wrong = wrong or "false, but it holds"
    told_ = (
        f"{'violated' if expected else 'holds'}{', limit' if limited else ''}:"
        f" {result.verdict.value}"
    )
    return (None if wrong is None else f"{wrong}\n{formula}\n{text}"), told_


class _Anything:
    """Answers at random."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def initial(self, name: str, sort: Sort) -> Value:
        return self.rng.choice(domain(sort))

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        return self.rng.choice(domain(sort))

    def choose(self, count: int, span: Span) -> int:
        return self.rng.randrange(count)


def recursion_objection(seed: int, runs: int = 20, steps: int = 20_000) -> tuple[str | None, str]:
    """The same for a recursive program: a proof is compared with random runs, an infinite run is
    followed round and round.
    """
    program = without_tail_calls(random_recursive(seed))
    if not is_recursive(program):
        return None, "tail calls only"
    cfa = only_limits(without_returns(split_program(program)))
    result = answered(BuchiCFA(cfa), 1_500)
    wrong, told = None, result.verdict.value
    if isinstance(result.claim, Ranking):
        wrong, rng = refused(program, BuchiCFA(cfa), result), Random(seed)
        for _ in range(runs):
            if (
                wrong is None
                and Interpreter(program).run(_Anything(rng), steps).status
                is InterpreterStatus.STEP_LIMIT
            ):
                wrong = f"true, but a run has more than {steps} steps"
    elif isinstance(result.claim, Endless):
        wrong, told = _round_and_round(program, cfa, result.claim)
    return (None if wrong is None else f"{wrong}\n{random_text(seed)}"), told


def _round_and_round(program: Program, cfa: CFA, claim: Endless) -> tuple[str | None, str]:
    def follow(trace: Trace) -> str | None:
        return replay(program, cfa, trace, whole=False).problem

    links = chain([v.sort for v in (*cfa.variables, *cfa.inputs)], {}, SolverStats())
    check = check_endless(BuchiCFA(cfa), claim, follow, links)
    if check.status is not TraceStatus.CONFIRMED or claim.sets:
        return (
            f"run: {check.reason}" if check.status is TraceStatus.REJECTED else None
        ), f"false, {check.status.value}"
    steps = claim.trace.steps
    return (
        follow(replace(claim.trace, steps=(*steps, *(4 * steps[claim.loop :])))),
        "false, confirmed",
    )


def c_objection(case: int, seconds: float = 20) -> tuple[str | None, str]:
    """What is wrong with the verdict about a random C program, which the whole pipeline is given;
    and what was found.
    """
    with tempfile.TemporaryDirectory() as folder:
        file, expected = Path(folder) / "program.c", c_endings.ends(case, Path(folder))
        file.write_text(c_endings.program(case))
        found = verify(file, property="termination", timeout=seconds).verdict
    wanted = {True: Verdict.TRUE, False: Verdict.FALSE, None: Verdict.UNKNOWN}[expected]
    told = f"{wanted.value}: {found.value}"
    return (
        None
        if Verdict.UNKNOWN in (found, wanted) or found is wanted
        else f"{wanted.value}, not {found.value}"
    ), told
