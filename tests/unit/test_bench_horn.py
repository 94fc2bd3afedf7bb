"""Horn clauses: Spacer's answer on the export equals explicit-state exploration; inputs, choices,
arrays, names, limits.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from obligato.frontends import ivl
from obligato.models.blocks import large_blocks
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.cfa_to_ts import to_transition_system
from obligato.models.importing import import_cfa
from obligato.models.properties import Assertion
from obligato.models.transition_system import TransitionSystem, functional
from obligato.program.inline import inline
from obligato.reports.horn import LIMITED, horn_text, system_horn_text
from obligato.smt.solver import SAT, UNSAT
from obligato.smt.spacer import solve_horn
from obligato.terms import INT, TermStore
from tests.support.explore import TooLarge, explore
from tests.support.programs import random_program

RLIMIT = 50_000_000
FORMS = ("cfa", "blocks", "system")


def export(cfa: CFA, form: str) -> str:
    if form == "cfa":
        return horn_text(cfa)
    blocks = large_blocks(import_cfa(cfa, TermStore()))
    return (
        horn_text(blocks) if form == "blocks" else system_horn_text(to_transition_system(blocks)[0])
    )


def explored(first: int, count: int) -> Iterator[tuple[int, CFA, bool]]:
    """So many random programs that are small enough, and whether their error is reachable."""
    seed = first
    while count:
        cfa = build_cfa(inline(random_program(seed)))
        try:
            reachable = explore(cfa, max_states=4000).reachable
        except TooLarge:
            pass
        else:
            yield seed, cfa, reachable
            count -= 1
        seed += 1


def disagreements(first: int, count: int) -> list[str]:
    return [
        f"seed {seed}, {form}: {answer}, reachable: {reachable}"
        for seed, cfa, reachable in explored(first, count)
        for form in FORMS
        if (answer := solve_horn(export(cfa, form), RLIMIT)[0]) is not (UNSAT if reachable else SAT)
    ]


def test_random_programs() -> None:
    assert disagreements(0, 30) == []


@pytest.mark.slow
def test_many_random_programs() -> None:
    assert disagreements(30, 530) == []


def cfa_of(text: str) -> CFA:
    return build_cfa(inline(ivl.parse(text)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "safe"),
    [
        # each havoc is a new value
        ("proc main() { var x, y: bv8; havoc x; havoc y; assert x == y; }", False),
        (
            (
                "proc main() { var x, y: bv8; havoc x; y := x; while (y <u 9) { y := y + 1; }"
                " assert x <=u y; }"
            ),
            True,
        ),
        # arrays, and names that a relation could have
        (
            (
                "var at: array[bv4]bv8; proc main() { var at1: bv4; havoc at; havoc at1; at[at1] :="
                " 3; assert at[at1] == 3; }"
            ),
            True,
        ),
        (
            (
                "var at: array[bv4]bv8; proc main() { var at1: bv4; havoc at; havoc at1; at[at1] :="
                " 3; assert at[0] == 3; }"
            ),
            False,
        ),
        # no variables at all
        ("proc main() { assert true; }", True),
        ("proc main() { assert false; }", False),
        # integers
        (
            "proc main() { var i: int; i := 0; while (i < 10) { i := i + 1; } assert i == 10; }",
            True,
        ),
    ],
)
def test_small_programs(text: str, safe: bool, form: str) -> None:
    assert solve_horn(export(cfa_of(text), form), RLIMIT)[0] is (SAT if safe else UNSAT)


def test_constraints_hold_in_the_last_state_too() -> None:
    s = TermStore()
    x, i = s.var("x", INT), s.var("reached", INT)
    step = {x: s.add(x, i)}
    for bound, safe in ((3, True), (4, False)):
        system = TransitionSystem(
            s,
            (x,),
            (i,),
            s.eq(x, s.int_(0)),
            functional(s, step),
            (Assertion("p", s.lt(x, s.int_(4))),),
            constraints=(s.le(x, s.int_(bound)), s.le(s.int_(0), i)),
        )
        assert solve_horn(system_horn_text(system), RLIMIT)[0] is (SAT if safe else UNSAT)


def test_limits_are_said() -> None:
    plain = cfa_of("proc main() { var x: bv8; havoc x; assert x == x; }")
    limited = build_cfa(
        inline(next(p for n in range(200) if _has_limit(p := random_program(n, limits=True))))
    )
    assert not horn_text(plain).startswith(LIMITED) and horn_text(plain, limited=True).startswith(
        LIMITED
    )
    assert horn_text(limited).startswith(LIMITED) and not horn_text(
        large_blocks(limited)
    ).startswith(LIMITED)


def _has_limit(program: object) -> bool:
    return "kind='limit'" in repr(program)
