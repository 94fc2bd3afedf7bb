"""Inlining: names, refusals, and that it changes no run."""

from itertools import islice

import pytest

from obligato.errors import Unsupported
from obligato.frontends.ivl import parse
from obligato.program.inline import inline
from obligato.program.interpreter import Interpreter
from obligato.program.printer import program_text
from obligato.program.syntax import Call, Label, statements
from obligato.program.validate import validate
from obligato.terms import Sort, Value, default_value
from tests.support.programs import random_program
from tests.unit.test_interpreter import Dice


def test_instances_have_names_of_their_own() -> None:
    program = inline(
        parse("""
    var g: int;
    proc f(a: int) returns (r: int) { var t: int; l: t := a; if (*) { goto l; } r := t; return; }
    proc main() { var x: int; x := f(1); x := f(x); g := x; }""")
    )
    names = [v.name for v in program.procedures["main"].locals]
    assert names == ["main::x", "f::a#1", "f::r#1", "f::t#1", "f::a#2", "f::r#2", "f::t#2"]
    labels = [s.name for s in statements(program.procedures["main"].body) if isinstance(s, Label)]
    assert labels == ["f::l#1", "f::#1", "f::l#2", "f::#2"]
    assert list(program.procedures) == ["main"]


def test_names_in_use_are_passed_over() -> None:
    program = inline(
        parse("proc f() { var t: int; l: } proc main() { var `f::t#1`: int; `f::l#2`: f(); }")
    )
    assert [v.name for v in program.procedures["main"].locals] == ["f::t#1", "f::t#3"]
    validate(program)


@pytest.mark.parametrize(
    ("text", "chain", "place"),
    [
        ("proc main() { main(); }", "main -> main", "1:15"),
        (
            "proc f() { g(); } proc g() { if (*) { f(); } } proc main() { f(); }",
            "f -> g -> f",
            "1:39",
        ),
    ],
)
def test_recursion_is_refused(text: str, chain: str, place: str) -> None:
    with pytest.raises(Unsupported, match=chain) as caught:
        inline(parse(text))
    assert caught.value.construct == "recursion" and str(caught.value.span) == f"<text>:{place}"


def test_recursion_that_is_not_called_is_no_problem() -> None:
    assert inline(parse("proc f() { f(); } proc main() { }")).procedures.keys() == {"main"}


def test_size_is_limited() -> None:
    doubling = "proc f0() {}" + "".join(
        f"proc f{n}() {{ f{n - 1}(); f{n - 1}(); }}" for n in range(1, 60)
    )
    with pytest.raises(Unsupported, match="more than the limit of 500000") as caught:
        inline(parse(doubling + "proc main() { f59(); }"))
    assert caught.value.construct == "inlining size"


def test_long_chains_of_calls_and_deep_nesting() -> None:
    chain = "proc f0() {}" + "".join(f"proc f{n}() {{ f{n - 1}(); }}" for n in range(1, 3_000))
    nest = "while (*) { " * 2_000 + "f2999();" + "}" * 2_000
    program = inline(parse(f"{chain} proc main() {{ {nest} }}"))
    assert not any(isinstance(s, Call) for s in statements(program.procedures["main"].body))


@pytest.mark.parametrize("seed", range(80))
def test_runs_stay_the_same(seed: int) -> None:
    program = random_program(seed)
    inlined = inline(program)
    validate(inlined)
    before = Interpreter(program).start(Dice(seed))
    after = Interpreter(inlined).start(SameDice(seed))
    views = [
        [
            (s.span, s.text, s.branch, list(s.assignments.values()))
            for s in islice(e.steps(5_000), 300)
        ]
        for e in (before, after)
    ]
    assert views[0] == views[1]
    assert len(views[0]) == 300 or before.result == after.result, program_text(program)


class SameDice(Dice):
    """The random oracle that wastes no numbers on the initial values of inlined variables."""

    def initial(self, name: str, sort: Sort) -> Value:
        return super().initial(name, sort) if "#" not in name else default_value(sort)
