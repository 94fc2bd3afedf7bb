"""The only run of a program without choices: the states it passes through are an invariant.

Runs the CFA from the start as long as what happens next does not depend on an input or an
uninitialised variable.  A run that ends, away from the error location, or comes back to a state
gives for each wanted location the disjunction of the states it had there.  A run that is not the
only one, has more than `VISITS` states at a location or does neither in `STEPS` edges gives
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from obligato.analysis.maps import NeededAt
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Command, Seq, Tagged
from obligato.terms import Kind, Term, TermStore, Value, evaluate, free_vars

VISITS = 200
STEPS = 20_000
State = dict[Term, Value]


class _Undetermined(Exception):
    """What happens next is not determined by the state."""


def states_of_single_run(cfa: CFA, locations: Iterable[int], needed: NeededAt) -> dict[int, Term]:
    """The states at `locations`, one formula each; {} if there is more than one run, or it is long,
    or it fails.
    """
    seen: dict[int, dict[Term, None]] = {loc: {} for loc in locations}
    try:
        for location, state in _Run(cfa).states():
            if location in seen:
                seen[location][_formula(cfa.store, location, state, needed)] = None
                if len(seen[location]) > VISITS:
                    return {}
    except _Undetermined:
        return {}
    return {loc: cfa.store.or_(*states) for loc, states in seen.items()}


def _formula(store: TermStore, location: int, state: State, needed: NeededAt) -> Term:
    known = [
        (x, v)
        for x, v in state.items()
        if (location, x) in needed and x.sort.kind is not Kind.ARRAY
    ]
    return store.and_(*(store.eq(x, store.const(v, x.sort)) for x, v in known))


class _Run:
    """One run; the state has the variables that were assigned so far."""

    def __init__(self, cfa: CFA) -> None:
        self.cfa = cfa

    def states(self) -> Iterable[tuple[int, State]]:
        """The locations and states passed, up to the end of the run or until it goes round
        [Bre80].
        """
        location, state = self.cfa.initial, State()
        saved, power = (location, state), 1
        for n in range(STEPS):
            yield location, state
            ends = [
                (e.target, end)
                for e in self.cfa.out(location)
                if (end := _after(e.command, state)) is not None
            ]
            if not ends:
                return
            if len(ends) > 1 or ends[0][0] == self.cfa.error:
                raise _Undetermined
            location, state = ends[0]
            if ends[0] == saved:
                return
            if n == power:
                saved, power = ends[0], 2 * power
        raise _Undetermined


def _after(command: Command, before: State) -> State | None:
    """The state after a command; None if it is stuck."""
    state = dict(before)
    stack = [command]
    while stack:
        c = stack.pop()
        if isinstance(c, Assign):
            state.update([(x, _value(e, state)) for x, e in c.pairs])
        elif isinstance(c, Assume):
            if not _value(c.condition, state):
                return None
        elif isinstance(c, Seq):
            stack.extend(reversed(c.parts))
        elif isinstance(c, Tagged):
            stack.append(c.command)
        else:
            raise _Undetermined
    return state


def _value(term: Term, state: State) -> Value:
    if any(v not in state for v in free_vars(term)):
        raise _Undetermined
    value: Value = evaluate(term, state)
    return value
