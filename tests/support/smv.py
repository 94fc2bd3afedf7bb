"""Comparison of the translation of an SMV model with the interpreter.

Models are so small that all states and inputs can be listed: the two must agree on every first
state, on all successors of a state, and on every invariant. What a model leaves to luck is refused
by the translation, and then the interpreter must see the trouble somewhere, too.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

from obligato.errors import InputError
from obligato.frontends.smv.concrete import Bits, Impossible
from obligato.frontends.smv.dynamics import SELECTOR
from obligato.frontends.smv.instances import Scalar
from obligato.frontends.smv.interpreter import Simulation
from obligato.frontends.smv.parser import parse
from obligato.frontends.smv.replay import decoded
from obligato.frontends.smv.system import SmvModel, read
from obligato.terms import BOOL, Kind, Term, evaluate, free_vars

MAX_STATES, MAX_INPUTS = 512, 2048
# -- comparison ------------------------------------------------------------------------------------


def all_values(x: Term) -> list[Any]:
    """All encoded values of a variable."""
    if x.sort is BOOL:
        return [False, True]
    assert x.sort.kind is Kind.BITVEC
    return list(range(1 << x.sort.width))


def assignments(variables: tuple[Term, ...]) -> Iterator[dict[Term, Any]]:
    """All assignments."""
    for values in itertools.product(*map(all_values, variables)):
        yield dict(zip(variables, values, strict=True))


class TooLarge(Exception):
    """There are too many states or inputs."""


def size(variables: tuple[Term, ...]) -> int:
    """How many assignments there are."""
    return 1 << sum(1 if x.sort is BOOL else x.sort.width for x in variables)


def differences(text: str, rng: random.Random) -> list[str]:
    """What the two readers say differently about a model. Raises InputError where it is refused."""
    model = read(text)
    if size(model.system.state) > MAX_STATES or size(model.system.inputs) > MAX_INPUTS:
        raise TooLarge
    return _Comparison(model, Simulation(parse(text, "<text>"))).run(rng)


class _Comparison:
    def __init__(self, model: SmvModel, simulation: Simulation) -> None:
        self.system, self.simulation = model.system, simulation
        own = {model.translator.now[v]: v for v in model.tree.variables}
        self.states = [x for x in self.system.state if x in own]
        self.ivars = [x for x in self.system.inputs if x in own]
        self.own: dict[Term, Scalar] = own
        self.out: list[str] = []

    def named(self, values: dict[Term, Any], which: list[Term]) -> dict[str, Any]:
        """Values of the model by name."""
        return {x.name: decoded(self.own[x].type, values[x]) for x in which}

    def run(self, rng: random.Random) -> list[str]:
        """All comparisons."""
        system, sim = self.system, self.simulation
        only = self.system.state == tuple(self.states)
        inputs = list(assignments(system.inputs))
        allowed = []
        for s in assignments(system.state):
            named = self.named(s, self.states)
            if None in named.values() or not all(
                evaluate(c, {**s, **i})
                for c in system.constraints
                for i in inputs[:1]
                if not self._about_inputs(c)
            ):
                if None not in named.values() and sim.allowed(named):
                    self.out.append(f"only the interpreter allows {named}")
                continue
            if not sim.allowed(named):
                self.out.append(f"the interpreter does not allow {named}")
                continue
            allowed.append(s)
            if only and evaluate(system.init, s) is not sim.initial(named):
                self.out.append(f"the first states differ in {named}")
        if not only:
            return self.out  # a bit remembers steps
        for s in rng.sample(allowed, min(6, len(allowed))):
            self._successors(s, inputs, allowed)
            self._invariants(s, inputs)
        return self.out

    def _about_inputs(self, c: Term) -> bool:
        return any(v in self.system.inputs for v in free_vars(c))

    def _successors(
        self, s: dict[Term, Any], inputs: list[dict[Term, Any]], allowed: list[dict[Term, Any]]
    ) -> None:
        system, sim = self.system, self.simulation
        found = dict[tuple[Any, ...], set[tuple[Any, ...]]]()
        targets = {tuple(t.values()) for t in allowed}
        assert system.next is not None
        for i in inputs:
            now = {**s, **i}
            if not all(evaluate(c, now) for c in system.constraints):
                continue
            after = {x: evaluate(system.next[x], now) for x in system.state}
            step = {**now, **{y: after[x] for x, y in system.primed.items()}}
            chosen = tuple(i[x] for x in self._told())
            reached = found.setdefault(chosen, set())
            if tuple(after.values()) in targets and evaluate(system.trans, step):
                reached.add(tuple(after.values()))
        for chosen, reached in found.items():
            told = dict(zip(self._told(), chosen, strict=True))
            state = {**self.named(s, self.states), **self.named(told, self.ivars)}
            mover = sim.movers[next((v for x, v in told.items() if x.name == SELECTOR), 0)]
            seen = {
                tuple(t.values())
                for t in allowed
                if sim.step(state, mover, self.named(t, self.states))
            }
            if seen != reached:
                self.out.append(
                    f"after {state} ({mover}) the system reaches {sorted(reached)}, the interpreter"
                    f" {sorted(seen)}"
                )

    def _told(self) -> list[Term]:
        return [*self.ivars, *(x for x in self.system.inputs if x.name == SELECTOR)]

    def _invariants(self, s: dict[Term, Any], inputs: list[dict[Term, Any]]) -> None:
        sim = self.simulation
        state = self.named(s, self.states)
        for p, (formula, instance) in zip(self.system.assertions, sim.invariants(), strict=True):
            if self._about_inputs(p.formula):
                continue
            if evaluate(p.formula, s) is not sim.holds(formula, instance, state):
                self.out.append(f"{p.name} differs in {state}")


def troubled(text: str) -> bool:
    """Does the interpreter see trouble somewhere: an expression without a value, or a value that
    its variable cannot have?
    """
    sim = Simulation(parse(text, "<text>"))
    spaces = [_domain(t, sim, instance) for _, t, instance in sim.variables.values()]
    for values in itertools.islice(itertools.product(*spaces), 3000):
        try:
            if _outside(sim, dict(zip(sim.variables, values, strict=True))):
                return True
        except Impossible:
            return True
    return False


def _domain(t: Any, sim: Simulation, instance: Any) -> list[Any]:
    match t.kind:
        case "boolean":
            return [False, True]
        case "enum":
            return list(t.values)
        case "range":
            low, high = (sim.one(e, instance) for e in t.args)
            return list(range(low, high + 1))
    width = sim.one(t.args[0], instance)
    return [Bits(t.signed, width, n) for n in range(1 << width)]


def _outside(sim: Simulation, state: dict[str, Any]) -> bool:
    """Is a value assigned that its variable cannot have?"""
    for a, instance in sim.assignments:
        for mover in sim.movers:
            sim.at(state, state, mover)
            name = sim.target(a, instance)
            _, t, home = sim.variables[name]
            if not all(sim.of_type(v, t, home) for v in sim.values(a.value, instance)):
                return True
    for f in sim.instances:
        for e in [
            *(e for s in f.module.sections for e in s.formulas),
            *(s.formula for s in f.module.specs),
        ]:
            sim.at(state, state)
            sim.values(e, f)
    return False


def outcome(text: str, rng: random.Random) -> tuple[str, list[str]]:
    """same, different, large, refused (rightly), and what is wrong."""
    try:
        found = differences(text, rng)
    except TooLarge:
        return "large", []
    except InputError as refusal:
        lucky = any(w in refusal.message for w in ("outside", "case", "zero", "negative", "index"))
        if lucky and troubled(text):
            return "refused", []
        return "wrongly refused", [f"refused: {refusal}"]
    return ("different", found) if found else ("same", [])
