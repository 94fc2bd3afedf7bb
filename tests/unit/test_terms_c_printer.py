"""C expressions: how they read, and that a compiler gives them the value that evaluation gives the
term.
"""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from obligato.terms import (
    BOOL,
    FLOAT64,
    INT,
    Op,
    Term,
    TermStore,
    array,
    bitvec,
    evaluate,
    to_signed,
)
from obligato.terms.c_printer import c_text, to_c
from obligato.terms.softfloat import RoundingMode

_TYPES = {8: "char", 16: "short", 32: "int", 64: "long long"}
_BINARY = [
    Op.BVADD,
    Op.BVSUB,
    Op.BVMUL,
    Op.BVUDIV,
    Op.BVUREM,
    Op.BVSDIV,
    Op.BVSREM,
    Op.BVAND,
    Op.BVOR,
    Op.BVXOR,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVASHR,
]
_COMPARE = [
    Op.BVULT,
    Op.BVULE,
    Op.BVUGT,
    Op.BVUGE,
    Op.BVSLT,
    Op.BVSLE,
    Op.BVSGT,
    Op.BVSGE,
    Op.EQ,
    Op.DISTINCT,
]


def test_reads_like_c() -> None:
    """Typical invariants, as a programmer would write them."""
    s = TermStore()
    x, y, n = (s.var(v, bitvec(32)) for v in "xyn")
    i, j = s.var("i", INT), s.var("j", INT)
    a = s.var("a", array(bitvec(32), bitvec(8)))
    assert to_c(s.eq(s.mk(Op.BVADD, (x, y)), n)) == "x == n - y"
    assert to_c(s.mk(Op.BVULT, (x, s.bv(5, 32)))) == "(unsigned)x < 5u"
    assert to_c(s.mk(Op.BVULT, (x, s.bv(5, 32))), lambda v: False) == "x < 5u"
    assert to_c(s.mk(Op.BVSLE, (x, s.bv(-10, 32)))) == "x < -9"
    odd = s.mk(Op.BVMUL, (s.bv(1 << 31, 32), x))  # as a signed product it would overflow
    assert (
        to_c(s.eq(odd, y)) == "y == 2147483648u * x"
        and to_c(s.mk(Op.BVSLT, (odd, y))) == "(int)(2147483648u * x) < y"
    )
    assert to_c(s.le(i, s.int_(10))) == "i <= 10"
    assert to_c(s.ge(i, j)) == "i - j >= 0" or to_c(s.ge(i, j)) == "i - j > -1"
    assert to_c(s.eq(s.mod(i, s.int_(2)), s.int_(0))) == "i % 2 == 0"
    assert to_c(s.not_(s.eq(s.select(a, x), s.bv(0, 8)))) == "a[x] != 0"
    assert to_c(s.or_(s.var("p", BOOL), s.not_(s.var("q", BOOL)))) == "p || !q"
    f = s.var("f", FLOAT64)
    assert (
        to_c(s.fp_lt(f, s.fp_add(s.rm(RoundingMode.RNE), f, s.fp_of(1, FLOAT64)))) == "f < f + 1.0"
    )
    assert to_c(s.not_(s.fp_lt(f, s.fp_of(1, FLOAT64)))) == "!(f < 1.0)"


def test_inexpressible() -> None:
    """No expression rather than a wrong one."""
    s = TermStore()
    a = s.var("a", array(bitvec(32), bitvec(8)))
    f, g = s.var("f", FLOAT64), s.var("g", FLOAT64)
    i = s.var("i", bitvec(32))
    assert to_c(s.store(a, i, s.bv(0, 8))) is None
    assert to_c(s.eq(f, g)) is None
    assert to_c(s.fp_add(s.rm(RoundingMode.RTP), f, g)) is None
    assert to_c(s.var("w", bitvec(40))) is None
    t = i
    for _ in range(50):
        t = s.mk(Op.BVUDIV, (s.mk(Op.BVUREM, (t, i)), t))
    assert to_c(t) is None  # a tree of 2^50 nodes


def _random_term(rng: random.Random, s: TermStore, width: int, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.1:
        pick = rng.random()
        if pick < 0.4:
            return s.bv(
                rng.choice([0, 1, 2, 3, -1, -2, 5, 1 << (width - 1), rng.getrandbits(width)]), width
            )
        return s.var(f"{'su'[pick < 0.7]}{rng.choice('ab')}{width}", bitvec(width))
    kind = rng.randrange(6)
    if kind == 0:
        other = rng.choice([w for w in _TYPES if w < width] or [width])
        inner = _random_term(rng, s, other, depth - 1)
        return s.resize(inner, width, rng.random() < 0.5)
    if kind == 1:
        other = rng.choice([w for w in _TYPES if w > width] or [width])
        lo = rng.randrange(other - width + 1)
        return s.extract(_random_term(rng, s, other, depth - 1), lo + width - 1, lo)
    if kind == 2:
        args = [_random_term(rng, s, width, depth - 1) for _ in range(2)]
        return s.ite(_condition(rng, s, depth - 1), args[0], args[1])
    if kind == 3:
        return s.mk(rng.choice([Op.BVNOT, Op.BVNEG]), (_random_term(rng, s, width, depth - 1),))
    if kind == 4 and width > 8:
        half = width // 2
        return s.concat(
            _random_term(rng, s, half, depth - 1), _random_term(rng, s, half, depth - 1)
        )
    return s.mk(
        rng.choice(_BINARY),
        (_random_term(rng, s, width, depth - 1), _random_term(rng, s, width, depth - 1)),
    )


def _condition(rng: random.Random, s: TermStore, depth: int) -> Term:
    width = rng.choice(list(_TYPES))
    op = rng.choice(_COMPARE)
    c = s.mk(op, (_random_term(rng, s, width, depth), _random_term(rng, s, width, depth)))
    return s.not_(c) if rng.random() < 0.5 else c


def _is_signed(t: Term) -> bool:
    return t.op is Op.VAR and t.name[0] == "s"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("simplify", [True, False])
def test_compiler_agrees(tmp_path: Path, simplify: bool) -> None:
    """Random conditions over signed and unsigned variables of all widths, compiled with wrapping
    arithmetic.
    """
    rng = random.Random(10)
    s = TermStore() if simplify else TermStore.raw()
    variables = [s.var(f"{g}{n}{w}", bitvec(w)) for w in _TYPES for g in "su" for n in "ab"]
    terms = [_condition(rng, s, 3) for _ in range(800)]
    printed = [
        (t, c) for t in terms if (c := to_c(t, _is_signed)) is not None and t.op is not Op.CONST
    ]
    assert len(printed) > 400
    assignments = [{v: _interesting(rng, v.width) for v in variables} for _ in range(12)]
    expected = "".join("01"[evaluate(t, m)] for m in assignments for t, _ in printed)
    declarations = "\n".join(
        f"static {'signed' if _is_signed(v) else 'unsigned'} {_TYPES[v.width]} {v.name};"
        for v in variables
    )
    functions = "\n".join(
        f"static int f{i}(void) {{ return {c}; }}" for i, (_, c) in enumerate(printed)
    )
    sets = "\n".join(
        "".join(f"{v.name} = {_initialiser(v, m[v])};" for v in variables) + "run();"
        for m in assignments
    )
    calls = "\n".join(f"putchar('0' + !!f{i}());" for i in range(len(printed)))
    source = tmp_path / "t.c"
    source.write_text(
        f"#include <stdio.h>\n{declarations}\n{functions}\nstatic void run(void) {{ {calls} }}\n"
        f"int main(void) {{ {sets} return 0; }}\n"
    )
    program = tmp_path / "t"
    subprocess.run(
        ["cc", "-O0", "-fwrapv", "-w", "-o", str(program), str(source)], check=True, timeout=120
    )
    got = subprocess.run(
        [str(program)], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    assert len(got) == len(expected)
    n = len(printed)
    wrong = [
        (printed[k % n][1], printed[k % n][0], k // n)
        for k in range(len(got))
        if got[k] != expected[k]
    ]
    assert not wrong, wrong[:3]


def _interesting(rng: random.Random, width: int) -> int:
    value = rng.choice(
        [0, 1, -1, 2, -2, 1 << (width - 1), (1 << (width - 1)) - 1, rng.getrandbits(width), 3, 7]
    )
    return value & ((1 << width) - 1)


def _initialiser(v: Term, value: int) -> str:
    return f"{to_signed(value, v.width)}" if _is_signed(v) and v.width < 64 else f"{value}ull"


def test_variables_of_one_name_keep_their_own() -> None:
    """Also if they have different sorts, and whether they are signed is known by their own
    names.
    """
    s = TermStore()
    a, b, flag = s.var("f::x", bitvec(8)), s.var("g::x", bitvec(8)), s.var("h::x", BOOL)
    below = s.mk(Op.BVULT, (a, s.bv(9, 8)))
    shown = {"f::x": "x", "g::x": "x", "h::x": "x"}
    assert c_text(below, shown, frozenset(["f::x"])) == "x < 9"
    assert c_text(s.and_(below, s.eq(a, b)), shown, frozenset()) is not None
    both = c_text(s.or_(below, flag), shown, frozenset(["f::x"]))
    assert both is not None and "f::x" in both and "h::x" in both
