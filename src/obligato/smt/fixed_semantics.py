"""`FixedSemantics`: terms that mean the same to every SMT-LIB solver as to us, for text that leaves
the process.

SMT-LIB leaves some values open (division by zero, min/max of zeros, floats out of range);
terms.semantics fixes them. The constructors guard them by an ite, a term built by `mk` may not be
guarded. Here every open operator is rebuilt by its constructor, in a raw store.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.terms import Op, Term, TermStore, postorder

_OPEN: dict[Op, Callable[[TermStore, Term, tuple[Term, ...]], Term]] = {
    Op.IDIV: lambda s, t, a: s.idiv(*a),
    Op.MOD: lambda s, t, a: s.mod(*a),
    Op.RDIV: lambda s, t, a: s.rdiv(*a),
    Op.FP_MIN: lambda s, t, a: s.fp_min(*a),
    Op.FP_MAX: lambda s, t, a: s.fp_max(*a),
    Op.FP_TO_SBV: lambda s, t, a: s.fp_to_sbv(a[0], a[1], t.sort.width),
    Op.FP_TO_UBV: lambda s, t, a: s.fp_to_ubv(a[0], a[1], t.sort.width),
    Op.FP_TO_REAL: lambda s, t, a: s.fp_to_real(*a),
}


class FixedSemantics:
    """Maps terms of one store to terms of its own; each node once."""

    def __init__(self) -> None:
        self.store = TermStore.raw()
        self._memo: dict[Term, Term] = {}
        self._seen: dict[Term, None] = {}

    def __call__(self, root: Term) -> Term:
        """`root` with every open operator guarded."""
        memo = self._memo
        for t in postorder((root,), self._seen):
            if not t.args:
                memo[t] = self.store.leaf(t)
                continue
            args = tuple([memo[a] for a in t.args])
            build = _OPEN.get(t.op)
            memo[t] = (
                build(self.store, t, args)
                if build is not None
                else self.store.mk(t.op, args, t.data)
            )
        return self._memo[root]
