"""Implicants: from a formula and a model of it, a cube of literals that the model satisfies and
that implies the formula.

Idea: walk the formula with a polarity; where one argument suffices (a true OR, a false AND) follow
one that the model makes so, and forget the rest [Tin12, e+ and e-].  `implicant` carries it.  An
ite inside an atom is replaced by the branch the model takes, and its condition joins the cube.

The choice is deterministic: an argument that is in the cube already, else the first literal, else
the first that fits. Limitation: the cube is not minimal; drop literals by a core of cube and not
formula (`smt.cores`) where that pays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from obligato.errors import InternalError
from obligato.terms import INT, REAL, Kind, Op, Term, Value, evaluate

Goal = tuple[Term, bool]


def implicant(formula: Term, model: Mapping[Term, Value]) -> list[Term]:
    """A cube for `formula`. Variables that `model` leaves open take their sort's default value.

    Requires: model |= formula.
    Ensures: model |= every literal; the literals together imply formula; none contains an ite.
    """
    return implicant_of_all([formula], model)


def implicant_of_all(formulas: Sequence[Term], model: Mapping[Term, Value]) -> list[Term]:
    """A cube for the conjunction of `formulas`, in their order; see `implicant`."""
    walk = _Walk(model)
    if not all(walk.value(f) for f in formulas):
        raise InternalError("implicant: the model does not satisfy the formula")
    return walk.run(*((f, True) for f in formulas))


class _Walk:
    """One extraction: values under the model, goals done, ites resolved."""

    def __init__(self, model: Mapping[Term, Value]) -> None:
        self.model = model
        self.values: dict[Term, Any] = {}
        self.done: dict[Goal, None] = {}
        self.resolved: dict[Term, Term] = {}
        self.conditions: list[Goal] = []

    def value(self, term: Term) -> Any:
        return evaluate(term, self.model, self.values)

    def run(self, *goals: Goal) -> list[Term]:
        """The literals that make the goals hold, in the order of the formula."""
        literals: dict[Term, None] = {}
        stack = list(reversed(goals))
        while stack:
            goal = stack.pop()
            if goal in self.done:
                continue
            self.done[goal] = None
            parts = self._decompose(*goal)
            if parts is None:
                atom, positive = goal
                literals[atom if positive else atom.store.not_(atom)] = None
            else:
                stack.extend(reversed(parts))
        return list(literals)

    def _decompose(self, t: Term, positive: bool) -> list[Goal] | None:
        """Goals that together imply this one; None for a literal without ites."""
        match t.op:
            case Op.CONST:
                return []
            case Op.NOT:
                return [(t.args[0], not positive)]
            case Op.AND | Op.OR:
                goals = [(a, positive) for a in t.args]
                return goals if positive is (t.op is Op.AND) else [self._choose(goals)]
            case Op.IMPLIES:
                goals = [(t.args[0], not positive), (t.args[1], positive)]
                return (
                    [self._choose(goals)] if positive else [(t.args[0], True), (t.args[1], False)]
                )
            case Op.ITE:
                cond, then, other = t.args
                taken = self.value(cond)
                return [(cond, taken), (then if taken else other, positive)]
            case Op.EQ | Op.XOR | Op.DISTINCT if t.args[0].sort.kind is Kind.BOOL:
                return [(a, self.value(a)) for a in t.args]
            case _:
                return self._atom(t, positive)

    def _choose(self, goals: list[Goal]) -> Goal:
        holding = [g for g in goals if self.value(g[0]) is g[1]]
        for known in (lambda g: g in self.done, lambda g: g[0].is_literal, lambda g: True):
            for g in holding:
                if known(g):
                    return g
        raise InternalError("implicant: no argument holds under the model")

    def _atom(self, t: Term, positive: bool) -> list[Goal] | None:
        resolved = self.resolve(t)
        if resolved is t:
            return None
        conditions, self.conditions = self.conditions, []
        # its normal form may be a constant or a conjunction
        return [*conditions, (resolved, positive)]

    def resolve(self, root: Term) -> Term:
        """`root` with each ite replaced by the branch taken; the conditions are noted as goals."""
        stack = [root]
        while stack:
            t = stack[-1]
            if t in self.resolved:
                stack.pop()
                continue
            needed = self._branch(t) if t.op is Op.ITE else t.args
            pending = [a for a in needed if a not in self.resolved]
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            self.resolved[t] = self._rebuilt(t, tuple(self.resolved[a] for a in needed))
        return self.resolved[root]

    def _branch(self, t: Term) -> tuple[Term, ...]:
        return (t.args[1] if self.value(t.args[0]) else t.args[2],)

    def _rebuilt(self, t: Term, args: tuple[Term, ...]) -> Term:
        if t.op is Op.ITE:
            self.conditions.append((t.args[0], self.value(t.args[0])))
            return args[0]
        return t if args == t.args else t.store.mk(t.op, args, t.data)


def halves(literal: Term) -> list[Term]:
    """t = k as t <= k and t >= k, for numbers."""
    if literal.op is not Op.EQ:
        return [literal]
    s, (t, k) = literal.store, literal.args
    return [literal] if t.sort not in (INT, REAL) or t.op is Op.MOD else [s.le(t, k), s.ge(t, k)]
