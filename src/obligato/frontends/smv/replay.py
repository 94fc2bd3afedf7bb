"""Counterexamples: run by the interpreter, and shown with the names and values of the model.
`replay` carries it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from obligato.errors import InternalError
from obligato.frontends.reading import nested, read_text
from obligato.frontends.smv.concrete import Bits, Impossible, Table
from obligato.frontends.smv.dynamics import SELECTOR
from obligato.frontends.smv.instances import Tree
from obligato.frontends.smv.interpreter import Simulation, State
from obligato.frontends.smv.parser import parse
from obligato.frontends.smv.types import Boolean, Map, Numbers, Symbols, Type, Word
from obligato.models.ts_claims import SystemTrace
from obligato.terms import ArrayValue, to_signed
from obligato.terms.numerals import number_text

Stream = tuple[str, str, tuple[str, ...]]  # kind (input, state, local), name, value at each step


def replay(file: str, trace: SystemTrace, violated: str | None) -> tuple[tuple[Stream, ...], str]:
    """The variables of the model at each step of a counterexample; there is never a doubt about it.

    Raises InternalError where the interpreter does not see a run that violates the property;
    without a property (the lasso of a temporal formula), where it does not see a run.
    """
    return nested(lambda: _replay(file, trace, violated), file)


def _replay(file: str, trace: SystemTrace, violated: str | None) -> tuple[tuple[Stream, ...], str]:
    model = parse(read_text(file), file)
    run = Run(Tree(model), Simulation(model), trace)
    try:
        run.check(violated)
        return run.streams(), ""
    except (Impossible, KeyError, AttributeError, TypeError) as problem:
        raise InternalError(f"the interpreter rejects the trace: {problem!r}") from problem


class Run:
    """A trace of the system as states of the model."""

    def __init__(self, tree: Tree, simulation: Simulation, trace: SystemTrace) -> None:
        self.tree, self.simulation = tree, simulation
        self.states: list[State] = []
        self.movers: list[str] = []
        for step in trace.steps:
            values = {**step.state, **step.inputs}
            self.states.append(
                {
                    v.name: decoded(v.type, values[v.name])
                    for v in tree.variables
                    if v.name in values
                }
            )
            n = values.get(SELECTOR, 0)
            assert isinstance(n, int)
            self.movers.append(simulation.movers[n])

    def check(self, violated: str | None) -> None:
        """Is it a run of the model that violates the property?"""
        s, states = self.simulation, self.states
        if not s.initial(states[0]):
            raise Impossible("the first state is not initial")
        for n, state in enumerate(states):
            if not s.allowed(state):
                raise Impossible(f"step {n}: the state is not allowed")
            if n and not s.step(states[n - 1], self.movers[n - 1], state):
                raise Impossible(f"step {n}: no transition leads there")
        if (
            violated is not None
            and violated.startswith("invar")
            and not self._fails(int(violated.removeprefix("invar")))
        ):
            raise Impossible(f"{violated} holds")

    def _fails(self, number: int) -> bool:
        """Is an invariant false at the end, or (if it is about steps) at the last step?"""
        formula, instance = list(self.simulation.invariants())[number]
        try:
            if not self.simulation.holds(formula, instance, self.states[-1]):
                return True
        except Impossible:  # there is no next state
            pass
        return len(self.states) > 1 and not self.simulation.holds(
            formula, instance, self.states[-2], self.movers[-2], self.states[-1]
        )

    def streams(self) -> tuple[Stream, ...]:
        """All variables, and whose turn it is."""
        out: list[Stream] = []
        for v in self.tree.variables:
            values = [self._value(v.name, state) for state in self.states]
            out.append(
                ("input" if v.kind == "IVAR" else "state", v.name, tuple(map(written, values)))
            )
        if len(self.simulation.movers) > 1:
            out.append(("input", "running", tuple(m or "main" for m in self.movers)))
        return tuple(out)

    def _value(self, name: str, state: State) -> Any:
        if name in state:
            return state[name]
        a, instance = self.simulation.current[name]
        self.simulation.allowed(state)
        return self.simulation.one(a.value, instance)


def decoded(t: Type, value: Any) -> Any:
    """The value of the model that an encoded value stands for."""
    match t:
        case Boolean():
            return bool(value)
        case Symbols():
            return t.values[value] if value < len(t.values) else None
        case Word():
            return Bits(t.signed, t.width, value)
        case Numbers(low=low, high=high) if (
            low is not None and high is not None and low < 0 <= value
        ):
            width = max((-low - 1).bit_length(), max(high, 0).bit_length()) + 1
            return to_signed(value, width) if value < 1 << width else value
        case Map():
            assert isinstance(value, ArrayValue)
            entries = {decoded(t.index, i): decoded(t.element, v) for i, v in value.entries.items()}
            return Table(decoded(t.element, value.default), entries)
    return value


def written(value: Any) -> str:
    """A value as it is written in SMV."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Bits):
        return f"0{'s' if value.signed else 'u'}d{value.width}_{number_text(value.pattern)}"
    if isinstance(value, Table):
        inner = [f"{written(i)}: {written(v)}" for i, v in value.entries.items()]
        return "[" + ", ".join([*inner, f"else {written(value.default)}"]) + "]"
    return number_text(value) if isinstance(value, int | Fraction) else str(value)
