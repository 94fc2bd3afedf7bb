"""Facts by counters: cells whose places exchange counters, or that hold what counters were, are
proved; what is written elsewhere is not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato
from obligato.analysis.cells_by_counters import counters_of, packed, unpacked
from obligato.results.outcome import Verdict
from obligato.terms import Op, Term, TermStore, bitvec, evaluate

HEAD = "void reach_error(void); int __VERIFIER_nondet_int(void); int a[12][12], b[12][12];\n"
EACH = "for (int i = 0; i < 12; i++) for (int j = 0; j < 12; j++) "
FILLED = EACH + "a[i][j] = __VERIFIER_nondet_int();\n"
EXCHANGED = FILLED + EACH + "b[j][i] = a[i][j];\n" + EACH + "if (b[j][i] != a[i][j]) reach_error();"
MENTIONED = EACH + "a[i][j] = 3 * i - j;\n" + EACH + "if (a[i][j] != 3 * i - j) reach_error();"


def _file(folder: Path, body: str) -> Path:
    file = folder / "nest.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return file


@pytest.mark.parametrize("body", [EXCHANGED, MENTIONED], ids=["exchanged", "mentioned"])
def test_what_a_nest_writes_is_proved(body: str, tmp_path: Path) -> None:
    outcome = obligato.verify(_file(tmp_path, body), "ic3cfa", isolated=False, short_runs=0)
    assert outcome.verdict is Verdict.TRUE and outcome.certificate is not None
    assert any("index" in i.formula for i in outcome.certificate.invariants)


@pytest.mark.parametrize(
    "body",
    [
        MENTIONED.replace("if (a[i][j] !=", "if (a[j][i] !="),
        MENTIONED.replace("a[i][j] = 3 * i - j;", "a[i][j] = 3 * i - j + (i > 0);"),
    ],
    ids=["the other way round", "not from the second row on"],
)
def test_what_a_nest_does_not_write_is_refuted(body: str, tmp_path: Path) -> None:
    file = _file(tmp_path, body.replace("12", "3"))
    outcome = obligato.verify(file, "bmc", isolated=False)
    assert outcome.verdict is Verdict.FALSE


def _names(s: TermStore) -> tuple[Term, Term, Term]:
    return s.var("i", bitvec(32)), s.var("j", bitvec(64)), s.var("base", bitvec(32))


def test_counters_go_in_and_out() -> None:
    s = TermStore()
    i, j, _ = _names(s)
    state = {i: 7, j: 300}
    index = s.var("index", bitvec(32))
    value = evaluate(packed((i, j), bitvec(32)), state)
    assert value == 7 << 16 | 300
    parts = unpacked(index, (i, j))
    assert {v: evaluate(t, {index: value}) for v, t in parts.items()} == state
    assert unpacked(index, (i,)) == {i: index}


def test_counters_are_in_the_order_of_their_coefficients() -> None:
    s = TermStore()
    i, j, base = _names(s)

    def place(*summands: Term) -> Term:
        out = base
        for t in summands:
            out = s.mk(Op.BVADD, (out, t))
        return out

    def times(k: int, t: Term) -> Term:
        return s.mk(Op.BVMUL, (s.bv(k, 32), t))

    low = s.extract(j, 31, 0)

    def counts(v: Term) -> bool:
        return v in (i, j)

    assert counters_of(place(low, times(50, i)), counts) == (i, j)
    assert counters_of(place(i, times(50, low)), counts) == (j, i)
    assert counters_of(base, counts) is None
    assert counters_of(place(s.mk(Op.BVMUL, (i, base))), counts) is None
    assert counters_of(place(s.mk(Op.BVNEG, (i,))), counts) is None
