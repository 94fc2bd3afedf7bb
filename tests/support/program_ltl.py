"""Temporal formulas about small programs, decided by explicit states with truth assignments of
subformulas: the oracle.

A node is a state of the program and a truth value for each temporal subformula; edges follow the
expansion laws, and a run is fair if no U is promised for ever and no R is denied for ever without
its reason. No automaton, nothing of the engine.
"""

from __future__ import annotations

from itertools import product
from random import Random

from obligato.models.cfa import CFA
from obligato.models.ltl import Formula, atom
from obligato.models.ltl_product import entry_location
from obligato.program.graphs import components
from obligato.terms import Op, Term, evaluate
from tests.support.endings import Place, reachable

Node = tuple[Place, tuple[bool, ...]]


def random_formula(rng: Random, atoms: list[Term], depth: int = 3) -> Formula:
    """A formula with at most a few temporal operators."""
    if depth == 0 or rng.random() < 0.15:
        return atom(rng.choice(atoms))
    op = rng.choice(("!", "F", "G", "F", "G", "&", "|", "->", "U", "R", "W", "<->", "X"))
    count = 1 if op in ("!", "F", "G", "X") else 2
    return Formula(op, tuple(random_formula(rng, atoms, depth - 1) for _ in range(count)))


def random_atoms(rng: Random, cfa: CFA) -> list[Term]:
    """Conditions over the variables of a program."""
    s, out = cfa.store, []
    for _ in range(2):
        x = rng.choice([v for v in cfa.variables if v.sort.kind.value == "BitVec"])
        c = s.bv(rng.randrange(1 << x.sort.width), x.sort.width)
        out.append(rng.choice((s.eq(x, c), s.mk(Op.BVULT, (x, c)), s.mk(Op.BVSLE, (x, c)))))
    return out


def temporal(f: Formula) -> list[Formula]:
    """The temporal subformulas, inner ones first."""
    inner = [g for a in f.args for g in temporal(a)]
    return list(dict.fromkeys([*inner, *([f] if f.op in ("F", "G", "U", "R", "W", "X") else [])]))


class Oracle:
    """The product of the states of a program with truth assignments."""

    def __init__(self, cfa: CFA, formula: Formula, silent: int) -> None:
        self.cfa, self.formula, self.parts = cfa, formula, temporal(formula)
        self.follow = reachable(cfa)
        self.first = list(entry_location(cfa, silent))

    def violated(self) -> bool:
        """Does an infinite run, or one that has ended and stays, violate the formula?"""
        starts = [p for p in self.follow if p[0] == self.first[-1]]
        roots = {q for p in starts for q in self._next(p)}
        graph: dict[Node, list[Node]] = {}
        stack = [
            (p, t)
            for p in sorted(roots, key=str)
            for t in self._assignments(p)
            if not self._value(self.formula, p, t)
        ]
        while stack:
            node = stack.pop()
            if node not in graph:
                graph[node] = list(self._edges(node))
                stack += graph[node]
        return any(self._fair(part, graph) for part in components(graph, graph))

    def _next(self, place: Place) -> list[Place]:
        if not self.cfa.out(place[0]):
            return [place] if place[0] != self.cfa.error else []
        return [q for q in self.follow[place] if q[0] != self.cfa.error]

    def _assignments(self, place: Place) -> list[tuple[bool, ...]]:
        return list(product((False, True), repeat=len(self.parts)))

    def _edges(self, node: Node) -> list[Node]:
        place, truth = node
        return [
            (q, t)
            for q in self._next(place)
            for t in self._assignments(q)
            if all(self._expected(f, node, (q, t), n) == truth[n] for n, f in enumerate(self.parts))
        ]

    def _expected(self, f: Formula, node: Node, later: Node, n: int) -> bool:
        """The value of a temporal formula by what comes next."""
        return (
            self._value(f.args[0], *later) if f.op == "X" else self._expands(f, *node, later[1][n])
        )

    def _expands(self, f: Formula, place: Place, truth: tuple[bool, ...], later: bool) -> bool:
        now = [self._value(a, place, truth) for a in f.args]
        match f.op:
            case "F":
                return now[0] or later
            case "G":
                return now[0] and later
            case "U" | "W":
                return now[1] or (now[0] and later)
        return now[1] and (now[0] or later)

    def _value(self, f: Formula, place: Place, truth: tuple[bool, ...]) -> bool:
        if f in self.parts:
            return truth[self.parts.index(f)]
        if f.atom is not None:
            return bool(evaluate(f.atom, dict(zip(self.cfa.variables, place[1], strict=True))))
        values = [self._value(a, place, truth) for a in f.args]
        match f.op:
            case "!":
                return not values[0]
            case "&":
                return all(values)
            case "|":
                return any(values)
            case "->":
                return values[1] or not values[0]
            case "<->":
                return values[0] is values[1]
        return f.op == "true"

    def _fair(self, part: list[Node], graph: dict[Node, list[Node]]) -> bool:
        if len(part) == 1 and part[0] not in graph[part[0]]:
            return False
        return all(
            any(self._settled(f, n, *node) for node in part) for n, f in enumerate(self.parts)
        )

    def _settled(self, f: Formula, n: int, place: Place, truth: tuple[bool, ...]) -> bool:
        """The promise of F and U is kept or not made; G, R and W are claimed, or denied with a
        reason.
        """
        last = self._value(f.args[-1], place, truth)
        if f.op == "X":
            return True
        if f.op in ("F", "U"):
            return last or not truth[n]
        if f.op == "W":
            return truth[n] or not (self._value(f.args[0], place, truth) or last)
        return truth[n] or not last
