"""Printing terms as SMT-LIB."""

from __future__ import annotations

from obligato.terms.term import Op, Term


def to_smtlib(term: Term, max_nodes: int | None = None) -> str:
    """Provisional."""
    if term.op is Op.VAR:
        return term.name
    if term.op is Op.CONST:
        return str(term.data)
    return f"({term.op.name.lower()}{'' if term.data is None else term.data} {' '.join(map(to_smtlib, term.args))})"
