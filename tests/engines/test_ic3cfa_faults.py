"""Our defences against ourselves: each deliberate fault is caught by the debug checker, the checker
or exploration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from obligato.engines import preparation
from obligato.engines.ic3cfa import Options, contexts, engine, frames, generalize, queries, weaken
from obligato.engines.ic3cfa.queries import Unreached
from obligato.engines.kernel import block_edge, predecessor
from obligato.engines.kernel.block_edge import Reached
from obligato.engines.kernel.cube import cube_of
from obligato.models import blocks, effect, gcl
from obligato.smt import SAT, UNSAT, activation
from obligato.terms.rules import bitvec
from tests.engines.judge import objection

TWO_EDGES = """proc main() { var x, y: bv3; x := 0; y := 0;
  while (*) { assert !(x == 1 && y == 1); x := x + 1; y := 0; } }"""
GUARDED = """proc main() { var x, y: bv3; x := 0; y := 1;
  while (y >u 0) { assert !(x == 1 && y >u 0); y := y - 1; x := 1; } }"""
SELF_LOOP = """proc main() { var a, b, c: bool; a := false; havoc b, c;
  while (*) { assert !(a && b && c); a := b; c := c && !b; } }"""
COUNTER = """proc main() { var x, y: bv3; x := 0; y := 0;
  while (*) { if (x <u 5) { x := x + 1; } else { y := 1; } while (*) { havoc y; assume y <u 2; x := x; } assert x != 4; } }"""
BOUND = (
    "proc main() { var x: bv3; x := 0; while (*) { assert x <u 4; if (x <u 3) { x := x + 1; } } }"
)
INPUT = (
    "proc main() { var x, y: bv3; x := 1; y := 0; while (*) { havoc y; assume y <u x; assert y !="
    " 2; } }"
)
HALF = """proc main() { var x, y: bv3; x := 0; havoc y;
  while (*) { x := x + 1; y := 0; assert !(x == 3 && y == 1); while (*) { havoc y; assert !(x == 3 && y == 2); } } }"""
BRANCHES = (
    "proc main() { var x: bv3; x := 0; while (*) { assert x != 3; if (*) { x := x + 2; } else { x"
    " := x + 4; } } }"
)
PROGRAMS: list[int | str] = [
    BRANCHES,
    TWO_EDGES,
    GUARDED,
    SELF_LOOP,
    COUNTER,
    BOUND,
    INPUT,
    HALF,
    *range(150),
]
PLAIN = Options(seed_invariants=False, predicates=0)
SINGLE = Options(generalize="single", seed_invariants=False, predicates=0)
SKIPPING = replace(SINGLE, splitting="eager", skip_obligations=True)
Patch = pytest.MonkeyPatch


def drop_an_edge(patch: Patch) -> None:
    """Generalisation forgets the last incoming edge."""
    real = generalize.Generalizer._agree

    def faulty(
        self: Any, location: int, candidate: Any, dropped: Any, level: int, cores: Any
    ) -> bool:
        into = self.queries.into[location]
        self.queries.into[location] = into[:-1]
        try:
            agreed = real(self, location, candidate, dropped, level, cores)
        finally:
            self.queries.into[location] = into
        if agreed:
            cores[into[-1]] -= {dropped}
        return agreed

    patch.setattr(generalize.Generalizer, "_agree", faulty)


def block_after_one_edge(patch: Patch) -> None:
    """Alg. 3 as printed: one unsat edge suffices."""

    def faulty(self: Any, o: Any) -> Any:
        into = self.queries.into[o.location]
        answer = self.queries.reach(into[0], o.cube, o.level - 1, kind="block", required=True)
        return (
            answer if isinstance(answer, Reached) else dict.fromkeys(into, frozenset(answer.core))
        )

    patch.setattr(engine.IC3CFA, "_reach_all", faulty)


def clause_on_self_loop(patch: Patch) -> None:
    """Per-edge generalisation assumes the candidate's clause on a self-loop (Thm. 2)."""

    def faulty(self: Any, location: int, cube: Any, level: int, cores: Any) -> Any:
        along = (self._along(e, cube, level, cores[e], {}) for e in self.queries.into[location])
        return cube_of(lit for g in along for lit in g)

    patch.setattr(generalize.Generalizer, "relative", property(lambda self: True))
    patch.setattr(generalize.Generalizer, "_single", faulty)


def input_in_lemma(patch: Patch) -> None:
    """Inputs stay in predecessor cubes."""
    patch.setattr(predecessor, "free_vars", lambda *ts: {})


def input_is_a_constant(patch: Patch) -> None:
    """Inputs are projected by dropping every literal that mentions one."""

    def faulty(literals: Any, hidden: Any, values: Any) -> Any:
        from obligato.terms import free_vars

        kept = tuple(x for x in literals if not any(v in free_vars(x) for v in hidden))
        return type("P", (), {"literals": kept, "exact": True})

    patch.setattr(predecessor, "project", faulty)


def wrong_fold(patch: Patch) -> None:
    """An off-by-one in a comparison with a constant."""
    real = bitvec._less

    def faulty(s: Any, a: Any, b: Any, signed: bool) -> Any:
        if b.is_const and not signed and b.data == 2:
            b = s.bv(3, b.width)
        return real(s, a, b, signed)

    patch.setattr(bitvec, "_less", faulty)


def skip_with_inexact(patch: Patch) -> None:
    """Skipping although predecessors are inexact."""
    real = engine.IC3CFA._queue_all

    def faulty(self: Any, o: Any) -> Any:
        answer = real(self, o)
        if answer is None:
            o.complete_at = o.level
        return answer

    patch.setattr(engine.IC3CFA, "_queue_all", faulty)


def predecessor_not_queued(patch: Patch) -> None:
    """The last of several edges is not asked for a predecessor."""
    real = queries.Queries.reach

    def faulty(self: Any, edge: Any, cube: Any, level: int, **how: Any) -> Any:
        into = self.into[edge.target]
        if how.get("kind") == "block" and len(into) > 1 and edge is into[-1]:
            return Unreached(cube)
        return real(self, edge, cube, level, **how)

    patch.setattr(queries.Queries, "reach", faulty)


def assumed_after_assignment(patch: Patch) -> None:
    """A literal counts as assumed if it is among the guards, not its pull-back (Thm. 5)."""
    real = queries.Queries.reach

    def faulty(self: Any, edge: Any, cube: Any, level: int, **kw: Any) -> Any:
        answer = real(self, edge, cube, level, **kw)
        if isinstance(answer, Unreached):
            return Unreached(tuple(x for x in answer.core if x not in edge.assumed), answer.lemmas)
        return answer

    patch.setattr(queries.Queries, "reach", faulty)


def push_along_one_edge(patch: Patch) -> None:
    """Propagation asks only the first incoming edge."""

    def faulty(self: Any, lemma: Any) -> bool:
        edge = self.queries.into[lemma.location][0]
        return not isinstance(
            self.queries.reach(edge, lemma.cube, lemma.level, kind="push"), Unreached
        )

    patch.setattr(frames.Frames, "_refuted", faulty)


def fixpoint_too_early(patch: Patch) -> None:
    """Any level that was not just opened counts as a fixpoint."""
    patch.setattr(frames.Frames, "propagate", lambda self: self.top - 1)


def level_off_by_one(patch: Patch) -> None:
    """A lemma is put one level too high."""
    real = frames.Frames.add
    patch.setattr(
        frames.Frames,
        "add",
        lambda self, loc, cube, level: real(self, loc, cube, min(level + 1, self.top)),
    )


def block_at_the_start(patch: Patch) -> None:
    """The initial location is no counterexample."""
    real = engine.IC3CFA.block

    def faulty(self: Any, k: int) -> Any:
        found = real(self, k)
        return None if found is not None else found

    patch.setattr(engine.IC3CFA, "block", faulty)
    patch.setattr(engine.IC3CFA, "_cti", _first_only(engine.IC3CFA._cti))


def _first_only(real: Callable[..., Any]) -> Callable[..., Any]:
    calls: dict[int, int] = {}

    def faulty(self: Any, k: int) -> Any:
        calls[k] = calls.get(k, 0) + 1
        return real(self, k) if calls[k] < 3 else None

    return faulty


def start_is_unreachable(patch: Patch) -> None:
    """F_(0, initial) is false too."""
    real = queries.Queries.reach

    def faulty(self: Any, edge: Any, cube: Any, level: int, **kw: Any) -> Any:
        return Unreached(()) if level == 0 else real(self, edge, cube, level, **kw)

    patch.setattr(queries.Queries, "reach", faulty)


def core_too_small(patch: Patch) -> None:
    """The core loses its last literal."""
    real = activation.ActivationSolver.core
    patch.setattr(activation.ActivationSolver, "core", lambda self: real(self)[:-1])


def stale_context(patch: Patch) -> None:
    """A cached generalisation is used although its lemmas do not hold at this level."""

    def faulty(self: Any, edge: Any, cube: Any, level: int) -> Any:
        for g, lemmas in self._contexts.get(edge, {}):
            if g <= frozenset(cube):
                return Unreached(tuple(x for x in cube if x in g), lemmas)
        return None

    patch.setattr(contexts.Shortcuts, "_context", faulty)


def predecessor_cube_half(patch: Patch) -> None:
    """A lemma that shares one literal with the pre-image counts as a predecessor cube."""

    def faulty(self: Any, edge: Any, cube: Any, level: int) -> Any:
        origin = {edge.pull(lit): lit for lit in cube}
        for lemma in self.frames.at(edge.source, level):
            if any(lit in origin for lit in lemma.cube):
                return Unreached(
                    tuple(origin[lit] for lit in lemma.cube if lit in origin), (lemma,)
                )
        return None

    patch.setattr(contexts.Shortcuts, "_predecessor_cube", faulty)


def weaken_unchecked(patch: Patch) -> None:
    """Weakened bounds are not checked."""
    patch.setattr(
        generalize,
        "weaken",
        lambda cube, constants, holds: weaken.weaken(cube, [0, 1, 2, 3], lambda g: True),
    )


def abstraction_not_implied(patch: Patch) -> None:
    """The abstraction keeps what holds in one state of the cube only, and is taken as
    unreachable.
    """
    from obligato.engines.ic3cfa import predicates

    patch.setattr(predicates, "size", lambda t: 100)
    patch.setattr(
        generalize.Generalizer, "_drop", lambda self, loc, c, level, cores: cube_of(c[:1])
    )


def unknown_is_unsat(patch: Patch) -> None:
    """A solver that gives up is believed."""
    from obligato.smt.activation import ActivationSolver

    real = ActivationSolver.check
    count: list[int] = [0]

    def faulty(self: Any, *a: Any, **kw: Any) -> Any:
        count[0] += 1
        result = real(self, *a, **kw)
        return UNSAT if result is SAT and count[0] % 7 == 0 else result

    patch.setattr(ActivationSolver, "check", faulty)
    patch.setattr(ActivationSolver, "core", lambda self: [])


def lost_parallel_edge(patch: Patch) -> None:
    """The choice rule of large blocks keeps only one of two parallel edges."""
    patch.setattr(
        blocks, "_branches", lambda command: (command,) if isinstance(command, gcl.Choice) else ()
    )
    real = blocks._Encoder.join

    def faulty(self: Any, block: Any) -> None:
        if block.target not in self.out[block.source]:
            real(self, block)

    patch.setattr(blocks._Encoder, "join", faulty)


def unverified_seeds(patch: Patch) -> None:
    """Candidate invariants are believed."""
    patch.setattr(
        preparation,
        "houdini",
        lambda cfa, found, **_: {
            loc: fs for loc, fs in found.items() if loc not in (cfa.initial, cfa.error)
        },
    )


def wrong_normalisation(patch: Patch) -> None:
    """Normalisation drops a literal that is not implied."""
    patch.setattr(predecessor, "normalize", lambda literals: list(literals)[1:])


def sequential_assignment(patch: Patch) -> None:
    """A path forgets its last assumption."""
    real = effect.path_effect

    def faulty(store: Any, command: Any, path: Any = ()) -> Any:
        found = real(store, command, path)
        found.guard = found.guard[:-1]
        return found

    patch.setattr(block_edge, "path_effect", faulty)


def truncated_trace(patch: Patch) -> None:
    """The trace misses its last edge."""
    from obligato.engines.ic3cfa.cube import Obligation

    real = Obligation.edges
    patch.setattr(Obligation, "edges", lambda self: real(self)[:-1])


FAULTS: list[tuple[Callable[[Patch], None], Options]] = [
    (drop_an_edge, PLAIN),
    (block_after_one_edge, PLAIN),
    (clause_on_self_loop, SINGLE),
    (input_in_lemma, PLAIN),
    (input_is_a_constant, PLAIN),
    (wrong_fold, PLAIN),
    (skip_with_inexact, SKIPPING),
    (predecessor_not_queued, SKIPPING),
    (assumed_after_assignment, Options(drop_assumed=True, seed_invariants=False, predicates=0)),
    (push_along_one_edge, PLAIN),
    (fixpoint_too_early, PLAIN),
    (level_off_by_one, PLAIN),
    (block_at_the_start, PLAIN),
    (start_is_unreachable, PLAIN),
    (core_too_small, PLAIN),
    (
        stale_context,
        Options(
            generalize="single",
            caching=True,
            large_blocks=False,
            seed_invariants=False,
            predicates=0,
        ),
    ),
    (
        predecessor_cube_half,
        Options(predecessor_cubes=True, large_blocks=False, seed_invariants=False, predicates=0),
    ),
    (weaken_unchecked, Options(weaken_bounds=True, seed_invariants=False, predicates=0)),
    (abstraction_not_implied, Options()),
    (unknown_is_unsat, PLAIN),
    (lost_parallel_edge, PLAIN),
    (unverified_seeds, Options()),
    (wrong_normalisation, PLAIN),
    (sequential_assignment, PLAIN),
    (truncated_trace, PLAIN),
]


@pytest.fixture
def patch() -> Iterator[Patch]:
    """A monkeypatch that ends with the test, before any other program is judged."""
    with pytest.MonkeyPatch.context() as p:
        yield p


@pytest.mark.parametrize(("fault", "options"), FAULTS, ids=[f.__name__ for f, _ in FAULTS])
def test_fault_is_caught(fault: Callable[[Patch], None], options: Options, patch: Patch) -> None:
    """Some program shows the fault to one of the judges."""
    fault(patch)
    searched = replace(options, short_runs=0)  # what is executed is not searched for
    assert any(objection(task, searched) is not None for task in PROGRAMS)
