"""The recursive examples: right ones are proved, broken ones refuted, and compiled runs do what the
traces say.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import obligato
from obligato.frontends.registry import language_of
from obligato.models.procedures import Script
from obligato.program.interpreter import Interpreter
from obligato.program.names import original_name
from obligato.program.syntax import Havoc
from obligato.results.outcome import Verdict
from obligato.results.replay_script import ScriptOracle
from obligato.results.values import from_json
from obligato.terms import Value, to_signed

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "recursion"
RIGHT = sorted(f for f in FOLDER.glob("*.c") if not f.stem.endswith("_bug"))
BROKEN = sorted(FOLDER.glob("*_bug.c"))
LONG = ("ackermann", "mccarthy91")  # ten seconds each


def test_there_is_a_broken_one_for_each() -> None:
    assert len(RIGHT) == 10 and [f"{f.stem}_bug" for f in RIGHT] == [f.stem for f in BROKEN]


@pytest.mark.parametrize(
    "path", [pytest.param(f, id=f.stem, marks=[pytest.mark.slow] * (f.stem in LONG)) for f in RIGHT]
)
def test_right(path: Path) -> None:
    outcome = obligato.verify(path, timeout=120, isolated=False)
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("path", BROKEN, ids=lambda f: f.stem)
def test_broken(path: Path, tmp_path: Path) -> None:
    outcome = obligato.verify(path, "summaries", timeout=120, isolated=False)
    assert (
        outcome.verdict is Verdict.FALSE
        and outcome.trace is not None
        and outcome.trace.script is not None
    )
    inputs = _inputs(path, outcome.trace.script)
    stub = tmp_path / "inputs.c"
    stub.write_text(
        "\n".join(
            _function(name, kind, inputs)
            for name, kind in (
                ("__VERIFIER_nondet_int", "int"),
                ("__VERIFIER_nondet_uint", "unsigned"),
            )
        )
    )
    program = tmp_path / "program"
    subprocess.run(
        ["cc", "-w", "-O0", "-o", str(program), str(path), str(stub)], check=True, timeout=60
    )
    # reach_error aborts
    assert subprocess.run([str(program)], check=False, timeout=60).returncode == -6


def _function(name: str, kind: str, inputs: list[tuple[str, int]]) -> str:
    values = [str(value) for source, value in inputs if source == name]
    return (
        f"{kind} {name}(void) {{ static int n; static long v[] = {{ {', '.join([*values, '0'])} }};"
        " return v[n++]; }"
    )


def _inputs(path: Path, told: dict[str, list[list[object]]]) -> list[tuple[str, int]]:
    """The values that the environment's functions return in the run, by function."""
    program = language_of(path).load(path, data_model="LP64", property="assertions")
    sorts = {
        x.name: x.sort for p in program.procedures.values() for x in _variables(program, p.name)
    }
    values: tuple[tuple[str, Value], ...] = tuple(
        (str(n), from_json(v, sorts[original_name(str(n))])) for n, v in told["values"]
    )
    execution = Interpreter(program).start(ScriptOracle(Script({}, values, tuple(told["choices"]))))  # type: ignore[arg-type]
    found: list[tuple[str, int]] = []
    while execution.result is None:
        s = execution.code.instructions[execution.pc].statement
        for step in execution.steps(1):
            if isinstance(s, Havoc) and s.source:
                (value,) = step.inputs.values()
                assert isinstance(value, int)
                found.append((s.source, to_signed(value, 32)))
    return found


def _variables(program: object, name: str) -> list:  # type: ignore[type-arg]
    from obligato.program.activation import procedure_scalars
    from obligato.program.syntax import Program

    assert isinstance(program, Program)
    return [program.store.var(n, s) for n, s in procedure_scalars(program.procedures[name])]
