"""Recursive calls inlined to a depth: proofs where they cannot nest deeper, errors anywhere, no
answer otherwise.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from obligato import verify
from obligato.api.recheck import recheck
from obligato.api.request import ClaimRefused, Request
from obligato.errors import Unsupported
from obligato.frontends.ivl import parse
from obligato.models.build import build_cfa
from obligato.program.inline import inline, inline_to_depth
from obligato.program.syntax import LIMIT, Assert, statements
from obligato.reports.json_report import outcome_text

DOWN = """
proc down(n: bv8) returns (r: bv8) { if (n == 0) { r := 0; } else { r := down(n - 1); r := r * r + n; } }
proc main() { var n, r: bv8; havoc n; assume n <u BOUND; r := down(n); assert r != CLAIM; }"""


def limits(text: str, depth: int) -> list[str]:
    (entry,) = inline_to_depth(parse(text), depth).procedures.values()
    return [s.label for s in statements(entry.body) if isinstance(s, Assert) and s.kind == LIMIT]


def down(tmp_path: Path, bound: int, claim: int) -> str:
    path = tmp_path / "down.ivl"
    path.write_text(DOWN.replace("BOUND", str(bound)).replace("CLAIM", str(claim)))
    return str(path)


def test_a_call_that_nests_deeper_is_a_limit() -> None:
    text = DOWN.replace("BOUND", "3").replace("CLAIM", "200")
    assert limits(text, 2) == ["calls nest deeper than 2"]
    both = text.replace("r := r * r + n", "r := down(n - 1)")
    assert len(limits(both, 2)) == 4  # two calls in each of two activations


def test_what_is_not_recursive_is_inlined_as_ever() -> None:
    text = (
        "proc f(x: int) returns (y: int) { y := x + 1; } proc main() { var a: int; a := f(a); a :="
        " f(a); assert a > 0; }"
    )
    program = parse(text)
    assert inline_to_depth(program, 1) == inline(program)


def test_a_limit_on_the_size_holds() -> None:
    text = (
        DOWN.replace("r := r * r + n", "r := down(n - 1)")
        .replace("BOUND", "3")
        .replace("CLAIM", "200")
    )
    with pytest.raises(Unsupported, match="more statements"):
        inline_to_depth(parse(text), 30, limit=1000)


def test_the_entry_counts_when_it_is_called() -> None:
    text = "var n: int; proc main() { n := n + 1; if (n < 3) { main(); } assert n < 4; }"
    assert len(build_cfa(inline_to_depth(parse(text), 2)).edges) < len(
        build_cfa(inline_to_depth(parse(text), 3)).edges
    )


def test_a_proof_says_its_depth_and_is_checked_at_it(tmp_path: Path) -> None:
    path, claim = down(tmp_path, 5, 200), tmp_path / "claim.json"
    outcome = verify(path)
    assert str(outcome) == "true" and outcome.options["unfold"] == 6 and outcome.engine == "bmc"
    claim.write_text(outcome_text(outcome))
    assert str(recheck(Request(path), lambda *_: None, str(claim))) == "true"
    for depth in (1, 3):
        claim.write_text(outcome_text(outcome).replace('"unfold": 6', f'"unfold": {depth}'))
        with pytest.raises(ClaimRefused):
            recheck(Request(path), lambda *_: None, str(claim))


def test_an_error_is_replayed_with_calls(tmp_path: Path) -> None:
    path = down(tmp_path, 200, 3)  # down(2) = 1 * 1 + 2
    outcome = verify(path, engine="ic3cfa", unfold=3)
    assert str(outcome) == "false(unreach-call)" and outcome.trace is not None


def test_calls_that_may_nest_deeper_leave_it_open(tmp_path: Path) -> None:
    path = down(tmp_path, 200, 201)
    outcome = verify(path, engine="bmc", unfold=3, bound=100)
    assert str(outcome) == "unknown" and "calls nest deeper than 3" in (outcome.reason or "")
