"""An outcome as text for a person: invariants at loop heads in C syntax,
or the trace step by step with source lines.

The last line is the verdict as BenchExec spells it; the reason of an unknown is on the line before
(DESIGN 2). Of several properties each has a line of its own before, and the last one sums up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from obligato.frontends.preprocessing import LIBRARY, OWN
from obligato.frontends.registry import InputKind, find_language
from obligato.reports.advice import advice
from obligato.reports.excerpt import printable
from obligato.reports.streams import stream_table
from obligato.reports.witness import witness_lines
from obligato.results.outcome import (
    CertificateReport,
    CoreReport,
    InvariantReport,
    Outcome,
    PropertyVerdict,
    ReachReport,
    StepReport,
    TraceReport,
)
from obligato.results.values import to_text

MAX_STEPS = 200  # a longer trace is shown by its two ends; JSON has all of it
MAX_INPUTS = 12  # inputs of a transition system that are shown at a step; JSON has all of them
MAX_FORMULA = 2000  # characters of one invariant


def report(
    outcome: Outcome, *, quiet: bool = False, stats: bool = False, verbose: bool = False
) -> str:
    """The text of an outcome, without a final newline."""
    lines: list[str] = []
    if not quiet:
        lines += [f"note: {note}" for note in outcome.notes]
        lines += (
            _several(outcome, verbose)
            if outcome.verdicts
            else _claim(outcome, outcome.file, verbose)
        )
        lines += _coverage(outcome.coverage)
    if stats:
        lines += statistics(outcome.stats)
    if outcome.reason is not None and not quiet:
        lines += [*advice(outcome), outcome.reason]
    whole = "\n".join([*lines, str(outcome)])
    # names and statements are the input's
    return "\n".join(printable(line.expandtabs()) for line in whole.split("\n"))


def _several(outcome: Outcome, verbose: bool) -> Iterator[str]:
    """Each certificate or trace once, followed by the verdicts that it justifies."""
    groups: dict[int, list[PropertyVerdict]] = {}
    for v in outcome.verdicts:
        groups.setdefault(id(v.certificate or v.trace or v), []).append(v)
    properties = {v.property for v in outcome.verdicts if v.check is None}
    for group in groups.values():
        whole = [v for v in group if v.check is None]
        if (
            whole
            or verbose
            or any(v.check is not None and v.check.property not in properties for v in group)
        ):
            yield from _claim(group[0], outcome.file, verbose)
        yield from (f"{v.property}: {v}" + (f" ({v.reason})" if v.reason else "") for v in whole)
    said = frozenset(v.reason for v in outcome.verdicts if v.check is None)
    yield from _checks([v for v in outcome.verdicts if v.check is not None], said)


def _coverage(found: Sequence[ReachReport]) -> Iterator[str]:
    """What runs reach; of branches only those that none is known to take."""
    if found:
        count = Counter(r.reached for r in found)
        yield (
            f"reached by runs: {count['yes']} of {len(found)} assertions, assumptions and branches"
        )
    for r in found:
        if r.reached != "yes" or r.kind != "branch":
            word = {"yes": "reached", "no": "not reached", "unknown": "unknown"}[r.reached]
            yield f"  {word:11}  {r.kind:10}  {r.file}:{r.line}: {r.text}    ({r.evidence})"


def _checks(verdicts: list[PropertyVerdict], said: frozenset[str | None]) -> Iterator[str]:
    """A line for each single check:
    its name, its verdict, the line of the source, and the reason if it was not `said`."""
    if verdicts:
        count = Counter(v.verdict.value for v in verdicts)
        yield (
            f"{len(verdicts)} checks:"
            f" {', '.join(f'{n} {verdict}' for verdict, n in sorted(count.items()))}"
        )
    sources, width = Sources(), max((len(v.property) for v in verdicts), default=0)
    for v in verdicts:
        assert v.check is not None
        place = f"{v.check.file}:{v.check.line}: {sources.line(v.check.file, v.check.line)}"
        why = f"    ({v.reason})" if v.reason not in (None, *said) else ""
        yield f"  {v.property:{width}}  {v.verdict.value:7}  {place}{why}"


def _claim(v: PropertyVerdict, file: str, verbose: bool) -> Iterator[str]:
    """The certificate or trace of a verdict, shown as its type says."""
    claim = v.certificate or v.trace
    if claim is not None:
        yield from SHOWN[type(claim)](claim, file, verbose)


class Sources:
    """Lines of source files, read once each; nothing where a file cannot be read."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        """Line `number` (from 1) of `file`, stripped, or nothing."""
        if number > 0 and file not in self._files:
            self._files[file] = self._read(file)
        lines = self._files.get(file, [])
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    @staticmethod
    def _read(file: str) -> list[str]:
        path = LIBRARY / file.removeprefix(OWN) if file.startswith(OWN) else Path(file)
        try:
            return (
                path.read_text(encoding="utf-8", errors="replace").splitlines()
                if path.is_file()
                else []
            )
        except OSError:
            return []


def _certificate(c: CertificateReport, file: str, verbose: bool) -> Iterator[str]:
    heads = [i for i in c.invariants if verbose or (i.loop_head and i.source != "")]
    if c.form == "bounds":
        yield f"all runs end after at most {c.k} passages between loops, without an error"
    elif heads:
        texts = [_invariant(i) for i in heads]
        names = [
            name
            for name, _ in (*([c.index] if c.index else []), *c.indices)
            if any(name in text for text in texts)
        ]
        every = f", for every {', '.join(names)}" if names else ""
        what = {"model": "formula", "contracts": "contract and invariant"}.get(c.form, "invariant")
        yield f"{_strength(c)} {what}{'s' if len(heads) > 1 else ''}{every}:"
        yield from texts
    if c.bounds:
        yield from witness_lines(c.witness)
    own = "" if c.independent else ", the engine's own solver among them"
    yield (
        f"certificate accepted by {c.checker or 'the checker without a query'}{own} in"
        f" {c.check_time_s:.2f} s"
    )
    yield from () if c.core is None else _core(c.core)


def _core(core: CoreReport) -> Iterator[str]:
    """What a proof needs of its input."""
    needed, sources = [p for p in core.parts if p.needed], Sources()
    what = "lines" if any(p.line for p in core.parts) else "equations and constraints"
    short = "" if core.minimal else ", at most: there was no time to try all"
    yield f"the proof needs {len(needed)} of {len(core.parts)} {what}{short}:"
    for p in needed:
        yield (
            f"  {p.file}:{p.line}: {sources.line(p.file, p.line)}"
            if p.line
            else f"  {p.kind} {p.text}"
        )


def _strength(c: CertificateReport) -> str:
    if c.form == "walls":
        return (
            f"{len(c.invariants) - 1} walls that every infinite run stops crossing, and an"
            " inductive"
        )
    if c.form == "saved":
        return "no state recurs on a fair loop, by an inductive"
    if c.form == "branching":
        return (
            f"{len(c.bounds['entries'])} steps to the bounds that decide the formula, within an"
            " inductive"
        )
    if c.form == "counted":
        return f"no run has more than {c.k} rounds of fair steps, by an inductive"
    if c.form == "model":
        return "model of the relations, by their arguments x0, x1, ...:"
    if c.form == "ranks":
        counted = "".join(
            f"{name} counts how often a run leaves its loop's head; " for name, _, _ in c.counters
        )
        return (
            counted
            + "every loop has a rank (compared by components, words as unsigned numbers) that"
            " decreases within the inductive"
        )
    if c.form == "contracts":
        return "x@entry is x when its procedure was entered;"
    return f"{c.k}-inductive" if c.k > 1 else "inductive"


def _invariant(i: InvariantReport) -> str:
    place = f"{i.file}:{i.line}" if i.line else i.name
    text = next(text for text in (i.source, i.c, _readable(i), i.formula) if text is not None)
    shown = (
        text
        if len(text) <= MAX_FORMULA
        else f"{text[:MAX_FORMULA]} ... ({len(text)} characters; --json has all)"
    )
    ranked = f"; rank ({', '.join(i.rank)})" if i.rank else ""
    ranked += f"; watched ({', '.join(i.watched)})" if i.watched else ""
    return f"  {place}: {shown}{ranked}"


def _readable(i: InvariantReport) -> str | None:
    """The parts of a formula about a C program that C can say; it is never shown as SMT-LIB."""
    language = find_language(i.file)
    if language is None or "markers" not in language.reading:
        return None
    rest = f"{i.unsaid or 'some'} conditions that C cannot say (--json has them)"
    return f"{' && '.join(f'({c})' for c in i.conjuncts)}, and {rest}" if i.conjuncts else rest


def _trace(t: TraceReport, file: str, verbose: bool) -> Iterable[str]:
    """A trace as its language shows it."""
    if t.streams:
        return stream_table(t, verbose)
    language = find_language(file)
    own = language.hook("trace") if language is not None and not verbose else None
    show: Callable[[TraceReport], Iterable[str]] = own or trace_lines
    system = language.kind is InputKind.SYSTEM if language is not None else _of_system(t)
    return show(with_inputs(t) if system else t)


def _of_system(t: TraceReport) -> bool:
    """Is this the trace of a transition system that was built in Python?"""
    return all(s.statement == f"step {s.edge}" for s in t.steps)


def with_inputs(t: TraceReport) -> TraceReport:
    """The trace of a transition system with the inputs of its steps, as far as they change,
    among what the steps show."""
    steps, before = [], dict[str, Any]()
    for step in t.steps:
        changed = {name: value for name, value in step.inputs.items() if before.get(name) != value}
        few = dict(list(changed.items())[:MAX_INPUTS])
        steps.append(replace(step, assignments=step.assignments | few))
        before |= step.inputs
    return replace(t, steps=tuple(steps))


def trace_lines(t: TraceReport) -> Iterator[str]:
    """A trace by one line for each step."""
    sources = Sources()
    if t.loop is None:
        length = len(t.steps) + sum((end - start) * (times - 1) for start, end, times in t.repeats)
        how = "replayed, repeated rounds by induction" if t.repeats else "replayed"
        yield f"trace of {length} steps, {how}:"
    elif t.sets:
        yield (
            f"infinite run of {t.loop} steps, replayed, into a set that some run never leaves, as a"
            " solver has shown:"
        )
    else:
        yield (
            f"infinite run of {t.loop} steps and then {(t.length or len(t.steps)) - t.loop} again"
            " and again, replayed:"
        )
    if t.start:
        yield f"  start: {_values(t.start)}"
    shown = list(enumerate(t.steps, 1))
    skipped = len(shown) - MAX_STEPS
    for n, step in shown if skipped <= 0 else shown[: MAX_STEPS // 2]:
        yield from _marked(n, step, t, sources)
    if skipped > 0:
        yield f"  ... {skipped} steps left out; --json has all"
        for n, step in shown[-(MAX_STEPS // 2) :]:
            yield from _marked(n, step, t, sources)
    if t.length is not None:
        yield (
            f"  ... {t.length - len(t.steps)} steps left out, in which the inputs stay as they are"
        )
    yield from (f"  then for ever at {_invariant(i).strip()}" for i in t.sets)
    if t.loop is not None and not t.sets:
        yield f"  and again from step {t.loop + 1} on"
    if t.violation:
        yield f"  violated: {t.violation}"


def _marked(n: int, s: StepReport, t: TraceReport, sources: Sources) -> Iterator[str]:
    """A step; the first one of a loop is marked."""
    if t.loop == n - 1:
        yield "  loop:"
    yield _step(n, s, sources)
    for start, end, times in t.repeats:
        if end == n:
            yield (
                f"  steps {start + 1} to {end} are taken {times} times, which was shown by"
                " induction"
            )


def _step(n: int, s: StepReport, sources: Sources) -> str:
    place = f"{s.file}:{s.line}" if s.line else "-"
    what = s.statement or sources.line(s.file, s.line)
    values = f"    {_values(s.assignments)}" if s.assignments else ""
    undefined = f"    <-- undefined behaviour: {s.undefined}" if s.undefined else ""
    return f"  {n:4}  {place}: {what}{values}{undefined}"


def _values(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {to_text(value)}" for name, value in values.items())


SHOWN: dict[type, Callable[[Any, str, bool], Iterable[str]]] = {
    CertificateReport: _certificate,
    TraceReport: _trace,
}


def statistics(stats: dict[str, Any]) -> list[str]:
    """One figure a line."""
    width = max(map(len, stats), default=0)
    return [f"  {name:{width}}  {_figure(value)}" for name, value in stats.items()]


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return "; ".join(map(_figure, value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {_figure(v)}" for k, v in value.items())
    return str(value)
