"""A finite system without inputs and with one initial state has one run, and it comes back: an
orbit.

Following it may take a million steps, but no solver. The loop is found by Brent's algorithm
[Bre80], which keeps two states. The lasso that is made of it shares one step object for all steps
but the first, so it costs eight bytes for each step.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.engines.environment import Environment
from obligato.models.live_claims import Lasso
from obligato.models.properties import fairness_sets
from obligato.models.stepping import State, can_step, stepper
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemStep
from obligato.terms import BOOL, Value, postorder

SIZE = 100  # terms of a system of which all steps are taken; of larger ones fewer


def find_orbit(bits: BitSystem, env: Environment, limit: int) -> Lasso | None:
    """The run of a system without inputs, if it is fair; state bits that `init` leaves open are
    false in it.

    None: there are inputs, the run is not fair, a constraint ends it, or more than `limit` steps
    (fewer for large systems) would have to be taken.
    """
    system = bits.system
    if system.inputs or bits.start is None or not can_step(system):
        return None
    orbit = _Orbit(system, env, _allowed(system, limit))
    first = tuple(_opening(bits, system))
    found = orbit.cycle(first)
    if found is None or not orbit.is_fair(first, *found):
        return None
    stem, loop = found
    opening = SystemStep(dict(zip((x.name for x in system.state), first, strict=True)))
    return Lasso((opening, *[SystemStep()] * (stem + loop - 1)), stem)


def _opening(bits: BitSystem, system: TransitionSystem) -> Iterator[Value]:
    """The start values of the state variables; bits that `init` leaves open are false."""
    for x in system.state:
        if x.sort is BOOL:
            yield bits.opening.get((x, 0), False)
        else:
            yield sum(bits.opening.get((x, i), False) << i for i in range(x.sort.width))


def _allowed(system: TransitionSystem, limit: int) -> int:
    """How many steps may be taken."""
    assert system.next is not None
    size = sum(
        1 for _ in postorder([*system.next.values(), *system.constraints, *fairness_sets(system)])
    )
    return limit * SIZE // max(SIZE, size)


class _Orbit:
    """Steps of a system without inputs, of which `left` may still be taken."""

    def __init__(self, system: TransitionSystem, env: Environment, left: int) -> None:
        self.env, self.left = env, left
        self._step = stepper(system, fairness_sets(system))

    def cycle(self, first: State) -> tuple[int, int] | None:
        """The lengths of stem and loop from this state on [Bre80]; None: the run ends, or no steps
        are left.
        """
        loop = self._period(first)
        if loop is None:
            return None
        ahead: State | None = first
        for _ in range(loop):
            ahead = self._after(ahead)
        behind: State | None = first
        stem = 0
        while ahead != behind:
            ahead, behind, stem = self._after(ahead), self._after(behind), stem + 1
            if ahead is None or behind is None:
                return None
        return stem, loop

    def _period(self, first: State) -> int | None:
        """The length of the loop: the state is compared with one that is taken anew after 1, 2, 4,
        ... steps.
        """
        power = length = 1
        kept, state = first, self._after(first)
        while state is not None and state != kept:
            if power == length:
                kept, power, length = state, 2 * power, 0
            state, length = self._after(state), length + 1
        return None if state is None else length

    def is_fair(self, state: State, stem: int, loop: int) -> bool:
        """Is every fairness set taken on the loop?"""
        for _ in range(stem):
            state = self._step(state)[2]
        missing: tuple[bool, ...] | None = None
        for _ in range(loop):
            _, truths, state = self._step(state)
            missing = tuple(not t and (missing is None or missing[n]) for n, t in enumerate(truths))
            if not any(missing):
                return True
        return False

    def _after(self, state: State | None) -> State | None:
        """The next state; None: a constraint forbids the step, or no steps are left."""
        if state is None or self.left <= 0:
            return None
        self.left -= 1
        if self.left % 1000 == 0:
            self.env.tick()
        allowed, _, after = self._step(state)
        return after if allowed else None
