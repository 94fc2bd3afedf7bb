"""Entry point of IC3 on watched cells: more and more indices, until a proof or a violation is
found.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from obligato.engines.ic3arrays.bits import CellBits
from obligato.engines.ic3arrays.concrete import ConcreteRuns
from obligato.engines.ic3arrays.engine import CellIC3, MoreIndices
from obligato.engines.ic3arrays.hooks import CellHooks
from obligato.engines.ic3arrays.predicates import predicates
from obligato.engines.ic3arrays.seeds import seeds
from obligato.errors import ResourceOut
from obligato.models.ts_cells import places_read, watch_cells
from obligato.models.ts_functions import with_functions
from obligato.results.outcome import SystemResult, Verdict

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.engines.ic3arrays.options import Options
    from obligato.models.transition_system import TransitionSystem


INCOMPLETE = "incomplete"  # how the reason begins if the abstraction cannot be refined
PATIENCE = 100  # refinements of an abstraction, unless it is the last one


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run IC3 on watched cells of a system's arrays."""
    system, lift = with_functions(system)
    result = _prove_functional(system, options, env)
    return (
        result
        if result.certificate is None
        else replace(result, certificate=lift.certificate(result.certificate))
    )


def _prove_functional(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    first = min(places_read(system), options.indices)
    concrete = ConcreteRuns(system, env)
    try:
        for count in range(first, options.indices + 1):
            env.event("indices", count=count)
            env.counters["indices"] = count
            try:
                return _prove_watched(system, count, options, env, concrete)
            except MoreIndices:
                continue
        return SystemResult(
            Verdict.UNKNOWN,
            reason=f"{INCOMPLETE}: {options.indices} indices of each sort are not enough",
        )
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)
    finally:
        concrete.close()


def _prove_watched(
    system: TransitionSystem, count: int, options: Options, env: Environment, concrete: ConcreteRuns
) -> SystemResult:
    cells = watch_cells(system, count)
    bits = CellBits(cells, predicates(cells))
    env.counters |= {
        "state_bits": bits.raw - 1,
        "predicates": len(bits.predicates),
        "instances": len(cells.instances),
    }
    hooks = CellHooks(bits, env, options.rebuild_every, options.lift_twice)
    run = CellIC3(
        cells, hooks, options, env, concrete, PATIENCE if count < options.indices else inf
    )
    hooks.frames = run.frames
    hooks.begin_with(seeds(hooks))
    env.counters["seeds"] = len(hooks.known)
    result = run.prove()
    if result.certificate is None:
        return result
    return replace(result, certificate=cells.certificate(result.certificate))
