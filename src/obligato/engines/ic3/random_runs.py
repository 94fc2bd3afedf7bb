"""Random runs of a circuit, hundreds at once, that look for a violation beside IC3: they refute only.

One word per gate has a bit for each run (a lane). What finds deep violations is that lanes have *habits*: an input is always 0
or always 1 in some lanes, seldom or mostly 1 in others. So one of the runs fills a queue without emptying it, or never resets;
now and then habits change. Where inputs violate a constraint the run waits, and tries others, without its habits, until some
are allowed. An episode starts from the initial states.

Limitation: start values and next-state functions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from random import Random
from typing import TYPE_CHECKING

from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt.blast.evaluate import Circuit

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.ts_bits import BitSystem

LANES = 512
EVERY = (1 << LANES) - 1
SHORT = 128  # steps of the shortest episodes
MOST = 4_000_000  # gates that an episode evaluates at most, unless it is as short as that
CHANGE = (16, 32, 64, 128)  # steps after which habits change; one of these for an episode
GATE = 2  # what it takes in propagations of bounded model checking to evaluate a gate


@dataclass(frozen=True, slots=True)
class Habits:
    """The lanes in which one input is always 1, seldom 1, mostly 1, or either; always 0 in the others."""

    ones: int
    seldom: int
    mostly: int
    either: int

    @staticmethod
    def draw(random: Random) -> Habits:
        """New habits: a quarter of the lanes for each constant and for none, an eighth for each bias."""
        a, b, c = (random.getrandbits(LANES) for _ in range(3))
        return Habits(a & b, a & ~b & c, a & ~b & ~c, EVERY & ~a & ~b)

    def changed(self, random: Random) -> Habits:
        """New habits in a quarter of the lanes."""
        lanes, new = random.getrandbits(LANES) & random.getrandbits(LANES), Habits.draw(random)
        pairs = zip((self.ones, self.seldom, self.mostly, self.either), (new.ones, new.seldom, new.mostly, new.either),
                    strict=True)
        return Habits(*((old & ~lanes) | (then & lanes) for old, then in pairs))

    def word(self, random: Random, free: int) -> int:
        """The input in all lanes; in those of `free` without habits."""
        a, b, c = (random.getrandbits(LANES) for _ in range(3))
        kept = self.ones | (self.seldom & a & b & c) | (self.mostly & (a | b | c)) | (self.either & a)
        return (kept & ~free) | (a & free)


class RandomRuns:
    """The random runs of one system: a search that takes turns with IC3 (`ic3ts.turns`), an episode each."""

    def __init__(self, bits: BitSystem, env: Environment) -> None:
        self.bits, self.env, self.random = bits, env, Random(env.seed)
        self.sources = bits.source[1:]
        self.free = bits.source[len(bits.bit) :]
        self.circuit = Circuit(bits.context.gates, [*bits.next[1:], bits.bad, *bits.constraints, *bits.step])
        self.work = 0  # done so far, in propagations of bounded model checking

    @staticmethod
    def possible(bits: BitSystem) -> bool:
        """Are there start values and next-state functions?"""
        return bits.start is not None and bits.system.next is not None

    def turn(self) -> SystemTrace | None:
        """An episode: of two the second is twice as long, of four the fourth once more, and so on."""
        self.env.count("random_episodes")
        n = self.env.counters["random_episodes"]
        return self.episode(max(SHORT, min(SHORT * (n & -n), MOST // self.circuit.size)))

    def episode(self, length: int) -> SystemTrace | None:
        """Runs of at most so many steps from the initial states; one that ends in a violation, if there is one."""
        start = state = self._start()
        habits = [Habits.draw(self.random) for _ in self.free]
        period, waiting, history = self.random.choice(CHANGE), 0, list[tuple[list[int], int]]()
        for time in range(length):
            self.env.tick()
            if time % period == period - 1:
                habits = [h.changed(self.random) for h in habits]
            inputs = [h.word(self.random, waiting) for h in habits]
            state, hits, moved = self._step(state, inputs)
            self.work += GATE * self.circuit.size
            history.append((inputs, moved))
            if hits:
                return self._trace((hits & -hits).bit_length() - 1, start, history)
            waiting = EVERY & ~moved
        return None

    def _start(self) -> list[int]:
        """Start values, and any other bits."""
        given = self.bits.start or {}
        return [self.random.getrandbits(LANES) if n not in given else EVERY if given[n] > 0 else 0
                for n in range(1, len(self.bits.bit))]

    def _step(self, state: list[int], inputs: list[int]) -> tuple[list[int], int, int]:
        """The next state, the lanes that violate a property now, and those that go on; the others stay where they are."""
        words = self.circuit(dict(zip(self.sources, [*state, *inputs], strict=True)), EVERY)
        then, bad, rest = words[: len(state)], words[len(state)], words[len(state) + 1 :]
        constraints = len(self.bits.constraints)
        allowed = reduce(and_, rest[:constraints], EVERY)
        moved = reduce(and_, rest[constraints:], allowed)
        following = [(new & moved) | (old & ~moved) for new, old in zip(then, state, strict=True)]
        return following, bad & allowed, moved

    def _trace(self, lane: int, start: Sequence[int], history: Sequence[tuple[list[int], int]]) -> SystemTrace:
        """The run in a lane: its first state, and its inputs wherever it went on, and at the end."""
        bits, system = self.bits, self.bits.system
        first = {g for g, w in zip(bits.bit[1:], start, strict=True) if w >> lane & 1}
        steps: list[SystemStep] = []
        for n, (inputs, moved) in enumerate(history, 1):
            if moved >> lane & 1 or n == len(history):
                true = {g for g, w in zip(self.free, inputs, strict=True) if w >> lane & 1}
                told = () if steps else system.state
                state = {x.name: bits.value(x, first) for x in told}
                steps.append(SystemStep(state, {i.name: bits.value(i, true) for i in system.inputs}))
        return SystemTrace(tuple(steps))
