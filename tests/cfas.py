"""Hand-made control-flow automata for tests: edges as (source, target, command) over a raw
store.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.models.gcl import Assign, Assume, Command
from obligato.terms import INT, Term, TermStore

ERROR = 99


def assign(x: Term, e: Term) -> Command:
    return Assign(((x, e),))


def make_cfa(
    store: TermStore,
    variables: Sequence[Term],
    edges: Sequence[tuple[int, int, Command]],
    inputs: Sequence[Term] = (),
) -> CFA:
    """A CFA with initial location 0 and error location `ERROR`; edges are numbered from 0."""
    numbers = sorted({n for s, t, _ in edges for n in (s, t)} | {0, ERROR})
    made = tuple(
        Edge(i, s, t, c, violation=Violation() if t == ERROR else None)
        for i, (s, t, c) in enumerate(edges)
    )
    locations = {n: Location(n, "error" if n == ERROR else f"l{n}") for n in numbers}
    return CFA(store, tuple(variables), tuple(inputs), locations, made, 0, ERROR)


class Counter:
    """x := 0; while (x < 10) x := x + 1; assert x == 10.  Loop head 1; integers."""

    def __init__(self) -> None:
        s = self.store = TermStore.raw()
        x = self.x = s.var("x", INT)
        ten = s.int_(10)
        below, at_ten = s.lt(x, ten), s.eq(x, ten)
        self.cfa = make_cfa(
            s,
            [x],
            [
                (0, 1, assign(x, s.int_(0))),
                (1, 2, Assume(below)),
                (2, 1, assign(x, s.add(x, s.int_(1)))),
                (1, 3, Assume(s.not_(below))),
                (3, 4, Assume(at_ten)),
                (3, ERROR, Assume(s.not_(at_ten))),
            ],
        )
