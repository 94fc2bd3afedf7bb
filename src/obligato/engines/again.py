"""What an earlier proof knew, offered to a new one: invariants of an outcome, for a program that
may have been edited since.

Nothing is believed: the conjuncts are candidates at every cut point of the new program (lines and
numbers of locations may have moved), and Houdini keeps those that are inductive there. Where these
exclude the error they are the proof, and no engine runs; else they are among the seeds of engines
that start from some (`engines.preparation`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

from obligato.analysis.houdini import houdini
from obligato.engines.environment import Environment
from obligato.engines.preparation import Formulas, in_blocks, offered, sorts_of
from obligato.models.cfa import CFA
from obligato.models.claims import conjoined
from obligato.models.effect import BlockEffect
from obligato.results.outcome import Certificate, EngineResult, Verdict
from obligato.smt import UNSAT
from obligato.smt.factory import Make, solver_factory

Prove = Callable[[CFA, Any, Environment], EngineResult]


def first_again(prove: Prove) -> Prove:
    """The engine `prove`, after what was offered has been tried alone."""

    def proved(cfa: CFA, options: Any, env: Environment) -> EngineResult:
        found = prove_again(cfa, env) if env.offers else None
        if found is not None:
            return found
        env.stage("prove")
        return prove(cfa, options, env)

    return proved


def only_again(cfa: CFA, options: Any, env: Environment) -> EngineResult:
    """Try the invariants of an earlier outcome and search no further."""
    return prove_again(cfa, env) or EngineResult(
        Verdict.UNKNOWN, reason="the invariants of the earlier outcome do not prove this program"
    )


def prove_again(cfa: CFA, env: Environment) -> EngineResult | None:
    """A proof by nothing but what was offered, if there is one."""
    blocks = in_blocks(cfa, env)
    env.stage("seeds")
    make = solver_factory(sorts_of(cfa), stats=env.stats, seed=env.seed)
    formulas = offered(env.offers, cfa, blocks.locations)
    kept = houdini(blocks, formulas, make)
    env.counters |= {"offered": _count(formulas.values()), "offers_kept": _count(kept.values())}
    if not _excluded(blocks, kept, make, env):
        return None
    return EngineResult(Verdict.TRUE, Certificate(conjoined(blocks, kept)))


def _count(formulas: Iterable[list[Any]]) -> int:
    return len({f for fs in formulas for f in fs})


def _excluded(blocks: CFA, kept: Formulas, make: Make, env: Environment) -> bool:
    """Does no state with these invariants step into the error location?"""
    for edge in (e for e in blocks.edges if e.target == blocks.error):
        env.tick()
        with closing(make()) as solver:
            for guard in BlockEffect(blocks.store, edge.command, f"again!{edge.id}!").guard:
                solver.add(guard)
            # invariants at the source and the guard of a step into the error: unsat - none there;
            # else not excluded   (heuristic)
            if solver.check(list(kept.get(edge.source, ())), kind="again") is not UNSAT:
                return False
    return True
