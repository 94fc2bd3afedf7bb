"""The clauses that define a gate's output `v` by its inputs, for each kind of gate (Tseitin, both directions).

XOR3 and MAJ have one clause per prime implicate, so unit propagation derives all it can within the gate; ITE has
the two redundant clauses that derive its value when both branches agree.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, XOR, XOR3

Clauses = tuple[tuple[int, ...], ...]


def _and(v: int, *ins: int) -> Clauses:
    return (*[(-v, x) for x in ins], (v, *[-x for x in ins]))


def _xor(v: int, a: int, b: int) -> Clauses:
    return (-v, a, b), (-v, -a, -b), (v, -a, b), (v, a, -b)


def _ite(v: int, c: int, a: int, b: int) -> Clauses:
    return (-v, -c, a), (v, -c, -a), (-v, c, b), (v, c, -b), (-v, a, b), (v, -a, -b)


def _xor3(v: int, a: int, b: int, c: int) -> Clauses:
    return (
        (-v, a, b, c), (v, -a, b, c), (v, a, -b, c), (v, a, b, -c),
        (v, -a, -b, -c), (-v, a, -b, -c), (-v, -a, b, -c), (-v, -a, -b, c),
    )


def _maj(v: int, a: int, b: int, c: int) -> Clauses:
    return (-v, a, b), (-v, a, c), (-v, b, c), (v, -a, -b), (v, -a, -c), (v, -b, -c)


CLAUSES: dict[int, Callable[..., Clauses]] = {
    CONST: lambda v: ((v,),), INPUT: lambda v: (), AND: _and, XOR: _xor, ITE: _ite, XOR3: _xor3, MAJ: _maj,
}
