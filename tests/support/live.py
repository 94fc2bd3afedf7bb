"""Random small systems with properties of infinite runs, and an explicit-state oracle for them.

The oracle makes a graph of all reachable steps (state and inputs) and looks for a strongly
connected part that takes a step in every fairness set. A temporal formula is decided by the
classical tableau: a vertex is a step and a guess of the truth of every temporal subformula, as
written, which the successor must confirm both ways [CGH94]. It shares no code with the engines'
tableau (promises in one direction, of the formula in negation normal form) nor with the checker's.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from obligato.models.ltl import Formula, atom
from obligato.models.properties import Justice, LiveProperty, LtlProperty
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term
from tests.support.oracle import Machine, compiled
from tests.support.systems import State, random_formula, random_system

V = TypeVar("V", bound=Hashable)
Step = tuple[State, State]


def random_live_system(seed: int, max_bits: int = 8) -> TransitionSystem:
    """A system with 0 to 3 fairness sets and one justice property of 0 to 2 sets."""
    base = random_system(seed, max_bits)
    rng = random.Random(seed)
    sets = [random_formula(base, rng.randrange(1 << 30), 2) for _ in range(5)]
    fair, just = rng.choice((0, 0, 1, 2, 3)), rng.choice((0, 1, 1, 1, 2))
    return replace(
        base,
        fairness=tuple(sets[:fair]),
        properties=(Justice("justice0", tuple(sets[3 : 3 + just])),),
    )


def random_ltl_system(seed: int, max_bits: int = 5, depth: int = 3) -> TransitionSystem:
    """A system with a temporal formula and perhaps a fairness set."""
    base, rng = random_system(seed, max_bits), random.Random(seed)
    atoms = [random_formula(base, rng.randrange(1 << 30), 1) for _ in range(3)]
    fair = atoms[:1] if rng.random() < 0.2 else []
    return replace(
        base, fairness=tuple(fair), properties=(LtlProperty("ltl", random_ltl(rng, atoms, depth)),)
    )


def random_ltl(rng: random.Random, atoms: Sequence[Term], depth: int) -> Formula:
    """A formula over the atoms."""
    if depth == 0 or rng.random() < 0.15:
        return (
            atom(rng.choice(atoms))
            if rng.random() < 0.95
            else Formula(rng.choice(("true", "false")))
        )
    op = rng.choice(("!", "X", "F", "G", "F", "G", "&", "|", "->", "<->", "xor", "U", "R", "W"))
    count = 1 if op in ("!", "X", "F", "G") else 2
    return Formula(op, tuple(random_ltl(rng, atoms, depth - 1) for _ in range(count)))


# -- the oracle ------------------------------------------------------------------------------------


def violated(system: TransitionSystem) -> bool:
    """Is there a fair run that violates the one property of `system`?"""
    (p,) = system.temporal
    return _Graph(system, p).violated()


class _Graph:
    def __init__(self, system: TransitionSystem, p: LiveProperty) -> None:
        self.machine, self.p = Machine(system), p
        now = [*system.state, *system.inputs]
        self.fair = compiled(list(system.fairness), now)
        self.justice = compiled(list(p.sets) if isinstance(p, Justice) else [], now)
        self.atoms = _atoms(p.formula) if isinstance(p, LtlProperty) else []
        self.truths = compiled(self.atoms, now)

    def steps(self, states: Iterable[State]) -> list[Step]:
        """The allowed steps of the states."""
        return [(s, i) for s in states for i in self.machine.inputs if self.machine.allowed(s, i)]

    def violated(self) -> bool:
        """See `violated`."""
        if isinstance(self.p, Justice):
            return fair_cycle(
                self.steps(self.machine.starts()),
                lambda v: self.steps(self.machine.after(*v)),
                lambda v: [
                    bool(b) for b in (*self.fair(*v[0], *v[1]), *self.justice(*v[0], *v[1]))
                ],
            )
        return self._violates(self.p.formula)

    def _violates(self, f: Formula) -> bool:
        temporal = list(dict.fromkeys(_temporal(f)))
        guesses = [
            dict(zip(temporal, bits, strict=True))
            for bits in product((False, True), repeat=len(temporal))
        ]

        def vertices(states: Iterable[State]) -> list[tuple[Step, int]]:
            return [(v, n) for v in self.steps(states) for n in range(len(guesses)) if agree(v, n)]

        def atoms(v: Step) -> dict[Term, bool]:
            return {a: bool(x) for a, x in zip(self.atoms, self.truths(*v[0], *v[1]), strict=True)}

        def agree(v: Step, n: int) -> bool:  # what a guess says about this step alone
            return all(_local(g, guesses[n], atoms(v)) for g in temporal)

        def after(v: tuple[Step, int]) -> list[tuple[Step, int]]:
            here = atoms(v[0])
            return [
                w
                for w in vertices(self.machine.after(*v[0]))
                if all(
                    _expands(g, guesses[v[1]], here, guesses[w[1]], atoms(w[0])) for g in temporal
                )
            ]

        def taken(v: tuple[Step, int]) -> list[bool]:
            here, guess = atoms(v[0]), guesses[v[1]]
            kept = [_fulfilled(g, guess, here) for g in temporal]
            return [*(bool(b) for b in self.fair(*v[0][0], *v[0][1])), *kept]

        starts = [
            v for v in vertices(self.machine.starts()) if not _value(f, guesses[v[1]], atoms(v[0]))
        ]
        return fair_cycle(starts, after, taken)


def _atoms(f: Formula) -> list[Term]:
    found = [f.atom] if f.atom is not None else [t for a in f.args for t in _atoms(a)]
    return list(dict.fromkeys(found))


def _temporal(f: Formula) -> list[Formula]:
    inner = [g for a in f.args for g in _temporal(a)]
    return [*inner, f] if f.op in ("X", "F", "G", "U", "R", "W") else inner


def _value(f: Formula, guess: dict[Formula, bool], atoms: dict[Term, bool]) -> bool:
    if f.atom is not None:
        return atoms[f.atom]
    if f in guess:
        return guess[f]
    if f.op in ("true", "false"):
        return f.op == "true"
    values = [_value(a, guess, atoms) for a in f.args]
    return {
        "!": not values[0],
        "&": all(values),
        "|": any(values),
        "->": not values[0] or values[-1],
        "<->": values[0] == values[-1],
        "xor": values[0] != values[-1],
    }[f.op]


def _local(g: Formula, guess: dict[Formula, bool], atoms: dict[Term, bool]) -> bool:
    """Is the guess about g possible, whatever comes next?"""
    values = [_value(a, guess, atoms) for a in g.args]
    if g.op in ("F", "U", "W"):
        return guess[g] if values[-1] else (values[0] or g.op == "F" or not guess[g])
    if g.op in ("G", "R"):
        return not guess[g] if not values[-1] else True
    return True


def _expands(
    g: Formula,
    guess: dict[Formula, bool],
    atoms: dict[Term, bool],
    then: dict[Formula, bool],
    later: dict[Term, bool],
) -> bool:
    """Does the next step confirm the guess about g?"""
    values = [_value(a, guess, atoms) for a in g.args]
    follow = then[g]
    if g.op == "X":
        return guess[g] == _value(g.args[0], then, later)
    expected = {
        "F": values[0] or follow,
        "G": values[0] and follow,
        "U": values[-1] or (values[0] and follow),
        "W": values[-1] or (values[0] and follow),
        "R": values[-1] and (values[0] or follow),
    }[g.op]
    return guess[g] == expected


def _fulfilled(g: Formula, guess: dict[Formula, bool], atoms: dict[Term, bool]) -> bool:
    """Is g, as far as this step knows, not put off for ever (or denied for ever without a
    reason)?
    """
    values = [_value(a, guess, atoms) for a in g.args]
    if g.op in ("F", "U"):
        return not guess[g] or values[-1]
    if g.op == "G":
        return guess[g] or not values[0]
    if g.op == "R":
        return guess[g] or not values[-1]
    if g.op == "W":
        return guess[g] or not (values[0] or values[-1])
    return True


def fair_cycle(
    starts: Sequence[V], after: Callable[[V], list[V]], taken: Callable[[V], list[bool]]
) -> bool:
    """Is there, among what is reached from the starts, a cycle that takes every set? By Tarjan's
    components.
    """
    edges: dict[V, list[V]] = {}
    pending = list(starts)
    while pending:
        v = pending.pop()
        if v not in edges:
            edges[v] = after(v)
            pending += edges[v]
    for part in components(edges):
        inside = set(part)
        if not any(w in inside for v in part for w in edges[v]):
            continue
        marks = [taken(v) for v in part]
        if all(any(column) for column in zip(*marks, strict=True)):
            return True
    return False


def components(edges: dict[V, list[V]]) -> list[list[V]]:
    """The strongly connected components (Tarjan), without recursion."""
    index: dict[V, int] = {}
    low: dict[V, int] = {}
    stack: list[V] = []
    on: set[V] = set()
    out = []
    for root in edges:
        work = [(root, iter(edges[root]))] if root not in index else []
        while work:
            v, rest = work[-1]
            if v not in index:
                index[v] = low[v] = len(index)
                stack.append(v)
                on.add(v)
            follow = next((w for w in rest if w not in index or w in on), None)
            if follow is not None and follow not in index:
                work.append((follow, iter(edges[follow])))
                continue
            if follow is not None:
                low[v] = min(low[v], index[follow])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[v])
            if low[v] == index[v]:
                part = []
                while True:
                    w = stack.pop()
                    on.discard(w)
                    part.append(w)
                    if w == v:
                        break
                out.append(part)
    return out
