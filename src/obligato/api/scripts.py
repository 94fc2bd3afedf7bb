"""Runs that are told by their scripts: what the interpreter makes of one, and the search that tries
runs (`engines.trials`).

A script says what a run does not determine itself. The interpreter runs the program as it was read;
if it fails an assertion of the property on its way, neither in a limit nor through an
over-approximation, the property is violated. A search by trials never proves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from obligato.api.describe_procedures import describe_script, read_script
from obligato.api.displayed import agree
from obligato.api.pipeline import Rejected, Run
from obligato.engines.trials import lengths, try_runs
from obligato.errors import InputError, Span
from obligato.models.procedures import Script
from obligato.program.syntax import Program
from obligato.results.outcome import EngineResult, PropertyVerdict, Verdict
from obligato.results.replay_script import replay_script
from obligato.results.script_trace import trace_of

if TYPE_CHECKING:
    from obligato.models.cfa import CFA
    from obligato.models.claims import Trace

LONGEST = 3000  # steps of a trace
SHOWN = 400  # steps: a run through large arrays has millions, each with a value of a whole array


def judge_script(
    run: Run, property: str, program: Program, data: Mapping[str, Any], file: str
) -> PropertyVerdict:
    """What the run in the JSON object `data` is worth."""
    if not data.get("trace"):
        raise InputError(
            "the engine trials finds failing runs only, so there is no certificate to check",
            Span(file),
        )
    verdict = _confirmed(run, property, program, read_script(program, data["trace"], file))
    agree(data, verdict, programs=True)
    return verdict


def _confirmed(run: Run, property: str, program: Program, script: Script) -> PropertyVerdict:
    """The verdict about a run that somebody claims."""
    if run.pipeline.addresses != "any":
        raise Rejected("the run depends on where objects lie in memory", script)
    run.stage("check")
    replayed = replay_script(program, script, run.tick, SHOWN)
    if replayed.limited:
        return run.unknown(property, replayed.problem or "")
    if replayed.problem is not None:
        raise Rejected(f"the run was rejected: {replayed.problem}", script)
    return PropertyVerdict(
        property, Verdict.FALSE, trace=describe_script(program, script, replayed)
    )


class Modelled(Protocol):
    """A program with the automaton that was built of it."""

    @property
    def cfa(self) -> CFA:
        """The automaton of the program."""


class Traces(Protocol):
    """A search that judges traces of an automaton."""

    @property
    def model(self) -> Modelled:
        """The model that traces are checked on."""

    def confirmed(self, trace: Trace) -> PropertyVerdict:
        """Replay a trace; the verdict that it refutes."""

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the claim in the JSON object `data` is worth."""


class TrialSearch:
    """The search for one property by trials; `program` was read for it. A run that is short enough
    is told as a trace of the automaton, which `usual` judges as any other.
    """

    def __init__(
        self, run: Run, property: str, program: Program, usual: Callable[[], Traces] | None
    ) -> None:
        self.run, self.property, self.program, self.usual = run, property, program, usual

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about how the input was read."""
        return self.program.notes

    def decide(self) -> PropertyVerdict:
        """Look for a failing run by trials; they prove nothing."""
        if self.run.pipeline.addresses != "any":
            return self.run.unknown(
                self.property,
                "trials cannot follow programs whose result depends on where objects lie in memory",
            )
        found: list[Script] = []
        result = self.run.prove(
            lambda program, options, env: self._tried(program, options, env, found), self.program
        )
        if not found:
            return self.run.unknown(self.property, self.run.why(result))
        return self.told(found[0])

    def told(self, script: Script) -> PropertyVerdict:
        """The verdict about a run that fails."""
        verdict = self._traced(script)
        return (
            _confirmed(self.run, self.property, self.program, script)
            if verdict is None
            else verdict
        )

    def _traced(self, script: Script) -> PropertyVerdict | None:
        """The verdict about the run as a trace, if it is one that is not too long."""
        if self.usual is None or len(script.values) > LONGEST:
            return None
        self.run.stage("lift")
        search = self.usual()
        trace = trace_of(search.model.cfa, script, LONGEST)
        return None if trace is None else search.confirmed(trace)

    def _tried(self, program: Program, options: Any, env: Any, found: list[Script]) -> EngineResult:
        script = try_runs(program, env, lengths(options.instructions))
        found += [] if script is None else [script]
        return EngineResult(Verdict.UNKNOWN, reason="no run that was tried fails")

    def judge(self, data: Mapping[str, Any], file: str) -> PropertyVerdict:
        """What the trace in the JSON object `data` is worth."""
        if self.usual is not None and not (data.get("trace") or {}).get("script"):
            return self.usual().judge(data, file)
        return judge_script(self.run, self.property, self.program, data, file)
