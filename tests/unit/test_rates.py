"""Linear sums that rounds of a loop never make less: what is offered, what Houdini keeps of it, and
which programs are proved with it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

import obligato
from obligato.analysis.houdini import excludes_errors, houdini
from obligato.analysis.rates import rate_candidates
from obligato.analysis.rounds import loops
from obligato.engines import preparation
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.effect import path_effect, paths
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import Verdict
from obligato.smt import SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import INT, Op, Term, TermStore, Value, evaluate, free_vars

WORDS = """proc main() { var s: bv16; var i: bv16; s := 7; i := 0;
    while (i <s 1000) { choose { s := s + 2; } or { s := s + 5; } or { s := s - 3; } i := i + 1; }
    assert s <=s 5007 && s >=s 62543; }"""
INTEGERS = """proc main() { var s: int; var i: int; s := 7; havoc i; assume i >= 3;
    while (i < 1000) { choose { s := s + 2; } or { s := s + 5; } i := i + 1; }
    assert s <= 5 * i - 8; }"""
FALLING = """proc main() { var h: bv32; var v: bv32; h := 10; havoc v; assume v <s 300 && v >s 0;
    while (h >s 0) { h := h + v; v := v - 1; } assert v <s 0; }"""
FALLING_INTEGERS = FALLING.replace("bv32", "int").replace("<s", "<").replace(">s", ">")


def blocks_of(text: str) -> CFA:
    cfa = import_cfa(build_cfa(inline(parse(text))), TermStore())
    return in_blocks(cfa, Environment())


def kept(blocks: CFA, found: Mapping[int, list[Term]]) -> dict[int, list[Term]]:
    make = solver_factory(sorts_of(blocks), stats=SolverStats(), seed=0)
    return houdini(blocks, found, make, hard=found)


def _with_counter(blocks: CFA, found: Mapping[int, list[Term]]) -> dict[int, list[Term]]:
    """The candidates, and that the counter is at most 1000."""
    (loop,) = loops(blocks)
    i = next(x for x in blocks.variables if x.name.endswith("i"))
    op = Op.LE if i.sort is INT else Op.BVSLE
    bound = blocks.store.mk(op, (i, blocks.store.const(1000, i.sort)))
    return {loop.location: [*found.get(loop.location, ()), bound]}


@pytest.mark.parametrize("text", [WORDS, INTEGERS])
def test_sums_alone_are_the_proof(text: str) -> None:
    """With a bound of the counter they exclude the error, which the bound alone does not."""
    blocks = blocks_of(text)
    make = solver_factory(sorts_of(blocks), stats=SolverStats(), seed=0)
    found = _with_counter(blocks, rate_candidates(blocks))
    assert excludes_errors(blocks, kept(blocks, found), make)
    assert not excludes_errors(blocks, kept(blocks, _with_counter(blocks, {})), make)


@pytest.mark.parametrize("text", [FALLING, FALLING_INTEGERS])
def test_a_sum_of_what_changes_has_a_bound(text: str) -> None:
    """What is added changes its sign: only the sum with a multiple of it never grows."""
    blocks = blocks_of(text)
    found = kept(blocks, rate_candidates(blocks))
    assert any(len(free_vars(f)) == 2 for fs in found.values() for f in fs)


@pytest.mark.parametrize("with_sums", [True, False])
def test_a_program_is_proved(
    with_sums: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of sign in words; without the sums it is not proved in as many questions."""
    if not with_sums:
        monkeypatch.setattr(preparation, "rate_candidates", lambda blocks: {})
    file = tmp_path / "sum.c"
    file.write_text(
        "void reach_error(void); int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int a = 0, b = 300;\n"
        "  while (b > 0) {\n"
        "    if (__VERIFIER_nondet_int()) { a += 3; b -= 1; } else { a += 1; b -= 2; } }\n"
        "  if (a > 900 || a < 150) reach_error(); return 0; }\n"
    )
    outcome = obligato.verify(file, "ic3cfa", isolated=False, timeout=120 if with_sums else 3)
    assert (outcome.verdict is Verdict.TRUE) is with_sums


def _program(rng: random.Random) -> str:
    """A loop of words of four bits, which often wrap around."""
    a, b, c = (
        f"{x} := {x} {rng.choice('+-')} {rng.choice(['1', '2', '3', 'x', 'y'])};" for x in "xyx"
    )
    compare = rng.choice(["<s", "<u", ">s", ">u", "!="])
    return f"""proc main() {{ var x: bv4; var y: bv4; havoc x; assume x <u {rng.randrange(1, 16)};
        y := {rng.randrange(16)}; while ({rng.choice("xy")} {compare} {rng.randrange(16)})
        {{ choose {{ {a} }} or {{ {c} }} {b} }} assert x != {rng.randrange(16)}; }}"""


def _reachable(blocks: CFA) -> set[tuple[int, tuple[Value, ...]]]:
    """All states of a program by exploration."""
    variables = list(blocks.variables)
    todo = [
        (blocks.initial, values) for values in product(*(range(1 << x.width) for x in variables))
    ]
    seen: set[tuple[int, tuple[Value, ...]]] = set(todo)
    effects = {
        e.id: [path_effect(blocks.store, e.command, p) for p in paths(e.command)]
        for e in blocks.edges
    }
    while todo:
        location, values = todo.pop()
        for e in blocks.out(location):
            for effect in effects[e.id]:
                for inputs in product(*(range(1 << i.width) for i in blocks.inputs)):
                    state = dict(zip((*variables, *blocks.inputs), (*values, *inputs), strict=True))
                    if all(evaluate(g, state) for g in effect.guard):
                        after = tuple(evaluate(effect.pull(x), state) for x in variables)
                        if (e.target, after) not in seen:
                            seen.add((e.target, after))
                            todo.append((e.target, after))
    return seen


def test_what_is_kept_holds_in_every_reachable_state() -> None:
    """Random loops that wrap around, against exploration; sums of two words are among what is
    kept.
    """
    sums = 0
    for seed in range(100):
        blocks = blocks_of(_program(random.Random(seed)))
        found = kept(blocks, rate_candidates(blocks))
        sums += sum(len(free_vars(f)) == 2 for fs in found.values() for f in fs)
        for location, values in _reachable(blocks) if found else ():
            state = dict(zip(blocks.variables, values, strict=True))
            assert all(evaluate(f, state) for f in found.get(location, ())), seed
    assert sums > 2
