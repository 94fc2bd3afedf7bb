"""Claims about recovered control flow, stated about the transition system it was recovered from.

A certificate gives formulas at cut points only. Every other location l gets the weakest formula
that its edges allow,

    J(error)  =  false
    J(l)      =  for each edge l -> m, all its inputs:  guard implies J(m)[values after the edge]

without quantifiers: inputs that the formula is about are eliminated. Where that fails J(l) is an
interpolant between what arrives at l from the cut points before it and what breaks the formulas
behind it. Where no edges lead to the error it is true. The invariant of the system says that the
counters are at some location, and at each one what its formula says. A path of edges is a run of as
many states, since an edge is a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from obligato.errors import ResourceOut
from obligato.models.cfa import Edge
from obligato.models.claims import Certificate, Trace
from obligato.models.control_flow import ControlFlow
from obligato.models.effect import path_effect
from obligato.models.execution import execute
from obligato.models.ts_claims import SystemCertificate, SystemStep, SystemTrace
from obligato.smt import Solver
from obligato.smt.interpolation import interpolate
from obligato.smt.projection.qe import eliminate
from obligato.terms import Substitution, Term, Value, default_value, evaluate, free_vars

DISJUNCTS, BUDGET = 200, 1_000_000  # limits of an elimination


class Uneliminated(ResourceOut):
    """The formula at `location` could not be stated without the inputs of its edges."""

    def __init__(self, location: int) -> None:
        super().__init__("incomplete: an invariant between two cut points needs a quantifier")
        self.location = location


class ControlLift:
    """Maps certificates and traces of recovered control flow back."""

    def __init__(self, flow: ControlFlow, make: Callable[[], Solver]) -> None:
        self.flow, self.cfa, self.store, self.make = flow, flow.cfa, flow.cfa.store, make

    # -- certificates ------------------------------------------------------------------------------

    def certificate(self, certificate: Certificate) -> SystemCertificate:
        """The invariant of the system. Requires: k is 1, no index. Raises `Uneliminated`."""
        s = self.store
        known = {n: s.import_term(f) for n, f in certificate.invariants.items()}
        known |= {n: s.true for n in self.cfa.locations if n not in self._leading} | {
            self.cfa.error: s.false
        }
        for n in self._backwards(known):
            known[n] = self._weakest(n, known)
        places: dict[Term, list[Term]] = {}
        for n in self.flow.values:
            pinned = (s.eq(x, v) for x, v in self.flow.pinned.get(n, ()))
            places.setdefault(self._at(n), []).append(s.and_(*pinned, known[n]))
        return SystemCertificate(
            s.and_(s.or_(*places), *(s.implies(here, s.or_(*fs)) for here, fs in places.items()))
        )

    @cached_property
    def _leading(self) -> set[int]:
        """The locations from which edges that can be taken lead to the error location: reductions
        drop the others, and with them loops that so lead nowhere.
        """
        seen, stack = {self.cfa.error}, [self.cfa.error]
        while stack:
            edges = [e for e in self.cfa.into(stack.pop()) if e.source not in seen]
            new = dict.fromkeys(e.source for e in edges if self._can_be_taken(e))
            seen.update(new)
            stack.extend(new)
        return seen

    def _can_be_taken(self, edge: Edge) -> bool:
        """Is the guard of the edge anything but plainly false?"""
        s = self.store
        return s.and_(*path_effect(s, edge.command).guard) is not s.false

    def _at(self, location: int) -> Term:
        s = self.store
        values = zip(self.flow.counters, self.flow.values[location], strict=True)
        return s.and_(*(s.eq(x, s.const(v, x.sort)) for x, v in values))

    def _backwards(self, known: dict[int, Term]) -> Iterator[int]:
        """The locations without a formula, each after all that its edges lead to.

        A loop without a formula has been left out because no run gets there: false, at one of its
        locations.
        """
        done, opened = set(known), set[int]()
        stack = list(self.flow.values)
        while stack:
            n = stack[-1]
            left = [] if n in done else [e.target for e in self.cfa.out(n) if e.target not in done]
            if n in done or not left:
                stack.pop()
                if n not in done:
                    done.add(n)
                    yield n
            else:
                unreached = [m for m in left if m in opened]
                known |= dict.fromkeys(unreached, self.store.false)
                done.update(unreached)
                opened.add(n)
                stack += [m for m in left if m not in done]

    def _weakest(self, location: int, known: dict[int, Term]) -> Term:
        """What must hold at the location for all inputs, so that the formulas behind it do, or
        something between that and what arrives there. Raises `Uneliminated`.
        """
        s = self.store
        escapes = [
            path_effect(s, e.command).wep(s.not_(known[e.target])) for e in self.cfa.out(location)
        ]
        exact = [self._without_inputs(f) for f in escapes]
        found = [f for f in exact if f is not None]
        if len(found) == len(exact):
            return s.not_(s.or_(*found))
        between = interpolate(
            self._arriving(location, known, {}), s.or_(*escapes), make=self.make, budget=BUDGET
        )
        if between is None:
            raise Uneliminated(location)
        return between

    def _without_inputs(self, escapes: Term) -> Term | None:
        """A formula about the state alone: for some inputs; None: elimination gave up."""
        inputs = [v for v in free_vars(escapes) if v in self.cfa.input_set]
        return (
            eliminate(escapes, inputs, self.make, max_disjuncts=DISJUNCTS, budget=BUDGET)
            if inputs
            else escapes
        )

    def _arriving(
        self, location: int, known: dict[int, Term], before: dict[int, tuple[Substitution, Term]]
    ) -> Term:
        """What arrives at a location without a formula from those that have one: over the state
        there, and over names of their own for the states before it (`before`, with what holds
        there) and the inputs, existentially.
        """
        return self.store.or_(*(self._through(e, known, before) for e in self.cfa.into(location)))

    def _through(
        self, edge: Edge, known: dict[int, Term], before: dict[int, tuple[Substitution, Term]]
    ) -> Term:
        """The formula of the states that arrive by one edge."""
        s, p, effect = self.store, edge.source, path_effect(self.store, edge.command)
        if p not in before:
            here = (
                s.true
                if p == self.cfa.initial
                else known[p]
                if p in known
                else self._arriving(p, known, before)
            )
            rename = Substitution(
                {x: s.fresh(f"{x.name}!at{p}", x.sort) for x in self.cfa.variables}
            )
            before[p] = rename, rename(here)
        rename, held = before[p]
        values = (s.eq(x, rename(effect.pull(x))) for x in self.cfa.variables)
        return s.and_(held, *map(rename, effect.guard), *values)

    # -- traces ------------------------------------------------------------------------------------

    def trace(self, trace: Trace) -> SystemTrace:
        """The run that a path to the error location stands for. Requires: the trace gives all
        values it depends on.
        """
        steps: list[SystemStep] = []
        state = {v: trace.initial.get(v.name, default_value(v.sort)) for v in self.cfa.variables}
        for step in trace.steps:
            edge = self.cfa.by_id[step.edge]
            inputs = {
                i: step.inputs.get(i.name, default_value(i.sort))
                for i in self.cfa.edge_inputs(edge)
            }
            if edge.source != self.cfa.initial:
                steps.append(self._step(edge, {**state, **inputs}))
            state = execute(edge.command, state, inputs) or state
        return SystemTrace(tuple(steps))

    def _step(self, edge: Edge, now: dict[Term, Value]) -> SystemStep:
        flow = self.flow
        counters = {x.name: v for x, v in zip(flow.counters, flow.values[edge.source], strict=True)}
        inputs: dict[str, Value] = {}
        for i, e in flow.inputs[edge.id].items():
            inputs[i.name] = evaluate(
                e, {**{v: default_value(v.sort) for v in free_vars(e)}, **now}
            )
        return SystemStep({**counters, **{x.name: now[x] for x in self.cfa.variables}}, inputs)
