"""The IVL reader: what a person writes, and what the messages say when it is wrong."""

import random
from collections.abc import Callable
from contextlib import suppress

import pytest

from obligato.errors import InputError
from obligato.frontends.ivl import load, parse
from obligato.program.printer import program_text
from obligato.program.syntax import (
    LIMIT,
    Assert,
    Assign,
    Call,
    Choice,
    Goto,
    Havoc,
    If,
    Label,
    Return,
    While,
)
from tests.support.programs import random_program

RICH = """
// every construct once
entry start;
record point { x: int; y: int; }
var total: bv32 := 0;                 /* literals take the sort they meet */
var a: array[bv8]bv32 := array[bv8]bv32(0);
var ps: array[int]point;
var f: float32 := 0.1;

proc add(p: point, k: int) returns (q: point, ok: bool) {
  q := p;
  q.x := p.x + k;
  ok := q.x > 0 || !(k >= 0);
  return;
}
proc start() {
  var i, j: bv8 := 3;
  var p: point; var ok: bool;
  head:
  while (i <s 10 && j != 255bv8) {
    havoc j;
    a[i] := a[j] + zext(i, 32) << 2;
    i, j := j, i;
    if (*) { goto head, done; } else if (i[3:0] ++ j[7:4] == 0x0f) { total := total /u 3; } else { }
  }
  done:
  ps[3].x := 4;
  p := ps[3];
  p, ok := add(p, -1);
  choose { assume ok; } or { f := f * 2.5 + fp_sqrt(RTZ, f); }
  havoc i approximates "something unknown";
  assert "in range": p.x <= 4 ==> ok;
  assert [limit] "objects": total <=u 100;
  halt;
}
"""


def test_every_construct() -> None:
    program = parse(RICH, "rich.ivl")
    assert program.entry == "start"
    kinds = [type(s) for s in program.procedures["start"].body]
    assert kinds[:3] == [Assign, Label, While]  # `var i, j := 3` is an assignment
    assert {Choice, Call, Havoc, Assert} <= set(kinds)
    assert program_text(parse(program_text(program))) == program_text(program)


def test_statements_know_their_place() -> None:
    body = parse(RICH, "rich.ivl").procedures["start"].body
    assert str(body[0].span) == "rich.ivl:17:3"
    loop = body[2]
    assert isinstance(loop, While) and str(loop.span) == "rich.ivl:20:3"
    branch = loop.body[-1]
    assert (
        isinstance(branch, If) and branch.condition is None and str(branch.span) == "rich.ivl:24:5"
    )
    assert isinstance(branch.then[0], Goto) and branch.then[0].targets == ("head", "done")
    limit = body[-2]
    assert isinstance(limit, Assert) and (limit.label, limit.kind) == ("objects", LIMIT)


def test_return_with_values() -> None:
    body = (
        parse("proc f() returns (r: int) { return 1 + 2; } proc main() { var x: int; x := f(); }")
        .procedures["f"]
        .body
    )
    assert [type(s) for s in body] == [Assign, Return]


ERRORS = [
    ("proc main() { x := 1; }", "1:15", "unknown variable x"),
    ("var x: int;\nproc main() { x := true; }", "2:20", "int expected, found bool"),
    ("var x: bv8;\nproc main() { x := 256; }", "2:20", "256 does not fit in bv8"),
    (
        "var x: bv8; var y: bv9;\nproc main() {\n  x := x + y; }",
        "3:12",
        "operand of type bv8 expected, found bv9",
    ),
    (
        "var x: bv8;\nproc main() { assume x < 3; }",
        "2:24",
        "bit-vectors have no sign, write <s or <u",
    ),
    ("var x, s: int;\nproc main() { assume x <s; }", "2:26", "unexpected ';'"),
    ("var x: int;\nproc main() { var x: int; }", "2:19", "x hides a global variable"),
    ("proc main(x: int) { var x: int; }", "1:25", "x is declared twice"),
    ("proc main() {} proc main() {}", "1:16", "procedure main is declared twice"),
    ("proc main() { l: l: }", "1:18", "label l is declared twice"),
    ("proc main() { goto l; }", "1:15", "no label l"),
    ("proc f(a: int) {} proc main() { f(); }", "1:33", "f has 1 arguments, not 0"),
    ("proc f(a: int) {} proc main() { f(true); }", "1:35", "int expected, found bool"),
    (
        "proc f() returns (r: int) {} proc main() { var b: bool; b := f(); }",
        "1:57",
        "int expected, found bool",
    ),
    ("var x: int; proc main() { x := f(1); }", "1:32", "unknown procedure f"),
    ("var x: int; proc main() { x := 1 + abs2(1); }", "1:36", "no built-in function abs2"),
    ("var x: int; proc main() { x, x := 1, 2; }", "1:27", "assigned twice"),
    ("var x: int; proc main() { x := 1, 2; }", "1:27", "1 places but 2 values"),
    ("var x: thing; proc main() {}", "1:8", "unknown type thing"),
    ("proc f() {}", "1:1", "there is no procedure main"),
    ("proc main() {", "1:13", "unexpected end of the text"),
    ("proc main() { x = 1; }", "1:17", "unexpected '='"),
    ("var x: bv0; proc main() {}", "1:8", "a bit-vector has 1 to"),
    ("var x: float7; proc main() {}", "1:8", "unknown float format"),
    ("var x: int := 1 < 2 < 3; proc main() {}", "1:21", "comparisons do not chain"),
    ("var x: bv8 := 5bv8[8:0]; proc main() {}", "1:15", "has no bits 8:0"),
    ("var x: int := idiv(1); proc main() {}", "1:15", "idiv cannot be applied to (int)"),
    ("var x: bv8 := fp_to_sbv{8}(1, 2); proc main() {}", "1:15", "fp_to_sbv cannot be applied"),
    ("var x: bv8 := fp_to_sbv{0}(RNE, 1.0f32); proc main() {}", "1:25", "a bit-vector has 1 to"),
    ("record r { x: int; } var p: r; proc main() { p.y := 1; }", "1:46", "record r has no field y"),
    ("record r { x: int; } var p: r; proc main() { p := 1; }", "1:51", "record r expected"),
    ("var x: int := y; var y: int := 1; proc main() {}", "1:15", "unknown variable y"),
    ("var x: bv8 := " + "9" * 5000 + "; proc main() {}", "1:15", "9999 does not fit in bv8"),
    ("var x: real := 1.0e999999999; proc main() {}", "1:16", "an exponent beyond"),
    ("proc main() { assert [maybe] true; }", "1:22", "the class of an assertion"),
    ('proc main() { assert "\\q": true; }', "1:22", "malformed escape"),
    ("proc main() { assume 1; }", "1:22", "a bool is expected, not a number"),
    ("proc abs() {} proc main() {}", "1:1", "abs is a built-in function"),
    ("/* no end", "1:1", "unexpected '/'"),
]


@pytest.mark.parametrize(("text", "place", "message"), ERRORS, ids=[m[:24] for _, _, m in ERRORS])
def test_errors_have_position_and_reason(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "f.ivl")
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"f.ivl:{place}: error: ")


def test_files_that_cannot_be_read(tmp_path: object) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load(f"{tmp_path}/none.ivl")
    bad = f"{tmp_path}/bad.ivl"
    with open(bad, "wb") as f:  # noqa: PTH123
        f.write(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot read"):
        load(bad)


def test_garbage_is_refused_politely() -> None:
    rng = random.Random(1)
    sources = [RICH, program_text(random_program(3)), program_text(random_program(4))]
    for _ in range(400):
        text = rng.choice(sources)
        for _ in range(rng.randint(1, 4)):
            at, length = rng.randrange(len(text)), rng.choice((0, 1, 1, 5, 40))
            insert = rng.choice(
                (
                    "",
                    rng.choice(text),
                    "}",
                    "(",
                    "é",
                    "bv9",
                    " if ",
                    '"',
                    "`",
                    "[",
                    "\x00",
                    text[:at][-30:],
                )
            )
            text = text[:at] + insert + text[at + length :]
        with suppress(InputError):
            parse(text)


DEEP: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "var x: int; proc main() { x := " + "(" * n + "1" + ")" * n + "; }",
    "minus": lambda n: "var x: int; proc main() { x := " + "-" * n + "x; }",
    "sums": lambda n: "var x: int; proc main() { x := " + "x + (1 - " * n + "1" + ")" * n + "; }",
    "long sum": lambda n: "var x: int; proc main() { x := " + " + ".join(["x"] * n) + "; }",
    "if": lambda n: "proc main() { " + "if (*) { " * n + "halt;" + "}" * n + "}",
    "else if": lambda n: "proc main() { " + "if (*) { halt; } else " * n + "{} }",
    "while": lambda n: "proc main() { " + "while (*) { choose { " * n + "}}" * n + "}",
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_nesting_is_read_and_printed(kind: str) -> None:
    program = parse(DEEP[kind](1_500))
    assert program_text(parse(program_text(program))) == program_text(program)


@pytest.mark.parametrize("kind", ["parentheses", "if"])
def test_very_deep_nesting_is_read(kind: str) -> None:
    assert parse(DEEP[kind](10_000)).procedures


def test_deep_types_and_records_are_refused() -> None:
    with pytest.raises(InputError, match="nested more than"):
        parse("var x: " + "array[int]" * 10_000 + "int; proc main() {}")
    wide = "record r0 { a: int; b: int; }" + "".join(
        f"record r{n} {{ a: r{n - 1}; b: r{n - 1}; }}" for n in range(1, 40)
    )
    with pytest.raises(InputError, match="too large or too deep"):
        parse(wide + "proc main() {}")
    deep = "record r0 { a: int; }" + "".join(
        f"record r{n} {{ a: r{n - 1}; }}" for n in range(1, 100)
    )
    with pytest.raises(InputError, match="too large or too deep"):
        parse(deep + "proc main() {}")
