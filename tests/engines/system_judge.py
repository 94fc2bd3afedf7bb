"""One run of an engine on a small transition system, judged by its debug checker, the independent
checker and exploration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from obligato.engines import bmc, ic3, kinduction
from obligato.engines.environment import Environment
from obligato.errors import InternalError
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import SystemResult, Verdict
from obligato.smt import SolverStats
from tests.support.int_systems import box_depth, random_int_system
from tests.support.systems import Explored, explore, random_system

Prove = Callable[[TransitionSystem, Any, Environment], SystemResult]

IC3_VARIANTS: list[dict[str, Any]] = [
    {},
    {"ctg": 0},
    {"ctg": 2, "ctg_depth": 2},
    {"joins": False},
    {"drop_literals": False},
    {"reuse_obligations": False},
    {"rebuild_every": 2},
    {"lift_twice": False},
    {"ternary": False},
    {"keep_parent": False},
    {"give_up_after": 2},
    {"merge": 0},
    {"bounded": 1},
    {"ctg_yield": 60},
    {"cube_order": "longest"},
    {"cube_order": "shortest"},
]
ENGINES: list[tuple[str, Prove, Any]] = [
    *((f"ic3 {v}", ic3.prove, ic3.Options(**v)) for v in IC3_VARIANTS),
    ("bmc", bmc.prove, bmc.Options(bound=40)),
    ("kinduction", kinduction.prove, kinduction.Options(bound=10)),
]


def objections(
    system: TransitionSystem,
    engines: Sequence[tuple[str, Prove, Any]],
    debug: bool = False,
    levels: Sequence[int] = (3, 0),
) -> list[str]:
    """What the judges have against runs of the engines on a system, reduced as far as
    `levels` say.
    """
    found = explore(system)
    out = []
    for level in levels:
        for name, prove, options in engines:
            problem = _objection(system, found, prove, options, level, debug)
            if problem is not None:
                out.append(f"{name}, reduction {level}: {problem}")
    return out


def faulty(system: TransitionSystem, prove: Prove, options: Any) -> str | None:
    """What the judges have against a run with the debug checker; that it does not end soon is no
    objection.
    """
    problem = _objection(system, explore(system), prove, options, 0, True, ticks=3000)
    return None if problem is not None and "cancelled" in problem else problem


def _objection(
    system: TransitionSystem,
    found: Explored,
    prove: Prove,
    options: Any,
    level: int,
    debug: bool,
    ticks: int = 10**9,
) -> str | None:
    small, lift = reduce_system(system, level)
    budget = iter(range(ticks))
    try:
        result = prove(
            small, options, Environment(debug=debug, cancelled=lambda: next(budget, None) is None)
        )
    except InternalError as error:
        return f"internal error: {error}"
    links = chain(sorts_of(system), ("sat",), SolverStats())
    if result.certificate is not None:
        check = check_system_certificate(system, lift.certificate(result.certificate), links)
        if check.status is not Status.ACCEPTED or result.verdict is not Verdict.TRUE:
            return f"certificate: {check.obligation}: {check.reason}"
    if result.trace is not None:
        answer = check_system_trace(system, lift.trace(result.trace), links)
        if answer.status is not TraceStatus.CONFIRMED or result.verdict is not Verdict.FALSE:
            return f"trace: {answer.reason}"
    expected = Verdict.TRUE if found.depth is None else Verdict.FALSE
    deep = hasattr(options, "bound") and (found.depth is None or found.depth >= options.bound)
    if result.verdict is expected or (deep and result.verdict is Verdict.UNKNOWN):
        return None
    return f"{expected.value} expected, not {result.verdict.value} ({result.reason})"


def judged(system: TransitionSystem, prove: Prove, chosen: Any, env: Environment) -> Verdict:
    """The verdict, after its certificate or trace was accepted."""
    result = prove(system, chosen, env)
    links = chain(sorts_of(system), ("z3",), SolverStats())
    if result.certificate is not None:
        assert check_system_certificate(system, result.certificate, links).status is Status.ACCEPTED
    if result.trace is not None:
        assert check_system_trace(system, result.trace, links).status is TraceStatus.CONFIRMED
    return result.verdict


def objections_on_words(block: int, prove: Prove, variant: Callable[[int], Any]) -> list[str]:
    """What speaks against an engine on ten random systems of bits and words; all contracts are
    checked on one of them.
    """
    return [
        problem
        for seed in range(10 * block, 10 * block + 10)
        for problem in objections(
            random_system(seed, max_bits=8),
            [(f"variant {seed}", prove, variant(seed))],
            debug=seed % 10 == 3,
            levels=(3 * (seed % 2),),
        )
    ]


def objections_on_integers(block: int, prove: Prove, variant: Callable[[int], Any]) -> list[int]:
    """The seeds, of five, for which an engine says what is wrong about a random system of integers."""
    wrong = []
    for seed in range(5 * block, 5 * block + 5):
        system = random_int_system(seed)
        expected = Verdict.TRUE if box_depth(system) is None else Verdict.FALSE
        found = judged(system, prove, variant(seed), Environment(debug=seed % 10 == 5))
        wrong += [] if found is expected else [seed]
    return wrong
