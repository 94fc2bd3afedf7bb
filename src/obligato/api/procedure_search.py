"""Does a program with recursive procedures violate an assertion? The search by summaries.

First a few runs are tried (`engines.trials`), then a few depths of recursion (`api.unfolding`).
Then the program becomes Horn clauses; a model of them becomes contracts, which are checked
procedure by procedure, and a derivation of false becomes a run, which the interpreter replays with
its call stack. As for other programs, a run that ends in a limit or uses an over-approximation is
sought again without these, to refute only, and one that depends on where objects lie in memory
counts if it exists in two layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from obligato.api.cfa_search import ONE_LAYOUT, Search
from obligato.api.describe_procedures import (
    describe_contracts,
    describe_script,
    read_contracts,
    read_script,
)
from obligato.api.displayed import agree
from obligato.api.pipeline import Rejected, Run
from obligato.api.unfolding import Unfolding
from obligato.engines.environment import Environment
from obligato.engines.trials import try_runs
from obligato.models.procedure_claims import Runs, contracts_of
from obligato.models.procedures import (
    Contracts,
    RecursiveProgram,
    Script,
    split_program,
    without_limits,
)
from obligato.models.procedures_to_horn import encode
from obligato.program.syntax import LAYOUT, Program
from obligato.results.checking.contracts import check_contracts
from obligato.results.outcome import HornResult, PropertyVerdict, Verdict
from obligato.results.replay_script import ScriptReplay, replay_script
from obligato.terms import TermStore

if TYPE_CHECKING:
    from obligato.results.checking.solving import Link


class ProcedureSearch:
    """The search for one property. `read` reads the program for a choice of addresses.

    `loops`: how the program is searched after the first runs if it has no recursion but tail calls,
    which are loops. `unfolding`: how it is searched with its recursive calls inlined.
    """

    def __init__(
        self,
        run: Run,
        property: str,
        read: Callable[[str], Program],
        loops: Search | None,
        unfolding: Unfolding,
    ) -> None:
        self.run, self.property, self.read = run, property, read
        self.loops, self.unfolding = loops, unfolding
        self._load(run.pipeline.addresses)

    def _load(self, addresses: str) -> None:
        self.run.pipeline = replace(self.run.pipeline, addresses=addresses)
        program = self.read(addresses)
        self.run.stage("inline")
        self.program: RecursiveProgram = split_program(program)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return self.program.source.notes

    def decide(self) -> PropertyVerdict:
        """Prove or refute."""
        tried = self._tried()
        if tried is not None:
            return tried
        if self.loops is not None:
            return self.loops.decide()
        unfolded = self.unfolding.decide()
        if unfolded is not None:
            return unfolded
        first = "" if self.run.pipeline.addresses == "any" else ONE_LAYOUT
        verdict = self._decide(first)
        return self._unknown(ONE_LAYOUT) if verdict is None else verdict

    def _tried(self) -> PropertyVerdict | None:
        """A violation that a few runs on likely values show."""
        if self.run.pipeline.addresses != "any":
            return None
        self.run.stage("prove")
        environment = Environment(seed=self.run.request.seed, cancelled=self.run.clock.over)
        script = try_runs(self.program.source, environment)
        self.run.figures |= environment.counters
        replayed = None if script is None else self._replay(script)
        if script is None or replayed is None or replayed.problem is not None:
            return None
        return self._violated(script, replayed)

    def _decide(self, refute_only: str) -> PropertyVerdict | None:
        """Prove or refute; `refute_only` is the reason why a proof would not count. None: the run
        exists in one layout only.
        """
        program = without_limits(self.program) if refute_only else self.program
        self.run.stage("reduce")
        encoding = encode(program, TermStore())
        self.run.figures |= {
            "procedures": len(program.procedures),
            "clauses": len(encoding.system.clauses),
        }
        result: HornResult = self.run.prove(self.run.engine.prove_horn, encoding.system)
        if result.verdict is Verdict.TRUE and result.model is not None:
            return (
                self._unknown(refute_only)
                if refute_only
                else self.certified(contracts_of(encoding, result.model))
            )
        if result.verdict is not Verdict.FALSE or result.derivation is None:
            return self._unknown(self.run.why(result))
        self.run.stage("lift")
        script = Runs(encoding, result.derivation).script()
        replayed = self._replay(script)
        if replayed.limited and not refute_only:
            return self._refute(replayed.problem or "")
        if replayed.problem is not None:
            raise Rejected(f"the run was rejected: {replayed.problem}", script)
        return self._violated(script, replayed) if self._counts(script) else None

    def _refute(self, reason: str) -> PropertyVerdict | None:
        """A limit was reached: search for what counts nevertheless."""
        edges = [e for p in self.program.all() for e in p.cfa.edges]
        if any(e.violation is not None and e.violation.label == LAYOUT for e in edges):
            self._load("apart")
            verdict = self._decide(reason)
            if verdict is not None:
                return verdict
            self._load("any")
        return self._decide(reason)

    def _counts(self, script: Script) -> bool:
        """Does the run exist wherever objects lie in memory?"""
        if self.run.pipeline.addresses == "any":
            return True
        return replay_script(self.read("reversed"), script, self.run.tick).problem is None

    def _replay(self, script: Script) -> ScriptReplay:
        self.run.stage("check")
        return replay_script(self.program.source, script, self.run.tick)

    def certified(self, contracts: Contracts) -> PropertyVerdict:
        """Check the contracts; the verdict that they prove."""
        if self.run.pipeline.addresses != "any":
            return self._unknown(ONE_LAYOUT)
        self.run.stage("check")
        check = check_contracts(self.program, contracts, self._links(), self.run.tick)
        doubt = self.run.doubted(self.property, check, contracts, "contracts")
        if doubt is not None:
            return doubt
        report = describe_contracts(self.program, contracts, check)
        return PropertyVerdict(self.property, Verdict.TRUE, certificate=report)

    def confirmed(self, script: Script) -> PropertyVerdict:
        """Replay a run that a claim tells; the verdict that it refutes."""
        replayed = self._replay(script)
        if replayed.limited:
            return self._unknown(replayed.problem or "")
        if replayed.problem is not None or not self._counts(script):
            raise Rejected(
                "the run was rejected:"
                f" {replayed.problem or 'it depends on where objects lie in memory'}",
                script,
            )
        return self._violated(script, replayed)

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the certificate or trace in the JSON object `data` is worth."""
        contracts = (data.get("certificate") or {}).get("kind") == "contracts"
        if self.loops is not None and not contracts and not (data.get("trace") or {}).get("script"):
            return self.loops.judge(data, file)
        if data.get("certificate"):
            verdict = self.certified(read_contracts(self.program, data["certificate"], file))
        else:
            verdict = self.confirmed(read_script(self.program.source, data["trace"], file))
        agree(data, verdict, programs=True)
        return verdict

    def _violated(self, script: Script, replayed: ScriptReplay) -> PropertyVerdict:
        return PropertyVerdict(
            self.property,
            Verdict.FALSE,
            trace=describe_script(self.program.source, script, replayed),
        )

    def _unknown(self, reason: str) -> PropertyVerdict:
        return self.run.unknown(self.property, reason)

    def _links(self) -> list[Link]:
        return self.run.links(
            [v.sort for p in self.program.all() for v in (*p.cfa.variables, *p.cfa.inputs)]
        )
