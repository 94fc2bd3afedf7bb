"""Symbolic transition systems: state variables, inputs, initial states,
transition relation, constraints, properties.

A run is a sequence of states s0, s1, ... with inputs i0, i1, ... such that `init` holds in s0,
`trans` relates s(t), i(t) and s(t+1), and every constraint holds in each (s(t), i(t)), the last
state of the run included.  A property is violated where its formula, over states and inputs, is
false.  The relation need not be total and the initial set may be empty; then there may be no runs,
and every property holds.

`next` gives, where known, the next state as functions: then ``trans`` is the conjunction of ``x' =
next[x]`` and perhaps a filter.  `total` says that every state and input has a successor; None: not
known.  `predicates` are formulas over the state that the input suggests as useful; they claim
nothing.  Properties of infinite runs (`temporal`) count only those that are fair to the sets
`fairness` (`models.properties`); for LTL, runs do not count either that take steps in the first set
of a pair in `compassion` for ever but not in the second: `api.reading` puts that into the formulas.
`notes` are remarks about the input for the user.  Time is a suffix of names: ``x@3``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from obligato.errors import InternalError
from obligato.models.properties import (
    Assertion,
    CtlProperty,
    Justice,
    LiveProperty,
    LtlProperty,
    Property,
    formulas_of,
)
from obligato.terms import Sort, Substitution, Term, TermStore, new_vars

if TYPE_CHECKING:
    from obligato.models.ltl import Formula


@dataclass(frozen=True, eq=False)
class TransitionSystem:
    """One system; all terms belong to `store`."""

    store: TermStore
    state: tuple[Term, ...]
    inputs: tuple[Term, ...]
    init: Term
    trans: Term
    properties: tuple[Property, ...]
    constraints: tuple[Term, ...] = ()
    next: Mapping[Term, Term] | None = None
    total: bool | None = None
    display: dict[str, str] = field(default_factory=dict)
    predicates: tuple[Term, ...] = ()
    fairness: tuple[Term, ...] = ()
    compassion: tuple[tuple[Term, Term], ...] = ()
    notes: tuple[str, ...] = ()
    # properties that are proved only if these others are
    rests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # names of the input as read, besides variables
    signals: Mapping[str, Term] = field(default_factory=dict)
    # names of several things, of which a formula cannot mean one
    ambiguous: frozenset[str] = frozenset()
    signed: frozenset[str] = frozenset()  # names of words that the input reads as signed numbers
    # the input's own reader of formulas: LTL or CTL, text, file
    formulas: Callable[[str, str, str], Formula] | None = None
    source: Any = None  # the front end's own: what a witness needs of the input, which is read once

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its fields, without what is computed from them."""
        return TransitionSystem, tuple(getattr(self, f.name) for f in fields(self))

    def __post_init__(self) -> None:
        seen: set[Term] = set()  # terms that may stand in all formulas that follow
        self._only("init", [self.init], self.state, seen)
        self._only("predicates", self.predicates, self.state, seen)
        now = (*self.state, *self.inputs)
        self._only("constraints", self.constraints, now, seen)
        self._only("properties", [f for p in self.properties for f in formulas_of(p)], now, seen)
        self._only("fairness", self.fairness, now, seen)
        self._only("next", (self.next or {}).values(), now, seen)
        self._only("trans", [self.trans], (*now, *self.primed.values()), seen)

    def _only(
        self, what: str, formulas: Iterable[Term], allowed: Iterable[Term], seen: set[Term]
    ) -> None:
        known = set(allowed)
        strangers = [v.name for v in new_vars(formulas, seen) if v not in known]
        if strangers:
            raise InternalError(f"{what} of a transition system is about {', '.join(strangers)}")

    def about(self, properties: tuple[Property, ...]) -> TransitionSystem:
        """The system with these properties only; fairness stays if one of them is about infinite
        runs, compassion has to be a part of them."""
        states = all(isinstance(p, Assertion) for p in properties)
        fairness = () if states else self.fairness
        if (properties, fairness, ()) == (self.properties, self.fairness, self.compassion):
            return self  # formulas of a copy are looked at once more
        return replace(self, properties=properties, fairness=fairness, compassion=())

    @cached_property
    def sorts(self) -> tuple[Sort, ...]:
        """The sorts that a solver must know."""
        formulas = (self.init, self.trans, *self.constraints, *(p.formula for p in self.assertions))
        found: dict[Sort, None] = {}
        seen: set[Term] = set()
        stack = [*self.state, *self.inputs, *formulas]
        while stack:
            t = stack.pop()
            if t not in seen:
                seen.add(t)
                found[t.sort] = None
                stack += t.args
        return tuple(found)

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        """The properties of states."""
        return tuple(p for p in self.properties if isinstance(p, Assertion))

    @cached_property
    def temporal(self) -> tuple[LiveProperty, ...]:
        """The properties of infinite runs."""
        return tuple(p for p in self.properties if isinstance(p, (Justice, LtlProperty)))

    @cached_property
    def branching(self) -> tuple[CtlProperty, ...]:
        """The properties of branching time."""
        return tuple(p for p in self.properties if isinstance(p, CtlProperty))

    @cached_property
    def primed(self) -> dict[Term, Term]:
        """The next-state variable of each state variable: ``x'``."""
        return {x: next_var(x) for x in self.state}

    @cached_property
    def _prime(self) -> Substitution:
        return Substitution(self.primed)

    def prime(self, formula: Term) -> Term:
        """A formula over the state, about the next state.
        Inputs stay: they are those of the transition."""
        return self._prime(formula)

    @cached_property
    def _pull(self) -> Substitution:
        if self.next is None:
            raise InternalError("this transition system has no next-state functions")
        return Substitution({x: self.next[x] for x in self.state})

    def pull(self, formula: Term) -> Term:
        """What `formula` about the next state says about this one. Requires: `next` is given."""
        return self._pull(formula)


def next_var(x: Term) -> Term:
    """The next-state variable of `x`."""
    return x.store.var(f"{x.name}'", x.sort)


def functional(store: TermStore, next_: Mapping[Term, Term], *filters: Term) -> Term:
    """The transition relation of next-state functions, filtered."""
    return store.and_(*filters, *(store.eq(next_var(x), e) for x, e in next_.items()))
