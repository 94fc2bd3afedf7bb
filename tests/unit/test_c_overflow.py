"""The condition under which signed arithmetic stays in range, against arithmetic on numbers: all
operands of small words.
"""

from __future__ import annotations

from itertools import product

import pytest

from obligato.frontends.c import kinds as k
from obligato.frontends.c.overflow import in_range
from obligato.terms import Op, Term, TermStore, bitvec, evaluate

WIDTH = 4
EXACT = {k.B_ADD: int.__add__, k.B_SUB: int.__sub__, k.B_MUL: int.__mul__}
NUMBERS = range(-1 << (WIDTH - 1), 1 << (WIDTH - 1))


def _fits(operator: int, x: int, y: int) -> bool:
    return EXACT[operator](x, y) in NUMBERS


@pytest.mark.parametrize("operator", EXACT)
def test_two_variables(operator: int) -> None:
    store = TermStore.raw()
    a, b = store.var("a", bitvec(WIDTH)), store.var("b", bitvec(WIDTH))
    condition = in_range(store, operator, a, b)
    for x, y in product(NUMBERS, NUMBERS):
        assert evaluate(condition, {a: x % 16, b: y % 16}) is _fits(operator, x, y), (x, y)


@pytest.mark.parametrize("operator", EXACT)
@pytest.mark.parametrize("first", [True, False])
def test_a_constant_and_a_variable(operator: int, first: bool) -> None:
    store = TermStore.raw()
    a = store.var("a", bitvec(WIDTH))
    for c, x in product(NUMBERS, NUMBERS):
        constant = store.bv(c, WIDTH)
        condition = in_range(store, operator, *((constant, a) if first else (a, constant)))
        assert evaluate(condition, {a: x % 16}) is _fits(
            operator, *((c, x) if first else (x, c))
        ), (c, x)


@pytest.mark.parametrize("operator", EXACT)
def test_constants(operator: int) -> None:
    store = TermStore.raw()
    for x, y in product(NUMBERS, NUMBERS):
        condition = in_range(store, operator, store.bv(x, WIDTH), store.bv(y, WIDTH))
        assert condition is store.bool_(_fits(operator, x, y)), (x, y)


@pytest.mark.parametrize("operator", EXACT)
@pytest.mark.parametrize("signs", list(product((True, False), repeat=2)))
@pytest.mark.parametrize("inner", [1, 2, 3])
def test_extended_operands(operator: int, signs: tuple[bool, bool], inner: int) -> None:
    store = TermStore.raw()
    small = [store.var(name, bitvec(inner)) for name in "ab"]

    def extended(x: Term, signed: bool) -> Term:
        return (
            store.sign_ext(x, WIDTH - inner)
            if signed
            else store.mk(Op.ZERO_EXT, (x,), WIDTH - inner)
        )

    a, b = (extended(x, signed) for x, signed in zip(small, signs, strict=True))
    condition = in_range(store, operator, a, b)

    def number(x: int, signed: bool) -> int:
        return x - (1 << inner) if signed and x >> (inner - 1) else x

    everywhere = True
    for x, y in product(range(1 << inner), repeat=2):
        fits = _fits(operator, number(x, signs[0]), number(y, signs[1]))
        everywhere &= fits
        assert evaluate(condition, dict(zip(small, (x, y), strict=True))) is fits, (x, y)
    assert (condition is store.true) is everywhere, "what the widths show is not asked"
