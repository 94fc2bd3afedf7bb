"""Facts about the order of cells: what is sorted is proved, what is not is refuted, and what small
runs say is only a hint.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.analysis.ordered_cells import compared, ordered_cells
from obligato.analysis.small_runs import Samples, shrunk
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Command, Seq, walk
from obligato.results.outcome import Verdict
from obligato.terms import Op, Term, TermStore, array, bitvec, postorder
from tests.cfas import ERROR, make_cfa

HEAD = """void reach_error(void); int __VERIFIER_nondet_int(void);
int a[1000]; int main(void) { int N = __VERIFIER_nondet_int(); if (N < 1 || N > 1000) return 0;
"""
CHECK = "for (int k = 0; k + 1 < N; k++) if (a[k] > a[k + 1]) reach_error(); }"
GROWING = """a[0] = 0; for (int i = 1; i < N; i++) {
  int d = __VERIFIER_nondet_int(); a[i] = d < a[i - 1] ? a[i - 1] : d; }
"""
INSERTION = """for (int k = 0; k < N; k++) a[k] = __VERIFIER_nondet_int();
  for (int i = 1; i < N; i++) { int key = a[i], j = i - 1;
    while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; }
    a[j + 1] = key; }
"""


def _outcome(tmp_path: Path, body: str) -> obligato.Outcome:
    file = tmp_path / "sorted.c"
    file.write_text(HEAD + body + CHECK)
    return obligato.verify(file, "ic3cfa", isolated=False, short_runs=0)


@pytest.mark.parametrize("body", [GROWING, INSERTION], ids=["growing", "insertion"])
def test_what_is_sorted_is_proved(body: str, tmp_path: Path) -> None:
    outcome = _outcome(tmp_path, body)
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert any("index" in i.formula for i in outcome.certificate.invariants)


def test_what_is_not_sorted_is_refuted(tmp_path: Path) -> None:
    wrong = GROWING.replace("? a[i - 1]", "? a[i - 1] - 1")
    assert _outcome(tmp_path, wrong).verdict is Verdict.FALSE


def _filling() -> tuple[CFA, dict[str, Term]]:
    """a[i] := a[i - 1] for all i from 1 to 5000; at the end a[3] < a[2] is an error."""
    s = TermStore()
    a, i = s.var("a", array(bitvec(32), bitvec(32))), s.var("i", bitvec(32))
    before = s.mk(Op.BVSUB, (i, s.bv(1, 32)))
    inside = s.mk(Op.BVSLT, (i, s.bv(5000, 32)))
    wrong = s.mk(Op.BVSLT, (s.select(a, s.bv(3, 32)), s.select(a, s.bv(2, 32))))
    write = s.store(a, i, s.select(a, before))
    step = Assign(((a, write), (i, s.mk(Op.BVADD, (i, s.bv(1, 32))))))
    edges: list[tuple[int, int, Command]] = [
        (0, 1, Assign(((i, s.bv(1, 32)),))),
        (1, 1, Seq((Assume(inside), step))),
        (1, 2, Assume(s.not_(inside))),
        (2, ERROR, Assume(wrong)),
    ]
    return make_cfa(s, [a, i], edges), {"a": a, "i": i, "inside": inside}


def test_small_runs_pass_long_loops() -> None:
    cfa, names = _filling()
    small, numbers = shrunk(cfa)
    assert numbers[5000] == 7 and numbers[3] == 3
    guards = [c.condition for e in small.edges for c in walk(e.command) if isinstance(c, Assume)]
    assert not any(t.data == 5000 for t in postorder(guards) if t.is_const)
    index = cfa.store.fresh("index", bitvec(32))
    samples = Samples(cfa, [1, 2], index, 0)
    inside, left = samples.at(2, [names["inside"], cfa.store.not_(names["inside"])])
    assert inside == 0 and left != 0


def test_sorted_ranges_are_candidates() -> None:
    cfa, names = _filling()
    s, a, i = cfa.store, names["a"], names["i"]
    index = s.fresh("index", bitvec(32))
    leaves = [c for e in cfa.edges for c in walk(e.command)]
    terms = [e for c in leaves if isinstance(c, Assign) for _, e in c.pairs]
    terms += [c.condition for c in leaves if isinstance(c, Assume)]
    nodes, variables = list(postorder(terms)), frozenset(cfa.variables)
    about = compared(nodes, variables, index, lambda c: [s.bv(5000, 32)], {i: None})
    assert about is not None and about.arrays == (a,) and about.signed
    found = ordered_cells(cfa, about, index, [1, 2], 0)
    behind = s.select(a, s.mk(Op.BVADD, (index, s.bv(1, 32))))
    in_order = s.mk(Op.BVSLE, (s.select(a, index), behind))
    assert any(in_order in postorder((f,)) or s.not_(in_order) in postorder((f,)) for f in found[1])
    assert compared([], variables, index, lambda c: [], {}) is None
