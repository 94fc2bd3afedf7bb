"""The user's names of variables and of places in memory, of the values in a trace and of formulas.
For the eye only.

Dynamic memory has no names of its own: an element is called as the nearest pointer variable sees it
(``p->next``, ``a[3]``), else as the first pointer to its block saw it (``(block 1)->next``); a
pointer is told by its block (``block 2 + 8``).

Bit-vectors have no sign; a variable is read as it was declared. Where that is not known it is read
as unsigned if the program compares, divides, shifts or extends it so and never the other way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from obligato.models.gcl import terms_of
from obligato.program.names import instance, original_name
from obligato.program.places import PLAIN, Part, head
from obligato.results.values import to_json
from obligato.terms import ArrayValue, Kind, Op, Sort, Term, TermStore, Value, bitvec, postorder
from obligato.terms.c_printer import c_text
from obligato.terms.store import rebuild

if TYPE_CHECKING:
    from obligato.errors import Span
    from obligato.models.cfa import CFA
    from obligato.program.places import PlaceNames, Pointee

MEMORY = "memory$"  # begins the names of arrays that model memory
_BLOCK = re.compile(r".*::block(\$[0-9]+)?")  # what an allocation returns

_UNSIGNED = frozenset(
    (Op.BVULT, Op.BVULE, Op.BVUGT, Op.BVUGE, Op.BVUDIV, Op.BVUREM, Op.BVLSHR, Op.ZERO_EXT)
)
_SIGNED = frozenset(
    (
        Op.BVSLT,
        Op.BVSLE,
        Op.BVSGT,
        Op.BVSGE,
        Op.BVSDIV,
        Op.BVSREM,
        Op.BVSMOD,
        Op.BVASHR,
        Op.SIGN_EXT,
    )
)


def unsigned_variables(cfa: CFA) -> frozenset[str]:
    """Variables that are declared as unsigned numbers; of those whose declaration is not known,
    what is used so only.
    """
    uses: dict[bool, set[str]] = {True: set(), False: set()}
    seen: dict[Term, None] = {}
    for edge in cfa.edges:
        for t in postorder(terms_of(edge.command), seen):
            if t.op in _UNSIGNED or t.op in _SIGNED:
                uses[t.op in _SIGNED].update(a.name for a in t.args if a.op is Op.VAR)
    known = {name for name in uses[False] if original_name(name) in cfa.places.spelled}
    declared = {v.name for v in cfa.variables if original_name(v.name) in cfa.places.unsigned}
    return frozenset(uses[False] - uses[True] - known | declared)


class Names:
    """The user's names of variables; where two variables would share one, both keep their full
    name.
    """

    def __init__(self, cfa: CFA) -> None:
        self.unsigned = unsigned_variables(cfa)
        owners = frozenset(owner for owner, _ in cfa.places.spelled.values() if owner)
        written = cfa.places.written
        repeated = _repeated(cfa.places)
        shown = {
            v.name: labelled(cfa.places, v.name)
            if cfa.places.homes.get(original_name(v.name)) in repeated
            else written.get(original_name(v.name))
            or _without_owner(cfa.display.get(v.name, v.name), owners)
            for v in cfa.variables
        }
        count = Counter(shown.values())
        hidden = tuple(f"{function}::" for function in cfa.places.internal)
        unclear = {
            full for full, short in shown.items() if count[short] > 1 or full.startswith(hidden)
        }
        known = cfa.places.declared
        self._temporary = {
            full for full in shown if "::" in full and known and original_name(full) not in known
        }
        self.shown = {
            full: (_with_owner(full, short) if full in unclear else short)
            + ("$" if full in self._temporary else "")
            for full, short in shown.items()
        }
        self.sorts = {v.name: v.sort for v in (*cfa.variables, *cfa.inputs)}
        self.places = cfa.places
        self._namesakes = {
            full: cfa.places.homes[original_name(full)]
            for full, text in shown.items()
            if (full in unclear or "@" in text) and original_name(full) in cfa.places.homes
        }
        self._visible: dict[str, tuple[str, ...]] = {"": ()}  # by scope
        self._memory: dict[str, ArrayValue] = {}  # what was shown of arrays last
        self._pointers: dict[str, int] = {}  # the pointers that were assigned, the last one last
        self._types: dict[int, Pointee] = {}  # what the first pointer to a block sees there
        # where allocations begin, in their order
        self._blocks: list[int] = []

    def values(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by the user's names; of memory what has changed since the last call, by the names
        of its places.
        """
        out: dict[str, Any] = {}
        for name, value in values.items():
            self._learn(name, value)
            if isinstance(value, ArrayValue) and (
                name in self.places.cells or name.startswith(MEMORY)
            ):
                out |= self._changes(name, value)
            else:
                out[self.shown.get(name, name)] = self._value(name, value)
        return out

    def _value(self, name: str, value: Value) -> Any:
        return self._shown(self._part(name), value, self.sorts[name], name not in self.unsigned)

    def _shown(self, part: Part, value: Value, sort: Sort, signed: bool = True) -> Any:
        """A value as it is shown: a pointer by its target, else by its word if it has one, else as
        a number.
        """
        shown = None
        if sort.kind is Kind.BITVEC:
            assert isinstance(value, int)
            shown = (
                self._address(value) if part.is_pointer else part.spelling.text(value, sort.width)
            )
        return to_json(value, sort, signed) if shown is None else shown

    def _changes(self, name: str, value: ArrayValue) -> dict[str, Any]:
        """The places in an array whose values differ from those that were shown last; others by
        their addresses.
        """
        before, cells = self._memory.get(name), self.places.cells.get(name, {})
        element = self.sorts[name].element
        self._memory[name] = value
        touched = dict.fromkeys((*(before.entries if before is not None else ()), *value.entries))
        changed = [i for i in touched if before is None or before.get(i) != value.get(i)]
        whole = (
            []
            if before is None or before.default == value.default
            else [i for i in cells if i not in touched]
        )
        out: dict[str, Any] = {}
        wide = self.places.wide.get(name, {})
        for start, size, part in {
            wide[i][0]: wide[i] for i in sorted(changed, key=str) if i in wide
        }.values():
            out[part.name] = self._shown(
                part, _joined(value, start, size), bitvec(8 * size), part.is_signed
            )
        for i in sorted([i for i in (*changed, *whole) if i not in wide], key=str):
            part = (
                cells[i]
                if i in cells
                else self._dynamic(i) or Part(f"{self.shown.get(name, name)}[{i}]")
            )
            out[part.name] = self._shown(part, value.get(i), element, part.is_signed)
        return out

    def _learn(self, name: str, value: Value) -> None:
        """Remember pointers, and the blocks that allocations return."""
        known = original_name(name)
        if isinstance(value, int) and known in self.places.pointers:
            self._pointers.pop(name, None)
            self._pointers[name] = value
            if known in self.places.pointees and value in self._blocks:
                self._types.setdefault(value, self.places.pointees[known])
        elif (
            isinstance(value, int)
            and value
            and _BLOCK.fullmatch(known)
            and known not in self.places.spelled
        ):
            self._blocks += [] if value in self._blocks else [value]

    def _block(self, address: int) -> tuple[int, int] | None:
        """The number of the block (from 1) that has an address, and the distance from its start."""
        start = max((b for b in self._blocks if b <= address), default=None)
        return None if start is None else (self._blocks.index(start) + 1, address - start)

    def _address(self, value: Any) -> str | None:
        """A pointer to an object with a name, or into an allocation."""
        place = self.places.addresses.get(value)
        block = self._block(value) if place is None and value else None
        if block is None:
            return place
        return f"block {block[0]}" + (f" + {block[1]}" if block[1] else "")

    def _dynamic(self, address: Any) -> Part | None:
        """What is at an address of dynamic memory, seen from the pointer that is nearest."""
        block = self._block(address) if isinstance(address, int) else None
        if block is None:
            return None
        start = self._blocks[block[0] - 1]
        near = {name: p for name, p in reversed(self._pointers.items()) if start <= p <= address}
        for name in sorted(near, key=lambda n: address - near[n]):
            pointee = self.places.pointees.get(original_name(name))
            found = (
                None
                if pointee is None
                else pointee.part(self.shown.get(name, name), address - near[name])
            )
            if found is not None:
                return found
        return (
            self._types[start].part(f"(block {block[0]})", block[1])
            if start in self._types
            else None
        )

    def visible(self, span: Span) -> tuple[str, ...]:
        """The variables of a function with a namesake in the program that their plain name means at
        a place of it, as they are shown.
        """
        if span.scope not in self._visible:
            self._visible[span.scope] = tuple(
                self.shown[name]
                for name, home in self._namesakes.items()
                if home.startswith(f"{span.function}/")
                and self.places.meaning(self.places.scopes[home].name, span.scope) == home
            )
        return self._visible[span.scope]

    def full(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Values by full names, to be read back."""
        return {n: to_json(v, self.sorts[n]) for n, v in values.items()}

    def is_temporary(self, name: str) -> bool:
        """Is this no variable of the program, but one that the front end has made?"""
        return name in self._temporary

    def is_pointer(self, name: str, places: Mapping[str, Part]) -> bool:
        """Is this a variable, or one of these places in memory, that holds an address?"""
        return (places.get(name) or self._part(name)).is_pointer

    def c_text(self, formula: Term, shown: Mapping[str, str] | None = None) -> str | None:
        """The formula as a C expression over the user's names, or other ones."""
        parts: dict[str, Part] = {}
        shown = self.shown if shown is None else shown
        named = with_place_names(formula, self.places, shown, parts)

        def word(v: Term, value: int) -> str | None:
            part = parts.get(v.name) or self._part(v.name)
            return (
                self.places.addresses.get(value)
                if part.is_pointer
                else part.spelling.text(value, v.sort.width)
            )

        return c_text(named, shown, self.unsigned, word)

    def _part(self, name: str) -> Part:
        """A variable by the name and type of its declaration."""
        known = original_name(name)
        return Part(name, known in self.places.pointers, self.places.spellings.get(known, PLAIN))


def _repeated(places: PlaceNames) -> dict[str, None]:
    """The scopes of the declarations whose function declares another variable of that name."""
    homes: dict[tuple[str, str], dict[str, None]] = {}
    for home in places.homes.values():
        key = (home.partition("/")[0], places.scopes[home].name)
        homes.setdefault(key, {})[home] = None
    return {home: None for found in homes.values() if len(found) > 1 for home in found}


def labelled(places: PlaceNames, name: str) -> str:
    """The text of a variable with the line of its declaration: ``x@12``, ``r@12.count``."""
    known = original_name(name)
    label = places.homes[known].partition("/")[2]
    text = places.written.get(known, label)
    return label + text.removeprefix(head(text))


def _with_owner(full: str, label: str) -> str:
    """The full name of a variable, with the line of its declaration if the label has that."""
    owner, colons, _ = full.partition("::")
    return f"{owner}::{label}{instance(full)}" if colons and "@" in label else full


def _without_owner(name: str, functions: frozenset[str]) -> str:
    """A local that pointers reach without its function: it is ``f.x`` for a local ``x`` of the
    function ``f``.
    """
    owner, _, rest = name.partition(".")
    return rest if owner in functions and rest else name


def _joined(memory: ArrayValue, start: int, size: int) -> int:
    """The number that so many bytes are, the lowest first."""
    data = [memory.get(start + i) for i in range(size)]
    return sum(byte << 8 * i for i, byte in enumerate(data) if isinstance(byte, int))


def with_place_names(
    formula: Term, places: PlaceNames, shown: Mapping[str, str], parts: dict[str, Part]
) -> Term:
    """The formula, where elements of memory that have a name, or are at a known distance from a
    pointer, are variables; what it is made of keeps its order. `parts` gets what was found.
    """
    memo: dict[Term, Term] = {}
    store = TermStore.raw()
    for t in postorder((formula,)) if places.cells or places.pointees else ():
        if t.op is Op.SELECT and t.args[0].op is Op.VAR:
            place = _element(t.args[0].name, t.args[1], places, shown)
            if place is not None:
                memo[t] = store.var(place.name, t.sort)
                parts[place.name] = place
    return rebuild(formula, store, memo) if memo else formula


def _element(memory: str, index: Term, places: PlaceNames, shown: Mapping[str, str]) -> Part | None:
    """An element of memory at a constant address, or behind a pointer."""
    if index.is_const:
        return places.cells.get(memory, {}).get(index.data) if isinstance(index.data, int) else None
    pointer, offset = index, 0
    if index.op is Op.BVADD and len(index.args) == 2:
        constant = next((a for a in index.args if a.is_const), None)
        pointer = next((a for a in index.args if a is not constant), index)
        offset = constant.data if constant is not None and isinstance(constant.data, int) else -1
    pointee = places.pointees.get(original_name(pointer.name)) if pointer.op is Op.VAR else None
    return None if pointee is None else pointee.part(shown.get(pointer.name, pointer.name), offset)
