"""What names mean while SMT-LIB is read: sorts, constants, functions; and how a sort is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from obligato.errors import Unsupported
from obligato.terms.numerals import parse_int
from obligato.terms.smtlib.sexpr import Atom, SExpr, SList, Source, show
from obligato.terms.softfloat import RoundingMode
from obligato.terms.sorts import BOOL, INT, REAL, RM, Kind, Sort, array, bitvec, floating
from obligato.terms.store import TermStore
from obligato.terms.term import Term
from obligato.terms.typing import SortError

MAX_WIDTH = 1 << 16  # bits of a bit-vector, as in all front ends (docs/decisions/0004)
MAX_EXPONENT, MAX_SIGNIFICAND = 24, 1 << 12  # bits of a float's parts
_MAX_SORT_DEPTH = 100

Apply = Callable[[TermStore, list[Term]], Term]

_SORTS = {
    "Bool": BOOL,
    "Int": INT,
    "Real": REAL,
    "RoundingMode": RM,
    "Float16": floating(5, 11),
    "Float32": floating(8, 24),
    "Float64": floating(11, 53),
    "Float128": floating(15, 113),
}
_MODES = {
    "roundNearestTiesToEven": RoundingMode.RNE,
    "roundNearestTiesToAway": RoundingMode.RNA,
    "roundTowardPositive": RoundingMode.RTP,
    "roundTowardNegative": RoundingMode.RTN,
    "roundTowardZero": RoundingMode.RTZ,
}


@dataclass(frozen=True, slots=True)
class SortMacro:
    """A define-sort with parameters."""

    params: tuple[str, ...]
    body: SExpr


@dataclass(slots=True)
class Scope:
    """Names in scope; keys are atoms as `sexpr` writes them.
    `functions` take at least one argument."""

    constants: dict[str, Term]
    functions: dict[str, Apply] = field(default_factory=dict)
    sorts: dict[str, Sort | SortMacro] = field(default_factory=dict)

    @classmethod
    def initial(cls, store: TermStore) -> Scope:
        """Only what the theories define."""
        modes = {mode.name: store.rm(mode) for mode in RoundingMode} | {
            k: store.rm(v) for k, v in _MODES.items()
        }
        return cls({"true": store.true, "false": store.false, **modes})


def numeral(expression: SExpr, source: Source, low: int, high: int, what: str) -> int:
    """A numeral within bounds, or an error."""
    if isinstance(expression, Atom) and expression.isascii() and expression.isdigit():
        value = parse_int(expression)
        if low <= value <= high:
            return value
        raise source.error(f"{what} must be between {low} and {high}", expression)
    raise source.error(f"{what} must be a numeral, not {show(expression)}", expression)


def read_sort(
    x: SExpr, scope: Scope, source: Source, local: dict[str, Sort] | None = None, depth: int = 0
) -> Sort:
    """The sort that `x` denotes; `local` are parameters of a define-sort."""
    if depth > _MAX_SORT_DEPTH:
        raise source.error("this sort is nested too deeply", x)
    if isinstance(x, Atom):
        known = (local or {}).get(x) or scope.sorts.get(x) or _SORTS.get(x)
        if isinstance(known, Sort):
            return known
        raise source.error(f"unknown sort {x}", x)
    match x:
        case [Atom("_"), Atom("BitVec"), width]:
            return bitvec(numeral(width, source, 1, MAX_WIDTH, "the width"))
        case [Atom("_"), Atom("FloatingPoint"), eb, sb]:
            return floating(
                numeral(eb, source, 2, MAX_EXPONENT, "the exponent width"),
                numeral(sb, source, 2, MAX_SIGNIFICAND, "the significand width"),
            )
    args = [read_sort(a, scope, source, local, depth + 1) for a in x[1:]]
    return _applied_sort(x, args, scope, source, depth)


def _applied_sort(x: SList, args: list[Sort], scope: Scope, source: Source, depth: int) -> Sort:
    head = x[0] if x else None
    if not isinstance(head, Atom):
        raise source.error(f"not a sort: {show(x)}", x)
    macro = scope.sorts.get(head)
    if isinstance(macro, SortMacro) and len(macro.params) == len(args):
        return read_sort(
            macro.body, scope, source, dict(zip(macro.params, args, strict=True)), depth + 1
        )
    if head == "Array" and len(args) == 2:
        if args[0].kind is Kind.ARRAY:
            what = "an array that is indexed by arrays is not supported"
            raise Unsupported(what, source.span(x.pos), "index sort")
        return array(args[0], args[1])
    raise source.error(f"unknown sort {show(x)}", x)


def uninterpreted(name: str) -> Apply:
    """A declared function that nobody gives a meaning: using it is refused."""

    def refuse(store: TermStore, args: list[Term]) -> Term:
        raise Unsupported(
            f"{name} is an uninterpreted function", construct="uninterpreted function"
        )

    return refuse


def check_arguments(name: str, params: tuple[Sort, ...], args: list[Term]) -> None:
    """Raise SortError unless `args` fit."""
    if len(args) != len(params) or any(a.sort is not p for a, p in zip(args, params, strict=True)):
        raise SortError(
            f"{name} expects ({' '.join(map(str, params))}), not"
            f" ({' '.join(str(a.sort) for a in args)})"
        )
