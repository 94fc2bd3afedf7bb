"""Atoms of the system about the same variables as a new predicate: they are likely to be needed
next.

A program that steers itself by the values of a variable (a state machine coded in an integer, a
bounded loop) compares it with constants and assigns constants to it. Refinement finds these one
chain after the other; `of` offers all of them with the first. The atoms are those of initial
states, properties and steps that are about one point of time: x = 3 stands for a test of x as well
as for x' = 3.  Predicates claim nothing, so none of this can make an answer wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.engines.ic3ia.predicates import Predicates, atoms
from obligato.terms import BOOL, Op, Term, free_vars, substitute

AT_MOST = 80  # about the same variables: more of them would only slow the queries down


class RelatedAtoms:
    """The atoms of one system, by their variables."""

    def __init__(self, predicates: Predicates) -> None:
        system = predicates.system
        state = dict.fromkeys(system.state)
        unprimed = {p: x for x, p in system.primed.items()}
        self._about: dict[tuple[Term, ...], dict[Term, None]] = {}
        formulas = (
            system.init,
            *(p.formula for p in system.assertions),
            *system.constraints,
            system.trans,
        )
        for atom in dict.fromkeys(a for f in formulas for a in atoms(f)):
            used = free_vars(atom)
            now = substitute(atom, unprimed) if used and all(v in unprimed for v in used) else atom
            if (
                atom.op is not Op.VAR
                and all(v in state for v in free_vars(now))
                and all(v.sort is not BOOL for v in used)
            ):
                mine = self._about.setdefault(_key(now), {})
                mine.update(dict.fromkeys(predicates.parts(now)) if len(mine) < AT_MOST else ())

    def of(self, new: Iterable[Term]) -> list[Term]:
        """The atoms about the variables of one of the `new` predicates."""
        return list(dict.fromkeys(a for p in new for a in self._about.get(_key(p), ())))


def _key(atom: Term) -> tuple[Term, ...]:
    return tuple(sorted(free_vars(atom), key=lambda v: v.id))
