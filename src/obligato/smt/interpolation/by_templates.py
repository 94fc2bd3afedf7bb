"""Interpolants of bit-vector formulas from templates:
the strongest conjunction of simple facts that a implies.

Idea: families of facts over the shared variables, each a chain from strong to weak (x equals a
value, or agrees with it in its low bits; x is between thresholds: powers of two and the constants
of the formulas; x - y or x + y is constant; x <= y). A model of a picks where each chain starts,
further models weaken it, until a implies all of them; if they refute b, a core of them is the
interpolant.  `by_templates` carries it.  It finds what refutations on single bits hide: loop bounds
and orders that rule out overflow.

Limitation: conjunctions only, Bool and bit-vectors, pairs of variables; arrays are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from obligato.smt.cores import minimise
from obligato.smt.solver import SAT, UNSAT, Solver
from obligato.terms import BOOL, Kind, Op, Sort, Term, Value, evaluate, postorder, to_signed

Model = Mapping[Term, Value]
_MODELS = 64
_VARIABLES = 12
# a fact is dropped only if the rest still refutes b easily: weak interpolants make the next query
# hard
_EASY = 200


def by_templates(
    a: Term, b: Term, shared: Sequence[Term], make: Callable[[], Solver], *, budget: int | None
) -> Term | None:
    """An interpolant of a and b over `shared`; None if the templates do not suffice."""
    if len(shared) > _VARIABLES:
        return None
    left, right = make(), make()
    left.add(a)
    right.add(b)
    try:
        facts = _implied(left, a, b, shared, budget)
        # b and facts: unsat: the facts are an interpolant; sat or unknown: they are too weak
        if facts is None or right.check(facts, budget=budget, kind="interpolate") is not UNSAT:
            return None
        return a.store.all_of(
            minimise(right, right.core(), budget=_EASY if budget is None else min(budget, _EASY))
        )
    finally:
        left.close()
        right.close()


def _implied(
    left: Solver, a: Term, b: Term, shared: Sequence[Term], budget: int | None
) -> list[Term] | None:
    """The strongest member of each family that a implies; None if that took too long."""
    s, families = a.store, list[list[Term]]()
    facts: list[Term] = []
    for n in range(_MODELS):
        # a and not all facts: sat: a state that weakens some of them; unsat: a implies them
        result = left.check(
            [s.not_(s.all_of(facts))] if n else [], budget=budget, kind="interpolate"
        )
        if result is not SAT:
            return facts if result is UNSAT else None
        model = left.model_of(shared)
        families = (
            [_weaken(f, model) for f in families] if n else list(_families(a, b, shared, model))
        )
        facts = [f[0] for f in families if f]
    return None


def _weaken(family: list[Term], model: Model) -> list[Term]:
    """Drop the members that the model violates; a chain only ever shrinks from its strong end."""
    for i, fact in enumerate(family):
        if evaluate(fact, model):
            return family[i:]
    return []


# -- families --------------------------------------------------------------------------------------


def _families(a: Term, b: Term, shared: Sequence[Term], model: Model) -> Iterator[list[Term]]:
    constants = _constants((a, b))
    for n, x in enumerate(shared):
        value = evaluate(x, model)
        if x.sort is BOOL:
            yield [x if value else x.store.not_(x)]
        elif x.sort.kind is Kind.BITVEC:
            yield _low_bits(x, value)
            yield from _ranges(x, value, constants.get(x.sort, ()))
            for y in shared[n + 1 :]:
                if y.sort is x.sort:
                    yield from _pairs(x, y, model)


def _constants(formulas: Iterable[Term]) -> dict[Sort, list[int]]:
    found: dict[Sort, list[int]] = {}
    for t in postorder(formulas):
        if t.op is Op.CONST and t.sort.kind is Kind.BITVEC:
            assert isinstance(t.data, int)
            found.setdefault(t.sort, []).append(t.data)
    return found


def _low_bits(x: Term, value: int) -> list[Term]:
    """x = value, then agreement modulo ever smaller powers of two."""
    s = x.store
    return [s.eq(s.extract(x, n - 1, 0), s.bv(value, n)) for n in range(x.width, 0, -1)]


def _ranges(x: Term, value: int, constants: Iterable[int]) -> Iterator[list[Term]]:
    """Upper and lower thresholds, signed and unsigned."""
    s, w = x.store, x.width
    powers = [p for n in range(w) for p in ((1 << n) - 1, -(1 << n))]
    marks = [value, *powers, *(c + k for c in constants for k in (-1, 0, 1))]
    for op, read in ((Op.BVSLE, _signed), (Op.BVULE, _unsigned)):
        ordered = sorted({read(m, w) for m in marks})
        here = read(value, w)
        yield [s.mk(op, (x, s.bv(m, w))) for m in ordered if m >= here]
        yield [s.mk(op, (s.bv(m, w), x)) for m in reversed(ordered) if m <= here]


def _signed(value: int, width: int) -> int:
    return to_signed(_unsigned(value, width), width)


def _unsigned(value: int, width: int) -> int:
    return value & ((1 << width) - 1)


def _pairs(x: Term, y: Term, model: Model) -> Iterator[list[Term]]:
    s = x.store
    for op in (Op.BVSUB, Op.BVADD):
        term = s.mk(op, (x, y))
        yield [s.eq(term, s.bv(evaluate(term, model), x.width))]
    for op in (Op.BVSLE, Op.BVULE):
        for fact in (s.mk(op, (x, y)), s.mk(op, (y, x))):
            if evaluate(fact, model):
                yield [fact]
