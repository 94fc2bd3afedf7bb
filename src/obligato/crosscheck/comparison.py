"""`crosscheck`: the original and the printed program, compiled, on the same inputs:
do they do the same?

Compared are the sequence of inputs asked for (by the name of the function, so calls of undefined
functions are among them), how a run ends (error, assumption, exit, return), the value of main, and
the globals of `observation`.  A run that does not end, reaches a limit of the model or an
over-approximation is compared up to there.  A run of the original that a sanitizer rejects is
discarded; a run that differs is discarded if the original also differs from itself when
uninitialised memory holds something else.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from obligato.crosscheck.inputs import words
from obligato.crosscheck.native import (
    INPUTS,
    Original,
    Stub,
    Toolchain,
    build_original,
    build_printed,
    run,
    toolchain,
)
from obligato.crosscheck.observation import Observed, observed
from obligato.crosscheck.printing import c_text, is_played
from obligato.program.syntax import Havoc, Program, statements
from obligato.terms import Kind

SIGPROF = 256 + 27
_UNDEFINED = re.compile(r"undefined function (\w+) ")  # notes of the front end
# how a run ends that says nothing about what follows
_OPEN = ("steps", "inputs", "limit", "approximation", "time")
UNDEFINED = "discarded: a sanitizer or the machine ended the original"
UNINITIALISED = "discarded: the original depends on uninitialised memory"


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did."""

    inputs: tuple[str, ...]
    end: str
    results: dict[str, str]
    status: int
    complaint: str = ""  # of a sanitizer
    beyond: str = ""  # a limit that was passed: the layout of memory, which is ours from there on

    @property
    def open(self) -> bool:
        """Does the end say nothing about what would follow?"""
        return self.end.split(" ")[0] in _OPEN


@dataclass(frozen=True, slots=True)
class Difference:
    """A run on which the two differ."""

    number: int
    what: str
    original: Run


@dataclass(slots=True)
class Report:
    """What was compared, with the result; `outcomes` counts the runs by how they ended."""

    tools: Toolchain
    observed: tuple[Observed, ...]
    outcomes: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    complaints: dict[str, None] = field(default_factory=dict)

    @property
    def complaint(self) -> str:
        """What a sanitizer said first."""
        return next(iter(self.complaints), "")

    @property
    def compared(self) -> int:
        """How many runs were compared, at least in part."""
        return sum(n for what, n in self.outcomes.items() if not what.startswith("discarded"))


def crosscheck(
    file: Path, program: Program, data_model: str, runs: int = 50, seed: int = 1
) -> Report:
    """Compare `program` with the file that it was read from;
    raises `CannotCompile` if one of the two cannot be built."""
    tools = toolchain(data_model)
    seen = observed(file, data_model, program)
    entry = program.procedures[program.entry]
    how = Original(stubs_of(program), seen, returns=bool(entry.results))
    inputs = [words(seed, n, INPUTS) for n in range(runs)]
    report = Report(tools, seen)
    with tempfile.TemporaryDirectory(prefix="crosscheck-") as name:
        folder = Path(name)
        text = c_text(program, seen)
        ours = _runs(build_printed(text, tools, folder, runs), inputs, tools, folder)
        theirs = _runs(build_original(file, how, tools, folder, runs), inputs, tools, folder)
        for n, (a, b) in enumerate(zip(theirs, ours, strict=False)):
            _judge(report, n, a, b)
        report.outcomes["discarded: the time for all runs was over"] += runs - min(
            len(theirs), len(ours)
        )
        if report.differences:
            zeros = _runs(
                build_original(file, how, tools, folder, runs, "zero"), inputs, tools, folder
            )
            _drop_uninitialised(report, zeros)
        if report.differences:
            pattern, zero = (
                _runs(build_printed(text, tools, folder, runs, fill), inputs, tools, folder)
                for fill in ("pattern", "zero")
            )
            _drop_same(report, zeros, pattern, zero)
    report.outcomes += Counter()  # without zeros
    return report


def _runs(
    binary: Path, inputs: Sequence[Sequence[int]], tools: Toolchain, folder: Path
) -> list[Run]:
    return [parsed(lines) for lines in run(binary, inputs, tools, folder)]


def stubs_of(program: Program) -> tuple[Stub, ...]:
    """The functions of the environment that a program calls."""
    found: dict[str, Stub] = {}
    for p in program.procedures.values():
        for s in statements(p.body):
            if isinstance(s, Havoc) and is_played(s):
                sort = s.targets[0].sort
                found.setdefault(s.source, Stub(s.source, sort.width, sort.kind is Kind.FLOAT))
    for note in program.notes:
        if (undefined := _UNDEFINED.match(note)) is not None:
            found.setdefault(undefined[1], Stub(undefined[1], 0))
    return tuple(found.values())


def parsed(lines: list[str]) -> Run:
    """A run from its log."""
    status = int(lines[-1].split()[1])
    inputs = tuple(x for x in lines if x.startswith("input "))
    results = dict(x.split(" ")[1:3] for x in lines if x.startswith("result "))
    last = lines[-2] if len(lines) > 1 and status == 77 else "time" if status == SIGPROF else "died"
    complaints = [x for x in lines if "runtime error: " in x or "ERROR: AddressSanitizer: " in x]
    beyond = next((x.removeprefix("beyond ") for x in lines if x.startswith("beyond ")), "")
    return Run(
        inputs,
        last.strip(),
        results,
        status,
        complaints[0] if complaints and last == "died" else "",
        beyond,
    )


def _judge(report: Report, number: int, original: Run, printed: Run) -> None:
    """Count one run, and keep it if the two differ."""
    if original.end == "died":
        report.outcomes[UNDEFINED] += 1
        report.complaints[original.complaint or f"status {original.status}"] = None
        return
    what = difference(original, printed)
    if what is not None and printed.beyond:
        report.outcomes[f"discarded: {printed.beyond}"] += 1
    elif what is not None:
        report.differences.append(Difference(number, what, original))
        report.outcomes["DIFFERENT"] += 1
    elif original.open or printed.open:
        reason = printed.end if printed.open else original.end
        report.outcomes[f"agree up to: {reason}"] += 1
    else:
        report.outcomes[f"agree: {printed.end}"] += 1


def difference(original: Run, printed: Run) -> str | None:
    """What differs between two runs on the same inputs;
    None if nothing that can be compared does."""
    if printed.end == "died":
        return f"the printed program died with status {printed.status}"
    common = min(len(original.inputs), len(printed.inputs))
    for i in range(common):
        if original.inputs[i] != printed.inputs[i]:
            return f"input {i}: original {original.inputs[i]}, ours {printed.inputs[i]}"
    for this, that, name in ((original, printed, "ours"), (printed, original, "the original")):
        if not this.open and len(that.inputs) > len(this.inputs):
            return f"{name} asks for more inputs: {that.inputs[common]}"
    if original.open or printed.open:
        return None
    if len(original.inputs) != len(printed.inputs):
        return "one asks for more inputs"
    if not _same_end(original.end, printed.end):
        return f"original ends with {original.end}, ours with {printed.end}"
    for name, value in original.results.items():
        if printed.results.get(name, value) != value:
            return f"{name}: original {value}, ours {printed.results[name]}"
    return None


def _same_end(original: str, printed: str) -> bool:
    if original == "assertion":  # an error or just an end, by the property
        return printed.startswith(("error", "halt"))
    return original.split(" ")[0] == printed.split(" ")[0]


def _drop_uninitialised(report: Report, zeros: list[Run]) -> None:
    """Runs in which the original differs from itself prove nothing."""
    _drop(report, lambda d: d.number < len(zeros) and zeros[d.number] != d.original)


def _drop_same(
    report: Report, zeros: list[Run], ours_pattern: list[Run], ours_zeros: list[Run]
) -> None:
    """Runs that agree as soon as what nothing has set holds the same bytes on both sides, whichever
    they are: the original asks for its sign, say, which gcc's two fillings have in common.
    """

    def same(d: Difference) -> bool:
        return all(
            d.number < len(ours) and difference(theirs, ours[d.number]) is None
            for theirs, ours in ((d.original, ours_pattern), (zeros[d.number], ours_zeros))
        )

    _drop(report, lambda d: d.number < len(zeros) and same(d))


def _drop(report: Report, is_open: Callable[[Difference], bool]) -> None:
    """Differences that come from uninitialised memory are discarded."""
    kept = [d for d in report.differences if not is_open(d)]
    dropped = len(report.differences) - len(kept)
    report.outcomes["DIFFERENT"] -= dropped
    report.outcomes[UNINITIALISED] += dropped
    report.differences = kept
