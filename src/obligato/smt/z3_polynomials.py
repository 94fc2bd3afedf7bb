"""z3 for equations between polynomials of words: it multiplies out and substitutes before it
searches.

Bit-blasting cannot show that ``x * z - x - y + 1 == 0`` survives ``x = x * z + 1, y = y * z`` at 64
bits.  Sums of monomials as a normal form, and equations solved for a variable that is a summand,
do: the negated conclusion becomes ``0 != 0``.  An ite (of branches that were merged) is split by
its condition first, and so are a few disjunctions.  What is left is searched within the budget.

z3 writes an equation in several ways, and does not see that they are one.  So every equation ``a ==
b`` with products is said to be the same as ``a - b == 0`` and ``b - a == 0``, whose sums of
monomials are the same for the same polynomial.

Not incremental: each check starts afresh, and a core is all that was assumed.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.smt.solver import Capabilities
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import Kind, Op, Term, postorder

# Each tactic, and whether it is told to write terms as sums of monomials.
_REDUCE = (
    ("simplify", True),
    ("propagate-values", False),
    ("solve-eqs", False),
    ("simplify", True),
)
_SPLITS = 6  # disjunctions, one after the other


class Z3Polynomials(Z3Solver):
    """A solver whose every check is the sequence of these tactics."""

    capabilities = Capabilities("z3", frozenset(Kind), interruptible=True, budget=True)

    def _made(self) -> int:
        self._tactics: list[int] = []
        lib, c = self._lib, self.context.handle
        reduced = [self._tactic(*step) for step in _REDUCE]
        case = self._held(lib.tactic_or_else(c, self._tactic("split-clause"), self._tactic("skip")))
        cases = self._held(lib.tactic_repeat(c, self._in_turn(case, *reduced), _SPLITS))
        ites = self._tactic("cofactor-term-ite")
        whole = self._in_turn(*reduced, ites, *reduced, cases, self._tactic("smt"))
        made: int = lib.mk_solver_from_tactic(c, whole)
        for tactic in self._tactics:
            lib.tactic_dec_ref(c, tactic)
        return made

    def _in_turn(self, *steps: int) -> int:
        whole = steps[-1]
        for step in reversed(steps[:-1]):
            whole = self._held(self._lib.tactic_and_then(self.context.handle, step, whole))
        return whole

    def _tactic(self, name: str, sums: bool = False) -> int:
        lib, c = self._lib, self.context.handle
        plain = self._held(lib.mk_tactic(c, name.encode()))
        if not sums:
            return plain
        params = self._parameters(som=True)
        told = self._held(lib.tactic_using_params(c, plain, params))
        lib.params_dec_ref(c, params)
        return told

    def _held(self, tactic: int) -> int:
        if not tactic:
            raise self.context.failure("z3 lacks a tactic")
        self._lib.tactic_inc_ref(self.context.handle, tactic)
        self._tactics.append(tactic)
        return tactic

    def add(self, formula: Term) -> None:
        super().add(formula)
        for ast in self._valid([formula]):
            self._lib.solver_assert(self.context.handle, self._handle, ast)

    def _valid(self, assumed: Sequence[Term]) -> list[int]:
        out = []
        for t in postorder(assumed):
            if t.op is Op.EQ and t.args[0].sort.kind is Kind.BITVEC and multiplies(t):
                a, b = t.args
                out += [self._same(t, a, b), self._same(t, b, a)]
        return out

    def _same(self, equation: Term, a: Term, b: Term) -> int:
        """a == b iff a - b == 0, for z3 only: our terms would become one."""
        lib, c, ast, keep = self._lib, self.context.handle, self.context.ast, self.context.keep
        difference = keep(lib.mk_bvsub(c, ast(a), ast(b)))
        is_zero = keep(lib.mk_eq(c, difference, keep(self.context.value(0, a.sort))))
        return keep(lib.mk_eq(c, ast(equation), is_zero))

    def core(self) -> list[Term]:
        """All assumptions; z3 keeps no record through these tactics."""
        return list(dict.fromkeys(self._assumed))


def multiplies(*terms: Term) -> bool:
    """Is there a product of words, none of them constant?"""
    return any(is_product(t) for t in postorder(terms))


def is_product(t: Term) -> bool:
    """Is the term a product of two or more factors that are not constant?"""
    return t.op is Op.BVMUL and sum(not a.is_const for a in t.args) > 1
