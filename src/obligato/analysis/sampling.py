"""States of a few random runs: candidates that are false in one of them are no invariants, which
saves questions to solvers.

Runs are short, seeded and counted; inputs are mostly small numbers.  A formula about all values of
an index is tried at a few: where arrays were written, and at multiples of small powers of two
before these places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from obligato.models.cfa import CFA, Edge
from obligato.models.execution import State, execute
from obligato.terms import Kind, Sort, Term, Value, default_value, evaluate, free_vars
from obligato.terms.semantics import ArrayValue

RUNS = 8
TRIES = 80  # of runs that may be too short, because an assumption fails
SHORT = 12  # edges of such a run
STEPS = 250  # edges of a run
ATTEMPTS = 3  # inputs for one edge
VISITS = (1, 2, 3, 5, 8, 13, 21, 34)  # which visits of a location in one run are kept
PLACES = 8  # values of the index in one state
SMALL = (0, 1, 1, 2, 3, 4, 6)
ALIGNED = (16, 32, 64)


def consistent(
    cfa: CFA, formulas: Mapping[int, Sequence[Term]], index: Term | None, seed: int
) -> dict[int, list[Term]]:
    """The formulas that are true in all states that a few runs have at their locations."""
    left = {loc: list(fs) for loc, fs in formulas.items()}
    runs = 0
    for number in range(TRIES):
        chance = Random(f"{seed} {number}")
        length, seen = _visited(cfa, left, chance)
        for location, state in seen:
            left[location] = _true_in(left[location], state, index, chance)
        runs += length > SHORT
        if runs == RUNS:
            break
    return left


def _visited(
    cfa: CFA, wanted: Mapping[int, object], chance: Random
) -> tuple[int, list[tuple[int, State]]]:
    """The length of one run, and some of its states at the wanted locations."""
    kept, visits = list[tuple[int, State]](), dict[int, int]()
    length = -1
    for location, state in run(cfa, chance, STEPS):
        length += 1
        visits[location] = visits.get(location, 0) + 1
        if location in wanted and visits[location] in VISITS:
            kept.append((location, state))
    return length, kept


def run(cfa: CFA, chance: Random, steps: int, cells: int = 0) -> Iterator[tuple[int, State]]:
    """The locations and states of a random run of at most so many steps. The first `cells` elements
    of an array have values of their own at the start, the others share one.
    """
    state: State = {v: _any(v.sort, chance, cells) for v in cfa.variables}
    location = cfa.initial
    for _ in range(steps):
        yield location, state
        edges = [e for e in cfa.out(location) if e.target != cfa.error]
        step = next(
            (
                s
                for e in chance.sample(edges, len(edges))
                if (s := _after(cfa, e, state, chance)) is not None
            ),
            None,
        )
        if step is None:
            break
        location, state = step


def _after(cfa: CFA, edge: Edge, state: State, chance: Random) -> tuple[int, State] | None:
    """The end of an edge and the state there, if some inputs lead through it."""
    inputs = cfa.edge_inputs(edge)
    for _ in range(ATTEMPTS if inputs else 1):
        after = execute(edge.command, state, {i: _any(i.sort, chance) for i in inputs})
        if after is not None:
            return edge.target, after
    return None


def _any(sort: Sort, chance: Random, cells: int = 0) -> Value:
    """A value, mostly a small one; of an array the same for all but the first few cells."""
    if sort.kind is Kind.BOOL:
        return chance.random() < 0.5
    if sort.kind is Kind.ARRAY:
        entries: dict[Value, Value] = {k: _any(sort.element, chance, cells) for k in range(cells)}
        return ArrayValue(_any(sort.element, chance), entries)
    if sort.kind is Kind.BITVEC:
        small = chance.random() < 0.8
        return chance.choice(SMALL) & sort.mask if small else chance.getrandbits(sort.width)
    return chance.choice(SMALL) if sort.kind is Kind.INT else default_value(sort)


def _true_in(formulas: list[Term], state: State, index: Term | None, chance: Random) -> list[Term]:
    plain = [f for f in formulas if index is None or index not in free_vars(f)]
    memo: dict[Term, Value] = {}
    kept = {f: None for f in plain if evaluate(f, state, memo)}
    about = [f for f in formulas if index is not None and index in free_vars(f)]
    for place in _places(state, index, chance) if index is not None and about else ():
        assert index is not None
        memo, at = {}, {**state, index: place}
        about = [f for f in about if evaluate(f, at, memo)]
    kept |= dict.fromkeys(about)
    return [f for f in formulas if f in kept]


def _places(state: State, index: Term, chance: Random) -> list[Value]:
    """Values of the index: where arrays were written, and before."""
    written = [
        k
        for v in state.values()
        if isinstance(v, ArrayValue)
        for k in v.entries
        if isinstance(k, int)
    ]
    near = dict.fromkeys((*written, *(k & -a for k in written for a in ALIGNED if k >= 0)))
    here = [k for k in near if index.sort.kind is Kind.INT or 0 <= k <= index.sort.mask]
    return [*chance.sample(here, min(len(here), PLACES)), _any(index.sort, chance)]
