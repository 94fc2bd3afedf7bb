"""A log of solver queries that any SMT-LIB 2 solver can replay.

`QueryLog.wrap` puts a `LoggingSolver` around a solver: each check becomes a file
``000042-kind-unsat.smt2`` with all formulas, the assumptions (as assertions named ``assumed!N``)
and the answer as ``:status``. `replay` asks a solver the same again.

Limitation: every file holds all formulas of its solver; the log of a long run is large.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from obligato.errors import InputError
from obligato.smt.fixed_semantics import FixedSemantics
from obligato.smt.solver import UNKNOWN, SatResult, Solver
from obligato.terms import Term, TermStore, Value, free_vars
from obligato.terms.printer import declaration, to_smtlib

_ASSUMED = "assumed!"


class QueryLog:
    """A folder of queries, numbered in the order they were answered; several solvers may write to
    one log.

    `decided`: only queries that were answered are written, not those that a solver gave up.
    """

    def __init__(self, folder: Path, decided: bool = False) -> None:
        self.folder, self.decided = folder, decided
        self.count = 0
        folder.mkdir(parents=True, exist_ok=True)

    def wrap(self, solver: Solver) -> LoggingSolver:
        """The same solver, with its queries logged here."""
        return LoggingSolver(solver, self)

    def write(
        self, kind: str, formulas: Sequence[str], variables: Mapping[Term, None], result: SatResult
    ) -> Path:
        """Add one query."""
        self.count += 1
        path = (
            self.folder
            / f"{self.count:06}-{re.sub(r'[^0-9A-Za-z_.]', '_', kind)}-{result.value}.smt2"
        )
        lines = [
            "(set-logic ALL)",
            f"(set-info :status {result.value})",
            *map(declaration, variables),
            *formulas,
        ]
        path.write_text("\n".join([*lines, "(check-sat)", ""]), encoding="utf-8")
        return path


class LoggingSolver(Solver):
    """Passes everything on to `inner` and writes each check to `log`."""

    def __init__(self, inner: Solver, log: QueryLog) -> None:
        super().__init__(inner.stats)
        self.inner = inner
        self.log = log
        self.capabilities = inner.capabilities
        self._fixed = FixedSemantics()
        self._variables: dict[Term, None] = {}
        self._formulas: list[str] = []
        self._texts: dict[Term, str] = {}

    def add(self, formula: Term) -> None:
        self.inner.add(formula)
        self._variables.update(free_vars(formula))
        self._formulas.append(f"(assert {to_smtlib(self._fixed(formula))})")

    def _text(self, term: Term) -> str:
        text = self._texts.get(term)
        if text is None:
            self._variables.update(free_vars(term))
            text = self._texts[term] = to_smtlib(self._fixed(term))
        return text

    def check(
        self, assumptions: Sequence[Term] = (), *, budget: int | None = None, kind: str = "check"
    ) -> SatResult:
        result = self.inner.check(assumptions, budget=budget, kind=kind)
        if result is UNKNOWN and self.log.decided:
            return result
        assumed = [
            f"(assert (! {self._text(a)} :named {_ASSUMED}{i}))" for i, a in enumerate(assumptions)
        ]
        self.log.write(kind, [*self._formulas, *assumed], self._variables, result)
        return result

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        return self.inner.check(assumptions, budget=budget)

    def core(self) -> list[Term]:
        return self.inner.core()

    def _value_of_var(self, var: Term) -> Value | None:
        return self.inner.model_of([var]).get(var)

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        return self.inner.model_of(variables)

    def paid_off(self, checks: int) -> bool:
        return self.inner.paid_off(checks)

    def interrupt(self) -> None:
        self.inner.interrupt()

    def close(self) -> None:
        self.inner.close()


@dataclass(frozen=True, slots=True)
class Replay:
    """What a logged query answered and what it answers now."""

    path: Path
    expected: SatResult
    result: SatResult

    @property
    def agrees(self) -> bool:
        """No contradiction; an unknown on either side is none."""
        return self.expected is self.result or UNKNOWN in (self.expected, self.result)


def replay(path: Path, solver: Solver, store: TermStore | None = None) -> Replay:
    """Ask a fresh `solver` a logged query; its terms are made in `store`, by default one that keeps
    them as written.
    """
    from obligato.terms.smtlib import read_script

    script = read_script(
        path.read_text(encoding="utf-8"), str(path), store if store is not None else TermStore.raw()
    )
    status = script.infos.get(":status")
    if status not in ("sat", "unsat", "unknown"):
        raise InputError(f"{path} is no logged query: it has no :status")
    names = {
        a.term: None
        for a in script.annotations
        if a.key == ":named" and str(a.value).startswith(_ASSUMED)
    }
    assumptions: list[Term] = []
    for assertion in script.assertions:
        assert assertion.term is not None
        if assertion.term in names:
            assumptions.append(assertion.term)
        else:
            solver.add(assertion.term)
    # the formulas and assumptions of the log: sat and unsat as they were answered then
    return Replay(path, SatResult(str(status)), solver.check(assumptions, kind="replay"))
