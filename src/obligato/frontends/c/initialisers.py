"""Initialisers [C11, 6.7.9]: nested lists without braces, designators, texts, scalars.

libclang shows lists as written. `_fill` gives an aggregate its items, taking as many as it needs
when its own braces are missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from obligato.frontends.c import kinds as k
from obligato.frontends.c.aggregates import MAX_PARTS, Aggregates
from obligato.frontends.c.allocations import Allocations
from obligato.frontends.c.arithmetic import Arithmetic
from obligato.frontends.c.assignments import Assignments
from obligato.frontends.c.code import Part
from obligato.frontends.c.evaluator import Evaluator
from obligato.frontends.c.keys import pointer_key
from obligato.frontends.c.literals import string_values
from obligato.frontends.c.lvalues import Places
from obligato.frontends.c.memory import Memory
from obligato.frontends.c.nodes import Node
from obligato.frontends.c.patterns import is_varying
from obligato.frontends.c.places import Captured, SplitPlace, place_terms
from obligato.frontends.c.sequencing import Effects, effects_of
from obligato.frontends.c.types import (
    ArrayType,
    CType,
    Field,
    IntType,
    PointerType,
    RecordType,
    VoidType,
    is_scalar,
)
from obligato.terms import Term

T = TypeVar("T")
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
# a member or an index; the first and the last index of a range
Designator = tuple[Node, Node | None]
# positions that lead from the object of a braced list to a part of it
Way = tuple[int, ...]  # positions that lead to a part of what is initialised


class Items:
    """The items of one braced list and how many are used."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes, self.next = nodes, 0
        self.designated = False  # a part may have been initialised before
        self.copied = False  # a record was initialised by the value of another
        self.acting: list[Way] = []  # the parts whose values have effects

    @property
    def done(self) -> bool:
        """Have all items been used?"""
        return self.next >= len(self.nodes)

    @property
    def current(self) -> Node:
        """The next item."""
        return self.nodes[self.next]


@dataclass(eq=False, repr=False)
class Initialisers(Part):
    """Initial values of objects, from initialiser lists too (`initialise`)."""

    memory: Memory
    aggregates: Aggregates
    allocations: Allocations
    arithmetic: Arithmetic
    places: Places
    assignments: Assignments
    evaluator: Evaluator

    def __post_init__(self) -> None:
        super().__post_init__()
        self._items: list[Effects] | None = (
            None  # of the list that is being lowered, if one has effects
        )
        self._varies: bool | None = None  # is what is being lowered no constant?

    def initialise(self, place: Captured, start: Node, zero_rest: bool = True) -> None:
        """Give an object its initial value; parts without an initialiser become zero."""
        while start.kind == k.PAREN:
            start = start.operands[0]
        outer = self._varies
        self._varies = zero_rest and is_varying(start) if outer is None else outer
        self._in_order(place, start, zero_rest)
        self._varies = outer

    def _in_order(self, place: Captured, start: Node, zero_rest: bool) -> None:
        if start.kind == k.INIT_LIST and self._items is None and self.code.effectful(start):
            self._items = []
            self._initialise(place, start, zero_rest)
            self.code.leave_open(self._items)  # [C11, 6.7.9p23]
            self._items = None
        else:
            self._initialise(place, start, zero_rest)

    def _initialise(self, place: Captured, start: Node, zero_rest: bool) -> None:
        t = place.type
        if start.kind == k.INIT_LIST:
            if zero_rest and not is_scalar(t):
                self.allocations.zero(place)
            self._braced(place, start)
        elif is_scalar(t):
            self._scalar(place, start)
        elif isinstance(t, ArrayType):
            self._string_into(place, start)
        else:
            self.aggregates.copy(place, self.memory.capture(self.places.place(start)))

    def _scalar(self, place: Captured, start: Node) -> None:
        self._refuse_unconverted(place.type, start)
        if self._items is not None:
            value = self._item(lambda: self.evaluator.value(start), lambda v: [v])
        elif isinstance(place, SplitPlace) and self.code.effectful(start):
            value = self.assignments.call_into(place, start)
            if value in self.memory.slot(place).variables and place.index is None:
                return
        else:
            value = self.evaluator.value(start)
        self.memory.store_at(place, self.arithmetic.convert(value, start.type, place.type))

    def _refuse_unconverted(self, t: CType, start: Node) -> None:
        """The first pass knows a member by the type of its initial value (`Flow.initialise`)."""
        pointers = isinstance(t, PointerType) and isinstance(start.type, PointerType)
        if pointers and pointer_key(t) != pointer_key(start.type):
            raise self.code.refuse("initial value of another type", start)

    def _item(self, lower: Callable[[], T], terms: Callable[[T], list[Term]]) -> T:
        """Lower an item of a list to a value or place; its effects are recorded, since the order of
        the items is open.
        """
        items, self._items = self._items, None
        with self.code.block() as mine:
            value = lower()
        self._items = items
        effects = effects_of(mine)
        effects.read(terms(value))
        if items is not None and (effects.reads or effects.writes or effects.calls or effects.sums):
            items.append(effects)
        self.code.out.extend(mine)
        return value

    def _string_into(self, place: Captured, start: Node) -> None:
        t = place.type
        assert isinstance(t, ArrayType)
        literal = start
        while literal.kind in (k.PAREN, k.UNEXPOSED_EXPR) and literal.operands:
            literal = literal.operands[0]
        if literal.kind != k.STRING or not isinstance(t.element, IntType):
            raise self.code.refuse("array initialiser", start)
        count = self._filled_count(t, start)
        values = string_values(literal.spelling)[:count]
        for i, v in enumerate(values + [0] * (count - len(values))):
            self.memory.store_at(
                self.memory.element(place, self.code.address(i)),
                self.scalars.constant(v, t.element),
            )

    # -- lists

    def _braced(self, place: Captured, node: Node) -> None:
        """``{ ... }`` for one object."""
        t, items = place.type, Items(node.operands)
        if items.done:
            if is_scalar(t):
                self.memory.store_at(place, self.allocations.zero_of(t))
            return
        if len(items.nodes) == 1 and _takes_string(t, items.current):
            self._string_into(place, items.current)
        elif is_scalar(t):
            self.initialise(place, items.current)
        else:
            self._fill(place, items, braced=True)

    def _fill(
        self, place: Captured, items: Items, braced: bool, position: int = 0, way: Way = ()
    ) -> None:
        """Initialise the parts of an aggregate in order from the items; designators jump (only
        within braces).
        """
        limit = self._part_count(place.type)
        if isinstance(place.type, ArrayType) and not items.done:
            self._filled_count(place.type, items.current)
        while not items.done:
            item = items.current
            designators = self._designators(item) if _is_designated(item) else None
            if designators is not None:
                if not braced:
                    return
                if items.copied and len(designators) > 1:  # gcc drops what the part had before
                    raise self.code.refuse(
                        "designator into a record that an earlier initialiser has filled", item
                    )
                items.next += 1
                items.designated = True
                position = self._designated(place, designators, item.operands[-1], items, way)
                continue
            if position >= limit:
                return
            if isinstance(place.type, RecordType):
                self._choose(place, place.type.fields[position])
            self._take(self._part(place, position), items, (*way, position))
            position += 1

    def _take(self, place: Captured, items: Items, way: Way) -> None:
        item, t = items.current, place.type
        if item.kind == k.INIT_LIST or is_scalar(t) or _takes_string(t, item):
            items.next += 1
            self._note(items, way, item)
            self.initialise(place, item, zero_rest=items.designated)
        elif isinstance(t, RecordType) and item.type is t:
            items.next += 1
            items.copied = True
            self._note(items, way, item)
            self.aggregates.copy(
                place, self.memory.capture(self._item(lambda: self.places.place(item), place_terms))
            )
        else:
            self._fill(place, items, braced=False, way=way)

    def _choose(self, place: Captured, f: Field) -> None:
        """A member gets its value. If it is one of a union, the rest of that is zero as gcc 12 and
        constants have it, or what it was before (clang without optimisation).
        """
        assert isinstance(place.type, RecordType)
        if self._varies and place.type.is_union:
            self.aggregates.open_others(place, f)

    def _note(self, items: Items, way: Way, value: Node) -> None:
        """A part gets its value. One that it had before may have been evaluated or not [C11,
        6.7.9p19]: compilers do not, so it must have no effect.
        """
        if self._items is None:
            return
        if any(old[: len(way)] == way[: len(old)] for old in items.acting):
            raise self.code.refuse("an initialiser with effects that another one overrides", value)
        if self._has_effects(value):
            items.acting.append(way)

    def _designators(self, item: Node) -> list[Designator]:
        """The designators of an item: each a member or an index, or the two indices of a range."""
        found: list[Designator] = []
        for d in item.children[:-1]:
            # an anonymous record on the way, which nobody wrote
            if d.kind == k.MEMBER_REF and not d.spelling:
                continue
            if (
                found
                and d.kind != k.MEMBER_REF
                and found[-1][0].kind != k.MEMBER_REF
                and self._are_range(found[-1][0], d)
            ):
                found[-1] = (found[-1][0], d)
            else:
                found.append((d, None))
        if any(last is not None for _, last in found[:-1]):
            raise self.code.refuse("range designator before another one", item)
        return found

    def _are_range(self, first: Node, last: Node) -> bool:
        """Do two indices make one range (``[1 ... 3]``), with no bracket between them?"""
        tree = self.usage.tree
        between = _COMMENT.sub(b"", tree.unit.source.text[tree.end(first) : tree.offset(last)])
        return b"]" not in between and b":>" not in between

    def _designated(
        self, place: Captured, designators: list[Designator], value: Node, items: Items, way: Way
    ) -> int:
        """``.a[2].b = value``, and what follows in the parts it enters; the position after the
        outermost designator.
        """
        first, last = designators[0]
        if last is not None:
            return self._range(place, first, last, value, items, way)
        steps, outers, inner = self._enter(place, first)
        within = (*way, *steps)
        if len(designators) > 1:
            after = self._designated(inner, designators[1:], value, items, within)
            self._fill(inner, items, braced=False, position=after, way=within)
        elif self._begins(inner, value):
            items.next -= 1
            items.nodes[items.next] = value
            self._fill(inner, items, braced=False, way=within)
        else:
            self._set(inner, value, items, within)
        for depth in range(len(outers), 0, -1):  # anonymous records on the way
            outer, position = outers[depth - 1], steps[depth] + 1
            self._fill(
                outer, items, braced=False, position=position, way=within[: depth - len(steps)]
            )
        return steps[0] + 1

    def _begins(self, place: Captured, value: Node) -> bool:
        """Is a value the one of the first scalar of an aggregate, whose braces are missing?"""
        t = place.type
        return not (
            is_scalar(t) or value.kind == k.INIT_LIST or _takes_string(t, value) or value.type is t
        )

    def _set(self, place: Captured, value: Node, items: Items, way: Way) -> None:
        """The part that designators name gets its value; what it had before is lost."""
        self._note(items, way, value)
        items.copied |= isinstance(place.type, RecordType) and value.kind != k.INIT_LIST
        if not is_scalar(place.type) and value.kind == k.INIT_LIST:
            self.allocations.zero(place)
        self.initialise(place, value, zero_rest=False)

    def _range(
        self, place: Captured, first: Node, last: Node, value: Node, items: Items, way: Way
    ) -> int:
        """GNU ``[2 ... 4] = value``, which is evaluated once; the position behind it."""
        start, end = first.evaluate(), last.evaluate()
        assert isinstance(start, int) and isinstance(end, int)
        if end - start >= MAX_PARTS or self._has_effects(value):
            raise self.code.refuse("range designator of too many elements, or with effects", value)
        for i in range(start, end + 1):
            self._set(self._part(place, i), value, items, (*way, i))
        return end + 1

    def _has_effects(self, value: Node) -> bool:
        if value.kind != k.INIT_LIST:
            return self.code.effectful(value)
        return any(
            self._has_effects(c.operands[-1] if _is_designated(c) else c) for c in value.operands
        )

    def _enter(self, place: Captured, d: Node) -> tuple[Way, list[Captured], Captured]:
        """The part that a designator names: the positions that lead to it, the anonymous records on
        the way, and its place.
        """
        t = place.type
        if isinstance(t, ArrayType):
            index = d.evaluate()
            assert isinstance(index, int)
            return (index,), [], self._part(place, index)
        assert isinstance(t, RecordType)
        way = t.way_to(self.usage.tree.lib.getCursorReferenced(d.cursor).data[0] or 0)
        if way is None:
            raise self.code.refuse("designated initialiser", d)
        steps: list[int] = []
        anonymous: list[Captured] = []
        for f in way:
            assert isinstance(place.type, RecordType)
            position = place.type.fields.index(f)
            if steps:
                anonymous.append(place)
            steps.append(0 if place.type.is_union else position)
            self._choose(place, f)
            place = self.memory.member(place, f, position)
        return tuple(steps), anonymous, place

    def _filled_count(self, t: ArrayType, item: Node) -> int:
        """The elements of an array that gets values; a flexible array member would grow its object
        [C11, 6.7.9].
        """
        if not t.count:
            raise self.code.refuse("initialiser of an array without elements", item)
        return t.count

    def _part_count(self, t: CType) -> int:
        if isinstance(t, ArrayType):
            return t.count or 0
        assert isinstance(t, RecordType)
        return min(1, len(t.fields)) if t.is_union else len(t.fields)

    def _part(self, place: Captured, position: int) -> Captured:
        t = place.type
        if isinstance(t, ArrayType):
            return self.memory.element(place, self.code.address(position))
        assert isinstance(t, RecordType)
        return self.memory.member(place, t.fields[position], position)


def _is_designated(item: Node) -> bool:
    return item.kind == k.UNEXPOSED_EXPR and isinstance(item.type, VoidType)


def _takes_string(t: CType, n: Node) -> bool:
    """Does a string initialise the array itself, not its first part?"""
    return isinstance(t, ArrayType) and isinstance(t.element, IntType) and _is_string(n)


def _is_string(n: Node) -> bool:
    while n.kind in (k.PAREN, k.UNEXPOSED_EXPR) and len(n.operands) == 1:
        n = n.operands[0]
    return n.kind == k.STRING
