"""Which expressions expose the layout of memory (layout.py): decided when all objects and their
types are known.
"""

from __future__ import annotations

from obligato.frontends.c import kinds as k
from obligato.frontends.c.lifetimes import dangling
from obligato.frontends.c.loads import ANYTHING, Load, is_whole, passed_on
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.objects import Object
from obligato.frontends.c.observations import compared_pointers
from obligato.frontends.c.once import all_last
from obligato.frontends.c.types import (
    CType,
    PointerType,
    RecordType,
    element_type,
    holds_pointer,
    is_number,
    layout,
    overlaps,
    places_of,
)
from obligato.frontends.c.usage import Usage


def decide(usage: Usage) -> None:
    """Mark the operators whose results depend on the layout."""
    usage.ended = _ended(usage) if usage.observations else {}
    moved = {usage.points.find(c) for c in usage.moved}
    usage.numbers = _read_as_numbers(usage)
    usage.loads = _loads(usage)
    for n in usage.observations:
        objects = pointees(n, usage)
        static = [o for o in objects if o.address is not None]
        if n.operator in (k.B_EQ, k.B_NE):
            reused = usage.frees and any(o.kind == "heap" for o in objects)
            adjacent = len(objects) > 1 and any(
                o.kind != "function"
                and (usage.points.find(o.location) in moved or o.type.size == 0)
                for o in static
            )
            ended = any(o in usage.ended for o in objects)
            n.learns = reused or adjacent or ended or bool(mergeable(objects))
            usage.compares_freed |= reused
        else:
            n.learns = (
                len(static) > 1 or 0 < len(static) < len(objects) or orders_allocations(n, usage)
            )
    usage.invented = _invented(usage)
    for n in usage.invented:
        n.learns = True


def mergeable(objects: list[Object]) -> list[Object]:
    """String literals, and constants that are as large as one: compilers may give a literal the
    place of another one, or of such a constant. Nothing if there is no choice.
    """
    sizes = {o.type.size for o in objects if o.kind == "string"}  # membership only
    found = [
        o
        for o in objects
        if (o.is_constant or (o.kind == "literal" and o.static_storage)) and o.type.size in sizes
    ]
    return found if len(found) > 1 else []


def _ended(usage: Usage) -> dict[Object, None]:
    """What pointers may outlive: variables, and memory from alloca, which lives as long as the
    function.
    """
    automatic = [
        o for o in usage.site_objects.values() if o.automatic and o.owner is not usage.entry
    ]
    return dangling(usage) | dict.fromkeys(automatic)


def _operands(n: Node, usage: Usage) -> list[int]:
    """The classes of the pointers that a binary operator is about."""
    values = [usage.value(p) for p in compared_pointers(n) if p is not None]
    return [usage.points.find(v) for v in values if v is not None]


def pointees(n: Node, usage: Usage) -> list[Object]:
    """The objects in memory, and the functions, that the operands of a binary operator may point
    to.
    """
    facts = dict.fromkeys(
        o for c in _operands(n, usage) for o in usage.points.facts(c) if isinstance(o, Object)
    )
    return [o for o in facts if o.region is not None or o.kind == "function"]


def orders_allocations(n: Node, usage: Usage) -> bool:
    """Are addresses in different allocations ordered, or subtracted, as numbers? As
    pointers that is undefined.
    """
    allocations = [o for o in pointees(n, usage) if o.address is None and o.kind != "function"]
    as_numbers = not any(isinstance(c.type, PointerType) for c in n.operands)
    return as_numbers and (len(allocations) > 1 or not all_last(usage, allocations))


# -- pointers that become numbers


def _read_as_numbers(usage: Usage) -> dict[int, None]:
    """The classes from which numbers are read that may be bytes of a pointer; those they are copied
    from included.
    """
    find = usage.points.find
    found = {find(c): None for c in usage.read_as_numbers}
    found |= {find(o.location): None for o in usage.everything() if _is_among_pointers(o, usage)}
    size = -1
    while size < len(found):
        size = len(found)
        found |= {find(source): None for target, source, _ in usage.copies if find(target) in found}
    return found


def _loads(usage: Usage) -> dict[int, dict[Load, None]]:
    """Which numbers are read from each class, or from one where its memory is copied to."""
    find = usage.points.find
    behind = _behind(usage)
    found: dict[int, dict[Load, None]] = {}

    def add(c: int, loads: dict[Load, None]) -> None:
        read = {ANYTHING: None} if loads and c in behind else loads
        found.setdefault(c, {}).update(read)

    for c, loads in usage.loads.items():
        add(find(c), loads)
    copies = [(find(d), find(s), t) for d, s, t in usage.copies]
    size = -1
    while size < (size := sum(map(len, found.values()))):
        for target, source, t in copies:
            add(source, passed_on(found.get(target, {}), t, usage.views(target)))
    return found


def _behind(usage: Usage) -> dict[int, None]:
    """The classes of pointers of which not all lead to the beginning of an object, or of an element
    of which all views of the memory show parts.
    """
    find = usage.points.find
    steps: dict[int, list[CType]] = {}
    for c, t in usage.steps:
        steps.setdefault(find(c), []).append(t)
    found = {find(c): None for c in usage.behind}
    for c, types in steps.items():
        views = usage.views(c)
        if not any(is_whole(v, views, types) for v in views):
            found[c] = None
    return found


def _is_among_pointers(o: Object, usage: Usage) -> bool:
    """Is an object made of numbers, and seen as pointers too?"""
    return is_number(element_type(o.type)) and any(holds_pointer(t) for t in usage.views_of(o))


# -- numbers that become pointers


def _invented(usage: Usage) -> dict[Node, None]:
    """The comparisons whose result tells something about a number that was not converted to a
    pointer by a cast.
    """
    strange = [n for n in usage.observations if any(map(usage.is_strange, _operands(n, usage)))]
    if strange and (usage.invents or _writes_pointers(usage)):
        return dict.fromkeys(strange)
    if all(n.operator in (k.B_EQ, k.B_NE) for n in strange):
        return {}
    return {
        n: None
        for n in strange
        if n.operator in (k.B_EQ, k.B_NE) and len(set(_operands(n, usage))) > 1
    }


def _writes_pointers(usage: Usage) -> bool:
    """Is a number written where a pointer may be read?"""
    raw = {usage.points.find(c): None for c in usage.written_as_numbers}
    raw |= {
        usage.points.find(o.location): None
        for o in usage.everything()
        if _is_among_pointers(o, usage)
    }
    if any(holds_pointer(t) for c in raw if not usage.is_apart(c) for t in usage.views(c)):
        return True
    views = {t: None for o in usage.everything() for t in usage.views_of(o)}
    if usage.writes_unions and any(overlaps(t) and holds_pointer(t) for t in views):
        return True
    behind = _behind(usage)
    moved = [o for o in usage.everything() if usage.points.find(o.location) in behind]
    return any(_clash(a, b) for a, b in _seen_as(usage)) or any(
        _may_clash(usage.views_of(o)) for o in moved
    )


def _seen_as(usage: Usage) -> dict[tuple[RecordType, RecordType], None]:
    """Records that are seen as other records: by a cast, or since pointers to a variable are
    pointers to others too.
    """
    found = dict(usage.record_casts)
    for o in usage.everything():
        t = element_type(o.type)
        if isinstance(t, RecordType):
            found |= {
                (t, v): None for v in usage.views_of(o) if isinstance(v, RecordType) and v is not t
            }
    return found


def _may_clash(views: list[CType]) -> bool:
    """Are a record with pointers and another one with numbers seen, so that they clash if they do
    not begin together?
    """
    records = [v for v in views if isinstance(v, RecordType)]
    return any(
        a is not b and holds_pointer(a) and _has_numbers(b) and not places_of(b, a)
        for a in records
        for b in records
    )


def _has_numbers(t: RecordType) -> bool:
    leaves = layout(t)
    return leaves is None or not all(is_pointer for _, _, is_pointer in leaves)


def _clash(a: RecordType, b: RecordType) -> bool:
    """Does one of two records have a number at an offset where the other one has a pointer?"""
    known = [layout(a), layout(b)]
    if None in known:
        return holds_pointer(a) or holds_pointer(b)
    bits = [
        {
            (bit, is_pointer)
            for at, sort, is_pointer in t or ()
            for bit in range(at, at + sort.width, 8)
        }
        for t in known
    ]
    return not bits[0].isdisjoint({(bit, not is_pointer) for bit, is_pointer in bits[1]})
