"""Entry point of CTIGAR: as that of IC3IA, with other hooks."""

from __future__ import annotations

from obligato.engines.ctigar.hooks import Ctigar
from obligato.engines.ctigar.options import Options
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.run import prove_abstracted
from obligato.models.transition_system import TransitionSystem
from obligato.results.outcome import SystemResult, Verdict
from obligato.terms import Kind


def prove(system: TransitionSystem, options: Options, env: Environment) -> SystemResult:
    """Run CTIGAR on a system of a simplifying store."""
    if any(x.sort.kind is Kind.ARRAY for x in (*system.state, *system.inputs)):
        reason = "incomplete: CTIGAR has no concrete states of arrays"
        return SystemResult(Verdict.UNKNOWN, reason=reason)
    return prove_abstracted(system, Ctigar, options, env)
