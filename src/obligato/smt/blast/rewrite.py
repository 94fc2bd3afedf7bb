"""A circuit made anew from the gates that some literals need: `Rewriting`.

Gates are numbered after their inputs, so one pass in the order of numbers is enough. On the way a
conjunction takes in those that only it reads, two conjunctions that choose by one literal become a
multiplexer or an exclusive or (and-inverter graphs write them so), and what is equal is shared.
`given` replaces gates by literals of the new circuit: facts about states that were proved
elsewhere. Fewer gates mean fewer variables that a SAT solver must assign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from obligato.smt.blast.gates import AND, CONST, INPUT, ITE, MAJ, XOR, XOR3, Gates


class Rewriting:
    """From the literals of one circuit to those of another.
    Requires: every input gate below `roots` is in `given`."""

    def __init__(
        self, old: Gates, roots: Iterable[int], new: Gates, given: Mapping[int, int]
    ) -> None:
        self.old, self.new = old, new
        self.image: dict[int, int] = {1: 1, **given}
        self._joined: set[int] = set()  # gates that some conjunction reads as they are
        self._count = self._readers(roots)
        for gate in sorted(self._count):
            if gate not in self.image and not self._taken_in(gate):
                self.image[gate] = self._gate(gate)
        for gate in sorted(self._count):
            for fact in old.facts.get(gate, ()):
                if gate in self.image:
                    new.tell(self(fact), [self.image[gate]])

    def __call__(self, literal: int) -> int:
        """The literal of the new circuit that stands for one of the old."""
        gate = abs(literal)
        if gate not in self.image:  # one that was taken in, and is part of a choice all the same
            self.image[gate] = self._gate(gate)
        return self.image[gate] if literal > 0 else -self.image[gate]

    def _readers(self, roots: Iterable[int]) -> dict[int, int]:
        """How many gates read each gate below the roots;
        a root has one reader more, so that it stays."""
        old, count = self.old, dict[int, int]()
        stack = []
        for x in roots:
            count[abs(x)] = count.get(abs(x), 0) + 2
            stack.append(abs(x))
        seen = set()
        while stack:
            gate = stack.pop()
            if gate in seen:
                continue
            seen.add(gate)
            # the facts about a given gate are needed too
            inputs = () if gate in self.image else old.inputs[gate]
            if old.kinds[gate] == AND:
                self._joined.update([x for x in inputs if x > 0])
            for x in inputs if gate not in old.facts else (*inputs, *old.facts[gate]):
                x = abs(x)
                count[x] = count.get(x, 0) + 1
                stack.append(x)
        return count

    def _gate(self, gate: int) -> int:
        kind, inputs = self.old.kinds[gate], self.old.inputs[gate]
        if kind == AND:
            return self._conjunction(gate)
        return MAKE[kind](self.new, *map(self, inputs))

    def _conjunction(self, gate: int) -> int:
        old = self.old
        inputs = old.inputs[gate]
        if len(inputs) == 2 and (choice := self._choice(-inputs[0], -inputs[1])) is not None:
            return self.new.ite(*choice)
        out, stack = [], list(inputs)
        while stack:
            x = stack.pop()
            if x > 0 and self._taken_in(x):
                stack.extend(old.inputs[x])
            else:
                out.append(self(x))
        return self.new.all_of(out)

    def _taken_in(self, gate: int) -> bool:
        """Is it a conjunction that another one takes in, and nobody else reads?"""
        inputs = self.old.inputs[gate]
        if self.old.kinds[gate] != AND or self._count[gate] != 1 or gate not in self._joined:
            return False
        return not (len(inputs) == 2 and self._choice(-inputs[0], -inputs[1]) is not None)

    def _choice(self, p: int, q: int) -> tuple[int, int, int] | None:
        """not (c and a) and not (not c and b)  is  c ? not a : not b."""
        kinds, inputs = self.old.kinds, self.old.inputs
        if not (
            p > 0
            and q > 0
            and kinds[p] == kinds[q] == AND
            and len(inputs[p]) == len(inputs[q]) == 2
        ):
            return None
        for c, a in (inputs[p], inputs[p][::-1]):
            for d, b in (inputs[q], inputs[q][::-1]):
                if c == -d:
                    return self(c), -self(a), -self(b)
        return None


MAKE: dict[int, Callable[..., int]] = {
    CONST: lambda g: 1,
    INPUT: lambda g: g.input(),
    XOR: Gates.xor,
    ITE: Gates.ite,
    XOR3: Gates.xor3,
    MAJ: Gates.maj,
}
