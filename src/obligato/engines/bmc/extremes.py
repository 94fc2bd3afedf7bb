"""Bounded model checking on fixed inputs:
all of them are the largest number of their sort, or the smallest.

What is determined is executed, and rounds of a loop that only counts are taken at once
(`acceleration`); so an overflow behind two thousand million rounds is found, where the number of
rounds is an input. It is a guess that only refutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obligato.analysis.commands import mapped
from obligato.engines.bmc.acceleration import Accelerator
from obligato.engines.bmc.runs import Runs
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks
from obligato.models.cfa import CFA
from obligato.models.claims import Trace
from obligato.models.gcl import Assign, Assume
from obligato.smt.factory import Make
from obligato.terms import Kind, Sort, Term, Value
from obligato.terms.store import rebuild

BLOCKS = 300  # of one run


def extreme_run(cfa: CFA, make: Make, env: Environment) -> Trace | None:
    """A run to the error in which all inputs are extreme,
    if one is found that is determined from its start to its end."""
    if not cfa.inputs or any(x.sort.kind is not Kind.BITVEC for x in cfa.inputs):
        return None
    for extreme in (_largest, _smallest):
        values: dict[Term, Value] = {x: extreme(x.sort) for x in cfa.inputs}
        found = _run(_fixed(cfa, values), make, env)
        if found is not None:
            return _told(found, cfa, values)
    return None


def _largest(sort: Sort) -> int:
    return sort.mask >> 1


def _smallest(sort: Sort) -> int:
    return (sort.mask >> 1) + 1


def _fixed(cfa: CFA, values: dict[Term, Value]) -> CFA:
    """The program with constants in place of its inputs."""
    constants = {x: cfa.store.const(value, x.sort) for x, value in values.items()}
    change: Callable[[Term], Term] = lambda t: rebuild(t, cfa.store, dict(constants))  # noqa: E731
    edges = [
        replace(e, command=mapped(e.command, change))
        if isinstance(e.command, Assign | Assume)
        else e
        for e in cfa.edges
    ]
    return replace(cfa, edges=tuple(edges), inputs=())


def _run(cfa: CFA, make: Make, env: Environment) -> Trace | None:
    blocks = in_blocks(cfa, env)
    env.stage("prove")
    runs = Runs(blocks, make, env, {}, accelerator=Accelerator(blocks, make, env))
    try:
        while runs.depth < BLOCKS and len(runs.frontier) == 1:
            found = runs.violation()
            if found is not None:
                return found
        return None
    finally:
        runs.solver.close()


def _told(trace: Trace, cfa: CFA, values: dict[Term, Value]) -> Trace:
    """The trace with the chosen values of the inputs that its edges read."""
    read = {e.id: {x.name: values[x] for x in cfa.edge_inputs(e)} for e in cfa.edges}
    return replace(
        trace, steps=tuple(replace(s, inputs={**read[s.edge], **s.inputs}) for s in trace.steps)
    )
