"""Temporal formulas about VMT, Lustre and SMV over integers and reals: the same engines, through
their own readers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import obligato

COUNTER = """node main(reset: bool) returns (n: int; ok: bool);
let
  n = 10 -> if reset then 10 else if pre n > 0 then pre n - 1 else 0;
  ok = n >= 0;
  --%PROPERTY ok;
tel
"""
TANK = """node main(go: bool) returns (x: real; y: real);
let
  x = 8.0 -> if go and pre x > 0.0 then pre x - 0.5 else pre x;
  y = 0.0 -> pre y + 1.0;
  --%PROPERTY x <= 8.0;
tel
"""
SMV = """MODULE main
VAR n : integer; b : boolean; x : real;
ASSIGN init(n) := 10; init(x) := 8.0;
  next(n) := case b : 10; n > 0 : n - 1; TRUE : 0; esac;
  next(x) := case b & x > 0.0 : x - 0.5; TRUE : x; esac;
LTLSPEC (G F b) | F G (n = 0)
LTLSPEC F (n = 0)
LTLSPEC (G F b) -> F (x <= 0.0)
LTLSPEC F (x <= 0.0)
LTLSPEC F G !b
"""
VMT = """(declare-fun x () Int) (declare-fun x1 () Int) (declare-fun r () Real) (declare-fun r1 () Real)
(declare-fun in () Bool)
(define-fun sx () Int (! x :next x1)) (define-fun sr () Real (! r :next r1))
(define-fun init () Bool (! (and (>= x 0) (= r 0.0)) :init true))
(define-fun trans () Bool (! (and (= x1 (ite in (- x 1) (ite (< x 0) 10 x))) (= r1 (ite (< r 4.0) (+ r 0.5) r))) :trans true))
(define-fun l0 () Bool (! (ltl.F (>= r 4.0)) :ltl-property 0))
(define-fun l1 () Bool (! (ltl.G (ltl.F (< x 0))) :ltl-property 1))
"""
CASES = [
    (VMT, "vmt", "ltl0", "true"),
    (VMT, "vmt", "ltl1", "false"),
    (VMT, "vmt", "ltl: (G F in) -> G F (x < 0)", "true"),
    (VMT, "vmt", "ltl: F G (r = 4)", "true"),
    (VMT, "vmt", "ltl: (r < 4) U (r = 4)", "true"),
    (VMT, "vmt", "ltl: G (x < 0 -> X (x >= 0))", "false"),
    (VMT, "vmt", "ltl: G (x < 0 & ! in -> X (x = 10))", "true"),
    (COUNTER, "lus", "ltl: G (F (n = 0) | F reset)", "true"),
    (COUNTER, "lus", "ltl: F (n = 0)", "false"),
    (COUNTER, "lus", "ltl: G F (n = 10)", "false"),
    (COUNTER, "lus", "ltl: X (n = 10 | n = 9)", "true"),
    (TANK, "lus", "ltl: (G F go) -> F (x <= 0)", "true"),
    (TANK, "lus", "ltl: F (x <= 0)", "false"),
    (TANK, "lus", "ltl: F (y > 5)", "true"),
    (TANK, "lus", "ltl: G F (x > 0)", "false"),
    *(
        (SMV, "smv", f"ltl{n}", verdict)
        for n, verdict in enumerate(("true", "false", "true", "false", "false"))
    ),
]


@pytest.mark.parametrize(("text", "suffix", "property", "verdict"), CASES)
def test_numbers(text: str, suffix: str, property: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / f"file.{suffix}"
    file.write_text(text)
    outcome = obligato.verify(file, property=property, timeout=60)
    assert outcome.verdict.value == verdict
    assert (outcome.certificate is not None) is (verdict == "true")
    assert verdict == "true" or (outcome.trace is not None and outcome.trace.loop is not None)
