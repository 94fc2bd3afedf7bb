"""Processor time and memory of building, reducing and block-encoding a large synthetic CFA; the
last line is JSON.

    python benchmarks/bench_models.py [EDGES] [VARIABLES]

The program is a row of segments: assignments, havocs, if/else, loops with a bounded counter,
asserts; half of its variables have no influence on the asserts. Linear behaviour shows by doubling
EDGES.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from random import Random
from time import process_time
from typing import TypeVar

from obligato.analysis.pipeline import LEVELS, passes, reduce
from obligato.models.blocks import large_blocks
from obligato.models.cfa import CFA, Edge, Location, Violation
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, Assume, Command
from obligato.models.importing import import_cfa
from obligato.terms import Op, Term, TermStore, bitvec

T = TypeVar("T")


class Synthetic:
    """A CFA of about `edges` edges in a raw store."""

    def __init__(self, edges: int, variables: int) -> None:
        self.random = Random(1)
        self.store = TermStore.raw()
        self.variables = [self.store.var(f"v{i}", bitvec(32)) for i in range(variables)]
        self.inputs: list[Term] = []
        self.edges: list[tuple[int, int, Command]] = []
        self.error, self.last = 0, 1
        while len(self.edges) < edges:
            self.random.choice(
                [
                    self.assign,
                    self.assign,
                    self.havoc,
                    self.havoc,
                    self.branch,
                    self.loop,
                    self.check,
                ]
            )()

    def fresh(self) -> int:
        self.last += 1
        return self.last

    def step(self, command: Command) -> None:
        here = self.last
        self.edges.append((here, self.fresh(), command))

    def pick(self, low: bool) -> Term:
        """A variable of the half that asserts depend on, or of the other one."""
        half = len(self.variables) // 2
        return self.random.choice(self.variables[:half] if low else self.variables[half:])

    def k(self) -> Term:
        return self.store.bv(self.random.choice([0, 1, 2, 7, 100, self.random.getrandbits(16)]), 32)

    def expression(self, low: bool) -> Term:
        ops = (Op.BVADD, Op.BVSUB, Op.BVMUL, Op.BVAND, Op.BVXOR)
        return self.store.mk(
            self.random.choice(ops),
            (self.pick(low), self.random.choice([self.pick(low), self.k()])),
        )

    def condition(self, low: bool) -> Term:
        left = self.pick(low)
        right = self.random.choice([self.pick(low), self.store.bv(self.random.randint(3, 200), 32)])
        while right is left:
            right = self.pick(low)
        return self.store.mk(self.random.choice([Op.BVSLT, Op.BVULT, Op.BVSGE]), (left, right))

    def assign(self) -> None:
        low = self.random.random() < 0.5
        value = self.k() if self.random.random() < 0.05 else self.expression(low)
        self.step(Assign(((self.pick(low), value),)))

    def havoc(self) -> None:
        i = self.store.var(f"in{len(self.inputs)}", bitvec(32))
        self.inputs.append(i)
        self.step(Assign(((self.pick(self.random.random() < 0.5), i),)))

    def branch(self) -> None:
        low = self.random.random() < 0.5
        c, here, join = self.condition(low), self.last, self.fresh()
        for side in (c, self.store.not_(c)):
            start = self.fresh()
            self.edges.append((here, start, Assume(side)))
            self.step(Assign(((self.pick(low), self.expression(low)),)))
            self.edges.append((self.last, join, Assign(((self.pick(low), self.pick(low)),))))
        self.edges.append((join, self.fresh(), Assume(self.store.true)))

    def loop(self) -> None:
        i = self.pick(self.random.random() < 0.5)
        self.step(Assign(((i, self.store.bv(0, 32)),)))
        head = self.last
        below = self.store.mk(Op.BVSLT, (i, self.store.bv(self.random.randint(2, 200), 32)))
        self.step(Assume(below))
        self.step(Assign(((self.pick(False), self.expression(False)),)))
        self.edges.append(
            (self.last, head, Assign(((i, self.store.mk(Op.BVADD, (i, self.store.bv(1, 32)))),)))
        )
        self.edges.append((head, self.fresh(), Assume(self.store.not_(below))))

    def check(self) -> None:
        v, i = self.pick(True), self.store.var(f"in{len(self.inputs)}", bitvec(32))
        self.inputs.append(i)
        self.step(Assign(((v, self.store.mk(Op.BVADD, (self.pick(True), i))),)))
        c, here = self.store.mk(Op.BVULT, (v, self.store.bv(0xFFFFFF00, 32))), self.last
        self.edges.append((here, self.error, Assume(self.store.not_(c))))
        self.edges.append((here, self.fresh(), Assume(c)))

    def cfa(self) -> CFA:
        edges = tuple(
            Edge(n, s, t, c, violation=Violation() if t == self.error else None)
            for n, (s, t, c) in enumerate(self.edges)
        )
        locations = {n: Location(n, f"l{n}") for n in range(self.last + 1)}
        return CFA(
            self.store, tuple(self.variables), tuple(self.inputs), locations, edges, 1, self.error
        )


def timed(what: str, run: Callable[[], T], figures: dict[str, float]) -> T:
    start = process_time()
    out = run()
    figures[what] = round(process_time() - start, 2)
    print(f"{what:28} {figures[what]:8.2f} s   peak {peak():7.0f} MB")
    return out


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    edges, variables = [*map(int, sys.argv[1:]), *(20_000, 200)[len(sys.argv) - 1 :]][:2]
    figures: dict[str, float] = {}
    raw = timed("build", Synthetic(edges, variables).cfa, figures)
    cfa = timed("import", lambda: import_cfa(raw, TermStore()), figures)
    now = cfa
    for run in passes(LEVELS[-1]):
        now = timed(f"  {run.__name__}", lambda run=run, now=now: run(now)[0], figures)  # type: ignore[misc]
    for level in LEVELS[1:]:
        small = timed(f"reduce, level {level}", lambda level=level: reduce(cfa, level)[0], figures)  # type: ignore[misc]
        blocks = timed("  large blocks", lambda small=small: large_blocks(small), figures)  # type: ignore[misc]
        print(
            f"    {len(small.edges)} edges, {len(small.variables)} variables; {len(blocks.edges)}"
            f" blocks, {len(blocks.locations)} locations"
        )
    timed(
        "  effects of all blocks",
        lambda: [BlockEffect(cfa.store, e.command, f"s{e.id}!") for e in blocks.edges],
        figures,
    )
    print(
        json.dumps(
            {
                "edges": len(raw.edges),
                "variables": variables,
                "seconds": figures,
                "peak_mb": round(peak()),
            }
        )
    )


if __name__ == "__main__":
    main()
