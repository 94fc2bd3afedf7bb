"""Our own SAT solver, where it was compiled: against MiniSat, on its limits, and the same verdicts
with and without it.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from obligato.smt.bit_solver import BitSolver
from obligato.smt.blast import BlastContext
from obligato.smt.blast.gates import AND, INPUT
from obligato.smt.relevant import CircuitSolver, Lemmas, Relevant, agreeing, joined
from obligato.smt.sat_backend import RELEVANT
from tests.fuzz.relevant_run import run

needs_it = pytest.mark.skipif(
    Relevant is None, reason="the SAT solver in C was not compiled: no C compiler, or OBLIGATO_PURE"
)


def made() -> CircuitSolver:
    assert Relevant is not None
    return Relevant()


@needs_it
def test_it_agrees_with_minisat_on_random_circuits() -> None:
    answers = [run(seed, 60, 60) for seed in range(150)]
    assert min(sum(no for no, _ in answers), sum(yes for _, yes in answers)) > 1000


@needs_it
def test_a_literal_twice_and_a_tautology() -> None:
    solver = made()
    solver.add([1, 1])
    solver.add([2, -2])
    assert solver.solve([-1], None) == 0 and solver.core() == [-1]
    assert solver.solve([], [-3, -3]) == 1 and solver.model()[3] == 0
    assert solver.solve([3], [-3, -3]) == 0 and solver.solve([3], None) == 1


@needs_it
def test_a_temporary_clause_is_gone_after_its_question() -> None:
    solver = made()
    solver.add([1, 2])
    for _ in range(3):
        assert solver.solve([-1], [-2]) == 0
        assert solver.solve([-1], None) == 1
        assert solver.solve([-1, -2], None) == 0


@needs_it
def test_gates_that_no_question_depends_on_have_no_value() -> None:
    solver = made()
    for v in (1, 2):
        solver.gate(INPUT, v, ())
    solver.gate(AND, 3, (1, 2))
    assert solver.solve([1], [2]) == 1
    assert [*solver.model()][1:] == [1, 1, 0]  # 3 is true, but was not asked for


@needs_it
def test_a_limit_of_conflicts_ends_a_search() -> None:
    solver, holes = made(), 8  # pigeons in holes, one more than there are
    for p in range(holes + 1):
        solver.add([1 + p * holes + h for h in range(holes)])
    for h in range(holes):
        for p in range(holes + 1):
            for q in range(p):
                solver.add([-(1 + p * holes + h), -(1 + q * holes + h)])
    solver.limit(10)
    assert solver.solve([], None) == -1
    solver.limit(10**9)
    # thousands of conflicts: clauses were forgotten
    assert solver.solve([], None) == 0 and solver.core() == []


@needs_it
def test_a_core_may_have_a_literal_and_its_negation() -> None:
    solver, table = made(), [0, 7, -7, 7, -7]  # number 1 is literal 7, number 2 its negation
    assert solver.needed([], (1, 2), table, None, None) == (1, 2)
    assert solver.needed([], (2,), table, None, None) is True


@needs_it
def test_numbers_without_literals_are_told() -> None:
    solver, table = made(), [0, 7, 0, 0, -7]
    assert solver.needed([], (1, 2), table, None, None) is None
    assert solver.needed([], (1,), table, (2,), table) is None
    # of two cubes the second has a number without a literal; from the second on; of none
    assert solver.deny([(1,), (1, 2)], 0, table, 0) == 1
    assert solver.deny([(1,), (1, 2)], 1, table, 0) == 1 and solver.deny([], 0, table, 0) == 0
    assert solver.needed([], (1,), table, None, None) == (1,)
    assert agreeing is not None and agreeing(solver.model(), table, (2,)) is None
    for wrong in ((9,), ("x",), (1 << 70,)):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            solver.needed([], wrong, table, None, None)  # type: ignore[arg-type]


@needs_it
def test_the_index_of_lemmas_agrees_with_sets() -> None:
    assert Lemmas is not None
    chance = random.Random(1)
    index, cubes = Lemmas(), dict[int, tuple[set[int], int]]()

    def cube(most: int) -> tuple[int, ...]:
        return tuple(
            chance.choice((v, -v))
            for v in sorted(chance.sample(range(1, 12), chance.randint(0, most)))
        )

    hits = [0, 0, 0]
    for n in range(6000):
        new, level, low = cube(5), chance.randint(0, 5), chance.randint(0, 5)
        assert index.place(new, level) == n
        cubes[n] = set(new), level
        for gone in chance.sample([*cubes], min(len(cubes) - 1, chance.choice((0, 0, 0, 4)))):
            index.remove(gone)
            del cubes[gone]
        asked = cube(9)
        parts = [(at, k) for k, (c, at) in cubes.items() if c <= set(asked) and at >= low]
        assert index.part(asked, low) == (min(parts)[1] if parts else -1)
        whole = [k for k, (c, at) in cubes.items() if c >= set(new) and low <= at <= low + 2]
        assert index.whole(new, low, low + 2) == whole
        width, since = chance.randint(9, 12), n - chance.randint(0, 20)
        state = bytes(chance.choice(b"01") for _ in range(width))
        true = {v if state[v] & 1 else -v for v in range(1, width)}
        inside = any(
            all(x in true or abs(x) >= width for x in c)
            for k, (c, at) in cubes.items()
            if k >= since and at >= low
        )
        assert index.excludes(state, max(since, 0), low) is inside
        hits = [a + b for a, b in zip(hits, (bool(parts), len(whole) > 1, inside), strict=True)]
    assert min(hits) > 300
    with pytest.raises(ValueError, match="no cube"):
        index.remove(10**6)


@needs_it
def test_nonsense_is_refused() -> None:
    solver = made()
    for wrong in ([0], [1 << 40], ["x"], [None]):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            solver.add(wrong)  # type: ignore[arg-type]
        with pytest.raises((ValueError, TypeError, OverflowError)):
            solver.solve(wrong, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no gate"):
        solver.gate(AND, 1, (2,))
    assert solver.solve([], None) == 1
    solver.close()
    with pytest.raises(ValueError, match="closed"):
        solver.solve([], None)


COUNTER = (
    "1 sort bitvec 4\n2 sort bitvec 1\n3 zero 1\n4 one 1\n5 state 1\n6 init 1 5 3\n7 constd 1"
    " {last}\n8 eq 2 5 7\n9 add 1 5 4\n10 ite 1 8 3 9\n11 next 1 5 10\n12 constd 1 {bad}\n13 eq 2 5"
    " 12\n14 bad 13\n"
)


@pytest.mark.parametrize(
    ("last", "bad", "verdict"), [(9, 12, "true"), (9, 7, "false(unreach-call)")]
)
@pytest.mark.parametrize("pure", ["", "1"])
def test_verdicts_do_not_depend_on_it(
    tmp_path: Path, last: int, bad: int, verdict: str, pure: str
) -> None:
    file = tmp_path / "counter.btor2"
    file.write_text(COUNTER.format(last=last, bad=bad))
    start = "from obligato.cli.main import main; main()"
    command = [sys.executable, "-c", start, "verify", "--engine", "ic3", "--stats", str(file)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "OBLIGATO_PURE": pure},
        check=False,
    )
    assert done.stdout.splitlines()[-1] == verdict
    assert ("sat-minisat22" in done.stdout) is (bool(pure) or Relevant is None)


@needs_it
def test_gates_are_loaded_as_without_compiled_code() -> None:
    for seed in range(30):
        rng, context = random.Random(seed), BlastContext()
        gates, pool = context.gates, [context.gates.input() for _ in range(6)]
        for _ in range(40):
            a, b, c = (rng.choice(pool) * rng.choice((1, -1)) for _ in range(3))
            made_of = (
                gates.and_(a, b),
                gates.xor(a, b),
                gates.ite(a, b, c),
                gates.all_of((a, b, c)),
                gates.maj(a, b, c),
            )
            pool.append(rng.choice(made_of))
            if seed % 3 == 0 and rng.random() < 0.2:
                gates.tell(gates.or_(a, -a), (pool[-1],))
                gates.tell(1, (pool[-1],))
        ours, reference = BitSolver(None, context, RELEVANT), BitSolver(None, context)
        for literal in [1, *(rng.choice(pool) * rng.choice((1, -1)) for _ in range(10))]:
            assert ours.load(literal) == reference.load(literal)
        assert ours._local == reference._local and [*ours._local] == [*reference._local]


@needs_it
@pytest.mark.parametrize("gate", [0, 9, -9])
def test_a_gate_that_is_not_there_is_refused(gate: int) -> None:
    with pytest.raises(ValueError, match="no gate"):
        made().load(gate, {}, [0, 0, INPUT], [(), (), ()], {})
    with pytest.raises(ValueError, match="no gate"):
        made().load(3, {}, [0, 0, INPUT, AND], [(), (), (), (2, gate)], {})


@needs_it
def test_literals_that_agree_and_those_that_are_needed() -> None:
    model, table = bytes([0, 1, 0, 1]), [0, 1, 2, 3, -3, -2, -1]
    assert joined is not None
    assert joined(model, table, (1, 2, -3), {1}) == [1]
    assert joined(model, table, (1, 2, -3), {1, -3}) is False
    assert joined(model, [0] * 7, (1, 2), {1}) is None
