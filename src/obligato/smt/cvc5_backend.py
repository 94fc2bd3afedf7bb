"""cvc5 as a `Solver`: the checker's solver for integers and reals, independent of z3 (DESIGN 3.5);
knows all sorts.

Formulas are asserted for good, assumptions go to `checkSatAssuming`, and the failed ones are the
core. A budget is cvc5's resource limit per check. cvc5 fixes it when the solver starts, so a check
with another budget than the last one builds the cvc5 solver anew from the formulas; their
translation is kept. cvc5 is told the smallest logic that has all of them: with `ALL` it looks out
for theories that do not occur, and one obligation over reals, not decided in 20 s, takes 0.7 s as
QF_LRA.

Limitations: a running check cannot be interrupted and keeps the GIL (`capabilities.interruptible`
is false); give a budget, or run it in a process of its own. An irrational value cannot be read
(`SolverFailure`). A constant array of anything but a value is `Unsupported`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import cvc5

from obligato.errors import InternalError, SolverFailure, Unsupported
from obligato.smt.encoder import Encoder
from obligato.smt.large_stack import on_large_stack
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
from obligato.terms.numerals import number_text, parse_int

_K = cvc5.Kind

_NAMES: dict[Op, str] = {
    Op.EQ: "EQUAL",
    Op.NEG: "NEG",
    Op.MUL: "MULT",
    Op.LE: "LEQ",
    Op.GE: "GEQ",
    Op.IDIV: "INTS_DIVISION",
    Op.MOD: "INTS_MODULUS",
    Op.RDIV: "DIVISION",
    Op.TO_INT: "TO_INTEGER",
    Op.IS_INT: "IS_INTEGER",
    Op.BVMUL: "BITVECTOR_MULT",
    Op.CONCAT: "BITVECTOR_CONCAT",
    Op.EXTRACT: "BITVECTOR_EXTRACT",
    Op.ZERO_EXT: "BITVECTOR_ZERO_EXTEND",
    Op.SIGN_EXT: "BITVECTOR_SIGN_EXTEND",
    Op.FP_MUL: "FLOATINGPOINT_MULT",
    Op.FP_LE: "FLOATINGPOINT_LEQ",
    Op.FP_GE: "FLOATINGPOINT_GEQ",
    Op.FP_FROM_BITS: "FLOATINGPOINT_TO_FP_FROM_IEEE_BV",
    Op.FP_FROM_FP: "FLOATINGPOINT_TO_FP_FROM_FP",
    Op.FP_FROM_SBV: "FLOATINGPOINT_TO_FP_FROM_SBV",
    Op.FP_FROM_UBV: "FLOATINGPOINT_TO_FP_FROM_UBV",
    Op.FP_FROM_REAL: "FLOATINGPOINT_TO_FP_FROM_REAL",
}
_R = cvc5.RoundingMode
_MODES = {
    RoundingMode.RNE: _R.ROUND_NEAREST_TIES_TO_EVEN,
    RoundingMode.RNA: _R.ROUND_NEAREST_TIES_TO_AWAY,
    RoundingMode.RTP: _R.ROUND_TOWARD_POSITIVE,
    RoundingMode.RTN: _R.ROUND_TOWARD_NEGATIVE,
    RoundingMode.RTZ: _R.ROUND_TOWARD_ZERO,
}
_TO_FLOAT = (Op.FP_FROM_BITS, Op.FP_FROM_FP, Op.FP_FROM_SBV, Op.FP_FROM_UBV, Op.FP_FROM_REAL)


@cache
def _kind(op: Op) -> Any:
    """cvc5's name of an operator; BVADD is BITVECTOR_ADD there, FP_ADD is FLOATINGPOINT_ADD, others
    are spelt as here.
    """
    name = _NAMES.get(op, op.name)
    if op not in _NAMES and name.startswith("BV"):
        name = "BITVECTOR_" + name[2:]
    elif op not in _NAMES and name.startswith("FP_"):
        name = "FLOATINGPOINT_" + name[3:]
    kind = getattr(_K, name, None)
    if kind is None:
        raise Unsupported(f"cvc5 has no operator {op.name}", construct=f"cvc5: {op.name}")
    return kind


_PRODUCTS = frozenset((Op.MUL, Op.IDIV, Op.MOD, Op.RDIV))  # membership only


def _is_linear(op: Op, args: Sequence[Any]) -> bool:
    """At most one factor, and no divisor, is anything but a number."""
    unknown = [not (a.isIntegerValue() or a.isRealValue()) for a in args]
    return sum(unknown) <= 1 if op is Op.MUL else not any(unknown[1:])


class Cvc5Encoder(Encoder[Any]):
    """Terms to cvc5's; one term manager."""

    name = "cvc5"
    kinds = frozenset(Kind)

    def __init__(self) -> None:
        super().__init__()
        self.manager = cvc5.TermManager()
        self._operators: dict[tuple[Op, Hashable], Any] = {}
        self._seen: set[Kind] = set()  # membership only
        self._multiplies = False

    @property
    def logic(self) -> str:
        """The smallest logic of SMT-LIB that has everything encoded so far."""
        seen = self._seen
        floats = Kind.FLOAT in seen or Kind.RM in seen
        numbers = "I" * (Kind.INT in seen) + "R" * (Kind.REAL in seen)
        arithmetic = ("N" if self._multiplies else "L") + numbers + "A" if numbers else ""
        words = "BV" * (floats or Kind.BITVEC in seen) + "FP" * floats
        return "QF_" + ("AUF" * (Kind.ARRAY in seen) + words + arithmetic or "UF")

    def make_sort(self, sort: Sort) -> Any:
        m = self.manager
        self._seen.add(sort.kind)
        match sort.kind:
            case Kind.BOOL:
                return m.getBooleanSort()
            case Kind.INT:
                return m.getIntegerSort()
            case Kind.REAL:
                return m.getRealSort()
            case Kind.BITVEC:
                return m.mkBitVectorSort(sort.width)
            case Kind.FLOAT:
                return m.mkFloatingPointSort(sort.eb, sort.sb)
            case Kind.RM:
                return m.getRoundingModeSort()
            case Kind.ARRAY:
                return m.mkArraySort(self.sort(sort.index), self.sort(sort.element))

    def variable(self, name: str, sort: Sort) -> Any:
        return self.manager.mkConst(self.sort(sort), name)

    def value(self, value: Any, sort: Sort) -> Any:
        m = self.manager
        self._seen.add(sort.kind)
        match sort.kind:
            case Kind.BOOL:
                return m.mkBoolean(value)
            case Kind.INT:
                return m.mkInteger(number_text(value))
            case Kind.REAL:
                return m.mkReal(number_text(value))
            case Kind.BITVEC:
                return m.mkBitVector(sort.width, f"{value:b}", 2)
            case Kind.FLOAT:
                return self._float(value, sort)
            case Kind.RM:
                return m.mkRoundingMode(_MODES[value])
            case Kind.ARRAY:
                return self.array_value(value, sort)

    def _float(self, value: int, sort: Sort) -> Any:
        m = self.manager
        if is_nan(FloatFormat(sort.eb, sort.sb), value):
            return m.mkFloatingPointNaN(sort.eb, sort.sb)
        return m.mkFloatingPoint(sort.eb, sort.sb, m.mkBitVector(sort.width, f"{value:b}", 2))

    def node(self, op: Op, args: Sequence[Any], data: Hashable, sort: Sort) -> Any:
        self._seen.add(sort.kind)
        self._multiplies |= op in _PRODUCTS and not _is_linear(op, args)
        try:
            if op is Op.CONST_ARRAY:
                return self._const_array(sort, args[0])
            return self.manager.mkTerm(
                _kind(op) if data is None else self._operator(op, data), *args
            )
        except RuntimeError as e:
            raise SolverFailure(f"cvc5 cannot build {op.name}: {e}") from e

    def _const_array(self, sort: Sort, element: Any) -> Any:
        try:
            return self.manager.mkConstArray(self.sort(sort), element)
        except RuntimeError as e:
            raise Unsupported(
                "cvc5 has constant arrays of values only", construct="cvc5: CONST_ARRAY"
            ) from e

    def _operator(self, op: Op, data: Any) -> Any:
        """An operator with indices, made once."""
        made = self._operators.get((op, data))
        if made is None:
            indices = (
                [data.eb, data.sb]
                if op in _TO_FLOAT
                else [*data]
                if isinstance(data, tuple)
                else [data]
            )
            made = self._operators[op, data] = self.manager.mkOp(_kind(op), *indices)
        return made


class Cvc5Solver(Solver):
    """One cvc5 solver. Solvers of one run should share an encoder."""

    capabilities = Capabilities("cvc5", frozenset(Kind), interruptible=False, budget=True)

    def __init__(
        self, encoder: Cvc5Encoder | None = None, stats: SolverStats | None = None, seed: int = 0
    ) -> None:
        super().__init__(stats)
        self.encoder = encoder if encoder is not None else Cvc5Encoder()
        self._seed = seed
        self._budget: int | None = None
        self._logic = ""
        self._solver: Any = None
        self._formulas: list[Any] = []
        self._asserted = 0
        self._defined = 0
        self._assumed: list[Term] = []
        self._result: SatResult | None = None

    def _start(self, budget: int | None) -> None:
        """A new cvc5 solver that knows no formula yet."""
        self._solver = cvc5.Solver(self.encoder.manager)
        self._logic = self.encoder.logic
        options = {
            "produce-models": "true",
            "incremental": "true",
            "produce-unsat-assumptions": "true",
            # constant arrays need it; without arrays it lets cvc5 1.4.2 crash
            "arrays-exp": "true" if "AUF" in self._logic else "false",
            "seed": str(self._seed),
            "sat-random-seed": str(self._seed),
            "rlimit-per": str(budget or 0),
        }
        for name, value in options.items():
            self._solver.setOption(name, value)
        self._solver.setLogic(self._logic)
        self._budget, self._asserted, self._defined = budget, 0, 0

    def _assert_new(self) -> None:
        for formula in self._formulas[self._asserted :]:
            self._solver.assertFormula(formula)
        for definition in self.encoder.definitions[self._defined :]:
            self._solver.assertFormula(definition)
        self._asserted, self._defined = len(self._formulas), len(self.encoder.definitions)

    def add(self, formula: Term) -> None:
        self._result = None
        self._formulas.append(self.encoder.encode(formula))

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._result = None
        limit = None if budget is None else max(budget, 1)
        self._assumed = list(assumptions)
        nodes = [self.encoder.encode(a) for a in self._assumed]
        if (limit, self.encoder.logic) != (self._budget, self._logic) or self._solver is None:
            self._start(limit)
        try:
            self._assert_new()
            ask = self._solver.checkSatAssuming if nodes else self._solver.checkSat
            answer = self._with_large_stack(lambda: ask(*nodes))
        except RuntimeError as e:
            self._solver = None
            if "does not yet support" in str(e):  # found out during the search
                return UNKNOWN
            raise SolverFailure(f"cvc5 failed in a check: {e}") from e
        self._result = SAT if answer.isSat() else UNSAT if answer.isUnsat() else UNKNOWN
        return self._result

    def _with_large_stack(self, function: Callable[[], Any]) -> Any:
        return on_large_stack(self.encoder.deepest, function)  # cvc5 recurses

    def core(self) -> list[Term]:
        if self._result is not UNSAT:
            raise InternalError("a core exists only after UNSAT")
        failed = set(self._solver.getUnsatAssumptions()) if self._assumed else set()
        return core_of(
            "cvc5", self._assumed, [self.encoder.encode(a) for a in self._assumed], failed
        )

    def _value_of_var(self, var: Term) -> Value | None:
        if self._result is not SAT:
            raise InternalError("a model exists only after SAT")
        node = self.encoder.encode(var)
        return _read(self._with_large_stack(lambda: self._solver.getValue(node)), var.sort)

    def interrupt(self) -> None:
        """No effect: cvc5 offers none (see the head of this file)."""

    def close(self) -> None:
        self._solver = None
        self._formulas.clear()


def _read(node: Any, sort: Sort) -> Value:
    try:
        match sort.kind:
            case Kind.BOOL:
                return bool(node.getBooleanValue())
            case Kind.INT:
                return int(_number(node, sort))
            case Kind.REAL:
                return _number(node, sort)
            case Kind.BITVEC:
                return int(node.getBitVectorValue(2), 2)
            case Kind.FLOAT:
                return _read_float(node, sort)
            case Kind.RM:
                return next(
                    m for m, theirs in _MODES.items() if theirs == node.getRoundingModeValue()
                )
            case Kind.ARRAY:
                return _read_array(node, sort)
    except RuntimeError as e:
        raise SolverFailure(f"cvc5 gave a value that cannot be read: {str(node)[:200]}") from e


def _number(node: Any, sort: Sort) -> Fraction:
    """By its text: the library converts numbers with Python's own conversion, which has a limit."""
    if not (node.isIntegerValue() if sort.kind is Kind.INT else node.isRealValue()):
        raise RuntimeError("no number")
    text = str(node)  # 5, 5.0, (- 5.0), (/ (- 3) 4)
    parts = [parse_int(digits) for digits in re.findall(r"([0-9]+)(?:\.0)?", text)]
    return Fraction(*parts) * (-1 if "-" in text else 1)


def _read_float(node: Any, sort: Sort) -> int:
    if node.isFloatingPointNaN():
        return FloatFormat(sort.eb, sort.sb).nan
    return int(node.getFloatingPointValue()[2].getBitVectorValue(2), 2)


def _read_array(node: Any, sort: Sort) -> ArrayValue:
    """Stores into a constant array; the outermost store of an index counts."""
    entries: dict[Value, Value] = {}
    while node.getKind() == _K.STORE:
        base, key, value = node
        entries.setdefault(_read(key, sort.index), _read(value, sort.element))
        node = base
    return ArrayValue(_read(node.getConstArrayBase(), sort.element), entries)
