"""The transition system in the making: inputs, state variables with next values, constraints,
properties, and work to do.

`Ticks` is a clock: the steps at which something happens, and since when. A stream's `pre` on a
clock is a state variable that changes at its ticks only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from obligato.errors import Span
from obligato.frontends.lustre.tables import Universe, Unknown
from obligato.frontends.lustre.types import Type
from obligato.frontends.lustre.values import Value, build, in_range, sort_of
from obligato.frontends.names import UniqueNames
from obligato.terms import BOOL, Sort, Term, TermStore


@dataclass(slots=True)
class Cell:
    """A state variable: its start value (None: any), its next value, and whether a run may read it
    before it is written.
    """

    start: Term | None = None
    next: Term | None = None
    unguarded: bool = False


@dataclass(slots=True)
class Builder:
    """Everything that the translation collects."""

    store: TermStore = field(default_factory=TermStore.raw)
    cells: dict[Term, Cell] = field(default_factory=dict)
    # what holds of the first state, besides the start values of cells
    start: dict[Term, None] = field(default_factory=dict)
    inputs: dict[Term, None] = field(default_factory=dict)
    constraints: dict[Term, None] = field(default_factory=dict)
    # numbers that stand for values of enumerations and datatypes
    ranges: dict[Term, None] = field(default_factory=dict)
    properties: dict[tuple[str, Term], Span] = field(default_factory=dict)
    display: dict[str, str] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    quantified: int = 0  # values for which bodies of quantifiers were written out
    tasks: deque[Callable[[], None]] = field(default_factory=deque)
    names: UniqueNames = field(default_factory=UniqueNames)
    # nodes by the node whose calls they stand for by contract
    rests: dict[str, dict[str, None]] = field(default_factory=dict)
    universe: Universe = field(init=False)  # of sets and maps

    def __post_init__(self) -> None:
        self.universe = Universe(self.store, self.free, self.frozen, self.define, self._constant)

    def _constant(self, x: Term) -> bool:
        return x in self.cells and self.cells[x].next is x

    def state(self, name: str, sort: Sort, shown: str, start: Term | None = None) -> Term:
        """A new state variable; `shown` is what it is in Lustre."""
        x = self.store.var(self.names.take(name, "s"), sort)
        self.cells[x] = Cell(start)
        self.display[x.name] = shown
        return x

    def free(self, name: str, t: Type) -> Value:
        """A value of the type, any one at each step."""

        def make(suffix: str, pt: Type) -> Term:
            x = self.store.var(self.names.take(name + suffix, "i"), sort_of(pt))
            self.inputs[x] = None
            return x

        value = build(t, make, lambda suffix, pt: Unknown(self.universe, name + suffix, pt, False))
        self.ranges.update(dict.fromkeys(in_range(self.store, t, value)))
        return value

    def frozen(self, name: str, t: Type) -> Value:
        """A value of the type, any one, but the same at all steps."""

        def make(suffix: str, pt: Type) -> Term:
            x = self.state(name + suffix, sort_of(pt), name + suffix)
            self.cells[x].next = x
            self.cells[x].unguarded = True
            return x

        value = build(t, make, lambda suffix, pt: Unknown(self.universe, name + suffix, pt, True))
        self.ranges.update(dict.fromkeys(in_range(self.store, t, value)))
        return value

    def define(self, formula: Term) -> None:
        """A formula that says what unknown values of the encoding mean; some values satisfy it in
        every situation.
        """
        self.ranges[formula] = None

    def constrain(self, *formulas: Term) -> None:
        """Assume the formulas of all runs."""
        self.constraints.update(dict.fromkeys(formulas))

    def prove(self, name: str, formula: Term, span: Span) -> None:
        """A property of that name, which is claimed at a place."""
        self.properties.setdefault((name, formula), span)

    def note(self, text: str, span: Span) -> None:
        """A remark for the user about a place in the input."""
        self.notes[f"{span}: {text}"] = None

    def run(self) -> None:
        """Do all work that was put off."""
        while self.tasks:
            self.tasks.popleft()()


class Ticks:
    """A clock: `active` says whether it ticks at this step (None: always), `reset` whether its time
    starts anew.
    """

    def __init__(
        self, builder: Builder, active: Term | None, reset: Term | None, name: str
    ) -> None:
        self.builder, self.active, self.reset, self.name = builder, active, reset, name
        self.pres: dict[object, Value] = {}
        self.memo: dict[object, object] = {}
        self._first: Term | None = None
        self._same: Ticks | None = None

    def share(self, other: Ticks) -> None:
        """Take the first tick from a clock that ticks at the same steps."""
        self._same = other

    @property
    def first(self) -> Term:
        """Is this the first tick since the start or the last reset?"""
        b, s = self.builder, self.builder.store
        if self._same is not None:
            return self._same.first
        if self._first is None:
            shown = (
                "(true -> false)"
                if self.active is None and self.reset is None
                else f"{self.name}first"
            )
            x = b.state(f"{self.name}first", BOOL, shown, s.true)
            now = x if self.reset is None else s.or_(self.reset, x)
            b.cells[x].next = s.false if self.active is None else s.and_(s.not_(self.active), now)
            self._first = now
        return self._first

    @property
    def first_or_none(self) -> Term | None:
        """The first tick, if anything depends on it."""
        return self._first

    def guard(self, formula: Term) -> Term:
        """The formula, where the clock ticks."""
        return formula if self.active is None else self.builder.store.implies(self.active, formula)

    def sub(self, active: Term | None, reset: Term | None, name: str) -> Ticks:
        """A clock that ticks at some of these ticks and starts anew whenever this one does, too."""
        s = self.builder.store
        both = [c for c in (self.active, active) if c is not None]
        either = [c for c in (self.reset, reset) if c is not None]
        return Ticks(
            self.builder, s.and_(*both) if both else None, s.or_(*either) if either else None, name
        )

    def updated(self, x: Term, value: Term) -> Term:
        """The next value of a state variable that takes `value` at each tick."""
        return value if self.active is None else self.builder.store.ite(self.active, value, x)
