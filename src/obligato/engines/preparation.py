"""From a reduced CFA to what an engine starts from: the stages `blocks` and `seeds` of the
pipeline, shared by all engines.

`in_blocks` joins edges to large blocks, for engines on CFAs and (through `models.cfa_to_ts`) for
those on transition systems. `with_seeds` adds what static analyses know: invariants that Houdini
has verified on the blocks, and candidates that are none, as predicates for abstraction. Seeds about
all cells of an array (`analysis.cells`) are no formulas of an engine: it gets their instances at
the places that are read (`Prepared.consequences`), and they join its certificate at the end
(`Prepared.closed`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from obligato.analysis.asked import asked
from obligato.analysis.candidates import candidates
from obligato.analysis.cells import Cells, cell_candidates, instances, reads
from obligato.analysis.chosen_places import passed, reads_at_inputs
from obligato.analysis.float_bounds import float_bounds
from obligato.analysis.heap_cells import is_scaled
from obligato.analysis.houdini import excludes_errors, houdini
from obligato.analysis.polynomials import polynomial_candidates, without_refuted
from obligato.analysis.quantities import quantities
from obligato.analysis.rates import rate_candidates
from obligato.analysis.sampling import consistent
from obligato.analysis.stated import stated
from obligato.engines.environment import Environment
from obligato.models.blocks import large_blocks, single_edges
from obligato.models.cfa import CFA
from obligato.models.effect import BlockEffect
from obligato.models.facts import Fact, parts
from obligato.models.gcl import terms_of
from obligato.results.outcome import EngineResult
from obligato.smt.factory import Make, available_backends, make_solver, sorts_in
from obligato.terms import Kind, Sort, Term, free_vars

Formulas = dict[int, list[Term]]
MOST_OFFERS = 200  # candidates from elsewhere, at each location


class SeedOptions(Protocol):
    """The options of an engine that starts from seeds."""

    @property
    def seed_invariants(self) -> bool:
        """Start from verified invariants of the static analyses."""

    @property
    def quantified(self) -> bool:
        """Seeds about all cells of an array at once."""

    @property
    def predicates(self) -> int:
        """Mined predicates for each location."""

    @property
    def backend(self) -> str:
        """The solver of the engine."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What an engine on CFAs starts from.

    `seeds` hold at their locations; `consequences` follow from `quantified`, which hold for every
    value of `index`, by putting in the terms `places`; `predicates` claim nothing. `make` makes
    solvers for the theory of the CFA.
    """

    blocks: CFA
    make: Make
    seeds: Formulas
    predicates: Formulas
    consequences: Formulas
    index: Term | None
    quantified: Formulas
    places: Formulas

    @property
    def known(self) -> Formulas:
        """What holds at each location: seeds and consequences."""
        return {
            loc: [*self.seeds.get(loc, ()), *self.consequences.get(loc, ())]
            for loc in self.blocks.locations
        }

    def closed(self, result: EngineResult) -> EngineResult:
        """The engine's result with the quantified seeds as part of its certificate."""
        certificate = result.certificate
        if certificate is None or certificate.unwinding is not None or not self.quantified:
            return result
        invariants = {
            loc: f.store.and_(f, *self.quantified.get(loc, ()))
            for loc, f in certificate.invariants.items()
        }
        terms = {loc: tuple(ts) for loc, ts in self.places.items() if ts}
        return replace(
            result,
            certificate=replace(
                certificate, invariants=invariants, index=self.index, instances=terms
            ),
        )


def in_blocks(
    cfa: CFA,
    env: Environment,
    large: bool = True,
    limit: int = 2000,
    measure: str = "leaves",
    quantified: bool = False,
) -> CFA:
    """Stage `blocks`: the CFA with its edges joined to large blocks, or each edge as a block of its
    own. For `quantified` seeds blocks end before reads at places that were inputs.
    """
    env.stage("blocks")
    if quantified and (places := reads_at_inputs(cfa)):
        cfa = replace(cfa, keep=(*cfa.keep, *places))
    return large_blocks(cfa, limit, measure) if large else single_edges(cfa)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What Houdini is asked about: formulas by location, and those about cells of arrays. What it
    is to `keep`, what is `hard` and what is `known`, as `houdini` has it.
    """

    formulas: Formulas
    cells: Cells | None
    keep: Formulas
    hard: Formulas
    known: Formulas

    @property
    def index(self) -> Term | None:
        """The variable that stands for any cell."""
        return None if self.cells is None else self.cells.index


def with_seeds(cfa: CFA, blocks: CFA, options: SeedOptions, env: Environment) -> Prepared:
    """Stage `seeds`: what static analyses of `cfa` know about its `blocks`."""
    env.stage("seeds")
    make = env.solvers(sorts_of(cfa), options.backend)
    found = _candidates(cfa, blocks, options, make, env)
    seeds = _verified(cfa, blocks, found, make, env) if options.seed_invariants else {}
    more = quantities(blocks, make, _split(seeds, found.index)[0]) if found.formulas else {}
    if more:
        found = replace(found, formulas=_joined(more, found.formulas))
        seeds = _verified(cfa, blocks, found, make, env) if options.seed_invariants else {}
    env.counters["seeds"] = sum(map(len, seeds.values()))
    plain, quantified = _split(seeds, found.index)
    places = _places(blocks, quantified, found.cells) if found.cells is not None else {}
    consequences = instances(quantified, found.cells, places) if found.cells is not None else {}
    if found.cells is not None:
        places = {loc: found.cells.around(ts) for loc, ts in places.items()}
    blocks = without_refuted(blocks, plain, env.stats)
    env.stage("prove")
    predicates = _left(found.formulas, seeds, options.predicates)
    return Prepared(blocks, make, plain, predicates, consequences, found.index, quantified, places)


def _candidates(
    cfa: CFA, blocks: CFA, options: SeedOptions, make: Make, env: Environment
) -> _Candidates:
    """The candidates of all sources: what is offered from elsewhere and what the program states, what
    its assertions ask about cells, then those of the static analyses. Bounds of floats are known.
    """
    mined = options.seed_invariants or options.predicates
    found = candidates(cfa, blocks.locations) if mined else {}
    about_cells = options.seed_invariants and options.quantified
    cells = cell_candidates(cfa, blocks.locations, env.seed, blocks) if about_cells else None
    bounds = _bounds(blocks, make) if options.seed_invariants else {}
    rates = rate_candidates(blocks) if found else {}
    sources = [polynomial_candidates(blocks), rates, found] if found else [found]
    questions = asked(blocks) if found and cells is not None else {}
    said = stated(cfa, blocks.locations)
    given = offered(env.offers, cfa, blocks.locations) if env.offers else {}
    formulas = _joined(given, said, questions, passed(blocks), *sources)
    return _Candidates(formulas, cells, questions, rates, bounds)


def _verified(cfa: CFA, blocks: CFA, found: _Candidates, make: Make, env: Environment) -> Formulas:
    """The inductive part of the candidates; those about cells of arrays are tried only where the
    others are no proof, and none where what is `known` is one.
    """
    if found.known and excludes_errors(blocks, found.known, make):
        return found.known
    inductive = partial(
        houdini, make_solver=make, keep=found.keep, hard=found.hard, known=found.known
    )
    cells = found.cells
    if cells is None:
        return inductive(blocks, found.formulas)
    every = _joined(found.formulas, cells.formulas)
    if cells.allocations is not None:
        tried = {loc: [f for f in fs if not is_scaled(f)] for loc, fs in every.items()}
        return inductive(blocks, consistent(cfa, tried, cells.index, env.seed), cells=cells)
    tried = consistent(cfa, every, cells.index, env.seed)
    plain, _ = _split(tried, cells.index)
    seeds = inductive(blocks, plain)
    if excludes_errors(blocks, seeds, make):
        return seeds
    if cells.sums:
        sums = consistent(cfa, cells.sums, cells.index, env.seed)
        seeds, tried = (
            inductive(blocks, _joined(plain, sums), cells=cells, known=seeds),
            _joined(tried, sums),
        )
        if excludes_errors(blocks, _told(blocks, seeds, cells), make):
            return seeds
    if cells.ordered:
        seeds = inductive(blocks, _joined(plain, cells.ordered), cells=cells, known=seeds)
        if excludes_errors(blocks, _told(blocks, seeds, cells), make):
            return seeds
    return inductive(blocks, tried, cells=cells, known=seeds)


def _told(blocks: CFA, seeds: Formulas, cells: Cells) -> Formulas:
    """The seeds, and what those about cells say of the places that are read."""
    about = _split(seeds, cells.index)[1]
    return _joined(seeds, instances(about, cells, _places(blocks, about, cells)))


def _bounds(blocks: CFA, make: Make) -> Formulas:
    """Inductive bounds of floats, if there are floats in loops."""
    if not any(v.sort.kind is Kind.FLOAT for v in blocks.variables):
        return {}
    if "z3" not in available_backends():
        return {}
    tried = float_bounds(blocks, lambda: make_solver([Kind.REAL], prefer="z3"))
    return houdini(blocks, tried, make, keep=tried) if tried else {}


def offered(facts: Iterable[Fact], cfa: CFA, locations: Iterable[int]) -> Formulas:
    """What is offered from elsewhere, as candidates at all of the locations: where they held may
    have moved.
    """
    formulas = list(
        dict.fromkeys(f for fact in facts for f in parts(fact, cfa.variables, cfa.store))
    )[:MOST_OFFERS]
    return {loc: list(formulas) for loc in locations if loc not in (cfa.initial, cfa.error)}


def _joined(*sources: Formulas) -> Formulas:
    return {
        loc: [f for source in sources for f in source.get(loc, ())]
        for loc in dict.fromkeys(k for s in sources for k in s)
    }


def _split(seeds: Formulas, index: Term | None) -> tuple[Formulas, Formulas]:
    """The seeds without and with the index."""

    def part(wanted: bool) -> Formulas:
        return {
            loc: kept
            for loc, fs in seeds.items()
            if (kept := [f for f in fs if (index in free_vars(f)) is wanted])
        }

    return part(False), part(True)


def _places(blocks: CFA, quantified: Formulas, cells: Cells) -> Formulas:
    """By location with quantified seeds, the places that its outgoing edges read."""
    out: Formulas = {}
    for loc in quantified:
        effects = [BlockEffect(blocks.store, e.command, f"reads!{e.id}!") for e in blocks.out(loc)]
        terms = [t for effect in effects for t in (*effect.guard, *effect.pull.mapping.values())]
        out[loc] = reads(terms, cells.index.sort, frozenset(blocks.variables))
    return out


def _left(found: Formulas, seeds: Formulas, limit: int) -> Formulas:
    """The candidates that are no invariants, at most `limit` per location: predicates for
    abstraction.
    """
    if not limit:
        return {}
    known = {loc: set(seeds.get(loc, ())) for loc in found}
    return {loc: [f for f in fs if f not in known[loc]][:limit] for loc, fs in found.items()}


def sorts_of(cfa: CFA) -> list[Sort]:
    """The sorts that occur in a CFA's commands."""
    return sorts_in(*cfa.variables, *(t for e in cfa.edges for t in terms_of(e.command)))
