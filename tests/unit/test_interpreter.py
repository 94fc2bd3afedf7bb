"""The interpreter: against the meaning of terms, on programs, and step by step."""

import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.errors import NO_SPAN, InternalError, Span
from obligato.frontends.ivl import parse
from obligato.program.compile import Slots, plain_value, stored_value, value_lines
from obligato.program.interpreter import Defaults, Interpreter, Oracle, Result, Status
from obligato.terms import ArrayValue, Sort, TermStore, Value, evaluate, free_vars
from tests.support.programs import random_program
from tests.termgen import MORE_SORTS, TermGen, random_value


class Script(Defaults):
    """Answers havocs and choices from a list, and logs every question."""

    def __init__(self, *answers: Value) -> None:
        self.answers = iter(answers)
        self.asked: list[str] = []

    def initial(self, name: str, sort: Sort) -> Value:
        self.asked.append(f"initial {name}")
        return super().initial(name, sort)

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        self.asked.append(f"havoc {name}")
        return next(self.answers, super().havoc(name, sort, span))

    def choose(self, count: int, span: Span) -> int:
        self.asked.append(f"choose {count}")
        choice = next(self.answers, 0)
        assert isinstance(choice, int)
        return choice


class Dice:
    """A random oracle."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def initial(self, name: str, sort: Sort) -> Value:
        return self.havoc(name, sort, NO_SPAN)

    def havoc(self, name: str, sort: Sort, span: Span) -> Value:
        value: Value = random_value(self.rng, sort)
        return value

    def choose(self, count: int, span: Span) -> int:
        return self.rng.randrange(count)


def run(text: str, oracle: Oracle | None = None, max_steps: int = 100_000) -> Result:
    return Interpreter(parse(text)).run(oracle or Defaults(), max_steps)


# -- compiled terms --------------------------------------------------------------------------------


@given(st.integers(0, 2**32))
@settings(max_examples=100)
def test_compiled_terms_mean_what_evaluate_says(seed: int) -> None:
    rng = random.Random(seed)
    source = TermGen(rng, TermStore.raw())
    terms = [source.term(s, 4) for s in MORE_SORTS]
    variables = list(free_vars(*terms))
    slots = Slots([v.name for v in variables])
    lines, values = value_lines(slots, terms)
    body = "\n".join(f" {line}" for line in (*lines, f"return [{', '.join(values)}]"))
    space = dict(slots.constants)
    exec(f"def f(G):\n{body}", space)
    for _ in range(3):
        assignment = {v: random_value(rng, v.sort) for v in variables}
        got = space["f"]([stored_value(assignment[v], v.sort) for v in variables])
        for t, value in zip(terms, got, strict=True):
            assert value == evaluate(t, assignment) and type(value) is type(
                evaluate(t, assignment)
            ), t


def test_large_terms_compile() -> None:
    wide = "x" + " + x" * 5_000
    deep = "x" + "".join(f" * 3 - ({n} ^ y" for n in range(2_000)) + ")" * 2_000
    result = run(
        f"var x, y: bv32 := 1; proc main() {{ y := {wide}; y := {deep}; assert y == y + 0; }}"
    )
    assert result.status is Status.FINISHED


# -- programs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("proc main() { assert true; }", Status.FINISHED),
        ("proc main() { assert false; }", Status.FAILED),
        ("proc main() { assume false; assert false; }", Status.STUCK),
        ("proc main() { halt; assert false; }", Status.FINISHED),
        ("proc main() { return; assert false; }", Status.FINISHED),
        ("proc main() { while (true) {} }", Status.STEP_LIMIT),
        ("proc main() { l: goto m; m: goto l; }", Status.STEP_LIMIT),
        ("proc main() { main(); }", Status.STEP_LIMIT),
        ("proc f() { halt; } proc main() { f(); assert false; }", Status.FINISHED),
        ("proc main() { goto l; assert false; l: }", Status.FINISHED),
        (
            "proc main() { if (false) { assert false; } else if (true) { halt; } assert false; }",
            Status.FINISHED,
        ),
        ("proc main() { choose { assert true; } or { assert false; } }", Status.FINISHED),
        (
            "var x, y: int := 1; var z: int := x + y; proc main() { assert z == 2; }",
            Status.FINISHED,
        ),
        (
            "var x, y: int; proc main() { x, y := 1, 2; x, y := y, x; assert x == 2 && y == 1; }",
            Status.FINISHED,
        ),
    ],
)
def test_how_runs_end(text: str, expected: Status) -> None:
    assert run(text).status is expected


def test_a_failed_assertion_is_named() -> None:
    result = run('proc main() {\n  assert "first": true;\n  assert [limit] "second": false; }')
    assert (result.label, result.kind, str(result.span)) == ("second", "limit", "<text>:3:3")


def test_recursion_and_deep_stacks() -> None:
    text = """
    proc sum(n: int) returns (r: int) { var rest: int; if (n > 0) { rest := sum(n - 1); r := n + rest; } else { r := 0; } }
    proc main() { var s: int; s := sum(5000); assert "sum": s == 12502500; assert "end": false; }"""
    assert run(text).label == "end"


def test_the_oracle_is_asked_in_order() -> None:
    oracle = Script(3, 1, 7, 8, True, 9, 1, 2, 0)
    text = """
    record r { a: int; b: bool; }
    var g: int; var h: int := 4; var rec: r;
    proc f(p: int) returns (q: int) { var l: r; havoc q; }
    proc main(m: int) { var x: int; havoc x; if (*) {} x := f(x); while (*) {} choose {} or {} or {} goto u, v; u: v: }"""
    assert run(text, oracle).status is Status.FINISHED
    assert oracle.asked == [
        "initial g",
        "initial rec.a",
        "initial rec.b",
        "initial main::m",
        "initial main::x",
        "havoc main::x",
        "choose 2",
        "havoc f::q",
        "havoc f::l.a",
        "havoc f::l.b",
        "havoc f::q",
        "choose 2",
        "choose 3",
        "choose 2",
    ]


def test_an_oracle_must_choose_an_existing_branch() -> None:
    with pytest.raises(InternalError, match="an oracle chose 5 of 2"):
        run("proc main() { if (*) {} }", Script(5))


ARRAYS = """
var a, b: array[bv8]int := array[bv8]int(0);
var n: array[bv8]array[bv8]int;
var x: int := 5;
proc change(c: array[bv8]int) returns (d: array[bv8]int) { c[1] := 100; d := c; c[1] := 200; }
proc main() {
  a[1] := 1;
  b := a;              // a copy
  a[1] := 2;
  assert "copy": b[1] == 1 && a[1] == 2;
  a, b := b, a;
  assert "swap": a[1] == 1 && b[1] == 2;
  a, x := a[1 := x][2 := a[1]], a[1];
  assert "parallel": a[1] == 5 && a[2] == 1 && x == 1;
  a := x == 1 ? a[3 := 7][4 := a[1]] : a[1 := 0];
  assert "ite": a[3] == 7 && a[4] == 5 && a[1] == 5;
  a := x == 2 ? a[3 := 8] : (x == 1 ? a : a[3 := 9]);
  assert "untouched": a[3] == 7;
  a := b[9 := 3];
  b[1] := 50;
  assert "from b": a[1] == 2 && a[9] == 3;
  b := change(a);
  assert "call": a[1] == 2 && b[1] == 100;
  n[1] := a;
  a[1] := 77;
  n[2] := n[1];
  n[1][1] := 11;
  assert "nested": n[1][1] == 11 && n[2][1] == 2 && a[1] == 77;
  assert "equal": n[2] == n[2][1 := 2] && n[1] != n[2];
}
"""


def test_arrays_are_values() -> None:
    result = run(ARRAYS)
    assert result.status is Status.FINISHED, result


def test_a_store_in_place_is_constant_time() -> None:
    text = """
    var a: array[bv32]bv32; var i: bv32 := 0;
    proc main() { while (i <u 30000) { a[i] := i; a := i == 0 ? a : a[i - 1 := i]; i := i + 1; } assert a[5] == 6; }"""
    execution = Interpreter(parse(text)).start(Defaults())
    assert execution.run().status is Status.FINISHED
    array = execution.value("a")
    assert isinstance(array, ArrayValue) and len(array.entries) == 30_000


def test_values_can_be_read() -> None:
    execution = Interpreter(
        parse("var g: int := 3; proc main() { var l: bool; l := true; g := 4; }")
    ).start(Defaults())
    assert execution.value("g") == 0  # before the first step
    steps = list(execution.steps())
    assert [(s.text, s.assignments) for s in steps] == [
        ("g := 3", {"g": 3}),
        ("l := true", {"main::l": True}),
        ("g := 4", {"g": 4}),
    ]
    assert execution.result == Result(Status.FINISHED, execution.code.procedure.span)
    assert plain_value(execution.globals[0]) == 4


# -- step by step ----------------------------------------------------------------------------------


def test_steps_show_calls_and_branches() -> None:
    text = """
    proc f(p: int) returns (q: int) { q := p + 1; }
    proc main() { var x: int; x := 1; while (x < 2) { x := f(x); } if (*) {} assert x == 3; }"""
    execution = Interpreter(parse(text)).start(Script(9, 1))
    steps = list(execution.steps())
    assert [(s.text, s.branch) for s in steps] == [
        ("x := 1", None),
        ("[x < 2]", 0),
        ("p := x", None),
        ("havoc q", None),
        ("q := p + 1", None),
        ("x := q", None),
        ("[!(x < 2)]", 1),
        ("if (*)", 1),
        ("assert x == 3", None),
    ]
    assert steps[3].inputs == {"f::q": 9}
    assert execution.result is not None and execution.result.status is Status.FAILED


@pytest.mark.parametrize("seed", range(80))
def test_stepping_and_running_agree(seed: int) -> None:
    interpreter = Interpreter(random_program(seed))
    fast, slow = interpreter.start(Dice(seed)), interpreter.start(Dice(seed))
    result = fast.run(3_000)
    list(islice(slow.steps(3_000), 10_000))
    assert (slow.result or Result(Status.STEP_LIMIT)) == result
    assert [fast.value(n) for n, _ in interpreter.global_scalars] == [
        slow.value(n) for n, _ in interpreter.global_scalars
    ]
