"""Unsequenced operands [C11, 6.5p2-3]: evaluation order that matters is refused.

While an expression is lowered, pairs of unsequenced operands with effects are recorded as what they
read and write: variables, and elements of array variables where the index still has the same value
when all operands are lowered.  Two elements whose distance is not obvious are asserted to be
different (class `limit`), at once.  Calls are known only by name then; when all functions are
lowered, `check` closes them transitively (private.py says what a call keeps to itself) and refuses
the first pair where one operand writes what the other reads or writes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from obligato.errors import Span, Unsupported
from obligato.frontends.c.catalogue import SEGMENT
from obligato.frontends.c.places import distance, split_index
from obligato.program.names import short_name
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Havoc,
    If,
    Label,
    Statement,
    While,
    statements,
)
from obligato.terms import Op, Term, free_vars

ORDER = "the result depends on an unspecified order of evaluation"
MAX_CHECKS = 16  # assertions about one pair of operands
SIZES = "heap$sizes"
COUNTERS = (
    "heap$",
    "heap$room",
    "released$some",
    SIZES,
)  # they number addresses, or are about allocations of one operand

Access = tuple[Term, Term | None]  # a variable, or its element at an index


@dataclass(frozen=True, slots=True)
class Gap:
    """a - b is not between low and high."""

    a: Term
    b: Term
    low: int
    high: int


@dataclass
class Effects:
    """What some code reads, writes and calls."""

    reads: dict[Access, None] = field(default_factory=dict)
    writes: dict[Access, None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    # variables to which something is added; the order does not matter
    sums: dict[Term, None] = field(default_factory=dict)

    def read(self, terms: Iterable[Term]) -> None:
        """Add what terms read."""
        self.reads.update(dict.fromkeys(_accesses(terms)))

    def write(self, target: Term, value: Term) -> None:
        """Add an assignment; one that stores elements of its target writes only those."""
        rest = _added(target, value)
        if rest is not None:
            self.sums[target] = None
            self.read(rest)
            return
        elements: list[Access] = []
        inside, parts = value, list[Term]()
        while inside.op is Op.STORE:
            elements.append((target, inside.args[1]))
            parts += inside.args[1:]
            inside = inside.args[0]
        whole = inside is not target or not elements
        self.writes.update({(target, None): None} if whole else dict.fromkeys(elements))
        self.read([value] if whole else parts)

    def written(self) -> dict[Term, None]:
        """The variables that are written, in whole or in part."""
        return {x: None for x, _ in self.writes} | self.sums

    def add(self, other: Effects) -> bool:
        """Add the elements of another set. Returns: has this set grown?"""
        before = len(self.reads) + len(self.writes) + len(self.sums)
        self.reads.update(other.reads)
        self.writes.update(other.writes)
        self.sums.update(other.sums)
        return len(self.reads) + len(self.writes) + len(self.sums) != before

    def fixed(self, temporaries: Container[Term]) -> Effects:
        """The same without temporaries; only those elements are told apart whose index keeps its
        value in all of this.
        """
        written = self.written()

        def steady(x: Term) -> bool:
            return x in temporaries or (x not in written and ("::" in x.name or not self.calls))

        def fix(accesses: dict[Access, None]) -> dict[Access, None]:
            return {
                (x, i if i is not None and all(map(steady, free_vars(i))) else None): None
                for x, i in accesses
                if x not in temporaries
            }

        # undefined outside of calls
        changed: dict[Access, None] = {(x, None): None for x in self.sums if x not in temporaries}
        return Effects(fix(self.reads) | changed, fix(self.writes) | changed, self.calls)

    def whole(self) -> Effects:
        """The same, without telling elements apart."""
        reads: dict[Access, None] = {(x, None): None for x, _ in self.reads}
        return Effects(reads, {(x, None): None for x, _ in self.writes}, self.calls, self.sums)


def _added(x: Term, value: Term) -> list[Term] | None:
    """If the value is `x` plus or minus something, what is added or subtracted; else None."""
    rest = [a for a in value.args if a is not x]
    is_sum = value.op is Op.BVADD or (value.op is Op.BVSUB and value.args[0] is x)
    return (
        rest
        if is_sum and len(rest) == 1 == len(value.args) - 1 and x not in free_vars(*rest)
        else None
    )


def _accesses(terms: Iterable[Term]) -> Iterator[Access]:
    stack, seen = list(terms), set[Term]()
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if t.op is Op.VAR:
            yield t, None
        elif t.op is Op.SELECT and t.args[0].op is Op.VAR:
            yield t.args[0], t.args[1]
            stack.append(t.args[1])
        else:
            stack.extend(t.args)


def effects_of(body: Iterable[Statement], with_loops: bool = False) -> Effects:
    """The effects of statements, calls by name only; elements are told apart only in code without
    loops, or if asked for.

    Markers of a witness are none of the program's: it is followed in the order that the lowering
    has chosen.
    """
    e, loops = Effects(), False
    for s in statements(tuple(body)):
        match s:
            case Assign() if s.targets[0].name == SEGMENT:
                e.read(v for v in free_vars(*s.values) if v.name != SEGMENT)
            case Assign():
                for x, value in zip(s.targets, s.values, strict=True):
                    e.write(x, value)
            case Havoc():
                e.writes.update({(x, None): None for x in s.targets})
            case Assume() | Assert():
                e.read((s.condition,))
            case If(condition=Term() as c) | While(condition=Term() as c):
                e.read((c,))
            case Call():
                e.read(s.arguments)
                e.writes.update({(x, None): None for x in s.results})
                e.calls[s.callee] = None
            case _:
                pass
        loops |= isinstance(s, While | Label)
    return e.whole() if loops and not with_loops else e


class Sequencing:
    """The pairs to check."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Span, Effects, Effects]] = []
        # and the slots of variable arguments, which only their own call writes, first
        self.exempt = dict.fromkeys(COUNTERS)

    def unsequenced(self, span: Span, parts: list[Effects]) -> list[Gap]:
        """Record operands of which none is sequenced before another; what has to hold so that their
        elements differ.
        """
        found: list[Gap] = []
        for i, a in enumerate(parts):
            for b in parts[i + 1 :]:
                if a.writes or a.calls or a.sums or b.writes or b.calls or b.sums:
                    gaps = list(
                        _gaps([*self._doubtful(a, b), *((j, i) for i, j in self._doubtful(b, a))])
                    )
                    few = len(gaps) <= MAX_CHECKS
                    self._pairs.append((span, a, b) if few else (span, a.whole(), b.whole()))
                    found += gaps if few else ()
        return found

    def check(self, summaries: dict[str, Effects]) -> None:
        """Refuse the first pair whose order matters, given what each procedure does that its
        callers can notice.
        """
        for span, a, b in self._pairs:
            a, b = _closed(a, summaries), _closed(b, summaries)
            clash = self._clash(a, b) or self._clash(b, a)
            if clash is not None:
                raise Unsupported(
                    f"{ORDER} (of accesses to {short_name(clash.name)})",
                    span,
                    "unspecified evaluation order",
                )

    def _doubtful(self, a: Effects, b: Effects) -> Iterator[tuple[Term, Term]]:
        """The indices of elements that `a` writes and `b` uses and that may be the same."""
        meetings = _meetings(a, b, self.exempt)
        return (
            (i, j)
            for _, i, j in meetings
            if i is not None and j is not None and distance(i, j) is None
        )

    def _clash(self, a: Effects, b: Effects) -> Term | None:
        """A variable that `a` writes and `b` uses; of elements only one and the same, since others
        are asserted to differ.
        """
        meetings = _meetings(a, b, self.exempt)
        return next(
            (x for x, i, j in meetings if i is None or j is None or distance(i, j) == 0), None
        )

    @property
    def is_empty(self) -> bool:
        """Is there nothing to check?"""
        return not self._pairs


def _closed(e: Effects, summaries: dict[str, Effects]) -> Effects:
    total = Effects(dict(e.reads), dict(e.writes), {}, dict(e.sums))
    for name in e.calls:
        total.add(summaries.get(name, Effects()))
    return total


def _meetings(
    a: Effects, b: Effects, exempt: Container[str]
) -> Iterator[tuple[Term, Term | None, Term | None]]:
    """The variables that `a` writes and `b` uses, with the indices of both accesses."""
    used: dict[Term, list[Term | None]] = {}
    for x, i in (*b.reads, *b.writes):
        used.setdefault(x, []).append(i)
    added = [(x, None) for x in a.sums]
    yield from ((x, i, j) for x, i in added if x.name not in exempt for j in used.get(x, ()))
    for x in b.sums:
        used.setdefault(x, []).append(None)
    for x, i in a.writes:
        if x.name not in exempt:
            yield from ((x, i, j) for j in used.get(x, ()))


def _gaps(pairs: list[tuple[Term, Term]]) -> Iterator[Gap]:
    """Indices are different where the difference of their variable parts is in none of some
    intervals.
    """
    differences: dict[tuple[Term, Term], set[int]] = {}
    for i, j in pairs:
        (a, by), (b, back) = split_index(i), split_index(j)
        differences.setdefault((a, b), set()).add(back - by)
    for (a, b), found in differences.items():
        starts = sorted(d for d in found if d - 1 not in found)
        ends = sorted(d for d in found if d + 1 not in found)
        yield from (Gap(a, b, low, high) for low, high in zip(starts, ends, strict=True))
