"""Circuits made anew mean what they meant; many lanes are evaluated as one; equal bits are found
and proved.
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from benchmarks.scale_families import pipeline
from obligato.engines import ic3
from obligato.engines.environment import Environment
from obligato.engines.ic3.equal_bits import merge_equal_bits
from obligato.frontends.aiger import load as load_aiger
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_bits import BitSystem
from obligato.results.outcome import Verdict
from obligato.smt.blast.evaluate import evaluate_gates
from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, Gates
from obligato.smt.blast.lanes import Circuit
from obligato.smt.blast.rewrite import Rewriting
from obligato.smt.relevant import Ternary, Words
from obligato.terms import Op, TermStore, bitvec

INPUTS = 5


def random_circuit(seed: int) -> tuple[Gates, list[int]]:
    """A circuit over five inputs, with and-inverter forms of choices in it, and some of its
    literals.
    """
    rng, gates = random.Random(seed), Gates()
    pool = [gates.input() for _ in range(INPUTS)]

    def pick() -> int:
        return rng.choice(pool) * rng.choice((1, -1))

    for _ in range(30):
        kind = rng.randrange(6)
        if kind == 0:
            c = pick()
            pool.append(gates.and_(-gates.and_(c, pick()), -gates.and_(-c, pick())))
        elif kind == 1:
            pool.append(gates.all_of([pick() for _ in range(3)]))
        else:
            make = {2: gates.xor3, 3: gates.maj, 4: gates.ite}.get(kind)
            pool.append(
                gates.and_(pick(), pick()) if make is None else make(pick(), pick(), pick())
            )
    return gates, [pick() for _ in range(4)]


@pytest.mark.parametrize("seed", range(40))
def test_rewriting_keeps_functions(seed: int) -> None:
    gates, roots = random_circuit(seed)
    new = Gates()
    inputs = list(range(2, 2 + INPUTS))
    image = {g: new.input() for g in inputs}
    rewriting = Rewriting(gates, roots, new, image)
    lanes = {g: sum(1 << i for i in range(32) if i >> n & 1) for n, g in enumerate(inputs)}
    words = Circuit(gates, roots, inputs)(list(lanes.values()), 32)
    for row in range(32):
        true = {g for n, g in enumerate(inputs) if row >> n & 1}
        before = evaluate_gates(gates, roots, true)
        assert evaluate_gates(new, map(rewriting, roots), {image[g] for g in true}) == before
        assert [word >> row & 1 == 1 for word in words] == before


@pytest.mark.parametrize("seed", range(20))
def test_compiled_evaluation_agrees_with_python(seed: int) -> None:
    gates, roots = random_circuit(seed)
    # an input without a value is false
    rng, sources = (random.Random(seed), list(range(2, 2 + INPUTS - seed % 2)))
    circuit = Circuit(gates, [*roots, 1, -1, *sources], sources)
    pure = Circuit(gates, circuit.literals, sources)
    pure._compiled = None
    for lanes in (1, 64, 100, 512, 128):
        values = [rng.getrandbits(lanes) for _ in sources]
        assert circuit(values, lanes) == pure(values, lanes)
    block = rng.randbytes(8 * 3 * len(sources))
    assert circuit.run(block, 3) == pure.run(block, 3)


@pytest.mark.skipif(Words is None, reason="nothing was compiled")
@pytest.mark.parametrize(
    ("sources", "program", "wanted"),
    [
        (1, [2, 2, 2, 3], [2]),
        (1, [2, 2, 2, 0], [2]),
        (1, [1, 2, 2, 2], [2]),
        (1, [2, 1, 2], [2]),
        (1, [3, 3, 2, 2, 2], [2]),
        (1, [2, 9, 2], [2]),
        (1, [2], [2]),
        (1, [], [3]),
        (1, [], [0]),
        (-1, [], [1]),
    ],
)
def test_what_is_no_circuit_is_refused(sources: int, program: list[int], wanted: list[int]) -> None:
    assert Words is not None
    with pytest.raises(ValueError, match="no circuit"):
        Words(sources, program, wanted)
    with pytest.raises(ValueError, match="each source"):
        Words(1, [2, 2, 2, -2], [3]).run(bytes(8), 2)


def possible(gates: Gates, given: dict[int, bool], memo: dict[int, set[bool]], x: int) -> set[bool]:
    """The values of a literal that three-valued evaluation leaves open; inputs that are not given
    may be both.
    """
    gate = abs(x)
    if gate not in memo:
        both = {True, False}
        ins = [possible(gates, given, memo, y) for y in gates.inputs[gate]]
        if gates.kinds[gate] == INPUT:
            memo[gate] = {given[gate]} if gate in given else both
        else:
            memo[gate] = {function(gates.kinds[gate], values) for values in product(*ins)}
    return memo[gate] if x > 0 else {not v for v in memo[gate]}


def function(kind: int, v: tuple[bool, ...]) -> bool:
    """The value of a gate."""
    if kind == ITE:
        return v[1] if v[0] else v[2]
    if kind == MAJ:
        return sum(v) > 1
    return all(v) if kind in (AND, CONST) else sum(v) % 2 == 1


@pytest.mark.skipif(Ternary is None, reason="nothing was compiled")
@pytest.mark.parametrize("seed", range(60))
def test_what_a_state_needs_is_found_by_three_valued_evaluation(seed: int) -> None:
    assert Ternary is not None
    gates, roots = random_circuit(seed)
    rng, inputs = random.Random(seed), list(range(2, 2 + INPUTS))
    program = [
        y for g in range(2 + INPUTS, len(gates) + 1)
        for y in (gates.kinds[g], len(gates.inputs[g]), *gates.inputs[g])
    ]  # fmt: skip
    circuit = Ternary(INPUTS, program)  # places are numbers of gates
    for _ in range(20):
        given = {g: rng.random() < 0.5 for g in inputs}
        held = [x if possible(gates, given, {}, x) == {True} else -x for x in roots]
        numbers = [g - 1 if v else 1 - g for g, v in given.items()]
        rng.shuffle(numbers)
        state, move = numbers[1:], numbers[:1]
        left = dict(given)
        for n in state:  # the first are spared first
            less = {g: v for g, v in left.items() if g != abs(n) + 1}
            if all(possible(gates, less, {}, x) == {True} for x in held):
                left = less
        found = circuit.needed(state, move, held)
        assert found == tuple([n for n in state if abs(n) + 1 in left])
        assert circuit.needed(state, move, [*held, -held[0]]) is None


@pytest.mark.skipif(Ternary is None, reason="nothing was compiled")
def test_more_than_a_word_of_literals_can_be_spared() -> None:
    assert Ternary is not None
    # the root is "numbers 1 to 100, or 150 and 200": places are one more
    circuit = Ternary(200, [2, 100, *range(2, 102), 2, 2, 151, 201, 2, 2, -202, -203])
    state = list(range(200, 0, -1))
    assert circuit.needed(state, [], [-204]) == tuple(range(100, 0, -1))
    assert circuit.needed(state[::-1], [], [-204]) == (150, 200)
    assert circuit.needed([-5, *state[:150]], [], [-204]) == (200, 150)
    assert circuit.needed([-5, -150], [], [-204]) is None
    for wrong in ([201], [0], [-201]):
        with pytest.raises(ValueError, match="no number"):
            circuit.needed(wrong, [], [1])
        with pytest.raises(ValueError, match="no number"):
            circuit.needed([], wrong, [1])
    with pytest.raises(ValueError, match="no number"):
        circuit.needed([], [], [205])
    with pytest.raises(ValueError, match="no circuit"):
        Ternary(1, [2, 2, 2, 3])


def twins() -> TransitionSystem:
    """x and y count alike, z is the complement of x, k stays 5; the property needs all that."""
    s = TermStore()
    x, y, z, k, i = (s.var(n, bitvec(4)) for n in "xyzki")
    one = s.bv(1, 4)
    next_ = {
        x: s.mk(Op.BVADD, (x, i)),
        y: s.mk(Op.BVADD, (i, y)),
        z: s.mk(Op.BVSUB, (z, i)),
        k: s.mk(Op.BVOR, (k, s.bv(4, 4))),
    }
    init = s.and_(s.eq(x, one), s.eq(y, one), s.eq(z, s.bv(14, 4)), s.eq(k, s.bv(5, 4)))
    good = s.and_(s.eq(x, y), s.eq(s.mk(Op.BVNOT, (z,)), y), s.eq(k, s.bv(5, 4)))
    return TransitionSystem(
        s,
        (x, y, z, k),
        (i,),
        init,
        functional(s, next_),
        (Assertion("p", good),),
        next=next_,
        total=True,
    )


def test_equal_bits_are_merged() -> None:
    bits = BitSystem(twins())
    merge_equal_bits(bits, Environment(), 1000)
    assert bits.bad == -1 and len(bits.bit) == 1 and len(bits.known) == 12


def test_what_is_many_stages_deep_is_merged_without_a_question_for_each_pair(
    tmp_path: Path,
) -> None:
    """Random runs must be as long as the pipeline: in shorter ones its end does not move, and pairs
    of stages look equal.
    """
    file = tmp_path / "pipeline.aag"
    file.write_text(pipeline(150))
    env = Environment()
    assert ic3.prove(load_aiger(str(file)), ic3.Options(merge=150), env).verdict is Verdict.TRUE
    assert env.counters["merged_bits"] == 150 and env.counters["merge_questions"] < 150


@pytest.mark.parametrize("merge", [0, 1, 1000])
def test_merging_is_part_of_the_proof(merge: int) -> None:
    system = twins()
    result = ic3.prove(system, ic3.Options(merge=merge), Environment(debug=True))
    assert result.verdict is Verdict.TRUE
