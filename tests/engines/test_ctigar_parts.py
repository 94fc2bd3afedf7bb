"""CTIGAR: deliberate faults, refinements and the parts of the engine."""

from __future__ import annotations

import collections
from itertools import product
from typing import Any

import pytest

from obligato.engines import ctigar, ic3ia
from obligato.engines.ctigar.cti import Found, cti
from obligato.engines.ctigar.hooks import Ctigar
from obligato.engines.ctigar.lifting import AbstractLifting
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.predicates import Predicates
from obligato.engines.ic3ts import Answer, Obligation, Query, Reached, Spurious
from obligato.errors import InternalError
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.models.ts_reduce import import_system, sorts_of
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.activation import ActivationSolver
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, INT, Term, TermStore, array
from tests.engines.system_judge import judged
from tests.engines.test_ctigar import BARE, NAMES, limited, options, run
from tests.support.int_systems import box_states, random_int_system
from tests.support.located import chasing
from tests.support.systems import explore, random_system

# -- faults ----------------------------------------------------------------------------------------


class Swapped(Ctigar):
    """A fault: a lifting failure passes for a success, and a success for a failure."""

    def _try(self, assignment: Any, pre: Any) -> Any:
        cube, lifted = super()._try(assignment, pre)
        return cube, not lifted


class FailureAsSpurious(Ctigar):
    """A fault: each failed lifting is reported as a failed consecution of its parent, each failed
    consecution not at all.
    """

    def predecessor(self, query: Query) -> Answer:
        answer = super().predecessor(query)
        if isinstance(answer, Spurious):
            return answer.reached
        unlifted = query.obligation is not None and query.obligation.state is not None
        return Spurious(answer) if unlifted and isinstance(answer, Found) else answer


class Unmarked(Ctigar):
    """A fault: the obligations after a spurious transition are not marked."""

    def predecessor(self, query: Query) -> Answer:
        answer = super().predecessor(query)
        if isinstance(answer, Spurious):
            assert isinstance(answer.reached, Found)
            return Found(answer.reached.state, answer.reached.model)
        return answer


@pytest.mark.parametrize("fault", [Swapped, FailureAsSpurious, Unmarked])
def test_faults_are_caught(fault: type[Ctigar]) -> None:
    """By a contract, or by the replay of a trace."""
    caught = []
    for name in ("CAL", "LCL", "CAE"):
        try:
            run(chasing(), options(name, **BARE), fault, Environment(debug=True))
        except (InternalError, AssertionError):
            caught.append(name)
    assert caught


# -- parts -----------------------------------------------------------------------------------------


def test_a_refinement_makes_the_failed_query_succeed() -> None:
    """After a lifting refinement the state is lifted; after one of consecution its abstraction is
    not reached.
    """

    class Checked(Ctigar):
        def _refine_lifting(self, trigger: str, state: Any, pre: tuple[Term, ...]) -> None:
            super()._refine_lifting(trigger, state, pre)
            assert self._abstract.lift(self._abstract.cube(state), pre) is not None
            counts["lifting"] += 1

        def _refine_consecution(self, trigger: str, o: Obligation, level: int) -> None:
            super()._refine_consecution(trigger, o, level)
            cube = self._abstract.cube(cti(o).state)
            assert not isinstance(
                super(Ctigar, self).predecessor(Query(cube, level, "test", required=True)), Reached
            )
            counts["consecution"] += 1

    counts = {"lifting": 0, "consecution": 0}
    for name, interpolants in product(NAMES, ("step", "solver")):
        run(chasing(), options(name, interpolants=interpolants, **BARE), Checked, limited(600))
    assert min(counts.values()) > 20


def test_a_solver_that_never_lifts_makes_nothing_wrong() -> None:
    """As if each lifting query were left undecided: unknown is an answer then, but no wrong one."""

    class Undecided(Ctigar):
        def _try(self, assignment: Any, pre: Any) -> Any:
            return self._abstract.cube(assignment), False

    seen = collections.Counter[Verdict]()
    for seed in range(60):
        raw = random_system(seed, max_bits=5)
        system = import_system(raw, TermStore())
        result, _ = run(system, options(NAMES[seed % 8], **BARE), Undecided, limited(800))
        if result.trace is not None:
            links = chain(sorts_of(raw), ("sat",), SolverStats())
            assert check_system_trace(raw, result.trace, links).status is TraceStatus.CONFIRMED
        safe = explore(raw).depth is None
        assert result.verdict in (Verdict.UNKNOWN, Verdict.TRUE if safe else Verdict.FALSE)
        seen[result.verdict] += 1
    assert len(seen) == 3


def test_the_abstract_cti_of_the_paper() -> None:
    """x = 1, y = -1, z = 0 over x < y, x < z, y < w: the last is open while w is [BBW14, 3.1]."""
    s = TermStore()
    x, y, z, w = (s.var(n, INT) for n in "xyzw")
    system = TransitionSystem(s, (x, y, z, w), (), s.true, s.true, (Assertion("p", s.true),))
    predicates = Predicates(system, split=True)
    predicates.add([s.lt(x, y), s.lt(x, z), s.lt(y, w)])
    make = solver_factory(sorts_of(system))
    lifting = AbstractLifting(
        predicates, ActivationSolver(s, make), Environment(), free_inputs=True
    )
    cube = lifting.cube({x: 1, y: -1, z: 0})
    expected = [s.not_(s.lt(x, y)), s.not_(s.lt(x, z))]
    assert [predicates.literal(n) for n in cube] == expected
    assert len(lifting.cube({x: 1, y: -1, z: 0, w: 7})) == 3


def test_allsat_covers_a_partial_assignment() -> None:
    """The cubes are disjoint, and each state with the partial assignment is in one of them [BBW14,
    footnote 5].
    """
    system = random_int_system(3)
    _, hooks = run(system, options("CAL"))
    make = solver_factory(sorts_of(system))
    again = Ctigar(hooks.predicates, options("CAL"), Environment(), make)
    x = system.state[0]
    state = box_states(system)[7]
    others = again._abstract.others(state, {x: state[x]}, ())
    cubes = [again._abstract.cube(s) for s in (state, *others)]
    assert len(set(cubes)) == len(cubes) and all(s[x] == state[x] for s in others)
    covered = [s for s in box_states(system) if s[x] == state[x]]
    if len(cubes) < 16:
        assert all(again._abstract.cube(s) in cubes for s in covered)
    best_effort = again._abstract.cube({x: state[x]})
    assert all(set(best_effort) <= set(c) for c in cubes)
    again.close()


def test_arrays_are_not_decided() -> None:
    s = TermStore()
    a = s.var("a", array(BOOL, BOOL))
    system = TransitionSystem(s, (a,), (), s.true, s.eq(next_var(a), a), (Assertion("p", s.true),))
    assert ctigar.prove(system, ctigar.Options(), Environment()).verdict is Verdict.UNKNOWN


def test_half_spaces_prove_what_predicates_of_the_program_do_not() -> None:
    """x, y := 1, 1; while (*) x, y := x + 1, y + x;  y >= 1 needs x >= 0 [Bra12, 1.1, 1.2]."""
    s = TermStore()
    x, y = s.var("x", INT), s.var("y", INT)
    next_ = {x: s.add(x, s.int_(1)), y: s.add(y, x)}
    system = TransitionSystem(
        s,
        (x, y),
        (),
        s.and_(s.eq(x, s.int_(1)), s.eq(y, s.int_(1))),
        functional(s, next_),
        (Assertion("p", s.ge(y, s.int_(1))),),
        next=next_,
    )
    for engine, chosen in (
        (ic3ia, ic3ia.Options(half_spaces=3, initial_predicates="none")),
        (ctigar, ctigar.Options(half_spaces=3, **BARE)),
    ):
        env = limited(1000)
        assert judged(system, engine.prove, chosen, env) is Verdict.TRUE
        assert env.counters["half_spaces"] >= 1
