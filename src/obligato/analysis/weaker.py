"""Candidates that are weaker than others: they wait until what implies them is dropped.

A candidate is a disjunction of literals (``p in range and node -> property`` has three); one that
has all literals of another one is implied by it.  Of such a family only the strongest need be asked
about as long as they stand, and the conjunction of what stands is the same.  `Waiting.dropped`
tells which candidates come in when another one goes.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Op, Term


class Waiting:
    """The candidates at one location that a stronger candidate implies, and that wait until it
    fails.
    """

    def __init__(self, formulas: Iterable[Term]) -> None:
        self._literals = {f: literals(f) for f in formulas}
        self._weaker: dict[Term, list[Term]] = {}
        self.strongest: list[Term] = []
        # stable, so the order is that of the formulas
        for f in sorted(self._literals, key=lambda f: len(self._literals[f])):
            self._place(f, self.strongest)

    def _place(self, f: Term, standing: list[Term]) -> None:
        """Let `f` wait for one of those that stand, or else stand itself."""
        stronger = next((g for g in standing if self._literals[g] <= self._literals[f]), None)
        if stronger is None:
            standing.append(f)
        else:
            self._weaker.setdefault(stronger, []).append(f)

    def dropped(self, f: Term, alive: Iterable[Term]) -> list[Term]:
        """Take away `f`, which does not hold any more. Returns the weaker candidates that it kept
        waiting and that none of those in `alive` implies: they are tried from now on.
        """
        standing = list(alive)
        count = len(standing)
        for g in self._weaker.pop(f, ()):
            self._place(g, standing)
        return standing[count:]


def literals(f: Term) -> frozenset[Term]:
    """The members of a disjunction, however it is written."""
    found: list[Term] = []
    stack = [f]
    while stack:
        t = stack.pop()
        if t.op is Op.OR:
            stack.extend(t.args)
        elif t.op is Op.NOT and t.args[0].op is Op.AND:
            stack.extend(t.store.not_(a) for a in t.args[0].args)
        else:
            found.append(t)
    return frozenset(found)
