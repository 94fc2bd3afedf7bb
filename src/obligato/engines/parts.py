"""An engine on the independent parts of a system, one after the other (`models.ts_parts`): what a
part costs does not depend on how many there are. The claims become one about the whole, which is
checked there like any other.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from obligato.engines.environment import Environment
from obligato.engines.exchange import silent
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemCertificate
from obligato.models.ts_parts import exact, independent_parts
from obligato.results.outcome import SystemResult, Verdict
from obligato.terms import Term

ProveSystem = Callable[[TransitionSystem, Any, Environment], SystemResult]
FEW = 8  # parts; they are left to the engine together


def part_by_part(prove: ProveSystem) -> ProveSystem:
    """The engine `prove` on the parts of a system that has many, else on the system; and there,
    too, if a part is left open.
    """

    def prove_parts(system: TransitionSystem, options: Any, env: Environment) -> SystemResult:
        parts = independent_parts(system)
        result = None if len(parts) < FEW else _together(parts, exact(system), prove, options, env)
        return result or prove(system, options, env)

    return prove_parts


def _together(
    parts: list[TransitionSystem], exact: bool, prove: ProveSystem, options: Any, env: Environment
) -> SystemResult | None:
    """The result that the results of the parts justify: a proof if all are proved; a refuting run
    of one part only if the parts are `exact`. None if they justify neither.
    """
    invariants: list[Term] = []
    relations: list[Term] = []
    k, stats = 1, dict[str, Any]()
    for part in parts:
        with silent(env):  # no bound of a part is one of the whole
            result = prove(part, options, env)
        # what is left of the engine has solvers: megabytes each that the collector does not count
        gc.collect(1)
        for name, value in result.stats.items():
            known = stats.get(name, 0)
            stats[name] = (
                known + value
                if isinstance(value, int | float) and isinstance(known, int | float)
                else value
            )
        if result.verdict is Verdict.FALSE and exact:
            return SystemResult(Verdict.FALSE, trace=result.trace, stats=stats)
        certificate = result.certificate
        if result.verdict is not Verdict.TRUE or certificate is None:
            return None
        if certificate.distinct or certificate.indices:
            return None
        k = max(k, certificate.k)  # what is inductive over k steps is so over more
        invariants.append(parts[0].store.import_term(certificate.invariant, {}))
        relations += (
            []
            if certificate.relation is None
            else [parts[0].store.import_term(certificate.relation, {})]
        )
    stats["parts"] = len(parts)
    both = parts[0].store.and_
    claim = SystemCertificate(
        both(*invariants), k, relation=both(*relations) if relations else None
    )
    return SystemResult(Verdict.TRUE, claim, stats=stats)
