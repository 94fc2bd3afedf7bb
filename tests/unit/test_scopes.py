"""Which variable a name means at a place of a C program: in witnesses, in invariants as they are read, in
traces, and in the spans of what was read.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import Request
from obligato.frontends.c import load
from obligato.frontends.ivl import parse
from obligato.frontends.registry import language_of
from obligato.models.build import build_cfa
from obligato.models.transition_system import TransitionSystem
from obligato.program.inline import inline
from obligato.reports.c_trace import c_trace_lines
from obligato.reports.sarif import sarif_text
from obligato.reports.svcomp import witness_text
from obligato.reports.text import report
from obligato.results.outcome import Outcome, Verdict

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); "

# Every loop in them has an invariant about an x that is not the one that the name means there, or not for a
# reader that looks at the function as a whole; confirmed by putting it into the text where the witness says it.
PROGRAMS = {
    "a constant hides a global": """int x = 0;
int main(void) { int i = 0; { enum { x = 7 };
while (i < 10) { i++; if (__VERIFIER_nondet_int()) i = 0; } if (i > 10) reach_error(); }
if (x != 0) reach_error(); return 0; }""",
    "a constant inside of a record": """int x = 0;
int main(void) { int i = 0; { struct s { enum { x = 7 } k; } z; z.k = 7;
while (i < 10) { i++; if (__VERIFIER_nondet_int()) i = 0; } if (i > 10) reach_error(); }
if (x != 0) reach_error(); return 0; }""",
    "a constant in an expression": """int x = 0;
int main(void) { int i = 0; { i = (int)(enum { x = 7 })0;
while (i < 10) { i++; if (__VERIFIER_nondet_int()) i = 0; } if (i > 10) reach_error(); }
if (x != 0) reach_error(); return 0; }""",
    "a pointer hides a global": """int x = 0;
int main(void) { int n = 0; int a[2]; { int *x = a;
while (n < 9) { n++; x = a + 1; } if (n != 9) reach_error(); }
if (x) reach_error(); return 0; }""",
    "a block that has ended": """int x = 0;
int main(void) { int n = 0; { int x = 5; while (x < 9) x++; if (x != 9) return 0; }
while (__VERIFIER_nondet_int()) { n = n < 5 ? n + 1 : 0; if (x != 0) reach_error(); }
if (n > 5) reach_error(); return 0; }""",
    "a declaration that comes later": """int x = 0;
int main(void) { int n = 0;
while (__VERIFIER_nondet_int()) { n = n < 5 ? n + 1 : 0; if (x != 0) reach_error(); }
int x = n + 3; while (x < 20) x++; if (x != 20) reach_error(); return 0; }""",
    "a parameter, and a block in it": """int x = 0;
int f(int x) { int n = 0; while (n < x && n < 5) { n++; int x = 4; if (x + n > 9) reach_error(); }
if (n > 5) reach_error(); return n; }
int main(void) { f(3); f(__VERIFIER_nondet_int()); if (x) reach_error(); return 0; }""",
    "static variables": """int x = 0;
void f(void) { static int x = 3; { static int x = 9; while (x < 12) x++; if (x != 12) reach_error(); }
int n = 0; while (n < 4) n++; if (n != 4 || x != 3) reach_error(); }
int main(void) { f(); f(); if (x) reach_error(); return 0; }""",
    "a global declared again in a block": """int x = 0;
int main(void) { int n = 0; int x = 4;
{ extern int x; while (n < 5) { n++; if (x != 0) reach_error(); } }
while (n < 9) n++; if (x != 4 || n != 9) reach_error(); return 0; }""",
    "loops in loops": """int main(void) {
for (int i = 0; i < 20; i++) { for (int i = 100; i < 200; i++) { if (i < 100) reach_error(); } if (i > 20) reach_error(); }
for (int i = -30; i < 0; i++) { if (i > 0) reach_error(); }
return 0; }""",
    "blocks of a macro": """int x = 0;
#define LOOP(k) { int x = k; while (x < 9) { x++; { int x = 30; while (x < 33) x++; if (x != 33) reach_error(); } } }
int main(void) { LOOP(5) LOOP(__VERIFIER_nondet_int() & 1) if (x) reach_error(); return 0; }""",
    "a jump out of a block": """int x = 1;
int main(void) { int n = 0; int x = 6;
again: n++; { int x = 2; if (n < 9 && __VERIFIER_nondet_int()) { x = 11; goto again; } }
if (n > 9 || x != 6) reach_error(); return 0; }""",
}


def verified(folder: Path, text: str) -> Outcome:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    return obligato.verify(file, "ic3cfa", timeout=60, isolated=False)


def said(outcome: Outcome) -> list[tuple[int, str]]:
    """The lines of the invariants of a witness, and what they say."""
    data: list[Any] = yaml.safe_load(witness_text(outcome))[0]["content"]
    return [(i["invariant"]["location"]["line"], i["invariant"]["value"]) for i in data]


def shown(outcome: Outcome) -> dict[int, str | None]:
    assert outcome.certificate is not None
    return {i.line: i.source for i in outcome.certificate.invariants if i.source}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_witness_means_what_it_says(tmp_path: Path, text: str) -> None:
    """The witness is read back as C, where the compiler decides what a name means, and is proved again."""
    outcome = verified(tmp_path, text)
    assert outcome.verdict is Verdict.TRUE and said(outcome)
    claim = tmp_path / "witness.yml"
    claim.write_text(witness_text(outcome))
    again = recheck(Request(outcome.file, timeout=60), lambda kind, data: None, str(claim))
    assert again.verdict is Verdict.TRUE


def test_a_hidden_variable_is_not_said_but_shown(tmp_path: Path) -> None:
    outcome = verified(tmp_path, PROGRAMS["a constant hides a global"])
    assert said(outcome) == [(3, "((unsigned)i < 11u)")]
    assert shown(outcome)[3] == "::x == 0 && (unsigned)i < 11u"


def test_what_is_visible_is_said(tmp_path: Path) -> None:
    """Variables that share their name with others, where each of them is meant."""
    outcome = verified(tmp_path, PROGRAMS["a global declared again in a block"])
    before, after = said(outcome)
    assert before[0] == 3 and "(x == 0)" in before[1] and after[0] == 4 and "(x == 4)" in after[1]
    assert "x@2 == 4" in str(shown(outcome)[3])


def test_a_trace_tells_variables_of_one_name_apart(tmp_path: Path) -> None:
    text = """int x;
struct p { int a, b; };
void set(void) { x = 7; }
int main(void) {
  int x = 1;
  set();
  struct p r = { 1, 2 };
  for (int i = 0; i < 2; i++) { struct p r = { 3, i };
    x += r.b; }
  for (int i = 0; i < 3; i++) { struct p r = { 3, i }; r.a++;
    if (x == 2 && r.a == 4 && i == 2) reach_error(); }
  return r.a; }
"""
    outcome = verified(tmp_path, text)
    assert outcome.trace is not None
    lines = list(c_trace_lines(outcome.trace))
    assert lines[-1].endswith("where x = 2, r.a = 4, i = 2")
    assert any("struct p r = { 1, 2 };    r.a = 1, r.b = 2" in line for line in lines)
    names = {name for step in outcome.trace.steps for name in step.assignments}
    assert {"x", "main::x", "r@7.a", "r@8.b", "r@10.a", "i@8", "i@10"} <= names


def test_spans_name_their_scope(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    file.write_text(HEAD + "\nint f(int x) {\n  { int x = 2; while (x < 9) x++; }\n"
                    "  while (x < 9) x++;\n  return x; }\nint main(void) { return f(1) + f(2); }\n")  # fmt: skip
    program = load(file)
    cfa = build_cfa(inline(program))
    scopes = {(e.span.function, e.span.line, e.span.scope) for e in cfa.edges if e.span.line}
    assert {("f", 3, "f/x@3"), ("f", 4, "f/x@2")} <= scopes
    assert program.places.meaning("x", "f/x@3") == "f/x@3"
    assert program.places.scopes["f/x@3"].around == "f/x@2"
    assert {"f/x@2", "f/x@3"} <= set(program.places.homes.values())


FIRST = (
    HEAD
    + """static int x = 3; int get(void); void tick(void);
int main(void) { int n = 0;
while (__VERIFIER_nondet_int()) { n = n < 5 ? n + 1 : 0; tick(); if (x != 3) reach_error(); }
if (n > 5 || get() > 9) reach_error(); return 0; }
"""
)
SECOND = """static int x = 0; int get(void) { return x; }
void tick(void) { for (int i = 0; i < 2; i++) { int x = i; if (x > 1) break; }
while (x > 8) x--;
x++; }
"""


def test_a_witness_over_several_files_has_the_names_of_each(tmp_path: Path) -> None:
    """Both files have a static variable x, which have other names where they are put together."""
    files = [tmp_path / "first.c", tmp_path / "second.c"]
    for file, text in zip(files, (FIRST, SECOND), strict=True):
        file.write_text(text)
    outcome = obligato.verify([*map(str, files)], "ic3cfa", timeout=60, isolated=False)
    assert "__in_" not in witness_text(outcome)
    found = said(outcome)
    assert any(line == 3 and "(x == 3)" in value and "(n < 6)" in value for line, value in found)
    assert (3, "((unsigned)x < 10u)") in found


LUSTRE = """node count(r: bool) returns (n: int);
let n = if r then 0 else (0 -> pre n) + 1;
  --%PROPERTY n < 5;
tel
node top(a, b: bool) returns (x, y: int);
let x = count(a); y = count(b);
  --%MAIN;
  --%PROPERTY x < 3;
tel
"""
SMV = """MODULE cell(up)
VAR n : 0..7;
ASSIGN init(n) := 0; next(n) := up & n < 7 ? n + 1 : n;
INVARSPEC n < 7;
MODULE main
VAR a : cell(TRUE); b : cell(FALSE);
INVARSPEC a.n >= b.n;
"""


VERILOG = """module cell(input clk, input a);
  reg s = 0;
  always @(posedge clk) begin s <= s | a; low: assert (!s); end
endmodule
module top(input clk, input a);
  cell u(clk, a);
  reg s = 0;
  always @(posedge clk) begin s <= s | a; assert (!s); end
endmodule
"""
SMV_LIVE = SMV + "LTLSPEC G F a.n = 0;\nCTLSPEC EF a.n = 6;\n"
VMT = """(declare-fun x () Bool)
(declare-fun y () Bool)
(define-fun nx () Bool (! x :next y))
(define-fun i () Bool (! x :init true))
(define-fun t () Bool (! (= y (not x)) :trans true))
(define-fun p () Bool (! x :invar-property 0))
(define-fun q () Bool (! x :live-property 1))
"""
BTOR2 = (
    "1 sort bitvec 1\n2 zero 1\n3 state 1 x\n4 init 1 3 2\n5 next 1 3 -3\n6 bad 3\n7 justice 1 3\n"
)
AIGER = "aag 1 0 1 0 0 1 0 1\n2 3\n2\n1\n2\n"
BINARY = "aig 1 0 1 0 0 1 0 1\n3\n2\n1\n2\n"
PLACES = [
    ("p.lus", LUSTRE, [(8, "top"), (3, "count:6:9"), (3, "count:6:23")]),
    ("p.smv", SMV_LIVE, [(4, "a"), (4, "b"), (7, "main"), (8, "main"), (9, "main")]),
    ("p.vmt", VMT, [(6, ""), (7, "")]),
    ("p.btor2", BTOR2, [(6, ""), (7, "")]),
    ("p.aag", AIGER, [(3, ""), (4, "")]),
    ("p.aig", BINARY, [(3, ""), (4, "")]),
    pytest.param(
        "p.sv",
        VERILOG,
        [(8, "top"), (3, "u")],
        marks=pytest.mark.skipif(shutil.which("yosys") is None, reason="needs yosys"),
    ),
]


@pytest.mark.parametrize(("name", "text", "places"), PLACES)
def test_properties_have_a_place_and_the_instance_they_are_about(
    tmp_path: Path, name: str, text: str, places: list[tuple[int, str]]
) -> None:
    file = tmp_path / name
    file.write_text(text)
    system = language_of(file).load(file)
    assert isinstance(system, TransitionSystem)
    assert {p.span.file for p in system.properties} == {str(file)}
    assert sorted((p.span.line, p.span.scope) for p in system.properties) == sorted(places)


def test_places_of_a_call_are_the_callers(tmp_path: Path) -> None:
    """Where a function is entered, its variables get values, but the place is the call's."""
    c, ivl = tmp_path / "p.c", tmp_path / "p.ivl"
    c.write_text("int f(void) { int y = 3;\nreturn y; }\nint main(void) {\nreturn f(); }\n")
    ivl.write_text("proc f() returns (r: int) { r := 3; }\nproc main() { var y: int;\ny := f(); }")
    for program, scope in ((load(c), "main"), (parse(ivl.read_text(), str(ivl)), "main")):
        cfa = build_cfa(inline(program))
        spans = [(x.span.line, x.span.function, x.span.scope) for x in cfa.locations.values()]
        last = max(spans)[0]
        assert {(f, s) for line, f, s in spans if line == last} == {("main", scope)}
        assert any(f == "f" and line < last for line, f, _ in spans)


def test_an_infinite_run_tells_where_its_formula_stands(tmp_path: Path) -> None:
    file = tmp_path / "p.smv"
    file.write_text(SMV_LIVE)
    outcome = obligato.verify(file, property="ltl0", timeout=60, isolated=False)
    assert outcome.trace is not None and outcome.trace.loop is not None
    last = outcome.trace.steps[-1]
    assert (last.file, last.line) == (str(file), 8)
    place = json.loads(sarif_text(outcome))["runs"][0]["results"][0]["locations"][0]
    assert place["physicalLocation"]["region"]["startLine"] == 8


def test_a_report_names_the_instance_of_a_module(tmp_path: Path) -> None:
    file = tmp_path / "p.smv"
    file.write_text(SMV)
    assert "violated: property invar0 (a.invar0)" in report(
        obligato.verify(file, "ic3bmc", timeout=60, isolated=False)
    )
