"""What is known about relations: lemmas from above, facts from below [KGC14].

A *lemma* of level i holds of everything that has a derivation of height at most i. The frame F_i of
a relation is the conjunction of its lemmas of levels at least i; so F_0 implies F_1 and so on. A
*fact* is a cube all of whose elements have a derivation; it names the rule and the facts it was
derived from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from obligato.engines.summaries.rules import Rule
from obligato.terms import Term


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """Everything in `formula` (over the relation's parameters) is derived by the rule from elements
    of `premises`."""

    relation: str
    formula: Term
    rule: Rule
    premises: tuple[Fact, ...]


@dataclass(slots=True, eq=False)
class Lemma:
    """Nothing in `cube` has a derivation of height at most `level`."""

    relation: str
    cube: tuple[Term, ...]
    formula: Term
    level: int


@dataclass(slots=True)
class Knowledge:
    """Lemmas and facts by relation."""

    lemmas: dict[str, list[Lemma]] = field(default_factory=dict)
    facts: dict[str, list[Fact]] = field(default_factory=dict)

    def frame(self, relation: str, level: int) -> Iterator[Term]:
        """The lemmas of the frame F_level."""
        return (lemma.formula for lemma in self.lemmas.get(relation, ()) if lemma.level >= level)

    def at(self, level: int) -> list[Lemma]:
        """The lemmas of exactly this level."""
        return [lemma for mine in self.lemmas.values() for lemma in mine if lemma.level == level]

    def count(self) -> int:
        """The number of all lemmas."""
        return sum(map(len, self.lemmas.values()))
