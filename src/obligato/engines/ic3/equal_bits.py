"""Bits of the state that are always equal, opposite or constant [Eij00], found before IC3 starts
and built into the circuit.

Candidates are literals that are true at the start; `Classes` partitions them, the constant true
among them. Simulation of random runs splits the classes (`_simulate`), then induction (`_refine`):
if all members of each class are equal now, are they so after a step? A model that says no splits
them again. When a whole round has said yes, the classes are an inductive invariant, and each member
is replaced by the first of its class.

Limitation: needs start values and next-state functions; gives up after `limit` questions, with no
result. Only equalities of bits: those of inner gates speak about inputs, which an invariant may
not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from obligato.engines.ic3.solver import StepSolver
from obligato.errors import InternalError
from obligato.smt import SAT, UNKNOWN
from obligato.smt.blast.lanes import Circuit

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.ts_bits import BitSystem
    from obligato.terms import Term

LANES = 128
# gates that random runs look at; so many times as many where classes are still split
STEPS, MORE = (1_000_000, 8)
LONG, BRIEF = 64, 4  # steps without a split that end the runs, before and after that
CONFLICTS = 200  # of one question; a pair that needs more is taken as different
TRUE = 0  # the member of a class that stands for the constant


class Classes:
    """A partition of literals; the first member of a class leads it."""

    def __init__(self, members: list[int]) -> None:
        self.leader = dict.fromkeys(members, members[0])

    def split(self, words: Mapping[int, int]) -> int:
        """Members of a class stay together if their words are equal. Returns how many classes there
        are.
        """
        first: dict[tuple[int, int], int] = {}
        for x, old in self.leader.items():
            self.leader[x] = first.setdefault((old, words[x]), x)
        return len(first)

    def remove(self, x: int) -> None:
        """Make x a class of its own."""
        self.leader[x] = x

    def pairs(self) -> list[tuple[int, int]]:
        """Each member that does not lead, with its leader."""
        return [(x, leader) for x, leader in self.leader.items() if x != leader]


def merge_equal_bits(bits: BitSystem, env: Environment, limit: int) -> None:
    """Find equal bits and build them into the circuit."""
    if not limit or bits.start is None or bits.system.next is None or bits.step:
        return
    classes = Classes([TRUE, *bits.start.values()])
    _simulate(bits, env, classes)
    if not _refine(bits, env, classes, limit):
        return
    pairs = classes.pairs()
    env.counters["merged_bits"] = len(pairs)
    if pairs:
        bits.merge(
            dict(_replacement(bits, x, y) for x, y in pairs), [_fact(bits, x, y) for x, y in pairs]
        )


def _replacement(bits: BitSystem, x: int, leader: int) -> tuple[int, int]:
    """The bit of x and the gate literal that it equals."""
    gate = 1 if leader == TRUE else bits.bit[leader] if leader > 0 else -bits.bit[-leader]
    return abs(x), gate if x > 0 else -gate


def _fact(bits: BitSystem, x: int, leader: int) -> Term:
    s = bits.system.store
    a = bits.atom(abs(x)) if x > 0 else s.not_(bits.atom(-x))
    if leader == TRUE:
        return a
    return s.eq(a, bits.atom(leader) if leader > 0 else s.not_(bits.atom(-leader)))


# -- simulation ------------------------------------------------------------------------------------


def _signed(literals: Iterable[int], state: Mapping[int, int], valid: int) -> dict[int, int]:
    """The words of literals, in the lanes that are valid."""
    words = {x: (state[x] if x > 0 else ~state[-x]) & valid for x in literals if x != TRUE}
    return {TRUE: valid, **words}


def _simulate(bits: BitSystem, env: Environment, classes: Classes) -> None:
    """Random runs from the start, many at once; one that violates a constraint ends. They go on as
    long as classes are split: what is `n` stages deep is moved after n steps.
    """
    assert bits.start is not None
    circuit, every, random = _circuit(bits), (1 << LANES) - 1, env.random
    state = {n: random.getrandbits(LANES) for n in range(1, len(bits.bit))}
    state |= {n: every if x > 0 else 0 for n, x in bits.start.items()}
    free = range(len(bits.bit), len(bits.source))
    valid, there, quiet = every, 1, 0
    few = max(4, STEPS // (len(bits.context.gates) + 1))
    for number in range(MORE * few):
        if number >= min(few, LONG) and quiet >= (LONG if number < few else BRIEF):
            return
        env.tick()
        state, valid = _step(bits, circuit, state, valid, [random.getrandbits(LANES) for _ in free])
        if not valid:
            return
        before, there = there, classes.split(_signed(classes.leader, state, valid))
        quiet = 0 if there > before else quiet + 1


def _circuit(bits: BitSystem) -> Circuit:
    """What a step computes from the state and the inputs: the next state, and the
    constraints now.
    """
    return Circuit(bits.context.gates, [*bits.next[1:], *bits.constraints], bits.source[1:])


def _step(
    bits: BitSystem, circuit: Circuit, state: Mapping[int, int], valid: int, free: Sequence[int]
) -> tuple[dict[int, int], int]:
    """The states after a step, and the lanes in which the constraints held before it."""
    count = len(bits.bit)
    words = circuit([*(state[n] for n in range(1, count)), *free], LANES)
    for word in words[count - 1 :]:
        valid &= word
    return dict(zip(range(1, count), words, strict=False)), valid


# -- induction -------------------------------------------------------------------------------------


def _refine(bits: BitSystem, env: Environment, classes: Classes, limit: int) -> bool:
    """Split the classes until they are inductive; False if that takes too many questions."""
    circuit, asked, changed = _circuit(bits), 0, True
    while changed:
        changed = False
        with closing(_assuming(bits, env, classes)) as solver:
            for x, _ in classes.pairs():
                while (leader := classes.leader[x]) != x and _next(bits, x) != _next(bits, leader):
                    asked += 1
                    if asked > limit:
                        return False
                    if not _separated(bits, env, solver, circuit, classes, x, leader):
                        break
                    changed = True
    env.counters["merge_questions"] = asked
    return True


def _next(bits: BitSystem, x: int) -> int:
    """The gate literal of x after a step."""
    return 1 if x == TRUE else bits.next[x] if x > 0 else -bits.next[-x]


def _assuming(bits: BitSystem, env: Environment, classes: Classes) -> StepSolver:
    """A solver that knows the constraints and the equalities of all classes."""
    solver = StepSolver(bits, env.stats)
    for c in solver.constraints:
        solver.add_clause((c,))
    for x, leader in classes.pairs():
        (a,) = solver.now((x,))
        if leader == TRUE:
            solver.add_clause((a,))
        else:
            (b,) = solver.now((leader,))
            solver.add_clause((a, -b))
            solver.add_clause((-a, b))
    return solver


def _separated(
    bits: BitSystem,
    env: Environment,
    solver: StepSolver,
    circuit: Circuit,
    classes: Classes,
    x: int,
    leader: int,
) -> bool:
    """Can x and its leader differ after a step? Then the classes are split by such steps, these two
    for sure.
    """
    a, b = solver.load(_next(bits, x)), solver.load(_next(bits, leader))
    for assumed in ([a, -b], [-a, b]):
        env.tick()
        # classes and C and T and x' differs from leader': sat - split them; unsat - equal this way
        # round; unknown - taken as different   (heuristic)
        answer = solver.solve_within(assumed, CONFLICTS, "equal_bits")
        if answer is UNKNOWN:
            classes.remove(x)
            return True
        if answer is SAT:
            _split_by(bits, env, circuit, classes, solver)
            if classes.leader[x] == leader:
                raise InternalError("a model that separates two bits does not")
            return True
    return False


def _split_by(
    bits: BitSystem, env: Environment, circuit: Circuit, classes: Classes, solver: StepSolver
) -> None:
    """Split the classes by what differs after the model's step, and after steps from its state with
    random inputs, which the other lanes take.
    """
    model, every = solver.model(), (1 << LANES) - 1
    values = [model[y] > 0 for y in solver.now.known(range(1, len(bits.source)))]
    count = len(bits.bit)
    state = {n: every if values[n - 1] else 0 for n in range(1, count)}
    free = [
        env.random.getrandbits(LANES) & ~1 | values[n - 1] for n in range(count, len(bits.source))
    ]
    after, valid = _step(bits, circuit, state, every, free)
    classes.split(_signed(classes.leader, after, valid))
