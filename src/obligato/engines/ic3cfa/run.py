"""Entry point: large blocks, the solver for the CFA's theory, seeds, then the engine.

Seeds about all cells of an array (`analysis.cells`) are no formulas of the engine: it gets their instances at the places that
are read, and they join its certificate at the end.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.analysis.candidates import candidates
from obligato.analysis.cells import cell_candidates, instances, reads
from obligato.analysis.houdini import houdini
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.engine import IC3CFA
from obligato.engines.ic3cfa.options import Options
from obligato.models.blocks import large_blocks, single_edges
from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect
from obligato.models.gcl import Assign, Assume, walk
from obligato.models.monolithic import Monolithic
from obligato.results.outcome import Certificate, EngineResult
from obligato.smt.factory import solver_factory, sorts_in
from obligato.terms import Sort, Term, free_vars

Formulas = dict[int, list[Term]]


def prove(cfa: CFA, options: Options, env: Environment) -> EngineResult:
    """Run IC3CFA on a CFA."""
    options.validate()
    blocks = _blocks(cfa, options)
    return _prove_monolithic(blocks, options, env) if options.monolithic else _prove(blocks, options, env, cfa)


def _prove_monolithic(blocks: CFA, options: Options, env: Environment) -> EngineResult:
    """On one relation with a program counter; the certificate is read off at each of its values."""
    joined = Monolithic(blocks)
    result = _prove(joined.cfa, options, env, joined.cfa)
    if result.certificate is None:
        return result
    return replace(result, certificate=Certificate(joined.lift(result.certificate.invariants[joined.everywhere])))


def _blocks(cfa: CFA, options: Options) -> CFA:
    if not options.large_blocks:
        return single_edges(cfa)
    return large_blocks(cfa, options.block_limit, options.block_measure)


def _prove(blocks: CFA, options: Options, env: Environment, cfa: CFA) -> EngineResult:
    """Run the engine on blocks of `cfa`, with seeds."""
    prefer = None if options.backend == "auto" else options.backend
    make = solver_factory(sorts_of(cfa), prefer=prefer, stats=env.stats, seed=env.seed)
    found = candidates(cfa, blocks.locations) if options.seed_invariants or options.predicates else {}
    cells = cell_candidates(cfa, blocks.locations) if options.seed_invariants and options.quantified else None
    index, about = (cells.index, cells.formulas) if cells is not None else (None, {})
    seeds = houdini(blocks, _joined(found, about), make, index=index) if options.seed_invariants else {}
    env.counters["seeds"] = sum(map(len, seeds.values()))
    plain, quantified = _split(seeds, index)
    places = _places(blocks, quantified, index) if index is not None else {}
    consequences = instances(quantified, index, places) if index is not None else {}
    predicates = _left(found, seeds, options.predicates)
    result = IC3CFA(blocks, options, env, make, plain, predicates, consequences).prove()
    return _closed(result, index, quantified, places)


def _joined(*sources: Formulas) -> Formulas:
    return {loc: [f for source in sources for f in source.get(loc, ())] for loc in dict.fromkeys(k for s in sources for k in s)}


def _split(seeds: Formulas, index: Term | None) -> tuple[Formulas, Formulas]:
    """The seeds without and with the index."""
    def part(wanted: bool) -> Formulas:
        return {loc: kept for loc, fs in seeds.items() if (kept := [f for f in fs if (index in free_vars(f)) is wanted])}

    return part(False), part(True)


def _places(blocks: CFA, quantified: Formulas, index: Term) -> Formulas:
    """By location with quantified seeds, the places that its outgoing edges read."""
    out: Formulas = {}
    for loc in quantified:
        effects = [BlockEffect(blocks.store, e.command, f"reads!{e.id}!") for e in blocks.out(loc)]
        terms = [t for effect in effects for t in (*effect.guard, *effect.pull.mapping.values())]
        out[loc] = reads(terms, index.sort, frozenset(blocks.variables))
    return out


def _closed(result: EngineResult, index: Term | None, quantified: Formulas, places: Formulas) -> EngineResult:
    """The result with the quantified seeds as part of its certificate."""
    certificate = result.certificate
    if certificate is None or not quantified:
        return result
    invariants = {loc: f.store.and_(f, *quantified.get(loc, ())) for loc, f in certificate.invariants.items()}
    terms = {loc: tuple(ts) for loc, ts in places.items() if ts}
    return replace(result, certificate=replace(certificate, invariants=invariants, index=index, instances=terms))


def _left(found: Formulas, seeds: Formulas, limit: int) -> Formulas:
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
