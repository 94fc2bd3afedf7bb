"""What one elimination step yields, and the scratch variables it may introduce."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from obligato.terms import Sort, Term, TermStore, Value


@dataclass(frozen=True, slots=True)
class Elimination:
    """The literals that replace those with the variable;
    `scratch` variables (with values) are to be eliminated next.

    Ensures: the model (with `scratch`) satisfies the literals; exists scratch. literals  implies
    exists x. cube, and is implied by it where `exact`.  `by_value`: the variable was replaced by
    its value in the model.
    """

    literals: list[Term]
    exact: bool
    scratch: Mapping[Term, Value] = field(default_factory=dict)
    by_value: bool = False


class Scratch:
    """Names for variables that live only inside one projection;
    they never clash with the cube's own."""

    def __init__(self, store: TermStore, taken: Mapping[Term, None]) -> None:
        self.store = store
        self.taken = taken
        self.count = 0

    def new(self, sort: Sort) -> Term:
        """A variable that the cube does not contain."""
        while True:
            v = self.store.var(f"project!{self.count}!{sort}", sort)
            self.count += 1
            if v not in self.taken:
                return v
