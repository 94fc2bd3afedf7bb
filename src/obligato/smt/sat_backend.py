"""`SatSolver`: Booleans and bit-vectors by bit-blasting into an incremental SAT solver of
python-sat (DESIGN 3.4).

The terms become gates once per `BlastContext`, which many solvers may share; a solver numbers and
defines only the gates its own formulas reach (`_load`), so a fresh solver is cheap and small
whatever the context holds: rebuild often. A conjunction is added conjunct by conjunct, a
disjunction as one clause, an equation of words bit by bit; an assumption is one literal.

A check runs in slices of conflicts. Between two slices Python runs its signal handlers and other
threads, so that every engine can be interrupted, CaDiCaL too, which has no interrupt of its own
here; the MiniSat family also stops at once, because its calls release the global lock. MiniSat's
slices grow without bound, because it suffers from them. An interrupt while no check runs has no
effect.
The budget of a check counts conflicts.
Limitation: an exception that a signal handler raises inside `add` or a check leaves this solver
unusable: close it.

We call the C module below python-sat's classes: they cost as much as a small query. Its version is
pinned.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import Any

import pysolvers

from obligato.errors import ConfigError, InternalError
from obligato.smt.blast import CLAUSES, BlastContext
from obligato.smt.blast.gates import INPUT
from obligato.smt.relevant import Relevant
from obligato.smt.solver import SAT, UNKNOWN, UNSAT, Capabilities, SatResult, Solver, SolverStats
from obligato.terms import BOOL, Kind, Op, Term, Value, conjuncts

_FIRST_SLICE, _LAST_SLICE = 4000, 16000  # conflicts: a tenth of a second to a second
_NO_LIMIT = 1 << 62
# in propagations: loading a gate costs 30 of them, and is worth it after five times as many
_PER_GATE, _PER_CHECK = (150, 300)
# docs/decisions/0002-sat-engine.md
DEFAULT_ENGINE, HARD_ENGINE, PATIENCE = ("minisat22", "cadical153", 16000)
RELEVANT = "relevant"  # docs/decisions/0012-compiled-code.md


@dataclass(frozen=True, slots=True)
class _Engine:
    """The functions of one SAT solver in python-sat's C module; the first argument of each is the
    solver's handle.
    """

    new: Callable[[], Any]
    delete: Callable[[Any], None]
    add: Callable[[Any, Iterable[int]], Any]
    # the last one is a clause for this question only
    solve: Callable[[Any, list[int], Sequence[int] | None], SatResult]
    limit: Callable[[Any, int], None]
    model: Callable[[Any], Sequence[int] | None]
    core: Callable[[Any, list[int]], list[int] | None]
    interrupt: Callable[[Any], None]
    resume: Callable[[Any], None]
    propagations: Callable[[Any], int]
    last_slice: int
    # it is told gates, has clauses for one question, and values of 0 and 1 (`smt.relevant`)
    gates: bool = False


def _function(family: str, name: str) -> Any:
    return getattr(pysolvers, f"{family}_{name}")


def _minisat(family: str, last_slice: int) -> _Engine:
    f = partial(_function, family)
    solve, core = f("solve_lim"), f("core")
    stats, answer = f("acc_stats"), {True: SAT, False: UNSAT, None: UNKNOWN}
    return _Engine(
        f("new"),
        f("del"),
        f("add_cl"),
        lambda h, lits, _: answer[solve(h, lits, 0, 1)],
        f("cbudget"),
        f("model"),
        lambda h, lits: core(h),
        f("interrupt"),
        f("clearint"),
        lambda h: stats(h)["propagations"],
        last_slice,
    )


def _cadical(family: str) -> _Engine:
    f = partial(_function, family)
    solve, delete = f("solve_lim"), f("del")
    stats, answer = f("acc_stats"), {1: SAT, -1: UNSAT, 0: UNKNOWN}
    return _Engine(
        f("new"),
        lambda h: delete(h, None),
        f("add_cl"),
        lambda h, lits, _: answer[solve(h, lits, 0)],
        f("cbudget"),
        f("model"),
        f("core"),
        lambda h: None,
        lambda h: None,
        lambda h: stats(h)["propagations"],
        _LAST_SLICE,
    )


def _relevant() -> dict[str, _Engine]:
    """Our own solver, if it has been compiled."""
    if Relevant is None:
        return {}
    answer = {1: SAT, 0: UNSAT, -1: UNKNOWN}
    return {
        RELEVANT: _Engine(
            Relevant,
            lambda h: h.close(),
            lambda h, clause: h.add(clause),
            lambda h, lits, clause: answer[h.solve(lits, clause)],
            lambda h, conflicts: h.limit(conflicts),
            lambda h: h.model()[1:],
            lambda h, lits: h.core(),
            lambda h: None,
            lambda h: None,
            lambda h: h.work(),
            _LAST_SLICE,
            gates=True,
        )
    }


_ENGINES = (
    _relevant()
    | {  # each call of MiniSat's own makes it forget how many learnt clauses it wants to keep
        "minisat22": _minisat("minisat22", _NO_LIMIT),
        "glucose4": _minisat("glucose41", _LAST_SLICE),
        "cadical153": _cadical("cadical153"),
    }
)


class SatSolver(Solver):
    """A SAT solver over the gates of `context` (its own if none is given)."""

    def __init__(
        self,
        stats: SolverStats | None = None,
        *,
        engine: str = DEFAULT_ENGINE,
        context: BlastContext | None = None,
    ) -> None:
        super().__init__(stats)
        if engine not in _ENGINES:
            raise ConfigError(f"unknown SAT engine {engine!r}; there are {', '.join(_ENGINES)}")
        self.capabilities = Capabilities(
            f"sat-{engine}", frozenset((Kind.BOOL, Kind.BITVEC)), True, True
        )
        self.context = context if context is not None else BlastContext()
        self._engine = _ENGINES[engine]
        self._handle: Any = self._engine.new()
        self._add_clause = partial(self._engine.add, self._handle)
        self._local: dict[int, int] = {}  # a literal of the context -> this solver's, both signs
        self._literals: dict[Term, int] = {}  # a Boolean term -> this solver's literal
        self._places: dict[Term, Sequence[int]] = {}  # a variable -> its bits in the model
        self._partial: list[Term] = []  # variables in `_places` with missing bits
        self._assumed: tuple[Sequence[Term], list[int]] = ((), [])
        self._last: SatResult | None = None
        self._model: list[int] | None = None
        self._running = self._interrupted = False
        self._closing = RLock()  # nobody interrupts a solver that is being freed

    # -- formulas ----------------------------------------------------------------------------------

    def add(self, formula: Term) -> None:
        """Assert `formula`: conjuncts one by one, a disjunction as one clause, an equation of words
        bit by bit.
        """
        self._expect_open()
        self._last = self._model = None
        for t in conjuncts(formula):
            if t.op is Op.OR:
                self._add_clause([self._literal(a) for a in t.args])
            elif t.op is Op.EQ and t.args[0].sort.kind is Kind.BITVEC:
                self._add_equation(*t.args)
            else:
                self._add_clause((self._literal(t),))

    def paid_off(self, checks: int) -> bool:
        """Was solving several times more work than loading the gates?"""
        self._expect_open()
        return self._engine.propagations(self._handle) + _PER_CHECK * checks >= _PER_GATE * (
            len(self._local) // 2
        )

    def _add_equation(self, left: Term, right: Term) -> None:
        for a, b in zip(self.context.word(left), self.context.word(right), strict=True):
            if a != b:
                x, y = self._load(a), self._load(b)
                self._add_clause((x, -y))
                self._add_clause((-x, y))

    def _literal(self, term: Term) -> int:
        literal = self._literals.get(term)
        if literal is None:
            literal = self._literals[term] = self._load(self.context.literal(term))
        return literal

    def _load(self, literal: int) -> int:
        """This solver's literal for one of the context; defines the gates below it that are new
        here.
        """
        local = self._local
        known = local.get(literal)
        if known is not None:
            return known
        while self._partial:
            del self._places[self._partial.pop()]
        kinds, inputs = self.context.gates.kinds, self.context.gates.inputs
        facts = self.context.gates.facts
        if self._engine.gates:
            variable: int = self._handle.load(literal, local, kinds, inputs, facts)
            return variable
        count = len(local) // 2
        fresh: list[tuple[int, int]] = []
        told: list[int] = []
        stack = [literal]
        while stack:
            number = abs(stack.pop())
            if number in local:
                continue
            count += 1
            local[number] = count
            local[-number] = -count
            if kinds[number] != INPUT:
                fresh.append((number, count))
                stack += [x for x in inputs[number] if x not in local]
            if number in facts:
                told += facts[number]
                stack += facts[number]
        here = local.__getitem__
        clauses: list[Sequence[int]] = []
        for number, count in fresh:
            clauses += CLAUSES[kinds[number]](count, *map(here, inputs[number]))
        deque(map(self._add_clause, clauses), 0)
        for fact in dict.fromkeys(told):
            self._add_clause((here(fact),))
        return local[literal]

    # -- queries -----------------------------------------------------------------------------------

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._expect_open()
        known = self._literals
        literals = [known.get(t) or self._literal(t) for t in assumptions]
        self._assumed = (tuple(assumptions), literals)
        self._last = self._model = None
        self._engine.resume(self._handle)
        self._interrupted, self._running = False, True
        try:
            self._last = self._search(literals, budget)
        finally:
            self._running = False
        return self._last

    def _search(self, literals: list[int], budget: int | None) -> SatResult:
        """Formulas and literals satisfiable? Slice by slice until answered, interrupted or out of
        budget.
        """
        engine, handle = self._engine, self._handle
        slice_, spent = _FIRST_SLICE, 0
        while budget is None or spent < budget:
            allowed = slice_ if budget is None else min(slice_, budget - spent)
            engine.limit(handle, allowed)
            # sat: `_model` has it; unsat: the engine's core is a subset of `literals`
            answer = engine.solve(handle, literals, None)
            if answer is not UNKNOWN or self._interrupted:
                return answer
            spent += allowed
            slice_ = min(4 * slice_, engine.last_slice)
        return UNKNOWN

    def core(self) -> list[Term]:
        """After UNSAT: the assumptions that the refutation used, in their order."""
        self._expect(UNSAT)
        terms, literals = self._assumed
        failed = set(self._engine.core(self._handle, literals) or ())
        out = []
        for t, x in zip(terms, literals, strict=True):
            if x in failed:
                failed.discard(x)  # two assumptions may be the same literal
                out.append(t)
        return out

    def _value_of_var(self, var: Term) -> Value | None:
        return self.model_of((var,)).get(var)

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        """After SAT: the values of `variables`; those of which no bit is in this solver are
        missing.
        """
        model = self._model
        if model is None:
            self._expect(SAT)
            model = self._model = [0, *(self._engine.model(self._handle) or ())]
            # literals in no clause are unknown to the engine
            model += [0] * (len(self._local) // 2 + 1 - len(model))
        out: dict[Term, Value] = {}
        known = self._places
        for v in variables:
            places = known[v] if v in known else self._find(v)
            if not places:
                continue
            if v.sort is BOOL:
                out[v] = model[places[0]] > 0
            else:
                value, weight = 0, 1
                for place in places:
                    if model[place] > 0:
                        value |= weight
                    weight += weight
                out[v] = value
        return out

    def _find(self, var: Term) -> Sequence[int]:
        """Where a model has the bits of `var`, least significant first, 0 for a missing bit;
        nothing if all are.
        """
        context, here = self.context, self._local
        literals = (
            (context.literals.get(var, 0),) if var.sort is BOOL else context.words.get(var, (0,))
        )
        places = [here.get(x, 0) for x in literals]
        if not all(places):
            self._partial.append(var)
        self._places[var] = found = places if any(places) else ()
        return found

    def _expect_open(self) -> None:
        if self._handle is None:
            raise InternalError("the solver is closed")

    def _expect(self, result: SatResult) -> None:
        if self._last is not result:
            raise InternalError(
                f"the last check was not {result.value}, or a formula was added since"
            )

    # -- life --------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Make a running check return UNKNOWN soon."""
        with self._closing:
            if self._running and self._handle is not None:
                self._interrupted = True
                self._engine.interrupt(self._handle)

    def close(self) -> None:
        """Free the SAT solver."""
        with self._closing:
            handle, self._handle = self._handle, None
        self._last = self._model = None
        if handle is not None:
            self._engine.delete(handle)

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.close()
