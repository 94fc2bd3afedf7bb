"""`PipeSolver`: any SMT-LIB 2 solver as a process that we talk to over its standard input and
output.

Variables are declared when they first occur, assumptions are named by Boolean constants (the
standard allows only literals in check-sat-assuming), values come from get-value and are read by our
SMT-LIB reader. Two abilities are probed at the start: get-unsat-assumptions (without it a core is
all assumptions) and the standard's option reproducible-resource-limit (without it there are no
budgets). The process has a group of its own, which `close` kills. An interrupt kills it, too; the
next check starts another one and tells it everything again.

Limitation: FP_TO_BITS is written as z3's fp.to_ieee_bv; other solvers refuse it, which is a
`SolverFailure`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import IO

from obligato.errors import InputError, InternalError, SolverFailure
from obligato.smt.fixed_semantics import FixedSemantics
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
from obligato.terms import REAL, Kind, Op, Sort, Term, TermStore, Value, evaluate, free_vars
from obligato.terms.printer import declaration, symbol, to_smtlib
from obligato.terms.smtlib import SExpr, SList, TermReader, parse_sexprs, show

_START = ("(set-option :print-success false)", "(set-option :produce-models true)")
_CORES = ":produce-unsat-assumptions true"
_LIMIT = ":reproducible-resource-limit"
_MARK = re.compile(r'["|()]')
_RESULTS = {"sat": SAT, "unsat": UNSAT, "unknown": UNKNOWN}


class _Ended(Exception):
    """The process closed its output."""


class _Process:
    """A running solver: send commands, read one answer at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,
            )
        except OSError as e:
            raise SolverFailure(f"cannot start {command[0]}: {e.strerror}") from e

    @property
    def pid(self) -> int:
        """The process, which leads its group."""
        return self._process.pid

    def send(self, text: str) -> None:
        try:
            stream = self._stream(self._process.stdin)
            stream.write(text + "\n")
            stream.flush()
        except (BrokenPipeError, ValueError) as e:
            raise _Ended from e

    def answer(self) -> SExpr:
        """The next expression; lines are read until its parentheses close."""
        text, depth, quote = "", 0, ""
        while not text or depth > 0 or quote:
            line = self._stream(self._process.stdout).readline()
            if not line:
                raise _Ended
            text += line if line.strip() or text else ""
            for mark in _MARK.findall(line):
                if quote:
                    quote = "" if mark == quote else quote
                elif mark in '"|':
                    quote = mark
                else:
                    depth += 1 if mark == "(" else -1
        return parse_sexprs(text, "answer")[0]

    @staticmethod
    def _stream(stream: IO[str] | None) -> IO[str]:
        assert stream is not None
        return stream

    def kill(self) -> None:
        """End the whole process group."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> int:
        """End it, free the pipes, and return its exit status."""
        self.kill()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                self._stream(stream).close()
            except BrokenPipeError:  # unsent text for a dead process
                continue
        return status


class PipeSolver(Solver):
    """The solver that `command` starts, for example ``["z3", "-in"]`` or ``["cvc5",
    "--incremental"]``.
    """

    def __init__(
        self,
        command: Sequence[str],
        stats: SolverStats | None = None,
        *,
        logic: str = "ALL",
        kinds: frozenset[Kind] = frozenset(Kind),
    ) -> None:
        super().__init__(stats)
        self.command = list(command)
        self.capabilities = Capabilities(
            f"pipe:{self.command[0]}", kinds, interruptible=True, budget=False
        )
        self._logic = logic
        self._store: TermStore | None = None
        self._fixed = FixedSemantics()
        self._known: dict[Term, None] = {}  # declared variables
        self._names: dict[Term, str] = {}  # assumption -> literal
        self._script: list[str] = []  # everything that a new process has to be told
        self._sent = 0
        self._assumed: list[Term] = []
        self._result: SatResult | None = None
        self._cores = False
        self._running = self._interrupted = self._closed = False
        self._process: _Process | None = None
        self._connect()

    # -- the process -------------------------------------------------------------------------------

    def _connect(self) -> _Process:
        if self._closed:
            raise InternalError("the solver is closed")
        if self._process is None:
            self._process, self._sent = _Process(self.command), 0
            for line in _START:
                self._send(line)
            self._cores = self._accepts(_CORES)
            self.capabilities = replace(self.capabilities, budget=self._accepts(f"{_LIMIT} 0"))
            self._send(f"(set-logic {self._logic})")
        return self._process

    def _accepts(self, option: str) -> bool:
        """Is the option taken without comment?"""
        self._send(f'(set-option {option})\n(echo "done")')
        answer = self._answer()
        if answer == '"done"' or answer == "done":
            return True
        self._answer()
        return False

    def _send(self, text: str) -> None:
        try:
            self._connect().send(text)
        except _Ended as e:
            raise self._failure() from e

    def _answer(self) -> SExpr:
        try:
            answer = self._connect().answer()
        except _Ended as e:
            raise self._failure() from e
        except InputError as e:
            raise SolverFailure(f"{self.command[0]} gave an answer that cannot be read: {e}") from e
        return answer

    def _failure(self) -> SolverFailure:
        status = self._drop()
        return SolverFailure(f"{self.command[0]} ended unexpectedly with status {status}")

    def _drop(self) -> int | None:
        process, self._process = self._process, None
        self._result = None
        return process.close() if process is not None else None

    def _catch_up(self) -> None:
        self._connect()
        new = self._script[self._sent :]
        if new:
            self._send("\n".join(new))
            self._sent = len(self._script)

    # -- formulas and checks -----------------------------------------------------------------------

    def _declare(self, term: Term) -> None:
        if self._store is None:
            self._store = term.store
        elif term.store is not self._store:
            raise InternalError(f"a term of another store was given to {self.command[0]}")
        for v in free_vars(term):
            if v not in self._known:
                self._known[v] = None
                self._script.append(declaration(v))

    def add(self, formula: Term) -> None:
        self._result = None
        self._declare(formula)
        self._script.append(f"(assert {to_smtlib(self._fixed(formula))})")

    def _name(self, term: Term) -> str:
        """A literal that is equivalent to `term`."""
        name = self._names.get(term)
        if name is None:
            self._declare(term)
            if term.atom.op is Op.VAR:
                name = to_smtlib(term)
            else:
                name = f"obligato!assumed!{len(self._names)}"
                self._script.append(
                    f"(declare-fun {name} () Bool)\n(assert (= {name}"
                    f" {to_smtlib(self._fixed(term))}))"
                )
            self._names[term] = name
        return name

    def _check(self, assumptions: Sequence[Term], budget: int | None) -> SatResult:
        self._result = None
        self._assumed = list(assumptions)
        names = " ".join([self._name(a) for a in self._assumed])
        self._interrupted, self._running = False, True
        try:
            self._catch_up()
            if self.capabilities.budget:
                self._send(f"(set-option {_LIMIT} {max(budget, 1) if budget is not None else 0})")
            self._send(f"(check-sat-assuming ({names}))" if names else "(check-sat)")
            answer = self._answer()
        except SolverFailure:
            if self._interrupted:
                return UNKNOWN
            raise
        finally:
            self._running = False
        self._result = _RESULTS.get(answer) if isinstance(answer, str) else None
        if self._result is None:
            raise self._unexpected(answer)
        return self._result

    def _unexpected(self, answer: SExpr) -> SolverFailure:
        self._drop()
        return SolverFailure(f"{self.command[0]} answered {show(answer, 300)}")

    def _ask(self, question: str) -> SList:
        self._send(question)
        answer = self._answer()
        if not isinstance(answer, SList) or (answer and answer[0] == "error"):
            raise self._unexpected(answer)
        return answer

    def core(self) -> list[Term]:
        if self._result is not UNSAT:
            raise InternalError("a core exists only after UNSAT")
        names = [self._names[a] for a in self._assumed]
        if not (self._cores and names):
            return core_of(self.command[0], self._assumed, names, set(names))
        failed = {_literal(x) for x in self._ask("(get-unsat-assumptions)")}
        return core_of(self.command[0], self._assumed, names, failed)

    def _value_of_var(self, var: Term) -> Value | None:
        return self.model_of([var]).get(var)

    def model_of(self, variables: Mapping[Term, None] | Sequence[Term]) -> dict[Term, Value]:
        if self._result is not SAT:
            raise InternalError("a model exists only after SAT")
        asked = [v for v in variables if v in self._known]
        if not asked:
            return {}
        answer = self._ask(f"(get-value ({' '.join([symbol(v.name) for v in asked])}))")
        pairs = [pair[1] for pair in answer if isinstance(pair, SList) and len(pair) == 2]
        if len(pairs) != len(asked):
            raise self._unexpected(answer)
        return {v: self._read(x, v.sort) for v, x in zip(asked, pairs, strict=True)}

    def _read(self, x: SExpr, sort: Sort) -> Value:
        try:
            value: Value = evaluate(TermReader(TermStore.raw()).read(x), {})
        except InputError as e:
            raise SolverFailure(
                f"{self.command[0]} gave a value that cannot be read: {show(x, 200)}"
            ) from e
        return Fraction(value) if sort is REAL and isinstance(value, int) else value

    def interrupt(self) -> None:
        process = self._process
        if self._running and process is not None:
            self._interrupted = True
            process.kill()

    def close(self) -> None:
        self._closed = True
        self._drop()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()


def _literal(x: SExpr) -> str:
    """A literal as `_name` spells it."""
    return f"(not {symbol(str(x[1]))})" if isinstance(x, SList) else symbol(str(x))
