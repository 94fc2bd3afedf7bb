"""Lowering of markers (markers.py): assertions for invariants, a variable that counts segments for
waypoints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.frontends.c.catalogue import SEGMENT
from obligato.frontends.c.code import Code
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.markers import INVARIANTS, Marker, passed
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.purity import changes_state
from obligato.models.cfa import CFA
from obligato.models.gcl import Assume
from obligato.program.syntax import (
    PROPERTY,
    WITNESS,
    Assert,
    Assign,
    Choice,
    If,
    Program,
    Statement,
    Variable,
    While,
)
from obligato.terms import Term, TermStore, bitvec

_SORT = bitvec(16)
MAX_SEGMENTS = 1 << 15


def segment(store: TermStore) -> Term:
    """The variable that says which segment a run is in."""
    return store.var(SEGMENT, _SORT)


def segment_variable(store: TermStore) -> Variable:
    """Its declaration: a run begins in the first segment."""
    return Variable(SEGMENT, _SORT, store.bv(0, _SORT.width))


def lower_mark(code: Code, evaluator: Evaluator, n: Node, arguments: list[Node]) -> None:
    """One marker: what its expression needs is computed without any check of the property."""
    number = arguments[0].evaluate() if arguments else None
    if not isinstance(number, int) or not 0 <= number < len(code.context.markers):
        raise code.refuse("a name that is reserved for witnesses", n)
    marker, span = code.context.markers[number], code.place_of(n)
    if len(arguments) == 3:
        _finish(code, code.context.markers)
        return
    if changes_state(arguments[1]):
        raise Unsupported(
            f"an effect in the expression of the {marker}", marker.said, "expression of a witness"
        )
    with code.block() as needed:
        holds = evaluator.condition(arguments[1])
    code.out.extend(without_asserts(needed))
    if marker.kind in INVARIANTS:
        code.emit(Assert(holds, f"{WITNESS} {number}", span=span))
    else:
        after = marker.segment + 1 if marker.follow else passed(code.context.markers) + 1
        _move(code, marker.segment, holds, after)


def _finish(code: Code, markers: tuple[Marker, ...]) -> None:
    """Behind the last segment the cycle begins again, on a branch of its own (`again`); behind a
    target that was not violated the run waits for it again, as it may be in a loop.
    """
    begin = min((m.segment for m in markers if m.cycle), default=passed(markers) - 1)
    first = code.store.bv(begin, _SORT.width)
    code.emit(
        If(
            followed(code.store, markers),
            (Assign((segment(code.store),), (first,), code.span),),
            (),
            code.span,
        )
    )


def followed(store: TermStore, markers: Iterable[Marker]) -> Term:
    """All segments are passed."""
    return store.eq(segment(store), store.bv(passed(markers), _SORT.width))


def again(cfa: CFA, markers: Iterable[Marker]) -> frozenset[int]:
    """The locations where a run is when it has passed the cycle of a witness once more."""
    condition = followed(cfa.store, markers)
    return frozenset(
        e.target
        for e in cfa.edges
        if isinstance(e.command, Assume) and e.command.condition is condition
    )


def _move(code: Code, at: int, holds: Term, to: int) -> None:
    store, here = code.store, segment(code.store)
    there = store.and_(store.eq(here, store.bv(at, _SORT.width)), holds)
    code.emit(Assign((here,), (store.ite(there, store.bv(to, _SORT.width), here),), code.span))


def without_asserts(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements without assertions: what the property says is not asked about the expressions
    of a witness.
    """
    return tuple(_inside(s, without_asserts) for s in body if not isinstance(s, Assert))


def restricted(program: Program, markers: tuple[Marker, ...], lines: tuple[int, int]) -> Program:
    """The program in which only runs that have passed all segments violate the property, and only
    at the target's lines.
    """
    store = program.store
    reached = followed(store, markers)

    def guarded(body: Iterable[Statement]) -> tuple[Statement, ...]:
        return tuple(guard(s) if isinstance(s, Assert) else _inside(s, guarded) for s in body)

    def guard(s: Assert) -> Statement:
        if s.kind != PROPERTY:
            return s
        if not lines[0] <= s.span.line <= lines[1]:
            return replace(s, condition=store.true)
        return replace(s, condition=store.or_(s.condition, store.not_(reached)))

    procedures = {name: replace(p, body=guarded(p.body)) for name, p in program.procedures.items()}
    return replace(program, procedures=procedures)


def _inside(s: Statement, change: object) -> Statement:
    """The statement with the bodies in it changed."""
    assert callable(change)
    match s:
        case If():
            return replace(s, then=change(s.then), otherwise=change(s.otherwise))
        case While():
            return replace(s, body=change(s.body))
        case Choice():
            return replace(s, branches=tuple(change(b) for b in s.branches))
    return s
