"""z3 through z3py as a `Solver`, written the way one would: the yardstick for our binding of the C
library.

`translate` builds each node once with z3py's operators; it knows Booleans, integers and bit-vectors
as the benchmarks use them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import add, and_, mul, or_, xor
from typing import Any

import z3

from obligato.smt import SAT, UNKNOWN, UNSAT, Capabilities, SatResult, Solver
from obligato.terms import BOOL, INT, Kind, Op, Term, Value, bottom_up

_OPS: dict[Op, Callable[..., Any]] = {
    Op.NOT: z3.Not,
    Op.AND: z3.And,
    Op.OR: z3.Or,
    Op.ITE: z3.If,
    Op.EQ: lambda a, b: a == b,
    Op.ADD: lambda *a: z3.Sum(*a),
    Op.MUL: lambda *a: reduce(mul, a),
    Op.LE: lambda a, b: a <= b,
    Op.LT: lambda a, b: a < b,
    Op.BVADD: lambda *a: reduce(add, a),
    Op.BVMUL: lambda *a: reduce(mul, a),
    Op.BVSUB: lambda a, b: a - b,
    Op.BVNEG: lambda a: -a,
    Op.BVNOT: lambda a: ~a,
    Op.BVAND: lambda *a: reduce(and_, a),
    Op.BVOR: lambda *a: reduce(or_, a),
    Op.BVXOR: lambda *a: reduce(xor, a),
    Op.BVULT: z3.ULT,
    Op.BVSLT: lambda a, b: a < b,
}


def translate(root: Term, memo: dict[Term, Any]) -> Any:
    """The z3py expression of `root`."""
    for t in bottom_up(root, memo):
        memo[t] = _OPS[t.op](*[memo[a] for a in t.args]) if t.args else _leaf(t)
    return memo[root]


def _leaf(t: Term) -> Any:
    if t.op is Op.CONST:
        return (
            z3.BoolVal(t.data)
            if t.sort is BOOL
            else z3.IntVal(t.data)
            if t.sort is INT
            else z3.BitVecVal(t.data, t.width)
        )
    return (
        z3.Bool(t.name)
        if t.sort is BOOL
        else z3.Int(t.name)
        if t.sort is INT
        else z3.BitVec(t.name, t.width)
    )


class Z3PySolver(Solver):
    """A z3py SimpleSolver; `memo` is the translation that several share."""

    capabilities = Capabilities(
        "z3py", frozenset((Kind.BOOL, Kind.INT, Kind.BITVEC)), interruptible=True, budget=False
    )

    def __init__(self, memo: dict[Term, Any]) -> None:
        super().__init__()
        self._memo = memo
        self._solver = z3.SimpleSolver()
        self._assumed: dict[int, Term] = {}

    def add(self, formula: Term) -> None:
        self._solver.add(translate(formula, self._memo))

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        asts = [translate(a, self._memo) for a in assumptions]
        self._assumed = {ast.get_id(): a for ast, a in zip(asts, assumptions, strict=True)}
        answer = self._solver.check(*asts)
        return SAT if answer == z3.sat else UNSAT if answer == z3.unsat else UNKNOWN

    def core(self) -> list[Term]:
        failed = {ast.get_id() for ast in self._solver.unsat_core()}
        return [a for i, a in self._assumed.items() if i in failed]

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        model, out = self._solver.model(), {}
        for v in variables:
            value = model[translate(v, self._memo)]
            if value is not None:
                out[v] = z3.is_true(value) if v.sort is BOOL else value.as_long()
        return out

    def _value_of_var(self, var: Term) -> Value | None:
        return self.model_of([var]).get(var)

    def interrupt(self) -> None:
        self._solver.interrupt()

    def close(self) -> None:
        self._solver = None
