"""Candidates that wait for stronger ones: the conjunction of what stands is that of all that were
not dropped.
"""

from __future__ import annotations

from random import Random

from obligato.analysis.weaker import Waiting, literals
from obligato.terms import BOOL, Term, TermStore, evaluate


def _families(store: TermStore, chance: Random) -> list[Term]:
    atoms = [store.var(f"a{i}", BOOL) for i in range(5)]
    sides = [store.not_(a) if chance.random() < 0.4 else a for a in atoms]
    return list(
        dict.fromkeys(store.or_(*chance.sample(sides, chance.randint(1, 4))) for _ in range(12))
    )


def test_what_stands_implies_what_waits() -> None:
    """Formulas are dropped at random: the others are implied by those that stand, at any time."""
    for seed in range(60):
        store, chance = TermStore(), Random(seed)
        formulas = _families(store, chance)
        waiting = Waiting(formulas)
        alive, left = dict.fromkeys(waiting.strongest), dict.fromkeys(formulas)
        while alive:
            atoms = [store.var(f"a{i}", BOOL) for i in range(5)]
            for bits in range(32):
                model = {a: bool(bits >> i & 1) for i, a in enumerate(atoms)}
                assert all(evaluate(f, model) for f in alive) == all(
                    evaluate(f, model) for f in left
                )
            gone = chance.choice(list(alive))
            del alive[gone], left[gone]
            alive.update(dict.fromkeys(waiting.dropped(gone, alive)))
        assert not left


def test_literals_of_an_implication() -> None:
    """An implication from a conjunction has the negated members as literals."""
    store = TermStore()
    a, b, c = (store.var(x, BOOL) for x in "abc")
    assert literals(store.implies(store.and_(a, b), c)) == {store.not_(a), store.not_(b), c}
