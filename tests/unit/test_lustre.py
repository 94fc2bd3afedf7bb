"""Lustre: the meaning of the language, on both readers; errors with their places; random
programs.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

import obligato
from obligato.api.registry import engine
from obligato.engines.environment import Environment
from obligato.errors import InputError, Unsupported
from obligato.frontends.lustre import load, read
from obligato.frontends.lustre.replay import replay
from obligato.models.ts_reduce import reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.outcome import Outcome, Verdict
from obligato.smt import SolverStats
from tests.support.lustre import Generator
from tests.support.lustre_runs import differences
from tests.support.volume import parts

verify = partial(obligato.verify, timeout=60, isolated=False)

COUNTER = """
node counter (reset: bool) returns (n: int);
let
  n = 0 -> if reset then 0 else pre n + 1;
  check "nonneg" n >= 0;
tel
"""


def run(tmp_path: Path, text: str) -> Outcome:
    """Verify a program."""
    file = tmp_path / "program.lus"
    file.write_text(text)
    return verify(str(file))


def decide(tmp_path: Path, text: str) -> tuple[Verdict, int]:
    """The verdict of IC3IA on a program, checked or replayed, and the number of steps of the
    trace.
    """
    file = tmp_path / "program.lus"
    file.write_text(text)
    system = load(file)
    small, lift = reduce_system(system, 1)
    chosen = engine("ic3ia")
    result = chosen.prove_system(small, chosen.options(), Environment())
    links = chain(sorts_of(system), (), SolverStats())
    if result.certificate is not None:
        check = check_system_certificate(system, lift.certificate(result.certificate), links)
        assert check.status is Status.ACCEPTED, check.obligation
        return Verdict.TRUE, 0
    assert result.trace is not None, result.reason
    confirmed = check_system_trace(system, lift.trace(result.trace), links)
    assert confirmed.trace is not None, confirmed.reason
    table, doubt = replay(str(file), confirmed.trace, confirmed.violated)
    assert not doubt and all(len(values) == len(confirmed.trace.steps) for _, _, values in table)
    return Verdict.FALSE, len(confirmed.trace.steps)


def streams(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """The streams of a counterexample by name."""
    assert outcome.trace is not None
    return {x.name: x.values for x in outcome.trace.streams}


TRUE = {
    "counter": COUNTER,
    "euclidean": (
        """
node top (x: int) returns (ok: bool);
let
  ok = x mod 3 >= 0 and x mod (-3) >= 0 and 3 * (x div 3) + x mod 3 = x and (-7) div 2 = -4 and (-7) mod 2 = 1;
  --%PROPERTY ok;
tel"""
    ),
    "machine integers wrap": (
        """
node top (x: int8; y: uint8) returns ();
let
  check x + (int8 1) > x or x = (int8 127);
  check (int8 127) + (int8 1) = (int8 (-128)) and (uint8 0) - (uint8 1) = (uint8 255);
  check (int8 (-7)) div (int8 2) = (int8 (-3)) and (int8 (-7)) mod (int8 2) = (int8 (-1));
  check (int8 (-1)) rsh (uint8 1) = (int8 (-1)) and (uint8 255) rsh (uint8 1) = (uint8 127);
  check (uint8 x) = (uint8 (int x)) and int y >= 0;
tel"""
    ),
    "not binds tighter than =": (
        """
node top (a, b: bool) returns ();
let
  check (not a = b) = (a xor b);
tel"""
    ),
    "condact holds": (
        """
node count () returns (n: int);
let n = 1 -> pre n + 1; tel
node top (c: bool) returns (n, ticks: int);
let
  n = condact(c, count(), 0);
  ticks = (if c then 1 else 0) + (0 -> pre ticks);
  check n = ticks;
tel"""
    ),
    "activate in a merge": (
        """
node count () returns (n: int);
let n = 1 -> pre n + 1; tel
node top (c: bool) returns (m: int);
var last_m, ticks: int;
let
  last_m = 0 -> pre m;
  m = merge(c; (activate count every c)(); last_m when not c);
  ticks = (if c then 1 else 0) + (0 -> pre ticks);
  check m = ticks;
tel"""
    ),
    "restart": (
        """
node count () returns (n: int);
let n = 0 -> pre n + 1; tel
node top (r: bool) returns (n, m: int);
let
  n = (restart count every r)();
  m = 0 -> if r then 0 else pre m + 1;
  check n = m;
tel"""
    ),
    "an assumption at the node, a guarantee to be proved": (
        """
node double (x: int) returns (y: int);
(*@contract
  assume x >= 0;
  guarantee y >= x;
  mode zero (require x = 0; ensure y = 0;);
  mode other (require not ::zero; ensure y > x;);
*)
let y = x + x; tel"""
    ),
    "imported node by its contract": (
        """
node imported source () returns (x: int);
con guarantee x >= 1; noc
node top () returns (s: int);
let
  s = source() -> pre s + source();
  check s >= 1;
tel"""
    ),
    "several nodes do not constrain each other": (
        """
node a (x: int) returns (y: int);
(*@contract assume x > 0; guarantee y > 0; *)
let y = x; tel
node b (x: int) returns (y: int);
(*@contract assume x < 0; guarantee y < 0; *)
let y = x; tel"""
    ),
    "a frame keeps what it leaves out": (
        """
node top (c: bool) returns (x: int);
let
  frame (x)
    x = 7;
  let
    if c then x = 8; fi
  tel
  check x = 7 or x = 8;
tel"""
    ),
    "arrays by elements, inductively": (
        """
const n: int = 4;
node top (a: int^n) returns (s: int^n);
let
  s[i] = if i = 0 then a[0] else s[i-1] + a[i];
  check s[3] = a[0] + a[1] + a[2] + a[3];
tel"""
    ),
    "enumerations and records": (
        """
type color = enum { red, green };
type point = struct { x: int; c: color };
node top (p: point) returns (q: point);
let
  q = p[x := p.x + 1];
  check q.x > p.x and (q.c = red or q.c = green);
  check true -> forall (k: color) (k = pre p.c => k <> red or k = red);
tel"""
    ),
    "a field is demanded only where it is used": (
        """
datatype d = A | B (n: int);
node top (i: int) returns (x: d; y: int);
let
  x = B(i);
  y = 0 -> (pre x).n;
  check true -> y = pre i;
tel"""
    ),
    "a polymorphic node": (
        """
node keep<T> (x: T) returns (y: T);
let y = x -> pre y; tel
node top (a: int; b: bool) returns ();
let
  check true -> keep(a) = pre keep(a);
  check keep@<bool>(b) = (b -> keep@<bool>(b));
tel"""
    ),
}
FALSE = {
    "an unguarded pre is any value": (
        "node top (x: int) returns (y: int); let y = pre x; check y >= 0; tel",
        1,
    ),
    "two instances have two first values": (
        (
            "node p () returns (y: bool); let y = pre true; tel node top () returns (); let check"
            " p() = p(); tel"
        ),
        1,
    ),
    "counter": (COUNTER.replace("n >= 0", "n < 3"), 4),
    "an assumption is violated at the call": (
        """
node root (x: int) returns (y: int);
(*@contract assume x >= 0; *)
let y = x; tel
node top (x: int) returns (y: int);
let y = root(x - 1); assert x >= 0; tel""",
        1,
    ),
    "modes must cover": (
        """
node top (x: int) returns (y: int);
(*@contract mode pos (require x > 0; ensure y > 0;); *)
let y = x; tel""",
        1,
    ),
    "a subrange of an output": (
        "node top (x: int) returns (y: subrange [0, 5] of int); let y = x; tel",
        1,
    ),
    "a property of a callee": (
        (
            "node n (x: int) returns (); let check x > 0; tel node top (x: int) returns (y: int);"
            " let n(x); y = x; tel"
        ),
        1,
    ),
    "a lazy condition is a clock, read at the first step too": (
        (
            "node top (c: bool) returns (y: int); let y = 0 -> (when pre c then (1 -> 2) else 3);"
            " check y <> 2; tel"
        ),
        2,
    ),
    "division by zero is any value": (
        "node top (x: int) returns (y: int); let y = 1 div x; check x = 0 => y = 0; tel",
        1,
    ),
}
REFUSED = {
    "node top (x: int) returns (y: int); let y = x + true; tel": (1, "expected int, not bool"),
    "node top (x: int) returns (y: int); let y = y + 1; tel": (1, "depends on itself"),
    "node top (x: int) returns (y, z: int); let y = z; z = y -> pre z; tel": (
        1,
        "depends on itself",
    ),
    "node top (x: int) returns (y: int);\nlet\n  y = x when x > 0;\ntel": (
        3,
        "when stands in a branch of a merge",
    ),
    "node top (x: int) returns (y: int); let tel": (1, "y is not defined"),
    "node top (x: int) returns (y: int); let y = 1; y = 2; tel": (1, "defined twice"),
    "function top (x: int) returns (y: int); let y = pre x; tel": (1, "cannot use pre"),
    "node top (x: int) returns (y: int); let y = f(x); tel": (1, "no node or function f"),
    "node top (x: int) returns (y: int); let y = x": (1, "expected ';'"),
    "node top (x: real) returns (y: real); let y = x + 1; tel": (1, "expected real, not int"),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_holds_is_proved(tmp_path: Path, name: str) -> None:
    assert decide(tmp_path, TRUE[name]) == (Verdict.TRUE, 0)


@pytest.mark.parametrize("name", FALSE)
def test_what_fails_is_refuted_and_replayed(tmp_path: Path, name: str) -> None:
    text, steps = FALSE[name]
    assert decide(tmp_path, text) == (Verdict.FALSE, steps)


@pytest.mark.parametrize("text", REFUSED)
def test_errors_say_where_and_what(text: str) -> None:
    line, message = REFUSED[text]
    with pytest.raises(InputError) as problem:
        read(text, "f.lus")
    assert problem.value.span.file == "f.lus" and problem.value.span.line == line
    assert message in problem.value.message


@pytest.mark.parametrize(
    ("construct", "text"),
    [
        (
            "pre of a set",
            "node top (x: set<int>) returns (y: bool); let y = true -> 1 in pre x; tel",
        ),
        ("recursion", "node a (x: int) returns (y: int); let y = a(x); tel"),
        (
            "symbolic size",
            "const n: int; const m: int; node top (x: int^(n - m)) returns (); let tel",
        ),
    ],
)
def test_constructs_that_are_not_modelled_are_named(construct: str, text: str) -> None:
    with pytest.raises(Unsupported) as problem:
        read(text)
    assert problem.value.construct == construct


def test_a_counterexample_is_a_table_of_streams(tmp_path: Path) -> None:
    found = streams(run(tmp_path, FALSE["counter"][0]))
    assert found["n"] == ("0", "1", "2", "3")
    assert found["reset"][1:] == ("false", "false", "false")


def test_invariants_are_written_in_lustre(tmp_path: Path) -> None:
    outcome = run(tmp_path, COUNTER)
    assert outcome.certificate is not None
    source = outcome.certificate.invariants[0].source
    assert source is not None and "pre n" in source and "(=" not in source


def test_an_unguarded_pre_is_noted_with_its_place(tmp_path: Path) -> None:
    outcome = run(
        tmp_path, "node top (x: int) returns (y: int);\nlet\n  y = pre x;\n  check y = y;\ntel"
    )
    assert outcome.verdict is Verdict.TRUE
    assert any("3:7" in note and "unguarded" in note for note in outcome.notes)


def test_a_program_without_properties_holds_and_says_so(tmp_path: Path) -> None:
    outcome = run(tmp_path, "node top (x: int) returns (y: int); let y = x; tel")
    assert outcome.verdict is Verdict.TRUE and any(
        "no properties" in note for note in outcome.notes
    )


def test_nesting_and_chains_may_be_deep() -> None:
    deep = "(" * 10_000 + "x" + ")" * 10_000
    chain = " + ".join(["x"] * 10_000)
    ifs = "".join(f"if x = {n} then {n} else " for n in range(3000)) + "0"
    read(f"node top (x: int) returns (a, b, c: int); let a = {deep}; b = {chain}; c = {ifs}; tel")


@pytest.mark.parametrize("block", parts(4, 2))
def test_random_programs_mean_the_same_to_both_readers(block: int) -> None:
    for seed in range(50 * block, 50 * block + 50):
        rng = random.Random(seed)
        text = Generator(rng).program()
        assert differences(text, rng) == [], f"seed {seed}:\n{text}"


def test_random_programs_mean_the_same_to_both_readers_by_their_contracts() -> None:
    for seed in range(1000, 1060):
        rng = random.Random(seed)
        text = Generator(rng).program()
        assert differences(text, rng, contracts="modular") == [], f"seed {seed}:\n{text}"


SPECIFIED = """
node double (x: int) returns (y: int);
con assume x >= 0; guarantee "enough" y >= x; noc
let y = x + x; tel
node top (x: int) returns (z: int);
con assume x > 0; noc
let
  z = double(x);
  check "positive" z > 0;
  check "exact" z = 2 * x;
tel
"""


def test_modular_analysis_gives_each_node_its_verdicts(tmp_path: Path) -> None:
    file = tmp_path / "program.lus"
    file.write_text(SPECIFIED)
    outcome = verify(str(file), contracts="modular")
    found = {v.property: v.verdict for v in outcome.verdicts}
    assert found["double.enough"] is Verdict.TRUE
    assert found["top.positive"] is Verdict.TRUE  # by the contract of double
    assert found["top.exact"] is Verdict.UNKNOWN  # the contract does not say so, but the body may
    assert verify(str(file)).verdict is Verdict.TRUE


def test_a_proof_that_rests_on_a_contract_needs_the_proof_of_the_contract(tmp_path: Path) -> None:
    file = tmp_path / "program.lus"
    contract = '(*@contract assume "given" x > 0; guarantee "enough" y > 0; *)'
    callee = f"node sub (x: int) returns (y: int); {contract} let y = 0 - x; tel"
    caller = (
        'node top (x: int) returns (y: int); let y = sub (if x > 0 then x else 1); check "p" y >'
        " 0; tel"
    )
    file.write_text(f"{callee}\n{caller}")
    outcome = verify(str(file), contracts="modular")
    found = {v.property: (v.verdict, v.reason) for v in outcome.verdicts}
    assert found["sub.enough"][0] is Verdict.FALSE
    assert found["top.p"] == (
        Verdict.UNKNOWN,
        "incomplete: it rests on sub.enough, which is not proved",
    )
    alone = verify(str(file), contracts="modular", property="top.p")
    assert (alone.verdict, alone.reason) == found["top.p"]
    file.write_text(file.read_text().replace("y = 0 - x", "y = x"))
    assert (
        verify(str(file), contracts="modular", property="top.p,sub.enough").verdict is Verdict.TRUE
    )


def test_contracts_do_not_prove_each_other(tmp_path: Path) -> None:
    def node(name: str, other: str) -> str:
        return (
            f"node {name} (x: int) returns (y: int); (*@contract guarantee y > 0; *) let y ="
            f" {other} (x); tel"
        )

    with pytest.raises(Unsupported, match="calls itself"):
        read(node("a", "b") + "\n" + node("b", "a"), contracts="modular")


@pytest.mark.parametrize(
    ("callee", "clause"),
    [
        ("node sub (x: int) returns (y: int); {} let y = x; tel", "assume exists (i: int) i > x"),
        (
            "node imported sub (x: int) returns (y: int); {}",
            "guarantee forall (i: int) (i <> y or i > 0)",
        ),
    ],
)
def test_one_unknown_value_does_not_stand_for_a_quantifier_on_the_other_side(
    callee: str, clause: str
) -> None:
    """An assumption is to be proved where the node is called; a guarantee is assumed where there is
    no body.
    """
    caller = 'node top (x: int) returns (y: int); let y = sub (x); check "p" y > 0; tel'
    with pytest.raises(Unsupported, match="quantifier over int"):
        read(callee.format(f"(*@contract {clause}; *)") + "\n" + caller)


def test_a_property_that_holds_for_no_good_reason_is_noted(tmp_path: Path) -> None:
    contract = "(*@contract assume x > 0; assume x < 0; guarantee y > 5; *)"
    contradiction = f"node top (x: int) returns (y: int); {contract} let y = x; tel"
    outcome = run(tmp_path, contradiction)
    assert outcome.verdict is Verdict.TRUE and any(
        "no run satisfies" in note for note in outcome.notes
    )
    second = (
        "node top (x: bool) returns (y: bool); let y = x; assert true -> x; assert true -> not x;"
        ' check "p" true -> y; tel'
    )
    outcome = run(tmp_path, second)
    assert outcome.verdict is Verdict.TRUE and any(
        "more than its first step" in note for note in outcome.notes
    )
    unreached = (
        'node top (x: int) returns (y: int); let y = 0 -> pre y + 1; check "never" y < 0 => x ='
        " 3; tel"
    )
    outcome = run(tmp_path, unreached)
    assert (
        outcome.verdict is Verdict.TRUE and "no run reaches the condition of never" in outcome.notes
    )
