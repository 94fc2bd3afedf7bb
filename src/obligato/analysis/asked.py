"""Candidates that the errors ask about: the conditions under which a run goes into the error,
pulled back to where it starts.

What a check compares (``p - start < room``) is often an invariant at the loop around it as it
stands, or its negation is, and a solver sees it in that form at once, while it may search long for
it in facts that together imply it.
"""

from __future__ import annotations

from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect
from obligato.terms import BOOL, Op, Term, free_vars, postorder

MOST = 30  # atoms at one location
LARGE = 40  # terms of an atom that is not worth it


def asked(blocks: CFA) -> dict[int, list[Term]]:
    """By location of large blocks, the atoms of the conditions of the edges to the error, and their
    negations.
    """
    variables = frozenset(blocks.variables)  # membership only
    found: dict[int, list[Term]] = {}
    for e in blocks.into(blocks.error):
        if e.source != blocks.initial:
            guard = BlockEffect(blocks.store, e.command, f"asked!{e.id}!").guard
            atoms = [
                t
                for t in postorder(guard)
                if _is_atom(t) and all(v in variables for v in free_vars(t))
            ]
            found.setdefault(e.source, []).extend(
                t for t in atoms if sum(1 for _ in postorder((t,))) <= LARGE
            )
    first = {loc: list(dict.fromkeys(atoms))[:MOST] for loc, atoms in found.items()}
    return {
        loc: [f for a in atoms for f in (a, blocks.store.not_(a))] for loc, atoms in first.items()
    }


def _is_atom(t: Term) -> bool:
    return t.sort is BOOL and t.op is not Op.NOT and t.is_literal and bool(t.args)
