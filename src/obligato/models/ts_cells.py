"""Large arrays of a transition system as a few watched cells:
an abstraction, with a lift of proofs.

A cell is watched at an *index* that never changes: a fixed one (a constant, or a term over
variables that keep their value), or a fresh variable that stands for an arbitrary one (`indices`).
The value of each array there is a variable of the new system. Reads at other places give what a
fresh input says, the same at the same place. So each run of the system is, for any values of the
indices, one of the new system: what is proved there of an arbitrary index holds of all of them.

What is known for all indices may be assumed at those places where the system reads: an `Instance`
says what indices and cells are there. Engines use instances to exclude values of reads, and a
certificate lists their places (`models.ts_claims`): `lifted` puts arrays back.

An equation between arrays becomes a fresh input that, where true, makes them equal at all places
that are looked at, and where false, different at a place that another input says.
Limitation: arrays from words to words or Booleans; constant arrays have at most `ENTRIES` entries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from obligato.errors import Unsupported
from obligato.models.properties import map_formulas
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemCertificate
from obligato.terms import (
    BOOL,
    ArrayValue,
    Kind,
    Op,
    Sort,
    Term,
    conjuncts,
    default_value,
    free_vars,
    postorder,
    substitute,
)

ENTRIES = 1024
FIXED = 4  # fixed indices of one sort
INSTANCES = 24


@dataclass(frozen=True, slots=True)
class Instance:
    """One place for each index, as the original system has it,
    and what the variables of the new one are there."""

    places: tuple[Term, ...]
    values: Mapping[Term, Term]


@dataclass(frozen=True, eq=False)
class CellSystem:
    """The abstraction. `cells`: what each new state variable stands for, a read at a watched index;
    `reads`: by fresh input, the array and the place that it is read from; `differences`: as in
    `SystemCertificate`."""

    system: TransitionSystem
    indices: tuple[Term, ...]
    cells: Mapping[Term, Term]
    reads: Mapping[Term, tuple[Term, Term]]
    instances: tuple[Instance, ...]
    differences: tuple[tuple[Term, Term, Term], ...]

    def lifted(self, formula: Term) -> Term:
        """A formula over the state of the abstraction, about the arrays."""
        return substitute(formula, self.cells)

    def certificate(self, certificate: SystemCertificate) -> SystemCertificate:
        """The proof as one of the original system, for all indices."""
        return replace(
            certificate,
            invariant=self.lifted(certificate.invariant),
            indices=self.indices,
            instances=tuple(i.places for i in self.instances),
            differences=self.differences if self.indices else (),
        )


def watch_cells(system: TransitionSystem, count: int) -> CellSystem:
    """`system` with arbitrary indices, `count` of each sort of index,
    watched beside the fixed ones."""
    return _Watching(system, count).watched()


def watchable(system: TransitionSystem) -> bool:
    """Are all words and Booleans, or arrays of them?"""
    terms = list(postorder((*system.state, *system.inputs, *_formulas(system))))
    tables = [t.data for t in terms if isinstance(t.data, ArrayValue)]
    return all(map(_usable, dict.fromkeys(t.sort for t in terms))) and all(
        len(t.entries) <= ENTRIES for t in tables
    )


def fixed_indices(system: TransitionSystem) -> dict[Sort, list[Term]]:
    """The places that are read and never change, by sort."""
    frozen = {x for x, e in (system.next or {}).items() if x is e}  # membership only
    out: dict[Sort, list[Term]] = {}
    for t in _read_places(system):
        if all(v in frozen for v in free_vars(t)) and not _has_array(t):
            out.setdefault(t.sort, []).append(t)
    return {sort: places[:FIXED] for sort, places in out.items()}


def places_read(system: TransitionSystem) -> int:
    """At how many places of one sort, other than fixed ones, a property reads at most;
    1 if others do and it does not."""
    fixed = {t for places in fixed_indices(system).values() for t in places}  # membership only
    most = int(any(t not in fixed for t in _read_places(system)))
    for p in system.assertions:
        places = dict.fromkeys(
            t.args[1]
            for t in postorder((p.formula,))
            if t.op is Op.SELECT and t.args[1] not in fixed
        )
        most = max([most, *Counter(t.sort for t in places).values()])
    return most


def _read_places(system: TransitionSystem) -> list[Term]:
    return list(dict.fromkeys(t.args[1] for t in postorder(_formulas(system)) if t.op is Op.SELECT))


def _formulas(system: TransitionSystem) -> list[Term]:
    properties = [p.formula for p in system.assertions]
    return [
        system.init,
        system.trans,
        *system.constraints,
        *properties,
        *(system.next or {}).values(),
    ]


def _has_array(t: Term) -> bool:
    return any(x.sort.kind is Kind.ARRAY for x in postorder((t,)))


class _Watching:
    def __init__(self, system: TransitionSystem, count: int) -> None:
        self.original, self.store, self.count = system, system.store, count
        if not watchable(system):
            raise Unsupported(
                "cells are watched only of arrays of words, beside words and Booleans",
                construct="array sort",
            )
        self.arrays = dict.fromkeys(x for x in system.state if x.sort.kind is Kind.ARRAY)
        fixed = fixed_indices(system)
        self.indices = {
            s: [self.store.fresh("index", s) for _ in range(count)]
            for s in dict.fromkeys(a.sort.index for a in self.arrays)
        }
        # that are watched
        self.places = {s: [*fixed.get(s, ()), *ps] for s, ps in self.indices.items()}
        self.cell = {
            (a, w): self.store.fresh(f"{a.name}[{w}]", a.sort.element)
            for a in self.arrays
            for w in self.places[a.sort.index]
        }
        # places of reads, with the original term
        self.points: dict[Sort, dict[Term, Term]] = {s: {} for s in self.indices}
        # by array and place, the input that says what is read
        self.free: dict[Term, dict[Term, Term]] = {}
        self.images: dict[Term, Term] = {}
        self._at: dict[Term, dict[Term, Term]] = {}  # by place, the values of array terms there
        self.equations: list[tuple[Term, Term, Term]] = []
        self.differences: list[tuple[Term, Term, Term]] = []

    # -- the system --------------------------------------------------------------------------------

    def watched(self) -> CellSystem:
        """The new system and its instances."""
        system, s = self.original, self.store
        init = s.and_(*self._init())  # while no places are known that inputs say
        next_ = {x: self.word(e) for x, e in (system.next or {}).items() if x not in self.arrays}
        for (a, w), cell in self.cell.items():
            next_[cell] = self.at((system.next or {})[a], w)
        indices = tuple(p for ps in self.indices.values() for p in ps)
        next_ |= {p: p for p in indices}
        step = [self.word(f) for f in _filters(system)]
        constraints = [self.word(c) for c in system.constraints]
        properties = tuple(map_formulas(p, self.word) for p in system.assertions)
        constraints += self._different_somewhere()
        instances = tuple(self._instances(indices))
        constraints += self._equal_everywhere()
        reads = {r: (a, q) for a in self.arrays for q, r in self.free.get(a, {}).items()}
        fresh = [r for by in self.free.values() for r in by.values()] + [
            e for e, _, _ in self.equations
        ]
        fresh += [w for w, _, _ in self.differences]
        made = replace(
            system,
            state=tuple(next_),
            inputs=tuple([i for i in system.inputs if i.sort.kind is not Kind.ARRAY] + fresh),
            init=init,
            trans=functional(s, next_, *step),
            next=next_,
            constraints=tuple(constraints),
            properties=properties,
            predicates=(),
            fairness=(),
        )
        cells = {cell: s.select(a, w) for (a, w), cell in self.cell.items()}
        return CellSystem(made, indices, cells, reads, instances, tuple(self.differences))

    def _init(self) -> list[Term]:
        """What is known of the first state.
        A fact that needs more than the watched cells counts only where it reads them."""
        s, out = self.store, []
        for fact in conjuncts(self.original.init):
            if fact.op is Op.EQ and fact.args[0].sort.kind is Kind.ARRAY:
                facts = [
                    s.eq(self.at(fact.args[0], w), self.at(fact.args[1], w))
                    for w in self.places[fact.args[0].sort.index]
                ]
            else:
                facts = [self.word(fact)]
            out += [f for fact_ in facts if (f := self._without_reads(fact_)) is not None]
        return out

    def _without_reads(self, fact: Term) -> Term | None:
        """A consequence of `fact` without fresh inputs."""
        s = self.store
        place = {r: q for by in self.free.values() for q, r in by.items()}
        used = [v for v in free_vars(fact) if v in place]
        if any(v in {e for e, _, _ in self.equations} for v in free_vars(fact)):
            return None
        guards = [
            s.or_(*(s.eq(place[r], w) for w in self.places.get(place[r].sort, ()))) for r in used
        ]
        weaker = substitute(
            s.implies(s.and_(*guards), fact),
            {r: s.const(default_value(r.sort), r.sort) for r in used},
        )
        plain = {
            *self.original.state,
            *self.cell.values(),
            *(p for ps in self.indices.values() for p in ps),
        }
        return weaker if all(v in plain for v in free_vars(weaker)) else None

    def _different_somewhere(self) -> list[Term]:
        """Arrays that are not equal differ at a place, which an input says."""
        s, out = self.store, []
        for e, a, b in list(self.equations):
            w = s.fresh("difference", a.sort.index)
            self.differences.append((w, a, b))
            self.points.setdefault(w.sort, {})[w] = w
            out.append(s.or_(e, s.not_(s.eq(self.at(a, w), self.at(b, w)))))
        return out

    def _equal_everywhere(self) -> list[Term]:
        """Arrays that are equal are so at all places that are looked at;
        what that reads may add places."""
        s, out, done = self.store, [], set[tuple[Term, Term]]()
        changed = True
        while changed:
            changed = False
            for e, a, b in list(self.equations):
                sort = a.sort.index
                for q in [*self.places.get(sort, ()), *self.points.get(sort, {})]:
                    if (e, q) not in done:
                        done.add((e, q))
                        out.append(s.implies(e, s.eq(self.at(a, q), self.at(b, q))))
                        changed = True
        return out

    # -- instances ---------------------------------------------------------------------------------

    def _instances(self, indices: tuple[Term, ...]) -> Iterable[Instance]:
        """One or two indices at another one or at a place of a read, the others at themselves."""
        others = {
            p: [*((q, q) for q in self.indices[p.sort] if q is not p), *self.points[p.sort].items()]
            for p in indices
        }
        changes: list[tuple[tuple[Term, Term, Term], ...]] = [
            ((p, *to),) for p in indices for to in others[p]
        ]
        changes += [
            ((p, *a), (q, *b))
            for p, q in combinations(indices, 2)
            for a in others[p]
            for b in others[q]
        ]
        for change in changes[:INSTANCES]:
            at, original = {p: q for p, q, _ in change}, {p: t for p, _, t in change}
            values = {
                cell: self.at(a, at[w])
                for (a, w), cell in self.cell.items()
                if at.get(w, w) is not w
            }
            yield Instance(tuple(original.get(p, p) for p in indices), {**at, **values})

    # -- terms -------------------------------------------------------------------------------------

    def word(self, root: Term) -> Term:
        """The image of a term that is no array."""
        for t in _words(root, self.images):
            if t.op is Op.SELECT:
                self.images[t] = self._read(t)
            elif t.op in (Op.EQ, Op.DISTINCT) and t.args[0].sort.kind is Kind.ARRAY:
                self.images[t] = self._compared(t)
            else:
                self.images[t] = (
                    self.store.mk(t.op, tuple(self.images[a] for a in t.args), t.data)
                    if t.args
                    else t
                )
        return self.images[root]

    def _read(self, t: Term) -> Term:
        q = self.word(t.args[1])
        if q.sort in self.points and q not in self.places[q.sort]:
            self.points[q.sort].setdefault(q, t.args[1])
        return self.at(t.args[0], q)

    def _compared(self, t: Term) -> Term:
        if len(t.args) > 2:
            raise Unsupported("distinct of several arrays", construct="arrays")
        e = self.store.fresh("equal", BOOL)
        self.equations.append((e, t.args[0], t.args[1]))
        return e if t.op is Op.EQ else self.store.not_(e)

    def at(self, array: Term, q: Term) -> Term:
        """The value of an array term at a place."""
        memo = self._at.setdefault(q, {})
        stack = [array]
        while stack:
            t = stack[-1]
            below = [a for a in t.args if a.sort is t.sort and a not in memo]
            if t in memo or not below:
                stack.pop()
                if t not in memo:
                    memo[t] = self._value(t, q, memo)
            else:
                stack.extend(below)
        return memo[array]

    def _value(self, t: Term, q: Term, memo: Mapping[Term, Term]) -> Term:
        s = self.store
        if t.op is Op.VAR:
            return self._variable(t, q)
        if t.op is Op.CONST:
            assert isinstance(t.data, ArrayValue)
            out = s.const(t.data.default, t.sort.element)
            for i, value in t.data.entries.items():
                out = s.ite(s.eq(q, s.const(i, q.sort)), s.const(value, t.sort.element), out)
            return out
        if t.op is Op.CONST_ARRAY:
            return self.word(t.args[0])
        if t.op is Op.ITE:
            return s.ite(self.word(t.args[0]), memo[t.args[1]], memo[t.args[2]])
        assert t.op is Op.STORE
        return s.ite(s.eq(q, self.word(t.args[1])), self.word(t.args[2]), memo[t.args[0]])

    def _variable(self, a: Term, q: Term) -> Term:
        """A cell that is watched, or else what an input says; the same at equal places."""
        s, free = self.store, self.free.setdefault(a, {})
        cells = [(w, self.cell[a, w]) for w in self.places[q.sort]] if a in self.arrays else []
        if q in [w for w, _ in cells]:
            cells = cells[: [w for w, _ in cells].index(q) + 1]
            out = cells.pop()[1]
        else:
            others = list(free.items())
            out = free[q] = s.fresh(f"{a.name} read", a.sort.element)
            for p, r in reversed(others):
                out = s.ite(s.eq(q, p), r, out)
        for w, cell in reversed(cells):
            out = s.ite(s.eq(q, w), cell, out)
        return out


def _words(root: Term, known: Mapping[Term, Term]) -> Iterable[Term]:
    """The subterms that are no arrays and not inside one, arguments first,
    without the known ones."""
    stack, seen = [root], set[Term]()
    while stack:
        t = stack[-1]
        if t in known or t in seen:
            stack.pop()
            continue
        array = t.op is Op.SELECT or (t.args and t.args[0].sort.kind is Kind.ARRAY)
        below = [] if array else [a for a in t.args if a not in known and a not in seen]
        if below:
            stack.extend(below)
        else:
            stack.pop()
            seen.add(t)
            yield t


def _filters(system: TransitionSystem) -> list[Term]:
    """What a step must satisfy beside the functions."""
    next_ = system.next or {}
    if system.trans is functional(system.store, next_):
        return []
    told = substitute(system.trans, {system.primed[x]: e for x, e in next_.items()})
    return [f for f in conjuncts(told) if not (f.op is Op.EQ and f.args[0] is f.args[1])]


def _usable(sort: Sort) -> bool:
    if sort.kind is not Kind.ARRAY:
        return sort.kind in (Kind.BITVEC, Kind.BOOL)
    return sort.index.kind is Kind.BITVEC and sort.element.kind in (Kind.BITVEC, Kind.BOOL)
