"""Formulas about floats as weaker ones about reals: every float becomes the real number that it is.

A rounded operation is the exact one and an error of at most one unit in the last place of the
largest result that ranges (`smt.range_values`) allow, half of one where it rounds to the nearest.
Products and quotients of two terms are between the planes that touch them at the ends of their
ranges [McC76]. That needs terms that are neither NaN nor infinite: where ranges do not say so, a
float is left out, and a comparison of it is a fresh Boolean.

`Relaxed` carries it. Every model of the formulas gives the reals and the fresh variables values with
which all that it says holds; so *unsat* of what it says is *unsat* of the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil

from obligato.smt.boxes import COMPARISONS, bound, box_of, conjuncts_of
from obligato.smt.range_values import Abstract, Range, abstract, value_of, whole
from obligato.terms import BOOL, REAL, Kind, Op, Sort, Term, TermStore, postorder
from obligato.terms.float_semantics import format_of
from obligato.terms.softfloat import RoundingMode

DIGITS = 24  # of the numbers that are told, in bits; what is beyond them is an error
NEAREST = (RoundingMode.RNE, RoundingMode.RNA)


class Relaxed:
    """Terms over reals; `facts` are formulas about them that hold whenever all `roots` do."""

    def __init__(self, roots: Sequence[Term], also: Sequence[Term] = ()) -> None:
        """About the roots and the terms that are `also` to be spoken of."""
        self.roots = conjuncts_of(roots)
        self.store = TermStore()
        self.facts: list[Term] = []
        self.box = box_of(self.roots)
        nodes = list(postorder([*self.roots, *also]))
        self.ranges = abstract(nodes, self.box, {})
        self.hoped = self._hoped(nodes)
        self.wider = self.ranges
        if self.hoped:
            decided = {t: v for t, v in self.ranges.items() if t.sort.kind is not Kind.FLOAT}
            ranges = {v: r for v, (r, _, _) in self.hoped.items()}
            self.wider = abstract(nodes, {**self.box, **ranges}, decided)
        self.conditions: dict[Term, Term] = {}  # of floats whose reals have one
        self._memo: dict[Term, Term | None] = {
            t: self.store.leaf(t) for t in nodes if t.op is Op.VAR and _is_plain(t.sort)
        }

    def translate(self, formula: Term) -> Term:
        """What the formula says about reals. Requires: its terms are among those given."""
        out = self.real_of(formula)
        assert out is not None
        return out

    def all_of(self) -> list[Term]:
        """What the roots and the facts say."""
        said = [self.translate(r) for r in self.roots]
        s = self.store
        for v, (_, low, high) in self.hoped.items():
            if v in self.conditions:
                named = [s.not_(self.translate(a)) for a in (low, high)]
                said.append(s.or_(*named, self.conditions[v]))
        return [*said, *self.facts]

    def condition_of(self, t: Term) -> Term:
        """Where the real of a float is the float."""
        return self.conditions.get(t, self.store.true)

    def _hoped(self, nodes: Iterable[Term]) -> dict[Term, tuple[Range, Term, Term]]:
        """The widest finite ranges of variables that comparisons name, with the two that do."""
        ends: dict[Term, dict[bool, tuple[int, Term]]] = {}
        for t in nodes:
            if t.op not in COMPARISONS or not any(a.op is Op.VAR for a in t.args):
                continue
            box: dict[Term, Range] = {}
            bound(box, t, False)
            for v, r in box.items():
                upper = r.low == whole(v.sort).low
                key = r.high if upper else r.low
                old = ends.setdefault(v, {}).get(upper)
                if old is None or (key > old[0] if upper else key < old[0]):
                    ends[v][upper] = (key, t)
        named = {
            v: (Range(e[False][0], e[True][0], False), e[False][1], e[True][1])
            for v, e in ends.items()
            if len(e) == 2 and not self._is_known(v)
        }
        return {v: n for v, n in named.items() if _finite(v.sort, n[0]) is not None}

    def _is_known(self, v: Term) -> bool:
        return v in self.box and _finite(v.sort, self.box[v]) is not None

    def real_of(self, t: Term) -> Term | None:
        """The real number that a float is, if it is known to be one; any other term over reals."""
        for part in postorder((t,)):
            if part not in self._memo:
                self._memo[part] = self._one(part)
        return self._memo[t]

    def _one(self, t: Term) -> Term | None:
        if t.sort.kind is Kind.FLOAT:
            return self._real(t)
        if not _is_plain(t.sort):
            return None
        known = self.ranges[t]
        if t.sort is BOOL and isinstance(known, frozenset) and len(known) == 1:
            return self.store.bool_(True in known)
        if any(not _is_plain(a.sort) for a in t.args):
            return self._comparison(t)
        args = [self._memo[a] for a in t.args]
        if not args:
            return self.store.leaf(t)
        return self.store.mk(t.op, tuple(a for a in args if a is not None), t.data)

    def _comparison(self, t: Term) -> Term:
        """An operator on floats that is no float itself."""
        s, sides = self.store, [self._memo[a] for a in t.args]
        fresh = s.fresh("open", t.sort)
        if len(sides) != 2 or sides[0] is None or sides[1] is None:
            return fresh
        a, b = sides[0], sides[1]
        condition = s.and_(*(self.condition_of(x) for x in t.args))
        if t.op is Op.EQ:  # the zeros differ
            self.facts.append(s.or_(s.not_(condition), s.not_(fresh), s.eq(a, b)))
        compare = _COMPARISONS.get(t.op)
        return fresh if compare is None else s.ite(condition, s.mk(compare, (a, b)), fresh)

    def _real(self, t: Term) -> Term | None:
        limits = self.limits_of(t)
        if limits is None:
            return None
        if t.op is Op.CONST:
            return self.store.real(limits[0])  # exact, it may be compared
        condition = self._condition(t)
        if condition is not self.store.true:
            self.conditions[t] = condition
        rule = _RULES.get(t.op)
        made = None if rule is None else rule(self, t)
        return self._within(t) if made is None else made

    def _condition(self, t: Term) -> Term:
        """Where the real of a float that is no constant is the float."""
        if t.op is Op.VAR:
            return self.store.fresh("hoped", BOOL) if t in self.hoped else self.store.true
        if t.op is Op.ITE:
            chosen = self._memo[t.args[0]]
            assert chosen is not None
            return self.store.ite(chosen, *(self.condition_of(a) for a in t.args[1:]))
        return self.store.and_(*(self.condition_of(a) for a in t.args))

    def _state(self, t: Term, *facts: Term) -> None:
        """These facts about the real of `t` hold where it is `t`."""
        wrong = self.store.not_(self.condition_of(t))
        self.facts += [self.store.or_(wrong, f) for f in facts]

    def _within(self, t: Term) -> Term:
        """A fresh real for the float, between its limits."""
        s, limits = self.store, self._known(t)
        fresh = s.fresh("real", REAL)
        self._state(t, s.le(s.real(limits[0]), fresh), s.le(fresh, s.real(limits[1])))
        return fresh

    def limits_of(self, t: Term) -> tuple[Fraction, Fraction] | None:
        """The least and the greatest value of a float that is a finite number, perhaps on a
        condition.
        """
        known = _finite(t.sort, self.ranges[t])
        return known or _finite(t.sort, self.wider[t])

    def _exact(self, t: Term) -> tuple[Fraction, Fraction]:
        limits = self.limits_of(t)
        assert limits is not None
        return limits

    def _known(self, t: Term) -> tuple[Fraction, Fraction]:
        """The limits, or numbers of few digits beyond them."""
        low, high = self._exact(t)
        return -_above(-low), _above(high)

    # -- one rule per operator: a term that is the value, or None if nothing is said ---------------

    def choice(self, t: Term) -> Term | None:
        """The real of a choice between two floats."""
        c, a, b = (self._memo[x] for x in t.args)
        return None if c is None or a is None or b is None else self.store.ite(c, a, b)

    def negated(self, t: Term) -> Term | None:
        """The real of a float with the other sign."""
        a = self._memo[t.args[0]]
        return None if a is None else self.store.neg(a)

    def absolute(self, t: Term) -> Term | None:
        """The real of a magnitude."""
        s, a = self.store, self._memo[t.args[0]]
        return None if a is None else s.ite(s.le(s.real(0), a), a, s.neg(a))

    def sum(self, t: Term) -> Term | None:
        """The real of a rounded sum or difference."""
        a, b = self._memo[t.args[1]], self._memo[t.args[2]]
        if a is None or b is None:
            return None
        exact = self.store.add(a, b) if t.op is Op.FP_ADD else self.store.sub(a, b)
        return self._rounded(t, exact)

    def product(self, t: Term) -> Term | None:
        """The real of a rounded product."""
        x, y = t.args[1:]
        a, b = self._memo[x], self._memo[y]
        if a is None or b is None:
            return None
        if x.op is Op.CONST or y.op is Op.CONST:
            return self._multiple(t, *((x, y) if x.op is Op.CONST else (y, x)))
        return self._rounded(t, self._planes(t, (a, self._known(x)), (b, self._known(y))))

    def quotient(self, t: Term) -> Term | None:
        """The real of a rounded quotient: times the divisor it is nearly the dividend."""
        a, b = self._memo[t.args[1]], self._memo[t.args[2]]
        if a is None or b is None:
            return None
        low, high = self._known(t.args[2])
        made = self._within(t)
        times = self._planes(t, (made, self._known(t)), (b, (low, high)))
        self._near(t, times, a, max(abs(low), abs(high)))
        return made

    def _multiple(self, t: Term, constant: Term, x: Term) -> Term:
        """The real of a constant times a float; the constant gets few digits."""
        s, (factor, _) = self.store, self._exact(constant)
        low, high = self._known(x)
        short, real = _above(factor), self._memo[x]
        assert real is not None
        wrong = (short - factor) * max(abs(low), abs(high))
        return self._rounded(t, s.mul(s.real(short), real), wrong)

    def converted(self, t: Term) -> Term | None:
        """The real of a float from another format."""
        a = self._memo[t.args[1]]
        if a is None:
            return None
        source, target = format_of(t.args[1].sort), format_of(t.sort)
        wider = target.sb >= source.sb and target.eb >= source.eb
        return a if wider else self._rounded(t, a)

    def _planes(self, t: Term, one: _Ranged, two: _Ranged) -> Term:
        """A fresh real for a product, between the planes that touch it at the ends of the ranges of
        its factors.
        """
        s, (a, first), (b, second) = self.store, one, two
        z = s.fresh("product", REAL)
        for i, p in enumerate(first):
            for j, u in enumerate(second):
                # (a - p) * (b - u) has a known sign: positive at equal ends, negative at others
                plane = s.add(s.mul(s.real(u), a), s.mul(s.real(p), b), s.real(-p * u))
                self._state(t, s.le(plane, z) if i == j else s.le(z, plane))
        if a is b:
            middle = (first[0] + first[1]) / 2
            tangent = s.add(s.mul(s.real(2 * middle), a), s.real(-middle * middle))
            self._state(t, s.le(tangent, z), s.le(s.real(0), z))
        return z

    def _rounded(self, t: Term, exact: Term, wrong: Fraction = Fraction(0)) -> Term:
        """A fresh real for `t`, of which the exact value is known, or what is wrong by so much."""
        made = self._within(t)
        self._near(t, made, exact, Fraction(1), wrong)
        return made

    def _near(
        self, t: Term, a: Term, b: Term, factor: Fraction, wrong: Fraction = Fraction(0)
    ) -> None:
        """The reals differ at most by the error of `t` times a factor, and by what is wrong."""
        s, unit = self.store, self._error(t)
        if unit is None:
            return
        error, difference = _above(unit * factor + wrong), s.sub(a, b)
        self._state(t, s.le(difference, s.real(error)), s.le(s.real(-error), difference))

    def _error(self, t: Term) -> Fraction | None:
        """How far a result is from the exact value at most; None if nobody knows."""
        r = self.ranges[t] if _finite(t.sort, self.ranges[t]) else self.wider[t]
        assert isinstance(r, Range)
        most = max(abs(r.low), abs(r.high))
        here, above = value_of(t.sort, most), value_of(t.sort, most + 1)
        if here is None or above is None:  # the largest number may be what is left of a larger one
            return None
        return (above - here) / 2 if t.args[0].data in NEAREST else above - here


_Ranged = tuple[Term, tuple[Fraction, Fraction]]


def _above(x: Fraction) -> Fraction:
    """A number of few digits that is not below, which the solver multiplies faster."""
    if not x:
        return x
    digits = abs(x.numerator).bit_length() - x.denominator.bit_length()
    unit = Fraction(2) ** (digits - DIGITS)
    return ceil(x / unit) * unit


def _finite(sort: Sort, r: Abstract) -> tuple[Fraction, Fraction] | None:
    """The ends of a range that has finite numbers only."""
    if not isinstance(r, Range) or r.empty or r.nan:
        return None
    low, high = value_of(sort, r.low), value_of(sort, r.high)
    return None if low is None or high is None else (low, high)


def _is_plain(sort: Sort) -> bool:
    """Does a sort have no floats?"""
    if sort.kind is Kind.ARRAY:
        return _is_plain(sort.index) and _is_plain(sort.element)
    return sort.kind not in (Kind.FLOAT, Kind.RM)


_COMPARISONS = {Op.FP_LE: Op.LE, Op.FP_LT: Op.LT, Op.FP_GE: Op.GE, Op.FP_GT: Op.GT, Op.FP_EQ: Op.EQ}
_RULES: dict[Op, Callable[[Relaxed, Term], Term | None]] = {
    Op.ITE: Relaxed.choice,
    Op.FP_NEG: Relaxed.negated,
    Op.FP_ABS: Relaxed.absolute,
    Op.FP_ADD: Relaxed.sum,
    Op.FP_SUB: Relaxed.sum,
    Op.FP_MUL: Relaxed.product,
    Op.FP_DIV: Relaxed.quotient,
    Op.FP_FROM_FP: Relaxed.converted,
}
