"""The trace of a C program for a person:
inputs and assignments only, line by line, repeated rounds of loops folded.

Left out are conditions, arguments and results of calls (their values are shown where they come
from), values of variables that are not initialised, and assignments that change nothing.
``--verbose`` and JSON have all steps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from obligato.frontends.preprocessing import OWN
from obligato.reports.c_texts import with_texts
from obligato.results.values import to_text

if TYPE_CHECKING:
    from obligato.reports.text import Sources
    from obligato.results.outcome import StepReport, TraceReport

MAX_VALUES = 8  # assignments that are shown of one line
MAX_ROUND = 60  # lines of one round of a loop that is folded
ROUNDS = 4  # a loop of so many equal rounds, or more, is folded
MAX_LINES = 200
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(r"\*?[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\w+\])*")
_INDEX = re.compile(r"\[([A-Za-z_]\w*)\]")
_POINTER = re.compile(r"(?P<pointer>[A-Za-z_]\w*)->(?P<member>.+)|\*(?P<to>[A-Za-z_]\w*)")
_ELEMENT = re.compile(r"\.([0-9]+)(?=\.|\[|$)")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_DECLARED = re.compile(r"@[0-9]+(:[0-9]+)*")
_INSTANCE = re.compile(r"#[0-9]+(?=\.|\[|->|$)")


@dataclass
class Line:
    """A line of the source with what its execution changed, and the inputs that it got."""

    step: int
    file: str
    line: int
    text: str
    values: dict[str, Any] = field(default_factory=dict)
    inputs: list[tuple[str, Any]] = field(default_factory=list)
    undefined: str = ""
    visible: dict[str, None] = field(default_factory=dict)  # as in `StepReport`


def c_trace_lines(t: TraceReport) -> Iterator[str]:
    """The trace as lines of text."""
    from obligato.reports.text import Sources, trace_lines

    if t.loop is not None or t.repeats or not t.steps:
        yield from trace_lines(t)
        return
    sources = Sources()
    lines = list(_changes(t.steps, sources))
    what = (
        f"the first {len(t.steps)} steps of a longer run"
        if t.cut
        else f"trace of {len(t.steps)} steps"
    )
    yield f"{what}, replayed (inputs and changes; all steps with --verbose):"
    shown = list(_folded(lines))
    skipped = len(shown) - MAX_LINES
    yield from shown if skipped <= 0 else shown[: MAX_LINES // 2]
    if skipped > 0:
        yield f"  ... {skipped} lines left out; --verbose and --json have more"
        yield from shown[-(MAX_LINES // 2) :]
    marks = list(dict.fromkeys(f"{s.undefined} in line {s.line}" for s in t.steps if s.undefined))
    if marks:
        yield f"  before that the run did what is undefined: {', '.join(marks)}"
    if t.violation:
        yield f"  violated: {t.violation}"
        yield from () if t.cut else _quoted(t.steps, sources)


def _functions(steps: Sequence[StepReport]) -> Mapping[str, object]:
    return dict.fromkeys(["main", *(s.function for s in steps if s.function)])


def _changes(steps: Sequence[StepReport], sources: Sources) -> Iterator[Line]:
    """The lines that change something."""
    functions, known = _functions(steps), dict[str, Any]()
    last: Line | None = None
    here = ("", 0)
    for number, s in enumerate(steps, 1):
        # what our definitions of library functions do is shown where they are called
        inside = s.file.startswith(OWN)
        here = here if inside else (s.file, s.line)
        text = sources.line(*here) or s.statement
        given = {
            n: v
            for n, v in s.assignments.items()
            if not (inside and ("::" in n or n.startswith("memory$")))
        }
        new = {
            _user_name(name, functions): value
            for name, value in given.items()
            if not _is_argument(name, s)
        }
        inputs = [(s.call, value) for value in list(new.values())[:1]] if s.call else []
        values = {
            n: v for n, v in new.items() if known.get(n) != v and _is_users(n, v, text, functions)
        }
        known |= new
        # globals before the run; variables without initialiser
        if not s.function or (s.inputs and not s.call):
            continue
        if not values and not inputs and not s.undefined:
            continue
        if last is None or (last.file, last.line) != here:
            if last is not None:
                yield last
            last = Line(number, *here, text)
        last.undefined = last.undefined or s.undefined
        last.values |= values
        last.visible |= dict.fromkeys(_user_name(name, functions) for name in s.visible)
        last.inputs += inputs
    if last is not None:
        yield last


def _user_name(name: str, functions: Mapping[str, object]) -> str:
    """The name without the function that it belongs to, and without the number of the call."""
    name = _ELEMENT.sub(r"[\1]", _INSTANCE.sub("", name))
    owner, colons, rest = name.partition("::")
    if colons:
        return rest if rest.partition(".")[0] != "result" else f"${rest}"
    owner, dot, rest = name.partition(".")
    return rest if dot and owner in functions else name


def _is_argument(name: str, s: StepReport) -> bool:
    """Is it a local of a function that is being called?"""
    owner, colons, _ = name.partition("::")
    return bool(colons and s.function) and owner != s.function


def _is_users(name: str, value: Any, text: str, functions: Mapping[str, object]) -> bool:
    """Is it a variable of the program that the line changes, as far as names tell?"""
    if isinstance(value, str) and value.startswith("&") and "=" not in text:  # an argument
        return False
    if ("$" in name and not name.startswith("memory$")) or name.partition(".")[0] == "result":
        return False
    if "." in name or "[" in name:
        return True
    called = name in functions or re.search(rf"\b{re.escape(name)}\s*\(", text) is not None
    return not called and (_is_mentioned(name, text) or ("*" in text and "(" not in text))


def _is_mentioned(name: str, text: str) -> bool:
    return not {*_WORD.findall(name)}.isdisjoint(_WORD.findall(text)) and "$" not in name


def _folded(lines: list[Line]) -> Iterator[str]:
    """The lines as text; of many equal rounds of a loop the first two and the last."""
    place = 0
    keys = [(x.file, x.line) for x in lines]
    while place < len(lines):
        size, times = _rounds(keys, place)
        if times < ROUNDS:
            yield _text(lines[place])
            place += 1
            continue
        end = place + size * times
        yield from map(_text, lines[place : place + 2 * size])
        what = ", ".join(
            _trends([lines[place + size * i : place + size * (i + 1)] for i in range(1, times - 1)])
        )
        rounds = (
            "round 3 of these lines is"
            if times == ROUNDS
            else f"rounds 3 to {times - 1} of these lines are"
        )
        yield f"  ...   {rounds} left out" + (f"; {what}" if what else "")
        yield from map(_text, lines[end - size : end])
        place = end


def _rounds(keys: list[tuple[str, int]], place: int) -> tuple[int, int]:
    """The size and number of equal rounds that start here, as many lines as possible."""
    best = (1, 1)
    for size in range(1, min(MAX_ROUND, (len(keys) - place) // ROUNDS) + 1):
        one, times = keys[place : place + size], 1
        while keys[place + size * times : place + size * (times + 1)] == one:
            times += 1
        if times >= ROUNDS and size * times > best[0] * best[1]:
            best = (size, times)
    return best


def _trends(rounds: list[list[Line]]) -> Iterator[str]:
    """The numbers that change by the same amount in each round."""
    histories: dict[str, list[Any]] = {}
    for lines in rounds:
        for name, value in {n: v for line in lines for n, v in line.values.items()}.items():
            histories.setdefault(name, []).append(value)
    for name, history in histories.items():
        if len(history) == len(rounds) and all(type(v) is int for v in history):
            steps = {b - a for a, b in pairwise(history)}
            if len(steps) == 1 and (by := steps.pop()):
                yield f"{name} {'grows' if by > 0 else 'falls'} by {abs(by)} each time"


def _text(line: Line) -> str:
    inputs = [f"input {name}() = {to_text(value)}" for name, value in line.inputs]
    named = _plainly(line.values, line.visible)
    values = [f"{name} = {to_text(value)}" for name, value in with_texts(named, line.text).items()]
    more = [] if len(values) <= MAX_VALUES else [f"and {len(values) - MAX_VALUES} more"]
    shown = (
        f"  {line.step:4}  {line.file}:{line.line}: {line.text}   "
        f" {', '.join([*inputs, *values[:MAX_VALUES], *more])}"
    )
    return f"{shown.rstrip()}{_mark(line.undefined)}"


def _plainly(values: Mapping[str, Any], visible: Mapping[str, object]) -> dict[str, Any]:
    """The values by names without the line of their declaration, where these mean them."""
    plain = {name: _DECLARED.sub("", name) if name in visible else name for name in values}
    count = Counter(plain.values())
    return {(p if count[p] == 1 else name): values[name] for name, p in plain.items()}


def _results(steps: Sequence[StepReport], text: str) -> Iterator[tuple[str, Any]]:
    """What the functions have returned that are called once in the line of the last step."""
    calls = Counter(_CALLED.findall(text))
    here = [s for s in steps if (s.file, s.line) == (steps[-1].file, steps[-1].line)]
    for name in (name for name, times in calls.items() if times == 1):
        variable = re.compile(rf"(.*::)?{name}(\$[0-9]+)?(#[0-9]+)?\$")
        found = [value for s in here for n, value in s.assignments.items() if variable.fullmatch(n)]
        if found:
            yield name, found[-1]


def _mark(undefined: str) -> str:
    return f"    <-- undefined behaviour: {undefined}" if undefined else ""


def _known(steps: Sequence[StepReport]) -> dict[str, Any]:
    """The last values of the variables that the function of the last step knows."""
    functions, here = _functions(steps), steps[-1].function
    hidden, plain, meant = dict[str, Any](), dict[str, Any](), dict[str, Any]()
    for full, value in (item for s in steps for item in s.assignments.items()):
        name = _user_name(full, functions)
        if full in steps[-1].visible:
            meant[_DECLARED.sub("", name)] = value
        elif "::" not in full and "@" not in full:
            plain[name] = value
        elif full.partition("::")[0] == here and "@" not in full:
            hidden[name] = value
    return hidden | plain | meant


def _resolved(place: str, known: Mapping[str, Any]) -> str:
    """The name of a place where indices are numbers and pointers lead to what they point to:
    ``p->a[i]`` is ``r.a[2]``.
    """
    plain = _INDEX.sub(lambda m: f"[{known.get(m[1], m[1])}]", place)
    found = _POINTER.fullmatch(plain)
    target = known.get(found["pointer"] or found["to"]) if found is not None else None
    if found is None or not isinstance(target, str) or not target.startswith("&"):
        return plain
    return f"{target[1:]}.{found['member']}" if found["member"] else target[1:]


def _quoted(steps: Sequence[StepReport], sources: Sources) -> Iterator[str]:
    """The line that fails, with the values of what it mentions, and of the calls in it."""
    step = steps[-1]
    text = sources.line(step.file, step.line) or step.statement
    results, known = dict(_results(steps, text)), _known(steps)
    places = dict.fromkeys(
        name for place in _PLACE.findall(text) for name in (place, *_INDEX.findall(place))
    )
    named = {
        p if _resolved(p, known) in known else p.removeprefix("*"): None
        for p in places
        if p not in results
    }
    values = [
        f"{p} = {to_text(known[_resolved(p, known)])}"
        for p in named
        if _resolved(p, known) in known
    ]
    values += [f"{name}(...) = {to_text(value)}" for name, value in results.items()]
    if text:
        yield f"    {text}" + (f"    where {', '.join(values)}" if values else "")
