"""SMV: the meaning of the language on both readers, errors with their places, specifications,
processes, random models.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from obligato import verify
from obligato.api.reading import select_properties
from obligato.errors import InputError, Unsupported
from obligato.frontends.smv import load, read
from obligato.frontends.smv.concrete import Bits
from obligato.frontends.smv.interpreter import Simulation
from obligato.frontends.smv.parser import parse
from obligato.models.properties import formulas_of
from obligato.results.outcome import Verdict
from obligato.terms import evaluate
from tests.support.smv import outcome
from tests.support.smv_models import Generator


@pytest.mark.parametrize("block", range(4))
def test_random_models(block: int) -> None:
    for case in range(block * 30, block * 30 + 30):
        kind, complaints = outcome(Generator(random.Random(case)).model(), random.Random(case))
        assert not complaints, (case, kind, complaints)


# -- constants: what nuXmv's manual says about words and numbers, on both readers ------------------

VALUES = [
    ("0ud8_200 + 0ud8_100", Bits(False, 8, 44)),
    ("0sd8_128 / -0sd8_1", Bits(True, 8, 128)),
    ("-0sd8_7 / 0sd8_2", Bits(True, 8, 256 - 3)),
    ("-0sd8_7 mod 0sd8_2", Bits(True, 8, 255)),
    ("0ud8_7 / 0ud8_0", Bits(False, 8, 255)),
    ("0ud8_7 mod 0ud8_0", Bits(False, 8, 7)),
    ("-7 / 2", -3),
    ("-7 mod 2", -1),
    ("7 / -2", -3),
    ("7 mod -2", 1),
    ("0sd4_8 >> 1", Bits(True, 4, 12)),
    ("0ud4_8 >> 1", Bits(False, 4, 4)),
    ("0ud4_9 << 0ud8_1", Bits(False, 4, 2)),
    ("0ud4_9 << 0ud8_200", Bits(False, 4, 0)),
    ("0sd4_8 >> 0ud8_200", Bits(True, 4, 15)),
    ("0b2_10 :: 0b2_01", Bits(False, 4, 9)),
    ("signed(0b2_10) :: 0b2_01", Bits(False, 4, 9)),
    ("extend(0sd4_9, 4)", Bits(True, 8, 249)),
    ("extend(0ud4_9, 4)", Bits(False, 8, 9)),
    ("resize(0sd4_9, 2)", Bits(True, 2, 3)),
    ("resize(0sd4_6, 2)", Bits(True, 2, 0)),
    ("resize(0ud4_9, 2)", Bits(False, 2, 1)),
    ("0ud8_180[6:3]", Bits(False, 4, 6)),
    ("0h_ff", Bits(False, 8, 255)),
    ("0o3_7", Bits(False, 3, 7)),
    ("toint(0sd4_9)", -7),
    ("toint(0ud4_9)", 9),
    ("toint(TRUE)", 1),
    ("word1(TRUE)", Bits(False, 1, 1)),
    ("bool(0b1_1)", True),
    ("swconst(-3, 4)", Bits(True, 4, 13)),
    ("uwconst(3, 4)", Bits(False, 4, 3)),
    ("count(TRUE, FALSE, TRUE)", 2),
    ("0ud2_3 -> 0ud2_1", Bits(False, 2, 1)),
    ("0ud2_3 <-> 0ud2_1", Bits(False, 2, 1)),
    ("!0ud2_1", Bits(False, 2, 2)),
    ("0sd2_3 < 0sd2_1", True),
    ("0ud2_3 < 0ud2_1", False),
    ("FALSE -> FALSE -> FALSE", True),
    ("1 + 2 * 3", 7),
    ("TRUE ? 1 : 2", 1),
    ("2 in {1, 2}", True),
    ("3 in 1..2 union 3", True),
    ("abs(-4)", 4),
    ("max(-4, 3)", 3),
    ("sizeof(0ud9_1)", 9),
    ("TRUE | TRUE & FALSE", True),
    ("FALSE <-> FALSE -> FALSE", False),
    ("!FALSE = TRUE", True),
    ("-2 < 1 & 3 != 4", True),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values(text: str, expected: object) -> None:
    model = f"MODULE main VAR b : boolean; DEFINE d := {text}; INVARSPEC d = d;"
    simulation = Simulation(parse(model, "<text>"))
    define = next(d for d in simulation.main.module.defines)
    assert simulation.one(define.value, simulation.main) == expected
    spelled = {"TRUE": "TRUE", "True": "TRUE", "False": "FALSE"}.get(str(expected), str(expected))
    if isinstance(expected, Bits):
        spelled = f"0{'s' if expected.signed else 'u'}d{expected.width}_{expected.pattern}"
    system = read(f"MODULE main VAR b : boolean; INVARSPEC ({text}) = {spelled};").system
    assert evaluate(system.assertions[0].formula, {}) is True


REFUSED = [
    (
        "MODULE main VAR x : 0..3; ASSIGN next(x) := x + 1;",
        "1:34",
        "a value outside 0..3 is assigned, where x = 3",
    ),
    ("MODULE main VAR x : 0..3; ASSIGN init(x) := 0..4;", "1:34", "0..4 is not within 0..3"),
    (
        "MODULE main VAR x : boolean; ASSIGN next(x) := case x : TRUE; esac;",
        "1:48",
        "no condition of the case need hold",
    ),
    ("MODULE main VAR x : boolean; y : boolean; ASSIGN x := y; y := x;", "1:50", "circular"),
    (
        "MODULE main VAR x : boolean; ASSIGN next(x) := next(x);",
        "1:37",
        "the next value of x depends on itself",
    ),
    (
        "MODULE main VAR x : boolean; y : boolean; ASSIGN init(x) := y; init(y) := x;",
        "1:50",
        "the first value of x depends",
    ),
    ("MODULE main VAR x : boolean; DEFINE a := b; b := a; INVARSPEC a;", "1:45", "circular"),
    (
        "MODULE main VAR x : boolean; ASSIGN init(x) := TRUE; init(x) := FALSE;",
        "1:54",
        "x is assigned twice, first in line 1",
    ),
    (
        "MODULE main VAR x : boolean; ASSIGN x := TRUE; next(x) := FALSE;",
        "1:48",
        "x is assigned its current value, so that no first or next value can be",
    ),
    ("MODULE main VAR x : boolean; x : boolean;", "1:30", "x is declared twice"),
    ("MODULE main VAR x : boolean; INVARSPEC y;", "1:40", "y is not declared"),
    ("MODULE main VAR x : 0..3; INVARSPEC x;", "1:37", "a boolean is needed, not a value of 0..3"),
    ("MODULE main VAR x : word[3]; y : word[4]; INVARSPEC x = y;", "1:55", "do not go together"),
    ("MODULE main VAR x : word[3]; INVARSPEC x[3:1] = 0ud3_0;", "1:41", "there are no bits 3:1"),
    ("MODULE main VAR x : 0..3; INVARSPEC 1 / x = 0;", "1:39", "division by zero, where x = 0"),
    ("MODULE main VAR x : boolean; INIT next(x);", "1:30", "a next value cannot stand in INIT"),
    ("MODULE main IVAR x : boolean; INVAR x;", "1:31", "the input x cannot stand in INVAR"),
    (
        "MODULE main IVAR x : boolean; ASSIGN next(x) := TRUE;",
        "1:38",
        "x is an input: it cannot be assigned",
    ),
    (
        "MODULE main FROZENVAR x : boolean; ASSIGN next(x) := TRUE;",
        "1:43",
        "x is frozen: it cannot be assigned",
    ),
    (
        "MODULE main VAR x : boolean; INVARSPEC x = {TRUE, FALSE};",
        "1:44",
        "one value is needed, not a set",
    ),
    ("MODULE main VAR m : other(1);", "1:21", "there is no module other"),
    ("MODULE main VAR m : s(1); MODULE s(a, b)", "1:21", "module s has 2 parameters, not 1"),
    ("MODULE main VAR m : s; MODULE s VAR n : s;", "1:41", "module s contains itself"),
    ("MODULE s", "1:1", "there is no module main"),
    ("MODULE main VAR x : boolean; LTLSPEC G F [0, 3] x;", "1:42", "a bound of F is not supported"),
    (
        "MODULE main VAR x : boolean; SPEC ABF 0..3 x;",
        "1:35",
        "ABF (real-time CTL) is not supported",
    ),
    ("MODULE main VAR x : boolean; LTLSPEC x U x U x;", "1:44", "put parentheses"),
    (
        "MODULE main VAR a : array 0..1 of boolean; x : 0..2; INVARSPEC a[x];",
        "1:65",
        "index is outside the array, where x = 2",
    ),
    (
        "MODULE main VAR a : array 0..1 of boolean; INVARSPEC a[2];",
        "1:55",
        "index 2 is outside the array",
    ),
    ("MODULE main VAR x : boolean; COMPUTE MIN [x, x]", "1:30", "COMPUTE is not supported"),
    ("MODULE main VAR x : boolean; INVARSPEC x @", "1:42", "'@'"),
    (
        "MODULE main VAR x : boolean; LTLSPEC O F x;",
        "1:40",
        "the future operator F below a past operator",
    ),
    (
        "MODULE main VAR x : boolean; INVARSPEC {x, TRUE} in {TRUE};",
        "1:50",
        "a set on the left of `in`",
    ),
    ('MODULE main VAR x : boolean; "x\'" : boolean;', "1:30", "a name with one of '@"),
    (
        "MODULE main VAR _process_selector_ : boolean; m : process s; MODULE s",
        "1:8",
        "_process_selector_ is declared",
    ),
    ("MODULE main VAR x : boolean; DEFINE unused := y; INVARSPEC x;", "1:47", "y is not declared"),
    ("MODULE main VAR x : word[3]; INVARSPEC x[1] = 0b1_1;", "1:41", "bits of a word are w[i:i]"),
    ("MODULE main VAR x : boolean; SPEC AG " + "!" * 500 + " EF x;", "1:238", "nested so deeply"),
    (
        "MODULE main IVAR x : boolean; SPEC AG x;",
        "1:39",
        "an input or a next value cannot stand in a formula of CTL",
    ),
]


@pytest.mark.parametrize(("text", "place", "message"), REFUSED)
def test_refused(text: str, place: str, message: str) -> None:
    with pytest.raises(InputError) as problem:
        read(text, "m.smv")
    assert f"{problem.value.span.line}:{problem.value.span.column}" == place, problem.value
    assert message in problem.value.message


def test_nothing_is_refused_that_is_guarded() -> None:
    read("""MODULE main
VAR x : 0..3; y : 0..3; a : array 0..1 of boolean;
ASSIGN next(x) := case x < 3 : x + 1; TRUE : 0; esac;
DEFINE third := case y != 0 : 3 / y; TRUE : 0; esac;
INVARSPEC x < 2 ? a[x] | TRUE : third >= 0;""")


def test_a_deadlock_is_told() -> None:
    text = "MODULE main VAR x : 0..3; c : {red, green}; INIT x = 0; TRANS next(x) = x + 1;"
    (note,) = read(text + "INVARSPEC x < 4;").system.notes
    assert note.startswith(
        "the transition relation is not total; a state without a successor: x = 3, c = "
    )
    assert read(text.replace("x + 1", "(x + 1) mod 4") + "INVARSPEC x < 4;").system.notes == ()


def test_names_of_specifications() -> None:
    system = read("""MODULE main
VAR b : s(TRUE); a : s(FALSE);
INVARSPEC NAME mine := TRUE; LTLSPEC F TRUE;
MODULE s(p) VAR x : boolean; INVARSPEC NAME other := x = p; LTLSPEC G x""").system
    assert [p.name for p in system.properties] == [
        "invar0",
        "ltl0",
        "invar1",
        "ltl1",
        "invar2",
        "ltl2",
    ]
    assert system.display == {
        "invar0": "b.other",
        "ltl0": "b.ltl0",
        "invar1": "a.other",
        "ltl1": "a.ltl1",
        "invar2": "mine",
    }


def test_a_definition_in_another_instance() -> None:
    system = read(
        """MODULE main VAR m : s(self); n : s(m); DEFINE m.token := TRUE;
MODULE s(above) VAR x : boolean; DEFINE above.token := x; out := token;""".replace(
            "m.token", "n.token"
        )
    ).system
    assert {x.name for x in system.state} == {"m.x", "n.x"}


def test_many_definitions_are_no_recursion_error(tmp_path: Path) -> None:
    lines = "".join(f"d{n} := !d{n - 1};\n" for n in range(1, 3000))
    file = tmp_path / "m.smv"
    file.write_text(f"MODULE main VAR x : boolean; DEFINE d0 := x; {lines} INVARSPEC d2999;")
    assert len(load(file).assertions) == 1


def test_unsupported_has_its_construct() -> None:
    with pytest.raises(Unsupported) as problem:
        read("MODULE main VAR x : clock;")
    assert problem.value.construct == "clock"


# -- verdicts --------------------------------------------------------------------------------------

TURNS = """MODULE main
VAR p : boolean; q : boolean; r : 0..2;
ASSIGN init(r) := 0; next(r) := (r + 1) mod 3;
COMPASSION (p, q);
"""
ABOUT_TURNS = [
    ("LTLSPEC G F p -> G F q", True),
    ("LTLSPEC G F q", False),
    ("LTLSPEC G F (q | !p)", True),
    ("LTLSPEC G (r = 2 -> Y r = 1)", True),
    ("LTLSPEC G (r = 1 -> Y Y TRUE)", False),
    ("LTLSPEC G (r = 1 -> Z Z r = 2)", True),
    ("LTLSPEC G O r = 0 & X H r != 2", True),
    ("LTLSPEC F H r = 1", False),
    ("LTLSPEC G ((r != 0) S (r = 0))", True),
    ("LTLSPEC G ((r = 1) T (r = 0))", False),
    ("LTLSPEC G next(r) = (r + 1) mod 3", True),
    ("LTLSPEC X r = 1 & !X r = 0", True),
    ("LTLSPEC r = 2 V r < 3", True),
    ("LTLSPEC p U q", False),
    ("INVARSPEC next(r) != r", True),
    ("INVARSPEC next(r) > r", False),
]


def test_temporal_specifications(tmp_path: Path) -> None:
    file = tmp_path / "turns.smv"
    file.write_text(TURNS + ";\n".join(text for text, _ in ABOUT_TURNS) + ";\n")
    verdicts = verify(str(file), timeout=60, isolated=False).verdicts
    found = {v.property: v.verdict is Verdict.TRUE for v in verdicts if v.reason is None}
    counts: Counter[str] = Counter()
    for text, expected in ABOUT_TURNS:
        kind = "ltl" if text.startswith("LTL") else "invar"
        assert found[f"{kind}{counts[kind]}"] is expected, text
        counts[kind] += 1


def test_runs_are_infinite_for_ltl_and_not_for_invariants(tmp_path: Path) -> None:
    file = tmp_path / "stuck.smv"
    file.write_text(
        "MODULE main VAR x : 0..3; INIT x = 0; TRANS next(x) = x + 1; LTLSPEC FALSE; INVARSPEC x"
        " < 3;"
    )
    out = verify(str(file), timeout=60, isolated=False)
    assert [(v.property, v.verdict) for v in out.verdicts] == [
        ("invar0", Verdict.FALSE),
        ("ltl0", Verdict.TRUE),
    ]
    assert "not total" in out.notes[0]
    trace = next(v.trace for v in out.verdicts if v.trace is not None)
    assert [(s.kind, s.name, s.values) for s in trace.streams] == [
        ("state", "x", ("0", "1", "2", "3"))
    ]


def test_processes_take_turns(tmp_path: Path) -> None:
    file = tmp_path / "ring.smv"
    file.write_text("""MODULE main
VAR a : process inverter(b.out); b : process inverter(a.out);
INVARSPEC !(a.out & b.out);
LTLSPEC G F a.out;
MODULE inverter(i) VAR out : boolean; ASSIGN init(out) := FALSE; next(out) := !i; FAIRNESS running;
""")
    found = {v.property: v for v in verify(str(file), timeout=60, isolated=False).verdicts}
    assert found["invar0"].verdict is Verdict.TRUE and found["ltl0"].verdict is Verdict.FALSE


def test_integers_and_reals(tmp_path: Path) -> None:
    file = tmp_path / "numbers.smv"
    file.write_text("""MODULE main
VAR n : integer; x : real; up : boolean; c : 0..2;
INIT n = 0 & x = 0.5;
ASSIGN next(n) := up ? n + c : n; next(x) := x / 2 + 0.5;
INVARSPEC n >= 0; INVARSPEC x < 1; INVARSPEC n < 3; INVARSPEC (0 - n) / 2 >= -(n / 2);
""")
    found = {v.property: v.verdict for v in verify(str(file), timeout=60, isolated=False).verdicts}
    assert found == {
        "invar0": Verdict.TRUE,
        "invar1": Verdict.TRUE,
        "invar2": Verdict.FALSE,
        "invar3": Verdict.TRUE,
    }


def test_formulas_of_the_command_line_are_smv() -> None:
    text = (
        "MODULE main VAR c : {none, 0, 1}; n : -1..1; DEFINE low := n < 0; ASSIGN init(c) := 1;"
        " init(n) := -1;"
    )
    system = read(text).system
    chosen = select_properties(system, "ltl: G (c = 1 -> F (n = -1 & low))")
    (p,) = chosen.temporal
    first = dict(zip(system.state, (2, 3), strict=True))
    atoms = [evaluate(t, first) for t in formulas_of(p)]
    assert atoms == [True, True]
    (q,) = select_properties(system, "ctl: AG EF c in {none, 0}").branching
    assert str(q.formula).startswith("(EG true -> AG EF ")
    for wrong in (
        "ltl: G c = two",
        "ltl: G Y c = 1",
        "ltl: F 1 / n = 1",
        "ctl: AG next(c) = 1",
        "ltl: G c = 1 1",
    ):
        with pytest.raises(InputError):
            select_properties(system, wrong)
