"""Infinite runs of programs: does every run end? The search for one property, and the judgement of
claims about it.

The engine gets the CFA of the inlined program in a simplifying store, otherwise as it is: what
other properties leave out (loops without influence, variables that no error depends on) is what
this question is about. An assertion that fails ends a run; its edge to the error location is left
out, so that only limits of the model lead there, and a proof must exclude them.

Signed arithmetic of C wraps around in this reading, so a proof is about more runs than C defines.
An infinite run must be one that C defines for ever (decision 0016): it is looked for once more and
checked in the *exact* reading, where an overflow ends a run, so that a loop must bring back what
decides whether anything overflows, and a set must exclude that.

Of a witness of non-termination (`run.witness`) only runs that pass its cycle again and again count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from obligato.api.describe_runs import describe_endless, describe_ranking
from obligato.api.displayed import agree
from obligato.api.pipeline import Rejected, Run
from obligato.api.reading import original_cfa, reduced
from obligato.api.recheck import read_endless, read_ranking
from obligato.frontends.c.marking import again
from obligato.frontends.registry import TERMINATION
from obligato.models.cfa import CFA
from obligato.models.no_return import without_returns
from obligato.models.procedures import is_recursive, split_program
from obligato.models.rank_claims import BuchiCFA, Endless, Ranking
from obligato.program.syntax import LIMIT, Program
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.endless import as_recurrence, check_endless
from obligato.results.checking.ranking import check_ranking
from obligato.results.checking.status import Status
from obligato.results.checking.trace import TraceCheck, TraceStatus
from obligato.results.outcome import PropertyVerdict, RunResult, Trace, Verdict
from obligato.results.replay import replay

RANK = "rank"  # the engine, if none is named
OVERFLOWS = (
    "infinite runs overflow in signed arithmetic, divide by zero or shift too far, which C does not"
    " define; words that wrap around would go on"
)


@dataclass(frozen=True, slots=True)
class Runs:
    """What claims are checked on, and how a run is replayed on the input (None: it is a run
    there).
    """

    problem: BuchiCFA
    replay: Callable[[Trace], str | None]
    program: Program
    notes: tuple[str, ...] = ()


def termination_search(
    run: Run, program: Program, exact: Callable[[], Program] | None
) -> RunSearch:
    """The search for runs that do not end; `exact` reads the program with overflows of signed
    arithmetic as limits.
    """
    run.prefer(RANK)
    read = None if exact is None else lambda: _runs(run, exact(), without_limits)
    return RunSearch(run, TERMINATION, _runs(run, program, only_limits), read)


def _runs(run: Run, program: Program, limits: Callable[[CFA], CFA]) -> Runs:
    """The runs of a program; `limits` leaves those edges to the error location that are limits.
    Tail calls are loops; of other recursive calls none returns (`models.no_return`).
    """
    run.stage("inline")
    if is_recursive(program):
        program = without_tail_calls(program)
    cfa = (
        without_returns(split_program(program)) if is_recursive(program) else original_cfa(program)
    )
    accepting = None if run.witness is None else again(cfa, run.witness.markers)
    problem = BuchiCFA(limits(cfa), accepting)
    return Runs(
        problem,
        lambda trace: replay(program, cfa, trace, whole=False).problem,
        program,
        program.notes,
    )


def only_limits(cfa: CFA) -> CFA:
    """The CFA without violations of properties: a run that fails an assertion has ended."""
    kept = tuple(
        e
        for e in cfa.edges
        if e.target != cfa.error or (e.violation is not None and e.violation.kind == LIMIT)
    )
    return replace(cfa, edges=kept)


def without_limits(cfa: CFA) -> CFA:
    """The CFA in which a run ends before a violation or a limit."""
    return replace(cfa, edges=tuple(e for e in cfa.edges if e.target != cfa.error))


class RunSearch:
    """The search for one property of the infinite runs of a program."""

    def __init__(
        self, run: Run, property: str, runs: Runs, exact: Callable[[], Runs] | None = None
    ) -> None:
        self.run, self.property, self.runs, self.exact = run, property, runs, exact
        self.notes = runs.notes

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""
        result = self._asked(self.runs)
        match result.claim:
            case Ranking():
                return self.certified(result.claim)
            case Endless():
                return self.confirmed(result.claim)
        return self.run.unknown(self.property, self.run.why(result))

    def _asked(self, runs: Runs) -> RunResult:
        self.run.stage("reduce")
        small, _ = reduced(runs.problem.cfa, 0)
        self.run.measured(small, 0)
        result: RunResult = self.run.prove(
            self.run.engine.prove_runs, replace(runs.problem, cfa=small)
        )
        return result

    def certified(self, claim: Ranking) -> PropertyVerdict:
        """Check the ranking; the verdict that it proves."""
        if self.run.pipeline.addresses != "any":
            return self.run.unknown(
                self.property,
                "with addresses=apart nothing is proved: only infinite runs are looked for",
            )
        self.run.stage("check")
        check = check_ranking(
            self.runs.problem, claim, self.run.links_about(self.runs.problem.cfa), self.run.tick
        )
        doubt = self.run.doubted(self.property, check, claim, "ranks")
        if doubt is not None:
            return doubt
        report = describe_ranking(self.runs.problem.cfa, claim, check)
        return PropertyVerdict(self.property, Verdict.TRUE, certificate=report)

    def confirmed(self, claim: Endless) -> PropertyVerdict:
        """What an infinite run is worth. One in which signed arithmetic may wrap around says that
        one which C defines is worth looking for.
        """
        if self.exact is None:
            return self._judged(self.runs, *self._checked(self.runs, claim))
        exact = self.exact()
        found = self._asked(exact).claim
        if isinstance(found, Endless):
            return self._judged(exact, *self._checked(exact, found))
        which = "all" if self._ended(exact, found) else "all that were found"
        return self.run.unknown(self.property, f"{OVERFLOWS} ({which})")

    def _ended(self, exact: Runs, claim: Ranking | None) -> bool:
        """Is it proved that every run ends if overflows and limits end it?"""
        self.run.stage("check")
        links = self.run.links_about(exact.problem.cfa)
        return (
            claim is not None
            and check_ranking(exact.problem, claim, links, self.run.tick).status is Status.ACCEPTED
        )

    def _checked(self, runs: Runs, claim: Endless) -> tuple[Endless, TraceCheck]:
        """The claim, perhaps stated with a set, and what its check says."""
        self.run.stage("check")
        links = self.run.links_about(runs.problem.cfa)
        check = check_endless(runs.problem, claim, runs.replay, links, self.run.tick)
        other = as_recurrence(runs.problem, claim) if check.status is TraceStatus.LOST else None
        if other is not None:
            again = check_endless(runs.problem, other, runs.replay, links, self.run.tick)
            if again.status is TraceStatus.CONFIRMED:
                return other, again
        return claim, check

    def _judged(self, runs: Runs, claim: Endless, check: TraceCheck) -> PropertyVerdict:
        if check.status is TraceStatus.CONFIRMED and check.trace is not None:
            if self.run.pipeline.addresses != "any":
                return self.run.unknown(
                    self.property, "the infinite run may depend on where objects lie in memory"
                )
            report = describe_endless(runs.problem.cfa, replace(claim, trace=check.trace))
            return PropertyVerdict(self.property, Verdict.FALSE, trace=report)
        if check.status is TraceStatus.REJECTED:
            raise Rejected(f"the infinite run was rejected: {check.reason}", claim)
        return self.run.unknown(
            self.property, f"an infinite run could not be confirmed: {check.reason}"
        )

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the ranks or the infinite run in the JSON object `data` are worth; the run is one of
        the exact reading, where there is one.
        """
        if data.get("certificate"):
            verdict = self.certified(read_ranking(self.runs.problem.cfa, data["certificate"], file))
        else:
            runs = self.runs if self.exact is None else self.exact()
            verdict = self._judged(
                runs, *self._checked(runs, read_endless(runs.problem.cfa, data["trace"], file))
            )
        agree(data, verdict, programs=True)
        return verdict
