"""VMT-LIB: what the annotations mean, what is refused and where, round trips, real files."""

from __future__ import annotations

import pytest

from obligato.errors import InputError, Unsupported
from obligato.frontends import vmt
from obligato.models.properties import Justice, LtlProperty
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import import_system
from obligato.terms import TermStore
from obligato.terms.printer import to_smtlib
from tests.corpus import corpus_root
from tests.support.systems import explore, random_system

COUNTER = """
; a counter
(set-info :source |hand|)
(declare-fun x () Int)
(declare-const |x.next| Int)
(declare-fun go () Bool)
(define-fun .x () Int (! x :next x.next))
(define-fun .init () Bool (! (= .x 0) :init true))
(define-fun .trans () Bool (! (= x.next (ite go (+ .x 1) .x)) :trans true))
(define-fun .good () Bool (! (>= .x 0) :invar-property 0 :predicate true))
(assert true)
"""


def test_the_parts() -> None:
    system = vmt.parse(COUNTER)
    assert [v.name for v in system.state] == ["x"] and [v.name for v in system.inputs] == ["go"]
    assert (
        to_smtlib(system.init) == "(= x 0)"
        and to_smtlib(system.trans) == "(= |x'| (ite go (+ x 1) x))"
    )
    assert [p.name for p in system.assertions] == ["0"] and system.predicates == (
        system.assertions[0].formula,
    )


@pytest.mark.parametrize(
    "declared", ["", "(declare-fun ltl.G (Bool) Bool)(declare-fun ltl.U (Bool Bool) Bool)"]
)
def test_properties_of_infinite_runs(declared: str) -> None:
    text = (
        declared
        + COUNTER.replace(":invar-property 0 :predicate true", ":live-property 0")
        + """
        (define-fun .p () Bool (! (=> (ltl.G (ltl.F go)) (not (ltl.U (or go (> x 3)) (ltl.X go)))) :ltl-property 7))"""
    )
    system = vmt.parse(text)
    justice, ltl = system.temporal
    assert isinstance(justice, Justice) and isinstance(ltl, LtlProperty) and not system.assertions
    assert (justice.name, [to_smtlib(t) for t in justice.sets]) == ("live0", ["(not (>= x 0))"])
    assert (ltl.name, str(ltl.formula)) == ("ltl7", "(G F go -> ! ((or go (> x 3)) U X go))")


def test_several_properties_in_the_order_of_their_numbers() -> None:
    text = COUNTER.replace(
        "(assert true)",
        "(define-fun .p () Bool (! (< x 9) :invar-property 10))"
        "(define-fun .q () Bool (! (< x 8) :invar-property 2))",
    )
    assert [p.name for p in vmt.parse(text).properties] == ["0", "2", "10"]


def test_an_input_in_init_or_a_predicate_has_a_next_state_of_its_own() -> None:
    system = vmt.parse(COUNTER.replace("(= .x 0)", "(and go (= .x 0))"))
    assert [v.name for v in system.state] == ["x", "go"] and not system.inputs
    assert [v.name for v in system.primed.values()] == ["x'", "go'"]
    latched = vmt.parse(
        COUNTER.replace("(assert true)", "(define-fun .p () Bool (! go :predicate true))")
    )
    assert [v.name for v in latched.state] == ["x", "go"]


def test_an_undeclared_next_state_is_free() -> None:
    system = vmt.parse(
        "(declare-fun x () Int)(define-fun .i () Bool (! (= (! x :next y) 0) :init true))"
        "(define-fun .t () Bool (! (> x 0) :trans true))"
    )
    assert [v.name for v in system.state] == ["x"] and to_smtlib(system.trans) == "(> x 0)"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (":init true", "", 8, "! needs a term"),
        (":init true", ":named i", 1, "there must be one :init, not 0"),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (= x.next 1) :trans true))",
            11,
            "one :trans, not 2",
        ),
        ("(assert true)", "(assert (> x 0))", 11, "an assertion other than true"),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (> x.next 1) :invar-property 1))",
            11,
            "about the next state: x.next",
        ),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (> x 1) :invar-property 0))",
            11,
            "two properties 0",
        ),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (> x 1) :invar-property live0))"
            "(define-fun .u () Bool (! (> x 1) :live-property 0))",
            11,
            "two properties live0",
        ),
        ("(assert true)", "(define-fun .t () Int (! x :next go))", 11, "different sorts"),
        ("(assert true)", "(define-fun .t () Bool (! go :next x.next))", 11, "different sorts"),
        (
            "(assert true)",
            "(declare-fun y () Int)(define-fun .t () Int (! x :next y))",
            11,
            "two next states",
        ),
        (
            "(assert true)",
            "(declare-fun y () Int)(define-fun .t () Int (! y :next x.next))",
            11,
            "next state of x and of y",
        ),
        (
            "(assert true)",
            "(declare-fun y () Int)(define-fun .t () Int (! x.next :next y))",
            5,
            "state variable and a next state",
        ),
        (
            "(assert true)",
            "(define-fun .t () Int (! (+ x 1) :next x.next))",
            11,
            ":next is for declared variables",
        ),
        (
            "(assert true)",
            "(define-fun .t () Int (! x :next 5))",
            11,
            ":next needs a variable, not 5",
        ),
        ("(assert true)", "(define-fun .t () Int (! x :init true))", 11, ":init is about formulas"),
        (
            "(assert true)",
            "(define-fun .t () Bool (! go :fair true))",
            11,
            "attribute :fair is not known",
        ),
        (
            "(assert true)",
            "(define-fun f ((z Int)) Bool (! (> z 0) :invar-property 3))",
            11,
            "bound names",
        ),
        ("(assert true)", "(", 11, "never closed"),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (ltl.G go) :invar-property 3))",
            11,
            "bound names: ltl.G",
        ),
        (
            "(assert true)",
            "(define-fun .t () Bool (! (ltl.G (> x.next 1)) :ltl-property 3))",
            11,
            "about the next state",
        ),
        (
            "(declare-fun go () Bool)",
            "(declare-fun go () Bool)(declare-fun |x'| () Bool)",
            4,
            "is needed for the next state of x",
        ),
    ],
)
def test_refused(old: str, new: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        vmt.parse(COUNTER.replace(old, new), "f.vmt")
    assert message in error.value.message and error.value.span.line in (line, line - 1), error.value


def test_missing_and_unreadable_files_are_refused(tmp_path: object) -> None:
    with pytest.raises(InputError):
        vmt.load(f"{tmp_path}/none.vmt")


def same(a: TransitionSystem, b: TransitionSystem) -> None:
    """The same formulas in one simplifying store."""
    store = TermStore()
    first, second = import_system(a, store), import_system(b, store)
    assert (first.state, first.init, first.trans) == (second.state, second.init, second.trans)
    assert set(first.inputs) >= set(second.inputs)
    assert [p.formula for p in first.assertions] == [p.formula for p in second.assertions]
    assert first.predicates == second.predicates


def test_round_trip() -> None:
    system = vmt.parse(COUNTER)
    same(system, vmt.parse(vmt.vmt_text(system)))


@pytest.mark.parametrize("seed", range(40))
def test_written_systems_have_the_same_runs(seed: int) -> None:
    system = random_system(seed, max_bits=5)
    assert explore(vmt.parse(vmt.vmt_text(system))).depth == explore(system).depth


def test_real_files() -> None:
    root = corpus_root()
    if root is None:
        pytest.skip("there is no corpus (OBLIGATO_CORPUS)")
    for file in sorted((root / "vmt").glob("*/*.vmt"))[::20]:
        system = vmt.load(file)
        assert len(system.properties) == 1 and system.state
        same(system, vmt.parse(vmt.vmt_text(system)))


def test_mutated_text_is_read_or_refused() -> None:
    tokens = COUNTER.split(" ")
    for n in range(len(tokens)):
        for new in ("", "(", ")", "x", ":next", "true", "|", '"'):
            try:
                vmt.parse(" ".join([*tokens[:n], new, *tokens[n + 1 :]]))
            except (InputError, Unsupported):
                continue


def test_a_temporal_formula_below_a_number_is_refused() -> None:
    text = COUNTER + "(define-fun .p () Bool (! (= (ite (ltl.X go) 1 2) 1) :ltl-property 7))"
    with pytest.raises(Unsupported, match="not Boolean"):
        vmt.parse(text)


@pytest.mark.parametrize(
    ("next_", "right"),
    [
        ("(div 7 2)", True),
        ("(div 7 y)", False),
        ("(mod x y)", False),
        ("(ite (= y 0) 3 (+ 1 (div 7 y)))", True),
        ("(ite (= 0 y) 3 (div 7 y))", True),
        ("(ite (not (= y 0)) (mod 7 y) 4)", True),
        ("(ite (distinct y 0) (mod 7 y) 4)", True),
        ("(ite (= y 0) (div 7 y) 4)", False),
        ("(ite (= x 0) 3 (div 7 y))", False),
        ("(ite (= y 0) 3 (div (div 7 x) y))", False),
        ("(ite (and (= y 0) (> (div 7 y) 1)) 1 2)", False),
        ("(ite (or (= y 0) (> (div 7 y) 1)) 1 2)", True),
        ("(ite (and (not (= y 0)) (> (div 7 y) 1)) 1 2)", True),
        ("(ite (=> (distinct y 0) (> (div 7 y) 1)) 1 2)", True),
        ("(ite (=> (> (div 7 y) 1) (distinct y 0)) 1 2)", False),
    ],
)
def test_what_may_be_divided_by_zero_has_no_value(next_: str, right: bool) -> None:
    text = f"""(declare-fun x () Int) (declare-fun x1 () Int) (declare-fun y () Int)
        (define-fun n () Int (! x :next x1)) (define-fun i () Bool (! (= x 5) :init true))
        (define-fun t () Bool (! (= x1 {next_}) :trans true))
        (define-fun p () Bool (! (>= x 0) :invar-property 0))"""
    if right:
        assert vmt.parse(vmt.vmt_text(vmt.parse(text))).state
    else:
        with pytest.raises(Unsupported, match="which may be zero"):
            vmt.parse(text)


def test_quotients_below_many_shared_tests_are_looked_at_once() -> None:
    depth = 60
    variables = " ".join(f"(declare-fun x{k} () Int)" for k in range(depth))
    tests = " ".join(
        f"(define-fun t{k + 1} () Int (ite (= x{k} 0) (+ t{k} 1) (* 2 t{k})))" for k in range(depth)
    )
    text = f"""{variables} (declare-fun y () Int) (declare-fun z () Int) (declare-fun z1 () Int)
        (define-fun t0 () Int (+ (div 7 y) z x0)) {tests}
        (define-fun n () Int (! z :next z1)) (define-fun i () Bool (! (= z 5) :init true))
        (define-fun t () Bool (! (= z1 (ite (= y 0) z DECIDED)) :trans true))
        (define-fun p () Bool (! (>= z 0) :invar-property 0))"""
    assert vmt.parse(text.replace("DECIDED", f"t{depth}")).state
    with pytest.raises(Unsupported, match="which may be zero"):
        vmt.parse(text.replace("(ite (= y 0) z DECIDED)", f"t{depth}"))
