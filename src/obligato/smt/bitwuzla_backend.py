"""bitwuzla as a `Solver`: bit-vectors, arrays over them, floating point, Booleans (DESIGN 3.4).

Formulas are asserted for good, assumptions go to `check_sat` directly, and the failed ones are the
core. The termination callback, which bitwuzla polls at fixed points of its search, carries both
interrupt and budget: a budget counts polls, so the same query stops at the same point every time.
The callback also lets other threads run (bitwuzla keeps the GIL).

Limitations: no Int, no Real.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

import bitwuzla

from obligato.errors import InternalError, SolverFailure, Unsupported
from obligato.smt.encoder import Encoder
from obligato.smt.solver import (
    SAT,
    UNKNOWN,
    UNSAT,
    Capabilities,
    SatResult,
    Solver,
    SolverStats,
    core_of,
)
from obligato.terms import ArrayValue, Kind, Op, Sort, Term, Value
from obligato.terms.floatformat import FloatFormat, RoundingMode, is_nan

_KINDS = frozenset((Kind.BOOL, Kind.BITVEC, Kind.FLOAT, Kind.RM, Kind.ARRAY))
_K = bitwuzla.Kind

_NAMES: dict[Op, str] = {
    Op.EQ: "EQUAL",
    Op.SELECT: "ARRAY_SELECT",
    Op.STORE: "ARRAY_STORE",
    Op.CONCAT: "BV_CONCAT",
    Op.EXTRACT: "BV_EXTRACT",
    Op.ZERO_EXT: "BV_ZERO_EXTEND",
    Op.SIGN_EXT: "BV_SIGN_EXTEND",
    Op.BVLSHR: "BV_SHR",
    Op.FP_EQ: "FP_EQUAL",
    Op.FP_LE: "FP_LEQ",
    Op.FP_GE: "FP_GEQ",
    Op.FP_FROM_BITS: "FP_TO_FP_FROM_BV",
    Op.FP_FROM_FP: "FP_TO_FP_FROM_FP",
    Op.FP_FROM_SBV: "FP_TO_FP_FROM_SBV",
    Op.FP_FROM_UBV: "FP_TO_FP_FROM_UBV",
}


@cache
def _kind(op: Op) -> Any:
    """bitwuzla's name of an operator; BVADD is BV_ADD there, and most others are spelt as here."""
    name = _NAMES.get(op, "BV_" + op.name[2:] if op.name.startswith("BV") else op.name)
    kind = getattr(_K, name, None)
    if kind is None:
        raise Unsupported(f"bitwuzla has no operator {op.name}", construct=f"bitwuzla: {op.name}")
    return kind


def _indices(op: Op, data: Hashable) -> list[int]:
    if op is Op.EXTRACT:
        assert isinstance(data, tuple)
        return [*data]
    if op in (Op.FP_FROM_BITS, Op.FP_FROM_FP, Op.FP_FROM_SBV, Op.FP_FROM_UBV):
        assert isinstance(data, Sort)
        return [data.eb, data.sb]
    return [data] if isinstance(data, int) else []


class BitwuzlaEncoder(Encoder[Any]):
    """Terms to bitwuzla's; one term manager."""

    name = "bitwuzla"
    kinds = _KINDS

    def __init__(self) -> None:
        super().__init__()
        self.manager = bitwuzla.TermManager()
        self._modes = {
            m: self.manager.mk_rm_value(getattr(bitwuzla.RoundingMode, m.name))
            for m in RoundingMode
        }

    def make_sort(self, sort: Sort) -> Any:
        m = self.manager
        match sort.kind:
            case Kind.BOOL:
                return m.mk_bool_sort()
            case Kind.BITVEC:
                return m.mk_bv_sort(sort.width)
            case Kind.FLOAT:
                return m.mk_fp_sort(sort.eb, sort.sb)
            case Kind.ARRAY:
                return m.mk_array_sort(self.sort(sort.index), self.sort(sort.element))
            case _:
                return m.mk_rm_sort()

    def variable(self, name: str, sort: Sort) -> Any:
        return self.manager.mk_const(self.sort(sort), name)

    def value(self, value: Any, sort: Sort) -> Any:
        m = self.manager
        match sort.kind:
            case Kind.BOOL:
                return m.mk_true() if value else m.mk_false()
            case Kind.BITVEC:
                return m.mk_bv_value(self.sort(sort), f"{value:b}", 2)
            case Kind.FLOAT:
                return self._float(value, sort)
            case Kind.RM:
                return self._modes[value]
            case Kind.ARRAY:
                return self.array_value(value, sort)
            case _:
                return self.sort(sort)  # refuses it

    def _float(self, value: int, sort: Sort) -> Any:
        m = self.manager
        if is_nan(FloatFormat(sort.eb, sort.sb), value):
            return m.mk_fp_nan(self.sort(sort))
        bits, end = f"{value:0{sort.width}b}", 1 + sort.eb
        parts = [
            m.mk_bv_value(m.mk_bv_sort(len(part)), part, 2)
            for part in (bits[0], bits[1:end], bits[end:])
        ]
        return m.mk_fp_value(*parts)

    def node(self, op: Op, args: Sequence[Any], data: Hashable, sort: Sort) -> Any:
        try:
            if op is Op.CONST_ARRAY:
                return self.manager.mk_const_array(self.sort(sort), args[0])
            return self.manager.mk_term(_kind(op), args, _indices(op, data))
        except bitwuzla.BitwuzlaException as e:
            raise SolverFailure(f"bitwuzla cannot build {op.name}: {e}") from e


class _Stop:
    """The termination callback: true once interrupted or out of polls."""

    __slots__ = ("left", "wanted")

    def __init__(self) -> None:
        self.arm(-1)

    def arm(self, polls: int) -> None:
        """A check begins that may use so many polls, -1: any number; an earlier interrupt is
        forgotten.
        """
        self.wanted = False
        self.left = polls

    def __call__(self) -> bool:
        if self.left == 0:
            return True
        self.left -= 1
        return self.wanted


class BitwuzlaSolver(Solver):
    """One bitwuzla instance. Solvers of one run should share an encoder."""

    capabilities = Capabilities("bitwuzla", _KINDS, interruptible=True, budget=True)

    def __init__(
        self,
        encoder: BitwuzlaEncoder | None = None,
        stats: SolverStats | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(stats)
        self.encoder = encoder if encoder is not None else BitwuzlaEncoder()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        options.set(bitwuzla.Option.SEED, seed)
        self._solver: Any = bitwuzla.Bitwuzla(self.encoder.manager, options)
        self._stop = _Stop()
        self._solver.configure_terminator(self._stop)
        self._defined = 0
        self._assumed: list[Term] = []
        self._result: SatResult | None = None

    def _define(self) -> None:
        """Assert the definitions that the encoder made since the last time."""
        new = self.encoder.definitions[self._defined :]
        self._defined += len(new)
        for definition in new:
            self._solver.assert_formula(definition)

    def add(self, formula: Term) -> None:
        self._result = None
        self._solver.assert_formula(self.encoder.encode(formula))

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._result = None
        self._assumed = list(assumptions)
        nodes = [self.encoder.encode(a) for a in self._assumed]
        self._define()
        self._stop.arm(-1 if budget is None else max(budget, 1))
        try:
            answer = self._solver.check_sat(*nodes)
        except bitwuzla.BitwuzlaException as e:
            raise SolverFailure(f"bitwuzla failed in a check: {e}") from e
        names = {bitwuzla.Result.SAT: SAT, bitwuzla.Result.UNSAT: UNSAT}
        self._result = names.get(answer, UNKNOWN)
        return self._result

    def core(self) -> list[Term]:
        if self._result is not UNSAT:
            raise InternalError("a core exists only after UNSAT")
        failed = {t.id() for t in self._solver.get_unsat_assumptions()}
        return core_of(
            "bitwuzla", self._assumed, [self.encoder.encode(a).id() for a in self._assumed], failed
        )

    def _value_of_var(self, var: Term) -> Value | None:
        if self._result is not SAT:
            raise InternalError("a model exists only after SAT")
        return _read(self._solver.get_value(self.encoder.encode(var)), var.sort)

    def interrupt(self) -> None:
        self._stop.wanted = True

    def close(self) -> None:
        self._solver = None


def _read(node: Any, sort: Sort) -> Value:
    match sort.kind:
        case Kind.BOOL:
            return bool(node.value())
        case Kind.BITVEC:
            return int(node.value(2), 2)
        case Kind.FLOAT:
            return (
                FloatFormat(sort.eb, sort.sb).nan
                if node.is_fp_value_nan()
                else int(node.value(2, False), 2)
            )
        case Kind.RM:
            return RoundingMode[node.value().name]
        case _:
            return _read_array(node, sort)


def _read_array(node: Any, sort: Sort) -> ArrayValue:
    """Stores into a constant array; the outermost store of an index counts."""
    entries: dict[Value, Value] = {}
    while node.kind() == _K.ARRAY_STORE:
        node, key, value = node.children()
        entries.setdefault(_read(key, sort.index), _read(value, sort.element))
    if node.kind() != _K.CONST_ARRAY:
        raise SolverFailure(f"bitwuzla gave an array value that cannot be read: {str(node)[:200]}")
    return ArrayValue(_read(node.children()[0], sort.element), entries)
