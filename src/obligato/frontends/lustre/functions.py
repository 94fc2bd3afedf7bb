"""Imported functions and `choose`: equal arguments have equal results, at one step and at steps one
after the other.

Each application is compared with all others of its function at the same step and, by state
variables that keep arguments and results, at the `PAST` steps before. Further apart the system may
give two results for the same arguments; the interpreter does not accept a counterexample in which
that happens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from obligato.errors import Unsupported
from obligato.frontends.lustre.builder import Builder, Ticks
from obligato.frontends.lustre.types import Type
from obligato.frontends.lustre.values import Value, equal
from obligato.terms import BOOL, Term

PAST = 2
MANY = 12  # applications of a function that are remembered
Keep = Callable[[Type, Value, str], Value]


@dataclass(slots=True)
class Application:
    """Arguments and results with their types, now, and at steps before."""

    types: tuple[Type, ...]
    values: tuple[Value, ...]
    inputs: int  # the first of them are arguments
    past: list[tuple[Value, ...]] = field(default_factory=list)


class Functions:
    """The applications of all functions; `keep` makes state variables that take a value with a
    delay of one step.
    """

    def __init__(self, builder: Builder, base: Ticks, keep: Keep) -> None:
        self.builder, self.base, self.keep = builder, base, keep
        self._known: dict[object, list[Application]] = {}
        self._begun: list[Term] = []

    def add(self, function: object, label: str, application: Application) -> None:
        """One more application, which agrees with all others."""
        known = self._known.setdefault(function, [])
        for other in known:
            self._agree(application, application.values, other.values, None)
        known.append(application)
        if len(known) <= MANY:
            self._remember(application, label)
        for other in known:
            self._past(application, other)
            if other is not application:
                self._past(other, application)

    def _remember(self, application: Application, label: str) -> None:
        now = application.values
        for depth in range(1, PAST + 1):
            try:
                now = tuple(
                    [
                        self.keep(t, v, f"{label}past{depth}.{n}")
                        for n, (t, v) in enumerate(zip(application.types, now, strict=True))
                    ]
                )
            except Unsupported:  # a set or map of any size cannot be kept: less is known then
                return
            application.past.append(now)

    def _past(self, a: Application, b: Application) -> None:
        for depth, before in enumerate(b.past):
            self._agree(a, a.values, before, self._after(depth + 1))

    def _after(self, steps: int) -> Term:
        """The term that says that at least so many steps were taken before this one."""
        b, st = self.builder, self.builder.store
        while len(self._begun) < steps:
            previous = self._begun[-1] if self._begun else st.not_(self.base.first)
            if not self._begun:
                self._begun.append(previous)
                continue
            x = b.state("second", BOOL, "second", st.false)
            b.cells[x].next = previous
            self._begun.append(st.and_(x, st.not_(self.base.first)))
        return self._begun[steps - 1]

    def _agree(
        self,
        a: Application,
        values: tuple[Value, ...],
        others: tuple[Value, ...],
        where: Term | None,
    ) -> None:
        st, n = self.builder.store, a.inputs
        same = [equal(st, t, x, y) for t, x, y in zip(a.types, values, others, strict=True)]
        condition = st.and_(*same[:n]) if where is None else st.and_(where, *same[:n])
        self.builder.constrain(st.implies(condition, st.and_(*same[n:])))
