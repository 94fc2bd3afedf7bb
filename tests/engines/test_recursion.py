"""Recursive programs: verdicts against tabulation and against runs of the interpreter, and claims
that must be refused.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from obligato.errors import NO_SPAN, Unsupported
from obligato.frontends.ivl import parse
from obligato.models.procedures import Contracts, Script, is_recursive, split_program
from obligato.program.interpreter import Status as Ending
from obligato.program.syntax import If
from obligato.program.tail_calls import without_tail_calls
from obligato.results.checking.certificate import Status
from obligato.results.checking.contracts import check_contracts
from obligato.results.checking.solving import Link, chain
from obligato.results.outcome import Verdict
from obligato.results.replay import Diverged
from obligato.results.replay_script import ScriptOracle, replay_script
from obligato.smt import SolverStats
from obligato.terms import INT, bitvec
from tests.engines.recursion_judge import decided, inlined
from tests.support.recursive import (
    PARTS,
    Tabulation,
    ending,
    random_recursive,
    random_runs,
    some_run_fails,
)
from tests.support.volume import parts

SUM = """
proc sum(n: int) returns (r: int) { var rest: int; if (n > 0) { rest := sum(n - 1); r := n + rest; } else { r := 0; } }
proc main() { var n, s: int; havoc n; s := sum(n); assert s >= WHAT; }"""


def links() -> list[Link]:
    return chain([bitvec(8)], ("sat",), SolverStats())


@pytest.mark.parametrize(
    ("what", "verdict"), [("0", Verdict.TRUE), ("n", Verdict.TRUE), ("n + 1", Verdict.FALSE)]
)
def test_sum(what: str, verdict: Verdict) -> None:
    assert decided(parse(SUM.replace("WHAT", what)))[0] is verdict


@pytest.mark.parametrize("first", [0, PARTS])
@pytest.mark.parametrize("block", parts(4, 4))
def test_random_programs_against_tabulation(first: int, block: int) -> None:
    """Blocks of 22 programs, or of 8 that also take words apart and put them together."""
    size = 8 if first == PARTS else 22
    for seed in range(first + size * block, first + size * block + size):
        program = random_recursive(seed)
        expected = Verdict.FALSE if Tabulation(program).violated() else Verdict.TRUE
        assert decided(program, debug=True)[0] is expected, seed
        assert inlined(program, 2 + seed % 5) in (expected, Verdict.UNKNOWN), seed


@pytest.mark.parametrize("block", parts(2, 2))
def test_random_programs_against_runs_of_the_interpreter(block: int) -> None:
    for seed in range(200 + 25 * block, 225 + 25 * block):
        program = random_recursive(seed)
        if some_run_fails(program, seed, runs=20):
            assert decided(program)[0] is Verdict.FALSE, seed


def test_tail_calls_are_jumps() -> None:
    """Both programs ask the same questions and end the same way; a jump saves the way back."""
    changed = 0
    for seed in range(300, 360):
        program = random_recursive(seed)
        loops = without_tail_calls(program)
        changed += loops is not program
        for answers, status in random_runs(program, seed, 10, 400):
            if loops is not program and status is not Ending.STEP_LIMIT:
                assert ending(loops, answers, 400) is status
    assert changed > 10


def test_what_is_no_tail_call() -> None:
    for body in (
        "r := f(x - 1); r := r + 1;",
        "t := f(x - 1);",
        "while (x != 0) { r := f(x - 1); }",
        "r := f(x - 1); g := 1; return;",
        "r := h(x);",
    ):
        text = (
            f"var g: bv2; proc f(x: bv2) returns (r: bv2) {{ var t: bv2; if (x != 0) {{ {body}"
            " } }"
        )
        program = parse(
            text + " proc h(x: bv2) returns (r: bv2) { r := f(x); } proc main() { var y: bv2; y :="
            " f(3); }"
        )
        assert without_tail_calls(program) is program


def test_the_entry_may_call_itself() -> None:
    text = (
        "var d: bv8 := 0; proc main() { var x: bv8; d := d + 1; assert d WHAT; if (d <u 3) {"
        " main(); } }"
    )
    assert decided(parse(text.replace("WHAT", "<u 4")))[0] is Verdict.TRUE
    assert decided(parse(text.replace("WHAT", "<u 3")))[0] is Verdict.FALSE


def test_halt_in_a_callee_ends_the_run() -> None:
    text = "proc f(x: bv8) { if (x == 0) { halt; } f(x - 1); } proc main() { f(3); assert false; }"
    assert decided(parse(text))[0] is Verdict.TRUE


def test_a_global_may_be_the_result_of_a_call_that_changes_it() -> None:
    text = """var g: bv8 := 1;
    proc f(x: bv8) returns (r: bv8) { var t: bv8; g := 7; if (x == 0) { r := 5; } else { g := f(x - 1); r := g; } }
    proc main() { g := f(2); assert g == WHAT; }"""
    assert decided(parse(text.replace("WHAT", "5")))[0] is Verdict.TRUE
    assert decided(parse(text.replace("WHAT", "7")))[0] is Verdict.FALSE


def test_deep_runs() -> None:
    text = (
        "proc f(n: bv8) returns (r: bv8) { if (n == 0) { r := 0; } else { r := f(n - 1); } } "
        "proc main() { var r: bv8; r := f(40); assert r != 0; }"
    )
    program = parse(text)
    assert decided(program)[0] is Verdict.FALSE and is_recursive(program)


def test_contracts_that_are_wrong_are_refuted() -> None:
    program = parse("""var g: bv8 := 0;
    proc f(n: bv8) returns (r: bv8) { assert n <u 9; g := n; if (n == 0) { r := 0; } else { r := f(n - 1); r := r + 1; } }
    proc main() { var r: bv8; r := f(5); assert r <u 6 && g == 0; }""")
    verdict, split, contracts = decided(program)
    assert verdict is Verdict.TRUE and isinstance(contracts, Contracts)
    f, store = contracts.procedures["f"], contracts.procedures["f"].requires.store
    for wrong in (
        replace(f, requires=store.true),
        replace(f, requires=store.false),
        replace(f, ensures=store.true),
        replace(f, ensures=store.false),
    ):
        claim = Contracts({**contracts.procedures, "f": wrong})
        assert check_contracts(split, claim, links()).status is Status.REFUTED
    assert (
        check_contracts(split, Contracts({"main": contracts.procedures["main"]}), links()).status
        is Status.REFUTED
    )
    local = replace(f, requires=store.eq(store.var("f::r", bitvec(8)), store.bv(0, 8)))
    assert (
        check_contracts(split, Contracts({**contracts.procedures, "f": local}), links()).obligation
        == "vocabulary"
    )


def test_scripts_that_are_wrong_are_refused() -> None:
    program = parse("""
    proc f(n: bv8) returns (r: bv8) { if (n == 0) { r := 0; } else { r := f(n - 1); choose {} or { r := 9; } } }
    proc main() { var r, x: bv8; havoc x; r := f(x); assert r == 0; }""")
    verdict, _, script = decided(program)
    assert verdict is Verdict.FALSE and isinstance(script, Script)
    assert replay_script(program, replace(script, values=())).problem is not None
    assert (
        replay_script(program, replace(script, choices=tuple(0 for _ in script.choices))).problem
        is not None
    )
    assert (
        replay_script(program, replace(script, values=(("main::y", 0), *script.values[1:]))).problem
        is not None
    )
    approximate = parse(
        """proc f() { var x: bv8; havoc x approximates "y"; if (x == 3) { f(); } assert x != 3; }
    proc main() { f(); }"""
    )
    assert replay_script(
        approximate, Script({}, (("f::x", 0), ("f::x", 3), ("f::x", 0), ("f::x", 0)), ())
    ).limited


def test_a_variable_named_like_a_value_at_the_entry_is_refused() -> None:
    text = (
        "var g: int; var `g@entry`: int; proc f() { assert `g@entry` == g; f(); g := 1; } proc"
        " main() { g := 1; f(); }"
    )
    with pytest.raises(Unsupported, match="g@entry"):
        split_program(parse(text))


def test_a_call_that_stands_in_two_places_is_no_tail_call() -> None:
    program = parse("proc f(n: int) { if (n > 0) { f(n - 1); } } proc main() { f(2); }")
    f = program.procedures["f"]
    (branch,) = f.body
    assert isinstance(branch, If)
    twice = replace(
        program, procedures={**program.procedures, "f": replace(f, body=(*branch.then, branch))}
    )
    assert without_tail_calls(program) is not program
    assert without_tail_calls(twice) is twice


def test_a_script_that_says_too_little_is_no_run() -> None:
    program = parse(
        "proc f(n: int) { f(n); } proc main() { var nothing: int; havoc nothing; assert nothing =="
        " 1; }"
    )
    for name in ("main::nothing", "nothing"):
        with pytest.raises(Diverged):
            ScriptOracle(Script({}, (), ())).havoc(name, INT, NO_SPAN)
    assert replay_script(program, Script({}, (), ())).problem is not None
