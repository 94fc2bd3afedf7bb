"""Random runs of a circuit, hundreds at once, that look for a violation beside IC3: they refute
only.

A value has a bit for each run (a lane), and the values of all inputs, or of the whole state, stand
in one number or block (`blast.lanes`). What finds deep violations is that lanes have *habits*: an
input is always 0 or always 1 in some lanes, seldom or mostly 1 in others. So one of the runs fills
a queue without emptying it, or never resets; now and then habits change. In a quarter of the lanes
inputs are sometimes set as a comparison with a constant wants them (`Patterns`), which chance would
not do. Where inputs violate a constraint the run waits, and tries others, without its habits, until
some are allowed. An episode starts from the initial states; one that finds a violation is played
again to write it down.

Limitation: start values and next-state functions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.smt.blast.gates import AND
from obligato.smt.blast.lanes import Circuit, unpacked

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.ts_bits import BitSystem

LANES = 512
WIDTH, BYTES = LANES // 64, LANES // 8
EVERY = (1 << LANES) - 1
SHORT = 128  # steps of the shortest episodes
# work of an episode at most, in propagations of bounded model checking, unless it is as short as
# that
MOST = 4_000_000
CHANGE = (16, 32, 64, 128)  # steps after which habits change; one of these for an episode
LONG, MANY = 8, 64  # literals of inputs that make a pattern at least; patterns at most
GATE = 2  # what it takes in propagations to evaluate a gate in Python, and
COMPILED = 16  # how many gates compiled code evaluates in the time of one
STEP, INPUT = 80, 3  # what a step takes beside that, and an input of it


@dataclass(frozen=True, slots=True)
class Habits:
    """The lanes in which an input is always 1, seldom 1, mostly 1, or either; always 0 in the
    others. All inputs stand in one number of `size` bits.
    """

    size: int
    ones: int
    seldom: int
    mostly: int
    either: int

    @staticmethod
    def draw(random: Random, size: int) -> Habits:
        """Choose anew how each lane draws its inputs: a quarter of the lanes draws zeros, a quarter
        ones, a quarter evenly, and an eighth each mostly zeros and mostly ones.
        """
        a, b, c = (random.getrandbits(size) for _ in range(3))
        neither = a & ~b
        return Habits(size, a & b, neither & c, neither & ~c, ~(a | b) & (1 << size) - 1)

    def changed(self, random: Random) -> Habits:
        """Choose anew, for a quarter of the lanes, how they draw their inputs."""
        lanes = random.getrandbits(self.size) & random.getrandbits(self.size)
        new = Habits.draw(random, self.size)
        pairs = (
            (self.ones, new.ones),
            (self.seldom, new.seldom),
            (self.mostly, new.mostly),
            (self.either, new.either),
        )
        return Habits(self.size, *(old ^ (old ^ then) & lanes for old, then in pairs))

    def values(self, random: Random, free: int) -> int:
        """The inputs in all lanes; in the lanes `free` they are drawn evenly."""
        a, b, c = (random.getrandbits(self.size) for _ in range(3))
        kept = (
            self.ones | (self.seldom & a & b & c) | (self.mostly & (a | b | c)) | (self.either & a)
        )
        return kept ^ (kept ^ a) & free if free else kept


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of all runs: the blocks of state and inputs, the lanes that violate a property, and
    those that go on.
    """

    state: bytes
    inputs: bytes
    hits: int
    moved: int


class Patterns:
    """Values that the circuit compares inputs with: conjunctions of many literals of inputs. Each
    is a pair of numbers with a bit for each input and lane: which inputs it is about, and which of
    them are 1.
    """

    def __init__(self, bits: BitSystem, free: list[int]) -> None:
        gates, self.count, index = bits.context.gates, len(free), {g: n for n, g in enumerate(free)}
        wide = (
            ins
            for kind, ins in zip(gates.kinds, gates.inputs, strict=True)
            if kind == AND and len(ins) >= LONG
        )
        found = {tuple([x for x in ins if abs(x) in index]) for ins in wide}
        longest = sorted((x for x in found if len(x) >= LONG), key=lambda x: (-len(x), x))
        self.known = [
            (_blocks(index[abs(x)] for x in p), _blocks(index[x] for x in p if x > 0))
            for p in longest[:MANY]
        ]

    def lanes(self, random: Random) -> int:
        """The lanes of an episode in which they are tried."""
        return random.getrandbits(LANES) & random.getrandbits(LANES) if self.known else 0

    def put_into(self, inputs: int, lanes: int, random: Random) -> int:
        """The inputs, with one or two patterns in some of the lanes."""
        for _ in range(1 + random.getrandbits(1)):
            about, ones = random.choice(self.known)
            here = _everywhere(
                lanes & random.getrandbits(LANES) & random.getrandbits(LANES), self.count
            )
            inputs ^= (inputs ^ ones) & about & here
        return inputs


class RandomRuns:
    """The random runs of one system: a search that takes turns with IC3 (`ic3ts.turns`), an episode
    each.
    """

    def __init__(self, bits: BitSystem, env: Environment) -> None:
        self.bits, self.env, self.random = bits, env, Random(env.seed)
        self.free = bits.source[len(bits.bit) :]
        self.patterns = Patterns(bits, self.free)
        gates = bits.context.gates
        allowed = gates.all_of(bits.constraints)
        moved = gates.all_of([allowed, *bits.step])
        follow = [
            gates.ite(moved, then, now)
            for then, now in zip(bits.next[1:], bits.bit[1:], strict=True)
        ]
        self.circuit = Circuit(
            gates, [*follow, gates.and_(bits.bad, allowed), moved], bits.source[1:]
        )
        size = self.circuit.size
        # of a step
        self.price = (
            STEP
            + INPUT * len(self.free)
            + (size // COMPILED if self.circuit.compiled else GATE * size)
        )
        self.work = 0  # done so far, in propagations of bounded model checking

    @staticmethod
    def possible(bits: BitSystem) -> bool:
        """Are there start values and next-state functions?"""
        return bits.start is not None and bits.system.next is not None

    def turn(self) -> SystemTrace | None:
        """Make a few runs. Every second turn makes runs of twice the length, every fourth of four
        times the length, and so on.
        """
        self.env.count("random_episodes")
        n = self.env.counters["random_episodes"]
        return self.episode(max(SHORT, min(SHORT * (n & -n), MOST // self.price)))

    def episode(self, length: int) -> SystemTrace | None:
        """Runs of at most so many steps from the initial states; one that ends in a violation, if
        there is one.
        """
        before = self.random.getstate()
        for time, moment in enumerate(self._moments(length)):
            if moment.hits:
                self.random.setstate(before)
                return self._trace((moment.hits & -moment.hits).bit_length() - 1, time + 1)
        return None

    def _moments(self, length: int) -> Iterator[Moment]:
        """The next `length` steps of all runs."""
        random, size = self.random, LANES * len(self.free)
        state, habits, waiting = self._start(), Habits.draw(random, size), 0
        period, lanes = random.choice(CHANGE), self.patterns.lanes(random)
        for time in range(length):
            self.env.tick()
            if time % period == period - 1:
                habits = habits.changed(random)
            inputs = habits.values(random, _everywhere(waiting, len(self.free)))
            if lanes:
                inputs = self.patterns.put_into(inputs, lanes, random)
            block = inputs.to_bytes(size // 8, "little")
            follow, hits, moved = self._step(state, block)
            self.work += self.price
            yield Moment(state, block, hits, moved)
            state, waiting = follow, EVERY & ~moved

    def _start(self) -> bytes:
        """Start values, and any other bits."""
        given, every = self.bits.start or {}, EVERY.to_bytes(BYTES, "little")

        def lanes(n: int) -> bytes:
            if n not in given:
                return self.random.randbytes(BYTES)
            return every if given[n] > 0 else bytes(BYTES)

        return b"".join(map(lanes, range(1, len(self.bits.bit))))

    def _step(self, state: bytes, inputs: bytes) -> tuple[bytes, int, int]:
        """The next state, the lanes that violate a property now, and those that go on; the others
        stay where they are.
        """
        found = self.circuit.run(state + inputs, WIDTH)
        hits, moved = unpacked(found[len(state) :], WIDTH)
        return found[: len(state)], hits, moved

    def _trace(self, lane: int, length: int) -> SystemTrace:
        """The run in a lane, played again: its first state, and its inputs wherever it went on, and
        at the end.
        """
        bits, system, steps = self.bits, self.bits.system, list[SystemStep]()
        for n, moment in enumerate(self._moments(length), 1):
            if moment.moved >> lane & 1 or n == length:
                first = _true(bits.bit[1:], moment.state, lane)
                told = {} if steps else {x.name: bits.value(x, first) for x in system.state}
                true = _true(self.free, moment.inputs, lane)
                steps.append(SystemStep(told, {i.name: bits.value(i, true) for i in system.inputs}))
        return SystemTrace(tuple(steps))


def _blocks(places: Iterable[int]) -> int:
    """The bits of all lanes at these places."""
    return sum(EVERY << LANES * n for n in places)


def _everywhere(word: int, count: int) -> int:
    """The same lanes, repeated `count` times."""
    return int.from_bytes(word.to_bytes(BYTES, "little") * count, "little") if word else 0


def _true(gates: list[int], block: bytes, lane: int) -> set[int]:
    """The gates whose values in the block have a 1 in this lane."""
    at, bit = divmod(lane, 8)
    return {g for g, byte in zip(gates, block[at::BYTES], strict=True) if byte >> bit & 1}
