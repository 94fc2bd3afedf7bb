"""The entry point of the engine: Horn clauses to a model or a derivation."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.summaries.engine import Refuted, Summaries
from obligato.engines.summaries.lifting import Lifting
from obligato.engines.summaries.options import Options
from obligato.engines.summaries.rules import RuleSet
from obligato.errors import ResourceOut
from obligato.models.horn import HornSystem
from obligato.results.outcome import HornResult, Verdict
from obligato.smt.factory import Make, solver_factory, sorts_in
from obligato.terms import Kind, TermStore


def prove_horn(system: HornSystem, options: Options, env: Environment) -> HornResult:
    """Are the clauses satisfiable? TRUE with a model of the relations that were not resolved away."""
    rules = RuleSet(system, TermStore())
    search = Summaries(rules, options, env, _make(rules, options, env))
    try:
        found = search.decide()
        if isinstance(found, Refuted):
            others = solver_factory([*Kind], prefer="z3", stats=env.stats, seed=env.seed)
            derivation = Lifting([search.make, others], env, rules.parameters).derivation(found)
            return HornResult(Verdict.FALSE, derivation=derivation, stats=dict(env.counters))
        model = rules.model(found, system.relations)
        return HornResult(Verdict.TRUE, model=model, stats=dict(env.counters))
    except ResourceOut as out:
        return HornResult(Verdict.UNKNOWN, reason=out.resource, stats=dict(env.counters))
    finally:
        search.close()


def _make(rules: RuleSet, options: Options, env: Environment) -> Make:
    sorts = sorts_in(*(r.constraint for r in rules.rules), *(x for xs in rules.parameters.values() for x in xs))
    prefer = None if options.backend == "auto" else options.backend
    return solver_factory(sorts, prefer=prefer, stats=env.stats, seed=env.seed)
