"""The ways to an interpolant, ranked by theory as measured (DESIGN 3.6).

`search` tries the quick methods and takes the first small result; if all are large, the smallest;
only if there is none the thorough methods follow.  What comes out is not verified yet.

- linear arithmetic: projection of b; then Spacer; then projection of a.
- bit-vectors: bitwuzla's refutation, templates, a few rounds of projection; then bitwuzla without
  our limit, Spacer, projection with a cap.
- floats and mixtures with them: projection with a cap only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from obligato.smt.factory import Make, kinds_in
from obligato.smt.interpolation.by_bitwuzla import by_bitwuzla
from obligato.smt.interpolation.by_projection import by_projection
from obligato.smt.interpolation.by_spacer import by_spacer
from obligato.smt.interpolation.by_templates import by_templates
from obligato.terms import Kind, Term, free_vars, size

_QUICK = 2_000  # polls of bitwuzla: a tenth of a second or two
_LARGE = 50  # nodes: more of them and a bit-vector interpolant is about single bits
_ROUNDS, _ROUNDS_CAPPED, _ROUNDS_FEW = 400, 60, 20


@dataclass(frozen=True, slots=True)
class Problem:
    """a and b are unsat; find I with a => I, I and b unsat, over `shared`."""

    a: Term
    b: Term
    shared: Sequence[Term]
    make: Make
    budget: int | None


def problem(a: Term, b: Term, make: Make, budget: int | None) -> Problem:
    """The shared variables are those of both, in a's order."""
    right = free_vars(b)
    return Problem(a, b, [v for v in free_vars(a) if v in right], make, budget)


Method = Callable[[Problem], Term | None]


def _bitwuzla_quick(p: Problem) -> Term | None:
    return by_bitwuzla(p.a, p.b, _QUICK if p.budget is None else min(p.budget, _QUICK))


def _bitwuzla(p: Problem) -> Term | None:
    return by_bitwuzla(p.a, p.b, p.budget)


def _templates(p: Problem) -> Term | None:
    return by_templates(p.a, p.b, p.shared, p.make, budget=p.budget)


def _spacer(p: Problem) -> Term | None:
    return by_spacer(p.a, p.b, p.shared, p.budget)


def _projection(rounds: int) -> Method:
    return lambda p: by_projection(p.a, p.b, p.shared, p.make, rounds=rounds, budget=p.budget)


def _exchanged(rounds: int) -> Method:
    """Projection of a: the negation of an interpolant of b and a."""

    def run(p: Problem) -> Term | None:
        found = by_projection(p.b, p.a, p.shared, p.make, rounds=rounds, budget=p.budget)
        return None if found is None else p.a.store.not_(found)

    return run


@dataclass(frozen=True, slots=True)
class Ranking:
    """Quick methods, then thorough ones."""

    quick: tuple[Method, ...]
    thorough: tuple[Method, ...]

    def led_by(self, method: Method | None) -> Ranking:
        """The same with one quick method first: what found the last interpolant of a sequence."""
        if method not in self.quick:
            return self
        return Ranking((method, *(m for m in self.quick if m is not method)), self.thorough)


_ARITHMETIC = Ranking((_projection(_ROUNDS),), (_spacer, _exchanged(_ROUNDS)))
_FLOATS = Ranking((_projection(_ROUNDS_CAPPED),), (_exchanged(_ROUNDS_CAPPED),))
_BITS = Ranking(
    (_bitwuzla_quick, _templates, _projection(_ROUNDS_FEW)),
    (_bitwuzla, _spacer, _projection(_ROUNDS_CAPPED), _exchanged(_ROUNDS_CAPPED)),
)


def ranking(*formulas: Term) -> Ranking:
    """The methods for the theories of the formulas."""
    kinds = kinds_in(*formulas)
    if kinds & {Kind.FLOAT, Kind.RM}:
        return _FLOATS
    return _BITS if kinds <= {Kind.BOOL, Kind.BITVEC, Kind.ARRAY} else _ARITHMETIC


def search(p: Problem, ranked: Ranking) -> tuple[Term, Method] | None:
    """A candidate and the method that found it."""
    large: list[tuple[Term, Method]] = []
    for method in ranked.quick:
        found = method(p)
        if found is not None and size(found) <= _LARGE:
            return found, method
        if found is not None:
            large.append((found, method))
    if large:
        return min(large, key=lambda candidate: size(candidate[0]))
    for method in ranked.thorough:
        found = method(p)
        if found is not None:
            return found, method
    return None
