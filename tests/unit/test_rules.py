"""Every rewrite of the smart constructors is proved by a solver: the raw term and the simplified
one are equal.

Terms are enumerated over operators and operand shapes at widths 1 to 8, over Int and Real, floats
of a small format and arrays; z3 gets both terms as SMT-LIB text and must answer unsat to "they
differ".  `test_every_rule_is_proved` traces the rule modules while the proved terms are simplified:
a `return` that none of them reaches fails the test.
"""

import ast
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
import z3

import obligato.terms.rules as rules_package
from obligato.terms import BOOL, INT, REAL, Kind, Op, Sort, Term, TermStore, array, bitvec, size
from obligato.terms.printer import to_smtlib
from obligato.terms.softfloat import RoundingMode
from tests.support.scripts import to_smtlib_script
from tests.termgen import BV_BINARY, BV_COMPARE, FP_COMPARE, FP_TESTS, SMALL_FLOAT

WIDTHS = range(1, 9)


def _shapes(s: TermStore, w: int) -> list[Term]:
    """Operands that rules look at."""
    x, y, p = s.var("x", bitvec(w)), s.var("y", bitvec(w)), s.var("p", BOOL)
    one, two = s.bv(1, w), s.bv(2, w)
    out = [
        x,
        y,
        *(
            s.bv(k, w)
            for k in sorted({k % (1 << w) for k in (0, 1, 2, 3, 4, -1, -2, 1 << (w - 1), 5)})
        ),
    ]
    out += [s.mk(op, (x,)) for op in (Op.BVNOT, Op.BVNEG)]
    out += [s.mk(op, (x, y)) for op in (Op.BVADD, Op.BVSUB, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR)]
    out += [
        s.mk(op, (x, two))
        for op in (Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.BVSHL, Op.BVLSHR, Op.BVASHR)
    ]
    out += [
        s.mk(Op.BVNOT, (out[-3],)),
        s.mk(Op.BVNOT, (y,)),
        s.mk(Op.BVMUL, (s.bv(3, w), s.mk(Op.BVADD, (x, one)))),
    ]
    out += [s.mk(Op.BVNEG, (s.mk(Op.BVMUL, (x, y)),)), s.mk(Op.BVNOT, (s.mk(Op.BVXOR, (x, y)),))]
    out += [
        s.ite(p, one, two),
        s.ite(p, x, two),
        s.ite(p, x, y),
        s.ite(s.not_(p), s.ite(p, x, y), x),
    ]
    if w > 1:
        h = w // 2
        low, high = s.extract(x, h - 1, 0), s.extract(x, w - 1, h)
        small = s.var("z", bitvec(h))
        out += [
            s.concat(high, low),
            s.concat(low, high) if w % 2 == 0 else s.concat(s.bv(0, w - h), low),
        ]
        out += [
            s.mk(op, (word,), w - h) for op in (Op.ZERO_EXT, Op.SIGN_EXT) for word in (low, small)
        ]
        out += [
            s.concat(s.bv(1, w - h), small),
            s.concat(small, s.bv(0, w - h)),
            s.extract(s.concat(x, y), w, 1),
        ]
    return out


def _bitvec_terms(s: TermStore, w: int) -> Iterator[Term]:
    """Every operator on shapes, constants included; larger widths take a fixed sample."""
    shapes, p, rng = _shapes(s, w), s.var("p", BOOL), Random(w)
    for a in shapes:
        yield s.mk(Op.BVNOT, (a,))
        yield s.mk(Op.BVNEG, (a,))
        for op in (Op.ZERO_EXT, Op.SIGN_EXT):
            yield s.mk(op, (a,), 0)
            yield s.mk(op, (s.mk(op, (a,), 1),), 2)
            yield s.mk(Op.SIGN_EXT, (s.mk(op, (a,), 1),), 1)
        for _ in range(2):
            wide = rng.choice(
                [
                    a,
                    s.concat(a, rng.choice(shapes)),
                    s.mk(Op.SIGN_EXT, (a,), 2),
                    s.mk(Op.ZERO_EXT, (a,), 2),
                ]
            )
            lo = rng.randrange(wide.width)
            yield s.extract(wide, rng.randrange(lo, wide.width), lo)
    pairs = list(product(shapes, shapes))
    everything = [
        (op, a, b) for op in (*BV_BINARY, *BV_COMPARE, Op.EQ, Op.CONCAT) for a, b in pairs
    ]
    for op, a, b in rng.sample(everything, 1500):
        yield s.mk(op, (a, b))
    for op in (*BV_COMPARE, Op.EQ):
        for a in rng.sample(shapes, 8):
            ext = rng.choice([Op.ZERO_EXT, Op.SIGN_EXT])
            k = s.bv(rng.getrandbits(w + 2), w + 2)
            wide = s.mk(ext, (a,), 2)
            yield s.mk(op, (wide, k))
            yield s.mk(op, (k, wide))
            yield s.mk(op, (wide, s.mk(ext, (rng.choice(shapes),), 2)))
    for op in (Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR):
        for _ in range(10):
            yield s.mk(op, tuple(rng.choice(shapes) for _ in range(3)))
    for a, b in rng.sample(pairs, 40):
        yield s.ite(p, a, b)
        yield s.ite(s.eq(a, b), a, b)
    x, one, two = shapes[0], s.bv(1, w), s.bv(2, w)
    # a counter that a loop resets
    reset = s.ite(p, two, s.mk(Op.BVADD, (s.ite(s.var("q", BOOL), one, x), one)))
    yield from (s.eq(reset, k) for k in (one, two, s.bv(3, w)))


def _boolean_terms(s: TermStore) -> Iterator[Term]:
    p, q, x, y = s.var("p", BOOL), s.var("q", BOOL), s.var("x", INT), s.var("y", INT)
    basic = [
        s.true,
        s.false,
        p,
        q,
        s.not_(p),
        s.eq(p, q),
        s.le(x, y),
        s.and_(p, q),
        s.or_(p, s.not_(q)),
        s.ite(p, q, p),
    ]
    for a, b in product(basic, basic):
        for op in (Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.EQ, Op.DISTINCT):
            yield s.mk(op, (a, b))
        for c in (p, q, s.not_(p), s.true, s.eq(p, q)):
            yield s.ite(c, a, b)
        yield s.and_(a, b, s.not_(a))
        yield s.or_(a, b, p)
        yield s.distinct(a, b, q)
        yield s.ite(p, s.ite(p, x, y), s.ite(a, x, y))
        yield s.ite(s.not_(p), x, s.ite(b, y, x))


def _number_terms(s: TermStore, sort_is_int: bool) -> Iterator[Term]:
    sort = INT if sort_is_int else REAL
    x, y, p = s.var("x", sort), s.var("y", sort), s.var("p", BOOL)
    consts = [s.const(k, sort) for k in (0, 1, -1, 2, 3, -4, 6)]
    basic = [
        x,
        y,
        *consts,
        s.neg(x),
        s.add(x, y),
        s.sub(x, y),
        s.mul(consts[3], x),
        s.mul(s.sub(y, x), consts[5]),
    ]
    basic += [s.ite(p, consts[1], consts[3]), s.ite(p, x, consts[0]), s.abs(x), s.add(x, consts[4])]
    basic += [
        s.mul(s.ite(p, consts[1], consts[3]), consts[3]),
        s.mul(x, y),
        s.mul(consts[3], s.mul(y, x)),
    ]
    for a, b in Random(0).sample(list(product(basic, basic)), 130):
        for op in (Op.ADD, Op.SUB, Op.LE, Op.LT, Op.GE, Op.GT, Op.EQ):
            yield s.mk(op, (a, b))
        yield s.mul(a, b)
        yield s.eq(s.mul(consts[3], a), s.add(b, consts[1]))
        yield s.le(s.mul(consts[6], a), s.add(s.mul(consts[4], b), consts[1]))
        yield s.ite(p, a, b)
    for a in basic:
        yield s.neg(a)
        yield s.abs(a)
        for k in (y, *consts) if a is x else consts:
            yield from (s.idiv(a, k), s.mod(a, k)) if sort_is_int else (s.rdiv(a, k),)
        if sort_is_int:
            yield s.to_real(a)
            yield s.to_int(s.to_real(a))
            yield s.mk(Op.IS_INT, (s.to_real(a),))
        else:
            yield s.to_int(a)
            yield s.mk(Op.IS_INT, (a,))


def _float_terms(s: TermStore) -> Iterator[Term]:
    x, y = s.var("x", SMALL_FLOAT), s.var("y", SMALL_FLOAT)
    rm = s.var("r", s.rm(RoundingMode.RNE).sort)
    basic = [
        x,
        y,
        s.fp_neg(x),
        s.fp_abs(y),
        s.fp_nan(SMALL_FLOAT),
        s.fp_of(1, SMALL_FLOAT),
        s.fp_zero(SMALL_FLOAT),
    ]
    basic += [s.fp_zero(SMALL_FLOAT, True), s.fp_inf(SMALL_FLOAT), s.fp_from_fp(rm, x, SMALL_FLOAT)]
    basic += [
        s.fp_from_bits(s.fp_to_bits(y), SMALL_FLOAT),
        s.ite(s.var("p", BOOL), basic[5], basic[6]),
    ]
    pairs = (
        Random(0).sample(list(product(basic, basic)), 45)
        + [(a, a) for a in basic]
        + [(basic[4], y), (y, basic[4])]
    )
    for a, b in pairs:
        for op in (*FP_COMPARE, Op.EQ):
            yield s.mk(op, (a, b))
        for op in (Op.FP_ADD, Op.FP_SUB, Op.FP_MUL, Op.FP_DIV):
            yield s.mk(op, (rm, a, b))
        yield s.fp_min(a, b)
        yield s.fp_max(a, b)
    for a in basic:
        yield from (s.mk(test, (a,)) for test in FP_TESTS)
        yield from (s.fp_neg(a), s.fp_abs(a), s.fp_fma(rm, y, basic[5], a))
        yield s.fp_to_real(a)
        yield s.fp_to_sbv(rm, a, 4)
        yield s.fp_to_ubv(rm, a, 4)


def _array_terms(s: TermStore) -> Iterator[Term]:
    for sort in (array(INT, INT), array(bitvec(2), bitvec(3)), array(BOOL, INT)):
        a, v = s.var(f"a {sort}", sort), s.var(f"v {sort}", sort.element)
        i, j = s.var(f"i {sort}", sort.index), s.var(f"j {sort}", sort.index)
        constant = [
            s.const(k, sort.index)
            for k in ((0, 1, 2) if sort.index.kind is not Kind.BOOL else (False, True))
        ]
        indices = [i, j, *constant]
        if sort.index is INT:
            indices.append(s.add(i, s.int_(1)))
        fixed = s.const_array(sort, s.const(2, sort.element))
        bases = [a, s.const_array(sort, v)]
        bases += [
            fixed,
            s.store(fixed, i, v),
            s.store(fixed, constant[0], v),
            *(s.store(a, k, v) for k in indices),
        ]
        bases += [s.store(s.store(a, k, v), m, s.select(a, m)) for k in indices for m in indices]
        for base in bases:
            yield from (s.select(base, k) for k in indices)
            yield from (s.store(base, k, s.select(base, k)) for k in indices)
            yield from (s.store(base, k, v) for k in indices)
            yield s.eq(base, a)


GROUPS = [*(f"bv{w}" for w in WIDTHS), "bool", "int", "real", "float", "array"]


def _group(name: str) -> tuple[TermStore, list[Term]]:
    s = TermStore.raw()
    if name.startswith("bv"):
        return s, list(_bitvec_terms(s, int(name[2:])))
    makers = {
        "bool": _boolean_terms,
        "int": lambda s: _number_terms(s, True),
        "real": lambda s: _number_terms(s, False),
        "float": _float_terms,
        "array": _array_terms,
    }
    return s, list(makers[name](s))


def _unproved(raw: TermStore, pairs: list[tuple[Term, Term]], logic: str | None) -> list[str]:
    """The pairs that z3 cannot prove equal."""
    script = to_smtlib_script([raw.not_(raw.eq(a, b)) for a, b in pairs]).replace("(check-sat)", "")
    context = z3.Context()
    out = []
    for difference, (a, b) in zip(z3.parse_smt2_string(script, ctx=context), pairs, strict=True):
        if z3.is_false(z3.simplify(difference)):
            continue
        solver = z3.SolverFor(logic, ctx=context) if logic else z3.Solver(ctx=context)
        solver.set("timeout", 60_000)
        solver.add(difference)
        # Query: raw term != simplified term. unsat: the rewrite is right; sat: it is wrong.
        if solver.check() != z3.unsat:
            out.append(f"{to_smtlib(a)}\n  is not proved equal to {to_smtlib(b)}")
    return out


@pytest.mark.parametrize("name", GROUPS)
def test_rules_are_proved(name: str) -> None:
    """Raw and simplified term are equal, whatever the variables are."""
    raw, terms = _group(name)
    simple, memo = TermStore(), dict[Term, Term]()
    images = {t: simple.import_term(t, memo) for t in terms}
    back: dict[Term, Term] = {}
    pairs = [(t, u) for t in images if (u := raw.import_term(images[t], back)) is not t]
    assert len(pairs) > 100
    wrong = _unproved(raw, pairs, "QF_BV" if name.startswith("bv") else None)
    assert not wrong, "\n".join(wrong[:5])


def _return_lines(path: Path) -> set[int]:
    """The lines of `return` statements inside functions that take a store."""
    tree = ast.parse(path.read_text())
    return {
        n.lineno
        for n in ast.walk(tree)
        if isinstance(n, ast.Return) and not _is_factory_return(tree, n)
    }


def _is_factory_return(tree: ast.Module, node: ast.Return) -> bool:
    """`return rule` at the end of a function that builds a rule runs at import."""
    return isinstance(node.value, ast.Lambda) or (
        isinstance(node.value, ast.Name) and node.value.id in ("rule", "run")
    )


@pytest.mark.parametrize(("operator", "sort"), [(Op.BVMUL, bitvec(8)), (Op.MUL, INT)])
def test_squares_of_squares_stay_small(operator: Op, sort: Sort) -> None:
    s = TermStore()
    x = s.var("x", sort)
    for _ in range(40):
        x = s.mk(operator, (x, x))
    assert size(x) <= 40


def test_every_rule_is_proved() -> None:
    """Each `return` of each rule is reached by the terms that `test_rules_are_proved` proves."""
    folder = Path(rules_package.__file__).parent
    seen: set[tuple[str, int]] = set()

    def local(frame: FrameType, event: str, arg: Any) -> Any:
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def tracer(frame: FrameType, event: str, arg: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(str(folder)) else None

    groups = [_group(name) for name in GROUPS if name not in ("bv5", "bv6", "bv7", "bv8")]
    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        for _, terms in groups:
            simple, memo = TermStore(), dict[Term, Term]()
            for t in terms:
                simple.import_term(t, memo)
    finally:
        sys.settrace(old)
    missed = [
        f"{path.name}:{line}: {path.read_text().splitlines()[line - 1].strip()}"
        for path in sorted(folder.glob("*.py"))
        for line in sorted(_return_lines(path))
        if (str(path), line) not in seen
    ]
    assert not missed, "\n".join(missed)
