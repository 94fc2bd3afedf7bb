"""What a predecessor must satisfy, as formulas in which hidden variables that an equation
determines are gone.

Hidden are the inputs and the next state. `Hidden` reads equations  x = t  for them from given
conjuncts (next-state functions, definitions of local variables) once, and puts them into a target:
the same as eliminating those x by equality, but a cube never mentions the conditions on which the
values of other variables depend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from obligato.smt.projection.equality import determined
from obligato.terms import Substitution, Term, conjuncts, free_vars


class Hidden:
    """Conjuncts over the state and `variables`, the hidden ones. `left`: those that no equation
    determines.
    """

    def __init__(self, parts: Sequence[Term], variables: Iterable[Term]) -> None:
        hidden = dict.fromkeys(variables)
        given = _definitions(parts, hidden)
        self.left = [x for x in hidden if x not in given]
        self._given = _closed(given)
        self.rest = list(dict.fromkeys(c for f in parts for c in conjuncts(self._given(f))))

    def with_target(self, target: Iterable[Term]) -> list[Term]:
        """The conjuncts and a target over the state and the hidden variables, as conjuncts over the
        state and `left`.
        """
        out = dict.fromkeys(self.rest)
        for f in target:
            out.update(dict.fromkeys(conjuncts(self._given(f))))
        return list(out)

    def removed(self, target: Iterable[Term]) -> int:
        """How many hidden variables of a target equations determine, directly."""
        return sum(x in self._given.mapping for x in free_vars(*target))


def _definitions(parts: Sequence[Term], hidden: Mapping[Term, None]) -> dict[Term, Term]:
    """Equations that the parts imply, at most one for each hidden variable and one of each part,
    without cycles; the first hidden variables are preferred.
    """
    found: dict[Term, Term] = {}
    place = {x: n for n, x in enumerate(hidden)}
    for part in parts:
        for x in sorted(
            (v for v in free_vars(part) if v in place and v not in found), key=place.__getitem__
        ):
            value = determined(x, part)
            if value is not None and x not in _reached(value, found):
                found[x] = value
                break
    return found


def _reached(t: Term, definitions: Mapping[Term, Term]) -> dict[Term, None]:
    """The variables that a term depends on."""
    seen, todo = dict[Term, None](), list(free_vars(t))
    while todo:
        x = todo.pop()
        if x not in seen:
            seen[x] = None
            todo += free_vars(definitions[x]) if x in definitions else ()
    return seen


def _closed(definitions: Mapping[Term, Term]) -> Substitution:
    """The definitions, each in terms of what none defines."""
    closed, todo = Substitution({}), list(definitions)
    while todo:
        x = todo[-1]
        missing = [
            y for y in free_vars(definitions[x]) if y in definitions and y not in closed.mapping
        ]
        if x in closed.mapping or not missing:
            if x not in closed.mapping:
                closed.define(x, closed(definitions[x]))
            todo.pop()
        else:
            todo += missing
    return closed
