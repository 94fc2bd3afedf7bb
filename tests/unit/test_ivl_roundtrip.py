"""Printing and reading IVL are inverse: on every operator, on random programs, on names and values
of all kinds.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.errors import ResourceOut
from obligato.frontends.ivl import load, parse
from obligato.program.expressions import expression
from obligato.program.inline import inline
from obligato.program.printer import program_text
from obligato.program.syntax import (
    LIMIT,
    Assert,
    Assign,
    Call,
    Havoc,
    Label,
    Procedure,
    Program,
    RecordArray,
    RecordType,
    Variable,
    flatten,
)
from obligato.program.validate import validate
from obligato.terms import BOOL, INT, Term, TermStore, array, bitvec, free_vars
from tests.corpus import REPOSITORY
from tests.support.programs import random_program
from tests.support.structure import Structure
from tests.termgen import MORE_SORTS, TermGen


def assert_round_trip(program: Program) -> None:
    validate(program)
    text = program_text(program)
    view = Structure()
    assert view.program(parse(text)) == view.program(program), text


def program_with(store: TermStore, variables: list[Term], terms: list[Term]) -> Program:
    """One assignment per term."""
    targets = [Variable(f"main::out{n}", t.sort) for n, t in enumerate(terms)]
    body = tuple(
        Assign((store.var(v.name, t.sort),), (t,)) for v, t in zip(targets, terms, strict=True)
    )
    globals_ = tuple(Variable(v.name, v.sort) for v in variables)
    return Program(store, (), globals_, {"main": Procedure("main", (), (), tuple(targets), body)})


@given(st.integers(0, 2**32))
@settings(max_examples=80)
def test_random_terms_of_all_operators(seed: int) -> None:
    store = TermStore.raw()
    source = TermGen(Random(seed), store)
    terms = [source.term(s, 3) for s in MORE_SORTS]
    assert_round_trip(program_with(store, list(free_vars(*terms)), terms))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    program = random_program(seed, limits=True)
    assert_round_trip(program)
    assert_round_trip(inline(program))


NAMES = st.text(min_size=1, max_size=6).filter(lambda n: "::" not in n and "." not in n)


@given(st.lists(NAMES, min_size=4, max_size=4, unique=True))
def test_any_name_can_be_printed(names: list[str]) -> None:
    store = TermStore.raw()
    glob, local, label, called = names
    x, y = store.var(glob, INT), store.var(f"main::{local}", INT)
    if called == "main":
        return
    body = (Label(label), Assign((y,), (x,)), Call((), called, ()))
    procedures = {
        "main": Procedure("main", (), (), (Variable(y.name, INT),), body),
        called: Procedure(called, (), (), (), ()),
    }
    assert_round_trip(Program(store, (), (Variable(glob, INT),), procedures))


@pytest.mark.parametrize(
    "name",
    ["while", "bv8", "float32", "int", "x.y", "a`b\\c\nd", "RNE", "extract", "p::q", "#1", "ä"],
)
def test_awkward_names(name: str) -> None:
    store = TermStore.raw()
    # the local would hide the global: printed in full
    x, y = (store.var(name, INT), store.var(f"main::{name}", INT))
    main = Procedure(
        "main", (), (), (Variable(y.name, INT),), (Assign((y,), (x,)), Call((), name, ()))
    )
    assert_round_trip(
        Program(
            store, (), (Variable(name, INT),), {"main": main, name: Procedure(name, (), (), (), ())}
        )
    )


def test_records_and_arrays_of_records() -> None:
    store = TermStore.raw()
    point = RecordType("point", (("x", INT), ("a b", bitvec(8))))
    nest = RecordType(
        "nest", (("p", point), ("q", RecordArray(INT, point)), ("r", array(INT, BOOL)))
    )
    variables = (
        Variable("n", nest),
        Variable("many", RecordArray(bitvec(3), nest)),
        Variable("one", point),
    )
    terms = {n: store.var(n, s) for v in variables for n, s in flatten(v.name, v.type)}
    assert str(terms["many.q.x"].sort) == "(Array (_ BitVec 3) (Array Int Int))"
    body = (
        Assign((terms["one.x"], terms["one.a b"]), (terms["n.p.x"], terms["n.p.a b"])),
        Assign(
            (terms["many.q.x"],),
            (
                store.store(
                    terms["many.q.x"],
                    store.bv(1, 3),
                    store.store(
                        store.select(terms["many.q.x"], store.bv(1, 3)),
                        store.int_(4),
                        terms["one.x"],
                    ),
                ),
            ),
        ),
        Havoc((terms["n.r"], terms["one.x"]), "a model of something"),
        Assert(store.true, 'a "label" with\nlines', LIMIT),
    )
    assert_round_trip(
        Program(store, (point, nest), variables, {"main": Procedure("main", (), (), (), body)})
    )


@pytest.mark.parametrize(
    "path", sorted((REPOSITORY / "examples").glob("*.ivl")), ids=lambda p: p.name
)
def test_examples(path: object) -> None:
    assert_round_trip(load(str(path)))


@pytest.mark.parametrize(
    "text",
    [
        "a + b + c",
        "(a + b) + c",
        "a - b - c",
        "a - (b - c)",
        "a + b - c + a",
        "-a",
        "-(3)",
        "-3",
        "a * b / c",
        "a / (b * c)",
        "a % b % c",
        "a < b ? a : b < c ? b : c",
        "(a < b ? a : b) + c",
        "-a[0]",
        "rat(1, 3)",
        "0.25",
        "1.5e30f32",
        "1.0e-7f32",
        "0.1f32",
        "123456.0f32",
    ],
)
def test_expressions_print_as_written(text: str) -> None:
    typed = "real" if text in ("rat(1, 3)", "0.25") else "float32" if "f32" in text else "int"
    a = "array[int]int" if "[" in text else typed
    program = parse(f"var a: {a}; var b, c, r: {typed}; proc main() {{ r := {text}; }}")
    (statement,) = program.procedures["main"].body
    assert isinstance(statement, Assign)
    assert expression(statement.values[0], lambda n: n) == text


def test_text_without_sharing_is_limited() -> None:
    store = TermStore.raw()
    t = store.var("x", INT)
    for _ in range(60):
        t = store.add(t, t)
    assert len(expression(t, lambda n: n, limit=100)) == 103
    with pytest.raises(ResourceOut, match="without sharing"):
        expression(t, lambda n: n)
