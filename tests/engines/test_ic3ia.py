"""IC3IA: the encoding and the shrinking of cubes against their definitions, random systems against
exploration, small systems over numbers and words.
"""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from obligato.engines import ic3ia
from obligato.engines.environment import Environment
from obligato.engines.ic3ia.hooks import PredicateAbstraction
from obligato.engines.ic3ia.predicates import Predicates, atoms
from obligato.engines.ic3ia.related import RelatedAtoms
from obligato.engines.ic3ts import Query, Reached
from obligato.frontends import vmt
from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_reduce import import_system, reduce_system, sorts_of
from obligato.results.checking.certificate import Status
from obligato.results.checking.run import check_system_trace
from obligato.results.checking.solving import chain
from obligato.results.checking.system import check_system_certificate
from obligato.results.checking.trace import TraceStatus
from obligato.results.outcome import Verdict
from obligato.smt import SatResult, SolverStats
from obligato.smt.factory import solver_factory
from obligato.terms import BOOL, Substitution, Term, TermStore, evaluate, free_vars
from tests.engines.system_judge import objections
from tests.support.systems import assignments, random_system, successors
from tests.support.volume import parts

VARIANTS: list[dict[str, Any]] = [
    {},
    {"initial_predicates": "none"},
    {"initial_predicates": "atoms"},
    {"shrink_cubes": False},
    {"reduce_predicates": True},
    {"ctg": 3},
    {"combine": False},
    {"rebuild_every": 2},
    {"split_equalities": False},
    {"joins": False},
    {"reuse_obligations": False},
    {"related_atoms": False},
    {"initial_predicates": "none", "shrink_cubes": False, "drop_literals": False},
    {"orders": True, "affine": "domain"},
    {"orders": True, "affine": "known", "half_spaces": 5},
]
ENGINES = [(f"ic3ia {v}", ic3ia.prove, ic3ia.Options(**v)) for v in VARIANTS]


def check_seeds(seeds: range) -> None:
    """A variant in turn on each system, some with the debug checker."""
    for seed in seeds:
        problems = objections(
            random_system(seed, max_bits=8), [ENGINES[seed % len(ENGINES)]], debug=seed % 5 == 0
        )
        assert problems == [], seed


@pytest.mark.parametrize("block", parts(2, 1))
def test_random_systems(block: int) -> None:
    check_seeds(range(1000 + 50 * block, 1050 + 50 * block))


def test_decisions() -> None:
    from tests.engines.test_ic3ts import CASES

    for name, (task, _, _) in CASES.items():
        assert objections(task, ENGINES[:2], debug=True) == [], name


# -- numbers and words -----------------------------------------------------------------------------


def text(variables: str, init: str, trans: str, good: str, inputs: str = "") -> str:
    """A VMT script; variables and inputs as "name:Sort ...", a number is a width; x+ is the next
    state of x.
    """
    lines = []
    for n, v in enumerate(variables.split()):
        name, sort = v.split(":")
        sort = f"(_ BitVec {sort})" if sort.isdecimal() else sort
        lines += [
            f"(declare-fun {name} () {sort})(declare-fun {name}+ () {sort})",
            f"(define-fun .{n} () {sort} (! {name} :next {name}+))",
        ]
    lines += [f"(declare-fun {v.split(':')[0]} () {v.split(':')[1]})" for v in inputs.split()]
    parts = ((init, ":init true"), (trans, ":trans true"), (good, ":invar-property 0"))
    return "\n".join(
        [*lines, *(f"(define-fun .f{n} () Bool (! {f} {a}))" for n, (f, a) in enumerate(parts))]
    )


SMALL = {
    "counters in step": (
        text(
            "x:Int y:Int", "(and (= x 0) (= y 0))", "(and (= x+ (+ x 1)) (= y+ (+ y 1)))", "(= x y)"
        ),
        "true",
    ),
    "example of paper 001": (
        text(
            "c:Int d:Int",
            "(and (= c 0) (= d 0))",
            "(and (= c+ (+ c d)) (= d+ (+ d 1)))",
            "(or (<= d 3) (not (<= c d)))",
        ),
        "true",
    ),
    "sum": (
        text(
            "x:Int y:Int n:Int",
            "(and (= x 0) (= y n) (>= n 0))",
            "(and (> y 0) (= x+ (+ x 1)) (= y+ (- y 1)) (= n+ n))",
            "(=> (= y 0) (= x n))",
        ),
        "true",
    ),
    "limit": (text("x:Int", "(= x 0)", "(= x+ (ite (< x 10) (+ x 1) x))", "(<= x 10)"), "true"),
    "limit missed": (
        text("x:Int", "(= x 0)", "(= x+ (ite (<= x 10) (+ x 1) x))", "(<= x 10)"),
        "false",
    ),
    "even": (text("x:Int", "(= x 0)", "(= x+ (+ x 2))", "(not (= x 7))", ""), "true"),
    "real": (text("t:Real", "(= t 0.0)", "(= t+ (/ (+ t 1.0) 2.0))", "(< t 1.0)"), "true"),
    "strict real": (text("t:Real", "(= t 0.0)", "(= t+ (+ t d))", "(<= t 5.0)", "d:Real"), "false"),
    "delay": (
        text(
            "t:Real s:Bool",
            "(and (= t 0.0) s)",
            "(and (> d 0.0) (ite s (and (<= t+ 3.0) (= t+ (+ t d)) s+) (= t+ t)))",
            "(<= t 3.0)",
            "d:Real",
        ),
        "true",
    ),
    "words": (
        text(
            "x:8 y:8",
            "(and (= x #x00) (= y #x10))",
            "(and (bvult x y) (= x+ (bvadd x #x01)) (= y+ y))",
            "(bvule x y)",
        ),
        "true",
    ),
    "words wrap": (text("x:8", "(= x #xf0)", "(= x+ (bvadd x #x04))", "(bvuge x #xf0)"), "false"),
    "mixture": (
        text(
            "x:Int t:Real b:Bool w:4",
            "(and (= x 0) (= t 0.0) (not b) (= w #x0))",
            "(and (= x+ (+ x 1)) (= t+ (+ t 1.0)) (= b+ (not b)) (= w+ (bvxor w #x1)))",
            "(and (= (to_real x) t) (= b (= w #x1)))",
        ),
        "true",
    ),
    "property over an input": (
        text("x:Int", "(= x 0)", "(= x+ (+ x 1))", "(=> go (<= x 2))", "go:Bool"),
        "false",
    ),
    "the input of the step is not the input of the state": (
        text("x:Int", "(= x 0)", "(= x+ (ite go (+ x 1) x))", "(=> (> x 0) go)", "go:Bool"),
        "false",
    ),
    "no initial state": (text("x:Int", "(< x x)", "(= x+ x)", "false"), "true"),
    "no step": (text("x:Int", "(= x 0)", "false", "(= x 0)"), "true"),
    "at once": (text("x:Int", "(> x 5)", "(= x+ x)", "(> x 6)"), "false"),
}


def verdict(
    system: TransitionSystem, options: ic3ia.Options, env: Environment | None = None
) -> Verdict:
    """The verdict, after its claim was checked on the original."""
    small, lift = reduce_system(system, 3)
    result = ic3ia.prove(small, options, env or Environment(debug=True))
    links = chain(sorts_of(system), ("z3",), SolverStats())
    if result.certificate is not None:
        assert (
            check_system_certificate(system, lift.certificate(result.certificate), links).status
            is Status.ACCEPTED
        )
    if result.trace is not None:
        assert (
            check_system_trace(system, lift.trace(result.trace), links).status
            is TraceStatus.CONFIRMED
        )
    return result.verdict


@pytest.mark.parametrize("name", SMALL)
def test_numbers_and_words(name: str) -> None:
    script, expected = SMALL[name]
    system = vmt.parse(script)
    for options in (
        ic3ia.Options(),
        ic3ia.Options(initial_predicates="none", reduce_predicates=True),
    ):
        assert verdict(system, options).value == expected


def test_annotated_predicates_save_refinements() -> None:
    script = SMALL["sum"][0]
    told = script + "(define-fun .p () Bool (! (= (+ x y) n) :predicate true))"
    counts = []
    for source in (script, told):
        env = Environment()
        assert verdict(vmt.parse(source), ic3ia.Options(), env) is Verdict.TRUE
        counts.append(env.counters.get("refinements", 0))
    assert counts[1] == 0 < counts[0]


def test_atoms_about_the_variables_of_a_new_predicate() -> None:
    system = import_system(
        vmt.parse(
            text(
                "x:Int y:Int",
                "(= x 0)",
                "(and (=> (= x 3) (= x+ 7)) (=> (< x y) (= y+ 2)) (= y+ (+ x 1)))",
                "(<= x 9)",
            )
        ),
        TermStore(),
    )
    s, (x, y) = system.store, system.state
    related = RelatedAtoms(Predicates(system, split=False))
    of_x = related.of([s.le(x, s.int_(100))])
    assert set(of_x) == {
        s.eq(x, s.int_(0)),
        s.eq(x, s.int_(3)),
        s.eq(x, s.int_(7)),
        s.le(x, s.int_(9)),
    }
    assert related.of([s.lt(y, x)]) == Predicates(system, split=False).parts(s.lt(x, y))
    assert related.of([]) == []


def test_cancelled_and_reproducible() -> None:
    system = vmt.parse(SMALL["sum"][0])
    assert verdict(system, ic3ia.Options(), Environment(cancelled=lambda: True)) is Verdict.UNKNOWN
    runs = [Environment(seed=3) for _ in range(2)]
    for env in runs:
        verdict(system, ic3ia.Options(), env)
    assert runs[0].counters == runs[1].counters


# -- the encoding ----------------------------------------------------------------------------------


def check(*formulas: Term) -> SatResult:
    solver = solver_factory([], prefer="z3")()
    for f in formulas:
        solver.add(f)
    return solver.check()


def boolean(r: random.Random, predicates: list[Term], clauses: int) -> Term:
    """A random set of clauses over predicates."""
    s = predicates[0].store
    return s.and_(
        *(
            s.or_(
                *(
                    p if r.random() < 0.5 else s.not_(p)
                    for p in r.sample(predicates, min(2, len(predicates)))
                )
            )
            for _ in range(clauses)
        )
    )


@pytest.mark.parametrize("seed", range(60))
def test_simplified_encoding_is_equisatisfiable_with_formula_4(seed: int) -> None:
    """AbsRelInd(F, T, c, P) with all its copies and names [CGMT16, Formula 4], and F and c and T
    and not c' (hooks.py).
    """
    system = import_system(random_system(seed, max_bits=6), TermStore())
    s, r = system.store, random.Random(seed)
    table = Predicates(system, split=False)
    table.add([system.init, *(p.formula for p in system.assertions)])
    table.add(x for x in system.state if x.sort is BOOL)
    predicates = table.terms[1:]
    if not predicates:
        return
    f, c = boolean(r, predicates, 3), boolean(r, predicates, 1)
    simple = check(f, c, system.trans, s.not_(system.prime(c)))
    now, bar, bar_next = dict[Term, Term](), dict[Term, Term](), dict[Term, Term]()
    for x in system.state:
        now[x], bar[x], bar_next[x] = (
            s.var(f"{x.name}!{k}", x.sort) for k in ("now", "bar", "barnext")
        )
    after = {x: s.var(f"{x.name}!next", x.sort) for x in system.state}
    at = {
        k: Substitution(m)
        for k, m in (("now", now), ("bar", bar), ("after", after), ("barnext", bar_next))
    }
    names = {p: s.var(f"name!{n}", p.sort) for n, p in enumerate(predicates)}
    names_next = {p: s.var(f"name'!{n}", p.sort) for n, p in enumerate(predicates)}
    relation = Substitution({**bar, **{system.primed[x]: bar_next[x] for x in system.state}})(
        system.trans
    )
    whole = check(
        Substitution(names)(f),
        Substitution(names)(c),
        relation,
        s.not_(Substitution(names_next)(c)),
        *(s.eq(names[p], at["now"](p)) for p in predicates),
        *(s.eq(names_next[p], at["after"](p)) for p in predicates),
        *(s.eq(at["now"](p), at["bar"](p)) for p in predicates),
        *(s.eq(at["barnext"](p), at["after"](p)) for p in predicates),
    )
    assert simple is whole


@pytest.mark.parametrize("seed", range(80))
def test_each_abstract_state_of_a_shrunk_cube_has_an_abstract_step(seed: int) -> None:
    """The contract of `lifting`, by enumeration: for targets of random literals, and for
    violations.
    """
    raw = random_system(seed, max_bits=5)
    system = import_system(raw, TermStore())
    table = Predicates(system, split=True)
    table.add([*(p.formula for p in system.assertions), system.init])
    hooks = PredicateAbstraction(
        table, ic3ia.Options(), Environment(), solver_factory(sorts_of(system))
    )
    r, n = random.Random(seed), len(table)
    if not n:
        return
    for _ in range(4):
        target = tuple(
            sorted(
                (x if r.random() < 0.5 else -x for x in r.sample(range(1, n + 1), min(n, 2))),
                key=abs,
            )
        )
        hooks.extend()
        query = Query(target, 1, "block", required=True)
        answer = None if hooks.meets_initial(target) else hooks.predecessor(query)
        if isinstance(answer, Reached):
            cube = hooks.lift(answer, query).cube
            assert all(answer.state >> abs(x) & 1 == (x > 0) for x in cube)
            abstract = {table.state(state) for state in assignments(system.state)}
            inside = {a for a in abstract if all(a >> abs(x) & 1 == (x > 0) for x in cube)}
            assert inside <= _steps_to(system, table, target)
    hooks.close()


def _steps_to(system: TransitionSystem, table: Predicates, target: tuple[int, ...]) -> set[int]:
    """The abstract states with a concrete step into the target."""
    found: set[int] = set()
    for state, inputs in product(assignments(system.state), assignments(system.inputs)):
        now = {**state, **inputs}
        if all(evaluate(c, now) for c in system.constraints):
            for after in successors(system, now, {}):
                value = table.state(after)
                if all(value >> abs(x) & 1 == (x > 0) for x in target):
                    found.add(table.state(state))
    return found


def test_predicates_are_atoms_over_the_state() -> None:
    system = import_system(vmt.parse(SMALL["property over an input"][0]), TermStore())
    table = Predicates(system, split=True)
    s, (x,) = system.store, system.state
    table.add([s.and_(s.eq(x, s.int_(3)), s.or_(s.not_(s.le(x, s.int_(5))), system.inputs[0]))])
    assert all(free_vars(p).keys() <= {x} for p in table.terms[1:])
    assert len(table) == 3 and all(p is a for p in table.terms[1:] for a in atoms(p))


def test_a_solver_that_gives_up_teaches_nothing() -> None:
    assert verdict(vmt.parse(SMALL["limit"][0]), ic3ia.Options(budget=1)) in (
        Verdict.TRUE,
        Verdict.UNKNOWN,
    )
