"""The contracts of rounds that are taken at once, executed (`Environment.debug`): a shortcut does
what as many rounds do, and so does the closed form of a loop that only counts.

Rounds are taken one by one here: those of a shortcut as formulas, for few of them, those of a known
state by evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from obligato.engines.kernel.debug import ContractChecker
from obligato.errors import InternalError
from obligato.models.effect import PathEffect, path_effect
from obligato.models.gcl import Command
from obligato.terms import Term, Value, evaluate, free_vars, substitute

FEW = (2, 3)  # rounds of a shortcut: its conditions are about the first, the last and those between
EXECUTED = 1000  # rounds from a known state, and the last one


class ShortcutChecker(ContractChecker):
    """Raises `InternalError` where a shortcut is no number of rounds."""

    def shortcut(self, way: PathEffect, command: Command, n: Term) -> None:
        """`shortened`: where the command of a shortcut can be taken with n = k, k rounds of the way
        can be taken and end in the same state.
        """
        at_once = path_effect(self.store, command)
        for k in FEW:
            count = {n: self.store.bv(k, n.width)}
            guard = [substitute(g, count) for g in at_once.guard]
            guards = [self._after(g, way, i) for i in range(k) for g in way.guard]
            same = [
                self.store.eq(substitute(at_once.pull(x), count), self._after(x, way, k))
                for x in dict.fromkeys((*way.pull.mapping, *at_once.pull.mapping))
            ]
            self.implies(f"a shortcut is not what {k} rounds are", guard, [*guards, *same])

    def _after(self, t: Term, way: PathEffect, rounds: int) -> Term:
        """The value of a term after some rounds, over the state before them."""
        for _ in range(rounds):
            t = way.pull(t)
        return t


def check_rounds(
    way: PathEffect,
    others: Iterable[Term],
    after: Callable[[int], Mapping[Term, Value]],
    known: Mapping[Term, Value],
    count: int,
) -> None:
    """`Accelerator`: from the known state `count` rounds can be taken, no other way can, and after
    i of them the numbers are those of `after`.
    """
    if any(known[x] != value for x, value in after(0).items()):
        raise InternalError("rounds that are taken at once begin in another state")
    for i in dict.fromkeys((*range(min(count, EXECUTED)), count - 1)):
        here, then = {**known, **after(i)}, after(i + 1)
        conditions = [*way.guard, *(c for c in others if all(v in here for v in free_vars(c)))]
        if not all(evaluate(c, here) for c in conditions):
            raise InternalError(f"round {i} of those that are taken at once cannot be taken")
        if any(evaluate(way.pull(x), here) != value for x, value in then.items()):
            raise InternalError(f"round {i} of those that are taken at once ends in another state")
