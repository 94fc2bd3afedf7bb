"""Bounds of floats in loops: boxes, what swaps and limits, and polygons of filters."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import obligato
from obligato.analysis.linear_forms import chains
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign
from obligato.terms import FLOAT64, TermStore
from obligato.terms.softfloat import RoundingMode

INPUT = """
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
float any(float a, float b) { float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x >= a && x <= b); return x; }
double real(double a, double b) { double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= a && x <= b); return x; }
int main(void) {
"""
LOW_PASS = (
    "double y = 0; while (1) { y = 0.9 * y + 0.1 * real(-1, 1); if (!(y <= 2)) reach_error(); }"
)
RATE_LIMITER = """float y = 0; while (1) { float x = any(-128, 128), d = any(0, 16), s = y, r = x - s; y = x;
    if (r <= -d) y = s - d; else if (r >= d) y = s + d; if (!(y >= -129)) reach_error(); }"""
SWAP = """float x = 0, b = 0; for (int i = 0; i < 100000; i++) {
    if (__VERIFIER_nondet_int()) { x = any(-50, 50); b = x; }
    float t = x; x = b / 2.7f; b = t * 2.7f; } if (!(x <= 1000)) reach_error();"""
FILTER = """double s0 = 0, s = 0; while (1) { double s1 = s0; s0 = s; s = 0.7 * real(-1, 1) + 1.5 * s0 - 0.7 * s1;
    if (!(s <= LIMIT)) reach_error(); }"""
CLAMPED = """float i = 0; while (1) { i = i + 0.25f * any(-4, 4); if (i > 100) i = 100; if (i < -100) i = -100;
    if (!(0.1f * i <= 10.5f)) reach_error(); }"""


def verdict(tmp_path: Path, body: str) -> obligato.Outcome:
    """What the default seeds and IC3CFA say."""
    path = tmp_path / "program.c"
    path.write_text(INPUT + body + "return 0; }\n", encoding="utf-8")
    return obligato.verify(path, engine="ic3cfa", timeout=300)


@pytest.mark.parametrize(
    "body", [LOW_PASS, RATE_LIMITER, SWAP, CLAMPED, FILTER.replace("LIMIT", "10")]
)
def test_proved(tmp_path: Path, body: str) -> None:
    assert verdict(tmp_path, body).proved


def test_directions_of_a_filter_turn_and_shrink() -> None:
    s = TermStore()
    x, y, u = (s.var(name, FLOAT64) for name in "xyu")
    rm = s.rm(RoundingMode.RNE)
    parts = [
        s.fp_mul(rm, s.fp_of(c, FLOAT64), v) for c, v in ((Fraction(3, 2), x), (Fraction(-3, 4), y))
    ]
    effect = BlockEffect(s, Assign(((x, s.fp_add(rm, s.fp_add(rm, *parts), u)), (y, x))), "t!")
    found = chains(effect, [x, y], {u: (Fraction(-1), Fraction(1))})
    first, bound = found[0]
    assert first == {x: 1, y: Fraction(-1, 2)} and 2 < bound < 8
    assert len(found) == 4 and all(max(map(abs, f.values())) == 1 for f, _ in found)
    grown = BlockEffect(s, Assign(((x, s.fp_add(rm, x, y)), (y, x))), "g!")
    assert not chains(grown, [x, y], {})
