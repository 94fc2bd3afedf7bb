"""Entry point of Boolean IC3: expand small arrays, blast the system to bits, merge equal ones, run
the skeleton; where `bounded` says so, with bounded model checking and random runs beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from obligato.engines.exchange import silent
from obligato.engines.ic3.bounded import BoundedSearch
from obligato.engines.ic3.equal_bits import merge_equal_bits
from obligato.engines.ic3.hooks import QUESTION, BooleanHooks
from obligato.engines.ic3.random_runs import RandomRuns
from obligato.engines.ic3.ternary import TernaryLifting
from obligato.engines.ic3ts import IC3, Shared, SkeletonOptions, Turns
from obligato.engines.ic3ts.turns import Search
from obligato.engines.options import option
from obligato.errors import ResourceOut
from obligato.models.ts_arrays import expand_arrays
from obligato.models.ts_bits import BitSystem
from obligato.models.ts_claims import SystemStep, SystemTrace
from obligato.results.outcome import SystemResult, Verdict
from obligato.terms import Term, Value, evaluate

if TYPE_CHECKING:
    from obligato.engines.environment import Environment
    from obligato.models.transition_system import TransitionSystem


@dataclass(frozen=True, slots=True)
class Options(SkeletonOptions):
    """What can be varied in Boolean IC3."""

    ctg_yield: int = option(
        10, "percent of the CTGs that must have been blocked, or else fewer are tried", "", low=0
    )
    rebuild_every: int = option(1000, "questions after which the solver is rebuilt", "", low=1)
    keep_parent: bool = option(
        True,
        "literals of a lemma of the level below are not dropped from a cube that extends it",
        "[XBCGLP23]",
    )
    ternary: bool = option(True, "lift by three-valued evaluation where it is compiled", "[EMB11]")
    lift_twice: bool = option(True, "shrink a lifted cube once more, from its other end", "")
    merge: int = option(
        20000,
        "questions spent on finding equal and constant bits of the state; 0: none",
        "[Eij00]",
        low=0,
    )
    bounded: int = option(
        0, "questions after which bounded model checking gets a turn; 0: never", "[BCCZ99]", low=0
    )
    random: int = option(
        1,
        "the weight of random runs in these turns, in which bounded model checking has 2; 0: none",
        "",
        low=0,
    )
    array_bits: int = option(
        4096,
        "arrays of at most so many bits are expanded; there is no answer for larger ones",
        "",
        low=0,
    )


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run Boolean IC3 on a system."""

    def prove_flat(flat: TransitionSystem) -> SystemResult:
        with nullcontext() if flat is system else silent(env):
            return _prove_flat(flat, options, env)

    return prove_expanded(system, options.array_bits, prove_flat)


def prove_expanded(
    system: TransitionSystem, limit: int, prove_flat: Callable[[TransitionSystem], SystemResult]
) -> SystemResult:
    """Prove the system with its arrays expanded to their elements; the answer is about the system.
    A run tells its first state only where there are no arrays."""
    flat, lift = expand_arrays(system, limit)
    try:
        result = prove_flat(flat)
    except ResourceOut as out:
        return SystemResult(Verdict.UNKNOWN, reason=out.resource)
    if flat is system:  # states after the first are left to who checks the run
        return result
    return replace(
        result,
        certificate=None if result.certificate is None else lift.certificate(result.certificate),
        trace=None if result.trace is None else lift.trace(completed(flat, result.trace)),
    )


def completed(system: TransitionSystem, trace: SystemTrace) -> SystemTrace:
    """The trace with all states: those after the first are computed where there are next-state
    functions.
    """
    if system.next is None:
        return trace
    state: dict[str, Value] = dict(trace.steps[0].state)
    steps = []
    for step in trace.steps:
        steps.append(SystemStep(state, step.inputs))
        now = {x: steps[-1].state[x.name] for x in system.state} | {
            i: step.inputs[i.name] for i in system.inputs
        }
        memo: dict[Term, Value] = {}
        state = {x.name: evaluate(e, now, memo) for x, e in system.next.items()}
    return SystemTrace(tuple(steps))


def _prove_flat(flat: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    bits = BitSystem(flat)
    merge_equal_bits(bits, env, options.merge)
    env.counters |= {"state_bits": len(bits.bit) - 1, "gates": len(bits.context.gates)}
    ternary = TernaryLifting.of(bits) if options.ternary else None
    hooks = BooleanHooks(bits, env, options.rebuild_every, options.lift_twice, ternary)
    if not options.bounded:
        return _search(flat, hooks, options, env, None)
    bounded = BoundedSearch(bits, env)
    searches: list[tuple[Search, int]] = [(bounded, 2)]
    if options.random and RandomRuns.possible(bits):
        searches.append((RandomRuns(bits, env), options.random))
    try:
        return _search(
            flat,
            hooks,
            options,
            env,
            Turns(Shared(searches), 2 * QUESTION * options.bounded, hooks.work),
        )
    finally:
        bounded.close()


def _search(
    flat: TransitionSystem,
    hooks: BooleanHooks,
    options: Options,
    env: Environment,
    turns: Turns | None,
) -> SystemResult:
    run = IC3(flat, hooks, options, env, turns)
    hooks.frames = run.frames
    return run.prove()
