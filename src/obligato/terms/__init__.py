"""Sorts, hash-consed terms, smart constructors, substitution, evaluation,
printing and reading (DESIGN 1, 3.1)."""

from obligato.terms.evaluate import evaluate
from obligato.terms.semantics import ArrayValue, Value, default_value, to_signed
from obligato.terms.sorts import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT,
    REAL,
    RM,
    Kind,
    Sort,
    array,
    bitvec,
    floating,
)
from obligato.terms.store import TermStore
from obligato.terms.term import Op, Term, bottom_up
from obligato.terms.traversal import (
    Substitution,
    assigned_constant,
    conjuncts,
    free_vars,
    new_vars,
    postorder,
    size,
    substitute,
)

__all__ = [
    "BOOL",
    "FLOAT32",
    "FLOAT64",
    "INT",
    "REAL",
    "RM",
    "ArrayValue",
    "Kind",
    "Op",
    "Sort",
    "Substitution",
    "Term",
    "TermStore",
    "Value",
    "array",
    "assigned_constant",
    "bitvec",
    "bottom_up",
    "conjuncts",
    "default_value",
    "evaluate",
    "floating",
    "free_vars",
    "new_vars",
    "postorder",
    "size",
    "substitute",
    "to_signed",
]
