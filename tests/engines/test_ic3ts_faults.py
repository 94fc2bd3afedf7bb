"""Deliberate faults in IC3 on transition systems: the skeleton, Boolean IC3 and IC3IA. Each is
caught by the debug checker, the independent checker or exploration on some random system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from obligato.engines import ic3, ic3ia
from obligato.engines.ic3 import bounded, equal_bits, hooks, solver, ternary
from obligato.engines.ic3ia import chain, initial, lifting, predicates
from obligato.engines.ic3ia import hooks as abstraction
from obligato.engines.ic3ts import Query, Unreached, cube, engine, frames, generalize
from obligato.engines.kernel import frames as kernel
from obligato.engines.kernel import obligation
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemTrace
from obligato.smt import SAT, UNSAT, bit_solver
from obligato.smt.activation import ActivationSolver
from obligato.smt.relevant import Ternary
from obligato.terms import BOOL, TermStore, bitvec
from tests.engines.system_judge import faulty
from tests.support.systems import random_system

Patch = pytest.MonkeyPatch
Fault = Callable[[Patch], None]


def _two_inputs() -> TransitionSystem:
    """x is 0, 1, then 3 if the input is false, and stays; the property may fail there with another
    input.
    """
    s = TermStore.raw()
    x, i = s.var("x", bitvec(2)), s.var("i", BOOL)
    at = {n: s.eq(x, s.bv(n, 2)) for n in (0, 1, 3)}
    next_ = {x: s.ite(at[0], s.bv(1, 2), s.bv(3, 2))}
    trans = functional(s, next_, s.implies(at[1], s.not_(i)))
    return TransitionSystem(
        s, (x,), (i,), at[0], trans, (Assertion("bad0", s.not_(s.and_(at[3], i))),), next=next_
    )


SYSTEMS = [_two_inputs(), *(random_system(seed, max_bits=6) for seed in range(150))]


# -- the skeleton ----------------------------------------------------------------------------------


def lemma_too_high(patch: Patch) -> None:
    """A lemma is put one level too high."""
    real = kernel.Frames.add

    def add(self: Any, lemma: Any) -> None:
        lemma.level = min(lemma.level + 1, self.top)
        real(self, lemma)

    patch.setattr(kernel.Frames, "add", add)


def push_everything(patch: Patch) -> None:
    """Propagation pushes lemmas without asking."""
    patch.setattr(frames.Frames, "_refuted", lambda self, lemma: False)


def fixpoint_too_early(patch: Patch) -> None:
    """Any level counts as a fixpoint."""
    patch.setattr(frames.Frames, "propagate", lambda self: self.top - 1 if self.top > 1 else None)


def lemmas_lost(patch: Patch) -> None:
    """A lemma is dropped as subsumed by one that shares a literal with it."""
    patch.setattr(
        frames.Frames,
        "_subsumed",
        lambda self, lemma, low: [
            x
            for here in self.lemmas[low : lemma.level + 1]
            for x in here
            if x.mask & lemma.mask and x is not lemma
        ],
    )


def _once(real: Callable[..., Any]) -> Callable[..., Any]:
    """Strengthening that takes the frontier as safe after a few violations."""

    def strengthen(self: Any) -> Any:
        asked, ask = [0], self.hooks.bad

        def bad(level: int) -> Any:
            asked[0] += 1
            return ask(level) if asked[0] < 3 else None

        self.hooks.bad = bad
        try:
            return real(self)
        finally:
            self.hooks.bad = ask

    return strengthen


def drop_unchecked(patch: Patch) -> None:
    """Generalisation drops a literal without asking."""
    patch.setattr(generalize.Generalizer, "_drop", lambda self, c, level, depth: c[1:] or c)


def drop_into_the_start(patch: Patch) -> None:
    """Generalisation does not look whether the smaller cube has initial states."""

    def down(self: Any, c: Any, level: int, depth: int, needed: Any) -> Any:
        answer = self.hooks.predecessor(Query(c, level - 1, "generalize"))
        return c if isinstance(answer, Unreached) else None

    patch.setattr(generalize.Generalizer, "_down", down)


def ctg_unchecked(patch: Patch) -> None:
    """A counterexample to generalisation is blocked though it may be reachable."""

    def block(self: Any, answer: Any, query: Any, depth: int) -> bool:
        state = self.hooks.lift(answer, query).cube
        if query.level < 1 or self.hooks.meets_initial(state):
            return False
        self.learn(state, query.level)
        return True

    patch.setattr(generalize.Generalizer, "_block_ctg", block)


def start_overlooked(patch: Patch) -> None:
    """An obligation that meets the initial states is handled as any other."""
    real = engine.IC3.block

    def block(self: Any, k: int) -> Any:
        found = real(self, k)
        return None if isinstance(found, cube.Obligation) else found

    patch.setattr(engine.IC3, "block", block)
    patch.setattr(engine.IC3, "strengthen", _once(engine.IC3.strengthen))


def chain_too_short(patch: Patch) -> None:
    """The chain of obligations misses its end."""
    real = obligation.Obligation.chain
    patch.setattr(obligation.Obligation, "chain", lambda self: real(self)[:-1] or real(self))


# -- Boolean IC3 -----------------------------------------------------------------------------------


def core_meets_start(patch: Patch) -> None:
    """A core is used though it has initial states."""
    patch.setattr(hooks.BooleanHooks, "_apart", lambda self, core, c: core or c)


def core_too_small(patch: Patch) -> None:
    """The core loses a literal."""
    real = hooks.BooleanHooks._apart
    patch.setattr(hooks.BooleanHooks, "_apart", lambda self, core, c: real(self, core[1:], c))


def frame_too_strong(patch: Patch) -> None:
    """Lemmas of the level below take part, too."""
    real = hooks.BooleanHooks._in_frame
    patch.setattr(
        hooks.BooleanHooks, "_in_frame", lambda self, level: real(self, max(level - 1, 0))
    )


def constraints_forgotten(patch: Patch) -> None:
    """Steps need not satisfy the constraints."""
    patch.setattr(
        hooks.BooleanHooks, "_fresh", lambda self: solver.StepSolver(self.bits, self.env.stats)
    )


def lifting_forgets_constraints(patch: Patch) -> None:
    """A lifted cube has states in which the constraints fail."""
    real = hooks.BooleanHooks._shrink

    def shrink(self: Any, state: Any, move: Any, target: Any) -> Any:
        self._lifter.constraints = []
        return real(self, state, move, target)

    patch.setattr(hooks.BooleanHooks, "_shrink", shrink)


def evaluation_forgets_constraints(patch: Patch) -> None:
    """The same where cubes are lifted by evaluation."""
    real = ternary.TernaryLifting.__init__

    def init(self: Any, *a: Any) -> None:
        real(self, *a)
        self._step, self._violation = [], self._violation[:1]

    patch.setattr(ternary.TernaryLifting, "__init__", init)


def lifting_too_much(patch: Patch) -> None:
    """A lifted cube loses a literal."""
    real = hooks.BooleanHooks.lift

    def lift(self: Any, reached: Any, query: Any) -> Any:
        found = real(self, reached, query)
        return replace(found, cube=found.cube[1:] or found.cube)

    patch.setattr(hooks.BooleanHooks, "lift", lift)


def temporary_for_ever(patch: Patch) -> None:
    """The clause of a question stays."""

    real = solver.StepSolver.solve

    def solve(self: Any, assumptions: Any, kind: str, clause: Any = None) -> Any:
        if clause:
            self.add_clause(list(clause))
        return real(self, assumptions, kind, clause)

    patch.setattr(solver.StepSolver, "solve", solve)


def rebuilt_too_high(patch: Patch) -> None:
    """After a rebuild lemmas hold one level too high."""
    real = hooks.BooleanHooks._rebuild

    def rebuild(self: Any) -> None:
        real(self)
        for lemma in list(self.frames.at(1)):
            if lemma.level < self.frames.top:
                self._tell([lemma.cube], lemma.level + 1)

    patch.setattr(hooks.BooleanHooks, "_rebuild", rebuild)


def equal_bits_unproved(patch: Patch) -> None:
    """Bits that agreed in simulation are merged."""
    patch.setattr(equal_bits, "_refine", lambda *args: True)


def bounded_without_constraints(patch: Patch) -> None:
    """The bounded search asserts nothing."""
    patch.setattr(bounded.BoundedSearch, "_assert", lambda self, literals: list(literals) and None)


def bounded_trace_too_short(patch: Patch) -> None:
    """The run of the bounded search misses its last step."""
    real = bounded.BoundedSearch._trace
    patch.setattr(
        bounded.BoundedSearch,
        "_trace",
        lambda self, model: SystemTrace(real(self, model).steps[:-1]),
    )


def move_inverted(patch: Patch) -> None:
    """A trace has the opposite inputs."""
    real = hooks.BooleanHooks.lift
    patch.setattr(
        hooks.BooleanHooks,
        "lift",
        lambda self, r, q: replace(found := real(self, r, q), move=tuple(-x for x in found.move)),
    )


def some_sat_is_unsat(patch: Patch) -> None:
    """Every fifth satisfiable answer of the SAT solver is turned round."""
    real, count = bit_solver.BitSolver.solve, [0]

    def solve(self: Any, assumptions: Any, kind: str, clause: Any = None) -> Any:
        count[0] += 1
        answer = real(self, assumptions, kind, clause)
        return UNSAT if answer is SAT and count[0] % 5 == 0 and kind == "block" else answer

    patch.setattr(bit_solver.BitSolver, "solve", solve)
    patch.setattr(
        bit_solver.BitSolver,
        "failed",
        lambda self: type("All", (), {"__contains__": lambda s, x: True})(),
    )


# -- IC3IA -----------------------------------------------------------------------------------------


def abstract_core_meets_start(patch: Patch) -> None:
    """A core is used though it has initial states."""
    patch.setattr(initial.Initial, "excluding", lambda self, core, c: core or c)


def abstract_core_too_small(patch: Patch) -> None:
    """Cores lose a literal."""
    real = ActivationSolver.core
    patch.setattr(ActivationSolver, "core", lambda self: list(real(self))[1:])


def spurious_is_real(patch: Patch) -> None:
    """A chain of abstract states is taken as a run, with any values."""

    def run(self: Any) -> Any:
        self.solver.check([], kind="concretise")
        return self.unrolling.trace(self.solver.model_of, len(self.cubes) - 1)

    patch.setattr(chain.Chain, "run", run)


def predicates_with_inputs(patch: Patch) -> None:
    """Predicates may mention inputs, which two states then share."""
    patch.setattr(predicates.Predicates, "_is_predicate", lambda self, p: not p.is_const)


def prime_forgotten(patch: Patch) -> None:
    """A literal about the next state is about this one."""
    patch.setattr(predicates.Predicates, "next_literal", lambda self, n: self.literal(n))


def abstract_frame_forgotten(patch: Patch) -> None:
    """Initial states are those of any frame."""
    patch.setattr(abstraction.PredicateAbstraction, "_frame", lambda self, level: self._levels[:1])


def shrunk_too_much(patch: Patch) -> None:
    """Connected predicates are left out of a shrunk cube: it may have no abstract step at all."""
    patch.setattr(
        lifting.Lifting,
        "shrink",
        lambda self, state, pre: tuple(-x for x in self.predicates.cube(state)),
    )


def refined_by_nothing(patch: Patch) -> None:
    """A spurious chain is given up without a new predicate."""
    patch.setattr(abstraction.PredicateAbstraction, "refine", lambda self, found: None)


def known_start_stale(patch: Patch) -> None:
    """Whatever is asked about initial states has none."""
    patch.setattr(initial.Initial, "meets", lambda self, c: False)


def undecided_is_blocked(patch: Patch) -> None:
    """A solver that gives up on a query is believed."""
    real, count = ActivationSolver.check, [0]

    def check(self: Any, *a: Any, **kw: Any) -> Any:
        count[0] += 1
        result = real(self, *a, **kw)
        return (
            UNSAT
            if result is SAT and count[0] % 3 == 0 and kw.get("kind") in ("block", "generalize")
            else result
        )

    patch.setattr(ActivationSolver, "check", check)
    patch.setattr(ActivationSolver, "core", lambda self: [])


PLAIN = ic3.Options(merge=0)
SKELETON: list[tuple[Fault, Any]] = [
    (lemma_too_high, PLAIN),
    (push_everything, PLAIN),
    (fixpoint_too_early, PLAIN),
    (lemmas_lost, PLAIN),
    (drop_unchecked, PLAIN),
    (drop_into_the_start, PLAIN),
    (ctg_unchecked, PLAIN),
    (start_overlooked, PLAIN),
    (chain_too_short, PLAIN),
]
BOOLEAN: list[tuple[Fault, Any]] = [
    *([] if Ternary is None else [(evaluation_forgets_constraints, PLAIN)]),
    (core_meets_start, PLAIN),
    (core_too_small, PLAIN),
    (frame_too_strong, PLAIN),
    (constraints_forgotten, PLAIN),
    (lifting_forgets_constraints, ic3.Options(merge=0, ternary=False)),
    (lifting_too_much, PLAIN),
    (temporary_for_ever, PLAIN),
    (rebuilt_too_high, ic3.Options(merge=0, rebuild_every=2)),
    (equal_bits_unproved, ic3.Options()),
    (bounded_without_constraints, ic3.Options(bounded=1)),
    (bounded_trace_too_short, ic3.Options(bounded=1)),
    (move_inverted, PLAIN),
    (some_sat_is_unsat, PLAIN),
]
ABSTRACT: list[tuple[Fault, Any]] = [
    (f, ic3ia.Options())
    for f in (
        lemma_too_high,
        push_everything,
        drop_unchecked,
        chain_too_short,
        abstract_core_meets_start,
        abstract_core_too_small,
        spurious_is_real,
        prime_forgotten,
        abstract_frame_forgotten,
        shrunk_too_much,
        refined_by_nothing,
        known_start_stale,
        undecided_is_blocked,
    )
]
ABSTRACT.append((predicates_with_inputs, ic3ia.Options(shrink_cubes=False)))


@pytest.fixture
def patch() -> Iterator[Patch]:
    """A monkeypatch that ends with the test."""
    with pytest.MonkeyPatch.context() as p:
        yield p


@pytest.mark.parametrize(
    ("fault", "options"), [*SKELETON, *BOOLEAN], ids=lambda x: getattr(x, "__name__", "")
)
def test_fault_in_boolean_ic3_is_caught(fault: Fault, options: ic3.Options, patch: Patch) -> None:
    """Some system shows the fault to one of the judges."""
    fault(patch)
    assert any(faulty(system, ic3.prove, options) is not None for system in SYSTEMS)


@pytest.mark.parametrize(("fault", "options"), ABSTRACT, ids=lambda x: getattr(x, "__name__", ""))
def test_fault_in_ic3ia_is_caught(fault: Fault, options: ic3ia.Options, patch: Patch) -> None:
    """As above, for predicate abstraction."""
    fault(patch)
    assert any(faulty(system, ic3ia.prove, options) is not None for system in SYSTEMS)
