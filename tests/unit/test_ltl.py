"""Temporal formulas: reading, evaluation on lassos, tableaux of engine and checker."""

from __future__ import annotations

import random

import pytest

from obligato.errors import InputError
from obligato.frontends.ltl import read_ltl
from obligato.models.ltl import Formula, atom
from obligato.models.properties import LtlProperty
from obligato.models.tableau import with_justice
from obligato.results.checking.lasso import holds_on
from obligato.results.checking.product import product
from obligato.terms import BOOL, INT, Term, TermStore, bitvec
from obligato.terms.printer import to_smtlib
from tests.support.live import random_ltl_system

STORE = TermStore.raw()
NAMES: dict[str, Term] = {
    **{name: STORE.var(name, BOOL) for name in ("a", "b", "c", "req", "ack", "U", "a b", "FG")},
    "n": STORE.var("n", INT),
    "w": STORE.var("w", bitvec(3)),
}


def read(text: str) -> str:
    return str(read_ltl(text, STORE, NAMES, "p"))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("G (req -> F ack)", "G (req -> F ack)"),
        ("[](req => <> ack)", "G (req -> F ack)"),
        ("a U b U c", "(a U (b U c))"),
        ("a U b & c", "((a U b) & c)"),
        ("a & b | c -> a <-> b", "((((a & b) | c) -> a) <-> b)"),
        ("a -> b -> c", "(a -> (b -> c))"),
        ("! a U b", "(! a U b)"),
        ("GF a", "G F a"),
        ("XX a", "X X a"),
        ("FG", "FG"),
        ("G F a && ~ not b || true", "((G F a & ! ! b) | true)"),
        ("X n = 3", "X (= n 3)"),
        ("n + 1 < 2 * n - 1", "(< (+ n 1) (- (* 2 n) 1))"),
        ("w >= 3", "(bvule #b011 w)"),
        ("w + 1 != w", "(not (= (bvadd w #b001) w))"),
        ('"U" U "a b"', "(U U |a b|)"),
        ('F "(> n 3)"', "F (> n 3)"),
        ("a = b", "(= a b)"),
        ("a R b W c", "(a R (b W c))"),
        ("a xor b", "(a xor b)"),
        ("a == 1", "(= a true)"),
    ],
)
def test_reading(text: str, meaning: str) -> None:
    assert read(text) == meaning


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "ends too early"),
        ("G", "1:2", "ends too early"),
        ("a b", "1:3", "'b' is not expected"),
        ("(a", "1:3", "closing parenthesis"),
        ("a U", "1:4", "ends too early"),
        ("x", "1:1", "no name"),
        ("a &\n  y", "2:3", "'y' is no name"),
        ("n", "1:1", "a formula is needed"),
        ("F n + 1", "1:3", "a formula is needed"),
        ("(F a) = b", "1:7", "<->"),
        ("n = w", "1:3", "do not go together"),
        ("w = 9", "1:3", "9 is no value"),
        ('"(> n"', "1:1", "never closed"),
        ('"zz"', "1:1", "no name"),
        ("a ; b", "1:3", "';' is not expected"),
        ("a < b", "1:3", "numbers"),
        ("U", "1:1", "'U' is not expected"),
        ("!" * 300 + "a", "1:202", "too deeply"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read(text)
    assert str(error.value.span) == f"p:{place}" and message in error.value.message, error.value


def test_random_texts_end_in_a_formula_or_an_input_error() -> None:
    rng = random.Random(5)
    words = [*"abnw3()GFXURW&|=<+-", '"', "->", "<->", "[]"]
    outcomes = set()
    for _ in range(3000):
        text = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 7)))
        try:
            assert isinstance(read_ltl(text, STORE, NAMES), Formula)
            outcomes.add(True)
        except InputError:
            outcomes.add(False)
    assert outcomes == {True, False}


A, B = NAMES["a"], NAMES["b"]


def by_definition(
    f: Formula, values: dict[Term, list[bool]], length: int, loop: int, n: int
) -> bool:
    """The value at position n, by unrolling the lasso far enough and the textbook's definitions."""

    def follow(m: int) -> int:
        return m + 1 if m + 1 < length else loop

    def value(g: Formula, m: int) -> bool:
        return by_definition(g, values, length, loop, m)

    if f.atom is not None:
        return values[f.atom][n]
    if f.op in ("true", "false"):
        return f.op == "true"
    path = [n]
    while len(path) < 2 * length:
        path.append(follow(path[-1]))
    match f.op:
        case "!":
            return not value(f.args[0], n)
        case "&" | "|":
            return (all if f.op == "&" else any)([value(g, n) for g in f.args])
        case "->":
            return not value(f.args[0], n) or value(f.args[1], n)
        case "<->" | "xor":
            return (value(f.args[0], n) == value(f.args[1], n)) is (f.op == "<->")
        case "X":
            return value(f.args[0], follow(n))
        case "F" | "G":
            return (any if f.op == "F" else all)([value(f.args[0], m) for m in path])
    first, last = ([value(g, m) for m in path] for g in f.args)
    until = any(last[m] and all(first[:m]) for m in range(len(path)))
    if f.op == "U":
        return until
    if f.op == "W":
        return until or all(first)
    return all(last[m] or any(first[:m]) for m in range(len(path)))


def test_evaluation_on_lassos_is_by_definition() -> None:
    from tests.support.live import random_ltl

    rng = random.Random(1)
    for _ in range(600):
        length = rng.randrange(1, 6)
        loop = rng.randrange(length)
        values = {t: [rng.random() < 0.5 for _ in range(length)] for t in (A, B)}
        f = random_ltl(rng, [A, B], 3)
        found = holds_on(f, values, length, loop)
        assert found == [by_definition(f, values, length, loop, n) for n in range(length)], (
            str(f),
            values,
            loop,
        )


def test_engine_and_checker_name_the_same_bits_and_sets() -> None:
    for seed in range(300):
        system = random_ltl_system(seed)
        (p,) = system.temporal
        mine, theirs = with_justice(system, p), product(system, p)
        assert {x.name for x in mine.state} == {x.name for x in theirs.state}, seed
        assert {x.name for x in mine.inputs} == {x.name for x in theirs.inputs}, seed
        sets = [*mine.temporal[0].sets, *mine.fairness]  # type: ignore[union-attr]
        assert len(sets) == len(theirs.fairness), seed


def test_a_formula_is_printed_with_all_its_parts() -> None:
    p = LtlProperty("p", Formula("U", (atom(A), Formula("X", (atom(B),)))))
    assert str(p.formula) == "(a U X b)" and to_smtlib(A) == "a"
