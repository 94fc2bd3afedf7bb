"""The values of gates, given which input gates are true:
one by one (for many inputs at once: `lanes`)."""

from __future__ import annotations

from collections.abc import Iterable, Set

from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, XOR, XOR3, Gates


def evaluate_gates(gates: Gates, literals: Iterable[int], true: Set[int]) -> list[bool]:
    """The values of `literals`, where the input gates in `true` are true and all others false."""
    known: dict[int, bool] = {}
    out = []
    for literal in literals:
        _evaluate(gates, abs(literal), true, known)
        out.append(known[abs(literal)] is (literal > 0))
    return out


def _evaluate(gates: Gates, root: int, true: Set[int], known: dict[int, bool]) -> None:
    stack = [root]
    while stack:
        gate = stack[-1]
        if gate in known:
            stack.pop()
            continue
        inputs = gates.inputs[gate]
        pending = [abs(x) for x in inputs if abs(x) not in known]
        if pending:
            stack.extend(pending)
            continue
        stack.pop()
        known[gate] = _value(
            gates.kinds[gate], [known[abs(x)] is (x > 0) for x in inputs], gate in true
        )


def _value(kind: int, v: list[bool], free: bool) -> bool:
    if kind == CONST:
        return True
    if kind == INPUT:
        return free
    if kind == AND:
        return all(v)
    if kind in (XOR, XOR3):
        return sum(v) % 2 == 1
    if kind == ITE:
        return v[1] if v[0] else v[2]
    assert kind == MAJ
    return sum(v) >= 2


class Evaluator:
    """Evaluation of the same literals again and again:
    the gates below them are listed once, inputs first."""

    def __init__(self, gates: Gates, literals: Iterable[int]) -> None:
        self.literals = list(literals)
        seen: set[int] = set()
        stack = [abs(x) for x in self.literals]
        while stack:
            gate = stack.pop()
            if gate not in seen:
                seen.add(gate)
                stack.extend([abs(x) for x in gates.inputs[gate]])
        self.program = [(gate, gates.kinds[gate], gates.inputs[gate]) for gate in sorted(seen)]
        self.size = 2 * max(seen, default=1) + 1

    def __call__(self, true: Set[int]) -> list[bool]:
        """The values of the literals,
        where the input gates in `true` are true and all others false."""
        values = [False] * self.size  # a negative literal indexes it from its end
        for gate, kind, inputs in self.program:
            if kind == AND:
                value = True
                for x in inputs:
                    if not values[x]:
                        value = False
                        break
            else:
                value = _value(kind, [values[x] for x in inputs], gate in true)
            values[gate], values[-gate] = value, not value
        return [values[x] for x in self.literals]
