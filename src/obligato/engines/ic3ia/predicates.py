"""The predicates of the abstraction and their numbers.

A predicate is an atom over the state, without negation; number n stands for it in cubes. Equalities
of numbers are split into two inequalities where so asked: a cube can then say which side fails. The
table only grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from obligato.engines.ic3ts import Cube
from obligato.models.transition_system import TransitionSystem
from obligato.terms import BOOL, INT, REAL, Op, Term, Value, evaluate, free_vars
from obligato.terms.term import CONNECTIVES


class Predicates:
    """Numbered predicates, each with its copy about the next state."""

    def __init__(self, system: TransitionSystem, split: bool) -> None:
        self.system, self.store, self.split = system, system.store, split
        self._state = frozenset(system.state)
        self.terms: list[Term] = [self.store.true]  # number 0 is not used
        self.primed: list[Term] = [self.store.true]
        self.variables: list[tuple[Term, ...]] = [()]
        self.number: dict[Term, int] = {}

    def __len__(self) -> int:
        return len(self.terms) - 1

    def add(self, formulas: Iterable[Term]) -> list[int]:
        """Add the atoms of formulas that are about the state only; the numbers of the new ones."""
        return [self._enter(p) for f in formulas for p in self.parts(f) if p not in self.number]

    def parts(self, formula: Term) -> list[Term]:
        """The predicates that a formula consists of."""
        return list(
            dict.fromkeys(
                p for a in atoms(formula) for p in self._pieces(a) if self._is_predicate(p)
            )
        )

    def _enter(self, p: Term) -> int:
        n = len(self.terms)
        self.terms.append(p)
        self.primed.append(self.system.prime(p))
        self.variables.append(tuple(free_vars(p)))
        self.number[p] = n
        return n

    def signed(self, literal: Term) -> int:
        """The number of a literal, entered if it is new; any formula over the state counts as one.
        Requires: no constant.
        """
        p = literal.atom
        n = self.number.get(p) or self._enter(p)
        return n if p is literal else -n

    def _pieces(self, atom: Term) -> Iterator[Term]:
        if self.split and atom.op is Op.EQ and atom.args[0].sort in (INT, REAL):
            a, b = atom.args
            yield from (self.store.le(a, b).atom, self.store.le(b, a).atom)
        else:
            yield atom

    def _is_predicate(self, p: Term) -> bool:
        return p.op is not Op.CONST and all(v in self._state for v in free_vars(p))

    # -- cubes -------------------------------------------------------------------------------------

    def literal(self, n: int) -> Term:
        """What a literal says about the state."""
        return self.terms[n] if n > 0 else self.store.not_(self.terms[-n])

    def next_literal(self, n: int) -> Term:
        """What a literal says about the next state."""
        return self.primed[n] if n > 0 else self.store.not_(self.primed[-n])

    def formula(self, cube: Cube) -> Term:
        """The conjunction of the cube's literals."""
        return self.store.and_(*[self.literal(n) for n in cube])

    def state(self, values: Mapping[Term, Value], first: int = 1) -> int:
        """The abstract state of a concrete one: bit n is the truth of predicate n, from number
        `first` on.
        """
        memo: dict[Term, Value] = {}
        bits = 0
        for n in range(first, len(self.terms)):
            if evaluate(self.terms[n], values, memo):
                bits |= 1 << n
        return bits

    def cube(self, state: int) -> Cube:
        """An abstract state as a cube over all predicates."""
        return tuple([n if state >> n & 1 else -n for n in range(1, len(self.terms))])


def atoms(formula: Term) -> Iterator[Term]:
    """The atoms of a formula's Boolean structure, each once, left to right."""
    seen: dict[Term, None] = {}
    stack = [formula]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen[t] = None
        if _has_structure(t):
            stack.extend(reversed(t.args))
        elif t.op is not Op.CONST:
            yield t


def _has_structure(t: Term) -> bool:
    return (
        t.op in CONNECTIVES
        or t.op is Op.ITE
        or (t.op in (Op.EQ, Op.DISTINCT) and t.args[0].sort is BOOL)
    )
