"""Terms as a whole SMT-LIB script."""

from __future__ import annotations

from collections.abc import Iterable

from obligato.terms import Term, free_vars
from obligato.terms.printer import declaration, to_smtlib


def to_smtlib_script(assertions: Iterable[Term]) -> str:
    """Declarations of all variables that occur, the assertions, check-sat."""
    formulas = list(assertions)
    lines = [declaration(v) for v in free_vars(*formulas)]
    lines += [f"(assert {to_smtlib(f)})" for f in formulas]
    return "\n".join([*lines, "(check-sat)", ""])
