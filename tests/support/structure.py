"""Programs as plain nested tuples without spans, with all terms in one store: equal iff the
programs are the same.
"""

from __future__ import annotations

from typing import Any

from obligato.program.syntax import Choice, If, Program, Statement, While
from obligato.terms import Term, TermStore

IGNORED = ("span", "head", "then", "otherwise", "body", "branches")
Body = tuple[Statement, ...]


def _blocks(s: Statement) -> tuple[Body, ...]:
    if isinstance(s, If):
        return s.then, s.otherwise
    return (s.body,) if isinstance(s, While) else s.branches if isinstance(s, Choice) else ()


class Structure:
    """Makes comparable views of programs of different stores."""

    def __init__(self) -> None:
        self.store = TermStore.raw()
        self.memo: dict[Term, Term] = {}

    def program(self, p: Program) -> Any:
        procedures = [
            (
                q.name,
                self._variables(q.parameters),
                self._variables(q.results),
                self._variables(q.locals),
                self.body(q.body),
            )
            for q in p.procedures.values()
        ]
        return p.entry, p.records, self._variables(p.globals), procedures

    def _variables(self, variables: Any) -> Any:
        return [(v.name, v.type, None if v.init is None else self._term(v.init)) for v in variables]

    def _term(self, t: Term) -> int:
        return self.store.import_term(t, self.memo).id

    def body(self, body: Body) -> list[Any]:
        """A flat list with markers, so that deep nesting is no problem."""
        out: list[Any] = []
        stack: list[Any] = list(reversed(body))
        while stack:
            s = stack.pop()
            if isinstance(s, str):
                out.append(s)
                continue
            out.append(type(s).__name__)
            out.append([self._field(getattr(s, f)) for f in s.__slots__ if f not in IGNORED])
            for b in reversed(_blocks(s)):
                stack += ["end", *reversed(b)]
        return out

    def _field(self, value: Any) -> Any:
        if isinstance(value, Term):
            return self._term(value)
        return [self._field(v) for v in value] if isinstance(value, tuple) else value
