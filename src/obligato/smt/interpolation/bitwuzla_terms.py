"""From bitwuzla's terms back to ours: `Reader.term` walks a node without recursion.

Variables are matched by name against those that were sent; any other symbol (bitwuzla's own
skolems), quantifier or operator without a counterpart, or a huge term, raises `Untranslatable`.
Limitation: Bool, bit-vectors and arrays over them; no floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import bitwuzla

from obligato.smt.projection.z3_terms import Untranslatable
from obligato.terms import BOOL, Op, Sort, Term, TermStore, array, bitvec

_K = bitwuzla.Kind
_MOST = 20_000  # nodes: what is larger helps nobody
Args = tuple[Term, ...]


class Reader:
    """Nodes over known variables into one store."""

    def __init__(self, store: TermStore, variables: Iterable[Term]) -> None:
        self.store = store
        self._variables = {v.name: v for v in variables}

    def term(self, root: Any) -> Term:
        """Our term for a node."""
        memo: dict[int, Term] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id() in memo:
                stack.pop()
                continue
            children = node.children()
            pending = [c for c in children if c.id() not in memo]
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            if len(memo) >= _MOST:
                raise Untranslatable(f"bitwuzla: a term of more than {_MOST} nodes")
            memo[node.id()] = self._node(node, tuple(memo[c.id()] for c in children))
        return memo[root.id()]

    def _node(self, node: Any, args: Args) -> Term:
        kind = node.kind()
        if kind == _K.VALUE:
            return self._value(node)
        if kind == _K.CONSTANT:
            found = self._variables.get(node.symbol())
            if found is None:
                raise Untranslatable(f"bitwuzla: unknown symbol {node.symbol()}")
            return found
        if kind == _K.CONST_ARRAY:
            return self.store.const_array(self._sort(node.sort()), args[0])
        make = _BUILD.get(kind)
        if make is None:
            raise Untranslatable(f"bitwuzla: unknown operator {kind}")
        return make(self.store, args, node.indices())

    def _value(self, node: Any) -> Term:
        sort = self._sort(node.sort())
        return (
            self.store.bool_(node.value())
            if sort is BOOL
            else self.store.const(int(node.value(2), 2), sort)
        )

    def _sort(self, sort: Any) -> Sort:
        if sort.is_bool():
            return BOOL
        if sort.is_bv():
            return bitvec(sort.bv_size())
        if sort.is_array():
            return array(self._sort(sort.array_index()), self._sort(sort.array_element()))
        raise Untranslatable(f"bitwuzla: unknown sort {sort}")


_Build = Callable[[TermStore, Args, list[int]], Term]


def _plain(op: Op) -> _Build:
    return lambda s, args, indices: args[0] if op in _NARY and len(args) == 1 else s.mk(op, args)


_NARY = (Op.AND, Op.OR, Op.BVADD, Op.BVMUL, Op.BVAND, Op.BVOR, Op.BVXOR, Op.CONCAT)
_SAME = {
    _K.NOT: Op.NOT,
    _K.AND: Op.AND,
    _K.OR: Op.OR,
    _K.XOR: Op.XOR,
    _K.IMPLIES: Op.IMPLIES,
    _K.IFF: Op.EQ,
    _K.EQUAL: Op.EQ,
    _K.DISTINCT: Op.DISTINCT,
    _K.ITE: Op.ITE,
    _K.ARRAY_SELECT: Op.SELECT,
    _K.ARRAY_STORE: Op.STORE,
    _K.BV_ADD: Op.BVADD,
    _K.BV_SUB: Op.BVSUB,
    _K.BV_NEG: Op.BVNEG,
    _K.BV_MUL: Op.BVMUL,
    _K.BV_UDIV: Op.BVUDIV,
    _K.BV_UREM: Op.BVUREM,
    _K.BV_SDIV: Op.BVSDIV,
    _K.BV_SREM: Op.BVSREM,
    _K.BV_SMOD: Op.BVSMOD,
    _K.BV_NOT: Op.BVNOT,
    _K.BV_AND: Op.BVAND,
    _K.BV_OR: Op.BVOR,
    _K.BV_XOR: Op.BVXOR,
    _K.BV_SHL: Op.BVSHL,
    _K.BV_SHR: Op.BVLSHR,
    _K.BV_ASHR: Op.BVASHR,
    _K.BV_ULT: Op.BVULT,
    _K.BV_ULE: Op.BVULE,
    _K.BV_UGT: Op.BVUGT,
    _K.BV_UGE: Op.BVUGE,
    _K.BV_SLT: Op.BVSLT,
    _K.BV_SLE: Op.BVSLE,
    _K.BV_SGT: Op.BVSGT,
    _K.BV_SGE: Op.BVSGE,
    _K.BV_CONCAT: Op.CONCAT,
}
_BUILD: dict[Any, _Build] = {
    **{kind: _plain(op) for kind, op in _SAME.items()},
    _K.BV_EXTRACT: lambda s, args, indices: s.extract(args[0], indices[0], indices[1]),
    _K.BV_ZERO_EXTEND: lambda s, args, indices: s.zero_ext(args[0], indices[0]),
    _K.BV_SIGN_EXTEND: lambda s, args, indices: s.sign_ext(args[0], indices[0]),
    _K.BV_COMP: lambda s, args, indices: s.ite(s.eq(args[0], args[1]), s.bv(1, 1), s.bv(0, 1)),
    _K.BV_INC: lambda s, args, indices: s.mk(Op.BVADD, (args[0], s.bv(1, args[0].width))),
    _K.BV_DEC: lambda s, args, indices: s.mk(Op.BVSUB, (args[0], s.bv(1, args[0].width))),
    _K.BV_NAND: lambda s, args, indices: s.mk(Op.BVNOT, (s.mk(Op.BVAND, args),)),
    _K.BV_NOR: lambda s, args, indices: s.mk(Op.BVNOT, (s.mk(Op.BVOR, args),)),
    _K.BV_XNOR: lambda s, args, indices: s.mk(Op.BVNOT, (s.mk(Op.BVXOR, args),)),
}
