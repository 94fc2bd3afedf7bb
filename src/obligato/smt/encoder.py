"""`Encoder`: terms to the nodes of a solver library with Python objects; shared by the bitwuzla and
cvc5 backends.

Idea: walk a term without recursion and build each node once per encoder; all solvers of one run
share an encoder. `Encoder.encode` carries it; a backend says how to make sorts, leaves and plain
applications. Where SMT-LIB leaves a value open (division by zero, min/max of zeros, infinity as a
real) `_GUARDS` builds the ite that fixes it as `terms.semantics` does. FP_TO_BITS has no SMT-LIB
operator: it becomes a new bit-vector b *defined* by to_fp(b) = x (and the canonical NaN); a solver
has to assert `definitions` beside its formulas, which is harmless for any other formula.

Limitations: FP_TO_SBV/FP_TO_UBV out of range are left to the guard their constructor builds. Only
the float formats in `FLOATS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Generic, TypeVar

from obligato.errors import InternalError, Unsupported
from obligato.terms import (
    BOOL,
    FLOAT32,
    FLOAT64,
    Kind,
    Op,
    Sort,
    Term,
    TermStore,
    bottom_up,
    floating,
)
from obligato.terms.floatformat import FloatFormat

N = TypeVar("N")  # the library's nodes
FLOATS = {  # the formats each library supports; it warns of others or refuses them
    "bitwuzla": frozenset((floating(5, 11), FLOAT32, FLOAT64, floating(15, 113))),
    "cvc5": frozenset((FLOAT32, FLOAT64)),
}


class Encoder(ABC, Generic[N]):
    """The memo term -> node. All terms must be of one store."""

    name: str
    kinds: frozenset[Kind]

    def __init__(self) -> None:
        self.store: TermStore | None = None
        self.definitions: list[N] = []
        self.deepest = 0  # levels of the deepest term so far
        self._memo: dict[Term, N] = {}
        self._depth: dict[Term, int] = {}
        self._sorts: dict[Sort, Any] = {}

    @abstractmethod
    def make_sort(self, sort: Sort) -> Any:
        """The library's sort."""

    @abstractmethod
    def variable(self, name: str, sort: Sort) -> N:
        """A new variable."""

    @abstractmethod
    def value(self, value: Any, sort: Sort) -> N:
        """A value."""

    @abstractmethod
    def node(self, op: Op, args: Sequence[N], data: Hashable, sort: Sort) -> N:
        """The plain application of an operator."""

    def sort(self, sort: Sort) -> Any:
        """The library's sort, made once."""
        made = self._sorts.get(sort)
        if made is None:
            if sort.kind not in self.kinds or (
                sort.kind is Kind.FLOAT and sort not in FLOATS[self.name]
            ):
                raise Unsupported(
                    f"{self.name} has no sort {sort}", construct=f"{self.name}: {sort.kind.value}"
                )
            made = self._sorts[sort] = self.make_sort(sort)
        return made

    def encode(self, root: Term) -> N:
        """The node of `root`."""
        memo, depth = self._memo, self._depth
        hit = memo.get(root)
        if hit is not None:
            return hit
        if self.store is None:
            self.store = root.store
        elif root.store is not self.store:
            raise InternalError(f"a term of another store was given to {self.name}")
        for t in bottom_up(root, memo):
            memo[t] = self._make(t, [memo[a] for a in t.args])
            depth[t] = 1 + max([depth[a] for a in t.args], default=0)
        self.deepest = max(self.deepest, depth[root])
        return memo[root]

    def _make(self, t: Term, args: list[N]) -> N:
        if t.op is Op.VAR:
            return self.variable(str(t.name), t.sort)  # the libraries refuse subclasses of str
        if t.op is Op.CONST:
            return self.value(t.data, t.sort)
        if t.op in _NARY and len(args) == 1:
            return args[0]
        guard = _GUARDS.get(t.op)
        return guard(self, t, args) if guard is not None else self.node(t.op, args, t.data, t.sort)

    def array_value(self, value: Any, sort: Sort) -> N:
        """An array value as stores into a constant array."""
        acc = self.node(Op.CONST_ARRAY, [self.value(value.default, sort.element)], sort, sort)
        for k, v in value.entries.items():
            acc = self.node(
                Op.STORE, [acc, self.value(k, sort.index), self.value(v, sort.element)], None, sort
            )
        return acc


_NARY = frozenset((Op.AND, Op.OR, Op.ADD, Op.MUL, Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR))


Guard = Callable[[Encoder[Any], Term, list[Any]], Any]


def _zero(e: Encoder[Any], sort: Sort) -> Any:
    return e.value(Fraction(0) if sort.kind is Kind.REAL else 0, sort)


def _ite(e: Encoder[Any], cond: Any, then: Any, other: Any, sort: Sort) -> Any:
    return e.node(Op.ITE, [cond, then, other], None, sort)


def _division(e: Encoder[Any], t: Term, args: list[Any]) -> Any:
    """x div 0 = 0, x mod 0 = x, x / 0 = 0."""
    plain = e.node(t.op, args, None, t.sort)
    divisor = t.args[1]
    if divisor.op is Op.CONST and divisor.data:
        return plain
    is_zero = e.node(Op.EQ, [args[1], _zero(e, divisor.sort)], None, BOOL)
    return _ite(e, is_zero, args[0] if t.op is Op.MOD else _zero(e, t.sort), plain, t.sort)


def _least(e: Encoder[Any], t: Term, args: list[Any]) -> Any:
    """min and max of two zeros are the second argument."""
    zeros = [e.node(Op.FP_IS_ZERO, [a], None, BOOL) for a in args]
    return _ite(
        e, e.node(Op.AND, zeros, None, BOOL), args[1], e.node(t.op, args, None, t.sort), t.sort
    )


def _to_real(e: Encoder[Any], t: Term, args: list[Any]) -> Any:
    """Infinities and NaN are 0."""
    odd = [e.node(op, args, None, BOOL) for op in (Op.FP_IS_NAN, Op.FP_IS_INF)]
    return _ite(
        e,
        e.node(Op.OR, odd, None, BOOL),
        _zero(e, t.sort),
        e.node(t.op, args, None, t.sort),
        t.sort,
    )


def _to_bits(e: Encoder[Any], t: Term, args: list[Any]) -> Any:
    """b with to_fp(b) = x; if x is NaN, b is the canonical pattern."""
    sort = t.args[0].sort
    bits = e.variable("bits", t.sort)
    nan = e.value(FloatFormat(sort.eb, sort.sb).nan, t.sort)
    same = e.node(Op.EQ, [e.node(Op.FP_FROM_BITS, [bits], sort, sort), args[0]], None, BOOL)
    is_nan = e.node(Op.FP_IS_NAN, args, None, BOOL)
    canonical = e.node(Op.EQ, [bits, nan], None, BOOL)
    e.definitions += [same, e.node(Op.IMPLIES, [is_nan, canonical], None, BOOL)]
    return bits


_GUARDS: dict[Op, Guard] = {
    Op.IDIV: _division,
    Op.MOD: _division,
    Op.RDIV: _division,
    Op.FP_MIN: _least,
    Op.FP_MAX: _least,
    Op.FP_TO_REAL: _to_real,
    Op.FP_TO_BITS: _to_bits,
}
