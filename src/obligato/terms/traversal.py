"""Walks over terms: post-order, free variables, size, substitution.

None of them recurses: terms are tens of thousands of levels deep in practice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from obligato.terms.store import rebuild
from obligato.terms.term import Op, Term


def postorder(roots: Iterable[Term], seen: dict[Term, None] | None = None) -> Iterator[Term]:
    """Every subterm of `roots` once, arguments before applications.
    Terms in `seen` are passed over; it is extended."""
    done: dict[Term, None] = {} if seen is None else seen
    for root in roots:
        stack = [root]
        while stack:
            t = stack[-1]
            if t in done:
                stack.pop()
                continue
            pending = [a for a in t.args if a not in done]
            if pending:
                stack.extend(reversed(pending))
                continue
            stack.pop()
            done[t] = None
            yield t


def free_vars(*roots: Term) -> dict[Term, None]:
    """The variables that occur, in order of first occurrence (an ordered set)."""
    return new_vars(roots, set())


def new_vars(roots: Iterable[Term], seen: set[Term]) -> dict[Term, None]:
    """The variables that occur outside the terms in `seen`, in order of first occurrence;
    it is extended."""
    found: dict[Term, None] = {}
    stack = [*roots][::-1]
    while stack:
        t = stack.pop()
        if t not in seen:
            seen.add(t)
            if t.args:
                stack += t.args[::-1]
            elif t.op is Op.VAR:
                found[t] = None
    return found


def size(root: Term) -> int:
    """Number of distinct subterms."""
    return sum(1 for _ in postorder((root,)))


class Substitution:
    """A simultaneous substitution of variables (or any subterms) with a memo that is reused between
    calls."""

    __slots__ = ("_memo", "mapping")

    def __init__(self, mapping: Mapping[Term, Term]) -> None:
        self.mapping = dict(mapping)
        self._memo = dict(mapping)

    def __call__(self, term: Term) -> Term:
        hit = self._memo.get(term)
        return hit if hit is not None else rebuild(term, term.store, self._memo)

    def define(self, variable: Term, image: Term) -> None:
        """One more replacement. Requires: the variable is in no term that was given so far."""
        self.mapping[variable] = self._memo[variable] = image


def substitute(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """`term` with all `mapping` keys replaced at once."""
    return rebuild(term, term.store, dict(mapping))


def conjuncts(term: Term) -> list[Term]:
    """The conjuncts of a (nested) conjunction, left to right, without repetition; true has none."""
    out: dict[Term, None] = {}
    opened: dict[Term, None] = {}  # nested conjunctions may share parts: each is opened once
    stack = [term]
    while stack:
        t = stack.pop()
        if t.op is Op.AND:
            if t not in opened:
                opened[t] = None
                stack.extend(reversed(t.args))
        elif not (t.op is Op.CONST and t.data is True):
            out[t] = None
    return list(out)


def assigned_constant(fact: Term) -> tuple[Term, Term] | tuple[None, None]:
    """The variable to which a literal gives a constant (or an array of one constant),
    and the constant."""
    s = fact.store
    if fact.op is Op.VAR:
        return fact, s.true
    if fact.op is Op.NOT and fact.args[0].op is Op.VAR:
        return fact.args[0], s.false
    if fact.op is Op.EQ:
        a, b = fact.args
        for x, value in ((a, b), (b, a)):
            if x.op is Op.VAR and (
                value.op is Op.CONST
                or (value.op is Op.CONST_ARRAY and value.args[0].op is Op.CONST)
            ):
                return x, value
    return None, None
