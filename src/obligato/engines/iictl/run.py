"""Entry point of IICTL: blast the system with the atoms and fairness sets to bits,
merge equal ones, run IICTL."""

from __future__ import annotations

from contextlib import closing

from obligato.engines.environment import Environment
from obligato.engines.ic3.equal_bits import merge_equal_bits
from obligato.engines.iictl.engine import Iictl
from obligato.engines.iictl.graph import Graph
from obligato.engines.iictl.model import Model
from obligato.engines.iictl.options import Options
from obligato.errors import ResourceOut
from obligato.models.ctl import Formula, stripped
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_bits import BitSystem
from obligato.results.outcome import CtlResult, Verdict

__all__ = ["Options", "prove"]


def prove(system: TransitionSystem, options: Options, env: Environment) -> CtlResult:
    """Run IICTL on a system with one property of branching time.
    Requires: it is `prepared` (`models.ctl`)."""
    (p,) = system.branching
    try:
        return _search(system, p.formula, options, env)
    except ResourceOut as out:
        return CtlResult(Verdict.UNKNOWN, reason=out.resource)


def _search(
    system: TransitionSystem, formula: Formula, options: Options, env: Environment
) -> CtlResult:
    bare, terms = stripped(formula)
    bits = BitSystem(system, (*terms.values(), *system.fairness))
    merge_equal_bits(bits, env, options.merge)
    env.counters |= {"state_bits": len(bits.bit) - 1, "gates": len(bits.context.gates)}
    model = Model(bits, env, options.drop and options.generalize)
    graph = Graph(model, bare, dict(zip(terms, bits.watched, strict=False)))
    with closing(Iictl(model, graph, bits.watched[len(terms) :], options)) as run:
        found = run.check()
        return CtlResult(
            Verdict.TRUE if found is None else Verdict.FALSE, run.entries.certificate(found)
        )
