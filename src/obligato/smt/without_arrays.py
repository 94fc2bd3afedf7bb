"""Formulas about arrays of words refuted as formulas about words: every read is written out over
the writes before it.

    select(store(a, i, v), j)  =  ite(i = j, v, select(a, j))
    select(ite(c, a, b), j)    =  ite(c, select(a, j), select(b, j))
    select(a, j)               =  a fresh word for each j, where a is a variable; equal indices have
                               equal words

`Reads` carries it. Every model of the formulas gives the fresh words values with which all of them
hold, so *unsat* of what is written out is *unsat* of the formulas. Only that is ever said: formulas
that compare arrays, or have more reads than `MOST`, are left out, and so are equalities of the
words of an array that is read at more than `INDICES` places. It helps where an unwinding has fixed
most indices; for writes in a long loop the solvers for arrays are better.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.errors import SolverFailure
from obligato.smt.solver import SAT, UNKNOWN, UNSAT, Capabilities, SatResult, Solver, SolverStats
from obligato.terms import Kind, Op, Term, Value, postorder
from obligato.terms.semantics import ArrayValue, default_value

MOST = 50_000  # reads of one array term at one index
INDICES = 100  # at which one array variable is read


class TooMany(Exception):
    """There are more reads than are worth it, or arrays are compared."""


class Reads:
    """Terms without arrays; `equal` are formulas about the fresh words that stand for reads of
    variables.
    """

    def __init__(self) -> None:
        self.equal: list[Term] = []
        self._words: dict[Term, Term] = {}
        self._reads: dict[tuple[Term, Term], Term] = {}
        # of array variables: the word at each index
        self._places: dict[Term, dict[Term, Term]] = {}

    def written_out(self, formula: Term) -> Term:
        """The formula over words; `TooMany` where that cannot be."""
        for t in list(postorder((formula,))):
            if t in self._words or t.sort.kind is Kind.ARRAY:
                continue
            if t.op is Op.SELECT:
                self._words[t] = self._read(t.args[0], self._words[t.args[1]])
            elif any(a.sort.kind is Kind.ARRAY for a in t.args):
                raise TooMany
            else:
                args = tuple(self._words[a] for a in t.args)
                self._words[t] = t if args == t.args else t.store.mk(t.op, args, t.data)
        return self._words[formula]

    def _read(self, array: Term, index: Term) -> Term:
        stack = [array]
        while stack:
            a = stack[-1]
            waiting = [b for b in _below(a) if (b, index) not in self._reads]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if (a, index) not in self._reads:
                self._reads[a, index] = self._one(a, index)
                if len(self._reads) > MOST:
                    raise TooMany
        return self._reads[array, index]

    def _one(self, a: Term, index: Term) -> Term:
        """What is at the index, where the arrays below have been read."""
        s = a.store
        if a.op is Op.STORE:
            place, value = self._words[a.args[1]], self._words[a.args[2]]
            before = self._reads[a.args[0], index]
            return _choice(place, index, value, before)
        if a.op is Op.ITE:
            then, otherwise = self._reads[a.args[1], index], self._reads[a.args[2], index]
            return then if then is otherwise else s.ite(self._words[a.args[0]], then, otherwise)
        if a.op is Op.CONST_ARRAY:
            return self._words[a.args[0]]
        if a.op is Op.CONST and isinstance(a.data, ArrayValue):
            return self._constant(a, a.data, index)
        if a.op is Op.VAR and a.sort.element.kind is not Kind.ARRAY:
            return self._of_variable(a, index)
        raise TooMany

    def _constant(self, a: Term, data: ArrayValue, index: Term) -> Term:
        if index.op is Op.CONST:
            return a.store.const(data.get(index.data), a.sort.element)
        out = a.store.const(data.default, a.sort.element)
        for place, value in data.entries.items():
            out = _choice(
                a.store.const(place, a.sort.index), index, a.store.const(value, a.sort.element), out
            )
        return out

    @property
    def complete(self) -> bool:
        """Are all equalities of words stated?"""
        return all(len(places) <= INDICES for places in self._places.values())

    def places(self, a: Term) -> dict[Term, Term]:
        """The words of an array variable at each index where it is read."""
        return self._places.get(a, {})

    def _of_variable(self, a: Term, index: Term) -> Term:
        places, s = self._places.setdefault(a, {}), a.store
        word = s.fresh(f"{a.name}!read", a.sort.element)
        if len(places) < INDICES:
            self.equal += [
                s.or_(s.not_(s.eq(i, index)), s.eq(w, word))
                for i, w in places.items()
                if not _differ(i, index)
            ]
        places[index] = word
        return word


def _below(a: Term) -> tuple[Term, ...]:
    """The arrays that a read of `a` reads."""
    if a.op is Op.STORE:
        return a.args[:1]
    return a.args[1:] if a.op is Op.ITE else ()


def _differ(i: Term, j: Term) -> bool:
    return i.op is Op.CONST and j.op is Op.CONST and i.data != j.data


def _choice(place: Term, index: Term, value: Term, otherwise: Term) -> Term:
    """The value if the index is this place."""
    if place is index or value is otherwise:
        return value
    if _differ(place, index):
        return otherwise
    return place.store.ite(place.store.eq(place, index), value, otherwise)


class WithoutArrays(Solver):
    """Says unsat, by a solver for words that knows the formulas written out, or unknown."""

    def __init__(self, words: Solver, stats: SolverStats | None = None) -> None:
        super().__init__(stats)
        kinds = frozenset((Kind.BOOL, Kind.BITVEC, Kind.ARRAY))
        self.capabilities = Capabilities(
            words.capabilities.name, kinds, words.capabilities.interruptible, True
        )
        self._solver, self._reads = words, Reads()
        self._told = 0
        self._assumed: list[Term] = []

    def add(self, formula: Term) -> None:
        """Assert `formula` for good."""
        for f in self._written_out([formula]):
            self._solver.add(f)

    def _written_out(self, formulas: Sequence[Term]) -> list[Term]:
        """The formulas over words; those that cannot be written out are missing."""
        out = []
        for f in formulas:
            try:
                out.append(self._reads.written_out(f))
            except TooMany:
                continue  # the rest says less: an unsat of it is one of all
        for f in self._reads.equal[self._told :]:
            self._solver.add(f)
        self._told = len(self._reads.equal)
        return out

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._assumed = list(assumptions)
        # the formulas and assumptions, written out: unsat - so are they; else nothing is known
        # (heuristic)
        return (
            UNSAT
            if self._solver.check(self._written_out(assumptions), budget=budget) is UNSAT
            else UNKNOWN
        )

    def core(self) -> list[Term]:
        """All assumptions."""
        return list(dict.fromkeys(self._assumed))

    def _value_of_var(self, var: Term) -> Value | None:
        raise SolverFailure("formulas that are written out have no models")

    def interrupt(self) -> None:
        """Make a running check return soon."""
        self._solver.interrupt()

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.close()


class ReadsWrittenOut(WithoutArrays):
    """Says sat, too, where everything could be written out: an array has what was read from it."""

    def __init__(self, words: Solver, stats: SolverStats | None = None) -> None:
        super().__init__(words, stats)
        self._left_out = False

    def _written_out(self, formulas: Sequence[Term]) -> list[Term]:
        out = super()._written_out(formulas)
        self._left_out |= len(out) < len(formulas)
        return out

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._assumed = list(assumptions)
        written = self._written_out(assumptions)
        # the formulas and assumptions, written out: unsat - so are they; sat - so are they, if all
        # are among them   (heuristic)
        result = self._solver.check(written, budget=budget)
        return UNKNOWN if result is SAT and not self._whole() else result

    def _whole(self) -> bool:
        return self._reads.complete and not self._left_out

    def _value_of_var(self, var: Term) -> Value | None:
        if var.sort.kind is not Kind.ARRAY:
            return self._solver.model_of([var]).get(var)
        at = {
            self._solver.value(i): self._solver.value(w) for i, w in self._reads.places(var).items()
        }
        return ArrayValue(default_value(var.sort.element), at)
