"""SMT-LIB: what is printed reads back as the same term; scripts, annotations, macros; every defect
has a position.
"""

import re
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.errors import InputError, Unsupported
from obligato.terms import (
    BOOL,
    FLOAT32,
    INT,
    REAL,
    ArrayValue,
    Op,
    Term,
    TermStore,
    array,
    bitvec,
    evaluate,
    free_vars,
)
from obligato.terms.printer import declaration, symbol, to_smtlib
from obligato.terms.smtlib import SList, TermReader, parse_sexprs, read_script
from obligato.terms.softfloat import RoundingMode
from tests.support.scripts import to_smtlib_script
from tests.termgen import SORTS, TermGen, random_value

randoms = st.randoms(use_true_random=False)


def _read(s: TermStore, text: str, *variables: Term) -> Term:
    reader = TermReader(s)
    (sexpr,) = parse_sexprs(text)
    for v in variables:
        (atom,) = parse_sexprs(symbol(v.name))
        reader.scope.constants[str(atom)] = v
    return reader.read(sexpr)


def _bool(s: TermStore, text: str, **sorts: str) -> Term:
    declarations = "".join(f"(declare-fun {name} () {sort})" for name, sort in sorts.items())
    (assertion,) = read_script(f"{declarations}(assert {text})", "t.smt2", s).assertions
    assert assertion.term is not None
    return assertion.term


# -- round trip ------------------------------------------------------------------------------------


@settings(max_examples=400)
@given(randoms)
def test_round_trip(rng: Random) -> None:
    """In the simplifying store the same object comes back; in the raw one a term with the same
    value.
    """
    for s in (TermStore(), TermStore.raw()):
        t = TermGen(rng, s).term(rng.choice(SORTS), 4)
        back = _read(s, to_smtlib(t), *free_vars(t))
        assert back.sort is t.sort
        if s.simplifies:
            assert back is t
        else:
            values = {v: random_value(rng, v.sort) for v in free_vars(t)}
            assert evaluate(back, values) == evaluate(t, values)


@settings(max_examples=100)
@given(randoms)
def test_z3_reads_what_we_print(rng: Random) -> None:
    """z3 accepts our text, and under a full assignment has our value."""
    s = TermStore.raw()
    t = TermGen(rng, s).term(BOOL, 3)
    values = {v: random_value(rng, v.sort) for v in free_vars(t)}
    fixed = [s.eq(v, s.const(x, v.sort)) for v, x in values.items()]
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 20_000)
    # Query: the assignment and (term != our value); unsat means z3 agrees.
    solver.from_string(to_smtlib_script([*fixed, s.not_(s.eq(t, s.bool_(evaluate(t, values))))]))
    assert solver.check() != z3.sat


@given(st.text(max_size=8))
def test_symbols(name: str) -> None:
    """Any name that SMT-LIB can spell survives, keywords and numerals included."""
    s = TermStore()
    text = symbol(name)
    script = read_script(f"(declare-fun {text} () Int)(assert (= {text} 1))", "t", s)
    (declared,) = script.declarations.values()
    if "|" not in name and "\\" not in name:
        assert declared.name == name
    assert script.assertions[0].term is s.eq(s.var(declared.name, INT), s.int_(1))


def test_values() -> None:
    """Literals of every sort."""
    s = TermStore()
    values: list[tuple[Term, str]] = [
        (s.int_(-5), "(- 5)"),
        (s.real(Fraction(1, 3)), "(/ 1.0 3.0)"),
        (s.real(-2), "(- 2.0)"),
        (s.bv(10, 8), "#x0a"),
        (s.bv(5, 3), "#b101"),
        (s.fp_nan(FLOAT32), "(_ NaN 8 24)"),
        (s.fp_inf(FLOAT32, True), "(_ -oo 8 24)"),
        (s.fp_zero(FLOAT32), "(_ +zero 8 24)"),
        (s.rm(RoundingMode.RTZ), "RTZ"),
        (s.true, "true"),
        (s.fp_of(1, FLOAT32), "(fp #b0 #b01111111 #b00000000000000000000000)"),
        (
            s.const(ArrayValue(0, {3: 1, -1: 2}), array(INT, INT)),
            "(store (store ((as const (Array Int Int)) 0) 3 1) (- 1) 2)",
        ),
        (s.int_(10**5000), "1" + "0" * 5000),
    ]
    for term, text in values:
        assert to_smtlib(term) == text
        assert _read(s, text) is term


def test_sharing_is_linear() -> None:
    """A term that is a tree of 2^60 leaves prints and reads as a few lines; a let name never
    captures a variable.
    """
    s = TermStore.raw()
    x = s.var("?0", bitvec(8))
    t = x
    for _ in range(60):
        t = s.mk(Op.BVADD, (t, t))
    text = to_smtlib(t)
    assert len(text) < 3000
    assert _read(s, text, x) is t


@pytest.mark.parametrize("levels", [100_000])
def test_deep_text(levels: int) -> None:
    """Nested applications and nested lets do not recurse."""
    s = TermStore()
    p = s.var("p", BOOL)
    deep = "(not " * levels + "p" + ")" * levels
    assert _read(s, deep, p) is p
    levels //= 4
    lets = (
        "".join(f"(let ((a{i} (xor a{i - 1} p))) " for i in range(1, levels))
        + f"a{levels - 1}"
        + ")" * (levels - 1)
    )
    assert _read(s, f"(let ((a0 p)) {lets})", p) in (p, s.false)


# -- the language ----------------------------------------------------------------------------------


def test_let_is_parallel() -> None:
    """Definitions see the outer scope."""
    s = TermStore()
    t = _bool(s, "(let ((x y) (y x)) (< x y))", x="Int", y="Int")
    assert t is s.lt(s.var("y", INT), s.var("x", INT))


def test_integers_among_reals() -> None:
    """Older dialects write integers where reals are meant."""
    s = TermStore()
    x = s.var("x", REAL)
    two = s.real(2)
    assert _bool(s, "(<= (* 2 x) 3)", x="Real") is s.le(s.mul(two, x), s.real(3))
    assert _bool(s, "(= x (ite (< x 0) 1 (/ 1 3)))", x="Real").sort is BOOL
    assert _bool(s, "(= (- x) (- 1))", x="Real") is s.eq(x, s.real(1))
    assert _bool(s, "(= x (+ n 1))", x="Real", n="Int") is s.eq(
        x, s.add(s.to_real(s.var("n", INT)), s.real(1))
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("(= a b a)", "(and (= a b) (= b a))"),
        ("(bvult a b a)", "(and (bvult a b) (bvult b a))"),
        ("(= (bvsub a b) a)", "(= b #x0)"),
        ("(= (bvnand a b) (bvnot (bvand a b)))", "true"),
        ("(= (bvnor a b) (bvnot (bvor a b)))", "true"),
        ("(= (bvxnor a b) (bvnot (bvxor a b)))", "true"),
        ("(= (bvcomp a b) #b1)", "(= a b)"),
        ("(= ((_ rotate_left 1) a) (concat ((_ extract 2 0) a) ((_ extract 3 3) a)))", "true"),
        ("(= ((_ rotate_right 1) a) ((_ rotate_left 3) a))", "true"),
        ("(= ((_ repeat 2) a) (concat a a))", "true"),
        ("(= ((_ repeat 1) a) a)", "true"),
        ("(= (_ bv5 4) #b0101)", "true"),
        ("(= ((_ zero_extend 0) a) a)", "true"),
        ("(xor p p p)", "p"),
        ("(=> p p false)", "(=> p (=> p false))"),
        ("(distinct a b #x1)", "(and (not (= a b)) (not (= a #x1)) (not (= b #x1)))"),
        ("(! p :named q)", "p"),
        ("(= (select ((as const (Array Int Int)) 5) n) 5)", "true"),
        ("((_ divisible 3) n)", "(= (mod n 3) 0)"),
        ("(= (- n 1 2) (- n 3))", "true"),
        ("(= (abs n) (ite (>= n 0) n (- n)))", "true"),
        ("(= (div 7 2 2) 1)", "true"),
        ("(= 1.50 (/ 3 2))", "true"),
        ("(= (to_int 2.5) 2)", "true"),
        ("(is_int 2.5)", "false"),
        ("(= ((_ to_fp 8 24) RNE 0.5) ((_ to_fp 8 24) roundNearestTiesToEven (/ 1 2)))", "true"),
        ("(= ((_ to_fp 8 24) #x3f800000) ((_ to_fp 8 24) RNE 1))", "true"),
        ("(= ((_ to_fp_unsigned 8 24) RNE #xff) ((_ to_fp 8 24) RNE 255))", "true"),
        ("(= ((_ to_fp 8 24) RNE #xff) ((_ to_fp 8 24) RNE (- 1)))", "true"),
        ("(= ((_ fp.to_sbv 8) RTZ ((_ to_fp 8 24) RNE 1.5)) #x01)", "true"),
        ("(= (fp.to_real ((_ to_fp 11 53) RNE 1.5)) 1.5)", "true"),
        ("(fp.isNaN (fp #b0 #xff #b00000000000000000000001))", "true"),
        ("(fp.lt (_ -oo 8 24) (_ +zero 8 24) (_ +oo 8 24))", "true"),
        ("(= (fp.min (_ -zero 8 24) (_ +zero 8 24)) (_ +zero 8 24))", "true"),
    ],
)
def test_operators(text: str, same: str) -> None:
    """Each form means what its definition means."""
    sorts = {"a": "(_ BitVec 4)", "b": "(_ BitVec 4)", "p": "Bool", "n": "Int"}
    s = TermStore()
    assert _bool(s, text, **sorts) is _bool(s, same, **sorts)


def test_script() -> None:
    """Declarations, macros, sorts, attributes, several in one annotation, raw commands."""
    s = TermStore()
    script = read_script(
        """
        ; a transition system
        (set-logic QF_LIA) (set-info :source |made up; here|) (set-option :x 1)
        (define-sort Word () (_ BitVec 8)) (define-sort Map (E) (Array Int E))
        (declare-fun x () Int) (declare-const x.next Int) (declare-fun m () (Map Word))
        (define-fun twice ((k Int) (r Int)) Int (+ k r r))
        (define-fun .init () Bool (! (= (twice x x) 0) :init true :named start))
        (define-fun .sv () Int (! x :next x.next))
        (define-fun .prop () Bool (! (<= 0 x) :invar-property 0 :checked))
        (assert start) (assert (= (select m 0) #x00)) (check-sat) (exit) (garbage
        """.replace("(garbage", ""),
        "t.vmt",
        s,
    )
    x = s.var("x", INT)
    assert script.logic == "QF_LIA"
    assert script.declarations["m"].sort is array(INT, bitvec(8))
    assert script.definitions[".init"].body is s.eq(x, s.int_(0))
    assert [(a.term, a.key, a.value) for a in script.annotations] == [
        (s.eq(x, s.int_(0)), ":init", "true"),
        (s.eq(x, s.int_(0)), ":named", "start"),
        (x, ":next", "x.next"),
        (s.ge(x, s.int_(0)), ":invar-property", "0"),
        (s.ge(x, s.int_(0)), ":checked", None),
    ]
    assert script.annotations[2].span.line == 8
    assert script.assertions[0].term is s.eq(x, s.int_(0))
    assert [str(c[0]) for c in script.commands][-2:] == ["check-sat", "exit"]


def test_quantified_assertions_are_handed_back() -> None:
    """A CHC front end gets the s-expression and reads its parts with bindings; predicates through a
    hook.
    """
    s = TermStore()
    text = (
        "(declare-fun inv (Int) Bool)(assert (forall ((A Int)) (=> (and (inv A) (< A 5)) (inv (+ A"
        " 1)))))(query q)"
    )
    seen: list[tuple[str, list[Term]]] = []

    def functions(declaration: object) -> object:
        def apply(store: TermStore, args: list[Term]) -> Term:
            seen.append((declaration.name, args))  # type: ignore[attr-defined]
            return store.fresh("P", BOOL)

        return apply

    script = read_script(text, "t.smt2", s, functions)  # type: ignore[arg-type]
    (assertion,) = script.assertions
    assert assertion.term is None
    assert isinstance(assertion.sexpr, SList)
    a = s.var("A", INT)
    body = script.reader.read(assertion.sexpr[2], {"A": a})
    assert body.op is Op.OR
    assert seen == [("inv", [a]), ("inv", [s.add(a, s.int_(1))])]
    with pytest.raises(InputError, match="unknown symbol A"):
        script.reader.read(assertion.sexpr[2])


# -- defects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("(assert (and p", "never closed", 1, 1),
        ("(assert true))", "unmatched", 1, 14),
        ("(assert\n  (and q true))", "unknown symbol q", 2, 8),
        ("(assert (foo true))", "unknown function foo", 1, 10),
        ("(assert (bvadd #x1 #x01))", "cannot be applied", 1, 9),
        ("(assert 5)", "must be Bool", 1, 9),
        ("(declare-fun x () (_ BitVec 99999999999))", "between 1 and", 1, 29),
        ("(declare-fun x () (_ BitVec 0))", "between 1 and", 1, 29),
        ("(declare-fun x () (_ FloatingPoint 99 4))", "between 2 and", 1, 36),
        ("(declare-fun x () Strange)", "unknown sort", 1, 19),
        ("(declare-fun x () Int)\n(declare-fun x () Bool)", "already declared", 2, 14),
        ("(define-fun f ((a Int)) Bool a)", "was expected", 1, 30),
        ("(define-fun f ((a Int)) Int a)(assert (f))", "applied to nothing", 1, 39),
        ("(define-fun f ((a Int)) Int a)(assert (= 1 (f true)))", "expected", 1, 44),
        ("(assert (= ((_ extract 9 0) #x00) #x00))", "cannot be applied", 1, 12),
        ("(assert (= ((_ repeat 9999) #x00) #x00))", "too wide", 1, 12),
        ("(assert (let ((x)) true))", "a definition is", 1, 15),
        ("(assert ())", "empty list", 1, 9),
        ("(assert (! true))", "attributes", 1, 9),
        ("(assert (= |x true))", "never closed", 1, 12),
        ('(echo "abc)', "string is never closed", 1, 7),
        ("(assert #xyz)", "malformed", 1, 9),
        ("(assert (_ bv9 2))", "does not fit", 1, 9),
        ("(assert (ite true 1 false))", "cannot be applied", 1, 9),
        ("(assert (not))", "applied to nothing", 1, 9),
        ("(assert (not true true))", "1 argument expected", 1, 9),
        ("(frobnicate)", "unknown command", 1, 1),
        ("hello", "a command was expected", 1, 1),
        ("(push 1)", "not supported", 1, 1),
        ("(declare-fun f (Int) Int)(assert (= 0 (f 1)))", "uninterpreted", 1, 39),
        ("(assert (select 1 2))", "an array was expected", 1, 9),
        ("(assert (fp.to_real 1))", "floats expected", 1, 9),
        ("(assert (div 1 true))", "Int arguments", 1, 9),
        ("(set-logic)", "takes 1", 1, 1),
    ],
)
def test_defects_have_positions(text: str, message: str, line: int, column: int) -> None:
    """File, line and column of what is wrong."""
    with pytest.raises(InputError, match=message) as caught:
        read_script(text, "t.smt2", TermStore())
    assert (caught.value.span.file, caught.value.span.line, caught.value.span.column) == (
        "t.smt2",
        line,
        column,
    )


def _refusal_line(text: str, s: TermStore) -> int:
    """The line of the InputError, 1 if the text is a script."""
    try:
        read_script(text, "t", s)
    except InputError as e:
        return e.span.line
    return 1


_WORDS = re.split(
    r"\s+",
    """( ) ( ) ( ) assert declare-fun define-fun define-sort let ! _ as const forall x
    y |x| p Int Bool Real true 1 0 -1 2.5 #x0f #b1 #xzz BitVec Array FloatingPoint
    extract zero_extend repeat bv5 and or not = + - * / div mod <= bvadd concat
    select store fp fp.add fp.to_sbv to_fp RNE :named :next 3 16 99999999999 " | ;
    set-logic ite distinct => xor rotate_left divisible to_real to_int abs fp.min
    NaN +oo is_int bvcomp exit""",
)


@settings(max_examples=600)
@given(st.lists(st.sampled_from(_WORDS), max_size=25), st.booleans())
def test_garbage_is_refused_politely(words: list[str], wrap: bool) -> None:
    """Random tokens give a script or an InputError, nothing else."""
    text = " ".join(words)
    if wrap:
        text = f"(declare-fun x () Int)(declare-fun p () (_ BitVec 8))(assert ({text}))"
    for s in (TermStore(), TermStore.raw()):
        assert _refusal_line(text, s) >= 1


@settings(max_examples=150)
@given(randoms)
def test_damaged_scripts_are_refused_politely(rng: Random) -> None:
    """A valid script with one token changed, or cut off anywhere."""
    s = TermStore()
    t = TermGen(rng, s).term(BOOL, 4)
    text = "".join(declaration(v) for v in free_vars(t)) + f"(assert {to_smtlib(t)})"
    cut = text[: rng.randrange(len(text))]
    pieces = text.split(" ")
    pieces[rng.randrange(len(pieces))] = rng.choice(_WORDS)
    for damaged in (cut, " ".join(pieces)):
        assert _refusal_line(damaged, TermStore()) >= 1


def test_unsupported_is_named() -> None:
    """A construct that is not modelled says which."""
    with pytest.raises(Unsupported) as caught:
        read_script("(declare-datatypes () ())", "t", TermStore())
    assert caught.value.construct == "declare-datatypes"


# -- real files ------------------------------------------------------------------------------------


def test_corpus(corpus: Path) -> None:
    """A sample of the VMT and CHC files reads without complaint."""
    files = [
        *sorted(corpus.glob("vmt/**/*.vmt"))[::25],
        *sorted(corpus.glob("chc25/**/*.smt2"))[::12],
    ]
    assert files
    for file in files:
        script = read_script(file.read_text(), str(file), TermStore())
        assert script.annotations or script.assertions


@pytest.mark.slow
def test_whole_corpus(corpus: Path) -> None:
    """All of them."""
    for file in [*sorted(corpus.glob("vmt/**/*.vmt")), *sorted(corpus.glob("chc25/**/*.smt2"))]:
        script = read_script(file.read_text(), str(file), TermStore())
        assert script.annotations or script.assertions
