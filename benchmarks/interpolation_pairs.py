"""Interpolation problems from small safe loop programs, unrolled: shared by the tests and
`bench_interpolation.py`.

A program has an initial condition, a step over (now, next, input) and an error condition that no
unrolling reaches. Most are written once over a `Domain` and exist over Int, Real and 32-bit
vectors. `unroll` gives F_0 = initial, F_1 .. F_k = steps, F_(k+1) = error, whose conjunction is
unsat; a pair is a cut of that list, a sequence problem the list itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from obligato.terms import INT, REAL, Op, Sort, Term, TermStore, bitvec

Step = Callable[["Domain", list[Term], list[Term], Term], Term]
State = Callable[["Domain", list[Term]], Term]


class Domain:
    """The few operations the programs need, over one numeric sort."""

    def __init__(self, store: TermStore, name: str, sort: Sort) -> None:
        self.store, self.name, self.sort = store, name, sort
        self.bits = name == "bv"

    def k(self, value: int | Fraction) -> Term:
        return self.store.const(value, self.sort)

    def op(self, op: Op, *args: Term) -> Term:
        return self.store.mk(op, args)

    def add(self, *args: Term) -> Term:
        return self.op(Op.BVADD if self.bits else Op.ADD, *args)

    def sub(self, a: Term, b: Term) -> Term:
        return self.op(Op.BVSUB if self.bits else Op.SUB, a, b)

    def times(self, k: int | Fraction, a: Term) -> Term:
        return self.op(Op.BVMUL if self.bits else Op.MUL, self.k(k), a)

    def le(self, a: Term, b: Term) -> Term:
        return self.op(Op.BVSLE if self.bits else Op.LE, a, b)

    def lt(self, a: Term, b: Term) -> Term:
        return self.op(Op.BVSLT if self.bits else Op.LT, a, b)

    def eq(self, a: Term, b: Term) -> Term:
        return self.store.eq(a, b)

    def ne(self, a: Term, b: Term) -> Term:
        return self.store.ne(a, b)

    def inc(self, a: Term, by: int = 1) -> Term:
        return self.add(a, self.k(by))

    def odd(self, a: Term) -> Term:
        """a is odd (Int and bit-vectors)."""
        s = self.store
        if self.bits:
            return s.eq(s.extract(a, 0, 0), s.bv(1, 1))
        return s.eq(s.mod(a, s.int_(2)), s.int_(1))


@dataclass(frozen=True)
class Program:
    """A loop; `domains` says where it makes sense."""

    name: str
    variables: int
    init: State
    step: Step
    error: State
    domains: tuple[str, ...] = ("lia", "lra", "bv")


@dataclass(frozen=True)
class Problem:
    """The formulas of an unrolling."""

    name: str
    theory: str
    formulas: list[Term]

    def pair(self, cut: int) -> tuple[Term, Term]:
        """The first `cut` formulas against the others."""
        s = self.formulas[0].store
        return s.all_of(self.formulas[:cut]), s.all_of(self.formulas[cut:])


# -- programs --------------------------------------------------------------------------------------


def _and(d: Domain, *parts: Term) -> Term:
    return d.store.and_(*parts)


def _zero(d: Domain, v: list[Term]) -> Term:
    return d.store.all_of(d.eq(x, d.k(0)) for x in v)


def _guarded(d: Domain, v: list[Term], w: list[Term], i: Term) -> Term:
    return _and(d, d.lt(v[0], v[1]), d.eq(w[0], d.inc(v[0])), d.eq(w[1], v[1]))


def _up_down(d: Domain, v: list[Term], w: list[Term], i: Term) -> Term:
    s, up = d.store, d.eq(v[1], d.k(0))
    turn = s.ite(d.le(d.k(4), v[0]), d.k(1), s.ite(d.le(v[0], d.k(0)), d.k(0), v[1]))
    return _and(
        d,
        d.eq(w[0], s.ite(s.and_(up, d.lt(v[0], d.k(5))), d.inc(v[0]), d.inc(v[0], -1))),
        d.eq(w[1], turn),
    )


def _choice(d: Domain, v: list[Term], w: list[Term], i: Term) -> Term:
    left = _and(d, d.eq(w[0], v[0]), d.eq(w[1], d.inc(v[1])))
    right = _and(d, d.lt(v[0], v[1]), d.eq(w[0], d.inc(v[0])), d.eq(w[1], v[1]))
    return _and(d, d.lt(v[1], d.k(1000)), d.store.or_(left, right))


def _within(d: Domain, i: Term, low: int, high: int) -> Term:
    return _and(d, d.le(d.k(low), i), d.le(i, d.k(high)))


GENERIC = [
    Program(
        "counter",
        1,
        _zero,
        lambda d, v, w, i: d.eq(w[0], d.inc(v[0])),
        lambda d, v: d.lt(v[0], d.k(0)),
    ),
    Program(
        "bounded",
        2,
        lambda d, v: _and(d, d.eq(v[0], d.k(0)), d.le(d.k(0), v[1])),
        _guarded,
        lambda d, v: d.lt(v[1], v[0]),
        ("lia", "bv"),
    ),
    Program(
        "lockstep",
        2,
        _zero,
        lambda d, v, w, i: _and(d, d.eq(w[0], d.inc(v[0])), d.eq(w[1], d.inc(v[1]))),
        lambda d, v: d.ne(v[0], v[1]),
    ),
    Program(
        "constant_sum",
        3,
        lambda d, v: _and(d, d.eq(v[0], d.k(0)), d.eq(v[1], v[2])),
        lambda d, v, w, i: _and(
            d, d.eq(w[0], d.inc(v[0])), d.eq(w[1], d.inc(v[1], -1)), d.eq(w[2], v[2])
        ),
        lambda d, v: d.ne(d.add(v[0], v[1]), v[2]),
    ),
    Program(
        "double",
        2,
        _zero,
        lambda d, v, w, i: _and(d, d.eq(w[0], d.inc(v[0])), d.eq(w[1], d.inc(v[1], 2))),
        lambda d, v: d.ne(v[1], d.times(2, v[0])),
    ),
    Program("up_down", 2, _zero, _up_down, lambda d, v: d.lt(d.k(6), v[0])),
    Program(
        "same_input",
        2,
        _zero,
        lambda d, v, w, i: _and(
            d, _within(d, i, 0, 3), d.eq(w[0], d.add(v[0], i)), d.eq(w[1], d.inc(d.add(v[1], i)))
        ),
        lambda d, v: d.lt(v[1], v[0]),
    ),
    Program(
        "saturate",
        1,
        _zero,
        lambda d, v, w, i: d.eq(w[0], d.store.ite(d.lt(v[0], d.k(5)), d.inc(v[0]), v[0])),
        lambda d, v: d.lt(d.k(5), v[0]),
    ),
    Program(
        "swap",
        2,
        lambda d, v: _and(d, d.eq(v[0], d.k(1)), d.eq(v[1], d.k(2))),
        lambda d, v, w, i: _and(d, d.eq(w[0], v[1]), d.eq(w[1], v[0])),
        lambda d, v: d.eq(v[0], v[1]),
    ),
    Program(
        "fibonacci",
        2,
        lambda d, v: _and(d, d.eq(v[0], d.k(0)), d.eq(v[1], d.k(1))),
        lambda d, v, w, i: _and(d, d.eq(w[0], v[1]), d.eq(w[1], d.add(v[0], v[1]))),
        lambda d, v: d.lt(v[1], v[0]),
    ),
    Program(
        "countdown",
        2,
        lambda d, v: _and(d, d.eq(v[0], v[1]), _within(d, v[1], 0, 1000)),
        lambda d, v, w, i: _and(
            d, d.le(d.k(1), v[0]), d.eq(w[0], d.inc(v[0], -1)), d.eq(w[1], v[1])
        ),
        lambda d, v: d.store.or_(d.lt(v[0], d.k(0)), d.lt(v[1], v[0])),
    ),
    Program("choice", 2, _zero, _choice, lambda d, v: d.lt(v[1], v[0])),
    Program(
        "maximum",
        2,
        _zero,
        lambda d, v, w, i: _and(d, d.eq(w[0], d.store.ite(d.lt(v[0], i), i, v[0])), d.eq(w[1], i)),
        lambda d, v: d.lt(v[0], v[1]),
    ),
    Program(
        "drift",
        3,
        _zero,
        lambda d, v, w, i: _and(
            d,
            _within(d, i, 1, 2),
            d.eq(w[0], d.add(v[0], i)),
            d.eq(w[1], d.inc(v[1])),
            d.eq(w[2], d.inc(v[2], 2)),
        ),
        lambda d, v: d.store.or_(d.lt(v[0], v[1]), d.lt(v[2], v[0])),
    ),
    Program(
        "parity",
        1,
        _zero,
        lambda d, v, w, i: d.eq(w[0], d.inc(v[0], 2)),
        lambda d, v: d.odd(v[0]),
        ("lia", "bv"),
    ),
    Program(
        "parity_input",
        2,
        _zero,
        lambda d, v, w, i: _and(
            d, _within(d, i, 0, 9), d.eq(w[0], d.add(v[0], d.times(2, i))), d.eq(w[1], d.inc(v[1]))
        ),
        lambda d, v: d.odd(v[0]),
        ("lia", "bv"),
    ),
    Program(
        "modulo",
        1,
        _zero,
        lambda d, v, w, i: d.eq(w[0], d.inc(v[0], 3)),
        lambda d, v: d.eq(d.store.mod(v[0], d.k(3)), d.k(2)),
        ("lia",),
    ),
    Program(
        "wrap",
        1,
        _zero,
        lambda d, v, w, i: d.eq(w[0], d.store.mod(d.inc(v[0]), d.k(4))),
        lambda d, v: d.lt(d.k(3), v[0]),
        ("lia",),
    ),
    Program(
        "average",
        1,
        lambda d, v: _within(d, v[0], 0, 1),
        lambda d, v, w, i: _and(
            d, _within(d, i, 0, 1), d.eq(w[0], d.times(Fraction(1, 2), d.add(v[0], i)))
        ),
        lambda d, v: d.lt(d.k(1), v[0]),
        ("lra",),
    ),
    Program(
        "clocks",
        2,
        _zero,
        lambda d, v, w, i: _and(
            d,
            d.lt(d.k(0), i),
            d.eq(w[0], d.add(v[0], i)),
            d.eq(w[1], d.add(v[1], d.times(Fraction(1, 3), i))),
        ),
        lambda d, v: d.ne(v[0], d.times(3, v[1])),
        ("lra",),
    ),
]

BITS = [
    Program(
        "one_bit",
        1,
        lambda d, v: d.eq(v[0], d.k(1)),
        lambda d, v, w, i: d.eq(w[0], d.op(Op.BVSHL, v[0], d.k(1))),
        lambda d, v: d.ne(d.op(Op.BVAND, v[0], d.inc(v[0], -1)), d.k(0)),
        ("bv",),
    ),
    Program(
        "shrink",
        2,
        lambda d, v: d.eq(v[0], v[1]),
        lambda d, v, w, i: _and(d, d.eq(w[0], d.op(Op.BVLSHR, v[0], d.k(1))), d.eq(w[1], v[1])),
        lambda d, v: d.op(Op.BVULT, v[1], v[0]),
        ("bv",),
    ),
    Program(
        "low_bit",
        1,
        lambda d, v: d.odd(v[0]),
        lambda d, v, w, i: d.eq(w[0], d.op(Op.BVOR, v[0], i)),
        lambda d, v: d.store.not_(d.odd(v[0])),
        ("bv",),
    ),
    Program(
        "masked",
        2,
        _zero,
        lambda d, v, w, i: _and(
            d, d.eq(w[0], d.op(Op.BVXOR, v[0], d.op(Op.BVAND, i, d.k(0xFF)))), d.eq(w[1], v[0])
        ),
        lambda d, v: d.op(Op.BVULT, d.k(0xFF), v[0]),
        ("bv",),
    ),
    Program(
        "toggle",
        2,
        _zero,
        lambda d, v, w, i: _and(
            d, d.eq(w[0], d.op(Op.BVXOR, v[0], d.k(5))), d.eq(w[1], d.op(Op.BVNOT, v[1]))
        ),
        lambda d, v: d.store.and_(d.eq(v[0], d.k(0)), d.ne(v[1], d.k(0))),
        ("bv",),
    ),
    Program(
        "no_borrow",
        2,
        lambda d, v: d.op(Op.BVULE, v[0], v[1]),
        lambda d, v, w, i: _and(
            d, d.eq(w[0], d.op(Op.BVAND, v[0], i)), d.eq(w[1], d.op(Op.BVOR, v[1], i))
        ),
        lambda d, v: _and(d, d.op(Op.BVULT, v[1], v[0])),
        ("bv",),
    ),
    Program(
        "multiple_of_four",
        1,
        lambda d, v: d.eq(d.op(Op.BVAND, v[0], d.k(3)), d.k(0)),
        lambda d, v, w, i: d.eq(w[0], d.add(v[0], d.op(Op.BVSHL, i, d.k(2)))),
        lambda d, v: d.ne(d.op(Op.BVUREM, v[0], d.k(4)), d.k(0)),
        ("bv",),
    ),
]


# -- unrolling -------------------------------------------------------------------------------------

_SORTS = {"lia": INT, "lra": REAL, "bv": bitvec(32)}


def unroll(store: TermStore, program: Program, theory: str, steps: int) -> Problem:
    """The initial condition, `steps` steps, the error condition."""
    d = Domain(store, theory, _SORTS[theory])

    def state(t: int) -> list[Term]:
        return [store.var(f"{theory}!v{n}@{t}", d.sort) for n in range(program.variables)]

    formulas = [program.init(d, state(0))]
    for t in range(steps):
        formulas.append(
            program.step(d, state(t), state(t + 1), store.var(f"{theory}!in@{t}", d.sort))
        )
    formulas.append(program.error(d, state(steps)))
    return Problem(f"{program.name}/{theory}/{steps}", theory, formulas)


def problems(store: TermStore, *lengths: int) -> Iterator[Problem]:
    """All programs over all their theories, unrolled to each of the lengths."""
    for program in [*GENERIC, *BITS]:
        for theory in program.domains:
            for steps in lengths:
                yield unroll(store, program, theory, steps)
