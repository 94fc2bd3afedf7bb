"""Ranges of floats: what a term may be if its variables are in a box (`smt.ranges`).

Correctly rounded operations are monotone in each argument, whatever the rounding mode, so the ends
of a range of results are the results of ends of ranges, by `terms.softfloat`; no outward rounding
is needed. A value is a range of floats without NaN (the two zeros are one), and whether it may be
NaN; a few words; or which truth values are possible. `_Box.of` carries it. What is not known
(`None`) is anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

from obligato.terms import BOOL, Kind, Op, Sort, Term, Value
from obligato.terms import softfloat as sf
from obligato.terms.float_semantics import format_of
from obligato.terms.semantics import meaning

WORDS = 4  # values of a word that are told apart


@dataclass(frozen=True, slots=True)
class Range:
    """Floats between two ordered patterns (`_key`), none if low > high, and perhaps NaN."""

    low: int
    high: int
    nan: bool

    @property
    def empty(self) -> bool:
        """Does the interval have no number, so that only NaN is left?"""
        return self.low > self.high


Words = frozenset[Value]
Abstract = Range | Words | None  # of a float, of a word or Boolean; None: anything


def _key(sort: Sort, pattern: int) -> int:
    """Patterns in the order of their values; the two zeros are both 0. Requires: no NaN."""
    magnitude = pattern & ((1 << (sort.width - 1)) - 1)
    return -magnitude if pattern >> (sort.width - 1) else magnitude


def _pattern(sort: Sort, key: int) -> int:
    return key if key >= 0 else -key | 1 << (sort.width - 1)


def value_of(sort: Sort, key: int) -> Fraction | None:
    """The number that an ordered pattern stands for; None if it is infinite."""
    return sf.to_fraction(format_of(sort), _pattern(sort, key))


def whole(sort: Sort) -> Range:
    """All floats."""
    infinity = _key(sort, format_of(sort).inf())
    return Range(-infinity, infinity, True)


def _point(sort: Sort, pattern: int) -> Range:
    if sf.is_nan(format_of(sort), pattern):
        return Range(1, 0, True)
    return Range(_key(sort, pattern), _key(sort, pattern), False)


class _Box:
    """Abstract values of terms, given those of some variables."""

    def __init__(self, values: dict[Term, Abstract]) -> None:
        self.values = values

    def of(self, t: Term) -> Abstract:
        """The value of an application whose arguments have values, or of a leaf."""
        if t.op is Op.CONST:
            return (
                _point(t.sort, _number(t.data))
                if t.sort.kind is Kind.FLOAT
                else frozenset((t.data,))
            )
        if t.op is Op.VAR:
            return _unknown(t)
        args = [self.values[a] for a in t.args]
        if t.op is Op.ITE:
            return _choice(args[0], args[1], args[2])
        rule = _RULES.get(t.op)
        if rule is not None:
            return rule(t, args)
        if t.op in (Op.AND, Op.OR):
            return _junction(args, t.op is Op.OR)
        if t.op is Op.EQ and t.args[0].sort.kind is Kind.FLOAT:
            return _identical(args[0], args[1])
        return _words(t, args)


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def _unknown(t: Term) -> Abstract:
    """What is known of a term by its sort alone."""
    return (
        frozenset((False, True))
        if t.sort is BOOL
        else whole(t.sort)
        if t.sort.kind is Kind.FLOAT
        else None
    )


def _words(t: Term, args: Sequence[Abstract]) -> Abstract:
    """An operator on a few words, value by value."""
    sets = [a for a in args if isinstance(a, frozenset)]
    if len(sets) < len(args) or any(a.sort.kind is Kind.ARRAY for a in (t, *t.args)):
        return _unknown(t)
    apply, found = meaning(t), dict[Value, None]()
    for values in product(*sets):
        found[apply(*values)] = None
        if len(found) > WORDS:
            return _unknown(t)
    if t.sort.kind is Kind.FLOAT:
        return reduce(_hull, [_point(t.sort, _number(v)) for v in found])
    return frozenset(found)


def _choice(condition: Abstract, then: Abstract, other: Abstract) -> Abstract:
    if isinstance(condition, frozenset) and len(condition) == 1:
        return then if True in condition else other
    if isinstance(then, Range) and isinstance(other, Range):
        return _hull(then, other)
    if isinstance(then, frozenset) and isinstance(other, frozenset) and len(then | other) <= WORDS:
        return then | other
    return None


def _hull(a: Range, b: Range) -> Range:
    if a.empty or b.empty:
        full = b if a.empty else a
        return Range(full.low, full.high, a.nan or b.nan)
    return Range(min(a.low, b.low), max(a.high, b.high), a.nan or b.nan)


def _junction(args: Sequence[Abstract], decides: bool) -> Abstract:
    """A disjunction (`decides` is true) or conjunction."""
    sets = [a if isinstance(a, frozenset) else frozenset((False, True)) for a in args]
    found = set[Value]()
    if any(decides in a for a in sets):
        found.add(decides)
    if all((not decides) in a for a in sets):
        found.add(not decides)
    return frozenset(found)


# -- operators on floats ---------------------------------------------------------------------------

Rule = Callable[[Term, Sequence[Abstract]], Abstract]
Compared = Callable[[Range, Range], bool]


def _ends(sort: Sort, a: Abstract) -> tuple[int, int] | None:
    """The patterns of the ends of a range; None if there are none."""
    if not isinstance(a, Range) or a.empty:
        return None
    return _pattern(sort, a.low), _pattern(sort, a.high)


def _made(t: Term, results: Sequence[int], nan: bool) -> Abstract:
    """The range between results at the ends; one that is NaN there says that nothing is known."""
    fmt = format_of(t.sort)
    if any(sf.is_nan(fmt, r) for r in results):
        return whole(t.sort)
    keys = [_key(t.sort, r) for r in results]
    return Range(min(keys), max(keys), nan)


def _mode(t: Term) -> sf.RoundingMode | None:
    return (
        t.args[0].data
        if t.args[0].op is Op.CONST and isinstance(t.args[0].data, sf.RoundingMode)
        else None
    )


def _binary(apply: Callable[..., int], safe: Callable[[Sort, Range, Range], bool]) -> Rule:
    """A rounded operation that is monotone in each argument where it is `safe`: there it makes no
    NaN of numbers.
    """

    def rule(t: Term, args: Sequence[Abstract]) -> Abstract:
        a, b, mode = args[1], args[2], _mode(t)
        if not isinstance(a, Range) or not isinstance(b, Range) or mode is None:
            return whole(t.sort)
        nan = a.nan or b.nan
        if a.empty or b.empty:
            return Range(1, 0, True)
        if not safe(t.sort, a, b):
            return whole(t.sort)
        first, second = _ends(t.sort, a), _ends(t.sort, b)
        assert first is not None and second is not None
        fmt = format_of(t.sort)
        pairs = (
            list(zip(first, first, strict=True))
            if t.args[1] is t.args[2] and apply is sf.mul
            else product(first, second)
        )
        made = _made(t, [apply(fmt, mode, x, y) for x, y in pairs], nan)
        if (
            t.args[1] is t.args[2]
            and apply is sf.mul
            and isinstance(made, Range)
            and a.low <= 0 <= a.high
        ):
            return Range(0, made.high, made.nan)
        return made

    return rule


def _infinite(sort: Sort, a: Range) -> bool:
    infinity = _key(sort, format_of(sort).inf())
    return a.low == -infinity or a.high == infinity


def _sum_safe(sort: Sort, a: Range, b: Range) -> bool:
    return not (_infinite(sort, a) and _infinite(sort, b))


def _product_safe(sort: Sort, a: Range, b: Range) -> bool:
    return not _infinite(sort, a) and not _infinite(sort, b)


def _quotient_safe(sort: Sort, a: Range, b: Range) -> bool:
    return _product_safe(sort, a, b) and not b.low <= 0 <= b.high


def _negated(t: Term, args: Sequence[Abstract]) -> Abstract:
    a = args[0]
    return Range(-a.high, -a.low, a.nan) if isinstance(a, Range) else whole(t.sort)


def _absolute(t: Term, args: Sequence[Abstract]) -> Abstract:
    a = args[0]
    if not isinstance(a, Range):
        return whole(t.sort)
    if a.empty:
        return a
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Range(low, max(abs(a.low), abs(a.high)), a.nan)


def _converted(t: Term, args: Sequence[Abstract]) -> Abstract:
    """The range after a conversion from another format, which is monotone."""
    a, mode, source = args[1], _mode(t), t.args[1].sort
    ends = _ends(source, a)
    if not isinstance(a, Range) or mode is None:
        return whole(t.sort)
    if ends is None:
        return a
    return _made(
        t, [sf.convert(format_of(source), format_of(t.sort), mode, x) for x in ends], a.nan
    )


def _from_word(signed: bool) -> Rule:
    """The range of all words as floats, or of the few that are possible."""

    def rule(t: Term, args: Sequence[Abstract]) -> Abstract:
        mode, width, words = _mode(t), t.args[1].sort.width, args[1]
        if mode is None:
            return whole(t.sort)
        ends = [1 << (width - 1), (1 << (width - 1)) - 1] if signed else [0, (1 << width) - 1]
        values = list(words) if isinstance(words, frozenset) else ends
        make = meaning(t)
        return _made(t, [_number(make(mode, v)) for v in values], False)

    return rule


def _compared(may: Compared, must: Compared) -> Rule:
    """The truth of a comparison of two ranges, which never holds for NaN: may it hold, and must it
    for all their numbers?
    """

    def rule(t: Term, args: Sequence[Abstract]) -> Abstract:
        a, b = args
        if not isinstance(a, Range) or not isinstance(b, Range):
            return _unknown(t)
        if a.empty or b.empty:
            return frozenset((False,))
        return _truths(may(a, b), a.nan or b.nan or not must(a, b))

    return rule


_LESS = _compared(lambda a, b: a.low < b.high, lambda a, b: a.high < b.low)
_AT_MOST = _compared(lambda a, b: a.low <= b.high, lambda a, b: a.high <= b.low)
_EQUAL = _compared(
    lambda a, b: max(a.low, b.low) <= min(a.high, b.high),
    lambda a, b: a.low == a.high == b.low == b.high,
)


def _identical(a: Abstract, b: Abstract) -> Abstract:
    """Identity of values: NaN is NaN, and the zeros differ."""
    if not isinstance(a, Range) or not isinstance(b, Range):
        return frozenset((False, True))
    common = max(a.low, b.low) <= min(a.high, b.high)
    return _truths(common or (a.nan and b.nan), True)


def _is_nan(t: Term, args: Sequence[Abstract]) -> Abstract:
    a = args[0]
    return _truths(a.nan, not a.empty) if isinstance(a, Range) else _unknown(t)


def _truths(true: bool, false: bool) -> Words:
    return frozenset([*([True] if true else []), *([False] if false else [])])


_RULES: dict[Op, Rule] = {
    Op.FP_ADD: _binary(sf.add, _sum_safe),
    Op.FP_SUB: _binary(sf.sub, _sum_safe),
    Op.FP_MUL: _binary(sf.mul, _product_safe),
    Op.FP_DIV: _binary(sf.div, _quotient_safe),
    Op.FP_NEG: _negated,
    Op.FP_ABS: _absolute,
    Op.FP_FROM_FP: _converted,
    Op.FP_FROM_SBV: _from_word(True),
    Op.FP_FROM_UBV: _from_word(False),
    Op.FP_LT: _LESS,
    Op.FP_LE: _AT_MOST,
    Op.FP_GT: lambda t, args: _LESS(t, args[::-1]),
    Op.FP_GE: lambda t, args: _AT_MOST(t, args[::-1]),
    Op.FP_EQ: _EQUAL,
    Op.FP_IS_NAN: _is_nan,
}


def abstract(
    nodes: Sequence[Term], box: dict[Term, Range], known: dict[Term, Abstract]
) -> dict[Term, Abstract]:
    """The values of terms, each after its arguments, in a box in which some others are `known`."""
    values = _Box({**box, **known})
    for t in nodes:
        if t not in values.values:
            values.values[t] = values.of(t)
    return values.values
