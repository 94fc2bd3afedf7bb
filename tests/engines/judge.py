"""One run of IC3CFA on a small program, judged by its debug checker, by the independent checker and
by exploration.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from obligato.engines.environment import Environment
from obligato.engines.ic3cfa import Options, prove
from obligato.engines.preparation import sorts_of
from obligato.engines.presets import packaged_presets
from obligato.errors import InternalError
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.program.syntax import Program
from obligato.results.checking.certificate import Status, check_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus, check_trace
from obligato.results.outcome import EngineResult, Verdict
from obligato.results.replay import replay
from obligato.smt import SolverStats
from obligato.smt.factory import supports
from obligato.terms import TermStore
from tests.support.explore import TooLarge, explore
from tests.support.programs import random_program

SINGLE: list[dict[str, Any]] = [
    {"generalize": "none"},
    {"generalize": "multi"},
    {"generalize": "single"},
    {"cube_order": "descending"},
    {"cube_order": "random"},
    {"cube_order": "longest"},
    {"cube_order": "shortest"},
    {"reuse_obligations": False},
    {"wep_inductivity": False},
    {"predecessor_cubes": True},
    {"caching": True},
    {"caching": True, "lower_bounds": True},
    {"drop_assumed": True},
    {"semantic_subsumption": True},
    {"splitting": "eager"},
    {"splitting": "eager", "skip_obligations": True},
    {"large_blocks": False},
    {"block_limit": 5},
    {"seed_invariants": False},
    {"predicates": 0},
    {"seed_invariants": False, "predicates": 0},
    {"ctg": 3},
    {"weaken_bounds": True},
    {"guidance": 0},
    {"guidance": 3, "seed_invariants": False, "predicates": 0},
    {"concretise": False, "seed_invariants": False, "predicates": 0},
    {"drop_rounds": 3},
    {"rebuild_every": 3},
    {"backend": "z3"},
    {"backend": "bitwuzla"},
    {"interpolation": True},
    {"requeue": False},
    {"raise_lemmas": False},
    {"seed_cores": False},
    {"literal_order": "given"},
    {"requeue": False, "reuse_obligations": False},
    {"block_measure": "paths", "block_limit": 8},
    {"abstraction_models": 0},
    {"short_runs": 1},
    {"acceleration": False},
    {"monolithic": True, "seed_invariants": False, "predicates": 0},
    {
        "monolithic": True,
        "seed_invariants": False,
        "predicates": 0,
        "large_blocks": False,
        "splitting": "eager",
    },
    {"predecessor_cubes": True, "wep_inductivity": False},
    {"drop_assumed": True, "wep_inductivity": False},
]
PRESETS = [p.options for p in packaged_presets("ic3cfa").values()]
CONFIGURATIONS = [Options(), *(Options(**c) for c in (*SINGLE, *PRESETS))]


@lru_cache(maxsize=512)
def sample(task: int | str) -> tuple[Program, CFA, Verdict] | None:
    """The random program of a seed, or the program of a text, its CFA and the true verdict; None if
    too large to explore.
    """
    program = random_program(task) if isinstance(task, int) else parse(task)
    cfa = build_cfa(inline(program))
    try:
        found = explore(cfa, max_states=4000)
    except TooLarge:
        return None
    return program, cfa, Verdict.TRUE if found.edge is None else Verdict.FALSE


def objection(task: int | str, options: Options) -> str | None:
    """What one of the judges has against a run on the task's program; None if all agree (or it is
    too large).
    """
    known = sample(task)
    if known is None:
        return None
    program, cfa, expected = known
    if options.backend != "auto" and not supports(options.backend, sorts_of(cfa)):
        return None
    try:
        result = prove(import_cfa(cfa, TermStore()), options, Environment(debug=True))
    except InternalError as error:
        return f"debug checker: {error}"
    return checked(program, cfa, result) or (
        None
        if result.verdict is expected
        else f"exploration: {expected.value}, not {result.verdict.value} ({result.reason})"
    )


def checked(program: Program, cfa: CFA, result: EngineResult) -> str | None:
    """What the independent checker or the interpreter has against the claim of a result; None if it
    is accepted.
    """
    links = chain([v.sort for v in (*cfa.variables, *cfa.inputs)], ("sat",), SolverStats())
    if result.certificate is not None:
        check = check_certificate(cfa, result.certificate, links)
        return (
            None
            if check.status is Status.ACCEPTED
            else f"certificate: {check.obligation}: {check.reason}"
        )
    if result.trace is not None:
        answer = check_trace(
            cfa, result.trace, lambda t: replay(program, cfa, t).problem, links, exact=True
        )
        return None if answer.status is TraceStatus.CONFIRMED else f"trace: {answer.reason}"
    return None
