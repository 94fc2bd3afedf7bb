"""What a run comes to: verdict, certificate, trace, and the outcome that reports are made of.

`EngineResult` is what an engine claims. Certificates and traces (`models.claims`) are claims until
`results.checking` has accepted them; an `Outcome` is plain data (no terms), so that it can leave
the process and be written as JSON (DESIGN 2).
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from obligato.models.claims import Certificate, Trace, TraceStep
from obligato.results import display

if TYPE_CHECKING:
    from obligato.errors import Span
    from obligato.models.ctl_claims import Bounds
    from obligato.models.horn import Derivation, HornModel
    from obligato.models.live_claims import Lasso, LiveCertificate
    from obligato.models.rank_claims import RunClaim
    from obligato.models.ts_claims import SystemCertificate, SystemTrace
    from obligato.terms import Value

__all__ = [
    "Certificate",
    "CertificateReport",
    "CtlResult",
    "EngineResult",
    "HornResult",
    "InvariantReport",
    "LiveResult",
    "Outcome",
    "PropertyVerdict",
    "ReplayStep",
    "RunResult",
    "StepReport",
    "StreamReport",
    "SystemResult",
    "Trace",
    "TraceReport",
    "TraceStep",
    "Verdict",
    "summary",
]


NO_TRUTH = (
    "a verdict has three values; compare it: outcome.verdict is Verdict.TRUE (proved),"
    " Verdict.FALSE (refuted) or Verdict.UNKNOWN, or ask outcome.proved and outcome.refuted"
)


class Verdict(Enum):
    """TRUE: the property holds; FALSE: a run violates it; UNKNOWN: neither is known."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError(NO_TRUTH)


@dataclass(frozen=True, slots=True)
class Result:
    """What an engine comes to. TRUE and FALSE come with a claim that justifies them, UNKNOWN with a
    reason.
    """

    verdict: Verdict
    reason: str | None = field(default=None, kw_only=True)
    stats: dict[str, Any] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class EngineResult(Result):
    """What an engine claims about a program: TRUE comes with a certificate, FALSE with a trace."""

    certificate: Certificate | None = None
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class SystemResult(Result):
    """What an engine claims about a transition system; like `EngineResult`."""

    certificate: SystemCertificate | None = None
    trace: SystemTrace | None = None


@dataclass(frozen=True, slots=True)
class LiveResult(Result):
    """What an engine claims about a property of infinite runs; like `EngineResult`."""

    certificate: LiveCertificate | None = None
    trace: Lasso | None = None


@dataclass(frozen=True, slots=True)
class RunResult(Result):
    """What an engine claims about the infinite runs of a program:
    TRUE with ranks, FALSE with a run."""

    claim: RunClaim | None = None


@dataclass(frozen=True, slots=True)
class HornResult(Result):
    """What an engine claims about Horn clauses; like `EngineResult`."""

    model: HornModel | None = None
    derivation: Derivation | None = None


@dataclass(frozen=True, slots=True)
class CtlResult(Result):
    """What an engine claims about a property of branching time;
    the bounds justify TRUE and FALSE."""

    bounds: Bounds | None = None


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One executed statement of a replayed trace, for the user."""

    span: Span
    statement: str
    assignments: dict[str, Value]
    inputs: dict[str, Value]


@dataclass(frozen=True, slots=True)
class InvariantReport:
    """The formula at one location: as SMT-LIB, as C where that is possible, and as `source` in the
    language of the input where that has formulas of its own; `instances` as in `Certificate`,
    `relative` as in `Wall`.

    `conjuncts`: of a C program, the parts of the formula that are C expressions with that very
    meaning at this place; `unsaid` counts the others."""

    location: int
    name: str
    file: str
    line: int
    formula: str
    c: str | None
    loop_head: bool
    instances: tuple[str, ...] = ()
    source: str | None = None
    column: int = 0
    function: str = ""
    relative: tuple[int, ...] = ()
    conjuncts: tuple[str, ...] = ()
    unsaid: int = 0
    rank: tuple[str, ...] | None = None  # of `models.rank_claims.Ranking`, as SMT-LIB
    watched: tuple[str, ...] = ()  # of `models.live_claims.Saved`, as SMT-LIB


@dataclass(frozen=True, slots=True)
class PartReport:
    """A part of the input, and whether a proof needs it: a line of a program; of a transition
    system a conjunct of the initial states (init), of the transition relation (next, with the
    `name` of the variable that it determines), or a constraint."""

    kind: str
    needed: bool
    name: str = ""
    text: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class CoreReport:
    """What a proof needs of its input (`results.core`); `minimal`:
    without any of it, it would be none."""

    parts: tuple[PartReport, ...]
    minimal: bool


@dataclass(frozen=True, slots=True)
class CertificateReport:
    """An accepted certificate; `checker` names the solvers that discharged its obligations.

    `distinct`: of a system, the variables in which the states of the k steps are taken to differ.
    `index`: name and sort of the variable for all of whose values the formulas hold, if any.
    `indices`: of a transition system, names and sorts of such variables; `places`: values of them,
    as SMT-LIB, at which the invariant is assumed as well; `differences`: name and sort of a place,
    and the two arrays that differ there if they do.
    `form`: of a proof about infinite runs its kind (`models.live_claims`): walls (the first
    invariant is R, the others are the walls in their order), saved, or counted (`k` rounds at
    most). Of Horn clauses: model, a formula for each relation. Of programs: bounds, no run makes
    more than `k` passages between the locations of the invariants, and `dead` says after how many
    of them no run is where, `jumps` after how many the last one is repeated how often
    (`models.claims.Unwinding`). Of infinite runs of programs: ranks, each location has a tuple
    (`rank`). Of recursive programs: contracts. Of branching time: branching, see
    `models.ctl_claims`; the entries are in `bounds`, and `witness` explains the value of the
    formula in one initial state (`results.checking.explain`).
    """

    k: int
    invariants: tuple[InvariantReport, ...]
    checked: bool
    independent: bool
    checker: str
    check_time_s: float
    distinct: tuple[str, ...] = ()
    index: tuple[str, str] | None = None
    form: str = ""
    dead: tuple[tuple[int, int], ...] = ()
    bounds: dict[str, Any] = field(default_factory=dict)
    witness: dict[str, Any] = field(default_factory=dict)
    jumps: tuple[tuple[int, int], ...] = ()
    core: CoreReport | None = None
    indices: tuple[tuple[str, str], ...] = ()
    places: tuple[tuple[str, ...], ...] = ()
    differences: tuple[tuple[str, str, str, str], ...] = ()
    # beside ranks: name, bits, locations
    counters: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    # of `models.claims.Certificate`: name, sort, location, value as SMT-LIB
    ghosts: tuple[tuple[str, str, int, str], ...] = ()

    @property
    def kind(self) -> str:
        """inductive, k-inductive, bounds, walls, saved, counted, model, contracts,
        ranks or branching."""
        return self.form or ("inductive" if self.k == 1 else "k-inductive")


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step of a trace; values as `results.values` writes them, by the user's variable names.

    `premises`: of a derivation from Horn clauses, the steps (from 0) that this one rests on;
    `edge` is then the clause.
    `call`: the function of the environment whose result the inputs are."""

    edge: int
    file: str
    line: int
    statement: str
    assignments: dict[str, Any]
    inputs: dict[str, Any]
    column: int = 0
    function: str = ""
    premises: tuple[int, ...] | None = None
    call: str = ""
    undefined: str = ""  # of C: what was undefined behaviour at this step, if that was found
    # of C: the variables of the function with a namesake that their plain name means here
    visible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamReport:
    """A stream of the input over a trace: an input, state, output or local (`kind`);
    values are written as in the input."""

    kind: str
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TraceReport:
    """A replayed trace. `initial` are all start values by full name, `start` those that the run
    reads by the user's names; `violation` is what fails at its end. `loop`: of an infinite run, the
    step (from 0) to which the last one leads back;
    `length`: of one with too many steps to tell, how many there are,
    while `steps` are the first ones.
    `streams`: the same run, as a second reader of the input computed it."""

    initial: dict[str, Any]
    start: dict[str, Any]
    steps: tuple[StepReport, ...]
    replayed: bool
    violation: str = ""
    streams: tuple[StreamReport, ...] = ()
    loop: int | None = None
    length: int | None = None
    witness: str = ""  # the run in the input's own format, if it was asked for
    script: dict[str, Any] | None = (
        None  # of a recursive program: what the run is told; `steps` then only display it
    )
    # of a system: the bits of variables that have a fixed number of them
    widths: dict[str, int] = field(default_factory=dict)
    # of an infinite run: the recurrence sets that it ends in
    sets: tuple[InvariantReport, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)  # of the inputs, in these sets
    cut: bool = False  # of a run that is told by its script: it goes on after these steps
    # first step (from 0), end, how often: `models.claims.Repeat`
    repeats: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A single check of a property: its place in the source, and what it demands there."""

    property: str
    file: str
    line: int
    column: int
    label: str


@dataclass(frozen=True, slots=True)
class ReachReport:
    """Does a run make an observation? `kind` is assertion (is it evaluated?), assumption (does a
    run go on after it?) or branch (is it taken?);
    `reached` is yes, no or unknown, and `evidence` says why."""

    kind: str
    file: str
    line: int
    text: str
    reached: str
    evidence: str


@dataclass(frozen=True, slots=True, repr=False)
class PropertyVerdict:
    """What is known about one property:
    TRUE with a certificate, FALSE with a trace, or UNKNOWN with a reason.

    Properties that were proved or refuted together have the same certificate or trace.
    """

    property: str
    verdict: Verdict
    reason: str | None = None
    certificate: CertificateReport | None = None
    trace: TraceReport | None = None
    # which one, if it is about a single check of a property
    check: CheckReport | None = field(default=None, kw_only=True)

    def __bool__(self) -> bool:
        raise TypeError(NO_TRUTH)

    @builtins.property
    def proved(self) -> bool:
        """Is the property proved, by a certificate that was accepted?"""
        return self.verdict is Verdict.TRUE

    @builtins.property
    def refuted(self) -> bool:
        """Is the property refuted, by a trace that was replayed?"""
        return self.verdict is Verdict.FALSE

    @builtins.property
    def unknown(self) -> bool:
        """Is neither known? `reason` says why."""
        return self.verdict is Verdict.UNKNOWN

    def __repr__(self) -> str:
        return f"<{self.property}: {self}{display.because(self)}>"

    def _repr_html_(self) -> str:
        return display.html_text(self)

    def __str__(self) -> str:
        """The verdict as BenchExec spells it;
        of memory safety it names the part that is violated."""
        if self.verdict is not Verdict.FALSE:
            return str(self.verdict.value)
        violated = self.trace.violation.rpartition(": ")[2] if self.trace is not None else ""
        about = self.property if self.check is None else self.check.property
        asked = "unreach-call" if about == "assertions" else about
        return f"false({violated if violated.startswith('valid-') else asked})"


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(PropertyVerdict):
    """Everything that is known at the end of a run.

    Of several properties, `verdicts` has one each, and what is inherited sums up: FALSE with the
    first trace if one is false, else UNKNOWN with the first reason if one is unknown, else TRUE,
    with the certificate if one proves them all.
    """

    file: str = ""
    engine: str = ""
    preset: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    notes: tuple[str, ...] = ()
    stats: dict[str, Any] = field(default_factory=dict)
    verdicts: tuple[PropertyVerdict, ...] = ()
    names: tuple[str, ...] = ()  # of all properties that were decided
    coverage: tuple[ReachReport, ...] = ()  # what runs reach, if that was asked for
    # by property, "" for all: see `api.drawing`; for pages, not in JSON
    pictures: dict[str, Any] = field(default_factory=dict)
    log: tuple[str, int] | None = (
        None  # a file, and the byte from which on it has the events of this run; for pages
    )

    def __repr__(self) -> str:
        return f"<{self.file}: {self}{display.because(self)}>"

    def __getitem__(self, name: str) -> PropertyVerdict:
        """The verdict about one of the properties."""
        found = {v.property: v for v in self.verdicts} or dict.fromkeys(
            (*self.names, self.property), self
        )
        if name not in found:
            raise KeyError(f"there is no property {name!r}; there are: {', '.join(found)}")
        return found[name]


def summary(
    file: str, property: str, verdicts: tuple[PropertyVerdict, ...], **about: Any
) -> Outcome:
    """The outcome of a run that asked for `property` and found these verdicts, at least one."""
    for verdict in (Verdict.FALSE, Verdict.UNKNOWN, Verdict.TRUE):
        found = [v for v in verdicts if v.verdict is verdict]
        if found:
            break
    first = found[0]
    shared = first.certificate if all(v.certificate is first.certificate for v in found) else None
    several = verdicts if len(verdicts) > 1 else ()
    names = tuple(v.property for v in verdicts)
    return Outcome(
        property,
        verdict,
        first.reason,
        shared,
        first.trace,
        file=file,
        verdicts=several,
        names=names,
        check=first.check if len(verdicts) == 1 else None,
        **about,
    )
