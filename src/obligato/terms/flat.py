"""Many Boolean terms over the same variables, evaluated at once and again and again.

Idea: all their subterms stand in one list, each behind its arguments, with the function that
`terms.semantics` gives for it. To evaluate is to go through the list: nothing is looked up,
dispatched or asked for twice. `Flat.values` carries it. Everything is evaluated, also branches of
an ite that are not chosen, which makes no difference: all functions are total.

Limitation: circuits of bits only. Of words few branches are chosen, so that nothing is gained.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

from obligato.terms.semantics import Value, default_value, meaning
from obligato.terms.sorts import BOOL
from obligato.terms.term import Op, Term
from obligato.terms.traversal import postorder

# of two arguments, as `semantics` has them for any number
_PAIRS = {Op.AND: operator.and_, Op.OR: operator.or_}
_NONE = -1


def flat(roots: Iterable[Term]) -> Flat | None:
    """The terms as a list; None if they are not about Booleans only."""
    wanted = tuple(dict.fromkeys(roots))
    order = list(postorder(wanted))
    if any(t.sort is not BOOL for t in order):
        return None
    return Flat(wanted, order)


class Flat:
    """The terms `roots` and all their subterms, in an `order` in which arguments come first."""

    def __init__(self, roots: tuple[Term, ...], order: list[Term]) -> None:
        leaves = [t for t in order if not t.args]
        applied = [t for t in order if t.args]
        place = {t: n for n, t in enumerate([*leaves, *applied])}
        self._leaves = [
            (None, t.data) if t.op is Op.CONST else (t, default_value(t.sort)) for t in leaves
        ]
        self._steps = [_step(t, [place[a] for a in t.args]) for t in applied]
        self._roots = [(t, place[t]) for t in roots]

    def values(self, assignment: Mapping[Term, Value]) -> dict[Term, Any]:
        """The values of the roots; variables without a value take their sort's default."""
        get = assignment.get
        v: list[Any] = [x if t is None else get(t, x) for t, x in self._leaves]
        add = v.append
        for f, a, b, rest in self._steps:
            if b == _NONE:
                add(f(v[a]))
            elif rest:
                add(f(v[a], v[b], *[v[i] for i in rest]))
            else:
                add(f(v[a], v[b]))
        return {t: v[i] for t, i in self._roots}


def _step(t: Term, args: list[int]) -> tuple[Any, int, int, list[int]]:
    """The function of an application, and where its arguments are."""
    if len(args) == 1:
        return meaning(t), args[0], _NONE, []
    pair = _PAIRS.get(t.op) if len(args) == 2 else None
    return pair or meaning(t), args[0], args[1], args[2:]
