"""Unsequenced operands [C11, 6.5p2-3]: evaluation order that matters is refused.

While an expression is lowered, pairs of unsequenced operands with effects are recorded as what they read and write.  Calls
are known only by name then; when all functions are lowered, `check` closes them transitively and refuses the first
pair where one operand writes what the other reads or writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from obligato.errors import Span, Unsupported
from obligato.program.names import short_name
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Havoc,
    If,
    Procedure,
    Statement,
    While,
    statements,
)
from obligato.terms import Term, free_vars


@dataclass
class Effects:
    """What some code reads, writes and calls."""

    reads: dict[Term, None] = field(default_factory=dict)
    writes: dict[Term, None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)

    def read(self, terms: Iterable[Term]) -> None:
        """Add the variables of terms."""
        self.reads.update(dict.fromkeys(free_vars(*terms)))

    def add(self, other: Effects) -> bool:
        """Join; did anything change?"""
        before = len(self.reads) + len(self.writes)
        self.reads.update(other.reads)
        self.writes.update(other.writes)
        return len(self.reads) + len(self.writes) != before


def effects_of(body: Iterable[Statement]) -> Effects:
    """The effects of statements, calls by name only."""
    e = Effects()
    for s in statements(tuple(body)):
        match s:
            case Assign():
                e.read(s.values)
                e.writes.update(dict.fromkeys(s.targets))
            case Havoc():
                e.writes.update(dict.fromkeys(s.targets))
            case Assume() | Assert():
                e.read((s.condition,))
            case If(condition=Term() as c) | While(condition=Term() as c):
                e.read((c,))
            case Call():
                e.read(s.arguments)
                e.writes.update(dict.fromkeys(s.results))
                e.calls[s.callee] = None
            case _:
                pass
    return e


class Sequencing:
    """The pairs to check."""

    def __init__(self) -> None:
        self._pairs: list[tuple[Span, Effects, Effects]] = []

    def unsequenced(self, span: Span, parts: list[Effects]) -> None:
        """Record operands of which none is sequenced before another."""
        for i, a in enumerate(parts):
            for b in parts[i + 1:]:
                if a.writes or a.calls or b.writes or b.calls:
                    self._pairs.append((span, a, b))

    def check(self, procedures: dict[str, Procedure], fresh: dict[Term, str]) -> None:
        """Refuse the first pair whose order matters; `fresh` has the globals that each call of a procedure sets anew."""
        if not self._pairs:
            return
        summaries = _summaries(procedures, fresh)
        for span, a, b in self._pairs:
            a, b = _closed(a, summaries), _closed(b, summaries)
            clash = _clash(a, b) or _clash(b, a)
            if clash is not None:
                raise Unsupported(
                    f"the result depends on an unspecified order of evaluation (of accesses to {short_name(clash.name)})",
                    span, "unspecified evaluation order",
                )


def _closed(e: Effects, summaries: dict[str, Effects]) -> Effects:
    total = Effects(dict(e.reads), dict(e.writes))
    for name in e.calls:
        total.add(summaries.get(name, Effects()))
    return total


def _clash(a: Effects, b: Effects) -> Term | None:
    """A variable that `a` writes and `b` uses; allocation counters only number addresses."""
    for x in a.writes:
        if (x in b.reads or x in b.writes) and x.name not in ("heap$", "heap$room"):
            return x
    return None


def _globals_only(e: Effects, name: str, fresh: dict[Term, str]) -> Effects:
    """What a caller can notice of the body of `name`: locals and its compound literals are fresh at each call."""
    def shared(variables: dict[Term, None]) -> dict[Term, None]:
        return {x: None for x in variables if "::" not in x.name and fresh.get(x) != name}

    return Effects(shared(e.reads), shared(e.writes), e.calls)


def _summaries(procedures: dict[str, Procedure], fresh: dict[Term, str]) -> dict[str, Effects]:
    own = {name: _globals_only(effects_of(p.body), name, fresh) for name, p in procedures.items()}
    callers: dict[str, list[str]] = {name: [] for name in own}
    for name, e in own.items():
        for callee in e.calls:
            if callee in callers:
                callers[callee].append(name)
    pending = dict.fromkeys(own)
    while pending:
        name = next(iter(pending))
        del pending[name]
        for caller in callers[name]:
            if own[caller].add(own[name]):
                pending[caller] = None
    return own
