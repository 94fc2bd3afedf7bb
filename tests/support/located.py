"""Small programs over integers as transition systems: locations coded in Boolean variables, one
rule per edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, next_var
from obligato.terms import BOOL, INT, Term, TermStore

Make = Callable[[TermStore, Mapping[str, Term]], Term]
Rule = tuple[int, int, Make | None, dict[str, Make]]  # from, to, guard, assignments


def located(rules: Sequence[Rule], names: str, error: int, bits: int = 3) -> TransitionSystem:
    """The system; location 0 is the initial one, with any values."""
    s = TermStore()
    v = {n: s.var(n, INT) for n in names}
    pc = [s.var(f"pc{k}", BOOL) for k in range(bits)]

    def at(location: int, variables: Sequence[Term]) -> Term:
        return s.and_(*(b if location >> k & 1 else s.not_(b) for k, b in enumerate(variables)))

    steps = [
        s.and_(
            at(a, pc),
            at(b, [next_var(x) for x in pc]),
            s.true if guard is None else guard(s, v),
            *(s.eq(next_var(x), moves[n](s, v) if n in moves else x) for n, x in v.items()),
        )
        for a, b, guard, moves in rules
    ]
    return TransitionSystem(
        s,
        (*v.values(), *pc),
        (),
        at(0, pc),
        s.or_(*steps),
        (Assertion("safe", s.not_(at(error, pc))),),
    )


def number(k: int) -> Make:
    """A constant."""
    return lambda s, v: s.int_(k)


def plus(x: str, k: int | str) -> Make:
    """x + k."""
    return lambda s, v: s.add(v[x], s.int_(k) if isinstance(k, int) else v[k])


def below(x: str, y: int | str) -> Make:
    """x < y."""
    return lambda s, v: s.lt(v[x], s.int_(y) if isinstance(y, int) else v[y])


def not_below(x: str, y: int | str) -> Make:
    """x >= y."""
    return lambda s, v: s.ge(v[x], s.int_(y) if isinstance(y, int) else v[y])


def chasing(bound: int = 1) -> TransitionSystem:
    """x := -5; while (x < 0) { x := x + y; y := y + 1 }  assert y >= bound   (true for bound 1)."""
    return located(
        [
            (0, 1, None, {"x": number(-5)}),
            (1, 2, below("x", 0), {}),
            (2, 3, None, {"x": plus("x", "y")}),
            (3, 1, None, {"y": plus("y", 1)}),
            (1, 4, not_below("x", 0), {}),
            (4, 5, below("y", bound), {}),
        ],
        "xy",
        5,
    )


def counting() -> TransitionSystem:
    """x := 0; y := n; while (0 < n) { x := x + 1; y := y - 1 if x < n }  assert x + y >= n
    (true).
    """
    return located(
        [
            (0, 1, None, {"x": number(0), "y": plus("n", 0)}),
            (1, 2, below("x", "n"), {"x": plus("x", 1)}),
            (2, 1, None, {"y": plus("y", -1)}),
            (1, 3, not_below("x", "n"), {}),
            (3, 4, lambda s, v: s.lt(s.add(v["x"], v["y"]), v["n"]), {}),
        ],
        "xyn",
        4,
    )
