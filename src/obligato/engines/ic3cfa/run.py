"""Entry point: large blocks, the solver for the CFA's theory, seeds, then the engine."""

from __future__ import annotations

from obligato.analysis.candidates import candidates
from obligato.analysis.houdini import houdini
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.options import Options
from obligato.models.blocks import large_blocks, single_edges
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, walk
from obligato.results.outcome import EngineResult
from obligato.smt.factory import solver_factory, sorts_in
from obligato.terms import Sort, Term


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run IC3CFA on a CFA."""
    options.validate()
    blocks = large_blocks(cfa, options.block_limit) if options.large_blocks else single_edges(cfa)
    prefer = None if options.backend == "auto" else options.backend
    make = solver_factory(sorts_of(cfa), prefer=prefer, stats=env.stats, seed=env.seed)
    found = candidates(cfa, blocks.locations) if options.seed_invariants or options.predicates else {}
    seeds = houdini(blocks, found, make) if options.seed_invariants else {}
    predicates = _left(found, seeds, options.predicates)
    env.counters["seeds"] = sum(map(len, seeds.values()))
    return IC3CFA(blocks, options, env, make, seeds, predicates).prove()


def _left(found: dict[int, list[Term]], seeds: dict[int, list[Term]], limit: int) -> dict[int, list[Term]]:
    """The candidates that are no invariants, at most `limit` per location: predicates for abstraction."""
    return {loc: [f for f in fs if f not in set(seeds.get(loc, ()))][:limit] for loc, fs in found.items()} if limit else {}


def sorts_of(cfa: CFA) -> list[Sort]:
    """The sorts that occur in a CFA's commands."""
    terms: list[Term] = []
    for edge in cfa.edges:
        for c in walk(edge.command):
            if isinstance(c, Assume):
                terms.append(c.condition)
            elif isinstance(c, Assign):
                terms.extend(e for _, e in c.pairs)
    return sorts_in(*cfa.variables, *terms)
