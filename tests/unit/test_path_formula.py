"""Path formulas against execution of the commands, on random programs and their large blocks."""

from __future__ import annotations

import random
from itertools import product

import pytest

from obligato.engines.preparation import sorts_of
from obligato.errors import InternalError
from obligato.models.blocks import large_blocks
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA, Edge
from obligato.models.execution import execute
from obligato.models.importing import import_cfa
from obligato.models.path_formula import PathFormula, PathRun
from obligato.program.inline import inline
from obligato.smt import SAT
from obligato.smt.factory import solver_factory
from obligato.terms import Kind, Term, TermStore, Value, default_value, evaluate, free_vars
from tests.support.explore import domain
from tests.support.programs import random_program

SMALL = 1100  # states and inputs that are enumerated


def program(seed: int) -> CFA | None:
    """A random program whose states can be enumerated."""
    cfa = import_cfa(build_cfa(inline(random_program(seed))), TermStore())
    if any(v.sort.kind not in (Kind.BOOL, Kind.BITVEC) for v in (*cfa.variables, *cfa.inputs)):
        return None
    states = 1
    for v in cfa.variables:
        states *= len(domain(v.sort))
    return cfa if cfa.edges and cfa.variables and states <= SMALL else None


def walk(cfa: CFA, r: random.Random) -> list[Edge]:
    """A path of a few edges from some location."""
    here, path = r.choice([e.source for e in cfa.edges]), list[Edge]()
    for _ in range(r.randrange(1, 5)):
        out = cfa.out(here)
        if not out:
            break
        path.append(r.choice(out))
        here = path[-1].target
    return path


def assignments(variables: list[Term]) -> list[dict[Term, Value]]:
    return [
        dict(zip(variables, values, strict=True))
        for values in product(*(domain(v.sort) for v in variables))
    ]


def ends(cfa: CFA, path: list[Edge], states: list[dict[Term, Value]]) -> list[dict[Term, Value]]:
    """All states at the end of the path, by execution."""
    for edge in path:
        after: dict[tuple[Value, ...], dict[Term, Value]] = {}
        for state, inputs in product(states, assignments(cfa.edge_inputs(edge))):
            found = execute(edge.command, state, inputs)
            if found is not None:
                after[tuple(found[v] for v in cfa.variables)] = {v: found[v] for v in cfa.variables}
        states = list(after.values())
    return states


def is_run(cfa: CFA, path: list[Edge], run: PathRun) -> bool:
    """Do the original edges lead from each state of the run to the next?"""
    by_id = {e.id: e for e in cfa.edges}
    for n in range(len(path)):
        state = {v: run.states[n][v] for v in cfa.variables}
        for number in run.edges[n]:
            edge = by_id[number]
            inputs = {i: run.inputs[n].get(i, default_value(i.sort)) for i in cfa.edge_inputs(edge)}
            found = execute(edge.command, state, inputs)
            if found is None:
                return False
            state = {v: found[v] for v in cfa.variables}
        if state != {v: run.states[n + 1][v] for v in cfa.variables}:
            return False
    return True


def follow(cfa: CFA, path: list[Edge], before: Term, after: Term) -> PathRun | None:
    """A run along the path from a state of `before` to one of `after`, by a solver."""
    formula = PathFormula(cfa, path[0].source)
    steps = [formula.extend(e) for e in path]
    solver = solver_factory(sorts_of(cfa))()
    for f in (formula.at(before, 0), *steps, formula.at(after, len(path))):
        solver.add(f)
    # before and T_0 ... T_n and after: sat - a run; unsat - there is none
    run = formula.run(solver.model_of) if solver.check() is SAT else None
    solver.close()
    return run


def test_paths_agree_with_execution() -> None:
    answers = {True: 0, False: 0}
    for seed in range(200):
        cfa = program(seed)
        if cfa is None:
            continue
        r, s = random.Random(seed), cfa.store
        x = r.choice(cfa.variables)
        value = s.const(r.choice(domain(x.sort)), x.sort)
        before, after = s.eq(x, value), s.not_(s.eq(x, value)) if r.random() < 0.5 else s.true
        path = walk(cfa, r)
        states = [st for st in assignments(list(cfa.variables)) if evaluate(before, st)]
        expected = any(evaluate(after, st) for st in ends(cfa, path, states))
        answer = follow(cfa, path, before, after)
        answers[expected] += 1
        assert (answer is not None) is expected, seed
        if answer is not None:
            assert is_run(cfa, path, answer)
            assert evaluate(before, answer.states[0]) and evaluate(after, answer.states[-1])
    assert min(answers.values()) > 5


def test_runs_through_large_blocks_name_original_edges() -> None:
    found = 0
    for seed in range(200):
        cfa = program(seed)
        if cfa is None:
            continue
        blocks = large_blocks(cfa)
        if not blocks.edges:
            continue
        path = walk(blocks, random.Random(seed))
        answer = follow(blocks, path, cfa.store.true, cfa.store.true)
        if answer is not None:
            found += 1
            assert is_run(cfa, path, answer), seed
    assert found > 5


def test_a_path_is_connected() -> None:
    cfa = next(c for seed in range(60) if (c := program(seed)) is not None)
    away = next(e for e in cfa.edges if e.source != cfa.initial)
    with pytest.raises(InternalError):
        PathFormula(cfa).extend(away)


def test_versions_are_shared_at_one_position_only() -> None:
    for seed in range(30):
        cfa = program(seed)
        if cfa is None:
            continue
        path, edges = PathFormula(cfa, (walked := walk(cfa, random.Random(seed)))[0].source), walked
        parts = [path.extend(e) for e in edges]
        for k in range(1, len(parts)):
            shared = free_vars(*parts[:k]).keys() & free_vars(*parts[k:]).keys()
            assert shared <= set(path.versions[k].values())
            assert all(path.unversioned(path.at(x, k), k) is x for x in cfa.variables)
