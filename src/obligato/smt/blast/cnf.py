"""The clauses that define a gate's output `v` by its inputs,
for each kind of gate (Tseitin, both directions).

XOR3 and MAJ have one clause per prime implicate, so unit propagation derives all it can within the
gate; ITE has the two redundant clauses that derive its value when both branches agree. Negations
are made once, as loading gates is hot.
"""

from __future__ import annotations

from collections.abc import Callable

from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, XOR, XOR3

Clauses = tuple[tuple[int, ...], ...]


def _and(v: int, *ins: int) -> Clauses:
    return (*[(-v, x) for x in ins], (v, *[-x for x in ins]))


def _xor(v: int, a: int, b: int) -> Clauses:
    u, x, y = -v, -a, -b
    return (u, a, b), (u, x, y), (v, x, b), (v, a, y)


def _ite(v: int, c: int, a: int, b: int) -> Clauses:
    u, n, x, y = -v, -c, -a, -b
    return (u, n, a), (v, n, x), (u, c, b), (v, c, y), (u, a, b), (v, x, y)


def _xor3(v: int, a: int, b: int, c: int) -> Clauses:
    u, x, y, z = -v, -a, -b, -c
    return (
        (u, a, b, c),
        (v, x, b, c),
        (v, a, y, c),
        (v, a, b, z),
        (v, x, y, z),
        (u, a, y, z),
        (u, x, b, z),
        (u, x, y, c),
    )


def _maj(v: int, a: int, b: int, c: int) -> Clauses:
    u, x, y, z = -v, -a, -b, -c
    return (u, a, b), (u, a, c), (u, b, c), (v, x, y), (v, x, z), (v, y, z)


CLAUSES: dict[int, Callable[..., Clauses]] = {
    CONST: lambda v: ((v,),),
    INPUT: lambda v: (),
    AND: _and,
    XOR: _xor,
    ITE: _ite,
    XOR3: _xor3,
    MAJ: _maj,
}
