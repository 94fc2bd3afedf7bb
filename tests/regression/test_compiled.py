"""Every FALSE about a C file in `false/` also happens when the file is compiled and given the
inputs of the trace.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.crosscheck.comparison import Run, parsed, stubs_of
from obligato.crosscheck.native import Original, build_original, run, toolchain
from obligato.errors import ConfigError
from obligato.frontends.c import load
from obligato.results.outcome import Outcome
from tests.regression.test_regression import asked, files, name

MODEL = "ILP32"
PROGRAMS = [f for f in files("false") if f.suffix == ".c"]
# some value of a variable reaches the error
UNINITIALISED = ("goto_past_declaration.c", "switch_past_declaration.c")
# an input is an address: another one in compiled code
GUESSED = ("guess_written.c", "guess_ordered.c", "guess_subtracted.c")


def given(outcome: Outcome, lines: list[str]) -> list[int]:
    """The inputs of a trace in order: the values at the lines that ask for some."""
    assert outcome.trace is not None
    steps = [s for s in outcome.trace.steps if s.line and "__VERIFIER_nondet_" in lines[s.line - 1]]
    return [int(str(v)) % 2**64 for s in steps for v in s.inputs.values()]


def compiled(path: Path, inputs: list[int], wraps: bool, folder: Path) -> Run:
    """What the compiled file does with the inputs."""
    try:
        tools = toolchain(MODEL)
    except ConfigError as problem:
        pytest.skip(str(problem))
    how = Original(stubs_of(load(path, data_model=MODEL)), wraps=wraps)
    binary = build_original(path, how, tools, folder, 1)
    (lines,) = run(binary, [inputs], tools, folder)
    return parsed(lines)


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=name)
def test_a_false_happens_in_compiled_code(path: Path, tmp_path: Path) -> None:
    prop = asked(path)
    outcome = obligato.verify(path, property=prop, data_model=MODEL)
    assert outcome.verdict.value == "false"
    lines = path.read_text(encoding="utf-8").splitlines()
    ran = compiled(path, given(outcome, lines), prop != "no-overflow", tmp_path)
    if path.name in UNINITIALISED + GUESSED:
        assert ran.end == "return"
    elif prop in ("assertions", "unreach-call"):
        assert ran.end.split(" ")[0] in ("error", "assertion")
    else:
        assert ran.end == "died"
