"""The values of gates, given which input gates are true."""

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
        known[gate] = _value(gates.kinds[gate], [known[abs(x)] is (x > 0) for x in inputs], gate in true)


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
