"""Predicates for lemmas about watched cells: what the system compares, and how indices and cells
compare with its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, permutations, product
from typing import TYPE_CHECKING

from obligato.terms import BOOL, Kind, Op, Substitution, Term, free_vars, postorder, substitute

if TYPE_CHECKING:
    from obligato.models.ts_cells import CellSystem

LIMIT, TRIED = 120, 2000  # predicates, and formulas that are looked at
LEAVES, CHOICES = 6, 16  # of a value that is chosen, and of all values in an atom
WORDS = 5  # index-like words between which differences are compared

_STRICT = {Op.BVULT: Op.BVULT, Op.BVULE: Op.BVULT, Op.BVSLT: Op.BVSLT, Op.BVSLE: Op.BVSLT}
_ORDER = (Op.EQ, Op.BVULT, Op.BVULE, Op.BVSLT, Op.BVSLE)


def predicates(cells: CellSystem) -> list[Term]:
    """Formulas over the state of the abstraction, the likely ones first."""
    state = set(cells.system.state)  # membership only
    found: dict[Term, bool] = {}
    for p in _mined(cells):
        if p not in found:
            found[p] = p.sort is BOOL and not p.is_const and all(v in state for v in free_vars(p))
            if len(found) >= TRIED or sum(found.values()) >= LIMIT:
                break
    return [p for p, usable in found.items() if usable]


def _mined(cells: CellSystem) -> Iterator[Term]:
    system = cells.system
    next_ = system.next or {}
    formulas = [
        *(p.formula for p in system.assertions),
        *system.constraints,
        system.init,
        *next_.values(),
    ]
    atoms = [
        t
        for t in postorder(formulas)
        if t.op in _ORDER and t.args[0].sort.kind is Kind.BITVEC and t.args[0].width > 1
    ]
    yield from atoms
    own = [t for t in postorder([p.formula for p in system.assertions]) if t in atoms]
    yield from _at_cells(cells, [*own, *(b for t in own for b in _before(t, next_)), *atoms])
    words = [
        x
        for x in system.state
        if x.sort.kind is Kind.BITVEC and x not in cells.indices and x not in cells.cells
    ]
    yield from _about_indices(cells, words)
    yield from _about_values(cells, words, atoms)
    for p in cells.indices:
        yield from _differences(p, words)


def _about_indices(cells: CellSystem, words: list[Term]) -> Iterator[Term]:
    """Comparisons of indices with each other and with words, and of words that have the sort of an
    index.
    """
    for p in cells.indices:
        yield from _compared(
            p, [x for x in (*cells.indices, *words) if x.sort is p.sort and x is not p]
        )
    for sort in dict.fromkeys(p.sort for p in cells.indices):
        own = [x for x in words if x.sort is sort][:WORDS]
        for n, x in enumerate(own):
            yield from _compared(x, own[n + 1 :])


def _about_values(cells: CellSystem, words: list[Term], atoms: list[Term]) -> Iterator[Term]:
    """The values of cells are compared with each other and with words: are they the same, and are
    they in an order that the input asks about?
    """
    for a in cells.cells:
        if a.sort.kind is Kind.BITVEC and a.width > 1:
            others = [x for x in (*words, *cells.cells) if x.sort is a.sort and x is not a]
            yield from (a.store.eq(a, x) for x in others)
            orders = dict.fromkeys(
                _STRICT[t.op] for t in atoms if t.op in _STRICT and t.args[0].sort is a.sort
            )
            yield from (
                a.store.mk(op, pair) for op in orders for x in others for pair in ((a, x), (x, a))
            )


def _before(atom: Term, next_: Mapping[Term, Term]) -> Iterator[Term]:
    """What the atom says of the values that its variables may get in a step."""
    variables = [v for v in free_vars(atom) if v in next_]
    choices = [list(_leaves(next_[v]))[:LEAVES] for v in variables]
    for values in islice(product(*choices), CHOICES):
        yield substitute(atom, dict(zip(variables, values, strict=True)))


def _leaves(t: Term) -> Iterator[Term]:
    """The values among which a term chooses."""
    stack, seen = [t], set[Term]()
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        if t.op is Op.ITE:
            stack += [t.args[2], t.args[1]]
        else:
            yield t


def _at_cells(cells: CellSystem, atoms: Iterable[Term]) -> Iterator[Term]:
    """Atoms about values that are read, about watched cells instead; and about what is chosen among
    such values.
    """
    atoms = list(atoms)
    cell = {(read.args[0], read.args[1]): x for x, read in cells.cells.items()}
    for instance in cells.instances:
        at = {
            q: p
            for p in cells.indices
            if (q := instance.values.get(p, p)) is not p and not q.is_const
        }
        back = {r: cell[a, at[q]] for r, (a, q) in cells.reads.items() if q in at}
        put = Substitution({**at, **back})
        for t in atoms:
            if any(v in back for v in free_vars(t)):
                for args in islice(product(*(list(_leaves(a))[:LEAVES] for a in t.args)), CHOICES):
                    yield put(t.store.mk(t.op, args))


def _compared(p: Term, words: list[Term]) -> Iterator[Term]:
    s = p.store
    for x in words:
        yield s.eq(p, x)
        yield s.mk(Op.BVULT, (p, x))
        yield s.mk(Op.BVULT, (x, p))


def _differences(index: Term, words: list[Term]) -> Iterator[Term]:
    """x - y < z - y and x - y = z, for words of the sort of an index, and wider ones as z: windows
    between two pointers.
    """
    s, own = index.store, [index, *(x for x in words if x.sort is index.sort)][:WORDS]
    wider = [
        s.extract(x, index.width - 1, 0) for x in words if index.width < x.width <= index.width + 2
    ][:WORDS]
    for x, y in permutations(own, 2):
        apart = s.mk(Op.BVSUB, (x, y))
        for z in own:
            if z is not x and z is not y:
                yield s.mk(Op.BVULT, (apart, s.mk(Op.BVSUB, (z, y))))
        for z in (*own, *wider):
            if z is not x and z is not y:
                yield s.eq(apart, z)
                yield s.mk(Op.BVULT, (apart, z))
