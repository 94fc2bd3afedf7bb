"""The entry point of the engine: Horn clauses to a model or a derivation."""

from __future__ import annotations

from obligato.engines.environment import Environment
from obligato.engines.summaries.debug import CheckedSummaries
from obligato.engines.summaries.engine import Refuted, Summaries
from obligato.engines.summaries.lifting import Lifting
from obligato.engines.summaries.options import Options
from obligato.engines.summaries.rules import RuleSet
from obligato.errors import ResourceOut
from obligato.models.horn import HornSystem
from obligato.results.outcome import HornResult, Verdict
from obligato.smt.factory import default_backend, family, solver_factory, sorts_in
from obligato.terms import Kind, Sort, TermStore

# of a question whose answer only helps
BUDGETS = {"sat": 2000, "z3": 2_000_000, "bitwuzla": 1000, "cvc5": 100_000}


def prove_horn(system: HornSystem, options: Options, env: Environment) -> HornResult:
    """Are the clauses satisfiable?
    TRUE with a model of the relations that were not resolved away."""
    rules = RuleSet(system, TermStore())
    backend = _backend(rules, options)
    make = solver_factory(_sorts(rules), prefer=backend, stats=env.stats, seed=env.seed)
    search = (CheckedSummaries if env.debug else Summaries)(
        rules, options, env, make, BUDGETS.get(family(backend))
    )
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


def _sorts(rules: RuleSet) -> list[Sort]:
    return sorts_in(
        *(r.constraint for r in rules.rules), *(x for xs in rules.parameters.values() for x in xs)
    )


def _backend(rules: RuleSet, options: Options) -> str:
    sorts = _sorts(rules)
    if options.backend != "auto":
        return options.backend
    if any(s.kind is Kind.ARRAY for s in sorts):
        # frames and facts compare arrays with constant ones, which bitwuzla often leaves open
        return "z3"
    return default_backend(sorts)
