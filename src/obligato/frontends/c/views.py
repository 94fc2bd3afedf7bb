"""The types under which memory is seen, by points-to class.

Each object is of the type that it was declared as, or allocated for.  Casts, functions that are
called by another type and copies show memory under other types, too: such a type is attached to the
class.  Where that is not so, a pointer to some type is to a part of that type, and memory is kept
by type whatever the objects of the class are (`is_apart`).

Casts from ``void *``, and from a member to the record around it (``container_of``), usually go back
to what an object is.  Where objects hold pointers, which would be lost in bytes, memory of few
static objects that is seen under other types by such casts only is *checked*: it is kept by type,
too, and an access of another type is beyond the model (`Memory`, an assertion of class `limit`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from obligato.analysis.points_to import PointsTo
from obligato.frontends.c.objects import Object, declared_types
from obligato.frontends.c.types import (
    CType,
    FunctionType,
    RecordType,
    VoidType,
    element_type,
    has_union,
    holds_pointer,
    is_part,
    layout,
    overlaps,
    places_of,
    punned,
)

MAX_CHECKED = 16  # static objects of a class that is checked
MAX_SCALARS = 128  # in all of them


@dataclass(frozen=True)
class Recovered:
    """A type to which a ``void *`` is converted."""

    type: CType


Fact = Object | CType | Recovered


@dataclass(frozen=True)
class Container:
    """Pointers of a class, to members of the type `member`, become pointers to the records around
    them, `offset` bytes before.
    """

    location: int
    record: RecordType
    member: CType
    offset: int


class Views:
    """Points-to classes with the types of their memory."""

    def __init__(self) -> None:
        self.points: PointsTo[Fact] = PointsTo()
        self.unknown = self.points.new()
        self.points.unify(self.points.pointee(self.unknown), self.unknown)
        # classes in which pointers go from element to element of this type
        self.strides: list[tuple[int, CType]] = []
        self.containers: list[Container] = []
        self.trusts = True  # may casts be checked, instead of keeping memory as bytes?

    def see(self, location: int, t: CType) -> None:
        """Memory of class `location` is seen as `t` (or elements of it)."""
        t = element_type(t)
        if not isinstance(t, VoidType | FunctionType):
            self.points.attach(location, t)

    def see_again(self, location: int, t: CType) -> None:
        """A ``void *`` to memory of this class becomes a pointer to `t` (or elements of it)."""
        t = element_type(t)
        if not isinstance(t, VoidType | FunctionType):
            self.points.attach(location, Recovered(t))

    def see_all(self, location: int, types: Iterable[CType]) -> bool:
        """Memory is seen under several types; is that new?"""
        before = len(self.points.facts(location))
        for t in types:
            self.see(location, t)
        return len(self.points.facts(location)) > before

    def see_untyped(self, location: int, void: CType) -> None:
        """Stretches of this memory are accessed of which no type is known."""
        self.points.attach(location, void)

    def is_untyped(self, c: int) -> bool:
        """Are stretches of this memory accessed, and is it seen under no type of which the size is
        known?
        """
        stretches = any(isinstance(fact, VoidType) for fact in self.points.facts(c))
        return stretches and not any(t.size > 0 for t in self.views(c))

    def views(self, c: int) -> list[CType]:
        """The types under which memory of this class is seen."""
        found: dict[CType, None] = {}
        for fact in self.points.facts(c):
            types = declared_types(fact) if isinstance(fact, Object) else [_seen(fact)]
            found.update(dict.fromkeys(t for t in types if not isinstance(t, VoidType)))
        return list(found)

    def views_of(self, o: Object) -> list[CType]:
        """The types under which an object is seen."""
        return declared_types(o) if self.is_apart(o.location) else self.views(o.location)

    def has_part(self, location: int, t: CType) -> bool:
        """Is something in this memory of a type, or of the same layout?"""
        return any(is_part(t, view) for view in self.views(location))

    def is_apart(self, c: int) -> bool:
        """Is each object of this class only accessed as what it is?  Nothing has shown the memory
        under another type, no stretch without a type is copied or set there, and pointers to it are
        read as what they were written as; or accesses are checked.
        """
        return self._is_plain(c) or self.is_checked(c)

    def _is_plain(self, c: int) -> bool:
        objects = all(isinstance(fact, Object) for fact in self.points.facts(c))
        return objects and not self.points.is_mixed(c) and not self._containers(c)

    def is_checked(self, c: int) -> bool:
        """Is there an assertion, at each access through this class, that its type is that of the
        object there?
        """
        facts = self.points.facts(c)
        if not self.trusts or any(isinstance(t, CType) for t in facts):
            return False
        if self.points.is_mixed(c) or self._is_plain(c):
            return False
        objects = [o for o in facts if isinstance(o, Object)]
        seen = [t.type for t in facts if isinstance(t, Recovered)]
        views, containers = self.views(c), self._containers(c)
        loses = bool(views) and punned(views) and any(map(holds_pointer, views))
        return (
            (bool(containers) or loses)
            and len(objects) <= MAX_CHECKED
            and not any(has_union(t) or layout(t) is None for t in views)
            and _scalars(objects) <= MAX_SCALARS
            and all(_is_declared(t, objects) for t in seen)
            and not self._steps(containers)
            and all(self._is_right(o, seen, containers) for o in objects)
        )

    def _is_right(self, o: Object, seen: list[CType], containers: list[Container]) -> bool:
        """Is it a variable, whose place is known, or dynamic memory to which only pointers of its
        own type lead?
        """
        if o.kind != "heap":
            return o.kind in ("global", "local", "string") and o.type.size > 0
        types = declared_types(o)
        return bool(types) and not seen and all(_is_inside(types[0], x) for x in containers)

    def _steps(self, containers: list[Container]) -> bool:
        """Do pointers go from member to member? Then they may come to something else."""
        find, members = self.points.find, {x.member: None for x in containers}
        return any(
            t in members and find(c) == find(containers[0].location) for c, t in self.strides
        )

    def _containers(self, c: int) -> list[Container]:
        c = self.points.find(c)
        return [x for x in self.containers if self.points.find(x.location) == c]

    def is_punned(self, c: int) -> bool:
        """May memory of this class be accessed as scalars of different kinds at one place?"""
        views = self.views(c)
        return any(map(overlaps, views)) if self.is_apart(c) else bool(views) and punned(views)

    def add_container(self, x: Container) -> None:
        """A pointer to a member becomes one to its record."""
        self.containers.append(x)

    def give_up_containers(self) -> bool:
        """Where accesses are not checked, such a pointer is one to bytes, then to the record."""
        changed = False
        for x in self.containers:
            if not self.is_checked(x.location):
                changed |= self.see_all(x.location, [x.member, x.record, self.byte])
        return changed

    @property
    def byte(self) -> CType:
        """The type of bytes."""
        raise NotImplementedError


def _seen(fact: CType | Recovered) -> CType:
    return fact.type if isinstance(fact, Recovered) else fact


def _scalars(objects: list[Object]) -> int:
    return sum(len(layout(t) or ()) * _count(o, t) for o in objects for t in declared_types(o))


def _count(o: Object, t: CType) -> int:
    """How many elements of this type an object has."""
    return max(1, o.type.size // t.size) if o.kind != "heap" and t.size > 0 else 1


def _is_declared(t: CType, objects: list[Object]) -> bool:
    """Has an object a part of just this type?"""
    return any(places_of(t, whole) for o in objects for whole in declared_types(o))


def _is_inside(whole: CType, x: Container) -> bool:
    """Is every part of the type that is such a member at the offset that it has in its record?"""
    records = places_of(x.record, whole)
    return all(at - x.offset in records for at in places_of(x.member, whole))
