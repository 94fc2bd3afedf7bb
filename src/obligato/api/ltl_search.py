"""Do all runs of a C program satisfy a temporal formula? The search for one formula, and the
judgement of claims about it.

A run that overflows in signed arithmetic reaches a limit, so that a proof, by ranks of the product
with an automaton (`models.ltl_product`), is about runs that C defines, and so is an infinite run
that violates the formula (decision 0016): its loop must bring back what decides whether anything
overflows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from obligato.api.describe_runs import describe_endless, describe_ranking
from obligato.api.displayed import agree
from obligato.api.pipeline import Rejected
from obligato.api.reading import original_cfa, reduced
from obligato.api.recheck import read_endless, read_ranking
from obligato.api.run_search import RANK
from obligato.errors import InternalError, Unsupported
from obligato.frontends.c.atoms import read_formula, split
from obligato.frontends.registry import LTL
from obligato.models.automata import Automaton, automaton_of
from obligato.models.cfa import CFA
from obligato.models.claims import Trace, TraceStep
from obligato.models.importing import import_cfa
from obligato.models.ltl import Formula, operators
from obligato.models.ltl_product import STUTTER, LtlProduct, entry_location, product_of
from obligato.models.procedures import is_recursive
from obligato.models.rank_claims import Endless, Ranking
from obligato.program.activation import initial_assignments, plain_preamble
from obligato.program.inline import recursive_procedures
from obligato.program.syntax import Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.automaton import unproved, wrong_automaton
from obligato.results.checking.endless import check_endless
from obligato.results.checking.program_ltl import check_violation
from obligato.results.checking.ranking import check_ranking
from obligato.results.checking.status import TraceStatus
from obligato.results.outcome import PropertyVerdict, Verdict
from obligato.results.replay import replay

if TYPE_CHECKING:
    from obligato.api.pipeline import Run


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of the program: its CFA with limits only, the formula, the edges that are no
    steps, automaton and product.
    """

    program: Program
    cfa: CFA
    formula: Formula
    silent: int
    automaton: Automaton
    product: LtlProduct


def ltl_search(run: Run, property: str) -> LtlSearch:
    """The search for runs that violate the formula in `property`."""
    run.prefer(RANK)
    text, expressions = split(property.removeprefix(LTL))

    run.stage("read")
    program: Program = run.language.load(
        run.request.file,
        data_model=run.request.data_model,
        entry=run.request.entry,
        property="ltl",
        externals=run.pipeline.externals,
        memory=run.pipeline.memory,
        addresses="any",
        preprocessing=replace(run.request.preprocessing, headers=run.pipeline.headers),
        observed=expressions,
    )
    run.stage("inline")
    return LtlSearch(run, property, reading(program, text, run.pipeline.next == "edge"))


def reading(program: Program, text: str, edges: bool) -> Reading:
    """The program with the product; other recursion than tail calls is refused, and X unless it is
    about `edges`.
    """
    program = without_tail_calls(program) if is_recursive(program) else program
    for name in recursive_procedures(program):
        raise Unsupported(
            f"a temporal formula about a program in which {name} calls itself",
            program.procedures[name].span,
            construct="recursion",
        )
    cfa, formula = original_cfa(program), read_formula(text, program)
    if "X" in operators(formula) and not edges:
        raise Unsupported(
            "the operator X: every statement is a step, so what is next depends on how a program is"
            " written (with next=edge it is the next edge of the control-flow automaton)",
            construct="temporal formula",
        )
    automaton = automaton_of(formula)
    wrong = wrong_automaton(formula, automaton)
    if wrong is not None:
        raise InternalError(f"the automaton of the formula was rejected: {wrong}")
    first = len(initial_assignments(program)) + plain_preamble(program)
    silent = len(entry_location(cfa, first)) - 1
    return Reading(program, cfa, formula, silent, automaton, product_of(cfa, automaton, first))


def on_program(product: LtlProduct, claim: Endless) -> Endless:
    """A lasso of the product as a run of the program, which ends where only the automaton
    goes on.
    """
    origin = [product.origin[s.edge] for s in claim.trace.steps]
    steps = [
        TraceStep(n, s.inputs)
        for n, s in zip(origin, claim.trace.steps, strict=True)
        if n != STUTTER
    ]
    return Endless(
        Trace(claim.trace.initial, tuple(steps)), sum(n != STUTTER for n in origin[: claim.loop])
    )


class LtlSearch:
    """The search for one formula about one reading."""

    def __init__(self, run: Run, property: str, read: Reading) -> None:
        self.run, self.property, self.read = run, property, read
        self.notes = read.program.notes

    def decide(self) -> PropertyVerdict:
        """Refute or prove."""
        self.run.stage("reduce")
        problem = self.read.product.problem
        small, _ = reduced(problem.cfa, 0)
        self.run.measured(small, 0)
        base = problem.base and replace(problem.base, cfa=import_cfa(problem.base.cfa, small.store))
        asked = replace(problem, cfa=small, base=base)
        result = self.run.prove(self.run.engine.prove_runs, asked)
        match result.claim:
            case Ranking():
                return self.certified(result.claim)
            case Endless():
                return self._refuted(result.claim)
        return self.run.unknown(self.property, self.run.why(result))

    def _refuted(self, claim: Endless) -> PropertyVerdict:
        """What an infinite run of the product is worth; what is known of one into a recurrence set
        is the automaton's word.
        """
        return (
            self.recurrent(claim)
            if claim.sets
            else self.violated(on_program(self.read.product, claim))
        )

    def recurrent(self, claim: Endless) -> PropertyVerdict:
        """What a run of the product into a recurrence set is worth."""
        self.run.stage("check")
        cfa = self.read.product.problem.cfa
        wrong = unproved(self.read.automaton)
        if wrong is not None:
            raise InternalError(f"the automaton of the formula was rejected: {wrong}")
        links = self.run.links_about(cfa)
        check = check_endless(
            self.read.product.problem, claim, self._replayed, links, self.run.tick
        )
        if check.status is not TraceStatus.CONFIRMED or check.trace is None:
            return self.run.unknown(
                self.property, f"a recurrence set could not be confirmed: {check.reason}"
            )
        return PropertyVerdict(
            self.property,
            Verdict.FALSE,
            trace=describe_endless(cfa, replace(claim, trace=check.trace)),
        )

    def _replayed(self, trace: Trace) -> str | None:
        """Why the steps of a run of the product are none of the program."""
        steps = on_program(self.read.product, Endless(trace, 0)).trace
        return replay(self.read.program, self.read.cfa, steps, whole=False).problem

    def certified(self, claim: Ranking) -> PropertyVerdict:
        """Check the ranking of the product; the verdict that it proves."""
        self.run.stage("check")
        cfa = self.read.product.problem.cfa
        links = self.run.links_about(cfa)
        check = check_ranking(self.read.product.problem, claim, links, self.run.tick)
        doubt = self.run.doubted(self.property, check, claim, "ranks")
        if doubt is not None:
            return doubt
        report = describe_ranking(cfa, claim, check)
        return PropertyVerdict(self.property, Verdict.TRUE, certificate=report)

    def violated(self, claim: Endless) -> PropertyVerdict:
        """Check an infinite run of the program; the verdict that it refutes."""
        self.run.stage("check")
        read = self.read
        check = check_violation(
            read.cfa,
            read.formula,
            read.silent,
            claim,
            lambda trace: replay(read.program, read.cfa, trace, whole=False).problem,
            self.run.tick,
        )
        if check.status is TraceStatus.REJECTED:
            raise Rejected(f"the run was rejected: {check.reason}", claim)
        if check.status is not TraceStatus.CONFIRMED or check.trace is None:
            return self.run.unknown(self.property, f"a run could not be confirmed: {check.reason}")
        report = describe_endless(read.cfa, replace(claim, trace=check.trace))
        return PropertyVerdict(self.property, Verdict.FALSE, trace=report)

    def _judged(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """A recurrence set is one of the product, a lasso one of the program."""
        if not (isinstance(data, Mapping) and data.get("recurrence")):
            return self.violated(read_endless(self.read.cfa, data, file))
        claim = read_endless(self.read.product.problem.cfa, data, file)
        verdict = self.recurrent(claim)
        if verdict.verdict is not Verdict.FALSE:
            raise Rejected(verdict.reason or "", claim)
        return verdict

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the ranks or the run in the JSON object `data` are worth."""
        if data.get("certificate"):
            verdict = self.certified(
                read_ranking(self.read.product.problem.cfa, data["certificate"], file)
            )
        else:
            verdict = self._judged(data["trace"], file)
        agree(data, verdict, programs=True)
        return verdict
