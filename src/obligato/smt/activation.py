"""`ActivationSolver`: retraction on a solver that can only grow: activation literals, retirement,
rebuilding (DESIGN 3.3).

A formula f *under* a literal a is asserted as a => f and holds in the checks that assume a. A
retired literal is asserted false and its formulas are forgotten. What a solver was told stays in it
all the same and slows it down, so after `rebuild_every` checks, or more if loading has not paid off
by then, it is replaced by a fresh one that is told only what is live; retired literals are then
used again.

Works with any `Solver`. Limitation: a literal must not be used after it was retired; nothing checks
that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from obligato.smt.solver import SatResult, Solver
from obligato.terms import BOOL, Term, TermStore, Value, conjuncts

LONGEST = 8


class ActivationSolver:
    """A solver made by `make`, rebuilt from its live formulas after `rebuild_every` checks (0:
    never), or after up to `LONGEST` times as many if it has not paid off before.
    """

    def __init__(
        self, store: TermStore, make: Callable[[], Solver], *, rebuild_every: int = 200
    ) -> None:
        self.store = store
        self.rebuild_every = rebuild_every
        self.rebuilds = 0
        self.checks = 0  # so far: a model is that of the last one
        self._make = make
        self._solver = make()
        self._checks = 0  # since the solver was made
        self._due = rebuild_every  # the check before which a rebuild is considered
        self._lasting: dict[Term, None] = {}
        self._live: dict[Term, dict[Term, None]] = {}  # activation literal -> formulas under it
        self._retired: list[Term] = []  # false in this solver; free again in the next
        self._free: list[Term] = []
        self._temporary: Term | None = None  # the literal of the last check's temporary formulas

    # -- formulas ----------------------------------------------------------------------------------

    def add(self, formula: Term, under: Term | None = None) -> None:
        """Assert `formula`: for good, or while `under` (an activated literal or one of the
        caller's) is assumed.
        """
        kept = self._lasting if under is None else self._live.setdefault(under, {})
        for f in conjuncts(formula):
            if f not in kept:
                kept[f] = None
                self._tell(f, under)

    def activate(self, *formulas: Term) -> Term:
        """A fresh literal with `formulas` under it."""
        literal = (
            self._free.pop() if self._free else self.store.fresh(f"act!{len(self.store)}", BOOL)
        )
        self._live[literal] = {}
        for f in formulas:
            self.add(f, literal)
        return literal

    def forget(self, formula: Term, under: Term) -> None:
        """Leave `formula` out at the next rebuild (it is subsumed by others); until then it still
        holds.
        """
        for f in conjuncts(formula):
            self._live[under].pop(f, None)

    def retire(self, literal: Term) -> None:
        """Drop an activated literal and all formulas under it."""
        del self._live[literal]
        self._solver.add(self.store.not_(literal))
        self._retired.append(literal)

    def _tell(self, formula: Term, under: Term | None) -> None:
        s = self.store
        self._solver.add(formula if under is None else s.or_(s.not_(under), formula))

    def rebuild(self) -> None:
        """Replace the solver by a fresh one that is told the live formulas."""
        self._solver.close()
        self._solver = self._make()
        self._free.extend(self._retired)
        self._retired.clear()
        self._checks, self._due = 0, self.rebuild_every
        self.rebuilds += 1
        for f in self._lasting:
            self._tell(f, None)
        for literal, formulas in self._live.items():
            for f in formulas:
                self._tell(f, literal)

    def _rebuild_or_wait(self) -> None:
        if self._solver.paid_off(self._checks) or self._checks >= LONGEST * self.rebuild_every:
            self.rebuild()
        else:
            self._due += max(1, self.rebuild_every // 4)

    # -- queries -----------------------------------------------------------------------------------

    def check(
        self,
        assumptions: Sequence[Term] = (),
        *,
        temporary: Sequence[Term] = (),
        budget: int | None = None,
        kind: str = "check",
    ) -> SatResult:
        """Check the formulas with `assumptions`; `temporary` formulas hold in this check only,
        never in its core.
        """
        if self._temporary is not None:
            self.retire(self._temporary)
            self._temporary = None
        if self.rebuild_every and self._checks >= self._due:
            self._rebuild_or_wait()
        self._checks += 1
        self.checks += 1
        if temporary:
            self._temporary = self.activate(*temporary)
            assumptions = [self._temporary, *assumptions]
        # sat: a state of the formulas, the temporary ones included; unsat: `core` says which
        # assumptions took part
        return self._solver.check(assumptions, budget=budget, kind=kind)

    def core(self) -> list[Term]:
        """After UNSAT: the assumptions that took part, in their order."""
        return [t for t in self._solver.core() if t is not self._temporary]

    def value(self, term: Term) -> Any:
        """After SAT: the value of a term."""
        return self._solver.value(term)

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        """After SAT: the values of variables; those left open are missing."""
        return self._solver.model_of(variables)

    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon."""
        self._solver.interrupt()

    def close(self) -> None:
        """Free the solver."""
        self._solver.close()
