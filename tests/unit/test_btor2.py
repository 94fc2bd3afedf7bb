"""BTOR2: every operator against its definition, what the format leaves open, witnesses, writers,
malformed input.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from obligato.errors import InputError
from obligato.frontends.btor2 import btor2_text, read, read_witness, witness_text
from obligato.models.properties import Justice
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.trace import TraceStatus
from obligato.terms import ArrayValue, evaluate
from tests.support.hardware import refused
from tests.support.systems import explore, random_system

W = 4
MASK = (1 << W) - 1


def signed(x: int) -> int:
    return x - (1 << W) if x >> (W - 1) else x


def fits(x: int) -> bool:
    return -(1 << (W - 1)) <= x < (1 << (W - 1))


def quotient(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def sdiv(a: int, b: int) -> int:
    return (1 if a < 0 else -1) if b == 0 else quotient(a, b)


def srem(a: int, b: int) -> int:
    return a if b == 0 else a - b * quotient(a, b)


def rol(a: int, n: int) -> int:
    n %= W
    return (a << n | a >> (W - n)) & MASK


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "nand": lambda a, b: ~(a & b),
    "or": lambda a, b: a | b,
    "nor": lambda a, b: ~(a | b),
    "xor": lambda a, b: a ^ b,
    "xnor": lambda a, b: ~(a ^ b),
    "udiv": lambda a, b: a // b if b else MASK,
    "urem": lambda a, b: a % b if b else a,
    "sdiv": lambda a, b: sdiv(signed(a), signed(b)),
    "srem": lambda a, b: srem(signed(a), signed(b)),
    "smod": lambda a, b: signed(a) % signed(b) if b else a,
    "sll": lambda a, b: a << b,
    "srl": lambda a, b: a >> b,
    "sra": lambda a, b: signed(a) >> b,
    "rol": rol,
    "ror": lambda a, b: rol(a, -b),
}
PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "neq": lambda a, b: a != b,
    "ult": lambda a, b: a < b,
    "ulte": lambda a, b: a <= b,
    "ugt": lambda a, b: a > b,
    "ugte": lambda a, b: a >= b,
    "slt": lambda a, b: signed(a) < signed(b),
    "slte": lambda a, b: signed(a) <= signed(b),
    "sgt": lambda a, b: signed(a) > signed(b),
    "sgte": lambda a, b: signed(a) >= signed(b),
    "uaddo": lambda a, b: a + b > MASK,
    "usubo": lambda a, b: a < b,
    "umulo": lambda a, b: a * b > MASK,
    "saddo": lambda a, b: not fits(signed(a) + signed(b)),
    "ssubo": lambda a, b: not fits(signed(a) - signed(b)),
    "smulo": lambda a, b: not fits(signed(a) * signed(b)),
    "sdivo": lambda a, b: signed(a) == -8 and signed(b) == -1,
}
UNARY: dict[str, Callable[[int], int]] = {
    "not": lambda a: ~a,
    "inc": lambda a: a + 1,
    "dec": lambda a: a - 1,
    "neg": lambda a: -a,
}
REDUCTIONS: dict[str, Callable[[int], bool]] = {
    "redand": lambda a: a == MASK,
    "redor": lambda a: a != 0,
    "redxor": lambda a: a.bit_count() % 2 == 1,
}
PAIRS = [(a, b) for a in range(16) for b in range(16)]


def value_of(lines: str, inputs: dict[str, int]) -> object:
    """The value of node 9, seen through `bad`: its bits one by one."""
    model = read(f"1 sort bitvec 1\n2 sort bitvec {W}\n3 input 2 a\n4 input 2 b\n{lines}\n", "x")
    names = {i.name: i for i in model.inputs}
    values = [
        not evaluate(p.formula, {names[n]: v for n, v in inputs.items()})
        for p in model.system.assertions
    ]
    return sum(1 << n for n, bit in enumerate(values) if bit)


def bits_of_nine(width: int = W) -> str:
    if width == 1:
        return "10 bad 9"
    return "\n".join(
        f"{10 + 2 * i} slice 1 9 {i} {i}\n{11 + 2 * i} bad {10 + 2 * i}" for i in range(width)
    )


@pytest.mark.parametrize("name", [*BINARY, *PREDICATES])
def test_binary_operators(name: str) -> None:
    predicate = name in PREDICATES
    text = f"9 {name} {1 if predicate else 2} 3 4\n{bits_of_nine(1 if predicate else W)}"
    for a, b in PAIRS:
        expected = int(PREDICATES[name](a, b)) if predicate else BINARY[name](a, b) & MASK
        assert value_of(text, {"a": a, "b": b}) == expected, (name, a, b)


@pytest.mark.parametrize("name", [*UNARY, *REDUCTIONS])
def test_unary_operators(name: str) -> None:
    reduction = name in REDUCTIONS
    text = f"9 {name} {1 if reduction else 2} 3\n{bits_of_nine(1 if reduction else W)}"
    for a in range(16):
        assert value_of(text, {"a": a}) == (
            int(REDUCTIONS[name](a)) if reduction else UNARY[name](a) & MASK
        ), (name, a)


def test_operators_on_one_bit() -> None:
    cases: list[tuple[str, Callable[[int, int], object]]] = [
        ("add", lambda a, b: a ^ b),
        ("mul", lambda a, b: a & b),
        ("iff", lambda a, b: a == b),
        ("implies", lambda a, b: not a or b),
        ("ult", lambda a, b: a < b),
        ("slt", lambda a, b: -a < -b),
        ("nand", lambda a, b: not (a and b)),
        ("rol", lambda a, b: a),
        ("uaddo", lambda a, b: a and b),
    ]
    for name, f in cases:
        for a in (0, 1):
            for b in (0, 1):
                lines = f"5 slice 1 3 0 0\n6 slice 1 4 0 0\n9 {name} 1 5 6\n10 bad 9"
                assert value_of(lines, {"a": a, "b": b}) == int(bool(f(a, b))), (name, a, b)


def test_slices_extensions_concatenation_and_negated_ids() -> None:
    six = "5 sort bitvec 6\n"
    for a in range(16):
        assert value_of(f"{six}9 uext 5 3 2\n{bits_of_nine(6)}", {"a": a}) == a
        assert value_of(f"{six}9 sext 5 3 2\n{bits_of_nine(6)}", {"a": a}) == signed(a) & 63
        assert value_of(
            f"{six}7 sort bitvec 2\n8 slice 7 3 2 1\n9 concat 5 8 3\n{bits_of_nine(6)}", {"a": a}
        ) == ((a >> 1 & 3) << 4 | a)
        assert value_of(f"9 add 2 -3 4\n{bits_of_nine()}", {"a": a, "b": 3}) == (~a + 3) & MASK
    assert (
        value_of(
            "5 constd 2 -3\n6 consth 2 a\n7 const 2 0110\n8 xor 2 5 6\n9 xor 2 8"
            f" 7\n{bits_of_nine()}",
            {},
        )
        == (-3 & MASK) ^ 10 ^ 6
    )


ARRAYS = """
1 sort bitvec 1
2 sort bitvec 2
3 sort bitvec 4
4 sort array 2 3
5 zero 3
6 state 4 mem
7 init 4 6 5
8 input 2 at
9 input 3 data
10 write 4 6 8 9
11 next 4 6 10
12 one 2
13 read 3 6 12
14 constd 3 9
15 eq 1 13 14
16 bad 15 nine
"""


def test_arrays_start_from_a_word_and_are_written() -> None:
    model = read(ARRAYS, "x")
    assert model.system.display == {"bad0": "nine"}
    steps = (SystemStep({}, {"at": 1, "data": 9}), SystemStep({}, {}))
    check = check_system_trace(model.system, SystemTrace(steps), [])
    assert check.status is TraceStatus.CONFIRMED and check.violated == "bad0"
    assert check.trace is not None and check.trace.steps[1].state["mem"] == ArrayValue(0, {1: 9})
    text = witness_text(model, check.trace, "bad0")
    again = check_system_trace(model.system, read_witness(model, text), [])
    assert again.trace == check.trace


FREE = """
1 sort bitvec 2
2 sort bitvec 1
3 zero 1
4 state 1 free
5 state 1 copy
6 init 1 4 3
7 init 1 5 3
8 next 1 5 4
9 constd 1 3
10 eq 2 5 9
11 bad 10
"""


def test_a_state_without_next_is_free_after_the_first_step() -> None:
    model = read(FREE, "x")
    assert explore(model.system).depth == 2
    steps = (SystemStep({}, {"next of free": 3}), SystemStep(), SystemStep())
    check = check_system_trace(model.system, SystemTrace(steps), [])
    assert check.trace is not None
    text = witness_text(model, check.trace, "bad0")
    assert "#1\n0 11 free#1" in text
    assert (
        check_system_trace(model.system, read_witness(model, text), []).status
        is TraceStatus.CONFIRMED
    )


INPUT_IN_INIT = """
1 sort bitvec 2
2 sort bitvec 1
3 input 1 i
4 state 1 x
5 init 1 4 3
6 next 1 4 4
7 eq 2 3 4
8 bad {bad}7
"""


@pytest.mark.parametrize(("bad", "depth"), [("", 0), ("-", 1)])
def test_an_input_in_init_is_the_input_of_the_first_step(bad: str, depth: int) -> None:
    model = read(INPUT_IN_INIT.format(bad=bad), "x")
    assert explore(model.system).depth == depth  # x = i at first, and need not be so later


def test_init_over_other_states_and_a_missing_init() -> None:
    text = (
        "1 sort bitvec 2\n2 sort bitvec 1\n3 state 1 x\n4 state 1 y\n5 init 1 4 3\n6 next 1 3 3\n7"
        " next 1 4 4\n"
    )
    assert explore(read(text + "8 neq 2 3 4\n9 bad 8\n").system).depth is None
    assert explore(read(text + "8 redand 2 3\n9 bad 8\n").system).depth == 0


def test_several_properties_and_constraints() -> None:
    text = (
        "1 sort bitvec 1\n2 state 1 a\n3 input 1 b\n4 next 1 2 3\n5 bad 2 first\n6 bad 3\n7"
        " constraint -2\n8 output 2\n"
    )
    system = read(text).system
    assert [p.name for p in system.properties] == ["bad0", "bad1"] and len(system.constraints) == 1


def test_justice_and_fairness() -> None:
    text = "1 sort bitvec 1\n2 state 1\n3 fair 2\n4 justice 2 2 -2 often\n5 justice 0\n"
    system = read(text).system
    (x,), s = system.state, system.store
    assert system.fairness == (x,) and system.temporal == (
        Justice("justice0", (x, s.not_(x))),
        Justice("justice1", ()),
    )
    assert not system.assertions and system.display == {"justice0": "often"}
    assert len(read(text + "6 bad 2\n").system.assertions) == 1
    again = read(btor2_text(system)).system
    assert [len(p.sets) for p in again.temporal if isinstance(p, Justice)] == [
        2,
        0,
    ] and again.fairness == again.state
    with pytest.raises(InputError, match="one bit"):
        read("1 sort bitvec 2\n2 state 1\n3 justice 1 2\n")
    assert not read("1 sort bitvec 1\n2 state 1\n3 fair 2\n").system.properties


MALFORMED = {
    "1": ("1:1", "ends after"),
    "x sort bitvec 1": ("1:1", "number"),
    "1 sort": ("1:3", "too few"),
    "1 sort bitvec 0": ("1:15", "at least one"),
    "1 sort bitvec 99999999": ("1:15", "limit"),
    "1 sort bitvec 9999999999999999999999": ("1:15", "number"),
    "1 sort frob 1": ("1:8", "unknown sort"),
    "1 sort bitvec 1\n1 zero 1": ("2:1", "must increase"),
    "1 sort bitvec 1\n2 frob 1": ("2:3", "unknown operator"),
    "1 sort bitvec 1\n2 and 1 3 4": ("2:9", "not defined"),
    "1 sort bitvec 1\n2 not 1 2": ("2:9", "not defined"),
    "1 sort bitvec 1\n2 zero 1\n3 and 1 2": ("3:9", "too few"),
    "1 zero 5": ("1:8", "no sort"),
    "1 sort bitvec 4\n2 const 1 12": ("2:11", "base 2"),
    "1 sort bitvec 4\n2 constd 1 16": ("2:12", "fit"),
    "1 sort bitvec 4\n2 constd 1 -9": ("2:12", "fit"),
    "1 sort bitvec 4\n2 consth 1 g": ("2:12", "base 16"),
    "1 sort bitvec 4\n2 zero 1\n3 slice 1 2 4 1": ("3:3", "bits 4 to 1"),
    "1 sort bitvec 4\n2 zero 1\n3 slice 1 2 -1 1": ("3:13", "number"),
    "1 sort bitvec 4\n2 zero 1\n3 uext 1 2 1": ("3:8", "has sort"),
    "1 sort bitvec 4\n2 sort bitvec 5\n3 zero 1\n4 zero 2\n5 add 1 3 4": (
        "5:3",
        "operands of sorts",
    ),
    "1 sort bitvec 4\n2 zero 1\n3 bad 2": ("3:7", "one bit"),
    "1 sort bitvec 1\n2 zero 1\n3 next 1 2 2": ("3:10", "no state"),
    "1 sort bitvec 1\n2 zero 1\n3 state 1\n4 init 1 3 2\n5 init 1 3 2": ("5:10", "twice"),
    "1 sort bitvec 1\n2 state 1\n3 not 1 2\n4 init 1 2 3\n5 bad 2": ("4:12", "not defined before"),
    "1 sort bitvec 1\n2 state 1\n3 init 1 2 -2\n5 bad 2": ("3:12", "not defined before"),
    "1 sort bitvec 1\n2 state 1\n3 bad 2\n3 bad -2": ("4:1", "must increase"),
    "0 sort bitvec 1": ("1:1", "positive"),
    "1 sort bitvec 1\n02 state 1": ("2:1", "positive"),
    "1 sort bitvec 1\n3 state 1\n2 bad 3": ("3:1", "must increase"),
    "1 sort bitvec 1\n2 sort array 1 1\n3 sort array 2 1": ("3:14", "arrays of arrays"),
    "1 sort bitvec 1\n2 sort array 1 1\n3 zero 2": ("3:8", "no array"),
    "1 sort bitvec 1\n2 sort array 1 1\n3 state 2\n4 not 2 3": ("4:3", "array"),
    "1 sort bitvec 1\n2 justice 5 1": ("2:13", "not defined"),
    "1 sort bitvec 1\n2 zero 1\n3 ite 1 2 2 -": ("3:13", "not defined"),
}


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_input_is_refused_with_its_position(text: str) -> None:
    place, message = MALFORMED[text]
    with pytest.raises(InputError, match=message) as caught:
        read(text, "f")
    assert str(caught.value.span) == f"f:{place}"


def test_no_property() -> None:
    # formulas may be asked about it all the same
    assert not read("1 sort bitvec 1\n").system.properties


def test_odd_names_become_safe_and_unique() -> None:
    text = "1 sort bitvec 1\n2 state 1 a|b'\n3 state 1 a|b'\n4 input 1 x@1 ; comment\n5 bad 2\n"
    system = read(text).system
    names = [x.name for x in (*system.state, *system.inputs)]
    assert len(set(names)) == len(names) and not any(c in name for name in names for c in "|'@")


def test_written_systems_behave_the_same() -> None:
    for seed in range(60):
        system = random_system(seed, max_bits=5)
        again = read(btor2_text(system)).system
        assert explore(again).depth == explore(system).depth, seed


def test_written_text_is_stable() -> None:
    for text in (ARRAYS, FREE):
        once = btor2_text(read(text).system)
        assert btor2_text(read(once).system).count("\n") == once.count("\n")


BAD_WITNESSES = [
    "",
    "unsat",
    "sat\nb0\n#0\n0 000 y\n",
    "sat\nb0\n0 1\n.",
    "sat\nb0\n@0\n9 1\n.",
    "sat\nb0\n@0\n0 2\n.",
    "sat\nb0\n@99\n.",
    "sat\nb0\n@0\n0 101\n.",
    "sat\nb0\n#0\n0 1010 m\n.",
]


@pytest.mark.parametrize("text", BAD_WITNESSES)
def test_malformed_witnesses(text: str) -> None:
    with pytest.raises(InputError):
        read_witness(read(ARRAYS), text, "w")


def test_mutated_files_are_read_or_refused() -> None:
    for seed in range(1500):
        refused(random.Random(seed), ARRAYS if seed % 2 else FREE, read)


@pytest.mark.corpus
def test_corpus_loads(corpus: Path) -> None:
    files = sorted((corpus / "btor2-hwmcc").rglob("*.btor2"))[::25]
    assert files
    for file in files:
        model = read(file.read_text(), str(file))
        again = read(btor2_text(model.system))
        assert len(again.states) == len(model.states)


COUNTING = """1 sort bitvec 2
2 zero 1
3 one 1
4 state 1 x
5 init 1 4 2
6 add 1 4 3
7 next 1 4 6
8 sort bitvec 1
9 redand 8 4
10 bad 9
"""


def told(second: str) -> str:
    """A witness of `COUNTING` with assignments in its second frame."""
    return f"sat\nb0\n#0\n0 00 x#0\n@0\n#1\n{second}@1\n@2\n@3\n.\n"


@pytest.mark.parametrize(("second", "right"), [("0 01 x#1\n", True), ("0 11 x#1\n", False)])
def test_values_of_later_states_in_a_witness_are_compared(second: str, right: bool) -> None:
    model = read(COUNTING)
    check = check_system_trace(model.system, read_witness(model, told(second)), [])
    assert (check.trace is not None) is right


def test_a_witness_says_one_thing_about_a_variable() -> None:
    with pytest.raises(InputError, match="x has another value in this frame"):
        read_witness(read(COUNTING), told("0 01 x#1\n0 11 x#1\n"))
