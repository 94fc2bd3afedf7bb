"""Expressions of the library: what operators mean, compared with Python's own; what is refused, and
how it is said.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from obligato import (
    BOOL,
    INT,
    REAL,
    Expr,
    ModelError,
    SystemBuilder,
    Type,
    all_of,
    any_of,
    array,
    concat,
    distinct,
    floor,
    ite,
    sdiv,
    signed,
    srem,
    to_real,
    unsigned,
)
from obligato.terms import evaluate, to_signed

BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
]


def value(e: Expr, **values: Any) -> Any:
    """What the expression is worth; words by their sign."""
    store = e.term.store
    found = evaluate(e.term, {v: values[n] for n in values if (v := store.lookup(n)) is not None})
    return to_signed(found, e.type.sort.width) if e.type.is_word and e.type.is_signed else found


@pytest.mark.parametrize("op", BINARY)
def test_integers_mean_what_they_mean_in_python(op: Callable[[Any, Any], Any]) -> None:
    s = SystemBuilder()
    x, y = s.input("x", INT), s.input("y", INT)
    for a in range(-7, 8):
        for b in range(-7, 8):
            if op in (operator.floordiv, operator.mod) and b == 0:
                continue
            want = op(a, b)
            assert value(op(x, y), x=a, y=b) == want
            assert value(op(x, b), x=a) == want, f"{a} {op} constant {b}"
            assert value(op(a, y), y=b) == want, f"constant {a} {op} {b}"


def test_division_by_zero_is_what_the_page_says() -> None:
    s = SystemBuilder()
    x, y = s.input("x", INT), s.input("y", INT)
    for divisor in (y, 0):
        assert value(x // divisor, x=-5, y=0) == 0 and value(x % divisor, x=-5, y=0) == -5


@pytest.mark.parametrize("make", [signed, unsigned])
def test_words_wrap_and_compare_by_their_sign(make: Callable[[int], Type]) -> None:
    s, kind = SystemBuilder(), make(4)
    x, y = s.input("x", kind), s.input("y", kind)
    low, high = kind.bounds
    for a in range(low, high + 1):
        for b in range(low, high + 1):
            given = {"x": a & 15, "y": b & 15}
            for op in (operator.add, operator.sub, operator.mul):
                assert (value(op(x, y), **given) - op(a, b)) % 16 == 0 and low <= value(
                    op(x, y), **given
                ) <= high
            for op in (
                operator.lt,
                operator.le,
                operator.gt,
                operator.ge,
                operator.eq,
                operator.ne,
            ):
                assert value(op(x, y), **given) is op(a, b)
            for op in (operator.and_, operator.or_, operator.xor):
                assert value(op(x, y), **given) == op(a, b)
            assert value(~x, **given) == (~a if kind.is_signed else 15 - a)
            if 0 <= b < 4:
                assert (
                    value(x >> b, **given) == a >> b
                    and (value(x << b, **given) - (a << b)) % 16 == 0
                )
            if b and kind.is_signed and (a, b) != (low, -1):
                assert value(sdiv(x, y), **given) == int(a / b) and value(
                    srem(x, y), **given
                ) == a - b * int(a / b)
            if b and not kind.is_signed:
                assert value(x // y, **given) == a // b and value(x % y, **given) == a % b


def test_widths_arrays_reals_and_connectives() -> None:
    s = SystemBuilder()
    x, p, q, r = s.input("x", signed(4)), s.input("p", BOOL), s.input("q", BOOL), s.input("r", REAL)
    a = s.input("a", array(unsigned(2), INT))
    assert value(x.resize(8), x=0b1000) == -8 and value(x.as_unsigned().resize(8), x=0b1000) == 8
    assert value(x[3:2], x=0b1011) == 2 and value(concat(x, x), x=0b1001) == 0b10011001
    for b in (True, False):
        for c in (True, False):
            given = {"p": b, "q": c}
            assert value(p & q, **given) is (b and c) and value(p | q, **given) is (b or c)
            assert value(p ^ q, **given) is (b != c) and value(~p, **given) is (not b)
            assert value(p.implies(q), **given) is (not b or c) and value(
                ite(p, q, ~q), **given
            ) is (c if b else not c)
            assert value(all_of(p, q), **given) is (b and c) and value(any_of([p, q]), **given) is (
                b or c
            )
            assert value(distinct(p, q), **given) is (b != c)
    assert (
        value(r / 3 + 1, r=Fraction(1, 2)) == Fraction(7, 6)
        and value(floor(r), r=Fraction(-1, 2)) == -1
    )
    n = s.input("n", INT)
    assert value(n + r, n=2, r=Fraction(1, 2)) == Fraction(5, 2) and value(to_real(n), n=2) == 2
    assert value(a.set(1, n)[1], n=7, a=_zeros()) == 7


def _zeros() -> Any:
    from obligato.terms import ArrayValue

    return ArrayValue(0, {})


WRONG: list[tuple[str, str]] = [
    ("bool(x < y)", "write p & q"),
    ("0 <= x < 5", "instead of 0 <= x < 5"),
    ("x + p", "type BOOL, not INT"),
    ("x + 1.5", "no value of type INT"),
    ("x + True", "no value of type INT"),
    ("r + 1.5", "Fraction('1.5')"),
    ("x / y", "// rounds down"),
    ("w + 256", "holds 0 to 255"),
    ("w - u", "as_signed"),
    ("u // u", "sdiv(x, y)"),
    ("x & y", "need parentheses"),
    ("w[0:7]", "x[high:low]"),
    ("w[9:0]", "high < 8"),
    ("x[1]", "no elements"),
    ("list(a)", "cannot be iterated"),
    ("ite(p, 1, 0)", "of which type"),
    ("x + other", "another builder"),
    ("unsigned(0)", "positive number of bits"),
    ("all_of()", "needs expressions"),
    ("~x", "~ is for"),
    ("array(INT, 3)", "needs types"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_makes_no_sense_is_refused_with_advice(text: str, message: str) -> None:
    s = SystemBuilder()
    names = {
        "x": s.input("x", INT),
        "y": s.input("y", INT),
        "p": s.input("p", BOOL),
        "r": s.input("r", REAL),
        "w": s.input("w", unsigned(8)),
        "u": s.input("u", signed(8)),
        "a": s.input("a", array(INT, INT)),
        "other": SystemBuilder().input("other", INT),
    }
    with pytest.raises(TypeError) as problem:
        eval(
            text,
            {
                "ite": ite,
                "unsigned": unsigned,
                "all_of": all_of,
                "array": array,
                "INT": INT,
                **names,
            },
        )
    assert message in str(problem.value)


def test_expressions_are_keys_of_dictionaries_and_print_as_they_are_written() -> None:
    s = SystemBuilder()
    x, y = s.input("x", INT), s.input("y", INT)
    table = {x: 1, y: 2, x + 1: 3}
    assert (
        table[x + 1] == 3
        and table[y] == 2
        and x in [x]
        and ModelError.__mro__[1].__name__ == "ObligatoError"
    )
    assert repr((x + 1 < y) & ~(x == y)) == "x + 1 < y && x != y"
