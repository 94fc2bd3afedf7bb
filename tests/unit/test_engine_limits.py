"""What an engine or a solver cannot do ends as unknown with the reason; models and cores are read
after an answer only; who checked independently is derived from who was asked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import obligato
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.lifting import Lifting
from obligato.engines.ic3ia.predicates import Predicates
from obligato.frontends import vmt
from obligato.models.ts_reduce import reduce_system
from obligato.results.checking.solving import chain
from obligato.results.outcome import Verdict
from obligato.smt import UNKNOWN, SolverStats
from obligato.terms import bitvec

REGRESSION = Path(__file__).parents[1] / "regression"
COUNTER = """(declare-fun x () Int)(declare-fun y () Int)(define-fun .s () Int (! x :next y))
(define-fun .i () Bool (! (= x 0) :init true))(define-fun .t () Bool (! (= y (+ x 1)) :trans true))
(define-fun .p () Bool (! (>= x 0) :invar-property 0))"""


def test_arrays_too_large_to_expand_are_no_refusal() -> None:
    outcome = obligato.verify(REGRESSION / "true" / "large_array.btor2", "ic3")
    assert outcome.verdict is Verdict.UNKNOWN and "too large to be expanded" in (
        outcome.reason or ""
    )


def test_independence_follows_from_what_was_asked() -> None:
    """The program has integer variables only, so their sorts do not tell that the engine uses a
    solver for floats.
    """
    outcome = obligato.verify(REGRESSION / "true" / "float_of_integer.c")
    assert outcome.certificate is not None and outcome.stats["solvers"] == ["bitwuzla"]
    assert outcome.certificate.independent is ("bitwuzla" not in outcome.certificate.checker)
    links = chain([bitvec(8)], ("sat-cadical153", "bitwuzla"), SolverStats())
    # the first for polynomials only
    assert [(link.name.split()[0], link.independent) for link in links] == [
        ("z3", True),
        ("cvc5", True),
        ("z3", True),
        ("bitwuzla", False),
        ("sat", False),
    ]


class _GivesUp:
    def check(self, *args: Any, **rest: Any) -> Any:
        return UNKNOWN

    def model_of(self, variables: Any) -> Any:
        raise AssertionError("there is no model")

    core = model_of


def test_lifting_reads_no_model_of_an_unknown() -> None:
    system, _ = reduce_system(vmt.parse(COUNTER), 0)
    predicates = Predicates(system, False)
    predicates.add([p.formula for p in system.assertions])
    x = system.state[0]
    pre = [system.store.eq(x, system.store.int_(3))]
    lifting = Lifting(predicates, _GivesUp(), Environment())  # type: ignore[arg-type]
    state = predicates.state({x: 3})
    # all that is connected is kept
    assert lifting.shrink(state, pre) == predicates.cube(state)
