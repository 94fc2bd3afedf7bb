"""Weakest existential preconditions against concrete execution, for random commands over all sorts.

Pointwise in the inputs: a state with given inputs satisfies the formula iff the execution with
these inputs ends in the postcondition. Existentially over inputs: by enumeration where they are
Booleans and short bit-vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from obligato.models.effect import BlockEffect, Path, count_paths, path_effect, paths
from obligato.models.gcl import SKIP, Assign, Assume, Choice, Command, Seq, Tagged
from obligato.terms import BOOL, Sort, Term, TermStore, Value, bitvec, evaluate, free_vars
from tests.small_cfas import domain, run
from tests.termgen import SORTS, TermGen, random_value


class CommandGen:
    """Random commands; each havoc has an input of its own."""

    def __init__(self, rng: Random, sorts: list[Sort], depth: int = 2) -> None:
        self.rng, self.sorts, self.depth = rng, sorts, depth
        self.store = TermStore()
        self.terms = TermGen(rng, self.store)
        self.inputs: list[Term] = []

    def command(self, size: int) -> Command:
        pick = self.rng.random()
        if size <= 1 or pick < 0.1:
            return self.leaf()
        if pick < 0.6:
            cut = self.rng.randrange(1, size)
            return Seq((self.command(cut), self.command(size - cut)))
        if pick < 0.65:
            return Tagged(self.rng.randrange(100), self.command(size - 1))
        if pick < 0.8:
            return self.branch(size)
        return Choice(tuple(self.command(size // 2) for _ in range(self.rng.choice([1, 2, 2, 3]))))

    def branch(self, size: int) -> Command:
        """if/else: the choice that needs no selector."""
        condition = self.terms.term(BOOL, self.depth)
        sides = (condition, self.store.not_(condition))
        return Choice(tuple(Seq((Assume(c), self.command(size // 2))) for c in sides))

    def leaf(self) -> Command:
        pick = self.rng.random()
        if pick < 0.2:
            return Assume(self.terms.term(BOOL, self.depth))
        if pick < 0.25:
            return SKIP
        targets = [
            self.terms.var(self.rng.choice(self.sorts)) for _ in range(self.rng.choice([1, 1, 2]))
        ]
        values = [
            self.havoc(x) if self.rng.random() < 0.25 else self.terms.term(x.sort, self.depth)
            for x in targets
        ]
        return Assign(tuple(dict(zip(targets, values, strict=True)).items()))

    def havoc(self, x: Term) -> Term:
        self.inputs.append(self.store.var(f"in{len(self.inputs)}", x.sort))
        return self.inputs[-1]


def settled(rng: Random, terms: list[Term]) -> dict[Term, Value]:
    return {v: random_value(rng, v.sort) for v in free_vars(*terms)}


def all_terms(command: Command) -> list[Term]:
    if isinstance(command, Assign):
        return [t for pair in command.pairs for t in pair]
    if isinstance(command, Assume):
        return [command.condition]
    if isinstance(command, Tagged):
        return all_terms(command.command)
    parts = command.parts if isinstance(command, Seq) else command.branches
    return [t for p in parts for t in all_terms(p)]


def along(command: Command, path: Path) -> Command:
    """The choice-free command of a path, by an independent walk."""
    decisions = iter(path)

    def chosen(c: Command) -> Command:
        if isinstance(c, Choice):
            return chosen(c.branches[next(decisions)])
        if isinstance(c, Seq):
            return Seq(tuple(chosen(p) for p in c.parts))
        return Tagged(c.edge, chosen(c.command)) if isinstance(c, Tagged) else c

    return chosen(command)


def ends(
    command: Command, values: dict[Term, Value], post: Term
) -> Iterator[tuple[bool, tuple[int, ...]]]:
    for end, edges in run(command, values):
        yield bool(evaluate(post, end)), edges


@given(st.randoms(use_true_random=False), st.sampled_from(SORTS))
@settings(max_examples=250)
def test_paths_and_blocks_agree_with_execution(rng: Random, sort: Sort) -> None:
    gen = CommandGen(rng, [sort, BOOL, rng.choice(SORTS)])
    command, post = gen.command(6), gen.terms.term(BOOL, 2)
    for _ in range(4):
        values = settled(rng, [*all_terms(command), post])
        expected = []
        for path in paths(command):
            effect = path_effect(gen.store, command, path)
            outcome = list(ends(along(command, path), values, post))
            expected.append(any(ok for ok, _ in outcome))
            assert bool(evaluate(effect.wep(post), values)) is expected[-1]
            assert all(edges == effect.edges for _, edges in outcome)
        check_block(gen.store, command, post, values, any(expected))


def check_block(
    store: TermStore, command: Command, post: Term, values: Mapping[Term, Value], expected: bool
) -> None:
    block = BlockEffect(store, command, "sel!")
    assert len(block.selectors) < 8
    found = False
    for chosen in product([False, True], repeat=len(block.selectors)):
        model = {**values, **dict(zip(block.selectors, chosen, strict=True))}
        if evaluate(block.wep(post), model):
            found = True
            one = path_effect(store, command, block.path_of(model))
            assert evaluate(one.wep(post), model)  # the named path really ends in the postcondition
    assert found is expected


@given(st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_existential_over_inputs(rng: Random) -> None:
    """sigma |= exists inputs. wep(cmd, post) iff some execution from sigma ends in post, over all
    inputs of small sorts.
    """
    gen = CommandGen(rng, [BOOL, bitvec(1), bitvec(2)], depth=1)
    command, post = gen.command(5), gen.terms.term(BOOL, 1)
    if len(gen.inputs) > 4:
        return
    state = {
        v: random_value(rng, v.sort)
        for v in free_vars(*all_terms(command), post)
        if v not in gen.inputs
    }
    block = BlockEffect(gen.store, command, "sel!")
    free = [*gen.inputs, *block.selectors]
    by_formula = any(
        evaluate(block.wep(post), {**state, **dict(zip(free, chosen, strict=True))})
        for chosen in product(*(domain(i.sort) for i in free))
    )
    by_execution = any(
        ok
        for chosen in product(*(domain(i.sort) for i in gen.inputs))
        for ok, _ in ends(command, {**state, **dict(zip(gen.inputs, chosen, strict=True))}, post)
    )
    assert by_formula is by_execution


def test_pull_back_of_literals_is_the_wep_without_assumptions() -> None:
    s = TermStore()
    x, y = s.var("x", bitvec(8)), s.var("y", bitvec(8))
    command = Seq(
        (Assume(s.eq(y, s.bv(3, 8))), Assign(((x, y), (y, x))), Assign(((x, s.bv(1, 8)),)))
    )
    effect = path_effect(s, command)
    assert effect.pull(s.eq(y, s.bv(7, 8))) is s.eq(x, s.bv(7, 8))  # a swap is parallel
    assert effect.pull(s.eq(x, s.bv(1, 8))) is s.true
    assert effect.guard == [s.eq(y, s.bv(3, 8))]


def test_deterministic_branches_need_no_selector() -> None:
    s = TermStore()
    x, b = s.var("x", bitvec(8)), s.var("b", BOOL)
    command = Choice((Seq((Assume(b), Assign(((x, s.bv(1, 8)),)))), Assume(s.not_(b))))
    block = BlockEffect(s, command, "sel!")
    assert block.selectors == [] and block.guard == []
    assert block.pull(x) is s.ite(b, s.bv(1, 8), x)
    assert block.path_of({b: True}) == (0,) and block.path_of({b: False}) == (1,)


def deep_chain(s: TermStore, depth: int) -> Command:
    """if (x == 0) y := 0 else if (x == 1) y := 1 else ..."""
    x, y = s.var("x", bitvec(16)), s.var("y", bitvec(16))
    command: Command = Assign(((y, s.bv(depth, 16)),))
    for n in reversed(range(depth)):
        c = s.eq(x, s.bv(n, 16))
        command = Choice(
            (Seq((Assume(c), Assign(((y, s.bv(n, 16)),)))), Seq((Assume(s.not_(c)), command)))
        )
    return command


def test_deep_choices_and_long_sequences() -> None:
    s = TermStore()
    x, y = s.var("x", bitvec(16)), s.var("y", bitvec(16))
    depth = 3000
    block = BlockEffect(s, deep_chain(s, depth), "sel!")
    for value in (0, 1, 700, depth, 65535):
        model: dict[Term, Value] = {x: value, y: 9}
        assert evaluate(block.pull(y), model) == min(value, depth)
        assert block.path_of(model) == (1,) * min(value, depth) + ((0,) if value < depth else ())
    assert count_paths(deep_chain(s, depth), 100) == 100
    variables = [s.var(f"v{n}", bitvec(16)) for n in range(depth)]
    long = Seq(tuple(Assign(((v, w),)) for v, w in zip(variables[1:], variables, strict=False)))
    assert path_effect(s, long).pull(variables[-1]) is variables[0]
