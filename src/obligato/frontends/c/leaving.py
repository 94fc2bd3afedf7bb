"""Can a round of a loop be left by a choice of inputs, whatever else holds?

``while (p && input())`` can: the input may be zero. A round is followed from its start, without its
inner loops and jumps, up to branches that leave the loop. The condition of such a branch is a term
over inputs and over unknown values; if some choice of the inputs makes it true whatever the unknown
values are, the loop can be left in each round. `choice_of` carries the idea.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from obligato.frontends.c.catalogue import NONDET
from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Goto,
    Halt,
    Havoc,
    If,
    Label,
    Return,
    Statement,
    While,
    statements,
)
from obligato.terms import Kind, Op, Term, TermStore, free_vars, postorder, substitute
from obligato.terms.store import rebuild

MOST = 64  # choices that are tried


def choice_of(loop: While) -> int | None:
    """If each round of the loop can be left by a choice of inputs: how many statements of its body
    end with the branch that does so, 0 if it is the loop's own. Else None."""
    if loop.condition is None:
        return 0
    return _Round(loop).left_after(loop.body)


class _Round:
    """One round, as far as it was followed."""

    def __init__(self, loop: While) -> None:
        self.store = TermStore()
        self.own = {s.name for s in statements(loop.body) if isinstance(s, Label)}
        self.ahead: set[str] = set()  # labels to which a jump may have led past what follows
        self.values: dict[Term, Term] = {}
        self.inputs: dict[Term, None] = {}
        self.assumed: list[Term] = []

    def left_after(self, body: Iterable[Statement]) -> int | None:
        """How many statements end with a branch that some choice takes; None if none is met."""
        for n, s in enumerate(body, 1):
            if isinstance(s, If):
                if self._branch(s):
                    return n
            elif isinstance(s, Label):
                self.ahead.discard(s.name)
                self.values.clear()
            elif isinstance(s, Goto | Return | Halt):
                leaves = not self.ahead and self._goes_out(s)
                return n if leaves and self._possible(self.store.true) else None
            elif isinstance(s, Assert) or self._executed(s):
                continue
            else:
                self._skip([s])
        return None

    def _branch(self, s: If) -> bool:
        c = self._unknown(self.store.true) if s.condition is None else self._value(s.condition)
        sides = ((c, s.then), (self.store.not_(c), s.otherwise))
        for condition, side in sides:
            if not self.ahead and side and self._goes_out(side[-1]):
                simple = all(isinstance(x, Assign | Assert) for x in side[:-1])
                if simple and self._possible(condition):
                    return True
        if all(_is_plain(x) for _, side in sides for x in side):
            self._merge(c, s)
        else:
            self._skip([s])
        return False

    def _merge(self, c: Term, s: If) -> None:
        """The values after two branches without jumps."""
        start, ends = dict(self.values), []
        for side in (s.then, s.otherwise):
            self.values = dict(start)
            for x in side:
                self._executed(x)
            ends.append(self.values)
        then, otherwise = ends
        self.values = {v: self.store.ite(c, then[v], otherwise[v]) for v in then if v in otherwise}

    def _executed(self, s: Statement) -> bool:
        """Follow a statement, if it is a plain one."""
        if isinstance(s, Assign):
            new = [self._value(e) for e in s.values]
            self.values.update(zip(s.targets, new, strict=True))
        elif isinstance(s, Havoc):
            for x in s.targets:
                self.values[x] = self._unknown(x)
                if s.source.startswith(NONDET) and s.approximates is None:
                    self.inputs[self.values[x]] = None
        elif isinstance(s, Assume):
            self.assumed.append(self._value(s.condition))
        return isinstance(s, Assign | Havoc | Assume)

    def _skip(self, body: list[Statement]) -> None:
        """What is not followed may change everything; jumps out of the loop leave it, others lead
        to labels further on."""
        self.values.clear()
        passed = {s.name for s in statements(body) if isinstance(s, Label)}
        for s in statements(body):
            if isinstance(s, Goto):
                self.ahead.update(t for t in s.targets if t in self.own and t not in passed)

    def _goes_out(self, s: Statement) -> bool:
        return isinstance(s, Return) or (isinstance(s, Goto) and self.own.isdisjoint(s.targets))

    def _unknown(self, like: Term) -> Term:
        return self.store.fresh("any", like.sort)

    def _value(self, e: Term) -> Term:
        """An expression over inputs and unknown values."""
        for v in free_vars(e):
            if v not in self.values:
                self.values[v] = self._unknown(v)
        return rebuild(e, self.store, dict(self.values))

    def _possible(self, c: Term) -> bool:
        """Does some choice of the inputs make it true, and what was assumed of them?"""
        about = [a for a in self.assumed if any(v in self.inputs for v in free_vars(a))]
        wanted = self.store.and_(c, *about)
        inputs = [v for v in free_vars(wanted) if v in self.inputs]
        return any(substitute(wanted, m) is self.store.true for m in self._choices(wanted, inputs))

    def _choices(self, wanted: Term, inputs: list[Term]) -> Iterator[dict[Term, Term]]:
        """Values for the inputs: 0, 1, and the constants in the condition."""
        known = [t.data for t in postorder((wanted,)) if t.op is Op.CONST]
        numbers = dict.fromkeys((0, 1, *(k for k in known if isinstance(k, int))))
        pools = [self._pool(v, numbers) for v in inputs]
        for _, values in zip(range(MOST), product(*pools), strict=False):
            yield dict(zip(inputs, values, strict=True))

    def _pool(self, v: Term, numbers: Iterable[int]) -> list[Term]:
        if v.sort.kind is Kind.BOOL:
            return [self.store.true, self.store.false]
        if v.sort.kind is not Kind.BITVEC:
            return []
        return [self.store.bv(k & v.sort.mask, v.sort.width) for k in numbers]


def _is_plain(s: Statement) -> bool:
    return isinstance(s, Assign | Havoc | Assume | Assert)
