"""From our terms to z3py's and back, for what only z3's Python package offers:
tactics and the Horn solver.

`Z3Bridge` lends a private `Z3Context` to z3py, so that translation there is the backend's own;
`Z3Bridge.term` walks a z3 expression back into a store.  Variables are matched by name against
those that were sent; anything else (quantifiers, symbols of z3's own making, operators we do not
have) raises `Untranslatable`.

Limitation: Bool, Int, Real, bit-vectors and arrays; no floating point.  A division comes back only
with a constant divisor other than 0, as z3 leaves division by 0 open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import z3

from obligato.errors import ObligatoError
from obligato.smt.z3_context import Z3Context
from obligato.terms import Op, Sort, Term, TermStore, array, bitvec, free_vars
from obligato.terms.sorts import BOOL, INT, REAL


class Untranslatable(ObligatoError):
    """A foreign term has no counterpart among ours."""


def _pointer(kind: Any, handle: int) -> Any:
    """z3py's pointer objects take their value not from the constructor."""
    pointer = kind(None)
    pointer.value = handle
    return pointer


class _Borrowed(z3.Context):  # type: ignore[misc]
    """z3py's view of a context that it does not own; it keeps the owner alive."""

    def __init__(self, owner: Z3Context) -> None:
        self.ctx = _pointer(z3.ContextObj, owner.handle)
        self.owner = False
        self.eh = None
        self.lender = owner


class Z3Bridge:
    """Terms of one store in z3py, and back."""

    def __init__(self, store: TermStore) -> None:
        self.store = store
        self._context = Z3Context()
        self.ctx = _Borrowed(self._context)
        self._variables: dict[str, Term] = {}

    def expr(self, term: Term) -> Any:
        """The z3py expression of `term`."""
        for v in free_vars(term):
            self._variables[v.name] = v
        return z3.z3._to_expr_ref(_pointer(z3.Ast, self._context.ast(term)), self.ctx)

    def exprs(self, terms: Iterable[Term]) -> list[Any]:
        """The z3py expressions of several terms."""
        return [self.expr(t) for t in terms]

    def term(self, root: Any) -> Term:
        """Our term for a z3py expression, without recursion."""
        memo: dict[int, Term] = {}
        kept: list[Any] = []  # z3 reuses the id of a node that nobody holds
        stack = [root]
        while stack:
            e = stack[-1]
            if e.get_id() in memo:
                stack.pop()
                continue
            children = e.children()
            pending = [c for c in children if c.get_id() not in memo]
            if pending:
                kept.extend(pending)
                stack.extend(pending)
                continue
            stack.pop()
            memo[e.get_id()] = self._node(e, tuple(memo[c.get_id()] for c in children))
        return memo[root.get_id()]

    def _node(self, e: Any, args: tuple[Term, ...]) -> Term:
        if not z3.is_app(e):
            raise Untranslatable(f"z3: not an application: {_excerpt(e)}")
        kind = e.decl().kind()
        if kind == z3.Z3_OP_UNINTERPRETED and not args:
            return self._variable(e)
        if z3.is_int_value(e) or z3.is_bv_value(e):
            return self.store.const(e.as_long(), self._sort(e.sort()))
        if z3.is_rational_value(e):
            return self.store.real(Fraction(e.numerator_as_long(), e.denominator_as_long()))
        make = _BUILD.get(kind)
        if make is None:
            raise Untranslatable(f"z3: unknown operator in {_excerpt(e)}")
        return make(self, e, args)

    def _variable(self, e: Any) -> Term:
        found = self._variables.get(e.decl().name())
        if found is None:
            raise Untranslatable(f"z3: unknown symbol {e.decl().name()}")
        return found

    def _sort(self, sort: Any) -> Sort:
        if isinstance(sort, z3.BitVecSortRef):
            return bitvec(sort.size())
        if isinstance(sort, z3.ArraySortRef):
            return array(self._sort(sort.domain()), self._sort(sort.range()))
        known = {z3.Z3_BOOL_SORT: BOOL, z3.Z3_INT_SORT: INT, z3.Z3_REAL_SORT: REAL}.get(sort.kind())
        if known is None:
            raise Untranslatable(f"z3: unknown sort {sort}")
        return known

    def const_array(self, e: Any, args: tuple[Term, ...]) -> Term:
        """A constant array."""
        return self.store.const_array(self._sort(e.sort()), args[0])


Args = tuple[Term, ...]
_Build = Callable[[Z3Bridge, Any, Args], Term]


def _excerpt(e: Any) -> str:
    return str(e)[:200]


def _plain(op: Op) -> _Build:
    return lambda b, e, args: b.store.mk(op, args)


def _junction(op: Op) -> _Build:
    return lambda b, e, args: args[0] if len(args) == 1 else b.store.mk(op, args)


def _chain(op: Op) -> _Build:
    """Left-associative; z3's subtraction takes any number of arguments."""

    def build(b: Z3Bridge, e: Any, args: Args) -> Term:
        acc = args[0]
        for a in args[1:]:
            acc = b.store.mk(op, (acc, a))
        return acc

    return build


def _divide(op: Op) -> _Build:
    def build(b: Z3Bridge, e: Any, args: Args) -> Term:
        if args[1].op is not Op.CONST or not args[1].data:
            raise Untranslatable(f"z3: division by a term that may be 0: {_excerpt(e)}")
        return b.store.mk(op, args)

    return build


def _indexed(op: Op, count: int) -> _Build:
    def build(b: Z3Bridge, e: Any, args: Args) -> Term:
        data = e.params()
        return b.store.mk(op, args, tuple(data) if count == 2 else data[0])

    return build


_BUILD: dict[int, _Build] = {
    z3.Z3_OP_TRUE: lambda b, e, args: b.store.true,
    z3.Z3_OP_FALSE: lambda b, e, args: b.store.false,
    z3.Z3_OP_EXTRACT: _indexed(Op.EXTRACT, 2),
    z3.Z3_OP_ZERO_EXT: _indexed(Op.ZERO_EXT, 1),
    z3.Z3_OP_SIGN_EXT: _indexed(Op.SIGN_EXT, 1),
    z3.Z3_OP_CONST_ARRAY: Z3Bridge.const_array,
    **{
        kind: _junction(op)
        for kind, op in {
            z3.Z3_OP_AND: Op.AND,
            z3.Z3_OP_OR: Op.OR,
            z3.Z3_OP_ADD: Op.ADD,
            z3.Z3_OP_MUL: Op.MUL,
            z3.Z3_OP_BADD: Op.BVADD,
            z3.Z3_OP_BMUL: Op.BVMUL,
            z3.Z3_OP_BAND: Op.BVAND,
            z3.Z3_OP_BOR: Op.BVOR,
            z3.Z3_OP_BXOR: Op.BVXOR,
            z3.Z3_OP_CONCAT: Op.CONCAT,
        }.items()
    },
    **{
        kind: _chain(op)
        for kind, op in {
            z3.Z3_OP_SUB: Op.SUB,
            z3.Z3_OP_BSUB: Op.BVSUB,
            z3.Z3_OP_XOR: Op.XOR,
        }.items()
    },
    **{
        kind: _divide(op)
        for kind, op in {
            z3.Z3_OP_IDIV: Op.IDIV,
            z3.Z3_OP_MOD: Op.MOD,
            z3.Z3_OP_DIV: Op.RDIV,
        }.items()
    },
    **{
        kind: _plain(op)
        for kind, op in {
            z3.Z3_OP_NOT: Op.NOT,
            z3.Z3_OP_IMPLIES: Op.IMPLIES,
            z3.Z3_OP_EQ: Op.EQ,
            z3.Z3_OP_IFF: Op.EQ,
            z3.Z3_OP_DISTINCT: Op.DISTINCT,
            z3.Z3_OP_ITE: Op.ITE,
            z3.Z3_OP_UMINUS: Op.NEG,
            z3.Z3_OP_LE: Op.LE,
            z3.Z3_OP_LT: Op.LT,
            z3.Z3_OP_GE: Op.GE,
            z3.Z3_OP_GT: Op.GT,
            z3.Z3_OP_TO_REAL: Op.TO_REAL,
            z3.Z3_OP_TO_INT: Op.TO_INT,
            z3.Z3_OP_IS_INT: Op.IS_INT,
            z3.Z3_OP_BNEG: Op.BVNEG,
            z3.Z3_OP_BNOT: Op.BVNOT,
            z3.Z3_OP_BUDIV: Op.BVUDIV,
            z3.Z3_OP_BUREM: Op.BVUREM,
            z3.Z3_OP_BSDIV: Op.BVSDIV,
            z3.Z3_OP_BSREM: Op.BVSREM,
            z3.Z3_OP_BSMOD: Op.BVSMOD,
            z3.Z3_OP_BSHL: Op.BVSHL,
            z3.Z3_OP_BLSHR: Op.BVLSHR,
            z3.Z3_OP_BASHR: Op.BVASHR,
            z3.Z3_OP_ULT: Op.BVULT,
            z3.Z3_OP_ULEQ: Op.BVULE,
            z3.Z3_OP_UGT: Op.BVUGT,
            z3.Z3_OP_UGEQ: Op.BVUGE,
            z3.Z3_OP_SLT: Op.BVSLT,
            z3.Z3_OP_SLEQ: Op.BVSLE,
            z3.Z3_OP_SGT: Op.BVSGT,
            z3.Z3_OP_SGEQ: Op.BVSGE,
            z3.Z3_OP_SELECT: Op.SELECT,
            z3.Z3_OP_STORE: Op.STORE,
        }.items()
    },
}
