"""The generator of everyday C: its programs compile, are the same each time, and agree with the
compiler.
"""

import random
from pathlib import Path

import pytest

from obligato.crosscheck.native import toolchain
from obligato.errors import ConfigError
from tests.fuzz.everyday import OBSERVE, PROTOTYPES, inputs, program, standalone
from tests.fuzz.everyday_judge import read
from tests.fuzz.everyday_run import Native, _batch, _compared, _first
from tests.fuzz.everyday_scenes import details, templates


def test_a_number_stands_for_one_program() -> None:
    assert standalone(12) == standalone(12) != standalone(13)
    assert inputs(5, 3) == inputs(5, 3)
    assert len({program(n) for n in range(60)}) == 60


def test_details_are_filled_in() -> None:
    for n, template in enumerate(templates()):
        text = details(template, random.Random(n))
        assert not [line for line in text.splitlines() if "#" in line], template[:60]


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
def test_some_programs_agree(model: str) -> None:
    try:
        tools = toolchain(model)
    except ConfigError as problem:
        pytest.skip(str(problem))
    outcomes = [outcome for _, outcome in _batch([0, 1, 2, 5, 6, 8], tools)]
    assert [x for x in outcomes if x.startswith(("WRONG", "does not compile"))] == []
    assert sum(x.startswith("agree") for x in outcomes) >= 4


def test_a_difference_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        PROTOTYPES + OBSERVE + "int main(void) {\n  int x = __VERIFIER_nondet_int();\n"
        "  int y = __VERIFIER_nondet_int();\n  observe(x); observe(x * y); return 0; }\n"
    )
    reading = read(file, "LP64", "unreach-call", "auto")
    assert reading.run((3, -2), random.Random(1)) == ("finished", [3, 2**64 - 6])
    assert _compared(reading, (3, 5), Native([3, 15]), "auto") == "agree"
    assert _compared(reading, (3, 5), Native([3, 16]), "auto").startswith("WRONG")
    assert _first([1, 2], [1]) == "2 observations, ours 1"
