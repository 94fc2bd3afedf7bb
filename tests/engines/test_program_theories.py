"""CEGAR and Tree-IC3 on floats, arrays and words through the whole pipeline; solvers that
give up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import obligato
from obligato.results.outcome import Verdict
from obligato.smt import UNKNOWN, activation

HEAD = (
    "void reach_error(void); int __VERIFIER_nondet_int(void); float"
    " __VERIFIER_nondet_float(void);\n"
)
FLOATS = (
    HEAD
    + """int main(void) { float m = 0.0f;
  while (__VERIFIER_nondet_int()) {
    float y = __VERIFIER_nondet_float();
    if (y < 2.0f && y > m) m = y;
    if (!(m < %s)) reach_error(); } }
"""
)
ENGINES: list[tuple[str, dict[str, Any]]] = [
    ("cegar", {}),
    ("cegar", {"refinement": "interpolants"}),
    ("cegar", {"abstraction": "boolean"}),
    ("treeic3", {}),
    ("treeic3", {"interpolants": "first"}),
    ("treeic3", {"abstraction": True}),
]


@pytest.mark.parametrize(("engine", "options"), ENGINES, ids=str)
def test_floats(engine: str, options: dict[str, Any], tmp_path: Path) -> None:
    """No interpolant of floats is needed: weakest preconditions and cores take their place."""
    for bound, verdict in (("2.0f", Verdict.TRUE), ("1.5f", Verdict.FALSE)):
        file = tmp_path / "maximum.c"
        file.write_text(FLOATS % bound, encoding="utf-8")
        outcome = obligato.verify(file, engine, seed_invariants=False, **options)
        assert outcome.verdict is verdict, (bound, outcome.reason)


ARRAYS = (
    HEAD
    + """int a[1000];
int main(void) {
  while (__VERIFIER_nondet_int()) { unsigned i = __VERIFIER_nondet_int(); if (i < 1000 && i != 2) a[i] = 7; }
  if (a[2] != 0) reach_error(); }
"""
)


@pytest.mark.parametrize(
    ("engine", "options"),
    [
        ("cegar", {}),
        ("cegar", {"refinement": "interpolants"}),
        ("treeic3", {"abstraction": True}),
        ("treeic3", {"abstraction": True, "interpolants": "first"}),
    ],
    ids=str,
)
def test_arrays(engine: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Formulas of paths compare arrays, which bitwuzla gives up on: z3 goes on. Interpolants that
    do so are not used.
    """
    file = tmp_path / "arrays.c"
    file.write_text(ARRAYS, encoding="utf-8")
    outcome = obligato.verify(file, engine, seed_invariants=False, **options)
    assert outcome.verdict is Verdict.TRUE and "z3" in outcome.stats["solvers"]


COUNTER = (
    HEAD
    + """int main(void) { int x = 0, y = 0;
  while (__VERIFIER_nondet_int()) { if (x < 10) x++; else y = 1; if (y == 1 && x < 10) reach_error(); } }
"""
)
NEEDED = [("cegar", "successor"), ("cegar", "path"), ("treeic3", "expand"), ("treeic3", "block")]


@pytest.mark.parametrize(("engine", "kind"), NEEDED)
def test_a_solver_that_gives_up_decides_nothing(
    engine: str, kind: str, tmp_path: Path, monkeypatch: Any
) -> None:
    """The answer is unknown, with the reason."""
    file = tmp_path / "counter.c"
    file.write_text(COUNTER, encoding="utf-8")
    assert obligato.verify(file, engine, seed_invariants=False).verdict is Verdict.TRUE
    real = activation.ActivationSolver.check
    monkeypatch.setattr(
        activation.ActivationSolver,
        "check",
        lambda self, *args, **kw: UNKNOWN if kw.get("kind") == kind else real(self, *args, **kw),
    )
    outcome = obligato.verify(file, engine, seed_invariants=False)
    assert outcome.verdict is Verdict.UNKNOWN and "could not decide" in (outcome.reason or "")
