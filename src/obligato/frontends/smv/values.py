"""Typed values: one term, or a choice among several (a set). Conversions between encodings.

A set is a tree: `Pick` takes any of its parts, `Either` one of two by a condition, `Span` any
number between two others. As the value of an assignment it becomes a term over fresh inputs that
choose (`Chooser`); after `in` it becomes a disjunction.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.errors import InputError, Span
from obligato.frontends.smv.types import (
    BOOLEAN,
    Boolean,
    Constant,
    Map,
    Numbers,
    Real,
    Symbols,
    Type,
    Word,
    bits,
    constants_of,
    hull,
    sort_of,
)
from obligato.terms import INT, Op, Sort, Term, TermStore


@dataclass(frozen=True, slots=True)
class Val:
    """A value: a term with its type."""

    type: Type
    term: Term


@dataclass(frozen=True, slots=True)
class Pick:
    """A value that may be any of several."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A value that is one or the other, by a condition."""

    condition: Term
    then: Value
    other: Value


@dataclass(frozen=True, slots=True)
class Between:
    """Any number between two constants, the ends included."""

    low: int
    high: int


Value = Val | Pick | Either | Between


class Encoding:
    """Values as terms of one store; `wide`: numbers are integers."""

    def __init__(self, store: TermStore, wide: bool) -> None:
        self.store, self.wide = store, wide

    def sort(self, t: Type, span: Span) -> Sort:
        """The sort of a type's values."""
        return sort_of(t, self.wide, span)

    def number(self, value: int, span: Span) -> Val:
        """A constant number."""
        t = Numbers(value, value)
        return Val(t, self.store.const(value, self.sort(t, span)))

    def symbol(self, name: str) -> Val:
        """A constant of an enumeration."""
        return Val(Symbols((name,)), self.store.bv(0, 1))

    def truth(self, value: bool) -> Val:
        """TRUE or FALSE."""
        return Val(BOOLEAN, self.store.bool_(value))

    # -- conversions -------------------------------------------------------------------------------

    def common(self, a: Type, b: Type, span: Span) -> Type:
        """The type that has the values of both."""
        match a, b:
            case Numbers(), Numbers():
                return a if a == b else hull(a, b)
            case ((Symbols() | Numbers()), (Symbols() | Numbers())):
                return Symbols(
                    tuple(dict.fromkeys((*constants_of(a, span), *constants_of(b, span))))
                )
            case (Real(), Numbers() | Real()) | (Numbers(), Real()):
                return Real()
        if a != b:
            raise InputError(f"values of {a} and {b} do not go together", span)
        return a

    def cast(self, v: Val, t: Type, span: Span) -> Term:
        """The term of a value in the encoding of another type that has all its values (or the value
        is known to be one).
        """
        if v.type == t:
            return v.term
        match v.type, t:
            case Numbers(), Numbers():
                return self._fit(v.term, v.type, t, span)
            case ((Symbols() | Numbers()), Symbols()):
                return self._recode(v, constants_of(v.type, span), t, span)
            case Symbols(), Numbers():
                return self._decode(v.term, v.type, t, span)
            case Numbers(), Real():
                return self.store.to_real(v.term)
        raise InputError(f"a value of {t} is needed, not of {v.type}", span)

    def _fit(self, term: Term, source: Numbers, target: Numbers, span: Span) -> Term:
        if self.sort(target, span) is INT or source.low is None or source.high is None:
            return term
        assert target.low is not None and target.high is not None
        return self.store.resize(term, bits(target.low, target.high, span), source.low < 0)

    def _recode(self, v: Val, values: tuple[Constant, ...], t: Symbols, span: Span) -> Term:
        s, sort = self.store, self.sort(t, span)
        place = {c: n for n, c in enumerate(t.values)}
        out: Term | None = None
        for c in reversed(values):
            if c in place:
                code = s.const(place[c], sort)
                out = code if out is None else s.ite(self.is_constant(v, c, span), code, out)
        return s.const(0, sort) if out is None else out

    def _decode(self, term: Term, source: Symbols, t: Numbers, span: Span) -> Term:
        """The number that a value of a mixed enumeration is; 0 or so where it is none."""
        s, sort = self.store, self.sort(t, span)
        out = s.const(t.low or 0, sort)
        for n, c in enumerate(source.values):
            if (
                isinstance(c, int)
                and (t.low is None or t.low <= c)
                and (t.high is None or c <= t.high)
            ):
                out = s.ite(s.eq(term, s.const(n, term.sort)), s.const(c, sort), out)
        return out

    def is_constant(self, v: Val, c: Constant, span: Span) -> Term:
        """Is the value that constant?"""
        s = self.store
        if isinstance(v.type, Symbols):
            return (
                s.eq(v.term, s.const(v.type.values.index(c), v.term.sort))
                if c in v.type.values
                else s.false
            )
        assert isinstance(v.type, Numbers) and isinstance(c, int)
        return self.equal(v, self.number(c, span), span)

    def equal(self, a: Val, b: Val, span: Span) -> Term:
        """Are two values the same?"""
        t = self.common(a.type, b.type, span)
        return self.store.eq(self.cast(a, t, span), self.cast(b, t, span))

    # -- domains -----------------------------------------------------------------------------------

    def inside(self, v: Val, t: Type, span: Span) -> Term:
        """Is a value one of the type's? Their types must go together."""
        s = self.store
        self.common(v.type, t, span)
        if isinstance(t, Symbols) or (isinstance(t, Numbers) and t.values):
            found = (
                [c for c in constants_of(v.type, span) if c in t.values]
                if isinstance(v.type, Symbols)
                else list(t.values)
            )
            numbers = [c for c in found if isinstance(c, int) or isinstance(v.type, Symbols)]
            return s.or_(*(self.is_constant(v, c, span) for c in numbers))
        if isinstance(t, Numbers) and isinstance(v.type, Symbols):
            fitting = [c for c in v.type.values if isinstance(c, int) and self._holds(t, c)]
            return s.or_(*(self.is_constant(v, c, span) for c in fitting))
        if isinstance(t, Numbers) and isinstance(v.type, Numbers):
            limits = (
                [self.less(self.number(t.low, span), v, True, span)] if t.low is not None else []
            )
            limits += (
                [self.less(v, self.number(t.high, span), True, span)] if t.high is not None else []
            )
            return s.and_(*limits)
        if isinstance(t, Numbers) and isinstance(v.type, Real):
            raise InputError(f"a value of {t} is needed, not of real", span)
        return s.true

    @staticmethod
    def _holds(t: Numbers, c: int) -> bool:
        return (t.low is None or t.low <= c) and (t.high is None or c <= t.high)

    def less(self, a: Val, b: Val, equal: bool, span: Span) -> Term:
        """a < b, or a <= b."""
        s, t = self.store, self.common(a.type, b.type, span)
        if isinstance(t, Boolean | Symbols | Map):
            raise InputError(f"values of {t} are not ordered", span)
        x, y = self.cast(a, t, span), self.cast(b, t, span)
        if isinstance(t, Real) or x.sort is INT:
            return s.le(x, y) if equal else s.lt(x, y)
        signed = t.signed if isinstance(t, Word) else t.low is not None and t.low < 0
        op = (Op.BVSLE if equal else Op.BVSLT) if signed else (Op.BVULE if equal else Op.BVULT)
        return s.mk(op, (x, y))

    def domain(self, t: Type, term: Term, span: Span) -> Term | None:
        """What an encoding must satisfy to be a value of its type; None: nothing."""
        s = self.store
        if isinstance(t, Symbols) and len(t.values) < 1 << term.sort.width:
            return s.mk(Op.BVULT, (term, s.const(len(t.values), term.sort)))
        if not isinstance(t, Numbers):
            return None
        if t.values:
            return s.or_(*(s.eq(term, s.const(v, term.sort)) for v in t.values))
        if (
            t.low is None
            or t.high is None
            or (term.sort is not INT and t.high - t.low + 1 == 1 << term.sort.width)
        ):
            return None
        return self.inside(Val(Numbers(None, None) if term.sort is INT else t, term), t, span)

    # -- sets --------------------------------------------------------------------------------------

    def member(self, v: Val, among: Value, span: Span) -> Term:
        """Is a value one of a set's?"""
        s = self.store
        match among:
            case Val():
                return self.equal(v, among, span)
            case Between():
                return self.inside(v, Numbers(among.low, among.high), span)
            case Pick():
                return s.or_(*[self.member(v, p, span) for p in among.parts])
        return s.ite(
            among.condition, self.member(v, among.then, span), self.member(v, among.other, span)
        )
