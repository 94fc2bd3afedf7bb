"""Temporal formulas about programs: random ones against explicit states, faults in automata and
claims, C.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from obligato import ClaimRefused, check, verify
from obligato.analysis.houdini import excludes_errors, houdini
from obligato.api.ltl_search import on_program
from obligato.api.reading import original_cfa, reduced
from obligato.engines.environment import Environment
from obligato.engines.preparation import in_blocks, sorts_of
from obligato.engines.rank import beneath
from obligato.engines.rank.relation import kept
from obligato.engines.rank.steps import LIFETIME, Steps
from obligato.errors import InputError, Unsupported
from obligato.frontends.c.atoms import functions, read_formula, split
from obligato.frontends.ltl import read_ltl
from obligato.frontends.registry import language_of
from obligato.models.automata import Obligations, automaton_of
from obligato.models.cfa import CFA
from obligato.models.importing import import_cfa
from obligato.models.ltl import Formula, atom
from obligato.models.ltl_product import product_of
from obligato.models.rank_claims import BuchiCFA, Endless
from obligato.program.syntax import Program
from obligato.reports.json_report import to_dict
from obligato.results.checking.automaton import unproved, wrong_automaton
from obligato.results.checking.program_ltl import check_violation
from obligato.results.checking.status import TraceStatus
from obligato.results.replay import replay
from obligato.smt import SAT, UNSAT
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, Op, Term, TermStore, bitvec, free_vars
from tests.engines.ending_judge import answered, formula_objection, program_of
from tests.support.volume import parts


@pytest.mark.parametrize("block", parts(3, 2))
def test_random_formulas(block: int) -> None:
    for seed in range(30 * block, 30 * block + 30):
        problem, _ = formula_objection(seed)
        assert problem is None, f"{seed}: {problem}"


def formula(text: str) -> Formula:
    store = TermStore.raw()
    return read_ltl(text, store, {name: store.var(name, BOOL) for name in "abc"})


@pytest.mark.parametrize(
    "text",
    [
        "G a",
        "F a",
        "G F a",
        "F G a",
        "G (a -> F b)",
        "a U (b U c)",
        "(G F a) -> (G F b)",
        "a W b",
        "a R b",
        "X a",
        "G (a -> X b)",
        "X (a U X b)",
        "!X (a & F b)",
        "!(a U b)",
        "G(F a & F b)",
        "(a xor G b) U c",
        "a <-> F b",
        "true",
        "a & !a",
    ],
)
def test_automata(text: str) -> None:
    f = formula(text)
    automaton = automaton_of(f)
    assert wrong_automaton(f, automaton) is None
    other = formula(f"!({text})")
    # of the formula itself instead of its negation
    assert wrong_automaton(other, automaton) is not None
    # postpones too much
    hasty = tuple(tuple(replace(m, postponed=m.after) for m in moves) for moves in automaton.moves)
    assert (
        hasty == automaton.moves or wrong_automaton(f, replace(automaton, moves=hasty)) is not None
    )


@pytest.mark.parametrize(
    "text", ["G a", "G F a", "F G a", "G (a -> F b)", "a U b", "(G F a) -> (G F b)"]
)
def test_every_move_is_needed(text: str) -> None:
    f = formula(text)
    automaton = automaton_of(f)
    for state, moves in enumerate(automaton.moves):
        for left in moves:
            fewer = tuple(
                tuple(m for m in ms if n != state or m is not left)
                for n, ms in enumerate(automaton.moves)
            )
            assert wrong_automaton(f, replace(automaton, moves=fewer)) is not None


def test_no_operand_is_forgotten() -> None:
    """A run that violates `a and b` may violate b alone, which an automaton of `not a` misses."""
    both = formula("a & b")
    one = automaton_of(both.args[0])
    (first,) = one.states[0]
    states = (frozenset((Formula("|", (first,)),)), *one.states[1:])
    assert wrong_automaton(both, replace(one, states=states)) is not None


def test_what_is_accepted_violates_the_formula() -> None:
    f = formula("F (a & F b)")
    automaton = automaton_of(formula("!F (a & F b)"))
    assert unproved(automaton) is None and unproved(automaton_of(f)) is None
    none: Obligations = frozenset()
    for change in (
        lambda m: replace(m, after=none),
        lambda m: replace(m, postponed=none),
        lambda m: replace(m, true=none),
    ):
        weaker = tuple(tuple(map(change, moves)) for moves in automaton.moves)
        assert unproved(replace(automaton, moves=weaker)) is not None


def test_next_is_the_next_edge(tmp_path: Path) -> None:
    """It is refused unless it is asked for."""
    file = tmp_path / "p.c"
    file.write_text("int x;\nint main(void) { x = 1; x = 2; while (1) { x = 3; x = 4; } }\n")
    with pytest.raises(Unsupported, match="X"):
        verify(file, property="ltl: X AP(x == 2)")
    # the head of a loop is an edge, too
    for text, verdict in (
        ("X AP(x == 2)", "true"),
        ("X X AP(x == 3)", "false"),
        ("X X X AP(x == 3)", "true"),
        ("[](AP(x == 3) ==> X AP(x == 4))", "true"),
        ("<>(AP(x == 4) && X AP(x == 3))", "true"),
        ("[](AP(x == 4) ==> X AP(x == 3))", "false"),
    ):
        outcome = verify(file, property=f"ltl: {text}", next="edge", timeout=60)
        assert outcome.verdict.value == verdict, text
        assert check(file, outcome).verdict is outcome.verdict


@pytest.mark.parametrize("text", ["<>AP(t == 1)", "[]<>AP(t == 1)", "<>AP(i == 0)"])
def test_recurrence_sets(text: str, tmp_path: Path) -> None:
    """The loop counts, so that no state comes back soon; no run that C defines satisfies the
    formula, because i is odd.
    """
    file = tmp_path / "p.c"
    file.write_text(
        "unsigned i; int t;\nint main(void) { i = 1; while (1) { i = i + 2; if (i == 0) t = 1;"
        " } }\n"
    )
    outcome = verify(file, property=f"ltl: {text}", timeout=60)
    assert outcome.verdict.value == "false" and check(file, outcome).verdict.value == "false"
    report = to_dict(outcome)
    report["trace"]["recurrence"]["sets"][0]["formula"] = "true"  # not closed
    with pytest.raises(ClaimRefused):
        check(file, report)


COUNT = "proc main() { var x: bv8; x := 3; while (x != 0) { x := x - 1; } }"


def lasso(text: str, bound: int) -> tuple[Program, CFA, Formula, Endless]:
    """A run of the program that violates F (x == bound), which it never is."""
    program = program_of(text)
    cfa = original_cfa(program)
    f = Formula(
        "F", (atom(cfa.store.eq(cfa.store.var("main::x", bitvec(8)), cfa.store.bv(bound, 8))),)
    )
    product = product_of(cfa, automaton_of(f), 0)
    claim = answered(product.problem).claim
    assert isinstance(claim, Endless)
    return program, cfa, f, on_program(product, claim)


def judged(program: Program, cfa: CFA, f: Formula, claim: Endless) -> TraceStatus:
    return check_violation(
        cfa, f, 0, claim, lambda t: replay(program, cfa, t, whole=False).problem
    ).status


def test_a_run_that_has_ended_stays() -> None:
    program, cfa, f, claim = lasso(COUNT, 9)
    assert (
        claim.loop == len(claim.trace.steps)
        and judged(program, cfa, f, claim) is TraceStatus.CONFIRMED
    )
    x = cfa.store.var("main::x", bitvec(8))
    reached = Formula("F", (atom(cfa.store.eq(x, cfa.store.bv(1, 8))),))
    # the run satisfies this one
    assert judged(program, cfa, reached, claim) is TraceStatus.REJECTED
    last = Formula("F", (Formula("G", (atom(cfa.store.eq(x, cfa.store.bv(0, 8))),)),))
    assert judged(program, cfa, last, claim) is TraceStatus.REJECTED
    early = replace(
        claim, trace=replace(claim.trace, steps=claim.trace.steps[:-1]), loop=claim.loop - 1
    )
    assert judged(program, cfa, f, early) is TraceStatus.REJECTED  # it has not ended there
    assert judged(program, cfa, f, replace(claim, loop=1)) is TraceStatus.REJECTED  # no loop


def test_a_loop_brings_back_what_is_observed() -> None:
    text = "proc main() { var x: bv8; var y: bv8; x := 0; while (true) { x := x + 1; } }"
    program, cfa, f, claim = lasso(text.replace("x + 1", "x + 0"), 9)
    assert judged(program, cfa, f, claim) is TraceStatus.CONFIRMED
    turning = program_of(text)
    other = original_cfa(turning)
    seen = Formula(
        "F", (atom(other.store.eq(other.store.var("main::x", bitvec(8)), other.store.bv(9, 8))),)
    )
    # nothing tests x, but the formula sees it
    assert judged(turning, other, seen, claim) is TraceStatus.LOST
    unseen = Formula(
        "F", (atom(other.store.eq(other.store.var("main::y", bitvec(8)), other.store.bv(9, 8))),)
    )
    assert judged(turning, other, unseen, claim) is TraceStatus.CONFIRMED


# -- C ---------------------------------------------------------------------------------------------

TOGGLE = """extern int __VERIFIER_nondet_int(void);
unsigned int i, t; int limit; signed char c = -1;
int main(void) { limit = 4; while (1) { if (i % 2 == 0) t = 1; else t = 0; i = 1 - i; } }
"""


def judged_alike(program: str, text: str, verdict: str, tmp_path: Path) -> None:
    """A formula about a program has the verdict, which is accepted when it is checked again."""
    file = tmp_path / "p.c"
    file.write_text(program)
    outcome = verify(file, property=f"ltl: {text}", timeout=60)
    assert outcome.verdict.value == verdict
    assert check(file, outcome).verdict is outcome.verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('CHECK( init(main()), LTL( G(F"t==1" && F"t==0") ) )', "true"),
        ("[]<>AP(t == 0)", "true"),
        ("<>[]AP(t == 0)", "false"),
        ("[]AP(t <= 1)", "true"),
        ("AP(limit == 0) U AP(limit == 4)", "true"),
        ("[]AP(limit == 4)", "true"),
        ("<>AP(limit == 0)", "false"),  # the initial values of globals are no step
        ("[]AP(c < 0)", "true"),
        ("[]AP(c > 0u)", "true"),
        ("[]AP(c == 255)", "false"),  # as C converts and promotes
        ("[](AP((t == 1 || i > 3) && limit) ==> <>AP(!t))", "true"),
    ],
)
def test_c(text: str, verdict: str, tmp_path: Path) -> None:
    judged_alike(TOGGLE, text, verdict, tmp_path)


@pytest.mark.parametrize(
    ("body", "text", "verdict"),
    [
        ("x = 0; while (1) x++;", "<>AP(x < 0)", "unknown"),  # only after an overflow
        (
            "x = __VERIFIER_nondet_int(); x = x + 1; while (1);",
            "[]AP(x > -2147483647)",
            "unknown",
        ),  # with and without one
        ("x = 1;", "<>[]AP(x == 1)", "true"),
        ("x = 1;", "[]<>AP(x == 0)", "false"),  # a program that ends stays
        ("x = 1; x = 2; x = 3;", "<>AP(x == 2)", "true"),  # every statement is a step
        ("x = 1; abort(); x = 2;", "[]AP(x != 2)", "true"),
        ("x = 1; while (1) __VERIFIER_assume(0);", "<>AP(x == 2)", "true"),
    ],
)
def test_runs(body: str, text: str, verdict: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); extern void"
        f" abort(void);\nint x;\nint main(void) {{ {body} return 0; }}\n"
    )
    found = verify(
        str(file), property=f"ltl: {text}", timeout=8 if verdict == "unknown" else 60
    ).verdict.value
    assert found in (verdict, "false") if "-2147483647" in text else found == verdict


@pytest.mark.parametrize(
    "text",
    [
        "<>AP(z == 1)",
        "<>AP(x = 1)",
        "<>AP(x++)",
        "<>AP(f())",
        "<>AP(x;1)",
        "<>AP(x",
        "<>",
        "X AP(x)",
    ],
)
def test_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(
        "int x; int f(void) { return x; }\nint main(void) { int y = 1; while (1) x = y + f(); }\n"
    )
    with pytest.raises(InputError):
        verify(file, property=f"ltl: {text}")


def test_expressions() -> None:
    text, found = split('[]( ! "init == 3" || []<>AP(f(a) > (b)) ) && "init == 3"')
    assert found == ("init == 3", "f(a) > (b)") and text.count("__obligato_atom0") == 2
    assert "return (a >= b);" in functions([("a >= b", {})]) and "return (a <= b);" in functions(
        [("a <= b", {})]
    )
    for wrong in ("a = b", "a += 1", "", "a; b", "x == 1 ? a = 2 : 0"):
        with pytest.raises(InputError):
            functions([(wrong, {})])


LOCALS = """extern int __VERIFIER_nondet_int(void);
struct s { int x; } r; int g, n;
int next(int a) { int b = a % 3; return b + 1; }
int main(int argc, char **argv) {
  unsigned char x = 200; int n = 1, z = __VERIFIER_nondet_int() % 5; int *p = &g;
  g = 4;
  while (1) { int t = next(x); n = t; x = x + 100; if (argc > 2) { int u = 1; g = u; } else { int u = 2; g = u; } }
}
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("AP(x == 200) && AP(main::n == 1)", "true"),  # declarations at the beginning are no steps
        ("[]AP(main::n >= 1 && main::n <= 3)", "true"),
        ("<>AP(n != 0)", "false"),
        ("<>AP(::n != 0)", "false"),
        ("[]AP(r.x == 0)", "true"),  # a member x
        ("[]AP(argc >= 0)", "true"),
        ("[]AP(argc > 0)", "false"),
        ("[]AP(x + 100 < 256)", "false"),  # promoted, it does not wrap
        ("[]AP(x != 'x')", "false"),
        ("AP(g == 4) U AP(g == 1 || g == 2)", "false"),
        ("AP(g == 4 && x < 256) U AP(g == 1 || g == 2)", "true"),
        ("[]AP(x < 256u)", "true"),
    ],
)
def test_locals(text: str, verdict: str, tmp_path: Path) -> None:
    judged_alike(LOCALS, text, verdict, tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<>AP(u == 1)", "several variables u"),
        ("<>AP(next::b == 1)", "no variable of"),
        ("<>AP(main::g == 1)", "no variable of"),
        ("<>AP(p == 0)", "no number"),
    ],
)
def test_refused_locals(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(LOCALS)
    with pytest.raises(InputError, match=why):
        verify(file, property=f"ltl: {text}")


def test_locals_in_memory_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(
        "extern int *other(int *);\nint main(void) { int z = 3; int *q = other(&z); *q = 1; while"
        " (1); }\n"
    )
    with pytest.raises(Unsupported, match="whose address is taken"):
        verify(file, property="ltl: []AP(z == 3)")


def test_the_first_letter_is_the_state_after_the_first_statement(tmp_path: Path) -> None:
    """Neither what is known of the arguments of main nor initial values are steps, also those that
    are not constant.
    """
    file = tmp_path / "p.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void);\nint c = __VERIFIER_nondet_int();\nint d = c; int"
        " g;\nint main(int argc, char **argv) { g = 4; while (1) { if (c) g = 4; } }\n"
    )
    for text, verdict in (
        ("[]AP(g == 4)", "true"),
        ("[]AP(c == d)", "true"),
        ("[]AP(c == 7)", "false"),
        ("<>AP(c != 7)", "false"),
        ("AP(g == 0)", "false"),
    ):
        assert verify(file, property=f"ltl: {text}", timeout=60).verdict.value == verdict


def test_recursion_is_refused_where_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file.c"
    file.write_text(
        "int g;\nint f(int n) { if (n <= 0) return 0; g = n; return 1 + f(n - 1); }\nint main(void)"
        " { f(3); }\n"
    )
    with pytest.raises(Unsupported, match="f calls itself") as refusal:
        verify(file, property="ltl: [] AP(g >= 0)")
    assert refusal.value.span is not None and refusal.value.span.line == 2


# -- what is known of the program holds in the product ---------------------------------------------


def product_in_one_store(text: str, property: str, tmp_path: Path) -> BuchiCFA:
    """The product of a C program with a formula as the engine gets it."""
    file = tmp_path / "p.c"
    file.write_text(text)
    formula, expressions = split(property)
    program = language_of(file).load(file, property="ltl", observed=expressions)
    cfa, read = original_cfa(program), read_formula(formula, program)
    problem = product_of(cfa, automaton_of(read), 0).problem
    small, _ = reduced(problem.cfa, 0)
    assert problem.base is not None
    below = replace(problem.base, cfa=import_cfa(problem.base.cfa, small.store))
    return replace(problem, cfa=small, base=below)


COUNTS = """
int n, idle, seen; int main(void) { n = 0; idle = 7; while (n < 9) { n++; seen = 1 - seen; }
  if (idle != 7) { while (1) seen = 5; } while (1) seen = 0; }
"""


def test_seeds_of_the_program_hold_at_all_copies(tmp_path: Path) -> None:
    problem = product_in_one_store(COUNTS, "[](AP(seen == 1) ==> <>AP(seen == 3))", tmp_path)
    assert problem.base is not None
    cfa = replace(problem.cfa, keep=kept(problem))
    blocks = in_blocks(cfa, Environment())
    seeds = beneath.seeds(replace(problem, cfa=cfa), blocks, Environment())
    make = solver_factory(sorts_of(cfa))
    assert houdini(blocks, seeds, make) == {loc: list(fs) for loc, fs in seeds.items() if fs}
    places: dict[int, list[object]] = {}
    for loc, formulas in seeds.items():
        places.setdefault(problem.base.place.get(loc, -1), []).append(list(formulas))
    assert any(len(copies) > 1 for copies in places.values())
    assert all(copy == copies[0] for copies in places.values() for copy in copies)
    # what nothing depends on is left out, and no run enters the loop behind `idle != 7`
    names = {v.name for fs in seeds.values() for v in free_vars(*fs)}
    assert "n" in names
    assert any(cfa.store.false in fs for fs in seeds.values())


@pytest.mark.parametrize("text", [COUNTS, COUNTS.replace("< 9", "!= 9")])
def test_limits_that_the_program_does_not_reach(text: str, tmp_path: Path) -> None:
    found, problem = limits_beneath(text, tmp_path)
    assert found is not None
    blocks = in_blocks(problem.cfa, Environment())
    make = solver_factory(sorts_of(problem.cfa))
    known = {loc: [f] for loc, f in found.items()}
    assert excludes_errors(blocks, houdini(blocks, known, make), make)


def test_limits_that_the_program_reaches(tmp_path: Path) -> None:
    found, _ = limits_beneath(COUNTS.replace("while (n < 9)", "while (1)"), tmp_path)
    assert found is None


def limits_beneath(text: str, tmp_path: Path) -> tuple[dict[int, Term] | None, BuchiCFA]:
    """What is found about the limits of a program, and its product."""
    problem = product_in_one_store(text, "<>AP(seen == 3)", tmp_path)
    assert problem.base is not None
    cfa = replace(problem.cfa, keep=kept(problem))
    make, env = solver_factory(sorts_of(cfa)), Environment()
    locations = in_blocks(cfa, env).locations
    return beneath.limits(problem.base, locations, make, env, 500), replace(problem, cfa=cfa)


def test_a_loop_does_not_pass_what_it_comes_up_to(tmp_path: Path) -> None:
    """That nothing overflows is a matter of the formula: n stays below 300 until `seen` is 300."""
    file = tmp_path / "p.c"
    file.write_text(
        "extern int __VERIFIER_nondet_int(void); int n, seen; int main(void) { int t; while (1) {"
        " if (__VERIFIER_nondet_int()) t = 300; else { n++; t = n > 10 ? n : 0; } seen = t; } }"
    )
    outcome = verify(file, property="ltl: <>AP(seen == 300)", timeout=60)
    assert outcome.verdict.value == "true"
    assert check(file, outcome).verdict is outcome.verdict


def test_solvers_of_steps_hear_of_new_invariants() -> None:
    store = TermStore()
    x = store.var("x", bitvec(8))
    invariants: dict[int, dict[Term, None]] = {0: {}}
    steps = Steps(solver_factory([x.sort]), invariants)
    for _ in range(2 * LIFETIME + 2):
        assert steps.at(0).check([store.eq(x, store.bv(3, 8))]) is SAT
    invariants[0][store.mk(Op.BVULT, (x, store.bv(3, 8)))] = None
    for _ in range(LIFETIME + 2):
        assert steps.at(0).check([store.eq(x, store.bv(3, 8))]) is UNSAT
        assert steps.at(0).check([store.eq(x, store.bv(2, 8))]) is SAT
    steps.close()
