"""The bit-blaster: every operator against the evaluator for all values at widths 1 to 4, proved by
z3 at widths 1 to 8.

A circuit is simulated for all operand values at once: the value of a gate is its truth table, as
one integer.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from obligato.errors import Unsupported
from obligato.smt import UNSAT
from obligato.smt.blast import CLAUSES, BlastContext, Gates
from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, XOR, XOR3
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import BOOL, INT, Op, Term, TermStore, bitvec, evaluate

ARITHMETIC = (Op.BVADD, Op.BVSUB, Op.BVMUL, Op.BVUDIV, Op.BVUREM, Op.BVSDIV, Op.BVSREM, Op.BVSMOD)
BITWISE = (Op.BVAND, Op.BVOR, Op.BVXOR, Op.BVSHL, Op.BVLSHR, Op.BVASHR)
RELATIONS = (
    Op.EQ,
    Op.DISTINCT,
    Op.BVULT,
    Op.BVULE,
    Op.BVUGT,
    Op.BVUGE,
    Op.BVSLT,
    Op.BVSLE,
    Op.BVSGT,
    Op.BVSGE,
)
BINARY = ARITHMETIC + BITWISE + RELATIONS
WIDTHS = range(1, 7)
SLOW_WIDTHS = range(7, 9)

FUNCTIONS: dict[int, Callable[..., int]] = {
    XOR: lambda a, b: a ^ b,
    ITE: lambda c, a, b: c & a | ~c & b,
    XOR3: lambda a, b, c: a ^ b ^ c,
    MAJ: lambda a, b, c: a & b | a & c | b & c,
}


def simulate(gates: Gates, tables: dict[int, int], size: int) -> Callable[[int], int]:
    """The truth table (`size` rows, row 0 in bit 0) of every literal, given those of the input
    gates.
    """
    mask = (1 << size) - 1
    values = [0, mask]

    def table(literal: int) -> int:
        return values[literal] if literal > 0 else ~values[-literal] & mask

    for n in range(2, len(gates) + 1):
        kind, ins = gates.kinds[n], [table(x) for x in gates.inputs[n]]
        if kind == INPUT:
            values.append(tables.get(n, 0))
        elif kind == AND:
            acc = mask
            for x in ins:
                acc &= x
            values.append(acc)
        else:
            values.append(FUNCTIONS[kind](*ins) & mask)
    return table


def rows_of(context: BlastContext, term: Term, variables: Sequence[Term]) -> list[int]:
    """The values of `term` for all values of `variables`, the first varying fastest; checks the
    circuit's facts.
    """
    image = [context.literal(term)] if term.sort is BOOL else list(context.word(term))
    bits = [
        b for v in variables for b in ((context.literal(v),) if v.sort is BOOL else context.word(v))
    ]
    size = 1 << len(bits)
    tables = {b: sum(1 << r for r in range(size) if r >> i & 1) for i, b in enumerate(bits)}
    table = simulate(context.gates, tables, size)
    for facts in context.gates.facts.values():
        assert all(table(f) == (1 << size) - 1 for f in facts)
    columns = [bin(table(b))[2:].zfill(size)[::-1] for b in reversed(image)]
    return [int("".join(row), 2) for row in zip(*columns, strict=True)]


def agrees(term: Term, variables: Sequence[Term]) -> None:
    """The circuit of `term` computes what the evaluator does, for all values."""
    widths = [1 if v.sort is BOOL else v.width for v in variables]
    for row, got in enumerate(rows_of(BlastContext(), term, variables)):
        values, rest = [], row
        for v, w in zip(variables, widths, strict=True):
            values.append(bool(rest & 1) if v.sort is BOOL else rest & ((1 << w) - 1))
            rest >>= w
        assert got == evaluate(term, dict(zip(variables, values, strict=True))), (term, values)


def pair(store: TermStore, width: int) -> tuple[Term, Term]:
    return store.var("x", bitvec(width)), store.var("y", bitvec(width))


@pytest.mark.parametrize("width", range(1, 5))
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.name)
def test_binary_operator_for_all_values(op: Op, width: int) -> None:
    store = TermStore.raw()
    x, y = pair(store, width)
    agrees(store.mk(op, (x, y)), (x, y))


def as_term(
    store: TermStore, context: BlastContext, variables: Sequence[Term], image: Sequence[int]
) -> list[Term]:
    """The circuit written back as Boolean terms over the bits of `variables`."""
    terms = [store.false, store.true, *[store.false] * (len(context.gates) - 1)]
    one = store.bv(1, 1)
    for v in variables:
        for i, b in enumerate(context.word(v)):
            terms[b] = store.eq(store.extract(v, i, i), one)

    def term(literal: int) -> Term:
        return terms[literal] if literal > 0 else store.not_(terms[-literal])

    for n in range(2, len(context.gates) + 1):
        kind, ins = context.gates.kinds[n], [term(x) for x in context.gates.inputs[n]]
        match kind:
            case 2:
                terms[n] = store.and_(*ins)
            case 3:
                terms[n] = store.xor(*ins)
            case 4:
                terms[n] = store.ite(*ins)
            case 5:
                terms[n] = store.xor(store.xor(ins[0], ins[1]), ins[2])
            case 6:
                terms[n] = store.or_(
                    *(store.and_(ins[i], ins[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
                )
    return [term(x) for x in image]


@pytest.mark.parametrize(
    "widths", [WIDTHS, pytest.param(SLOW_WIDTHS, marks=pytest.mark.slow)], ids=str
)
@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.name)
def test_z3_proves_binary_operator(op: Op, widths: range) -> None:
    assert (AND, XOR, ITE, XOR3, MAJ) == (2, 3, 4, 5, 6)
    for width in widths:
        store = TermStore.raw()
        x, y = pair(store, width)
        term, context = store.mk(op, (x, y)), BlastContext()
        image = [context.literal(term)] if term.sort is BOOL else context.word(term)
        facts = list(dict.fromkeys(f for told in context.gates.facts.values() for f in told))
        bits = as_term(store, context, (x, y), [*image, *facts])
        one = store.bv(1, 1)
        meant = (
            [term]
            if term.sort is BOOL
            else [store.eq(store.extract(term, i, i), one) for i in range(width)]
        )
        meant += [store.true] * len(facts)
        solver = Z3Solver()
        # some bit differs, or some fact fails, for some operands? unsat: the circuit is right at
        # this width
        solver.add(store.or_(*(store.xor(a, b) for a, b in zip(bits, meant, strict=True))))
        assert solver.check() is UNSAT
        solver.close()


@pytest.mark.parametrize("width", range(1, 5))
def test_constant_operands(width: int) -> None:
    """Circuits specialise on constants, on either side."""
    for store in (TermStore.raw(), TermStore()):
        x, _ = pair(store, width)
        for op in BINARY:
            for k in range(1 << width):
                agrees(store.mk(op, (x, store.bv(k, width))), (x,))
                agrees(store.mk(op, (store.bv(k, width), x)), (x,))


@pytest.mark.parametrize("width", range(1, 5))
def test_unary_and_structural_operators(width: int) -> None:
    store = TermStore.raw()
    x, y = pair(store, width)
    c = store.var("c", BOOL)
    for op in (Op.BVNEG, Op.BVNOT):
        agrees(store.mk(op, (x,)), (x,))
    for hi in range(width):
        for lo in range(hi + 1):
            agrees(store.extract(x, hi, lo), (x,))
    for extra in range(4):
        agrees(store.mk(Op.ZERO_EXT, (x,), extra), (x,))
        agrees(store.mk(Op.SIGN_EXT, (x,), extra), (x,))
    agrees(store.concat(x, y, x), (x, y))
    agrees(store.ite(c, x, y), (c, x, y))


def test_boolean_operators() -> None:
    store = TermStore.raw()
    a, b, c = (store.var(n, BOOL) for n in "abc")
    for op in (Op.XOR, Op.IMPLIES, Op.EQ):
        agrees(store.mk(op, (a, b)), (a, b))
    for op in (Op.AND, Op.OR, Op.DISTINCT):
        agrees(store.mk(op, (a, store.not_(b), c)), (a, b, c))
    agrees(store.and_(a, store.not_(a)), (a,))
    for args in (
        (a, b, c),
        (a, a, b),
        (a, b, a),
        (a, store.not_(a), b),
        (a, b, store.not_(b)),
        (a, b, store.true),
    ):
        agrees(store.ite(*args), (a, b, c))


def test_sums_read_through_negation_and_constant_factors() -> None:
    """Random n-ary sums: signs, factors, constants, repeated addends."""
    rng = random.Random(1)
    store = TermStore.raw()
    variables = [store.var(n, bitvec(3)) for n in "xyz"]

    def addend() -> Term:
        v, k = rng.choice(variables), store.bv(rng.randrange(8), 3)
        return rng.choice((v, store.mk(Op.BVNEG, (v,)), store.mk(Op.BVMUL, (k, v)), k))

    for _ in range(40):
        agrees(store.mk(Op.BVADD, tuple(addend() for _ in range(rng.randrange(1, 5)))), variables)
        agrees(store.mk(Op.BVSUB, (addend(), addend())), variables)
        agrees(store.mk(Op.BVNEG, (addend(),)), variables)
        agrees(store.mk(Op.BVMUL, (addend(), addend(), addend())), variables)


@pytest.mark.parametrize(
    ("kind", "arity"), [(CONST, 0), (AND, 2), (AND, 4), (XOR, 2), (ITE, 3), (XOR3, 3), (MAJ, 3)]
)
def test_clauses_define_exactly_the_gate(kind: int, arity: int) -> None:
    gates = Gates()
    ins = [gates.input() for _ in range(arity)]
    if kind != CONST:
        gates._gate((kind, *ins))
    output = len(gates)
    clauses = CLAUSES[kind](output, *ins)
    variables = range(output - arity, output + 1)
    size = 1 << (arity + 1)
    for row in range(size):
        value = {v: bool(row >> i & 1) for i, v in enumerate(variables)}
        tables = {v: int(value[v]) for v in ins}
        right = value[output] == bool(simulate(gates, tables, 1)(output))
        assert right == all(any(value[abs(x)] == (x > 0) for x in clause) for clause in clauses)


def test_equal_functions_are_the_same_gate() -> None:
    g = Gates()
    a, b, c = (g.input() for _ in range(3))
    assert g.xor(a, -b) == -g.xor(b, a) == g.xor(-a, b)
    assert g.ite(-c, a, b) == g.ite(c, b, a)
    assert g.ite(c, -a, -b) == -g.ite(c, a, b)
    assert g.maj(-a, -b, -c) == -g.maj(c, b, a)
    assert g.xor3(a, -b, c) == -g.xor3(c, b, a)
    assert g.all_of([a, b, 1, a]) == g.and_(b, a)
    assert g.all_of([a, b, -a]) == -1
    assert g.any_of([]) == -1


def test_subtraction_costs_one_adder() -> None:
    store = TermStore()
    x, y = pair(store, 32)
    context = BlastContext()
    context.word(store.mk(Op.BVSUB, (x, y)))
    assert len(context.gates) <= 1 + 64 + 2 * 32


def test_deep_terms_do_not_recurse() -> None:
    store = TermStore.raw()
    x, y = pair(store, 2)
    t = x
    for _ in range(30_000):
        t = store.mk(Op.BVXOR, (t, y))
    assert BlastContext().word(t)


def test_other_theories_are_refused() -> None:
    store = TermStore()
    i = store.var("i", INT)
    for term in (
        store.le(i, store.int_(3)),
        store.eq(i, store.int_(3)),
        store.eq(store.mul(i, i), i),
    ):
        with pytest.raises(Unsupported):
            BlastContext().literal(term)
