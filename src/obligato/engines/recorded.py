"""A proof by records: invariants about the history of loops (`analysis.histories`), as far as
Houdini confirms them, where they exclude the errors.

It is all or nothing: the records are ghosts of the certificate, which the engines do not know.
"""

from __future__ import annotations

from obligato.analysis.cells import instances
from obligato.analysis.histories import recorded
from obligato.analysis.houdini import excludes_errors, houdini
from obligato.analysis.sampling import consistent
from obligato.engines.preparation import Formulas
from obligato.models.cfa import CFA
from obligato.models.claims import conjoined
from obligato.results.outcome import Certificate
from obligato.smt.factory import Make

CALLS = 800  # of the solver, for one program


def proof_by_records(blocks: CFA, known: Formulas, make: Make, seed: int) -> Certificate | None:
    """A certificate with ghosts. What is `known` holds, but need not be inductive by itself."""
    found = recorded(blocks)
    if found is None or excludes_errors(blocks, known, make):
        return None
    cells, places = found.cells, found.cells.places or {}
    tried = {loc: [*known.get(loc, ()), *fs] for loc, fs in cells.formulas.items()}
    tried = consistent(found.blocks, tried, cells.index, seed)
    seeds = houdini(found.blocks, tried, make, cells=cells, calls=CALLS)
    used = instances(seeds, cells, places)
    told = {loc: [*seeds.get(loc, ()), *used.get(loc, ())] for loc in blocks.locations}
    if not excludes_errors(found.blocks, told, make):
        return None
    return Certificate(
        conjoined(blocks, seeds),
        index=cells.index,
        instances={loc: tuple(places[loc]) for loc in blocks.inner if loc in seeds},
        ghosts=found.ghosts,
    )
