"""Translation of terms to z3 asts: one `Z3Context` holds the memo that all z3 solvers of one run
share (DESIGN 3.2).

Idea: walk a term without recursion, build each node once, `inc_ref` it once, and remember the ast
(an int). Nodes live as long as the context, so nothing is dec_ref'ed before its end.
`Z3Context.ast` carries it; `z3_build` says how each operator is built.

Limitations: a context and its solvers belong to one thread at a time (only `interrupt` may come
from another).
"""

from __future__ import annotations

import ctypes
from fractions import Fraction
from typing import Any

from obligato.errors import InternalError, SolverFailure
from obligato.smt.z3_build import BUILDERS
from obligato.smt.z3_lib import load
from obligato.terms import Kind, Sort, Term, TermStore, bitvec, bottom_up
from obligato.terms.floatformat import FloatFormat, RoundingMode, is_nan
from obligato.terms.numerals import number_text

_MAX_INT64 = (1 << 63) - 1


class Z3Context:
    """A z3 context, its sorts, and the memo term -> ast. All terms must be of one store."""

    def __init__(self) -> None:
        self.lib = load()
        config = self.lib.mk_config()
        self.handle: int = self.lib.mk_context_rc(config)
        self.lib.del_config(config)
        self.lib.set_error_handler(self.handle, None)  # the default one ends the process
        self.store: TermStore | None = None
        self._memo: dict[Term, int] = {}
        self._sorts: dict[Sort, int] = {}
        self._kept: list[int] = []
        self._builders = {op: build(self.lib) for op, build in BUILDERS.items()}
        make = {m: getattr(self.lib, f"mk_fpa_{m.name.lower()}") for m in RoundingMode}
        self.rounding_modes = {m: self.keep(f(self.handle)) for m, f in make.items()}

    def close(self) -> None:
        """Free everything. Idempotent. Live asts would make z3 search for roots, layer by layer:
        release them first.
        """
        handle, self.handle = self.handle, 0
        if handle:
            for ast in [*self._memo.values(), *self._kept]:
                self.lib.dec_ref(handle, ast)
            self._memo.clear()
            self.lib.del_context(handle)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.close()

    def __len__(self) -> int:
        """How many terms have been translated."""
        return len(self._memo)

    def keep(self, ast: int) -> int:
        """Hold a new ast for the context's life; NULL becomes an error."""
        if not ast:
            raise self.failure()
        self.lib.inc_ref(self.handle, ast)
        self._kept.append(ast)
        return ast

    def failure(self, what: str = "z3") -> SolverFailure:
        """The error z3 reports now."""
        code = self.lib.get_error_code(self.handle)
        message: bytes | None = self.lib.get_error_msg(self.handle, code)
        return SolverFailure(f"{what}: {(message or b'no reason given').decode(errors='replace')}")

    def ast(self, root: Term) -> int:
        """The ast of `root`."""
        hit = self._memo.get(root)
        if hit is not None:
            return hit
        if root.store is not self.store:
            self._adopt(root)
        memo, builders, inc_ref, handle = self._memo, self._builders, self.lib.inc_ref, self.handle
        for t in bottom_up(root, memo):
            ast = builders[t.op](self, t, [memo[a] for a in t.args])
            if not ast:
                raise self.failure(f"z3 cannot build {t.op.name}")
            inc_ref(handle, ast)
            memo[t] = ast
        return memo[root]

    def _adopt(self, term: Term) -> None:
        if self.store is not None:
            raise InternalError("a term of another store was given to a z3 context")
        self.store = term.store

    def sort(self, sort: Sort) -> int:
        """The z3 sort."""
        handle = self._sorts.get(sort)
        if handle is None:
            handle = self._sorts[sort] = self.keep(self._make_sort(sort))
        return handle

    def _make_sort(self, sort: Sort) -> int:
        lib, c = self.lib, self.handle
        made: int
        match sort.kind:
            case Kind.BITVEC:
                made = lib.mk_bv_sort(c, sort.width)
            case Kind.FLOAT:
                made = lib.mk_fpa_sort(c, sort.eb, sort.sb)
            case Kind.ARRAY:
                made = lib.mk_array_sort(c, self.sort(sort.index), self.sort(sort.element))
            case Kind.RM:
                made = lib.mk_fpa_rounding_mode_sort(c)
            case _:
                made = getattr(lib, f"mk_{sort.kind.value.lower()}_sort")(c)
        return made

    def value(self, value: Any, sort: Sort) -> int:
        """The ast of a value; not kept."""
        lib, c = self.lib, self.handle
        made: int
        match sort.kind:
            case Kind.BOOL:
                made = lib.mk_true(c) if value else lib.mk_false(c)
            case Kind.BITVEC:
                made = self._bits(value, sort.width)
            case Kind.INT:
                small = -_MAX_INT64 <= value <= _MAX_INT64
                made = (
                    lib.mk_int64(c, value, self.sort(sort)) if small else self._numeral(value, sort)
                )
            case Kind.REAL:
                made = self._rational(value, sort)
            case Kind.FLOAT:
                made = self._float(value, sort)
            case Kind.RM:
                made = self.rounding_modes[value]
            case Kind.ARRAY:
                made = self._array(value, sort)
        return made

    def _bits(self, value: int, width: int) -> int:
        if width <= 64:
            made: int = self.lib.mk_unsigned_int64(self.handle, value, self.sort(bitvec(width)))
            return made
        bits = (ctypes.c_bool * width)(*[bool(value >> i & 1) for i in range(width)])
        return int(self.lib.mk_bv_numeral(self.handle, width, bits))

    def _rational(self, value: Fraction, sort: Sort) -> int:
        n, d = value.numerator, value.denominator
        if -_MAX_INT64 <= n <= _MAX_INT64 and d <= _MAX_INT64:
            made: int = self.lib.mk_real_int64(self.handle, n, d)
            return made
        return self._numeral(value, sort)

    def _numeral(self, value: int | Fraction, sort: Sort) -> int:
        made: int = self.lib.mk_numeral(self.handle, number_text(value).encode(), self.sort(sort))
        return made

    def _float(self, value: int, sort: Sort) -> int:
        made: int
        if is_nan(FloatFormat(sort.eb, sort.sb), value):
            made = self.lib.mk_fpa_nan(self.handle, self.sort(sort))
        else:
            made = self.lib.mk_fpa_to_fp_bv(
                self.handle, self.keep(self._bits(value, sort.width)), self.sort(sort)
            )
        return made

    def _array(self, value: Any, sort: Sort) -> int:
        lib, c = self.lib, self.handle
        default = self.keep(self.value(value.default, sort.element))
        acc = self.keep(lib.mk_const_array(c, self.sort(sort.index), default))
        for k, v in value.entries.items():
            key = self.keep(self.value(k, sort.index))
            element = self.keep(self.value(v, sort.element))
            acc = self.keep(lib.mk_store(c, acc, key, element))
        return acc
