"""z3 as a `Solver`: z3's simple (incremental) solver over a shared `Z3Context` (DESIGN 3.2, 3.3).

Any Boolean term is given to z3 directly as an assumption, without proxies; the core comes back as
asts and is mapped to the terms by their asts. The model is fetched on the first value read and read
variable by variable. A budget is z3's resource limit of the one check, set only when it changes.
All solvers of one engine should share one context.

Limitations: an irrational value cannot be read (`SolverFailure`); z3 may answer UNKNOWN on
nonlinear arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence

from obligato.errors import InternalError
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
from obligato.smt.z3_build import handles
from obligato.smt.z3_context import Z3Context
from obligato.smt.z3_model import read
from obligato.terms import Kind, Op, Term, Value

_RESULTS = {1: SAT, -1: UNSAT, 0: UNKNOWN}
_NO_LIMIT = 0
_MAX_LIMIT = (1 << 32) - 1


class Z3Solver(Solver):
    """One z3 solver. Without `context` it has one of its own, freed with it."""

    capabilities = Capabilities("z3", frozenset(Kind), interruptible=True, budget=True)

    def __init__(
        self, context: Z3Context | None = None, stats: SolverStats | None = None, seed: int = 0
    ) -> None:
        super().__init__(stats)
        self.context = context if context is not None else Z3Context()
        self._lib = self.context.lib
        self._handle = 0
        self._model = 0
        self._result: SatResult | None = None
        self._assumed: Sequence[Term] = ()
        self._limit = _NO_LIMIT
        self._handle = self._made()
        if not self._handle:
            raise self.context.failure("z3 cannot make a solver")
        self._lib.solver_inc_ref(self.context.handle, self._handle)
        self._set(random_seed=seed, ctrl_c=False)  # else z3 would swallow Ctrl-C

    def _made(self) -> int:
        made: int = self._lib.mk_simple_solver(self.context.handle)
        return made

    def _parameters(self, **options: bool | int) -> int:
        """Parameters, which the caller must release."""
        lib, c = self._lib, self.context.handle
        params: int = lib.mk_params(c)
        lib.params_inc_ref(c, params)
        for name, value in options.items():
            put = lib.params_set_bool if isinstance(value, bool) else lib.params_set_uint
            put(c, params, lib.mk_string_symbol(c, name.encode()), value)
        return params

    def _set(self, **options: bool | int) -> None:
        params = self._parameters(**options)
        self._lib.solver_set_params(self.context.handle, self._handle, params)
        self._lib.params_dec_ref(self.context.handle, params)

    def add(self, formula: Term) -> None:
        self._begin()
        self._lib.solver_assert(self.context.handle, self._handle, self.context.ast(formula))
        if self._lib.get_error_code(self.context.handle):  # it was not asserted
            raise self.context.failure("z3 refused a formula")

    def _begin(self) -> None:
        if not (self._handle and self.context.handle):
            raise InternalError("the solver is closed")
        self._forget()

    def _forget(self) -> None:
        self._result = None
        if self._model:
            self._lib.model_dec_ref(self.context.handle, self._model)
            self._model = 0

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._begin()
        limit = _NO_LIMIT if budget is None else min(max(budget, 1), _MAX_LIMIT)
        if limit != self._limit:
            self._set(rlimit=limit)
            self._limit = limit
        ast = self.context.ast
        self._assumed = list(assumptions)
        asts = [*map(ast, self._assumed), *self._valid(self._assumed)]
        answer = self._lib.check_assumptions(
            self.context.handle, self._handle, len(asts), handles(asts)
        )
        self._result = _RESULTS[answer]
        if self._result is UNKNOWN and self._lib.get_error_code(self.context.handle):
            raise self.context.failure("z3 failed in a check")
        return self._result

    def _valid(self, assumed: Sequence[Term]) -> list[int]:
        """Valid formulas about the assumptions of one check."""
        return []

    def core(self) -> list[Term]:
        if self._result is not UNSAT:
            raise InternalError("a core exists only after UNSAT")
        lib, c = self._lib, self.context.handle
        vector = lib.solver_get_unsat_core(c, self._handle)
        if not vector:
            raise self.context.failure("z3 gave no core")
        lib.ast_vector_inc_ref(c, vector)
        asts = {lib.ast_vector_get(c, vector, i) for i in range(lib.ast_vector_size(c, vector))}
        lib.ast_vector_dec_ref(c, vector)
        return core_of("z3", self._assumed, [self.context.ast(a) for a in self._assumed], asts)

    def _value_of_var(self, var: Term) -> Value | None:
        if self._result is not SAT:
            raise InternalError("a model exists only after SAT")
        assert var.op is Op.VAR
        lib, c = self._lib, self.context
        if not self._model:
            self._model = lib.solver_get_model(c.handle, self._handle)
            if not self._model:
                raise c.failure("z3 gave no model")
            lib.model_inc_ref(c.handle, self._model)
        interp = lib.model_get_const_interp(
            c.handle, self._model, lib.get_app_decl(c.handle, c.ast(var))
        )
        return read(c, self._model, interp, var.sort) if interp else None

    def interrupt(self) -> None:
        self._lib.solver_interrupt(self.context.handle, self._handle)

    def close(self) -> None:
        handle, self._handle = self._handle, 0
        if handle and self.context.handle:
            self._forget()
            self._lib.solver_dec_ref(self.context.handle, handle)

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.close()
