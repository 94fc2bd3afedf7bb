"""Random formulas for projection, and what must hold of its results.

A formula has a few literals below and, or and ite. It is projected model by model, each result
blocked, until none is left: the model satisfies the result, the result implies the existential, the
image is finite, and together the results are the existential (that they cover it is what the last,
unsatisfiable question says). Whether a result implies the existential is decided by z3's
quantifiers for arithmetic (where it gives up, mostly on mod and div, points of the result are
tried) and by enumeration for words. Where integers and reals meet, points are tried, too.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import z3

from obligato.smt import SAT, UNSAT
from obligato.smt.factory import kinds_in
from obligato.smt.implicant import implicant
from obligato.smt.projection import project
from obligato.smt.projection.z3_terms import Z3Bridge
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import (
    BOOL,
    INT,
    REAL,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    Value,
    bitvec,
    evaluate,
    free_vars,
    substitute,
)

KINDS = ("int", "real", "mixed", "words")
MOST = 300  # results of one formula
FEW = 5
RLIMIT = 300_000
WORD_OPS = (
    Op.BVADD,
    Op.BVSUB,
    Op.BVMUL,
    Op.BVXOR,
    Op.BVAND,
    Op.BVOR,
    Op.BVSHL,
    Op.BVLSHR,
    Op.BVUDIV,
    Op.BVUREM,
)
WORD_TESTS = (Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSLE, Op.EQ)
Model = dict[Term, Value]
Project = Callable[[Term, Sequence[Term], Model], Sequence[Term]]


@dataclass(frozen=True, slots=True)
class Case:
    """A formula and the variables that are to go."""

    formula: Term
    gone: list[Term]


def by_us(formula: Term, gone: Sequence[Term], model: Model) -> Sequence[Term]:
    """What the engine does: an implicant, then its projection."""
    return project(implicant(formula, model), gone, model, plain=True).literals


def random_case(seed: int) -> tuple[str, Case]:
    """The case of a seed, and its kind."""
    r, s = random.Random(seed), TermStore()
    kind = KINDS[seed % len(KINDS)]
    if kind == "words":
        literals, names = _words(r, s)
    else:
        names = [s.var(f"x{n}", _sort(kind, n)) for n in range(r.choice((3, 3, 4)))]
        literals = [
            _arithmetic(r, s, names) for _ in range(r.randint(1, 8 if kind == "real" else 5))
        ]
    return kind, Case(_structure(r, s, literals), names[: r.choice((1, 1, 2))])


def _sort(kind: str, n: int) -> Sort:
    return REAL if kind == "real" or (kind == "mixed" and n % 2) else INT


def _sum(r: random.Random, s: TermStore, names: Sequence[Term]) -> Term:
    sort = names[0].sort

    def number() -> Term:
        return (
            s.int_(r.randint(-3, 3))
            if sort is INT
            else s.real(Fraction(r.randint(-4, 4), r.choice((1, 2))))
        )

    chosen = r.sample(list(names), min(len(names), r.choice((1, 2, 2, 3))))
    return s.add(number(), *(s.mul(number(), x) for x in chosen))


def _arithmetic(r: random.Random, s: TermStore, names: Sequence[Term]) -> Term:
    sort = r.choice(names).sort
    t = _sum(r, s, [x for x in names if x.sort is sort])
    other = [x for x in names if x.sort is not sort]
    if other and r.random() < 0.5:  # reals and integers meet
        u = _sum(r, s, other)
        t, u = (s.to_real(t), u) if sort is INT else (t, s.to_real(u))
        return r.choice((s.le, s.lt, s.eq))(t, u)
    zero = s.const(0, sort)
    if sort is INT and r.random() < 0.3:
        n = s.int_(r.choice((2, 3, 4, -3)))
        u = _sum(r, s, [x for x in names if x.sort is INT])
        return r.choice(
            (
                s.eq(s.mod(t, n), s.int_(r.randrange(2))),
                s.le(s.idiv(t, n), u),
                s.ne(s.mod(t, n), s.int_(0)),
            )
        )
    return r.choice((s.le, s.lt, s.le, s.lt, s.eq, s.ne))(t, zero)


def _words(r: random.Random, s: TermStore) -> tuple[list[Term], list[Term]]:
    width = r.choice((1, 2, 2, 3, 3, 4))
    names = [s.var(f"w{n}", bitvec(width)) for n in range(2 if width == 4 else 3)]

    def leaf() -> Term:
        return r.choice(names) if r.random() < 0.75 else s.bv(r.getrandbits(width), width)

    def term(depth: int) -> Term:
        return (
            leaf()
            if depth == 0 or r.random() < 0.4
            else s.mk(r.choice(WORD_OPS), (term(depth - 1), term(depth - 1)))
        )

    atoms = [s.mk(r.choice(WORD_TESTS), (term(2), term(1))) for _ in range(r.randint(1, 4))]
    if r.random() < 0.3:
        atoms.append(s.eq(s.sign_ext(term(1), 2), s.zero_ext(term(1), 2)))
    if r.random() < 0.3:
        atoms.append(s.eq(s.concat(leaf(), term(1)), s.concat(term(1), leaf())))
    return [s.not_(a) if r.random() < 0.3 else a for a in atoms], names


def _structure(r: random.Random, s: TermStore, literals: list[Term]) -> Term:
    """The literals below connectives."""
    parts = list(literals)
    while len(parts) > 1:
        a, b = parts.pop(r.randrange(len(parts))), parts.pop(r.randrange(len(parts)))
        c = r.choice(literals)
        parts.append(
            r.choice(
                (
                    s.and_(a, b),
                    s.and_(a, b),
                    s.and_(a, b),
                    s.or_(a, b),
                    s.ite(c, a, b),
                    s.and_(a, s.not_(b)),
                )
            )
        )
    return parts[0]


# -- what must hold --------------------------------------------------------------------------------


def objections(
    case: Case, tally: Counter[str], how: Project = by_us, few: bool = False
) -> Iterator[str]:
    """What speaks against projection on a case; `few`: judge some results only, not that there are
    finitely many.
    """
    formula, gone, s = case.formula, case.gone, case.formula.store
    names = free_vars(formula)
    words = all(x.sort not in (INT, REAL) for x in names)
    solver = Z3Solver()
    solver.add(formula)
    mixed = kinds_in(formula) >= {Kind.INT, Kind.REAL}
    for n in range(FEW if few else MOST + 1):
        # formula and none of the results: sat - a state that is not covered; unsat - the results
        # cover the existential
        answer = solver.check(budget=RLIMIT)
        if answer is not SAT:
            tally[f"results: {n if n < 3 else '3 or more'}"] += answer is UNSAT
            tally["undecided by the solver"] += answer is not UNSAT
            return
        model = {x: evaluate(x, solver.model_of(names)) for x in names}
        literals = how(formula, gone, model)
        result = s.all_of(literals)
        if not all(evaluate(c, model) for c in literals):
            yield f"the model does not satisfy {result}"
            return
        if any(x in free_vars(result) for x in gone):
            yield f"a variable is left in {result}"
            return
        if words:
            wrong = _by_enumeration(formula, gone, result)
        else:
            wrong = (
                _by_points(formula, gone, result)
                if mixed
                else _by_quantifier(formula, gone, result, tally)
            )
        if wrong:
            yield wrong
            return
        solver.add(s.not_(result))
    if not few:
        yield f"more than {MOST} results"


def _by_enumeration(formula: Term, gone: Sequence[Term], result: Term) -> str | None:
    kept = [x for x in free_vars(formula) if x not in gone]
    here = [x for x in gone if x in free_vars(formula)]
    choices = [dict(zip(here, v, strict=True)) for v in product(*map(_values, here))]
    for point in product(*map(_values, kept)):
        state = dict(zip(kept, point, strict=True))
        if evaluate(result, state) and not any(
            evaluate(formula, {**state, **choice}) for choice in choices
        ):
            return f"{result} has the state {state}, which the existential has not"
    return None


def _values(x: Term) -> Sequence[Value]:
    return (False, True) if x.sort is BOOL else range(1 << x.width)


def _by_quantifier(
    formula: Term, gone: Sequence[Term], result: Term, tally: Counter[str]
) -> str | None:
    bridge = Z3Bridge(formula.store)
    solver = z3.SolverFor(
        "LIA" if any(x.sort is INT for x in free_vars(formula)) else "LRA", ctx=bridge.ctx
    )
    solver.set("rlimit", RLIMIT)
    solver.add(bridge.expr(result), z3.Not(z3.Exists(bridge.exprs(gone), bridge.expr(formula))))
    # result and not exists: unsat - the result implies the existential; sat - it does not
    answer = solver.check()
    if answer == z3.unknown:
        tally["implication not decided"] += 1
        return _by_points(formula, gone, result)
    tally["implication decided"] += 1
    return None if answer == z3.unsat else f"{result} does not imply the existential"


def _by_points(formula: Term, gone: Sequence[Term], result: Term) -> str | None:
    """Some states of the result are states of the existential."""
    s, solver = formula.store, Z3Solver()
    kept = [x for x in free_vars(formula, result) if x not in gone]
    solver.add(result)
    for _ in range(8):
        # result and none of the points before: sat - another point
        if solver.check(budget=RLIMIT) is not SAT:
            return None
        values = solver.model_of(kept)
        point = {x: s.const(evaluate(x, values), x.sort) for x in kept}
        # the formula at this point: unsat - it is no state of the existential
        if Z3Solver().check([substitute(formula, point)], budget=RLIMIT) is UNSAT:
            return f"{result} has the state {point}, which the existential has not"
        solver.add(s.any_of(s.ne(x, c) for x, c in point.items()))
    return None
