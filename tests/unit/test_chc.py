"""Horn clauses: what becomes an edge, what is refused and where, and that the CFA says what the
clauses say.
"""

from __future__ import annotations

import csv

import pytest
import z3

from obligato.engines import ic3cfa
from obligato.engines.environment import Environment
from obligato.errors import InputError, Unsupported
from obligato.frontends import chc
from obligato.models.dot import command_text
from obligato.models.importing import import_cfa
from obligato.results.checking.certificate import Status, check_certificate
from obligato.results.checking.solving import chain
from obligato.results.checking.trace import TraceStatus, check_trace
from obligato.results.outcome import EngineResult, Trace, TraceStep, Verdict
from obligato.results.replay_cfa import replay_cfa
from obligato.smt import SolverStats
from obligato.terms import TermStore
from tests.corpus import corpus_root

LOOP = """
(set-logic HORN)
(declare-fun inv (Int Bool) Bool)
(declare-fun done () Bool)
(assert (forall ((x Int)) (=> (= x 0) (inv x false))))
(assert (forall ((x Int) (y Int) (b Bool)) (=> (and (inv x b) (= y (+ x 2)) (< x 10)) (inv y true))))
(assert (forall ((x Int) (b Bool)) (=> (and (inv x b) (> x 11)) done)))
(assert (=> done false))
(check-sat)
"""

RULES = """
(declare-rel inv (Int Bool))
(declare-rel done ())
(declare-var x Int) (declare-var b Bool)
(rule (inv 0 false))
(rule (=> (and (inv x b) (< x 10)) (inv (+ x 2) true)))
(rule (=> (and (inv x b) (> x 11)) done))
(query done :print-certificate true)
"""


def solve(problem: chc.HornCFA) -> EngineResult:
    """IC3CFA on the CFA, its claim checked on the original."""
    options = ic3cfa.Options(large_blocks=False, only_run=False)
    result = ic3cfa.prove(import_cfa(problem.cfa, TermStore()), options, Environment())
    links = chain(
        [v.sort for v in (*problem.cfa.variables, *problem.cfa.inputs)], ("z3",), SolverStats()
    )
    if result.certificate is not None:
        assert check_certificate(problem.cfa, result.certificate, links).status is Status.ACCEPTED
    if result.trace is not None:
        check = check_trace(
            problem.cfa, result.trace, lambda t: replay_cfa(problem.cfa, t), links, exact=False
        )
        assert check.status is TraceStatus.CONFIRMED and check.trace is not None
        assert replay_cfa(problem.cfa, check.trace) is None
    return result


@pytest.mark.parametrize("text", [LOOP, RULES])
def test_both_dialects(text: str) -> None:
    problem = chc.parse(text)
    assert len(problem.cfa.edges) == 4 and not problem.cfa.inputs
    result = solve(problem)
    assert result.verdict is Verdict.TRUE and result.certificate is not None
    assert solve(chc.parse(text.replace("(> x 11)", "(> x 9)"))).verdict is Verdict.FALSE


def test_the_model_satisfies_the_clauses() -> None:
    problem = chc.parse(LOOP)
    result = solve(problem)
    assert result.certificate is not None
    definitions = problem.definitions(problem.model(result.certificate.invariants))
    assert len(definitions) == 2
    clauses = [line for line in LOOP.splitlines() if line.startswith("(assert")]
    for clause in clauses:
        negated = f"(assert (not {clause[len('(assert ') : -1]}))"
        solver = z3.Solver()
        solver.from_string("\n".join([*definitions, negated]))
        assert solver.check() == z3.unsat, clause


def edges(text: str) -> list[str]:
    return [command_text(e.command) for e in chc.parse(text).cfa.edges]


DECLARED = "(declare-fun p (Int) Bool)(declare-fun q (Int Int) Bool)(declare-fun r () Bool)"


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("(assert (p 3))", ["i0 := 3, i1 := 0"]),
        ("(assert (forall ((x Int)) (p x)))", ["i0 := x!0, i1 := 0"]),
        ("(assert (forall ((x Int)) (not (p x))))", [""]),
        ("(assert (not (exists ((x Int)) (and (p x) (> x 0)))))", ["[(> i0 0)]"]),
        ("(assert (forall ((x Int)) (=> (q x x) r)))", ["[(= i1 i0)]; i0 := 0, i1 := 0"]),
        (
            "(assert (forall ((x Int) (y Int)) (or (not (p x)) (q y x) (= y 1))))",
            ["[(not (= y!0 1))]; i0 := y!0, i1 := i0"],
        ),
        (
            "(assert (forall ((x Int)) (=> (p x) (and (p (+ x 1)) (> x 0)))))",
            ["i0 := (+ i0 1)", "[(not (> i0 0))]"],
        ),
        (
            "(assert (forall ((x Int)) (let ((y (+ x 1))) (=> (and (p x) (or (> y 3) r)) (p y)))))",
            None,
        ),
        (
            "(assert (forall ((x Int) (y Int)) (=> (and (or (p x) r) (= y x)) (p y))))",
            ["", "i0 := x!1"],
        ),
        (
            "(assert (forall ((x Int)) (=> (exists ((y Int)) (and (q x y) (> y 2))) (p x))))",
            ["[(> i1 2)]; i1 := 0"],
        ),
        (
            "(assert (forall ((x Int)) (=> (p x) (forall ((y Int)) (=> (> y 2) (q x y))))))",
            ["[(> y!0 2)]; i1 := y!0"],
        ),
        (
            "(assert (forall ((x Int)) (=> (not (forall ((y Int)) (not (q x y)))) (p x))))",
            ["i1 := 0"],
        ),
        (
            "(assert (forall ((x Int)) (=> (ite (> x 0) (p x) r) (p 5))))",
            ["[(> i0 0)]; i0 := 5", "[(not (> x!1 0))]; i0 := 5"],
        ),
        (
            "(assert (forall ((x Int)) (=> r (ite (> x 0) (p x) false))))",
            ["[(> x!0 0)]; i0 := x!0", "[(not (> x!1 0))]"],
        ),
        (
            "(assert (forall ((x Int)) (= (p x) (> x 7))))",
            ["[(not (> i0 7))]", "[(> x!1 7)]; i0 := x!1, i1 := 0"],
        ),
        ("(assert true)", []),
        ("(assert false)", [""]),
    ],
)
def test_clauses_become_edges(clause: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(Unsupported, match="not linear"):
            chc.parse(DECLARED + clause)
    else:
        assert [t.replace("skip", "") for t in edges(DECLARED + clause)] == expected


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (q x y))))", "not linear: p, p"),
        ("(assert (forall ((x Int)) (or (p x) r)))", "two relations in its head"),
        ("(assert (forall ((x Int)) (=> (not r) (p x))))", "two relations in its head"),
        ("(assert (forall ((x Int)) (xor (p x) r)))", "a relation or quantifier inside xor"),
        (
            "(assert (forall ((x Int)) (=> (forall ((y Int)) (q x y)) (p x))))",
            "a universal quantifier in the body",
        ),
        (
            "(assert (forall ((x Int)) (=> (p x) (exists ((y Int)) (q x y)))))",
            "an existential quantifier in the head",
        ),
        (
            (
                "(assert (forall ((x Int)) (=> (= x (ite (exists ((y Int)) (= x (* 2 y))) 1 2)) (p"
                " x))))"
            ),
            "quantifier inside eq",
        ),
        ("(assert (forall ((x Int)) (=> (ite (p x) true r) (p 0))))", "two relations in its head"),
        ("(assert (forall ((x Int)) (=> (not r) (not (p x)) (p 1))))", "two relations in its head"),
        ("(rule (p 1))(query (not (p 1)))", "where a relation does not hold"),
        ("(declare-rel s ())(query 3)", "must be Bool"),
        ("(declare-fun f (Int) Int)(assert (p (f 1)))", "uninterpreted function"),
        ("(declare-fun c () Int)(assert (p c))", "uninterpreted constant"),
        ("(assert (p true))", "expects"),
        ("(assert (q 1))", "expects"),
        ("(assert (forall ((x Int) (x Int)) (p x)))", "bound twice"),
        ("(assert (forall (x) (p x)))", "a bound variable is"),
        ("(rule (p z))", "unknown symbol z"),
        ("(declare-rel p (Int))", "already declared"),
        ("(rule)", "malformed rule"),
        ("(assert (p 1))(query r)", "not both"),
        ("(push 1)", "push"),
    ],
)
def test_refused(clause: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        chc.parse(f"{DECLARED}\n{clause}", "f.smt2")
    assert message in error.value.message and error.value.span.line == 2


def test_queries_of_relations_with_arguments_and_of_formulas() -> None:
    rules = "(declare-rel p (Int))(declare-var x Int)(rule (p 3))"
    assert solve(chc.parse(f"{rules}(query p)")).verdict is Verdict.FALSE
    assert solve(chc.parse(f"{rules}(query (and (p x) (> x 3)))")).verdict is Verdict.TRUE


def test_clauses_share_no_variables() -> None:
    """In one large block the x of the first rule and the x of the second would be one input."""
    problem = chc.parse(
        """(declare-rel p (Int))(declare-rel q (Int Int))(declare-var x Int)(declare-var y Int)
    (rule (p x))(rule (=> (p y) (q y x)))(query (and (q x y) (not (= x y))))"""
    )
    assert len(problem.cfa.inputs) == 2
    assert (
        ic3cfa.prove(import_cfa(problem.cfa, TermStore()), ic3cfa.Options(), Environment()).verdict
        is Verdict.FALSE
    )
    split = chc.parse(
        DECLARED + "(assert (forall ((x Int) (y Int)) (and (p x) (=> (p y) (q y x)))))"
    )
    assert len(split.cfa.inputs) == 2


def test_stale_arguments_hold_default_values() -> None:
    text = (
        DECLARED
        + """(assert (q 1 2))(assert (forall ((x Int) (y Int)) (=> (q x y) (p y))))
    (assert (forall ((x Int)) (=> (p x) (q x 7))))(assert (forall ((x Int)) (=> (and (p x) (= x 5)) false)))"""
    )
    problem = chc.parse(text)
    assert [v.name for v in problem.cfa.variables] == ["i0", "i1"]
    assert solve(problem).verdict is Verdict.TRUE


@pytest.mark.parametrize("operator", ["div", "mod"])
def test_division_by_the_constant_zero_is_refused(operator: str) -> None:
    with pytest.raises(Unsupported, match="division by the constant zero"):
        chc.parse(
            f"(declare-fun P (Int) Bool)(assert (forall ((x Int)) (=> (= x ({operator} 5 0)) (P"
            " x))))"
        )


def test_division_by_zero_refutes_nothing() -> None:
    """Its value is open in SMT-LIB: with another one than ours the clauses may have a model."""
    cfa = chc.parse("(assert (forall ((x Int)) (=> (and (= x 0) (= (mod 7 x) 7)) false)))").cfa
    assert [e.approximates for e in cfa.edges] == ["division by zero", None]
    trace = Trace({}, (TraceStep(0, {}),))
    check = check_trace(
        cfa, trace, lambda t: replay_cfa(cfa, t), chain([], (), SolverStats()), exact=True
    )
    assert check.status is TraceStatus.LIMITED
    assert not any(
        e.approximates
        for e in chc.parse("(assert (forall ((x Int)) (=> (= (mod x 3) 1) false)))").cfa.edges
    )


def test_real_files() -> None:
    root = corpus_root()
    if root is None:
        pytest.skip("there is no corpus (OBLIGATO_CORPUS)")
    with (root / "tasks.csv").open(encoding="utf-8", newline="") as table:
        linear = sorted(row["path"] for row in csv.DictReader(table) if row["track"] == "CHC")
    assert linear
    for path in linear[::8]:
        assert chc.load(root / "chc25" / path).cfa.edges


def test_quantifiers_may_be_nested_deeply() -> None:
    """None of the steps is quadratic or recursive; 20,000 of them took 20 s."""
    depth = 20_000
    body = f"{'(exists ((y Int)) ' * depth}(q x y){')' * depth}"
    clause = f"(assert {'(forall ((x Int)) ' * depth}(=> {body} (p x)){')' * depth})"
    assert edges(DECLARED + clause) == ["i1 := 0"]
