"""A CFA as a transition system: the location becomes a state variable, the program counter.

All edges that leave a location are one command, a choice whose branches end by assigning the
counter; its `BlockEffect` gives the next value of every variable over state, inputs and selectors
(also inputs).  The next-state functions select by the counter.  Where no edge can be taken, the
counter moves to an extra value, *stuck*, and stays; it also stays in the error location.  So the
system is functional and total, as lifting of cubes wants it.

The property is that the counter is not the error location.  `TSLift` maps back: a formula over the
counter becomes one formula per location by putting the location's number in; a run names in each
step the path through the command that its inputs select.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from obligato.models.cfa import CFA, Edge
from obligato.models.claims import Certificate, Trace, TraceStep
from obligato.models.effect import BlockEffect, path_effect
from obligato.models.gcl import Assign, Choice, Command, Seq, Tagged, walk
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import INT, Kind, Term, Value, bitvec, substitute

COUNTER = "pc!"


@dataclass(frozen=True, slots=True)
class PartialStep:
    """One step of a run of a transition system: the state before it and its inputs;
    open values are missing."""

    state: Mapping[Term, Value]
    inputs: Mapping[Term, Value]


def to_transition_system(cfa: CFA) -> tuple[TransitionSystem, TSLift]:
    """The encoding, with a counter of sort Int if the CFA has Int or Real variables only,
    else a bit-vector."""
    encoder = _Encoder(cfa)
    return encoder.system(), TSLift(cfa, encoder.counter, encoder.number, encoder.effects)


class _Encoder:
    def __init__(self, cfa: CFA) -> None:
        self.cfa, self.store = cfa, cfa.store
        self.number = {loc: n for n, loc in enumerate(cfa.locations)}
        self.stuck = len(self.number)
        arithmetic = bool(cfa.variables) and all(
            v.sort.kind in (Kind.INT, Kind.REAL) for v in cfa.variables
        )
        self.sort = INT if arithmetic else bitvec(self.stuck.bit_length())
        self.counter = self.store.fresh(COUNTER, self.sort)
        self.effects = {loc: self._effect(loc) for loc in cfa.locations if cfa.out(loc)}

    def value(self, location: int) -> Term:
        """A location as a value of the counter."""
        return self.store.const(self.number[location], self.sort)

    def at(self, location: int) -> Term:
        """The counter is at `location`."""
        return self.store.eq(self.counter, self.value(location))

    def _effect(self, location: int) -> BlockEffect:
        branches = tuple(
            Seq((_tagged(e), Assign(((self.counter, self.value(e.target)),))))
            for e in self.cfa.out(location)
        )
        return BlockEffect(
            self.store, branches[0] if len(branches) == 1 else Choice(branches), f"sel!{location}!"
        )

    def system(self) -> TransitionSystem:
        """Put the effects of all locations together."""
        s, cfa = self.store, self.cfa
        passes = s.or_(
            *(s.and_(self.at(loc), *effect.guard) for loc, effect in self.effects.items())
        )
        next_: dict[Term, Term] = {x: self._next(x) for x in cfa.variables}
        stays = s.ite(self.at(cfa.error), self.counter, s.const(self.stuck, self.sort))
        next_ = {self.counter: s.ite(passes, self._next(self.counter), stays), **next_}
        selectors = [t for effect in self.effects.values() for t in effect.selectors]
        return TransitionSystem(
            s,
            (self.counter, *cfa.variables),
            (*cfa.inputs, *selectors),
            self.at(cfa.initial),
            functional(s, next_),
            (Assertion("reach", s.not_(self.at(cfa.error))),),
            next=next_,
            total=True,
            display=dict(cfa.display),
        )

    def _next(self, x: Term) -> Term:
        value = x
        for loc, effect in self.effects.items():
            value = self.store.ite(self.at(loc), effect.pull(x), value)
        return value


def _tagged(edge: Edge) -> Command:
    """An edge of a large-block CFA is tagged inside already; others get their own number."""
    return (
        edge.command
        if any(isinstance(c, Tagged) for c in walk(edge.command))
        else Tagged(edge.id, edge.command)
    )


class TSLift:
    """Maps formulas and runs of the transition system to certificates and traces of the CFA."""

    def __init__(
        self, cfa: CFA, counter: Term, number: Mapping[int, int], effects: Mapping[int, BlockEffect]
    ) -> None:
        self.cfa, self.counter = cfa, counter
        self.number, self.effects = number, effects
        self.location = {n: loc for loc, n in number.items()}

    def certificate(self, invariant: Term, k: int = 1) -> Certificate:
        """The invariant at each location but the initial and the error location."""
        ends = (self.cfa.initial, self.cfa.error)
        return Certificate(
            {loc: self.at(invariant, loc) for loc in self.number if loc not in ends}, k
        )

    def at(self, formula: Term, location: int) -> Term:
        """What `formula` says where the counter is at `location`."""
        return substitute(
            formula, {self.counter: formula.store.const(self.number[location], self.counter.sort)}
        )

    def of_system(self, formulas: Mapping[int, Sequence[Term]]) -> dict[int, list[Term]]:
        """What formulas about the system (at its only location, 0) say at the inner locations."""
        out = {loc: [self.at(f, loc) for f in formulas.get(0, ())] for loc in self.cfa.inner}
        return {loc: [f for f in fs if not f.is_const] for loc, fs in out.items()}

    def of_locations(self, formulas: Mapping[int, Sequence[Term]]) -> dict[int, list[Term]]:
        """Formulas at locations as formulas about the system."""
        s, sort = self.cfa.store, self.counter.sort
        here = {
            loc: s.eq(self.counter, s.const(self.number[loc], sort))
            for loc in formulas
            if loc in self.number
        }
        return {0: [s.implies(at, f) for loc, at in here.items() for f in formulas[loc]]}

    def trace(self, steps: Sequence[PartialStep]) -> Trace:
        """The path of a run up to the error location.
        Requires: each step gives the value of the counter."""
        out: list[TraceStep] = []
        for step in steps:
            number = step.state[self.counter]
            assert isinstance(number, int)
            location = self.location.get(number)
            if location is None or location not in self.effects:
                break
            out.extend(self._passed(location, {**step.state, **step.inputs}))
        first = steps[0].state if steps else {}
        return Trace({v.name: first[v] for v in self.cfa.variables if v in first}, tuple(out))

    def _passed(self, location: int, values: Mapping[Term, Value]) -> list[TraceStep]:
        effect = self.effects[location]
        path = path_effect(self.cfa.store, effect.command, effect.path_of(values))
        inputs = dict.fromkeys(i for e in self.cfa.out(location) for i in self.cfa.edge_inputs(e))
        named = {i.name: values[i] for i in inputs if i in values}
        return [TraceStep(e, named) for e in path.edges]
