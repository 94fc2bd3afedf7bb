"""Random small programs on narrow words, as IVL text, and the explicit-state answer to whether
every run of them ends.

`ends` visits every state (location and values) that a run can reach, with every input, and looks
for a cycle among them: it shares with the engine the automaton of the program and the evaluation of
terms, and nothing else.
"""

from __future__ import annotations

from itertools import product
from random import Random

from obligato.models.cfa import CFA
from obligato.models.execution import execute
from obligato.program.graphs import components
from obligato.terms import Kind, Sort, Value

STATES = 60_000
Place = tuple[int, tuple[Value, ...]]


class TooLarge(Exception):
    """More states than a test wants to visit."""


class Writer:
    """Writes one program. Loops test, count and jump; words of `width` bits wrap around."""

    def __init__(self, seed: int, width: int = 3) -> None:
        self.random, self.width = Random(seed), width
        self.words = ["x", "y", "z"][: self.random.choice((1, 2, 2, 3))]
        self.depth = 0
        self.labels = 0

    def program(self) -> str:
        """The text."""
        r = self.random
        body = self._block(r.randint(2, 4))
        start = [
            f"  {w} := {r.randrange(1 << self.width)};" for w in self.words if r.random() < 0.4
        ]
        declared = [f"  var {w}: bv{self.width};" for w in self.words] + ["  var b: bool;"]
        return "\n".join(["proc main() {", *declared, *start, *body, "}", ""])

    def _block(self, count: int) -> list[str]:
        self.depth += 1
        lines = [line for _ in range(count) for line in self._statement()]
        self.depth -= 1
        return [f"  {line}" for line in lines]

    def _statement(self) -> list[str]:
        r, kind = self.random, self.random.random()
        if kind < 0.45 or self.depth > 3:
            return [f"{r.choice(self.words)} := {self._term()};"]
        if kind < 0.53:
            return [f"havoc {r.choice([*self.words, 'b'])};"]
        if kind < 0.57:
            return [f"assume {self._condition()};"]
        if kind < 0.59:
            return [f"assert {self._condition()};"]
        if kind < 0.61:
            return (
                [f"assert [limit] {self._condition()};"]
                if r.random() < 0.3
                else ["halt;"]
                if r.random() < 0.2
                else []
            )
        if kind < 0.76:
            other = ["} else {", *self._block(1)] if r.random() < 0.5 else []
            return [f"if ({self._condition()}) {{", *self._block(r.randint(1, 2)), *other, "}"]
        if kind < 0.8:
            self.labels += 1
            name = f"again{self.labels}"
            return [
                f"{name}:",
                *self._block(r.randint(1, 2)),
                f"if ({self._condition()}) {{",
                f"  goto {name};",
                "}",
            ]
        return [f"while ({self._condition()}) {{", *self._block(r.randint(1, 2)), "}"]

    def _condition(self) -> str:
        r = self.random
        if r.random() < 0.1:
            return r.choice(("b", "!b", "true"))
        first = (
            f"{r.choice(self.words)} {r.choice(('<s', '<u', '<=s', '<=u', '!=', '!=', '=='))}"
            f" {self._operand()}"
        )
        return f"{first} && {self._condition()}" if r.random() < 0.2 else first

    def _operand(self) -> str:
        r = self.random
        return r.choice(self.words) if r.random() < 0.5 else str(r.randrange(1 << self.width))

    def _term(self) -> str:
        r = self.random
        if r.random() < 0.6:
            return f"{r.choice(self.words)} {r.choice('++-')} {r.choice(('1', '1', '2', '3'))}"
        if r.random() < 0.2:
            return (
                f"{r.choice(self.words)} {r.choice(('/u', '>>u', '&', '*', '>>s'))}"
                f" {self._operand()}"
            )
        return (
            f"{self._operand()} {r.choice('+-')} {r.choice(self.words)}"
            if r.random() < 0.5
            else self._operand()
        )


def domain(sort: Sort) -> list[Value]:
    """All values of a sort."""
    return [False, True] if sort.kind is Kind.BOOL else list(range(1 << sort.width))


def reachable(cfa: CFA) -> dict[Place, list[Place]]:
    """All states that runs reach, with their successors; the error location has none."""
    inputs = {e.id: cfa.edge_inputs(e) for e in cfa.edges}
    stack: list[Place] = [
        (cfa.initial, values) for values in product(*(domain(v.sort) for v in cfa.variables))
    ]
    follow: dict[Place, list[Place]] = {}
    while stack:
        place = stack.pop()
        if place in follow:
            continue
        if len(follow) >= STATES:
            raise TooLarge
        state, found = dict(zip(cfa.variables, place[1], strict=True)), dict[Place, None]()
        for e in cfa.out(place[0]):
            for values in product(*(domain(i.sort) for i in inputs[e.id])):
                after = execute(e.command, state, dict(zip(inputs[e.id], values, strict=True)))
                if after is not None:
                    found[(e.target, tuple(after[v] for v in cfa.variables))] = None
        follow[place] = list(found)
        stack += found
    return follow


def ends(cfa: CFA) -> tuple[bool, bool]:
    """Does every run end? Does one reach the error location (a limit of the model)?"""
    follow = reachable(cfa)
    cyclic = any(len(part) > 1 or part[0] in follow[part[0]] for part in components(follow, follow))
    return not cyclic, any(loc == cfa.error for loc, _ in follow)
