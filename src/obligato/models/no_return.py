"""Recursive programs as one automaton, for the question whether every run ends:
no call returns [CPR09].

At a call a run goes one of two ways: if the call returns, over one edge that gives any values to
the results and to the globals that the callee may change; if it does not, into the callee, from
which nothing leads back. Where a run goes on for ever, each of its calls returns or does not, so
that there is an infinite path of the automaton; if every path ends, so does every run. A path
without calls that return is a run: one that goes on for ever calls deeper and deeper, or stays in a
loop. Edges of calls that return are over-approximations, which refute nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.cfa import CFA, Edge, Location
from obligato.models.gcl import SKIP, Assign
from obligato.models.procedures import ProcedureCFA, RecursiveProgram
from obligato.program import syntax
from obligato.program.printer import head_text
from obligato.terms import Term

RETURNS = "what a recursive call returns"


def without_returns(program: RecursiveProgram) -> CFA:
    """The automaton; all errors of procedures are at the error location of the entry."""
    entry = program.entry.cfa
    parts, inputs = program.all(), dict[Term, None]()
    edges = [_own(p, e, entry.error) for p in parts for e in p.cfa.edges]
    dropped = {p.cfa.error for p in program.procedures.values()}
    locations = {n: loc for p in parts for n, loc in p.cfa.locations.items() if n not in dropped}
    free = 1 + max(*locations, *(e.id for e in edges))
    for p in parts:
        for e in (p.cfa.by_id[call] for call in p.calls):
            locations[free] = Location(free, f"call of {p.calls[e.id].callee}", e.span)
            edges += _call(program, p, e, free, inputs)
            free += 2
    return replace(
        entry,
        variables=tuple(dict.fromkeys(_variables(program))),
        locations=locations,
        edges=tuple(edges),
        inputs=tuple(dict.fromkeys((*(i for p in parts for i in p.cfa.inputs), *inputs))),
        display={name: shown for p in parts for name, shown in p.cfa.display.items()},
    )


def _variables(program: RecursiveProgram) -> Iterator[Term]:
    for p in program.all():
        yield from (*p.cfa.variables, *p.parameters, *p.fresh)


def _own(p: ProcedureCFA, edge: Edge, error: int) -> Edge:
    """An edge of a procedure; that of a call is the call that returns."""
    told = RETURNS if edge.id in p.calls else edge.approximates
    return replace(
        edge, target=error if edge.target == p.cfa.error else edge.target, approximates=told
    )


def _call(
    program: RecursiveProgram, p: ProcedureCFA, edge: Edge, free: int, inputs: dict[Term, None]
) -> list[Edge]:
    """The edges into the callee, as the interpreter steps:
    arguments to parameters, any value for results and locals."""
    site, store = p.calls[edge.id], p.cfa.store
    callee = program.procedures.get(site.callee)
    if callee is None:
        raise Unsupported("termination where the entry calls itself", edge.span, "recursion")
    given = {x: store.fresh(f"{x.name}!call{free}", x.sort) for x in callee.fresh}
    inputs.update(dict.fromkeys(given.values()))
    passed = Assign(tuple(zip(callee.parameters, site.arguments, strict=True)))
    text = (
        head_text(syntax.Assign(callee.parameters, site.arguments, edge.span))
        if callee.parameters
        else ""
    )
    other = head_text(syntax.Havoc(callee.fresh, None, edge.span)) if given else ""
    return [
        Edge(free, edge.source, free, passed if text else SKIP, edge.span, text),
        Edge(
            free + 1,
            free,
            callee.cfa.initial,
            Assign(tuple(given.items())) if given else SKIP,
            edge.span,
            other,
        ),
    ]
