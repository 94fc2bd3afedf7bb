"""Shortcuts through loops whose rounds depend on inputs: runs through them are runs of the program,
and errors behind many rounds are found.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import obligato
from obligato.engines.bmc import shortcuts
from obligato.engines.bmc.shortcuts import shortened
from obligato.engines.environment import Environment
from obligato.engines.ic3cfa.long_runs import long_runs
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.results.outcome import EngineResult, Verdict
from obligato.smt.factory import solver_factory
from obligato.terms import TermStore
from tests.engines.judge import checked, sample


@pytest.fixture(autouse=True)
def written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rounds are repeated, too, so that the checker shows them by induction."""
    monkeypatch.setattr(shortcuts, "WRITTEN", 0)


TO_N = """proc main() { var i: bv32; var n: bv32; var t: bv32; i := 0; havoc n; t := 5;
    while (i <u n) { t := i; i := i + 1; } assert i != 3000000000 || t != 2999999999; }"""
BY_INPUT = """proc main() { var x: bv16; var d: bv16; x := 0; havoc d; assume d <u 10 && d >u 0;
    while (*) { x := x + d; assume x <=u 50000; } assert x != 49999; }"""


def followed(text: str) -> tuple[EngineResult | None, str | None]:
    """What is found through shortcuts, and what the checker has against it."""
    program = parse(text)
    cfa = build_cfa(inline(program))
    env = Environment()
    blocks = in_blocks(import_cfa(cfa, TermStore()), env)
    found = long_runs(blocks, solver_factory(sorts_of(blocks), stats=env.stats, seed=0), env)
    return found, None if found is None else checked(program, cfa, found)


@pytest.mark.parametrize("text", [TO_N, BY_INPUT])
def test_errors_behind_many_rounds(text: str) -> None:
    """t is assigned, not read, in each round: the last one gives it its value."""
    found, objection = followed(text)
    assert found is not None and found.verdict is Verdict.FALSE and objection is None
    assert found.trace is not None and found.trace.repeats


def test_what_has_no_closed_form_has_no_shortcut() -> None:
    """A product, a sum of what changes, and a guard that is no comparison."""
    for body in ("x := x * 3;", "x := x + y; y := y + 1;", "assume x[2:1] == 1; x := x + 2;"):
        text = (
            f"proc main() {{ var x: bv8; var y: bv8; while (x <u 9) {{ {body} }} assert x == 9; }}"
        )
        known = sample(text)
        assert known is not None
        assert shortened(in_blocks(import_cfa(known[1], TermStore()), Environment())) is None, body


def _loops(rng: random.Random) -> str:
    """Two loops of words of four bits with inputs, which wrap around or not, and a test."""
    compare = ["<s", "<u", ">s", ">=u", "!=", "=="]

    def word() -> str:
        return rng.choice(["n", "x", "y", str(rng.randrange(16))])

    def loop(x: str, other: str) -> str:
        more = rng.choice(["1", "2", "3", "15", "13", "n"])
        inside = f"{other} := {rng.choice([x, f'{other} + {rng.randrange(1, 16)}'])};"
        branch = f"if ({x} {rng.choice(compare)} {word()}) {{ {inside} }}"
        stay = rng.choice([f"{x} {rng.choice(compare)} {word()}", "*"])
        return f"while ({stay}) {{ {rng.choice([inside, branch, ''])} {x} := {x} + {more}; }}"

    return f"""proc main() {{ var x: bv4; var y: bv4; var n: bv4; havoc n; x := {rng.randrange(16)};
        y := {rng.randrange(16)}; {loop("x", "y")} {loop("y", "x")}
        assert {rng.choice("xy")} != {rng.randrange(16)}; }}"""


def _judged(count: int) -> tuple[int, int, int]:
    """How many errors there are in random programs, how many are found through shortcuts with
    repeated rounds, and how many claims are wrong.
    """
    errors = found = wrong = 0
    for seed in range(count):
        known = sample(text := _loops(random.Random(seed)))
        if known is None:
            continue
        result, objection = followed(text)
        errors += known[2] is Verdict.FALSE
        if result is not None:
            wrong += objection is not None or known[2] is Verdict.TRUE
            found += bool(result.trace and result.trace.repeats)
    return errors, found, wrong


def test_runs_through_shortcuts_are_runs() -> None:
    """Against exploration, the interpreter and the induction of the checker."""
    errors, found, wrong = _judged(80)
    assert wrong == 0 and errors > 20 and found > 8


def test_few_rounds_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the interpreter replays them."""
    monkeypatch.setattr(shortcuts, "WRITTEN", 2000)
    found, objection = followed(BY_INPUT.replace("50000", "90").replace("49999", "82"))
    assert found is not None and found.trace is not None and objection is None
    assert not found.trace.repeats and len(found.trace.steps) > 8


@pytest.mark.parametrize("fault", ["wrapping around", "the last round only"])
def test_faults_are_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliberate faults in the conditions of a shortcut: the checker objects."""
    if fault == "wrapping around":
        monkeypatch.setattr(shortcuts._Shortcut, "_is_even", lambda self, t, _: t.store.true)
    else:
        real = shortcuts._Shortcut._throughout
        monkeypatch.setattr(
            shortcuts._Shortcut,
            "_throughout",
            lambda self, g: [self.last(x) for x in real(self, g)],
        )
    assert _judged(60)[2] > 0


def test_a_c_program_is_refuted(tmp_path: Path) -> None:
    """Through reduction, lifting and report; not without shortcuts."""
    file = tmp_path / "far.c"
    file.write_text(
        "void reach_error(void); int __VERIFIER_nondet_int(void);\n"
        "int main(void) { int got = 0, kept = 0, n = __VERIFIER_nondet_int();\n"
        "  while (got < n) { got++; kept += 2; if (kept > 90000000) return 0; }\n"
        "  int left = kept; while (left > 1) left -= 1;\n"
        "  if (left == 1 && kept == 8000000) reach_error(); return 0; }\n"
    )
    outcome = obligato.verify(file, "ic3cfa", isolated=False, timeout=60)
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None and outcome.trace.repeats
    again = obligato.verify(file, "ic3cfa", isolated=False, timeout=3, acceleration=False)
    assert again.verdict is Verdict.UNKNOWN
