"""What a witness says, put into the text of a C program where it says it: calls of `MARK`, which
the front end lowers.

A marker is evaluated at its place and changes nothing that the program sees. An *invariant* is an
assertion there. A *waypoint* moves the run from one segment of a violation sequence to the next;
the front end keeps the segment in a variable of its own (marking.py), and only a run that has
passed all segments can violate the property.

A waypoint is passed at the first opportunity. Those of a *cycle* are passed in turn, again and
again. Expressions of a witness are C without effects (`check_expression`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from obligato.errors import InputError, Span, Unsupported
from obligato.frontends.c import kinds as k
from obligato.frontends.c.catalogue import MARK
from obligato.frontends.c.positions import LOOPS, Piece, Positions, behind_labels, pieces_on
from obligato.frontends.c.source import Source
from obligato.frontends.c.types import VoidType

RESULT = "\\result"
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)|(?P<char>'(?:[^'\\\n]|\\.)+')|(?P<empty>\"\")"
    r"|(?P<op>--|\+\+|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:()\[\].])|(?P<result>\\result\b))"
)
_DIGRAPH = re.compile("<%|%>|<:|:>|%:")  # other spellings of brackets
_BRANCHES = ("true", "false")
_CALLED = re.compile(r"sizeof|_Alignof|__builtin_(?:nan|inf|isnan|isinf|isnormal|fabs|sqrt)f?")


class Kind(Enum):
    """What a marker is; the names are those of witness format 2.0."""

    LOOP_INVARIANT = "loop_invariant"
    LOCATION_INVARIANT = "location_invariant"
    ASSUMPTION = "assumption"
    BRANCHING = "branching"
    ENTER = "function_enter"
    RETURN = "function_return"
    TARGET = "target"


INVARIANTS = (Kind.LOOP_INVARIANT, Kind.LOCATION_INVARIANT)


def passed(markers: Iterable[Marker]) -> int:
    """The number of segments: when all are passed, a run is in this one."""
    return max((m.segment for m in markers), default=-1) + 1


@dataclass(frozen=True, slots=True)
class Marker:
    """One invariant, or one waypoint of the segment number `segment`; to `follow` it, or to avoid
    it.

    `said`: where it stands in the witness, for messages. A column of None is the first fitting
    place of the line. `cycle`: the segment is one of those that a run passes again and again
    (format 2.1).
    """

    kind: Kind
    file: str
    line: int
    column: int | None
    function: str
    text: str
    segment: int = 0
    follow: bool = True
    said: Span = field(default_factory=Span)
    cycle: bool = False

    def __str__(self) -> str:
        place = f"{self.line}" if self.column is None else f"{self.line}:{self.column}"
        return f"{self.kind.value} at {self.file}:{place}" + (f": {self.text}" if self.text else "")


def check_expression(text: str, said: Span, result: bool = False) -> str:
    """The expression, if it is C without effects, on one line; `result`: it may name the result of
    a call.
    """
    at, depth, before = 0, 0, ""
    clean = " ".join(text.split())
    if _DIGRAPH.search(clean):
        raise Unsupported(
            f"a digraph in the expression {clean[:80]!r}", said, "expression of a witness"
        )
    while at < len(clean):
        token = _TOKEN.match(clean, at)
        if token is None or (token["result"] and not result):
            raise Unsupported(
                f"{clean[at : at + 20]!r} in the expression {clean[:80]!r}",
                said,
                "expression of a witness",
            )
        word = token[0].strip()
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if word == "(" and re.fullmatch(r"[A-Za-z_]\w*", before) and not _CALLED.fullmatch(before):
            raise Unsupported(
                f"a call of {before} in the expression {clean[:80]!r}",
                said,
                "expression of a witness",
            )
        if word in ("--", "++") or (word in ("/", "*") and before == "/" and clean[at] == word):
            raise Unsupported(
                f"{word} in the expression {clean[:80]!r}", said, "expression of a witness"
            )
        if depth < 0:
            break
        at, before = token.end(), word
    if depth or not clean:
        raise InputError(f"brackets do not match in the expression {clean[:80]!r}", said)
    return clean


@dataclass(frozen=True, slots=True)
class _Edit:
    at: int
    text: str


class _Instrumentation:
    """Finds the places of markers, and collects what is to be inserted."""

    def __init__(self, positions: Positions, markers: Sequence[Marker]) -> None:
        self.positions, self.markers = positions, markers
        self.before: dict[int, list[str]] = {}
        self.behind: dict[int, list[str]] = {}
        self.target = (0, 0)  # the lines of the statement that the target waypoint is at
        self.last = passed(markers) - 1

    def run(self) -> list[_Edit]:
        """The insertions. Of markers at one place the one of the latest segment comes first: each
        visit passes one at most.
        """
        groups: dict[tuple[str, int, int], list[tuple[int, Marker]]] = {}
        pieces: dict[tuple[str, int, int], Piece] = {}
        for number, m in sorted(
            enumerate(self.markers), key=lambda pair: (-pair[1].segment, pair[1].follow)
        ):
            piece = self._piece(m)
            key = (_SHAPES[m.kind], piece.start, piece.end)
            groups.setdefault(key, []).append((number, m))
            pieces[key] = piece
        for key, group in sorted(groups.items(), key=lambda item: (item[0][1], -item[0][2])):
            self._insert(pieces[key], group)
        ends = [_Edit(at, "".join(reversed(texts))) for at, texts in self.behind.items()]
        return [*ends, *(_Edit(at, "".join(texts)) for at, texts in self.before.items())]

    def _piece(self, m: Marker) -> Piece:
        """The statement or call that a marker is about."""
        found = [p for p in self._candidates(m) if m.function in ("", p.function)]
        if not found:
            raise InputError(
                f"the witness does not fit the program: there is no place for its {m}", m.said
            )
        return (
            found[0]
            if m.kind in (Kind.ENTER, Kind.RETURN)
            else behind_labels(self.positions.statements, found[0])
        )

    def _candidates(self, m: Marker) -> list[Piece]:
        statements, calls = self.positions.statements, self.positions.calls
        if m.kind in (Kind.ENTER, Kind.RETURN):
            return [c for c in calls if self._closes(c, m)]
        here = list(pieces_on(statements, m.line, m.column, m.file))
        if m.kind is Kind.LOOP_INVARIANT:
            return [p for p in here if p.kind in LOOPS]
        if m.kind is Kind.BRANCHING:
            return [p for p in here if p.condition is not None and p.kind != k.SWITCH]
        if not here and m.kind is Kind.TARGET and m.column is not None:
            inner = list(pieces_on(calls, m.line, m.column, m.file))
            covering = self.positions.innermost(inner[0].start) if inner else None
            return [] if covering is None else [covering]
        return [p for p in here if p.kind != k.COMPOUND] or here

    def _closes(self, call: Piece, m: Marker) -> bool:
        """Does the right parenthesis of a call stand where the marker says?"""
        line, column = self.positions.closing(call)
        same = call.span.file.rpartition("/")[2] == m.file.rpartition("/")[2]
        return same and line == m.line and m.column in (None, column)

    def _insert(self, piece: Piece, group: list[tuple[int, Marker]]) -> None:
        kind = group[0][1].kind
        if kind in (Kind.LOOP_INVARIANT, Kind.BRANCHING):
            assert piece.condition is not None
            start, end = piece.condition
            if kind is Kind.LOOP_INVARIANT:
                asserted = "".join(f"{self._mark(n, m.text)}, " for n, m in group)
                self._around(start, end, f"({asserted}", ")" if start != end else "1)")
            else:
                true, false = (
                    self._marks([(n, m) for n, m in group if m.text == value], ", ")
                    for value in _BRANCHES
                )
                self._around(
                    start, end, "((", f"{'1' if start == end else ''}) ? ({true}1) : ({false}0))"
                )
        elif kind is Kind.ENTER:
            self._around(piece.start, piece.end, f"({self._marks(group, ', ')}", ")")
        elif kind is Kind.RETURN:
            self._result(piece, group)
        else:
            self._statement(piece, group)

    def _statement(self, piece: Piece, group: list[tuple[int, Marker]]) -> None:
        marks = self._marks(group, "; ", lambda m: m.text or "1")
        ends = [n for n, m in group if m.kind is Kind.TARGET]
        if ends:
            last = piece.span.line + self.positions.tree.unit.source.text.count(
                b"\n", piece.start, piece.end
            )
            self.target = (piece.span.line, last)
        after = "".join(f" {MARK}({n}, 1, 1);" for n in ends)
        if piece.in_block:
            self._around(piece.start, piece.end, marks, after)
        else:
            self._around(piece.start, piece.end, f"{{ {marks}", f"{after} }}")

    def _result(self, piece: Piece, group: list[tuple[int, Marker]]) -> None:
        source = self.positions.tree.unit.source.text[piece.start : piece.end].decode(
            "utf-8", "surrogateescape"
        )
        name = f"__obligato_result{group[0][0]}"
        marks = self._marks(group, "; ", lambda m: m.text.replace(RESULT, name) or "1")
        if isinstance(piece.type, VoidType):
            self._around(piece.start, piece.end, "({ ", f"; {marks}}})")
        else:
            flat = " ".join(source.split())
            self._around(
                piece.start,
                piece.end,
                f"({{ __typeof__({flat}) {name} = (",
                f"); {marks}{name}; }})",
            )

    def _around(self, start: int, end: int, before: str, behind: str) -> None:
        if start == end:
            before, behind = before + behind, ""
        self.before.setdefault(start, []).append(before)
        self.behind.setdefault(end, []).append(behind)

    def _marks(
        self,
        group: list[tuple[int, Marker]],
        end: str,
        text: Callable[[Marker], str] = lambda m: "1",
    ) -> str:
        """The marks of a group; behind the last segment of a cycle one by which the cycle begins
        again.
        """
        marks = [self._mark(n, text(m)) for n, m in group]
        marks += [
            f"{MARK}({n}, 1, 1)"
            for n, m in group
            if m.cycle and m.follow and m.segment == self.last
        ]
        return "".join(mark + end for mark in marks)

    @staticmethod
    def _mark(number: int, text: str) -> str:
        return f"{MARK}({number}, ({text}))"


_SHAPES = {
    Kind.LOOP_INVARIANT: "condition",
    Kind.BRANCHING: "branch",
    Kind.ENTER: "enter",
    Kind.RETURN: "result",
    Kind.LOCATION_INVARIANT: "statement",
    Kind.ASSUMPTION: "statement",
    Kind.TARGET: "statement",
}


def instrumented(
    source: Source, positions: Positions, markers: Sequence[Marker]
) -> tuple[Source, tuple[int, int]]:
    """The text with its markers, and the first and last line of the target (0: there is none). No
    line becomes another one.
    """
    if MARK.encode() in source.text:
        raise Unsupported(
            f"the program has a name of its own that begins with {MARK}",
            Span(source.file),
            "witness",
        )
    work = _Instrumentation(positions, markers)
    return replace(source, text=_edited(source.text, work.run())), work.target


def _edited(text: bytes, edits: Iterable[_Edit]) -> bytes:
    """The text with the insertions; of two at one place what ends there comes first."""
    out, at = [], 0
    for edit in sorted(edits, key=lambda e: e.at):
        out += [text[at : edit.at], edit.text.encode("utf-8", "surrogateescape")]
        at = edit.at
    return b"".join([*out, text[at:]])
