"""Candidates about all allocations at once: lists and trees whose nodes come from one
counter of addresses.

Where allocations are made one after the other, a stride apart, the counter is known from the
program: it starts at a constant and only ever moves by the stride.  A node is an address that it
has passed.  What lists are is then stated for every node, by the index of `analysis.cells`: the
pointer in it is null or to another node, to one that was allocated before or after it (so that no
list is cyclic), to the one right before or behind; it has these data; it is freed or not.  Each is
a candidate for all nodes and for those before, at, or behind a pointer of the program.  Houdini
keeps what is inductive.

Beside these, candidates of the pointers themselves: null, a node, the newest node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from obligato.analysis.commands import terms_of
from obligato.analysis.maps import NeededAt
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.terms import BOOL, Kind, Op, Sort, Term, free_vars, postorder, substitute
from obligato.terms.rules import bitvec

STRIDES = (16, 4096)  # the smallest and the largest
POINTERS = 6
FIELDS = 6
CONSTANTS = 4
FLAGS = 2
NOTED = 12  # Boolean variables
DATA = 12  # conditions on the data of one field
BESIDE = 3  # constants of one field whose neighbours are looked at


@dataclass(frozen=True, slots=True)
class Heap:
    """A counter of addresses: its first value, the stride, and how far behind it an allocation
    starts.
    """

    counter: Term
    first: int
    stride: int
    margin: int


def heap_of(leaves: Sequence[Assign | Assume], sort: Sort) -> Heap | None:
    """The counter from which allocations get their addresses."""
    pairs = [
        pair for c in leaves if isinstance(c, Assign) for pair in c.pairs if pair[0].sort is sort
    ]
    for x in dict.fromkeys(x for x, _ in pairs):
        values = [bitvec.combine([(1, e)], sort.width) for y, e in pairs if y is x]
        starts = [k for coeffs, k in values if not coeffs]
        moves = {k for coeffs, k in values if coeffs}
        if len(moves) == 1 and starts and all(coeffs in ({}, {x: 1}) for coeffs, _ in values):
            heap = _heap(x, min(starts), moves.pop(), pairs)
            if heap is not None and all((k - heap.first) % heap.stride == 0 for k in starts):
                return heap
    return None


def _heap(x: Term, first: int, stride: int, pairs: Sequence[tuple[Term, Term]]) -> Heap | None:
    forms = [
        bitvec.combine([(1, e)], x.sort.width) for y, e in pairs if y is not x and x in free_vars(e)
    ]
    margins = [k for coeffs, k in forms if coeffs == {x: 1} and k < stride]
    if not margins or not STRIDES[0] <= stride <= STRIDES[1] or stride & (stride - 1) or first <= 0:
        return None
    return Heap(x, first, stride, min(margins))


@dataclass(frozen=True, slots=True)
class _Field:
    """The part of all nodes that begins `offset` bytes behind their starts, in an array."""

    array: Term
    offset: int


class HeapMiner:
    """Candidates about nodes, from the program text."""

    def __init__(self, cfa: CFA, heap: Heap, index: Term) -> None:
        self.store, self.heap, self.index = cfa.store, heap, index
        leaves = [c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume)]
        self.pairs = [pair for c in leaves if isinstance(c, Assign) for pair in c.pairs]
        self.nodes = list(postorder(t for c in leaves for t in terms_of(c)))
        self.variables = frozenset(cfa.variables)  # membership only
        self.atoms = self._atoms()
        self.pointers = self._pointers()
        self.places = self._places()
        self.flags = self._flags()
        self.fields = list(dict.fromkeys(self.places.values()))[:FIELDS]
        self.known = self._constants()

    # -- what there is

    def _atoms(self) -> list[Term]:
        """The program's conditions, also about what was loaded instead of where it was
        loaded to.
        """
        plain = [
            t
            for t in self.nodes
            if t.sort is BOOL and t.op is not Op.NOT and t.is_literal and t.args
        ]
        given: dict[Term, dict[Term, None]] = {}
        for x, e in self.pairs:
            given.setdefault(x, {})[e] = None
        loaded = {
            x: e
            for x, values in given.items()
            for e in values
            if len(values) == 1 and e.op is Op.SELECT
        }
        through = [substitute(t, loaded) for t in plain if any(v in loaded for v in free_vars(t))]
        return list(dict.fromkeys((*plain, *through)))

    def _pointers(self) -> list[Term]:
        """The variables that get addresses of allocations, or are used as such."""
        found: dict[Term, None] = {}
        for t in self.nodes:
            if t.op in (Op.SELECT, Op.STORE) and t.args[0].sort.index is self.index.sort:
                base = self._base(t.args[1])
                if base is not None and base[0].op is Op.VAR:
                    found[base[0]] = None
        found |= {
            x: None for x, e in self.pairs if x.sort is self.index.sort and self._is_allocation(e)
        }
        for _ in range(3):
            copies = [(x, e) for x, e in self.pairs if e.op is Op.VAR and e.sort is self.index.sort]
            found |= {y: None for x, e in copies for y in (x, e) if x in found or e in found}
        return [p for p in found if p in self.variables and p is not self.heap.counter][:POINTERS]

    def _is_allocation(self, e: Term) -> bool:
        return bitvec.combine([(1, e)], e.width)[0].keys() == {self.heap.counter}

    def _base(self, place: Term) -> tuple[Term, int] | None:
        """A place as the start of a node and an offset; that of a slot as a negative one."""
        if place.op is Op.CONCAT and place.args[0].op is Op.EXTRACT and place.args[1].is_const:
            return place.args[0].args[0], -self.heap.margin
        coeffs, constant = bitvec.combine([(1, place)], place.width)
        if len(coeffs) != 1 or next(iter(coeffs.values())) != 1 or constant >= self.heap.stride:
            return None
        return next(iter(coeffs)), constant

    def _places(self) -> dict[Term, _Field]:
        """Of the reads and writes of fields, which one they are about (by the term)."""
        found: dict[Term, _Field] = {}
        for t in self.nodes:
            if t.op not in (Op.SELECT, Op.STORE) or t.args[0].sort.index is not self.index.sort:
                continue
            base, array = self._base(t.args[1]), _variable(t.args[0])
            if (
                base is not None
                and array in self.variables
                and (base[0] in self.pointers or base[0].op is Op.SELECT)
            ):
                found[t] = _Field(array, base[1])
            elif base is not None and array in self.variables and base[0] is self.heap.counter:
                found[t] = _Field(array, base[1] - self.heap.margin)
        return found

    def _constants(self) -> list[Term]:
        """Constants that pointers, or fields with pointers, are set to: null, and static
        objects.
        """
        given = [e for x, e in self.pairs if x in self.pointers]
        given += [
            t.args[2] for t, f in self.places.items() if t.op is Op.STORE and f in self._links()
        ]
        plain = [e for e in dict.fromkeys(given) if e.is_const and e is not self._number(0)]
        return [e for e in plain if isinstance(e.data, int) and e.data < self.heap.first][
            :CONSTANTS
        ]

    def _links(self) -> list[_Field]:
        """The fields with pointers."""

        def is_pointer(t: Term) -> bool:
            return t in self.pointers or (t.sort is self.index.sort and self._is_allocation(t))

        loads = [self.places[e] for x, e in self.pairs if x in self.pointers and e in self.places]
        stores = [f for t, f in self.places.items() if t.op is Op.STORE and is_pointer(t.args[2])]
        through = [
            self.places[b[0]]
            for t in self.places
            if (b := self._base(t.args[1])) is not None and b[0] in self.places
        ]
        return list(dict.fromkeys((*loads, *stores, *through)))

    # -- formulas

    def _number(self, value: int) -> Term:
        return self.store.bv(value & self.index.sort.mask, self.index.sort.width)

    def _less(self, a: Term, b: Term) -> Term:
        return self.store.mk(Op.BVULT, (a, b))

    def _moved(self, t: Term, by: int) -> Term:
        return t if by == 0 else self.store.mk(Op.BVADD, (t, self._number(by)))

    def _is_node(self, a: Term, offset: int = 0) -> Term:
        """Is `a` so far behind the start of an allocation?"""
        s, start = self.store, self.heap.first + self.heap.margin + offset
        bits = self.heap.stride.bit_length() - 1
        aligned = s.eq(s.extract(a, bits - 1, 0), s.bv(start & (self.heap.stride - 1), bits))
        return s.and_(
            s.not_(self._less(a, self._number(start))), self._less(a, self.heap.counter), aligned
        )

    def _null_or(self, a: Term, *others: Term) -> Term:
        return self.store.or_(self.store.eq(a, self._number(0)), *others)

    def _target(self, a: Term) -> Term:
        """Null, a node, or a static object."""
        return self._null_or(a, self._is_node(a), *(self.store.eq(a, k) for k in self.known))

    def _newest(self) -> Term:
        """The node that was allocated last."""
        return self._moved(self.heap.counter, self.heap.margin - self.heap.stride)

    def plain(self) -> Iterator[Term]:
        """Candidates about single pointers and pairs of them, without contents."""
        s = self.store
        newest = self._newest()
        for p in self.pointers:
            yield self._target(p)
            yield self._is_node(p)
            yield s.eq(p, self._number(0))
            yield s.not_(s.eq(p, self._number(0)))
            yield s.eq(p, newest)
            yield self._null_or(p, s.eq(p, newest))
            yield self._less(p, self.heap.counter)
            for flag in self.flags:
                yield from (s.eq(flag, self._is_odd(p)), s.not_(s.eq(flag, self._is_odd(p))))
            for q in self.pointers:
                if q is not p:
                    yield from (
                        self._null_or(p, s.not_(self._less(p, q))),
                        self._null_or(p, s.not_(self._less(q, p))),
                    )
                    yield self._null_or(p, self._less(q, p))
                    yield from self._next_to(p, q)
        yield from self._noted()
        for allocations in range(3):
            yield s.not_(
                self._less(
                    self.heap.counter,
                    self._number(self.heap.first + allocations * self.heap.stride),
                )
            )
        bits = self.heap.stride.bit_length() - 1
        yield s.eq(
            s.extract(self.heap.counter, bits - 1, 0),
            s.bv(self.heap.first & (self.heap.stride - 1), bits),
        )

    def _next_to(self, p: Term, q: Term) -> Iterator[Term]:
        """A pointer is null, or leads to the node right behind or before another's; to the first or
        the newest one if that is null.
        """
        s, stride = self.store, self.heap.stride
        first = self._number(self.heap.first + self.heap.margin)
        for end, by in ((first, stride), (self._newest(), -stride)):
            at_end = s.and_(s.eq(q, self._number(0)), s.eq(p, end))
            yield self._null_or(p, at_end, s.eq(p, self._moved(q, by)))

    def _noted(self) -> Iterator[Term]:
        """Candidates that say: a Boolean variable of the program is true, or true unless a pointer
        is null or equals another one.
        """
        noted = [x for x, _ in self.pairs if x.sort is BOOL and x in self.variables]
        for x in list(dict.fromkeys(noted))[:NOTED]:
            yield x
            for p in self.pointers:
                yield self._null_or(p, x)
                yield from (
                    self.store.or_(self.store.eq(p, q), x) for q in self.pointers if q is not p
                )

    def offset_of(self, place: Term) -> int | None:
        """Which field of a node a place is, if it is one."""
        base = self._base(place)
        return None if base is None else base[1]

    def quantified(self) -> Iterator[tuple[Term, int]]:
        """Candidates about every node, and which field they are about."""
        links = self._links()
        for f in self.fields:
            here = self._is_node(self.index, f.offset)
            own = self._moved(self.index, -f.offset)
            value = self.store.select(f.array, self.index)
            if value.sort is BOOL:  # what is not allocated yet has not died
                yield self.store.not_(value), f.offset
                yield (
                    self.store.or_(
                        self._less(self.index, self.heap.counter), self.store.not_(value)
                    ),
                    f.offset,
                )
            properties = list(self._linked(value, own) if f in links else self._data(f, value))
            for guard in self._ranges(own):
                for p in properties:
                    yield self.store.implies(self.store.and_(here, guard), p), f.offset
            for guard in self._wide_ranges(own):
                for p in self._sided(f, value, own) if f not in links else ():
                    yield self.store.implies(self.store.and_(here, guard), p), f.offset
            for guard in (self.store.true, self._less(own, self._newest())):
                for p in self._beside(f, value, own) if f not in links else ():
                    yield self.store.implies(self.store.and_(here, guard), p), f.offset

    def _linked(self, value: Term, own: Term) -> Iterator[Term]:
        """Candidates about the value of a pointer in a node at the place `own`."""
        s, stride = self.store, self.heap.stride
        yield self._target(value)
        yield s.eq(value, self._number(0))
        yield self._less(value, own)
        yield self._null_or(value, self._less(own, value))
        yield self._null_or(value, s.eq(value, self._moved(own, stride)))
        yield self._null_or(value, s.eq(value, self._moved(own, -stride)))
        yield s.eq(value, self._moved(own, stride))
        yield s.not_(s.eq(value, self._number(0)))
        first = s.eq(own, self._number(self.heap.first + self.heap.margin))
        yield s.or_(first, s.eq(value, self._moved(own, -stride)))

    def _data(self, f: _Field, value: Term) -> Iterator[Term]:
        """What may hold of the data in a node: what is stored there, and the conditions on it."""
        s = self.store
        if value.sort is BOOL:
            yield value
            yield s.not_(value)
            return
        constants = self._stored(f)
        yield from (s.eq(value, v) for v in constants)
        if len(constants) > 1:
            yield s.or_(*(s.eq(value, v) for v in constants))
        conditions = [
            c
            for t, g in self.places.items()
            if g == f and t.op is Op.SELECT
            for c in self._conditions(t, f)
        ]
        yield from list(dict.fromkeys(conditions))[:DATA]

    def _stored(self, f: _Field) -> list[Term]:
        """The constants that a field gets, perhaps by a choice."""
        stored = [t.args[2] for t, g in self.places.items() if g == f and t.op is Op.STORE]
        values = dict.fromkeys(v for t in stored for v in _chosen(t))
        return [v for v in values if v.is_const][:CONSTANTS]

    def _sided(self, f: _Field, value: Term, own: Term) -> Iterator[Term]:
        """Data that depend on a flag of the program, or alternate from node to node."""
        s, constants = self.store, self._stored(f)
        if value.sort is BOOL or len(constants) < 2:
            return
        for side in (*self.flags, self._is_odd(own)):
            for v in constants:
                yield s.or_(side, s.eq(value, v))
                yield s.or_(s.not_(side), s.eq(value, v))

    def _beside(self, f: _Field, value: Term, own: Term) -> Iterator[Term]:
        """Data that say what is in the node right behind or before, and that there is one."""
        s, stride, constants = self.store, self.heap.stride, self._stored(f)[:BESIDE]
        if value.sort is BOOL or len(constants) < 2:
            return
        first = s.eq(own, self._number(self.heap.first + self.heap.margin))
        for v in constants:
            other = s.not_(s.eq(value, v))
            yield from (s.or_(other, s.not_(first)), s.or_(other, self._less(own, self._newest())))
            for by in (stride, -stride):
                there = s.select(f.array, self._moved(self.index, by))
                yield from (s.or_(other, s.eq(there, w)) for w in constants)

    def _is_odd(self, a: Term) -> Term:
        """The formula that says that an address is that of a node with an odd number."""
        bit = self.heap.stride.bit_length() - 1
        return self.store.eq(self.store.extract(a, bit, bit), self.store.bv(1, 1))

    def _flags(self) -> list[Term]:
        """Comparisons of one variable, which is no address, with a constant; those of variables
        that are only ever set to constants first.
        """
        others = (*self.pointers, self.heap.counter)

        def is_flag(t: Term) -> bool:
            vs = list(free_vars(t))
            plain = t.op is Op.EQ and not any(u.op is Op.SELECT for u in postorder((t,)))
            return plain and len(vs) == 1 and vs[0] in self.variables and vs[0] not in others

        def is_set(t: Term) -> bool:
            values = [e for x, e in self.pairs if x in free_vars(t)]
            return all(e.is_const for e in values)

        # what is set to constants only remembers something, what is read from outside does not
        return sorted((t for t in self.atoms if is_flag(t)), key=lambda t: not is_set(t))[:FLAGS]

    def _conditions(self, read: Term, f: _Field) -> Iterator[Term]:
        """The program's conditions on a field that is read, about the index; and their
        negations.
        """
        base = self._base(read.args[1])
        if base is None or base[0].op is not Op.VAR:
            return
        for t in self.atoms:
            if any(u is read for u in postorder((t,))):
                moved = substitute(t, {base[0]: self._moved(self.index, -f.offset)})
                if all(v in self.variables or v is self.index for v in free_vars(moved)):
                    yield moved
                    yield self.store.not_(moved)

    def _wide_ranges(self, own: Term) -> Iterator[Term]:
        """All nodes, those before the newest, and before a pointer."""
        yield from (
            self.store.true,
            self._less(own, self._newest()),
            *(self._less(own, p) for p in self.pointers),
        )

    def _ranges(self, own: Term) -> Iterator[Term]:
        """Which nodes: all, the newest ones and those before, those before, at, and behind a
        pointer, be it null or not.
        """
        s, newest = self.store, self._newest()
        before = self._moved(newest, -self.heap.stride)
        yield from (
            s.true,
            self._less(own, newest),
            self._less(own, before),
            s.eq(own, newest),
            s.eq(own, before),
        )
        for p in self.pointers:
            null = s.eq(p, self._number(0))
            below, above = self._less(own, p), self._less(p, own)
            yield from (
                below,
                s.not_(above),
                s.or_(null, below),
                s.eq(own, p),
                s.not_(s.eq(own, p)),
            )
            yield from (
                above,
                s.not_(below),
                s.and_(s.not_(null), above),
                s.and_(s.not_(null), s.not_(below)),
            )


def _variable(array: Term) -> Term:
    """The array that a chain of writes starts from."""
    while array.op is Op.STORE:
        array = array.args[0]
    return array


def _chosen(t: Term) -> Iterator[Term]:
    """What a choice chooses from; another term itself."""
    if t.op is Op.ITE:
        yield from (v for branch in t.args[1:] for v in _chosen(branch))
    else:
        yield t


def is_scaled(formula: Term) -> bool:
    """Does it multiply by a large number? Equations of addresses modulo 2^w do, which says little
    and takes solvers long.
    """
    factors = [
        a.data for t in postorder((formula,)) if t.op is Op.BVMUL for a in t.args if a.is_const
    ]
    width = max((t.sort.width for t in postorder((formula,)) if t.op is Op.BVMUL), default=0)
    return any(isinstance(k, int) and min(k, (1 << width) - k) > STRIDES[1] for k in factors)


@dataclass(frozen=True, slots=True)
class AboutAllocations:
    """Candidates by location; which field of a node those about all nodes are about, and which one
    a place is.
    """

    formulas: dict[int, list[Term]]
    offsets: dict[Term, int]
    offset_of: Callable[[Term], int | None]

    def concerns(self, formula: Term, place: Term) -> bool:
        """May the formula be about the cell at this place?"""
        wanted, found = self.offsets.get(formula), self.offset_of(place)
        return wanted is None or found is None or wanted == found


def heap_candidates(cfa: CFA, index: Term, locations: Iterable[int]) -> AboutAllocations | None:
    """Candidates at `locations` of the pointers that are needed there, and of all nodes; None if
    there is no counter.
    """
    leaves = [c for e in cfa.edges for c in walk(e.command) if isinstance(c, Assign | Assume)]
    heap = heap_of(leaves, index.sort) if index.sort.kind is Kind.BITVEC else None
    if heap is None:
        return None
    needed, miner = NeededAt.of(cfa), HeapMiner(cfa, heap, index)
    offsets = {t: offset for t, offset in miner.quantified() if not t.is_const}
    mined = [t for t in dict.fromkeys((*miner.plain(), *offsets)) if not t.is_const]
    spoken = {t: [p for p in miner.pointers if p in free_vars(t)] for t in mined}
    formulas = {
        loc: [t for t in mined if all((loc, p) in needed for p in spoken[t])] for loc in locations
    }
    return AboutAllocations(formulas, offsets, miner.offset_of)
