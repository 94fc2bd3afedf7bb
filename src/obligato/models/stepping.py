"""Steps of a transition system as Python code, for runs of millions of steps: `Stepper`.

The same code that executes programs (`program.compile`) computes the next state; it is some fifty
times faster than to evaluate terms one by one.
A long run is never held as states: who needs one goes there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from obligato.models.transition_system import TransitionSystem, functional
from obligato.program.compile import Slots, value_lines
from obligato.terms import Kind, Term, Value

State = tuple[Value, ...]  # the values of the state variables, in their order
# do the constraints hold; the watched formulas; the next state
Step = tuple[bool, tuple[bool, ...], State]


def can_step(system: TransitionSystem) -> bool:
    """Is the next state a function of state and inputs, and is none of them an array?"""
    if system.next is None or system.trans is not functional(system.store, system.next):
        return False
    return all(x.sort.kind is not Kind.ARRAY for x in (*system.state, *system.inputs))


def stepper(system: TransitionSystem, watched: Sequence[Term]) -> Callable[[Sequence[Value]], Step]:
    """A function from the values of the state variables and then of the inputs, in their order,
    to what the step is like.

    Requires: `can_step`; the watched formulas are over state and inputs.
    """
    assert system.next is not None
    slots = Slots([x.name for x in (*system.state, *system.inputs)])
    terms = [
        system.store.and_(*system.constraints),
        *watched,
        *(system.next[x] for x in system.state),
    ]
    lines, values = value_lines(slots, terms)
    end = 1 + len(watched)
    answer = f"return {values[0]}, {_tuple(values[1:end])}, {_tuple(values[end:])}"
    space: dict[str, Any] = dict(slots.constants)
    exec(
        compile(
            "\n".join(["def step(G):", *(f" {line}" for line in [*lines, answer])]),
            "<step>",
            "exec",
        ),
        space,
    )
    step: Callable[[Sequence[Value]], Step] = space["step"]
    return step


def _tuple(texts: Sequence[str]) -> str:
    return f"({''.join(f'{t}, ' for t in texts)})"
