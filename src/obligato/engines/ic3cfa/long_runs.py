"""Errors behind long loops whose number of rounds depends on inputs: bounded model checking of the
program with shortcuts through its loops (`engines.bmc.shortcuts`), once IC3 has asked some
questions in vain.

A frame per round never arrives at the millionth one; a shortcut takes a million rounds in one
block. The search can only refute, because shortcuts stand for some of the runs only. Depth,
questions and terms are counted, as for `short_runs`.
"""

from __future__ import annotations

from collections import deque

from obligato.engines.bmc.runs import Runs
from obligato.engines.bmc.shortcuts import Shortened, as_trace, shortened
from obligato.engines.environment import Environment
from obligato.errors import ResourceOut
from obligato.models.cfa import CFA
from obligato.results.outcome import EngineResult, Trace, Verdict
from obligato.smt.factory import Make
from obligato.terms import Term, postorder

DEPTH = 16  # blocks
QUESTIONS = 60
BUDGET = 5_000  # of one question
SIZE = 400  # edges of a program that is unwound
TERMS = 8000  # of the unwinding


def long_runs(blocks: CFA, make: Make, env: Environment) -> EngineResult | None:
    """A run into the error through shortcuts, if one is found soon; None: nothing is known."""
    short = shortened(blocks, env.debug) if len(blocks.edges) <= SIZE else None
    if short is None:
        return None
    env.event("shortcuts", count=len(short.counts))
    runs = Runs(short.cfa, make, env, {}, budget=BUDGET)
    try:
        trace = _search(short, runs, env)
        return None if trace is None else EngineResult(Verdict.FALSE, trace=trace)
    except ResourceOut:
        if env.cancelled():
            raise
        return None
    finally:
        runs.solver.close()


def _search(short: Shortened, runs: Runs, env: Environment) -> Trace | None:
    last, terms = env.questions + QUESTIONS, dict[Term, None]()
    while runs.frontier and runs.depth < DEPTH and env.questions < last and len(terms) < TERMS:
        error = runs.failing()
        if error is not None:
            model = runs.model(error.condition)
            return as_trace(short, error.past.taken(model), model)
        deque(postorder(runs.definitions.values(), terms), maxlen=0)
    return None
