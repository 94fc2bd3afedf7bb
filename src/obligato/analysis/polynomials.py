"""Candidate invariants that are equations between polynomials: those that blocks test, over the
state where a block begins.

An assertion such as ``q * y + r == x`` is often an invariant itself, but stands behind assignments
and calls in the program text, so that its atoms are about other variables.  Pulled back to the
start of its block it is about the right ones.  It is offered at every location, since loops inside
of others keep what the outer ones need.  Engines that bit-blast cannot use such an invariant either
where an assertion is another form of it: edges to the error that it excludes are left out for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from obligato.analysis.commands import terms_of
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect, count_paths, path_effect, paths
from obligato.models.gcl import Assign, Assume, walk
from obligato.smt import UNSAT, Solver, SolverStats
from obligato.smt.factory import polynomial_solver
from obligato.smt.z3_polynomials import multiplies
from obligato.terms import Kind, Op, Term, free_vars, postorder

MOST = 24
PATHS = 64
BUDGET = 200_000  # per question


def polynomial_candidates(blocks: CFA) -> dict[int, list[Term]]:
    """The equations with products in the guards of all blocks."""
    leaves = (c for e in blocks.edges for c in walk(e.command) if isinstance(c, Assign | Assume))
    if not multiplies(*(t for c in leaves for t in terms_of(c))):
        return {}
    known, found = frozenset(blocks.variables), dict[Term, None]()
    for e in blocks.edges:
        guard = BlockEffect(blocks.store, e.command, f"polynomials!{e.id}!").guard
        for t in postorder(guard):
            if (
                t.op is Op.EQ
                and t.args[0].sort.kind is Kind.BITVEC
                and multiplies(t)
                and known.issuperset(free_vars(t))
            ):
                found[t] = None
    offered = list(found)[:MOST]
    return dict.fromkeys(blocks.inner, offered) if offered else {}


def without_refuted(
    blocks: CFA, seeds: Mapping[int, Sequence[Term]], stats: SolverStats | None = None
) -> CFA:
    """The blocks without those edges to the error of which the seeds exclude every path, as
    multiplying out shows.
    """
    found = {loc: [f for f in formulas if multiplies(f)] for loc, formulas in seeds.items()}
    asked = [
        e
        for e in blocks.into(blocks.error)
        if found.get(e.source) and count_paths(e.command, PATHS + 1) <= PATHS
    ]
    if not asked:
        return blocks
    with closing(polynomial_solver(stats)) as solver:
        dead = {e.id for e in asked if _is_excluded(e, seeds[e.source], solver, blocks)}
    return (
        replace(blocks, edges=tuple(e for e in blocks.edges if e.id not in dead))
        if dead
        else blocks
    )


def _is_excluded(edge: Edge, seeds: Sequence[Term], solver: Solver, blocks: CFA) -> bool:
    for path in paths(edge.command):
        guard = path_effect(blocks.store, edge.command, path).guard
        # seeds at the source and the guard of this path: unsat - no run takes it; else the engine
        # looks at the edge
        if solver.check([*seeds, *guard], budget=BUDGET, kind="polynomials") is not UNSAT:
            return False
    return True
