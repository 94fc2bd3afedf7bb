"""Random small systems with formulas of branching time, and an explicit labelling of all states as
the oracle.

The oracle makes the graph of all allowed steps (state and inputs) and labels vertices with
subformulas as written, by the fixpoints of the logic's definition over fair paths. It shares no
code with the engine's or the checker's translation.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from obligato.models.ctl import Formula, atom, atoms
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term, free_vars
from tests.support.live import components
from tests.support.oracle import Machine, choices, compiled
from tests.support.systems import State, random_formula, random_system

UNARY = ("!", "EX", "AX", "EF", "AF", "EG", "AG")
BINARY = ("&", "|", "->", "<->", "xor", "EU", "AU", "EW", "AW", "ER", "AR")
Vertex = tuple[State, State]


def random_ctl_system(seed: int, max_bits: int = 8, depth: int = 5) -> TransitionSystem:
    """A system of 2 to `max_bits` bits with 0 to 2 fairness sets and a formula; about half of the
    formulas may name inputs.
    """
    base, rng = random_system(seed, max_bits), random.Random(seed)
    fair = [
        random_formula(base, rng.randrange(1 << 30), 2) for _ in range(rng.choice((0, 0, 0, 1, 2)))
    ]
    found = [random_formula(base, rng.randrange(1 << 30), 1) for _ in range(12)]
    if rng.random() < 0.5:
        inputs = dict.fromkeys(base.inputs)
        found = [t for t in found if not any(v in inputs for v in free_vars(t))]
    found = found[:3] or [base.store.true]
    formula = random_ctl(rng, found, rng.randint(1, depth))
    return replace(base, properties=(CtlProperty("ctl0", formula),), fairness=tuple(fair))


def random_ctl(rng: random.Random, terms: Sequence[Term], depth: int) -> Formula:
    """A formula over the atoms."""
    if depth == 0 or rng.random() < 0.1:
        return (
            atom(rng.choice(terms))
            if rng.random() < 0.95
            else Formula(rng.choice(("true", "false")))
        )
    if rng.random() < 0.55:
        return Formula(rng.choice(UNARY), (random_ctl(rng, terms, depth - 1),))
    return Formula(
        rng.choice(BINARY), (random_ctl(rng, terms, depth - 1), random_ctl(rng, terms, depth - 1))
    )


# -- the oracle ------------------------------------------------------------------------------------


def holds(system: TransitionSystem) -> bool:
    """Do all initial states satisfy the one formula of `system`?"""
    (p,) = system.branching
    return Labelling(system, p.formula).holds()


class Labelling:
    """All states of a system with the subformulas of one formula."""

    def __init__(self, system: TransitionSystem, formula: Formula) -> None:
        self.system, self.formula, self.machine = system, formula, Machine(system)
        machine, inputs = self.machine, dict.fromkeys(system.inputs)
        self.states = choices(system.state)
        self.steps: dict[Vertex, list[State]] = {
            (s, i): list(machine.after(s, i))
            for s in self.states
            for i in machine.inputs
            if machine.allowed(s, i)
        }
        # is a vertex of the structure a state and an input?
        self.wide = any(v in inputs for v in free_vars(*atoms(formula)))
        none = machine.inputs[0]
        both = [(s, i) for s in self.states for i in machine.inputs]
        self.vertices: list[Vertex] = both if self.wide else [(s, none) for s in self.states]
        self.truths = compiled(atoms(formula), [*system.state, *system.inputs])
        fair = compiled(list(system.fairness), [*system.state, *system.inputs])
        self.taken = {v: [bool(x) for x in fair(*v[0], *v[1])] for v in self.steps}
        here: dict[State, list[State]] = {s: [] for s in self.states}
        for s, i in self.steps:
            here[s].append(i)
        self.here = here  # allowed inputs
        self.fair = self.lasting(set(self.vertices))

    def moves(self, v: Vertex) -> list[Vertex]:
        """The steps that a vertex stands for."""
        if self.wide:
            return [v] if v in self.steps else []
        return [(v[0], i) for i in self.here[v[0]]]

    def vertex(self, state: State, i: State) -> Vertex:
        """The vertex of a step."""
        return (state, i) if self.wide else (state, self.machine.inputs[0])

    def following(self, v: Vertex) -> set[Vertex]:
        """The vertices after a vertex."""
        after = [t for step in self.moves(v) for t in self.steps[step]]
        return (
            {(t, i) for t in after for i in self.machine.inputs}
            if self.wide
            else {self.vertex(t, ()) for t in after}
        )

    def lasting(self, inside: set[Vertex]) -> set[Vertex]:
        """The vertices that start an infinite fair path inside a set."""
        edges = {
            (s, i): [(t, j) for t in after for j in self.here[t] if self.vertex(t, j) in inside]
            for (s, i), after in self.steps.items()
            if self.vertex(s, i) in inside
        }
        good: set[Vertex] = set()
        for part in components(edges):
            within = set(part)
            if any(w in within for v in part for w in edges[v]):
                marks = [self.taken[v] for v in part]
                if all(any(column) for column in zip(*marks, strict=True)):
                    good |= within
        changed = True
        while changed:
            new = {v for v in edges if v not in good and any(w in good for w in edges[v])}
            changed = bool(new)
            good |= new
        return {v for v in inside if any(step in good for step in self.moves(v))}

    def reaching(self, path: set[Vertex], end: set[Vertex]) -> set[Vertex]:
        """The vertices of a path inside a set to another, from where it goes on for ever,
        fairly.
        """
        found = end & self.fair
        while True:
            new = {v for v in path - found if self.following(v) & found}
            if not new:
                return found
            found |= new

    def label(self, f: Formula) -> set[Vertex]:
        """The vertices that satisfy f."""
        every = set(self.vertices)
        if f.atom is not None:
            n = atoms(self.formula).index(f.atom)
            return {v for v in every if self.truths(*v[0], *v[1])[n]}
        if not f.args:
            return every if f.op == "true" else set()
        a, b = (self.label(f.args[0]), self.label(f.args[-1]))
        connectives = {
            "!": every - a,
            "&": a & b,
            "|": a | b,
            "->": (every - a) | b,
            "<->": every - (a ^ b),
            "xor": a ^ b,
        }
        return connectives[f.op] if f.op in connectives else self._temporal(f.op, a, b)

    def _temporal(self, op: str, a: set[Vertex], b: set[Vertex]) -> set[Vertex]:
        """The vertices that satisfy a temporal operator, given those that satisfy its operands."""
        every = set(self.vertices)
        match op:
            case "EX":
                return {v for v in every if self.following(v) & a & self.fair}
            case "AX":
                return {v for v in every if self.following(v) & self.fair <= a}
            case "EF" | "EU":
                return self.reaching(every if op == "EF" else a, b)
            case "EG":
                return self.lasting(a)
            case "AF":
                return every - self.lasting(every - a)
            case "AG":
                return every - self.reaching(every, every - a)
            case "EW":
                return self.reaching(a, b) | self.lasting(a)
            case "AW" | "AU":
                bad = self.reaching(a - b, every - a - b)
                return every - bad - (self.lasting(every - b) if op == "AU" else set())
            case "ER":
                return self.reaching(b, a & b) | self.lasting(b)
        assert op == "AR"
        return every - self.reaching(every - a, every - b)

    def holds(self) -> bool:
        """Do all initial vertices satisfy the formula?"""
        found = self.label(self.formula)
        if self.wide:
            return all((s, i) in found for s in self.machine.starts() for i in self.here[s])
        return all(self.vertex(s, ()) in found for s in self.machine.starts())
