"""Formulas of branching time: reading, the core language, the structure they are about."""

from __future__ import annotations

import pytest

from obligato.errors import InputError
from obligato.frontends.ctl import read_ctl, read_ctl_file
from obligato.models.ctl import OPERATORS, Formula, core, from_fair_starts, structure, total
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, INT, Term, TermStore, bitvec

STORE = TermStore.raw()
NAMES: dict[str, Term] = {
    **{
        name: STORE.var(name, BOOL)
        for name in ("a", "b", "c", "req", "ack", "E", "a b", "m[0]", "p<*0*><1>", "q.r")
    },
    "n": STORE.var("n", INT),
    "w": STORE.var("w", bitvec(3)),
}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("AG (req -> AF ack)", "AG (req -> AF ack)"),
        ("AG req -> AF ack", "(AG req -> AF ack)"),
        ("E [a U b] & c", "(E [a U b] & c)"),
        ("A[a & b U b|c]", "A [(a & b) U (b | c)]"),
        ("A (a W E [b R c])", "A [a W E [b R c]]"),
        ("! EX a", "! EX a"),
        ("EX EG ! a", "EX EG ! a"),
        ("a -> b -> c", "(a -> (b -> c))"),
        ('EF "E"', "EF E"),
        ("AG n < 3", "AG (< n 3)"),
        ("AX w + 1 != w", "AX (not (= (bvadd w #b001) w))"),
        ("E[m[0] U b]", "E [|m[0]| U b]"),
        ("a <-> b xor true", "(a <-> (b xor true))"),
        ("EF (a)", "EF a"),
    ],
)
def test_reading(text: str, meaning: str) -> None:
    assert str(read_ctl(text, STORE, NAMES)) == meaning


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("A a", "1:3", "followed by"),
        ("E [a]", "1:5", "U, R or W"),
        ("E [a U b", "1:9", "missing"),
        ("E [a U b)", "1:9", "missing"),
        ("a U b", "1:3", "not expected"),
        ("G a", "1:1", "no name"),
        ("EX", "1:3", "too early"),
        ("EF n", "1:4", "a formula is needed"),
        ("E [E [a U b] U\n x]", "2:2", "'x' is no name"),
        ("AG " * 300 + "a", "1:604", "too deeply"),
        ("AGAF a", "1:1", "no name"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_ctl(text, STORE, NAMES, "p")
    assert str(error.value).startswith(f"p:{place}: ")


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("AG ~a\n AG(b)", ["AG ! a", "AG b"]),
        ("", []),
        ("# nothing\n ;;", []),
        ("a -> b -> c", ["((a -> b) -> c)"]),
        ("a == b ^ c -> a", ["(((a <-> b) xor c) -> a)"]),
        ("AG a -> b", ["(AG a -> b)"]),
        ("E a & b U c | a", ["(E [(a & b) U c] | a)"]),
        ("A a -> b W EX c & b", ["(A [(a -> b) W EX c] & b)"]),
        ("a | b & c", ["(a | (b & c))"]),
        ("E E a U b R c", ["E [E [a U b] R c]"]),
        ("p<*0*><1> & q.r # end", ["(p<*0*><1> & q.r)"]),
        ("a (b)", ["a", "b"]),
        ("true ~false", ["true", "! false"]),
        ("EG EF ! a; E a U b", ["EG EF ! a", "E [a U b]"]),
    ],
)
def test_files(text: str, meanings: list[str]) -> None:
    assert [str(f) for f in read_ctl_file(text, NAMES, "f.ctl")] == meanings


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("AG", "1:3", "too early"),
        ("(a", "1:3", "closing"),
        ("E a", "1:4", "U, R or W"),
        ("a\n & zz", "2:4", "'zz' is no name"),
        ("a & n", "1:5", "true or false"),
        ("a % b", "1:3", "'%' is not expected"),
        ("U", "1:1", "'U' is not expected"),
        ("a & & b", "1:5", "'&' is not expected"),
        ("~" * 300 + "a", "1:201", "too deeply"),
        ("# x\n\n a )", "3:4", "'\\)' is not"),
    ],
)
def test_what_is_wrong_in_files(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_ctl_file(text, NAMES, "f.ctl")
    assert str(error.value).startswith(f"f.ctl:{place}: ")


@pytest.mark.parametrize(
    ("text", "limited", "meaning"),
    [
        ("AG a", False, "! E [true U ! a]"),
        ("AF ! a", False, "! EG a"),
        ("EX a", True, "EX (a & EG true)"),
        ("EX true", True, "EX EG true"),
        ("EF a", True, "E [true U (a & EG true)]"),
        ("A [a U b]", False, "(! E [! b U (! a & ! b)] & ! EG ! b)"),
        ("E [a R b]", False, "! (! E [b U (a & b)] & ! EG b)"),
        ("A [a R b]", False, "! E [! a U ! b]"),
        ("a -> b", False, "! (a & ! b)"),
        ("E [a W b]", False, "! (! E [a U b] & ! EG a)"),
        ("A [a W b]", False, "! E [! b U (! a & ! b)]"),
        ("EG a", True, "EG a"),
    ],
)
def test_the_core_language(text: str, limited: bool, meaning: str) -> None:
    assert str(core(read_ctl(text, STORE, NAMES), limited)) == meaning


def test_all_operators_have_a_core() -> None:
    a = read_ctl("a", STORE, NAMES)
    for op in OPERATORS:
        found = core(
            Formula(op, (a,) if op in ("!", "EX", "AX", "EF", "AF", "EG", "AG") else (a, a)), True
        )
        assert {f.op for f in parts(found)} <= {"true", "atom", "!", "&", "EX", "EU", "EG"}
    assert str(from_fair_starts(a)) == "(EG true -> a)"


def parts(f: Formula) -> list[Formula]:
    return [f, *(g for a in f.args for g in parts(a))]


def test_inputs_that_are_named_become_part_of_the_state() -> None:
    s = TermStore.raw()
    x, i, j = (s.var(n, BOOL) for n in "xij")
    system = TransitionSystem(
        s, (x,), (i, j), s.not_(x), functional(s, {x: i}), (), (s.or_(x, j),), next={x: i}
    )
    assert structure(system, read_ctl("EX x", s, {"x": x})) is system and not total(system)
    wide = structure(system, read_ctl("EX i", s, {"i": i}))
    assert [v.name for v in wide.state] == ["x", "i", "j"] and [v.name for v in wide.inputs] == [
        "i next",
        "j next",
    ]
    assert wide.next is not None and wide.next[x] is i and wide.next[i].name == "i next"
    assert wide.trans is functional(s, wide.next) and wide.init is s.and_(s.not_(x), s.or_(x, j))
