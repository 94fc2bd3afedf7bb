"""Which part of what arrives from other engines, or could be told to them, is inductive on an
engine's own model (`engines.exchange`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from obligato.analysis.houdini import houdini
from obligato.analysis.templates import Survivors
from obligato.engines.environment import AUTO
from obligato.engines.exchange import CALLS, Formulas
from obligato.engines.preparation import sorts_of
from obligato.models.importing import import_cfa
from obligato.models.ts_reduce import import_system
from obligato.terms import Term, TermStore

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.cfa import CFA
    from obligato.models.transition_system import TransitionSystem


def kept(
    system: TransitionSystem,
    candidates: Sequence[Term],
    known: Sequence[Term],
    env: Environment,
    calls: int = CALLS,
) -> list[Term]:
    """The largest part of the candidates that holds at first, and after each step from states that
    satisfy it and what is `known`; nothing if the calls do not suffice. Terms and solvers are
    apart: the search is not to depend on what was tried beside it.
    """
    store = TermStore()
    apart, own = import_system(system, store), {store.import_term(f): f for f in candidates}
    make = env.solvers(system.sorts, AUTO)
    survivors = Survivors(make, env.tick, calls, hurried=True)
    left = survivors.of([apart.init], list(own), lambda f: f)
    step = [*apart.constraints, *map(store.import_term, known)]
    step += [apart.trans] if apart.next is None else []
    view = apart.prime if apart.next is None else apart.pull
    while left:
        stay = survivors.of([*left, *step], left, view)
        if len(stay) == len(left):
            break
        left = stay
    return [own[f] for f in left]


def kept_along(
    cfa: CFA, candidates: Formulas, known: Formulas, env: Environment, calls: int = CALLS
) -> dict[int, list[Term]]:
    """The inductive part of candidates at locations of a CFA, without what is `known`; terms and
    solvers are apart, as in `kept`.
    """
    store = TermStore()
    own = {store.import_term(f): f for fs in candidates.values() for f in fs}
    here = {loc: list(map(store.import_term, fs)) for loc, fs in candidates.items()}
    old = {loc: list(map(store.import_term, fs)) for loc, fs in known.items()}
    make = env.solvers(sorts_of(cfa), AUTO)
    found = houdini(import_cfa(cfa, store), here, make, calls=calls, known=old)
    new = {loc: [own[f] for f in fs if f not in set(old.get(loc, ()))] for loc, fs in found.items()}
    return {loc: fs for loc, fs in new.items() if fs}
