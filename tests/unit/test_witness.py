"""SV-COMP witnesses, format 2.0: what is written is valid, what is read is decided and never
believed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.errors import InputError, ObligatoError, Span, Unsupported
from obligato.frontends.c.markers import check_expression
from obligato.reports.svcomp import witness_text
from obligato.results.outcome import Outcome, Verdict

HEAD = """extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void); extern unsigned long __VERIFIER_nondet_ulong(void);
"""
SAFE = (
    HEAD
    + """int count(int n) { int s = 0; for (int i = 0; i < n; i++) { s++; } return s; }
int main(void) { int x = __VERIFIER_nondet_int(); unsigned char c = __VERIFIER_nondet_uchar(); int a, b;
  if (x < 0 || x > 100) return 0;
  a = count(x);
  b = count(3);
  do { a += 2; } while (a < 50);
again:
  if (c > 100) { c--; goto again; }
  if (a < 50 || b != 3 || c > 100) reach_error();
  return 0; }
"""
)
UNSAFE = (
    HEAD
    + """int main(void) { unsigned char c; int sum = 0; unsigned long u = 0;
  for (int i = 0; i < 3; i++) { c = __VERIFIER_nondet_uchar();
    if (c > 9)
      sum += c; }
  u = __VERIFIER_nondet_ulong
    ( );
  if (sum == 255 + 10 && u > 5000000000) reach_error();
  if (sum == 2) reach_error();
  return 0; }
"""
)
LOCATION = {
    "type": "object",
    "required": ["file_name", "line"],
    "additionalProperties": False,
    "properties": {
        "file_name": {"type": "string"},
        "line": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
        "function": {"type": "string"},
    },
}
CONSTRAINT = {
    "type": "object",
    "required": ["value"],
    "additionalProperties": False,
    "properties": {
        "value": {"type": "string"},
        "format": {"enum": ["c_expression", "acsl_expression"]},
    },
}
INVARIANT = {
    "type": "object",
    "required": ["type", "location", "value", "format"],
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["loop_invariant", "location_invariant"]},
        "location": LOCATION,
        "value": {"type": "string"},
        "format": {"const": "c_expression"},
    },
}
WAYPOINT = {
    "type": "object",
    "required": ["type", "action", "location"],
    "additionalProperties": False,
    "properties": {
        "type": {
            "enum": ["assumption", "branching", "function_enter", "function_return", "target"]
        },
        "action": {"enum": ["follow", "avoid"]},
        "location": LOCATION,
        "constraint": CONSTRAINT,
    },
}
TASK = {
    "type": "object",
    "additionalProperties": False,
    "required": ["input_files", "input_file_hashes", "specification", "data_model", "language"],
    "properties": {
        "input_files": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "input_file_hashes": {
            "type": "object",
            "additionalProperties": {"pattern": "^[0-9a-f]{64}$"},
        },
        "specification": {"type": "string"},
        "data_model": {"enum": ["ILP32", "LP64"]},
        "language": {"const": "C"},
    },
}
METADATA = {
    "type": "object",
    "required": ["format_version", "uuid", "creation_time", "producer", "task"],
    "properties": {
        "format_version": {"const": "2.0"},
        "uuid": {"pattern": "^[0-9a-f-]{36}$"},
        "creation_time": {"type": "string", "pattern": "^[0-9-]{10}T[0-9:]{8}([+]00:00|Z)$"},
        "producer": {"type": "object", "required": ["name", "version"]},
        "task": TASK,
    },
}


def wrapped(name: str, inner: dict[str, Any]) -> dict[str, Any]:
    """An array of objects with one key."""
    one = {
        "type": "object",
        "required": [name],
        "properties": {name: inner},
        "additionalProperties": False,
    }
    return {"type": "array", "items": one}


SCHEMA = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["entry_type", "metadata", "content"],
        "additionalProperties": False,
        "properties": {
            "entry_type": {"enum": ["invariant_set", "violation_sequence"]},
            "metadata": METADATA,
            "content": {
                "anyOf": [
                    wrapped("invariant", INVARIANT),
                    wrapped("segment", wrapped("waypoint", WAYPOINT)),
                ]
            },
        },
    },
}


def write(tmp_path: Path, text: str, **how: Any) -> tuple[Path, list[dict[str, Any]], Outcome]:
    """A program, the witness of its verdict, and the outcome that it is of."""
    program = tmp_path / "program.c"
    program.write_text(text)
    outcome = obligato.verify(program, property="unreach-call", timeout=60, **how)
    text = witness_text(outcome)
    (tmp_path / "witness.yml").write_text(text)
    data = yaml.safe_load(text)
    jsonschema.validate(data, SCHEMA)
    return program, data, outcome


def check(program: Path, data: list[dict[str, Any]]) -> Outcome:
    """What a witness justifies."""
    claim = program.with_name("checked.yml")
    claim.write_text(yaml.safe_dump(data))
    return recheck(Request(str(program), timeout=60), lambda kind, data: None, str(claim))


def test_a_proof_becomes_invariants_that_are_confirmed(tmp_path: Path) -> None:
    program, data, outcome = write(tmp_path, SAFE)
    assert outcome.verdict is Verdict.TRUE
    kinds = {
        (i["invariant"]["type"], i["invariant"]["location"]["line"]) for i in data[0]["content"]
    }
    assert {("loop_invariant", 3), ("location_invariant", 10)} <= kinds
    again = check(program, data)
    assert (
        again.verdict is Verdict.TRUE
        and again.certificate is not None
        and again.certificate.checked
    )
    assert f"the witness is confirmed: {len(data[0]['content'])} invariants" in again.notes


def test_a_counterexample_becomes_a_sequence_that_is_followed(tmp_path: Path) -> None:
    program, data, outcome = write(tmp_path, UNSAFE)
    assert outcome.verdict is Verdict.FALSE
    waypoints = [s["segment"][0]["waypoint"] for s in data[0]["content"]]
    assert [w["type"] for w in waypoints] == ["function_return"] * 4 + ["target"]
    assert (waypoints[3]["location"]["line"], waypoints[3]["location"]["column"]) == (8, 7)
    again = check(program, data)
    assert again.verdict is Verdict.FALSE and again.trace is not None and again.trace.replayed
    assert again.trace.violation.endswith(f":{waypoints[-1]['location']['line']}: unreach-call")


def changed(data: list[dict[str, Any]], n: int, **values: Any) -> list[dict[str, Any]]:
    """The witness with another value, line, column, ... of its n-th invariant or segment."""
    copy = yaml.safe_load(yaml.safe_dump(data))
    item = copy[0]["content"][n]
    item = item["invariant"] if "invariant" in item else item["segment"][0]["waypoint"]
    for name, value in values.items():
        place = (
            item
            if name in item
            else item["location"]
            if name in item["location"]
            else item["constraint"]
        )
        place[name] = value
    return copy  # type: ignore[no-any-return]


def invariants(program: Path, *facts: tuple[str, int, int, str]) -> list[dict[str, Any]]:
    """An invariant set: type, line, column and expression of each."""
    task = {
        "input_files": [program.name],
        "specification": "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "input_file_hashes": {program.name: hashlib.sha256(program.read_bytes()).hexdigest()},
        "data_model": "LP64",
        "language": "C",
    }
    content = [
        {
            "invariant": {
                "type": kind,
                "location": {"file_name": program.name, "line": line, "column": column},
                "value": value,
                "format": "c_expression",
            }
        }
        for kind, line, column, value in facts
    ]
    return [
        {
            "entry_type": "invariant_set",
            "metadata": {"format_version": "2.0", "task": task},
            "content": content,
        }
    ]


def test_invariants_of_others(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(SAFE)
    good = [
        ("loop_invariant", 3, 31, "s == i && i >= 0 && i <= 100"),
        ("loop_invariant", 8, 3, "a >= 50 || a < 50"),
        ("location_invariant", 8, 8, "a >= 0 && a <= 1000"),
        ("location_invariant", 10, 3, "a >= 50 && b == 3"),
        ("location_invariant", 10, 18, "c > 100"),
    ]
    assert check(program, invariants(program, *good)).verdict is Verdict.TRUE
    for fact in (("location_invariant", 8, 8, "a >= 2"), ("location_invariant", 10, 3, "c > 100")):
        with pytest.raises(ClaimRefused, match="a run violates"):
            check(program, invariants(program, fact))


def test_a_proof_of_a_program_with_an_error_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(UNSAFE)
    with pytest.raises(ClaimRefused, match="the program violates the property"):
        check(program, invariants(program, ("loop_invariant", 4, 3, "i >= 0")))


def test_changed_sequences_are_refused(tmp_path: Path) -> None:
    program, data, _ = write(tmp_path, UNSAFE)
    values = [
        s["segment"][0]["waypoint"].get("constraint", {}).get("value") for s in data[0]["content"]
    ]
    first = next(n for n, v in enumerate(values[:3]) if v != "\\result == 9")
    for mutant in (
        changed(data, first, value="\\result == 77"),
        changed(data, 3, value="\\result == 7ull"),
        changed(data, 4, line=10),
        changed(data, 3, line=9),
        changed(data, 0, function="other"),
        changed(data, 4, line=11, column=3),
    ):
        with pytest.raises((ClaimRefused, InputError)):
            check(program, mutant)


def test_other_waypoints(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(
        HEAD
        + """void step(int *n) { *n += 1; }
int main(void) { int n = 0, x = __VERIFIER_nondet_int();
  while (n < 3) { step(&n); }
  if (x > 5) { n = 7; } else { n = 8; }
  if (n == 7) reach_error();
  return 0; }
"""
    )
    place = {"file_name": "p.c"}

    def waypoint(
        kind: str, line: int, column: int, value: str | None = None, action: str = "follow"
    ) -> dict[str, Any]:
        form = {} if value is None else {"constraint": {"value": value, "format": "c_expression"}}
        return {
            "waypoint": {
                "type": kind,
                "action": action,
                "location": {**place, "line": line, "column": column},
                **form,
            }
        }

    def sequence(*segments: list[dict[str, Any]]) -> list[dict[str, Any]]:
        entry = invariants(program)[0]
        return [
            {
                **entry,
                "entry_type": "violation_sequence",
                "content": [{"segment": list(s)} for s in segments],
            }
        ]

    target = [waypoint("target", 7, 15)]
    good = [
        [waypoint("branching", 5, 3, "true")],
        [waypoint("function_enter", 5, 26)],
        [waypoint("assumption", 6, 3, "x == 9")],
        [waypoint("branching", 6, 3, "true")],
    ]
    outcome = check(program, sequence(*good, target))
    assert outcome.verdict is Verdict.FALSE and outcome.trace is not None
    assert any(9 in s.inputs.values() for s in outcome.trace.steps)
    bad: list[list[list[dict[str, Any]]]] = [
        [*good[:3], [waypoint("branching", 6, 3, "false")], target],
        [[waypoint("assumption", 6, 3, "x == 5")], target],
        [[waypoint("function_enter", 5, 26)] for _ in range(4)] + [target],
        [[waypoint("assumption", 6, 3, "x > 5", "avoid"), *target]],
        [[waypoint("assumption", 6, 3, "n != 3")], target],
    ]
    for segments in bad:
        with pytest.raises(ClaimRefused, match="no run that follows"):
            check(program, sequence(*segments))
    assert (
        check(
            program, sequence(*([waypoint("function_enter", 5, 26)] for _ in range(3)), target)
        ).verdict
        is Verdict.FALSE
    )


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x++",
        "--x",
        "f(x)",
        "x); reach_error(",
        "x, y",
        "({ x; })",
        "x // y",
        "x /* y",
        "\\old(x)",
        "x; y",
        "(x",
        "x)",
        "",
        "(<% x %>)",
        "a<:1:>",
        "asm(x)",
        '"a"',
        "x += 1",
        "#define x",
        "x\\\ny",
        "x-->0",
        "x+++y",
        "x - --y",
    ],
)
def test_expressions_with_effects_are_refused(text: str) -> None:
    with pytest.raises(ObligatoError):
        check_expression(text, Span("w.yml"))


@pytest.mark.parametrize(
    "text",
    [
        "(bump)(0) == 1",
        "(*pointer)(0) == 1",
        "(1 ? bump : bump)(0) == 1",
        "sizeof(int[(bump)(1)]) == 4",
    ],
)
def test_calls_in_other_spellings_are_refused(text: str, tmp_path: Path) -> None:
    """They look like casts to a reader of tokens; believed, they would repair the program."""
    program = tmp_path / "p.c"
    program.write_text(
        HEAD
        + """int fixed; int bump(int k) { fixed = 1; return 1; } int (*pointer)(int) = bump;
int main(void) { int i = 0;
  while (i < 3) { i++; }
  if (!fixed) reach_error();
  return 0; }
"""
    )
    line = program.read_text().split("\n").index("  while (i < 3) { i++; }") + 1
    with pytest.raises(Unsupported, match=r"effect in the (expression|size of an array type)"):
        check(program, invariants(program, ("loop_invariant", line, 3, text)))


@pytest.mark.parametrize(
    "text",
    [
        "x == -1 && (signed char)(y + 1) <= 3u",
        "a[3].b->c >> 2",
        "sizeof(int) == 4",
        "'a' < '\\n'",
        "__builtin_isnan(f) || f <= 0x1.8p+3",
        "x - -1 == 2",
    ],
)
def test_expressions_without_effects_are_read(text: str) -> None:
    assert check_expression(text, Span("w.yml")) == text


def test_witnesses_that_do_not_fit(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(SAFE)
    for fact in (
        ("loop_invariant", 4, 3, "x == 0"),
        ("loop_invariant", 3, 31, "unknown == 0"),
        ("loop_invariant", 3, 31, "f(i)"),
        ("loop_invariant", 3, 31, "a == 0"),
        ("location_invariant", 99, 1, "1"),
    ):
        with pytest.raises(InputError):
            check(program, invariants(program, fact))
    other = invariants(program, ("loop_invariant", 3, 31, "s == i"))
    other[0]["metadata"]["task"]["input_file_hashes"] = {"p.c": "0" * 64}
    with pytest.raises(InputError, match="another program"):
        check(program, other)
    old = invariants(program)
    old[0]["metadata"]["format_version"] = "0.1"
    with pytest.raises(InputError, match="format"):
        check(program, old)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("d[0]['entry_type'] = 'ghost'", "neither"),
        ("d.append({**d[0], 'entry_type': 'violation_sequence'})", "several"),
        (
            "d.append({**d[0], 'metadata': {**d[0]['metadata'], 'task': {'data_model': 'ILP32'}}})",
            "different tasks",
        ),
        ("d[0]['content'] = [{'invariant': 3}]", "malformed"),
        ("d[0]['content'] = 3", "malformed"),
        ("d[:] = [1]", "list of entries"),
        ("del d[0]['metadata']", "no metadata"),
        ("d[0]['content'][0]['invariant']['type'] = 'target'", "type target"),
        ("d[0]['content'][0]['invariant']['type'] = 'odd'", "'odd' in a witness"),
        ("d[0]['content'][0]['invariant']['format'] = 'lisp'", "format 'lisp'"),
        ("d[0]['content'][0]['invariant']['location']['line'] = True", "are numbers"),
        (
            "d[0]['metadata']['task']['specification'] = 'CHECK( init(main()), LTL(F end) )'",
            "termination",
        ),
        (
            "d[0]['metadata']['task']['specification'] = 'CHECK( init(main()), LTL(G odd) )'",
            "not supported",
        ),
        ("d[0]['metadata']['task']['specification'] = [['x']]", "a text is needed"),
        ("d[0]['metadata']['format_version'] = {'2.0': 1}", "a text is needed"),
        ("d[0]['content'][0]['invariant']['value'] = ['s == i']", "a text is needed"),
        ("d[0]['content'][0]['invariant']['type'] = [['x']]", "a text is needed"),
        ("d[0].update(entry_type='violation_sequence', content=[])", "needs 1 to"),
        (
            "d[0].update(entry_type='violation_sequence', content=one(action='avoid'))",
            "must consist of",
        ),
        (
            (
                "d[0].update(entry_type='violation_sequence', content=one(action='follow',"
                " type='assumption'))"
            ),
            "target waypoint ends",
        ),
    ],
)
def test_malformed_witnesses_are_refused(change: str, message: str, tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(SAFE)
    data = invariants(program, ("loop_invariant", 3, 31, "s == i"))
    exec(change, {"d": data, "one": lambda **waypoint: [{"segment": [{"waypoint": waypoint}]}]})
    with pytest.raises(InputError, match=message):
        check(program, data)


def test_files_that_are_no_witnesses(tmp_path: Path) -> None:
    program, claim = tmp_path / "p.c", tmp_path / "w.yml"
    program.write_text(SAFE)
    for content, message in (
        (b"[", "not YAML"),
        (b"\xff\xfe\xff", "cannot read"),
        (b"3", "list of entries"),
    ):
        claim.write_bytes(content)
        with pytest.raises(InputError, match=message):
            recheck(Request(str(program)), lambda kind, data: None, str(claim))
    program.write_text("int __obligato_mark; " + SAFE)
    with pytest.raises(InputError, match="a name of its own"):
        check(program, invariants(program, ("loop_invariant", 3, 31, "s == i")))


def test_termination_has_no_witness(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text("int main(void) { return 0; }\n")
    assert witness_text(obligato.verify(program, property="termination", timeout=60)).startswith(
        "# There is no witness"
    )


def test_waypoints_in_operands_whose_order_is_open(tmp_path: Path) -> None:
    program, data, outcome = write(
        tmp_path,
        HEAD
        + """int f(int n) { return n + __VERIFIER_nondet_int(); }
int main(void) { int x = f(1) + f(2); if (x == 40) reach_error(); return 0; }
""",
    )
    assert outcome.verdict is Verdict.FALSE and len(data[0]["content"]) == 3
    assert check(program, data).verdict is Verdict.FALSE


def test_overflows_in_the_witness_are_none_of_the_program(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(
        HEAD
        + """int main(void) { int x = __VERIFIER_nondet_int(), i = 0;
  while (i < 10) { i++; }
  return 0; }
"""
    )
    data = invariants(program, ("loop_invariant", 4, 3, "x + 1 > x - 1 || x * x != i || 1"))
    data[0]["metadata"]["task"]["specification"] = "CHECK( init(main()), LTL(G ! overflow) )"
    assert check(program, data).verdict is Verdict.TRUE


def test_signs_are_those_of_the_declarations(tmp_path: Path) -> None:
    program, data, outcome = write(
        tmp_path,
        HEAD
        + """int main(void) { unsigned n = (unsigned)__VERIFIER_nondet_int(), i = 0;
  if ((int)n > 20) return 0;
  while ((int)i < (int)n) { i += 2; }
  if ((int)i > 22 || i % 2) reach_error();
  return 0; }
""",
    )
    assert outcome.verdict is Verdict.TRUE
    assert check(program, data).verdict is Verdict.TRUE


PRIMES = (
    HEAD
    + """static const unsigned long m = 4294967291ul * 4294967279ul;
int main(void) { unsigned long p = __VERIFIER_nondet_ulong(), q = __VERIFIER_nondet_ulong();
  if (p == 4294967291 && q == 4294967279) reach_error();
  return 0; }
"""
)


def test_a_run_that_a_witness_tells_by_its_numbers_needs_no_search(tmp_path: Path) -> None:
    """The witness of a program that is easy, about one that is not."""
    program, data, outcome = write(tmp_path, PRIMES)
    assert outcome.verdict is Verdict.FALSE
    easy, hard = "p == 4294967291 && q == 4294967279", "p > q && q > 1 && p * q == m"
    program.write_text(PRIMES.replace(easy, hard.ljust(len(easy))))
    hashes = data[0]["metadata"]["task"]["input_file_hashes"]
    hashes |= dict.fromkeys(hashes, hashlib.sha256(program.read_bytes()).hexdigest())
    again = check(program, data)
    assert again.verdict is Verdict.FALSE and again.stats["solver_calls"] == 0
    number = data[0]["content"][1]["segment"][0]["waypoint"]["constraint"]
    number["value"] = number["value"].replace("4294967279", "4294967275")
    with pytest.raises(ClaimRefused):
        check(program, data)
