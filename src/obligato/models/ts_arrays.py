"""Small arrays of a transition system as one variable per element,
for engines that know words only.

An array term becomes the tuple of its elements: a variable one variable each (`name[i]`), a write a
choice per element, a read a choice by the index. `ArrayLift` maps back: in an invariant an element
variable becomes a read, in a trace the elements become an array. Limitation: index sorts are
bit-vectors; arrays of more than `limit` bits are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.properties import formulas_of, map_formulas
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_claims import SystemCertificate, SystemStep, SystemTrace
from obligato.models.ts_reduce import SameNames, SystemLift
from obligato.terms import ArrayValue, Kind, Op, Sort, Term, TermStore, Value, postorder, substitute

Elements = tuple[Term, ...]


def expand_arrays(system: TransitionSystem, limit: int) -> tuple[TransitionSystem, SystemLift]:
    """`system` without arrays; as it is if it has none."""
    if not any(t.sort.kind is Kind.ARRAY for t in postorder(_terms(system))):
        return system, SameNames()
    expansion = _Expansion(system.store, limit)
    return expansion.system(system), ArrayLift(system, expansion.variables)


def expandable(system: TransitionSystem, limit: int) -> bool:
    """Are all arrays small enough to be expanded?"""
    arrays = dict.fromkeys(t.sort for t in postorder(_terms(system)) if t.sort.kind is Kind.ARRAY)
    return all(_fits(sort, limit) for sort in arrays)


def _fits(sort: Sort, limit: int) -> bool:
    index, element = sort.index, sort.element
    words = index.kind is Kind.BITVEC and element.kind is Kind.BITVEC
    return words and index.width <= 20 and element.width << index.width <= limit


def _terms(system: TransitionSystem) -> list[Term]:
    return [
        *system.state,
        *system.inputs,
        system.init,
        system.trans,
        *system.constraints,
        *system.fairness,
        *(f for p in system.properties for f in formulas_of(p)),
    ]


class _Expansion:
    def __init__(self, store: TermStore, limit: int) -> None:
        self.store, self.limit = store, limit
        self.variables: dict[Term, Elements] = {}
        self.images: dict[Term, Term] = {}
        self.arrays: dict[Term, Elements] = {}

    def system(self, system: TransitionSystem) -> TransitionSystem:
        """The system over elements."""
        store = self.store
        state = [y for x in system.state for y in self.parts(x)]
        primed = [y for x in system.primed.values() for y in self.parts(x)]
        inputs = [y for x in system.inputs for y in self.parts(x)]
        next_ = None
        if system.next is not None:
            next_ = {
                y: e
                for x, f in system.next.items()
                for y, e in zip(self.parts(x), self.parts(f), strict=True)
            }
        renamed = {p: store.var(f"{x.name}'", x.sort) for x, p in zip(state, primed, strict=True)}
        trans = substitute(self.term(system.trans), renamed)
        if next_ is not None and system.trans is functional(store, system.next or {}):
            trans = functional(store, next_)
        return replace(
            system,
            state=tuple(state),
            inputs=tuple(inputs),
            init=self.term(system.init),
            trans=trans,
            next=next_,
            constraints=tuple(map(self.term, system.constraints)),
            predicates=(),
            properties=tuple(map_formulas(p, self.term) for p in system.properties),
            fairness=tuple(map(self.term, system.fairness)),
        )

    def parts(self, t: Term) -> Elements:
        """The elements of an array term, or the image of another."""
        self._visit(t)
        return self.arrays[t] if t.sort.kind is Kind.ARRAY else (self.images[t],)

    def term(self, t: Term) -> Term:
        """The image of a term that is no array."""
        self._visit(t)
        return self.images[t]

    def _visit(self, root: Term) -> None:
        for t in postorder((root,)):
            if t in self.images or t in self.arrays:
                continue
            if t.sort.kind is Kind.ARRAY:
                self.arrays[t] = self._array(t)
            else:
                self.images[t] = self._word(t)

    def _size(self, sort: Sort) -> int:
        if not _fits(sort, self.limit):
            raise Unsupported(
                f"an array of sort {sort} is too large to be expanded to bits",
                construct="large array",
            )
        return 1 << sort.index.width

    def _array(self, t: Term) -> Elements:
        s, size = self.store, self._size(t.sort)
        index, element = t.sort.index, t.sort.element
        if t.op is Op.VAR:
            made = tuple(s.var(f"{t.name}[{i}]", element) for i in range(size))
            self.variables[t] = made
            return made
        if t.op is Op.CONST:
            assert isinstance(t.data, ArrayValue)
            return tuple(s.const(t.data.get(i), element) for i in range(size))
        if t.op is Op.CONST_ARRAY:
            return (self.images[t.args[0]],) * size
        if t.op is Op.ITE:
            c, a, b = self.images[t.args[0]], self.arrays[t.args[1]], self.arrays[t.args[2]]
            return tuple(s.ite(c, x, y) for x, y in zip(a, b, strict=True))
        assert t.op is Op.STORE
        old, at, value = self.arrays[t.args[0]], self.images[t.args[1]], self.images[t.args[2]]
        return tuple(s.ite(s.eq(at, s.const(i, index)), value, x) for i, x in enumerate(old))

    def _word(self, t: Term) -> Term:
        s = self.store
        if t.op is Op.SELECT:
            return self._select(self.arrays[t.args[0]], self.images[t.args[1]])
        if t.op in (Op.EQ, Op.DISTINCT) and t.args[0].sort.kind is Kind.ARRAY:
            if len(t.args) > 2:
                raise Unsupported("distinct of several arrays", construct="arrays")
            a, b = (self.arrays[x] for x in t.args)
            same = s.and_(*(s.eq(x, y) for x, y in zip(a, b, strict=True)))
            return same if t.op is Op.EQ else s.not_(same)
        return s.mk(t.op, tuple(self.images[a] for a in t.args), t.data) if t.args else t

    def _select(self, elements: Sequence[Term], at: Term) -> Term:
        """The element at an index, by its bits from the lowest one on."""
        s = self.store
        level = list(elements)
        for bit in range(at.sort.width):
            chosen = s.eq(s.extract(at, bit, bit), s.bv(1, 1))
            level = [s.ite(chosen, level[i + 1], level[i]) for i in range(0, len(level), 2)]
        return level[0]


class ArrayLift:
    """Maps claims about elements back to arrays."""

    def __init__(self, system: TransitionSystem, variables: Mapping[Term, Elements]) -> None:
        self.store = system.store
        self.variables = variables

    def certificate(self, certificate: SystemCertificate) -> SystemCertificate:
        """The certificate with reads of arrays for element variables."""
        s = self.store
        cells = [
            (e, a, s.const(i, a.sort.index))
            for a, es in self.variables.items()
            for i, e in enumerate(es)
        ]
        reads = {e: s.select(a, i) for e, a, i in cells}
        later = {next_var(e): s.select(next_var(a), i) for e, a, i in cells}
        relation = (
            None
            if certificate.relation is None
            else substitute(certificate.relation, {**reads, **later})
        )
        return replace(
            certificate, invariant=substitute(certificate.invariant, reads), relation=relation
        )

    def trace(self, trace: SystemTrace) -> SystemTrace:
        """The trace with arrays for element variables."""
        return SystemTrace(
            tuple(SystemStep(self._values(s.state), self._values(s.inputs)) for s in trace.steps)
        )

    def _values(self, values: Mapping[str, Value]) -> dict[str, Value]:
        out = dict(values)
        for a, elements in self.variables.items():
            if all(e.name in out for e in elements):
                entries: dict[Value, Value] = {i: out.pop(e.name) for i, e in enumerate(elements)}
                constant = self.store.const(ArrayValue(entries[0], entries), a.sort)
                out[a.name] = constant.data
        return out
