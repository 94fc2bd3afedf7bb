"""From programs to control-flow automata: the paper's running example, shapes, sizes, import into
another store.
"""

from dataclasses import replace

import pytest

from obligato.errors import InternalError
from obligato.frontends.ivl import load, parse
from obligato.models.build import build_cfa
from obligato.models.cfa import CFA
from obligato.models.gcl import Assign, Assume
from obligato.models.importing import import_cfa
from obligato.program.inline import inline
from obligato.program.interpreter import Interpreter, Status
from obligato.terms import TermStore
from tests.corpus import REPOSITORY
from tests.support.explore import explore
from tests.support.samples import explored
from tests.unit.test_interpreter import Dice

GCD = """
l0 -> l1: havoc a
l1 -> l2: havoc b
l2 -> l3: havoc y, t
l3 -> l4: y := b
l4 -> l5: [a <s 0bv8]
l4 -> l6: [!(a <s 0bv8)]
l5 -> l6: a := -a
l6 -> l7: [b <s 0bv8]
l6 -> l8: [!(b <s 0bv8)]
l7 -> l8: b := -b
l8 -> l9: [b != 0bv8]
l8 -> l12: [!(b != 0bv8)]
l9 -> l10: t := b
l10 -> l11: b := a %s b
l11 -> l8: a := t
l12 -> l13: [y >s 0bv8]
l12 -> exit: [!(y >s 0bv8)]
l13 -> error: assert "divides": y >=s a
l13 -> exit: assert "divides": y >=s a
"""


def listing(cfa: CFA) -> str:
    name = {n: x.name for n, x in cfa.locations.items()}
    return "\n".join(f"{name[e.source]} -> {name[e.target]}: {e.text}" for e in cfa.edges)


def built(text: str) -> CFA:
    return build_cfa(inline(parse(text)))


def test_the_running_example_has_the_edges_of_the_paper() -> None:
    """[LNNK19, Fig. 1, Ex. 1-8]."""
    cfa = build_cfa(load(REPOSITORY / "examples" / "gcd.ivl"))
    assert listing(cfa) == GCD.strip()
    assert cfa.initial == 0 and [cfa.locations[n].name for n in range(14)] == [
        f"l{n}" for n in range(14)
    ]
    guard = cfa.edges[-2].command
    assert (
        isinstance(guard, Assume) and repr(guard.condition) == "(not (bvsge |main::y| |main::a|))"
    )
    assert cfa.edges[-2].violation is not None and cfa.edges[-2].violation.label == "divides"


def test_inputs_belong_to_their_edge() -> None:
    cfa = built("proc main() { var x, y: int; while (*) { havoc x, y; } havoc x; }")
    havocs = [e for e in cfa.edges if isinstance(e.command, Assign)]
    names = [[i.name for i in cfa.edge_inputs(e)] for e in havocs]
    assert names == [
        [f"main::x!in{havocs[0].id}", f"main::y!in{havocs[0].id}"],
        [f"main::x!in{havocs[1].id}"],
    ]
    assert [i.name for i in cfa.inputs] == [n for group in names for n in group]


def test_an_input_never_takes_the_name_of_a_variable() -> None:
    cfa = built("var `x!in0`: int; var x: int; proc main() { havoc x; assert x == `x!in0`; }")
    assert [i.name for i in cfa.inputs] == ["x!in0!"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("proc main() {}", ""),
        ("proc main() { assert false; }", "l0 -> error: assert false\nl0 -> exit: assert false"),
        (
            "proc main() { while (true) {} }",
            "l0 -> l0: [true]\nl0 -> exit: [!(true)]\nstart -> l0: ",
        ),
        ("proc main() { a: goto b; b: goto a; }", "l0 -> l0: \nstart -> l0: "),
        ("proc main() { halt; assert false; }", ""),
        ("proc main() { goto l; assert false; l: return; }", ""),
        ("proc main() { choose {} or { halt; } }", "l0 -> exit: choose\nl0 -> exit: choose"),
        (
            "proc main() { m: goto m, n; n: }",
            "l0 -> l0: goto m, n\nl0 -> exit: goto m, n\nstart -> l0: ",
        ),
        (
            "proc main() { if (*) {} else { assume true; } }",
            "l0 -> exit: if (*)\nl0 -> l1: if (*)\nl1 -> exit: assume true",
        ),
        (
            "var g: int := 1; var h: int := g; var i: int; proc main() {}",
            "l0 -> l1: g := 1\nl1 -> exit: h := g",
        ),
        ("var g, h: int := 1; proc main() {}", "l0 -> exit: g, h := 1, 1"),
        (
            "proc f(a: int) returns (r: int) { r := a; } proc main() { var x: int; x := f(1); }",
            "l0 -> l1: a := 1\nl1 -> l2: havoc r\nl2 -> l3: r := a\nl3 -> exit: x := r",
        ),
    ],
)
def test_shapes(text: str, expected: str) -> None:
    assert listing(built(text)) == expected


def test_choices_say_which_branch() -> None:
    cfa = built("proc main() { if (*) {} while (*) {} choose {} or {} or {} goto a, b; a: b: }")
    assert [e.choice for e in cfa.edges] == [0, 1, 0, 1, 0, 1, 2, 0, 1]


def test_marks_of_statements() -> None:
    cfa = built(
        'proc main() { var x: int; havoc x approximates "the world"; assert [limit] "few": x < 3; }'
    )
    assert cfa.edges[0].approximates == "the world"
    assert cfa.edges[1].violation is not None and cfa.edges[1].violation.kind == "limit"
    assert cfa.display == {"main::x": "x"}
    hidden = parse(
        "var x: int; proc f() { var x1: int; } proc main() { var `main::x`: int; f(); f(); }"
    )
    assert list(build_cfa(inline(hidden)).display.values()) == ["x", "main::x", "x1", "x1"]


def test_calls_must_be_inlined_first() -> None:
    with pytest.raises(InternalError, match="inlined"):
        build_cfa(parse("proc f() {} proc main() { f(); }"))


def test_large_and_deep_programs() -> None:
    straight = "".join(f"x := x + {n}; if (x == {n}) {{ havoc x; }}" for n in range(500))
    assert len(built(f"proc main() {{ var x: int; {straight} }}").edges) == 2_000
    deep = "while (*) { choose { if (*) { " * 1_000 + "} } }" * 1_000
    # and the fresh initial location's
    assert len(built(f"proc main() {{ {deep} }}").edges) == 5_000 + 1


def test_the_same_statement_object_may_occur_twice() -> None:
    program = parse("proc main() { if (*) { assume true; } }")
    main = program.procedures["main"]
    twice = replace(program, procedures={"main": replace(main, body=main.body * 2)})
    assert [(e.source, e.target) for e in build_cfa(twice).edges] == [
        (0, 1),
        (0, 2),
        (1, 2),
        (2, 3),
        (2, 4),
        (3, 4),
    ]


def test_import_keeps_numbers_and_meaning() -> None:
    for _, _, cfa, truth in explored(range(40), 2_000):
        other = import_cfa(cfa, TermStore())
        views = [[(e.id, e.source, e.target, e.text) for e in c.edges] for c in (cfa, other)]
        assert views[0] == views[1]
        assert other.store.simplifies and all(
            v.store is other.store for v in (*other.variables, *other.inputs)
        )
        assert explore(other).reachable == truth.reachable


def test_random_runs_only_fail_where_the_error_is_reachable() -> None:
    failed = 0
    for _, program, _, truth in explored(range(60), 2_000):
        interpreter = Interpreter(program)
        results = [interpreter.run(Dice(n), 300).status for n in range(40)]
        assert truth.reachable or Status.FAILED not in results
        failed += Status.FAILED in results
    assert failed > 15
