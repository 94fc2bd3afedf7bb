"""Running sums in cells: that prefix sums grow is proved, and what is written to all cells of one at
an input; what wraps around, leaves one out or takes one too many is refuted.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import obligato
from obligato.analysis.chosen_places import passed, reads_at_inputs
from obligato.models.blocks import large_blocks
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume, Command
from obligato.results.outcome import Verdict
from obligato.terms import Op, TermStore, array, bitvec
from tests.cfas import ERROR, make_cfa

HEAD = """void reach_error(void); int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
void assume(int c) { if (!c) while (1); } void check(int c) { if (!c) reach_error(); }
unsigned char a[9]; int b[10], c[9]; int main(void) { int n = __VERIFIER_nondet_int();
assume(n > 1 && n < 10); for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_uchar();
"""
PREFIX = "b[0] = a[0]; for (int i = 1; i < n; i++) b[i] = b[i - 1] + a[i];\n"
STORED = "int s = 0; for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }\n"
SUFFIX = "b[n] = 0; for (int i = n - 1; i >= 0; i--) b[i] = b[i + 1] + a[i];\n"
NARROW = "unsigned char s = 0; for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }\n"
GROWS = "for (int i = 1; i < n; i++) check(b[i - 1] <= b[i]);"
SHRINKS = "for (int i = 0; i < n; i++) check(b[i] >= b[i + 1]);"
AGAIN = "int t = 0; for (int i = 0; i < n; i++) t += a[i]; check(t == b[n - 1]);"
INPUT = "int k = __VERIFIER_nondet_int(); assume(0 <= k && k < n);"
CHOSEN = "for (int i = 0; i < n; i++) b[i] = 2 * i;" + INPUT + "check(b[k] == 2 * k);"
LONG = HEAD.replace("a[9]; int b[10], c[9]", "a[1000]; int b[1001], c[1000]").replace(
    "n < 10", "n <= 1000"
)
BACK = "b[0] = a[0]; for (int i = 1; i < n; i++) b[i] = a[i] - a[i - 1];"
SAFE = {"grows": (PREFIX + GROWS).replace("n;", "1000;"), "chosen": CHOSEN}
LARGER = {
    "stored": STORED + GROWS,
    "second sum": PREFIX + AGAIN,
    "suffixes": SUFFIX + SHRINKS,
    "differences": BACK
    + "c[0] = b[0]; for (int i = 1; i < n; i++) c[i] = c[i - 1] + b[i];"
    + "for (int i = 0; i < n; i++) check(c[i] == a[i]);",
}
WRONG = {
    "strictly": PREFIX + GROWS.replace("<=", "<"),
    "wraps": NARROW + GROWS,
    "one less": PREFIX + AGAIN.replace("i = 0", "i = 1"),
    "stored before": STORED.replace("s += a[i]; b[i] = s;", "b[i] = s; s += a[i];") + AGAIN,
    "one too many": PREFIX + INPUT.replace("k < n", "k <= n") + "check(b[0] <= b[k]);",
    "start": SUFFIX.replace("b[n] = 0", "b[n] = 1").replace(">= 0", ">= 1") + SHRINKS,
}


def _verdict(tmp_path: Path, program: str) -> Verdict:
    file = tmp_path / "sums.c"
    file.write_text(program + "}")
    return obligato.verify(file, "ic3cfa", isolated=False).verdict


@pytest.mark.parametrize("case", SAFE)
def test_what_sums_keep_is_proved(case: str, tmp_path: Path) -> None:
    head = LONG.replace("i < n;", "i < 1000;") if case == "grows" else LONG
    assert _verdict(tmp_path, head + SAFE[case]) is Verdict.TRUE


@pytest.mark.slow
@pytest.mark.parametrize("case", LARGER)
def test_what_other_sums_keep_is_proved(case: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, LONG + LARGER[case]) is Verdict.TRUE


@pytest.mark.parametrize("case", WRONG)
def test_what_they_do_not_keep_is_refuted(case: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, HEAD + WRONG[case]) is Verdict.FALSE


def _read_at_a_choice() -> CFA:
    """a[0] := 0, then k := input, assume(k < n), and a[k] > 5 is an error."""
    s = TermStore()
    word = bitvec(32)
    a, k, n = s.var("a", array(word, word)), s.var("k", word), s.var("n", word)
    given = s.var("k!in", word)
    edges: list[tuple[int, int, Command]] = [
        (0, 1, Assign(((a, s.store(a, s.bv(0, 32), s.bv(0, 32))),))),
        (1, 2, Assign(((k, given),))),
        (2, 3, Assume(s.mk(Op.BVSLT, (k, n)))),
        (3, ERROR, Assume(s.mk(Op.BVULT, (s.bv(5, 32), s.select(a, k))))),
    ]
    return make_cfa(s, [a, k, n], edges, [given])


def test_a_block_ends_before_a_read_at_a_choice() -> None:
    cfa = _read_at_a_choice()
    assert reads_at_inputs(cfa) == [3]
    blocks = large_blocks(replace(cfa, keep=(3,)))
    assert 3 in blocks.locations
    k, n = cfa.variables[1:]
    assert passed(blocks) == {3: [cfa.store.mk(Op.BVSLT, (k, n))]}
