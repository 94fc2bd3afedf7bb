"""Which numbers are read from memory: where they are in records.

A pointer that is stored where no number is read gives nothing away about where objects lie
(layout.py), though a record that the memory is seen as may have a number there.  Which place in
one record is which place in another one is known where all begin together: where no pointer leads
to what is behind a beginning (`Layout.is_read_as_number`), and memory is copied as what both sides
are (`passed_on`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from obligato.frontends.c import kinds as k
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import decayed_array
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    FunctionType,
    PointerType,
    RecordType,
    element_type,
    layout,
    places_of,
)


@dataclass(frozen=True)
class Load:
    """Something is read that begins so many bits behind the start of a record; without a record:
    anything may be read as numbers.
    """

    record: RecordType | None = None
    start: int = 0
    size: int = 0


ANYTHING = Load()


def loaded(n: Node) -> Load | None:
    """What the use of an lvalue reads that may be a number in a record; None: nothing."""
    if isinstance(n.type, PointerType | FunctionType | ArrayType):
        return None
    if isinstance(n.type, RecordType):
        return Load(n.type, 0, 8 * n.type.size)
    record: CType | None = None
    start, size = 0, 8 * n.type.size
    while True:
        array = _array(n)
        if n.kind == k.PAREN:
            n = n.operands[0]
        elif array is not None and record is None:  # any of its elements
            n, start, size = array, 0, 8 * array.type.size
        elif n.kind == k.MEMBER:
            base = n.operands[0]
            pointer = isinstance(base.type, PointerType)
            record = base.type.to if isinstance(base.type, PointerType) else base.type
            if not isinstance(record, RecordType):
                return ANYTHING
            start += _offset(record, n)
            if pointer:  # of another record
                return Load(record, start, size)
            n = base
        else:
            return Load(record, start, size) if isinstance(record, RecordType) else None


def is_behind(n: Node) -> bool:
    """Is an lvalue a member that does not begin where its record begins?"""
    while n.kind in (k.PAREN, k.MEMBER) or _array(n) is not None:
        array = _array(n)
        if array is not None:
            n = array
            continue
        base = n.operands[0]
        record = base.type.to if isinstance(base.type, PointerType) else base.type
        if n.kind == k.MEMBER and (not isinstance(record, RecordType) or _offset(record, n)):
            return True
        if isinstance(base.type, PointerType):
            return False
        n = base
    return False


def stepped(n: Node) -> CType:
    """The type of the elements of which an lvalue is one, or a part of one."""
    while n.kind in (k.PAREN, k.MEMBER):
        n = n.operands[0]
    return element_type(n.type)


def is_whole(view: CType, views: Iterable[CType], steps: Iterable[CType]) -> bool:
    """Do all views of memory show parts of this one, and do pointers go from one of it to others?"""
    inside = isinstance(view, RecordType) and all(_is_inside(v, view) for v in views)
    return inside and all(t is view for t in steps)


def _array(n: Node) -> Node | None:
    """The array of which an lvalue is an element."""
    if n.kind != k.SUBSCRIPT:
        return None
    return decayed_array(n.operands[0]) or decayed_array(n.operands[1])


def _offset(record: RecordType, n: Node) -> int:
    """Where a member is, in bits."""
    key = n.tree.lib.getCursorReferenced(n.cursor).data[0] or 0
    return sum(f.offset for f in record.way_to(key) or ())


def is_read(view: RecordType, at: int | None, width: int, loads: Iterable[Load]) -> bool:
    """Is a number read, in memory that is seen as this record, of which a bit is in the `width`
    bits that begin `at` bytes behind its start (None: somewhere), or in an array of it?
    """
    places = [at] if at is None or view.size <= 0 else [at, at % view.size]
    return any(
        begin < 8 * place + width and 8 * place < end if place is not None else True
        for load in loads
        for begin, end in _ranges(load, view)
        for place in places
    )


def passed_on(
    loads: Iterable[Load], common: CType | None, views: Iterable[CType]
) -> dict[Load, None]:
    """What loads from memory that is seen in these ways read of memory that is copied there as a
    type (None: as several).
    """
    whole = common if isinstance(common, RecordType) else None
    fits = whole is not None and all(_is_inside(v, whole) for v in views)
    return {load if fits else ANYTHING: None for load in loads}


def _is_inside(t: CType, whole: RecordType) -> bool:
    return t is whole or bool(places_of(t, whole))


def _ranges(load: Load, view: RecordType) -> Iterator[tuple[int, int]]:
    """The bits of a record that a load may read as numbers."""
    if load.record is None:
        yield 0, 1 << 64
        return
    for place in places_of(load.record, view) or [0]:
        for begin, end in _numbers(load):
            yield 8 * place + begin, 8 * place + end


def _numbers(load: Load) -> list[tuple[int, int]]:
    """The bits of its record that a load reads as numbers: all of them, but for the pointers in a
    record that is read as a whole.
    """
    assert load.record is not None
    leaves = layout(load.record) if load.size == 8 * load.record.size else None
    if leaves is None or load.start:
        return [(load.start, load.start + max(load.size, 1))]
    return [(at, at + sort.width) for at, sort, is_pointer in leaves if not is_pointer]
