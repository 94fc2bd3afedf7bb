"""AIGER: ascii and binary, resets, constraints, properties, witnesses, writers, malformed input."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from obligato.errors import InputError
from obligato.frontends.aiger import aiger_bytes, read, read_witness, witness_text
from obligato.models.properties import Justice
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.models.ts_reduce import import_system
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.trace import TraceStatus
from obligato.terms import TermStore
from tests.support.hardware import mutated, mutated_bytes
from tests.support.systems import explore, random_system

# a toggled latch, one that is set by the input and stays, an uninitialised one; gates in any order
SMALL = b"""aag 7 1 3 0 3 1 1
2
4 5
6 12 1
8 8 8
14
9
14 10 8
12 6 2
10 4 6
i0 go on
l0 toggle
b0 all three
c
a comment
"""


def test_ascii() -> None:
    model = read(SMALL, "x.aag")
    system = model.system
    assert [x.name for x in system.state] == ["toggle", "l1", "l2"] and system.inputs[
        0
    ].name == "go on"
    assert system.display == {"bad0": "all three"}
    assert explore(system).depth is None  # the constraint keeps the third latch at 0
    free = read(SMALL.replace(b"3 1 1\n", b"3 1 0\n").replace(b"14\n9\n", b"14\n", 1))
    assert explore(free.system).depth == 1  # it may start at 1


def test_resets() -> None:
    for reset, depth in ((b"0", None), (b"1", 0), (b"2", 0)):
        assert explore(read(b"aag 1 0 1 0 0 1\n2 2 " + reset + b"\n2\n").system).depth == depth
    # outputs are bad in old files
    assert explore(read(b"aag 1 0 1 1 0\n2 3\n2\n").system).depth == 1


def test_binary_and_ascii_agree() -> None:
    system = import_system(read(SMALL).system, TermStore())
    for binary in (True, False):
        again = read(aiger_bytes(system, binary)).system
        assert [x.name for x in again.state] == ["toggle", "l1", "l2"]
        assert explore(again).depth is None


def test_written_systems_behave_the_same() -> None:
    for seed in range(60):
        system = import_system(random_system(seed, max_bits=5), TermStore())
        expected = explore(system).depth
        for binary in (True, False):
            assert explore(read(aiger_bytes(system, binary)).system).depth == expected, (
                seed,
                binary,
            )


def test_witnesses() -> None:
    model = read(b"aag 3 1 1 0 1 1\n2\n4 6\n4\n6 3 5\n")
    assert explore(model.system).depth == 1
    trace = SystemTrace((SystemStep({"l0": False}, {"i0": False}), SystemStep({}, {"i0": True})))
    check = check_system_trace(model.system, trace, [])
    assert check.status is TraceStatus.CONFIRMED and check.trace is not None
    text = witness_text(model, check.trace, check.violated)
    assert text == "1\nb0\n0\n0\n1\n.\n"
    assert check_system_trace(model.system, read_witness(model, text), []).trace == check.trace
    wrong = check_system_trace(
        model.system, read_witness(model, text.replace("0\n0\n1", "0\n1\n1")), []
    )
    assert wrong.status is TraceStatus.REJECTED
    for bad in ("", "0\nb0\n.\n", "1\nb0\n0\n0\n", "1\nb0\n00\n0\n.\n", "1\nb0\n0\n2\n.\n"):
        with pytest.raises(InputError):
            read_witness(model, bad, "w")


def test_justice_and_fairness_are_written() -> None:
    system = read(b"aag 2 1 1 0 0 0 0 2 1\n2\n4 2\n1\n2\n2\n3\n4\n5\nj1 often\n").system
    for binary in (False, True):
        again = read(aiger_bytes(system, binary)).system
        assert [p.name for p in again.temporal] == ["justice0", "justice1"] and again.display[
            "justice1"
        ] == "often"
        lengths = [len(p.sets) for p in again.temporal if isinstance(p, Justice)]
        assert lengths == [1, 2] and again.fairness == (again.store.not_(again.state[0]),)


def test_justice_and_fairness() -> None:
    system = read(b"aag 1 1 0 0 0 0 0 2 1\n2\n1\n2\n2\n3\n2\n3\nj1 often\n").system
    (x,), no = system.inputs, system.store.not_
    assert system.fairness == (no(x),) and system.display == {"justice1": "often"}
    assert system.temporal == (Justice("justice0", (x,)), Justice("justice1", (no(x), x)))
    assert len(read(b"aag 1 1 0 0 0 1 0 1 1\n2\n3\n1\n2\n3\n").system.assertions) == 1
    assert not read(b"aag 1 1 0 0 0\n2\n").system.properties


MALFORMED = {
    b"": "ends too early",
    b"btor 1 2": "begins with aag or aig",
    b"aag 1 2": "5 to 9 numbers",
    b"aag 1 1 1 0 0\n": "maximum",
    b"aag 1 0 0 1 1\n2\n2 2 1\n": "cyclic",
    b"aag 3 0 0 1 2\n6\n6 4 1\n4 6 1\n": "cyclic",
    b"aag 1 0 0 1 0\n2\n": "not defined",
    b"aag 1 1 0 1 0\n2\n9\n": "beyond",
    b"aag 1 1 0 1 0\n3\n2\n": "cannot be defined",
    b"aag 1 1 0 1 0\nx\n": "line of numbers",
    b"aag 2 1 0 1 1\n2\n4\n4 2\n": "line of 3 numbers",
    b"aag 2 2 0 1 0\n2\n2\n2\n": "twice",
    b"aag 1 1 0 1 0\n2\n": "too early",
    b"aag 2 1 0 1 1\n2\n2\n2 1 1\n": "twice",
    b"aag 1 0 1 1 0\n2 2 3\n2\n": "reset",
    b"aag 1 1 0 1 0\n2\n2\nz9 name\n": "symbol",
    b"aig 1 0 0 1 1\n2\n": "gates end too early",
    b"aig 1 0 0 1 1\n2\n\x01": "gates end too early",
    b"aig 1 0 0 1 1\n2\n\x05\x01": "negative",
    b"aig 1 0 0 1 1\n2\n\x00\x00": "itself",
    b"aig 5 0 0 1 1\n2\n\x01\x01": "maximum",
    b"aag 19999999 19999999 0 1 0\n": "too early",
    b"aig 1 0 0 1 1\n2\n" + b"\xff" * 20: "too early",
    b"aag 999999999999 999999999999 0 0 0": "more than",
    b"aag 100000 0 100000 0 0\n": "shorter",
    b"aig 19999999 19999999 0 1 0\n2\n": "more than",
}


@pytest.mark.parametrize("data", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_input_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=MALFORMED[data]):
        read(data, "f")


def test_mutated_files_are_read_or_refused() -> None:
    binary = aiger_bytes(import_system(read(SMALL).system, TermStore()))
    for seed in range(1500):
        rng = random.Random(seed)
        data = mutated_bytes(rng, binary) if seed % 2 else mutated(rng, SMALL.decode()).encode()
        with suppress(InputError):
            read(data)


@pytest.mark.corpus
def test_corpus_loads(corpus: Path) -> None:
    files = sorted(corpus.glob("hwmcc19/**/*.aig"))[::20]
    assert files
    for file in files:
        assert read(file.read_bytes(), str(file)).system.properties
