"""The example programs hold what their comments promise."""

from obligato.frontends.ivl import load, parse
from obligato.models.build import build_cfa
from obligato.program.inline import inline
from obligato.program.interpreter import Interpreter, Status
from obligato.program.syntax import Program
from tests.corpus import REPOSITORY
from tests.support.explore import explore
from tests.unit.test_interpreter import Dice, Script


def example(name: str) -> Program:
    return load(REPOSITORY / "examples" / f"{name}.ivl")


def test_peterson_excludes() -> None:
    assert not explore(build_cfa(inline(example("peterson")))).reachable


def test_average_overflows() -> None:
    result = Interpreter(example("average")).run(Script(200, 250))
    assert (result.status, result.label) == (Status.FAILED, "between")


def test_accounts_survive_random_runs() -> None:
    interpreter = Interpreter(example("accounts"))
    assert {interpreter.run(Dice(seed)).status for seed in range(100)} == {Status.FINISHED}


def test_all_examples_build() -> None:
    for path in sorted((REPOSITORY / "examples").glob("*.ivl")):
        assert build_cfa(inline(load(path))).edges


def test_the_language_page_shows_a_real_program() -> None:
    text = (REPOSITORY / "docs" / "ivl.md").read_text(encoding="utf-8")
    assert parse(text.split("```")[1]).procedures.keys() == {"step", "main"}
