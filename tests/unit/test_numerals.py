"""Numbers have no size limit: texts of any length in both directions, in values, JSON, solvers and
formats.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from obligato.frontends import btor2
from obligato.reports.json_report import json_text
from obligato.results.values import from_json, to_json, to_text
from obligato.smt import SAT
from obligato.smt.factory import make_solver
from obligato.terms import INT, REAL, ArrayValue, TermStore, array, bitvec
from obligato.terms.numerals import int_text, number_text, parse_int, parse_rational

LONG = 7 * 10**4321 + 5


@pytest.mark.parametrize("digits", [1, 599, 600, 601, 1199, 1200, 1201, 4300, 4301, 20_000])
def test_texts_of_any_length(digits: int) -> None:
    rng = random.Random(digits)
    text = rng.choice("123456789") + "".join(rng.choices("0123456789", k=digits - 1))
    assert int_text(parse_int(text)) == text and int_text(parse_int("-" + text)) == "-" + text
    assert (
        parse_int(text) % 97
        == sum(int(c) * pow(10, digits - 1 - i, 97) for i, c in enumerate(text)) % 97
    )
    value = Fraction(parse_int(text), 3)
    assert parse_rational(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "sort"),
    [
        (-LONG, INT),
        (Fraction(LONG, 7), REAL),
        (LONG, bitvec(20_000)),
        (ArrayValue(0, {LONG: -LONG, 2: 1}), array(INT, INT)),
    ],
    ids=["int", "real", "bitvec", "array"],
)
def test_long_values_as_json_and_text(value: object, sort: object) -> None:
    data = to_json(value, sort)  # type: ignore[arg-type]
    again = json.loads(json_text({"a": [data]}), parse_int=parse_int)["a"][0]
    assert from_json(again, sort) == value and len(to_text(data)) > 4300  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data", [None, True, -3, 2.5, 'a"\n', [], {}, {"a": [1, [2, {}]], "b": {"c": []}}]
)
def test_json_text_is_what_the_library_writes(data: object) -> None:
    assert json_text(data) == json.dumps(data, indent=2)


@pytest.mark.parametrize("name", ["z3", "cvc5"])
@pytest.mark.parametrize(
    "value",
    [LONG, -LONG, 0, -5, Fraction(-LONG, 11), Fraction(1, LONG), Fraction(3), Fraction(-3, 4)],
    ids=range(8),
)
def test_solvers_take_and_give_long_numbers(name: str, value: int | Fraction) -> None:
    store = TermStore()
    sort = REAL if isinstance(value, Fraction) else INT
    x, limit = store.var("x", sort), store.const(value, sort)
    solver = make_solver([sort], prefer=name)
    solver.add(store.and_(store.le(x, limit), store.ge(x, limit)))
    assert solver.check() is SAT and solver.model_of([x]) == {x: value}
    solver.close()


def test_long_constants_of_btor2() -> None:
    text = (
        f"1 sort bitvec 20000\n2 sort bitvec 1\n3 constd 1 -{int_text(LONG)}\n4 state 1 s\n5 eq 2 3"
        " 4\n6 bad 5\n"
    )
    written = btor2.btor2_text(btor2.read(text).system)
    assert (
        int_text((1 << 20_000) - LONG) in written
        and btor2.btor2_text(btor2.read(written).system) == written
    )
