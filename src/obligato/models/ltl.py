"""Linear temporal logic over the steps of a transition system:
an atom is a formula over state and inputs.

Operators: X next, F finally, G globally, `f U g` until, `f R g` release (the dual of U), `f W g`
weak until. A formula speaks about infinite runs; a run that cannot go on satisfies and violates
nothing. Formulas are compared by structure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from obligato.terms.printer import to_smtlib

if TYPE_CHECKING:
    from obligato.terms import Term

UNARY = ("!", "X", "F", "G")
BINARY = ("&", "|", "->", "<->", "xor", "U", "R", "W")


@dataclass(frozen=True, slots=True)
class Formula:
    """One node: `op` is an operator, "true", "false" or "atom" (then `atom` is a Boolean term)."""

    op: str
    args: tuple[Formula, ...] = ()
    atom: Term | None = None

    def __str__(self) -> str:
        """Fully parenthesised; atoms as SMT-LIB."""
        if self.atom is not None:
            return to_smtlib(self.atom)
        if not self.args:
            return self.op
        if len(self.args) == 1:
            return f"{self.op} {self.args[0]}"
        if self.op[0] in "AE":  # of branching time
            return f"{self.op[0]} [{self.args[0]} {self.op[1]} {self.args[1]}]"
        return f"({self.args[0]} {self.op} {self.args[1]})"


def atom(term: Term) -> Formula:
    """A formula of the logic that is a formula over one step."""
    return Formula("atom", (), term)


def map_atoms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with its atoms changed."""
    if formula.atom is not None:
        return Formula(formula.op, (), change(formula.atom))
    return Formula(formula.op, tuple(map_atoms(f, change) for f in formula.args))


def atoms(formula: Formula) -> list[Term]:
    """The terms of all atoms."""
    if formula.atom is not None:
        return [formula.atom]
    return [t for f in formula.args for t in atoms(f)]


def operators(formula: Formula) -> set[str]:
    """All operators in a formula."""
    return {formula.op}.union(*map(operators, formula.args))
