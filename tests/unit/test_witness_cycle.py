"""SV-COMP witnesses of non-termination, format 2.1: what is written is confirmed again, what is
false is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import obligato
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.errors import InputError, Unsupported
from obligato.reports.svcomp import witness_text
from obligato.results.outcome import Outcome, Verdict

HEAD = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n"
FIVE = (
    HEAD
    + """int main(void) { int i = __VERIFIER_nondet_int();
  while (i > 0) {
    if (i != 5) i = i - 1;
  }
  return 0; }
"""
)
ENDLESS = {
    "five": FIVE,
    "inputs on the loop": HEAD
    + """int main(void) { int i = __VERIFIER_nondet_int();
  for (;;) { int k = __VERIFIER_nondet_int(); if (k == 7 && i == 3) continue;
    int j = __VERIFIER_nondet_int(); if (j < 3) break; }
  return 0; }
""",
    "a jump": "int main(void) { int a = 1;\n L: if (a) goto L;\n  return 0; }\n",
    "a loop in a function": (
        """int f(int x) { while (x != 0) { x += 2; if (x > 10) x = x - 20; } return x; }
int main(void) { for (int i = 0; i < 3; i++) f(i); return 0; }
"""
    ),
    "a recurrence set": HEAD
    + """int main(void) { unsigned i = __VERIFIER_nondet_uint(), x = 0;
  while (i % 2 == 1) { i = i + 2; x++; if (x == 7) i = i + 4; }
  return 0; }
""",
    "an empty loop": (
        HEAD
        + "int main(void) { int x = __VERIFIER_nondet_int();\n  do ; while (x > 3 && x < 5);\n "
        " return 0; }"
    ),
    "a switch": HEAD
    + """int main(void) { int x = __VERIFIER_nondet_int();
  while (x < 9) switch (x) { case 1: break; default: x++; }
  return 0; }
""",
}


def written(tmp_path: Path, text: str) -> tuple[Path, list[dict[str, Any]]]:
    """A program that does not end, and the witness of that."""
    program = tmp_path / "program.c"
    program.write_text(text)
    outcome = obligato.verify(program, property="termination", timeout=60)
    assert outcome.verdict is Verdict.FALSE
    return program, yaml.safe_load(witness_text(outcome))


def check(program: Path, data: list[dict[str, Any]]) -> Outcome:
    """What a witness justifies."""
    claim = program.with_name("checked.yml")
    claim.write_text(yaml.safe_dump(data))
    return recheck(Request(str(program), timeout=60), lambda kind, data: None, str(claim))


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_written_is_confirmed(tmp_path: Path, name: str) -> None:
    program, data = written(tmp_path, ENDLESS[name])
    assert data[0]["metadata"]["format_version"] == "2.1"
    assert data[0]["metadata"]["task"]["specification"] == "CHECK( init(main()), LTL(F end) )"
    actions = [s["segment"][-1]["waypoint"]["action"] for s in data[0]["content"]]
    assert actions[-1] == "cycle" and actions == sorted(actions, reverse=True)
    again = check(program, data)
    assert again.verdict is Verdict.FALSE and again.property == "termination"
    assert again.trace is not None and again.trace.loop is not None
    assert f"the witness is confirmed: {len(data[0]['content'])} segments" in again.notes


def waypoint(
    kind: str, line: int, column: int, value: str, action: str = "cycle"
) -> dict[str, Any]:
    constraint = (
        {"value": value} if kind == "branching" else {"value": value, "format": "c_expression"}
    )
    return {
        "segment": [
            {
                "waypoint": {
                    "type": kind,
                    "action": action,
                    "constraint": constraint,
                    "location": {"file_name": "program.c", "line": line, "column": column},
                }
            }
        ]
    }


def sequence(*content: dict[str, Any], specification: str = "LTL(F end)") -> list[dict[str, Any]]:
    task = {
        "input_files": ["program.c"],
        "specification": f"CHECK( init(main()), {specification} )",
        "data_model": "LP64",
        "language": "C",
    }
    return [
        {
            "entry_type": "violation_sequence",
            "metadata": {"format_version": "2.1", "task": task},
            "content": list(content),
        }
    ]


def at_loop(value: str) -> dict[str, Any]:
    return waypoint("assumption", 3, 3, value, "follow")


TRUE, FALSE = waypoint("branching", 3, 3, "true"), waypoint("branching", 3, 3, "false")
STAYS = waypoint("branching", 4, 5, "false")  # the assignment is passed over


@pytest.mark.parametrize(
    "content",
    [
        [at_loop("i == 5"), TRUE],
        [at_loop("i == 6"), TRUE],
        [TRUE],
        [at_loop("i > 5"), TRUE, STAYS],
        [waypoint("assumption", 4, 5, "i == 5")],
        [STAYS, STAYS],
    ],
)
def test_witnesses_of_others_are_confirmed(tmp_path: Path, content: list[dict[str, Any]]) -> None:
    program = tmp_path / "program.c"
    program.write_text(FIVE)
    assert check(program, sequence(*content)).verdict is Verdict.FALSE


@pytest.mark.parametrize(
    "content",
    [
        [at_loop("i == 4"), TRUE],  # counts down to zero
        [at_loop("i == 5"), FALSE],  # the loop is left at most once
        [at_loop("i < 5"), TRUE, STAYS],
        [waypoint("assumption", 4, 5, "i == 6")],  # not again and again
        [at_loop("i == 5"), TRUE, waypoint("branching", 4, 5, "true")],
    ],
)
def test_what_no_run_does_is_refused(tmp_path: Path, content: list[dict[str, Any]]) -> None:
    program = tmp_path / "program.c"
    program.write_text(FIVE)
    with pytest.raises(ClaimRefused, match="again and again"):
        check(program, sequence(*content))


def test_a_waypoint_to_avoid(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text(FIVE)
    avoided = waypoint("assumption", 4, 5, "i == 5", "avoid")["segment"] + TRUE["segment"]
    with pytest.raises(ClaimRefused, match="again and again"):
        check(program, sequence({"segment": avoided}))


TARGET = {
    "segment": [
        {
            "waypoint": {
                "type": "target",
                "action": "follow",
                "location": {"file_name": "program.c", "line": 6, "column": 3},
            }
        }
    ]
}


@pytest.mark.parametrize(
    "data",
    [
        sequence(TRUE, at_loop("1")),
        sequence(at_loop("1")),
        sequence(TRUE, TARGET),
        sequence(TARGET),
        sequence(TRUE, specification="LTL(G ! call(reach_error()))"),
    ],
)
def test_misshapen_sequences(tmp_path: Path, data: list[dict[str, Any]]) -> None:
    program = tmp_path / "program.c"
    program.write_text(FIVE)
    with pytest.raises(InputError):
        check(program, data)


def test_a_proof_of_termination_has_no_witness(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text("int main(void) { int i = 9; while (i > 0) i--; return 0; }\n")
    assert witness_text(obligato.verify(program, property="termination", timeout=60)).startswith(
        "# There is no witness"
    )
    data = sequence()
    data[0]["entry_type"] = "invariant_set"
    with pytest.raises(Unsupported, match="witnesses of termination"):
        check(program, data)
