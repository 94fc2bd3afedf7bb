"""Lowering of markers (markers.py): assertions for invariants, a variable that counts segments for waypoints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.frontends.c.catalogue import SEGMENT
from obligato.frontends.c.code import Code
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.markers import INVARIANTS, Marker
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.purity import changes_state
from obligato.program.syntax import PROPERTY, WITNESS, Assert, Assign, Choice, If, Program, Statement, Variable, While
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
    marker, store, span = code.context.markers[number], code.store, n.span
    if len(arguments) == 3:
        _move(code, _passed(code.context.markers), store.true, _passed(code.context.markers) + 1)
        return
    if changes_state(arguments[1]):
        raise Unsupported(f"an effect in the expression of the {marker}", marker.said, "expression of a witness")
    with code.block() as needed:
        holds = evaluator.condition(arguments[1])
    code.out.extend(without_asserts(needed))
    if marker.kind in INVARIANTS:
        code.emit(Assert(holds, f"{WITNESS} {number}", span=span))
    else:
        after = marker.segment + 1 if marker.follow else _passed(code.context.markers) + 1
        _move(code, marker.segment, holds, after)


def _passed(markers: Iterable[Marker]) -> int:
    """The value of the variable when all segments are passed; one more, and no segment is ever passed again."""
    return max(m.segment for m in markers) + 1


def _move(code: Code, at: int, holds: Term, to: int) -> None:
    store, here = code.store, segment(code.store)
    there = store.and_(store.eq(here, store.bv(at, _SORT.width)), holds)
    code.emit(Assign((here,), (store.ite(there, store.bv(to, _SORT.width), here),), code.span))


def without_asserts(body: Iterable[Statement]) -> tuple[Statement, ...]:
    """The statements without assertions: what the property says is not asked about the expressions of a witness."""
    return tuple(_inside(s, without_asserts) for s in body if not isinstance(s, Assert))


def restricted(program: Program, markers: tuple[Marker, ...], lines: tuple[int, int]) -> Program:
    """The program in which only runs that have passed all segments violate the property, and only at the target's lines."""
    store = program.store
    passed = store.eq(segment(store), store.bv(_passed(markers), _SORT.width))

    def guarded(body: Iterable[Statement]) -> tuple[Statement, ...]:
        return tuple(guard(s) if isinstance(s, Assert) else _inside(s, guarded) for s in body)

    def guard(s: Assert) -> Statement:
        if s.kind != PROPERTY:
            return s
        if not lines[0] <= s.span.line <= lines[1]:
            return replace(s, condition=store.true)
        return replace(s, condition=store.or_(s.condition, store.not_(passed)))

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
