"""Random runs, many at once, that look for a path or a lasso before IC3 or FAIR is asked:
a cheap "yes", never a "no".

One word per gate holds a bit for each run. A run whose inputs are not allowed, or that has left the
set it must stay in, goes back by one step and tries other inputs. How many steps are worth while is
known from the tries before. Limitation: next-state functions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from obligato.engines.ic3.service import State
from obligato.engines.iictl.cycles import BitLasso
from obligato.engines.iictl.model import Model, Move
from obligato.smt.blast.lanes import Circuit

LANES = 64
EVERY = (1 << LANES) - 1
WORK = 400_000  # gates that one try may evaluate, times the lanes
FAR = 1000  # steps of a run that is to come far
IDLE = 64  # tries of a run that stays where it is
RUNS = 32  # that are to come far
ENDS = 16  # of these are looked at

Steps = list[tuple[State, Move]]


@dataclass(slots=True)
class _Moment:
    """All runs at one time: bits of the state, inputs, fairness sets taken;
    `moved` are the runs that went on."""

    state: list[int]
    inputs: list[int]
    taken: list[int]
    moved: int


def _worth(stays: bool, steps: Steps) -> tuple[bool, int]:
    """Least for short runs that stay at their end, then long ones that do not."""
    return not stays, len(steps) if stays else -len(steps)


class Walks:
    """The random runs of one system."""

    def __init__(self, model: Model, steps: int) -> None:
        self.model, self.steps = model, steps if model.bits.system.next is not None else 0
        self.random = model.env.random
        self._tries: dict[str, int] = {}
        self._found: dict[str, int] = {}

    def reach(self, start: State, target: int, inside: int, key: str) -> tuple[Steps, State] | None:
        """A path from the state to the target by steps from inside (gate literals),
        and its last state."""
        if not self._promising(key):
            return None
        for moments, hits in self._run(start, inside, target, ()):
            if hits:
                self._found[key] = self._found.get(key, 0) + 1
                lane = (hits & -hits).bit_length() - 1
                return self._steps(moments[:-1], lane), self._state(moments[-1], lane)
        return None

    def lasso(self, start: State, inside: int, sets: Sequence[int], key: str) -> BitLasso | None:
        """A lasso from the state inside, which takes a step in each of the sets on its loop."""
        if not self._promising(key):
            return None
        moments = [moments for moments, _ in self._run(start, inside, -1, sets)][-1]
        for lane in range(LANES):
            found = self._closed(moments, lane, len(sets))
            if found is not None:
                self._found[key] = self._found.get(key, 0) + 1
                return found
        return None

    def far(self, start: State, inside: int, wanted: int) -> list[tuple[Steps, State]]:
        """A few states far from the start that satisfy the gate literal `wanted`, with the runs that
        led there by steps from inside. The last such state of a run counts; those come first at which
        a run seems to stay for ever.
        """
        found: dict[State, tuple[bool, Steps]] = {}
        bits = self.model.bits
        needed = [*bits.next[1:], *bits.constraints, *bits.step, inside, wanted]
        circuit = Circuit(self.model.gates, needed, bits.source[1:])
        for _ in range(RUNS if self.steps else 0):
            stays, steps, end = self._away(start, circuit)
            if steps:
                found.setdefault(end, (stays, steps))
        best = sorted(found, key=lambda end: _worth(*found[end]))
        return [(self._straight(found[end][1], end), end) for end in best[:ENDS]]

    def _away(self, start: State, circuit: Circuit) -> tuple[bool, Steps, State]:
        """One run: of all lanes with other inputs one that goes to another state is followed; it ends
        where none does a few times. Is the last wanted state such an end?"""
        width, random = len(self.model.bits.bit) - 1, self.random
        state, steps, last, idle = start, Steps(), 0, 0
        for _ in range(min(FAR, 4 * WORK // max(1, circuit.size))):
            self.model.env.tick()
            now = [EVERY if state >> n & 1 else 0 for n in range(1, width + 1)]
            inputs = [random.getrandbits(LANES) for _ in self.model.free]
            words = circuit([*now, *inputs], LANES)
            last = len(steps) if words[-1] & 1 else last
            moved = reduce(or_, (a ^ b for a, b in zip(words[:width], now, strict=True)), 0)
            moved &= reduce(and_, words[width:-1], EVERY)
            idle = 0 if moved else idle + 1
            if idle == IDLE:
                break
            if moved:
                lane = random.choice([n for n in range(LANES) if moved >> n & 1])
                move = (n for n, w in enumerate(inputs, width + 1) if w >> lane & 1)
                steps.append((state, frozenset(move)))
                state = sum(1 << n for n, w in enumerate(words[:width], 1) if w >> lane & 1)
        end = steps[last][0] if last < len(steps) else state
        return idle == IDLE and last == len(steps), steps[:last], end

    def _straight(self, steps: Steps, end: State) -> Steps:
        """The steps of a run to the state at its end, without its loops."""
        seen: dict[State, int] = {}
        out: Steps = []
        for state, move in steps:
            if state == end:
                break
            if state in seen:
                for left, _ in out[seen[state] :]:
                    del seen[left]
                del out[len(seen) :]
            seen[state] = len(out)
            out.append((state, move))
        return out

    def _promising(self, key: str) -> bool:
        """Have enough of the earlier tries for the node `key` found something to make another one?"""
        tries = self._tries.get(key, 0)
        if not self.steps or 4 * self._found.get(key, 0) + 4 < tries:
            return False
        self._tries[key] = tries + 1
        return True

    # -- runs --------------------------------------------------------------------------------------

    def _run(
        self, start: State, inside: int, target: int, sets: Sequence[int]
    ) -> Iterator[tuple[list[_Moment], int]]:
        """Yield the moments so far and the runs that are in the target now."""
        bits = self.model.bits
        needed = [*bits.constraints, *bits.step, inside]
        width, random = len(bits.bit) - 1, self.random
        free = bits.source[len(bits.bit) :]
        circuit = Circuit(
            self.model.gates, [*bits.next[1:], *needed, target, *sets], [*bits.bit[1:], *free]
        )
        state = [EVERY if start >> n & 1 else 0 for n in range(1, width + 1)]
        moments: list[_Moment] = []
        for _ in range(max(5, min(self.steps, WORK // max(1, circuit.size)))):
            self.model.env.tick()
            inputs = [random.getrandbits(LANES) for _ in free]
            words = circuit([*state, *inputs], LANES)
            follow, rest = words[:width], words[width:]
            hits = rest[len(needed)]
            here, allowed = rest[len(needed) - 1], EVERY
            for w in rest[: len(needed)]:
                allowed &= w
            if moments and not hits:
                # these have left the set: they did not go there
                back = ~here & EVERY & moments[-1].moved
                moments[-1].moved &= ~back
                state = [
                    (old & back) | (now & ~back)
                    for old, now in zip(moments[-1].state, state, strict=True)
                ]
                allowed &= ~back
            moments.append(_Moment(state, inputs, rest[len(needed) + 1 :], allowed))
            yield moments, hits
            state = [
                (then & allowed) | (now & ~allowed) for then, now in zip(follow, state, strict=True)
            ]

    def _state(self, moment: _Moment, lane: int) -> State:
        return sum(1 << n for n, w in enumerate(moment.state, 1) if w >> lane & 1)

    def _steps(self, moments: Sequence[_Moment], lane: int) -> Steps:
        first = len(self.model.bits.bit)
        return [
            (
                self._state(m, lane),
                frozenset(n for n, w in enumerate(m.inputs, first) if w >> lane & 1),
            )
            for m in moments
            if m.moved >> lane & 1
        ]

    def _closed(self, moments: Sequence[_Moment], lane: int, sets: int) -> BitLasso | None:
        """The run of a lane up to where it closes a loop that takes all sets."""
        taken = [
            [m.taken[k] >> lane & 1 for k in range(sets)] for m in moments if m.moved >> lane & 1
        ]
        steps = self._steps(moments, lane)
        seen: dict[State, int] = {}
        for n, (state, _) in enumerate(steps):
            loop = seen.setdefault(state, n)
            if loop < n and all(any(t[k] for t in taken[loop:n]) for k in range(sets)):
                return BitLasso(tuple(steps[:n]), loop)
        return None
