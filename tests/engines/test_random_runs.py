"""Random runs of circuits: what they find is a run, and queues that must be full are filled."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.ic3.random_runs import EVERY, LANES, Habits, RandomRuns
from obligato.engines.ic3.run import completed
from obligato.engines.ic3ts import Shared
from obligato.frontends.btor2 import read
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemTrace
from obligato.models.ts_reduce import sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus
from obligato.smt import SolverStats
from tests.support.systems import explore, random_system

# A queue of 30 places: push only where it is not full, pop only where it is not empty; it must be
# full, then empty again.
QUEUE = """
1 sort bitvec 1
2 sort bitvec 5
3 input 1 push
4 input 1 pop
5 zero 2
6 state 2 count
7 init 2 6 5
8 constd 2 30
9 ugte 1 6 8
10 eq 1 6 5
11 nand 1 9 3
12 constraint 11
13 nand 1 10 4
14 constraint 13
15 uext 2 3 4
16 uext 2 4 4
17 add 2 6 15
18 sub 2 17 16
19 next 2 6 18
20 zero 1
21 state 1 was_full
22 init 1 21 20
23 or 1 21 9
24 next 1 21 23
25 and 1 21 10
26 bad 25
"""


def found(system: TransitionSystem, episodes: int, seed: int = 0) -> SystemTrace | None:
    """What so many episodes find, which is a run that violates a property."""
    runs = RandomRuns(BitSystem(system), Environment(seed=seed))
    trace = next((t for t in (runs.turn() for _ in range(episodes)) if t is not None), None)
    assert runs.work > 0
    if trace is not None:
        links = chain(sorts_of(system), (), SolverStats())
        assert (
            check_system_trace(system, completed(system, trace), links).status
            is TraceStatus.CONFIRMED
        )
    return trace


def test_a_queue_is_filled_and_emptied() -> None:
    trace = found(read(QUEUE).system, 20)
    assert trace is not None and len(trace.steps) >= 61


def test_the_same_seed_finds_the_same_run() -> None:
    system = read(QUEUE).system
    assert found(system, 20, seed=3) == found(system, 20, seed=3)


# A wrong result for one pair of operands, once the counter has passed 200.
MAGIC = """
1 sort bitvec 1
2 sort bitvec 16
3 sort bitvec 8
4 input 2 a
5 input 2 b
6 zero 3
7 state 3 count
8 init 3 7 6
9 one 3
10 add 3 7 9
11 next 3 7 10
12 consth 2 beef
13 consth 2 1c0d
14 eq 1 4 12
15 eq 1 5 13
16 constd 3 200
17 ugt 1 7 16
18 and 1 14 15
19 and 1 18 17
20 bad 19
"""


def test_values_that_the_circuit_compares_with_are_tried() -> None:
    trace = found(read(MAGIC).system, 20)
    assert trace is not None and len(trace.steps) > 200
    assert trace.steps[-1].inputs == {"a": 0xBEEF, "b": 0x1C0D}


def test_compiled_code_finds_the_same_run() -> None:
    for text in (QUEUE, MAGIC):
        compiled, pure = (
            RandomRuns(BitSystem(read(text).system), Environment(seed=5)) for _ in range(2)
        )
        pure.circuit._compiled = None
        for length in (64, 128, 512, 1024):
            assert compiled.episode(length) == pure.episode(length)


def test_random_systems() -> None:
    """Whatever is found can be reached, and most of what can be reached is found."""
    reached = missed = 0
    for seed in range(120):
        system = random_system(seed)
        if not RandomRuns.possible(BitSystem(system)):
            continue
        violated = explore(system).depth is not None
        trace = found(system, 4)
        assert trace is None or violated, seed
        reached += violated
        missed += violated and trace is None
    assert reached > 20 and missed < reached // 4


def test_habits_share_out_the_lanes() -> None:
    env = Environment(seed=1)
    habits = Habits.draw(env.random, LANES).changed(env.random)
    kinds = (habits.ones, habits.seldom, habits.mostly, habits.either)
    assert all(0 < a <= EVERY for a in kinds) and not any(
        a & b for a in kinds for b in kinds if a is not b
    )
    word = habits.values(env.random, habits.ones)
    assert word & habits.ones not in (0, habits.ones)  # without its habit, because these lanes wait
    assert habits.values(env.random, 0) & habits.ones == habits.ones
    assert (
        habits.values(env.random, 0)
        & EVERY
        & ~(habits.ones | habits.seldom | habits.mostly | habits.either)
        == 0
    )


def test_searches_share_their_turns() -> None:
    class Counted:
        def __init__(self) -> None:
            self.work = 0

        def turn(self) -> SystemTrace | None:
            self.work += 10
            return None

    first, second = Counted(), Counted()
    shared = Shared([(first, 3), (second, 1)])
    for _ in range(40):
        assert shared.turn() is None
    assert (first.work, second.work, shared.work) == (300, 100, 400)
