"""Runs that soon end: followed to their end by bounded model checking [BCCZ99],
once IC3 has asked some questions in vain.

A sort of five numbers, a checksum of nine bytes or a copy of a string are loops with few rounds and
many cases: an inductive invariant is hard to find there, and to unwind them is easy. Blocks,
questions, their budgets and the terms of the unwinding are counted, so a program with long runs or
large blocks costs little and the search goes on. Rounds of a loop that only counts are one block if
there is one run only (`engines.bmc.acceleration`).
"""

from __future__ import annotations

from collections import deque

from obligato.engines.bmc.acceleration import Accelerator
from obligato.engines.bmc.runs import Runs
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.one_run import one_run
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt.factory import Make, solver_factory
from obligato.terms import Term, postorder

DEPTH = 100  # blocks
QUESTIONS = 200
BUDGET = 20_000  # of one question
SIZE = 400  # edges of a program that is unwound: a step costs as much as there are
# of the unwinding: sorting five numbers has 700, eight steps of a protocol of 160 lines as one
# block 4,000
TERMS = 4000


def follow(cfa: CFA, options: object, env: Environment) -> EngineResult:
    """`short_runs` by itself, of a program that is not reduced; proofs only."""
    blocks = in_blocks(cfa, env)
    env.stage("prove")
    make = solver_factory(sorts_of(blocks), stats=env.stats, seed=env.seed)
    acceleration = bool(getattr(options, "acceleration", False))
    found = one_run(blocks, env) or short_runs(blocks, make, env, acceleration)
    return (
        found
        if found is not None and found.certificate is not None
        else EngineResult(Verdict.UNKNOWN, reason="some runs do not end soon")
    )


def short_runs(
    blocks: CFA, make: Make, env: Environment, acceleration: bool = False
) -> EngineResult | None:
    """A proof or a run into the error, if all runs end soon or one fails soon; None:
    nothing is known. With `acceleration` rounds are taken at once.

    The counter `bound` says how many blocks were shown to be without an error.
    """
    if len(blocks.edges) > SIZE:
        return None
    env.event("unwinding", depth=DEPTH)
    accelerator = Accelerator(blocks, make, env) if acceleration else None
    runs = Runs(blocks, make, env, {}, budget=BUDGET, accelerator=accelerator)
    last = env.questions + QUESTIONS
    terms: dict[Term, None] = {}
    try:
        while runs.depth < DEPTH and env.questions < last and len(terms) < TERMS:
            certificate = runs.exhausted()
            if certificate is not None:
                return EngineResult(Verdict.TRUE, certificate=certificate)
            trace = runs.violation()
            if trace is not None:
                return EngineResult(Verdict.FALSE, trace=trace)
            env.counters["bound"] = runs.depth
            deque(postorder(runs.definitions.values(), terms), maxlen=0)
    except ResourceOut:
        if env.cancelled():
            raise
    finally:
        runs.solver.close()
    return None
