"""The certificate checker against its definition, evaluated state by state on random small
automata.

Where every cycle is cut the two must agree exactly. Where one is not, the checker
over-approximates: what it accepts must still be true, and the error must be unreachable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.models.cfa import CFA
from obligato.models.gcl import SKIP, Assign, Assume, Choice, Command, Seq
from obligato.results.checking.certificate import Status, check_certificate
from obligato.results.checking.graph import Regions
from obligato.results.checking.solving import Link
from obligato.results.outcome import Certificate
from obligato.smt.z3_backend import Z3Solver
from obligato.terms import Op, Term, TermStore, bitvec, evaluate
from tests.cfas import ERROR, make_cfa

WIDTH = 2
VALUES = range(1 << WIDTH)
State = tuple[int, int]
STORE = TermStore.raw()
X, Y, IN = (STORE.var(n, bitvec(WIDTH)) for n in "xyi")


def less(a: Term, b: Term) -> Term:
    return STORE.mk(Op.BVULT, (a, b))


CONDITIONS = [
    less(X, Y),
    STORE.not_(less(X, Y)),
    STORE.eq(X, STORE.bv(2, WIDTH)),
    STORE.ne(Y, STORE.bv(1, WIDTH)),
    less(IN, X),
    STORE.false,
]
PRIMITIVES: list[Command] = [
    SKIP,
    Assign(((X, STORE.bv(0, WIDTH)),)),
    Assign(((X, STORE.mk(Op.BVADD, (X, Y))),)),
    Assign(((Y, IN),)),
    Assign(((X, Y), (Y, X))),
    Assign(((X, IN), (Y, IN))),
    *map(Assume, CONDITIONS),
]
primitive = st.sampled_from(PRIMITIVES)
choice = st.builds(lambda a, b: Choice((a, b)), primitive, primitive)
command = (
    primitive
    | st.builds(lambda a, b: Seq((a, b)), primitive, primitive)
    | choice
    | st.builds(lambda a, b, c: Seq((a, b, c)), choice, primitive, choice)
)
EVERYTHING = frozenset(product(VALUES, VALUES))
States = frozenset[State]


def formula(states: States) -> Term:
    """The formula that holds in exactly these states."""
    cells = [
        STORE.and_(STORE.eq(X, STORE.bv(a, WIDTH)), STORE.eq(Y, STORE.bv(b, WIDTH)))
        for a, b in sorted(states)
    ]
    return STORE.or_(*cells)


def clauses(states: States) -> Term:
    """The same as a conjunction: no other state."""
    return STORE.and_(
        *(STORE.not_(formula(frozenset((other,)))) for other in sorted(EVERYTHING - states))
    )


@st.composite
def automata(draw: st.DrawFn) -> CFA:
    count = draw(st.integers(2, 5))
    edge = st.tuples(st.integers(0, count - 1), st.integers(1, count - 1), command)
    failing = st.tuples(
        st.integers(0, count - 1), st.just(ERROR), st.sampled_from([Assume(c) for c in CONDITIONS])
    )
    edges = [*draw(st.lists(edge, min_size=2, max_size=8)), draw(failing)]
    return make_cfa(STORE, [X, Y], draw(st.permutations(edges)), [IN])


def successors(c: Command, state: State, value: int) -> Iterator[State]:
    """All states after `c` from `state` when its input has `value`."""
    at = {X: state[0], Y: state[1], IN: value}
    if isinstance(c, Assume):
        yield from [state] if evaluate(c.condition, at) else []
    elif isinstance(c, Assign):
        new = at | {x: evaluate(e, at) for x, e in c.pairs}
        yield new[X], new[Y]
    elif isinstance(c, Choice):
        for b in c.branches:
            yield from successors(b, state, value)
    elif isinstance(c, Seq):
        states = [state]
        for part in c.parts:
            states = [after for s in states for after in successors(part, s, value)]
        yield from states


def reached(
    cfa: CFA, location: int, states: States, ends: frozenset[int]
) -> set[tuple[int, State]]:
    """The locations, with states, that runs from `location` meet until they arrive at one of the
    ends, which included.
    """
    seen: set[tuple[int, State]] = set()
    todo = [(location, s) for s in sorted(states)]
    while todo:
        here, state = todo.pop()
        for e in cfa.out(here):
            for after in {a for v in VALUES for a in successors(e.command, state, v)}:
                pair = (e.target, after)
                if pair not in seen:
                    seen.add(pair)
                    if e.target not in ends:
                        todo.append(pair)
    return seen


def is_proof(cfa: CFA, claims: dict[int, States]) -> bool:
    """The definition: every run from a claimed state at an end arrives in a claimed state at the
    next, never in the error.
    """
    ends = frozenset((*claims, ERROR))
    return all(
        after in claims.get(t, frozenset())
        for c in (cfa.initial, *claims)
        for t, after in reached(cfa, c, claims.get(c, EVERYTHING), ends)
        if t in ends
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[CFA, dict[int, States]]:
    """An automaton, and claims at some locations that are the reachable states give or take
    a few.
    """
    cfa = draw(automata())
    runs = reached(cfa, cfa.initial, EVERYTHING, frozenset((ERROR,)))
    inner = [n for n in cfa.locations if n not in (cfa.initial, ERROR)]
    claims = {}
    for n in inner:
        if draw(st.integers(0, 3)) > 0:
            changed = draw(st.frozensets(st.sampled_from(sorted(EVERYTHING)), max_size=1))
            claims[n] = frozenset(s for t, s in runs if t == n) ^ changed
    return cfa, claims


Z3 = Link("z3", True, Z3Solver)


def accepts(cfa: CFA, claims: dict[int, States], k: int = 1) -> bool:
    certificate = Certificate({n: formula(states) for n, states in claims.items()}, k)
    return check_certificate(cfa, certificate, [Z3]).status is Status.ACCEPTED


def safe(cfa: CFA) -> bool:
    return all(t != ERROR for t, _ in reached(cfa, cfa.initial, EVERYTHING, frozenset((ERROR,))))


@settings(max_examples=100)
@given(cases())
def test_the_checker_decides_the_definition(case: tuple[CFA, dict[int, States]]) -> None:
    cfa, claims = case
    accepted = accepts(cfa, claims)
    regions = Regions(cfa, dict.fromkeys((cfa.initial, ERROR, *claims)))
    if any(c.loop for c in regions.components):
        assert not accepted or is_proof(cfa, claims)
    else:
        assert accepted == is_proof(cfa, claims)
    assert not accepted or safe(cfa)


@settings(max_examples=50)
@given(cases(), st.integers(1, 2), st.sampled_from([1, 6, 40]), st.integers(1, 3))
def test_obligations_in_parts_with_their_cones_are_the_same(
    case: tuple[CFA, dict[int, States]], k: int, limit: int, group: int
) -> None:
    cfa, claims = case
    certificate = Certificate({n: clauses(states) for n, states in claims.items()}, k)
    cones = "obligato.results.checking.cones"
    with (
        patch("obligato.results.checking.obligations.MANY", 0),
        patch(f"{cones}.NEAR", limit),
        patch(f"{cones}.FAR", 2 * limit),
        patch(f"{cones}.GROUP", group),
        patch(f"{cones}.FEW", 0),
    ):
        found = check_certificate(cfa, certificate, [Z3])
    assert (found.status is Status.ACCEPTED) == accepts(cfa, claims, k)


@settings(max_examples=50)
@given(cases(), st.integers(2, 3))
def test_k_inductive_certificates_are_believed_only_if_true(
    case: tuple[CFA, dict[int, States]], k: int
) -> None:
    cfa, claims = case
    accepted = accepts(cfa, claims, k)
    assert not accepted or safe(cfa)
    assert accepted or not accepts(cfa, claims)  # what is inductive is k-inductive
