"""The search for the player of a page:
events of the log, few enough for a page, with readable literals.

Of a long log the beginning and the end are kept. Between them stands one event `gap`, which says
how many were left out and has the lemmas and obligations as they are then, so that the player goes
on from there. Literals are numbers of rows of `texts`: a formula and its negation; a negative
number is the negation (numbers start from 1).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from obligato.reports.page.formulas import Readable

LITERALS = ("cube", "core", "lemma", "predicates", "region")  # fields that hold a list of literals
MAX_LEMMAS, MAX_OBLIGATIONS = 1500, 500  # that a gap shows, the newest ones

Event = dict[str, Any]


def search_data(file: str, start: int, most: int, readable: Readable) -> dict[str, Any]:
    """The events of a log from the byte `start` on, at most so many; `total` counts all of them."""
    head: list[Event] = []
    tail: deque[Event] = deque()
    moment, literals = _Moment(), _Literals(readable)
    total = 0
    for event in _events(Path(file), start):
        literals.learn(event)
        if event["event"] == "literal":
            continue
        total += 1
        literals.resolve(event)
        if total <= most // 2:
            moment.apply(event)
            head.append(event)
        else:
            tail.append(event)
            if len(tail) > most - most // 2:
                moment.apply(tail.popleft())
    omitted = total - len(head) - len(tail)
    gap = [moment.gap(omitted)] if omitted else []
    events = [*head, *gap, *tail]
    return {
        "events": [literals.numbered(e) for e in events],
        "texts": literals.texts(),
        "total": total,
        "omitted": omitted,
    }


def _events(file: Path, start: int) -> Iterator[Event]:
    """The events of a log; a last line that was cut off is left out."""
    try:
        with file.open("rb") as lines:
            lines.seek(start)
            for line in lines:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict) and isinstance(event.get("event"), str):
                    yield event
    except OSError:
        return


class _Literals:
    """What literals mean. Engines write them as formulas,
    or as numbers that an event `literal` has explained."""

    def __init__(self, readable: Readable) -> None:
        self.readable = readable
        self._meaning: dict[int, str] = {}
        self._rows: dict[str, int] = {}

    def learn(self, event: Event) -> None:
        """A search begins with new numbers; an event `literal` explains one."""
        if event["event"] in ("search", "frontier") and event.get("k", 0) == 0:
            self._meaning = {}
        elif event["event"] == "literal":
            self._meaning[event["number"]] = str(event["formula"])

    def resolve(self, event: Event) -> None:
        """Numbers in an event become the formulas that they stand for now,
        negative ones as ("not", formula)."""
        for name in LITERALS:
            value = event.get(name)
            if isinstance(value, str):
                event[name] = [value]
            elif isinstance(value, list):
                event[name] = [self._resolved(x) for x in value]

    def _resolved(self, literal: Any) -> Any:
        if isinstance(literal, int):
            formula = self._meaning.get(abs(literal), f"literal {abs(literal)}")
            return formula if literal > 0 else ("not", formula)
        return str(literal)

    def numbered(self, event: Event) -> Event:
        """The event with rows of `texts` for its literals;
        of a gap, those of its lemmas and obligations."""
        if event["event"] == "gap":
            return event | {
                name: [self.numbered(x | {"event": ""}) for x in event[name]]
                for name in ("lemmas", "obligations")
            }
        return {
            name: [self._number(x) for x in value]
            if name in LITERALS and isinstance(value, list)
            else value
            for name, value in event.items()
        }

    def _number(self, literal: Any) -> int:
        sign, formula = (1, literal) if isinstance(literal, str) else (-1, literal[1])
        return sign * self._rows.setdefault(formula, len(self._rows) + 1)

    def texts(self) -> list[tuple[str, str]]:
        """The rows: each formula that occurs, and its negation."""
        return [self.readable.pair(formula) for formula in self._rows]


class _Moment:
    """The state of a search at some moment:
    its lemmas, by location and cube, and its obligations, by number."""

    def __init__(self) -> None:
        self._levels: dict[tuple[Any, tuple[Any, ...]], int] = {}
        self._obligations: dict[int, Event] = {}
        self._frontier = 0

    def apply(self, event: Event) -> None:
        """What an event changes."""
        kind = event["event"]
        if kind == "search" or (kind == "frontier" and event["k"] <= self._frontier):
            self._levels, self._obligations, self._frontier = {}, {}, 0
        if kind == "frontier":
            self._frontier = event["k"]
        elif kind == "refinement":
            self._obligations = {}
        elif "number" in event:
            self._obligation(event)
        elif "cube" in event:
            self._lemma(event)

    def _obligation(self, event: Event) -> None:
        if event["event"] == "obligation":
            self._obligations[event["number"]] = dict(event)
        elif event["event"] == "requeue" and event["number"] in self._obligations:
            self._obligations[event["number"]]["level"] = event["level"]

    def _lemma(self, event: Event) -> None:
        key = (event.get("location"), tuple(event["cube"]))
        if event["event"] in ("lemma", "push") and "level" in event:
            self._levels[key] = event["level"]
        elif event["event"] == "drop":
            self._levels.pop(key, None)

    def gap(self, omitted: int) -> Event:
        """The event that stands for those which were left out."""
        shown = list(self._levels.items())[-MAX_LEMMAS:]
        lemmas = [
            {"location": location, "level": level, "cube": list(cube)}
            for (location, cube), level in shown
        ]
        kept = list(self._obligations.values())[-MAX_OBLIGATIONS:]
        hidden = len(self._levels) - len(shown) + len(self._obligations) - len(kept)
        return {
            "event": "gap",
            "omitted": omitted,
            "k": self._frontier,
            "lemmas": lemmas,
            "obligations": kept,
            "hidden": hidden,
        }
