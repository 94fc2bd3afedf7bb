"""Hash-consed gates over literals: the circuit that all SAT solvers of one run share.

A literal is a signed gate number; gate 1 is the constant true, so `TRUE` is 1 and false is -1. A
gate has a kind and input literals. The constructors propagate constants, resolve equal and opposite
inputs, and normalise signs and order, so that an equal function of equal inputs is (mostly) the
same gate; constants never become inputs. Full adders are gates of their own (XOR3 and MAJ) because
their direct clauses propagate better than two half adders.

`facts` are redundant: they spare a solver what it would have to find out about a circuit, such as
that a remainder is less than the divisor.

No clause is made here: a solver asks `blast.cnf` for the clauses of just those gates that its
formulas reach. Limitation: no two-level simplification, no sweeping.
"""

from __future__ import annotations

from collections.abc import Iterable

CONST, INPUT, AND, XOR, ITE, XOR3, MAJ = range(7)
TRUE = 1


class Gates:
    """The table of gates: `kinds[n]` and the literals `inputs[n]` of gate n."""

    def __init__(self) -> None:
        self.kinds: list[int] = [CONST, CONST]  # number 0 is not used: it has no sign
        self.inputs: list[tuple[int, ...]] = [(), ()]
        self._table: dict[tuple[int, ...], int] = {}  # kind and inputs -> number
        self._spare: list[int] = []
        # gate -> literals that are true for all inputs, told with the gate
        self.facts: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.kinds) - 1

    def input(self) -> int:
        """A fresh, free gate: one bit of a variable."""
        self.kinds.append(INPUT)
        self.inputs.append(())
        return len(self.kinds) - 1

    def spare(self, n: int) -> int:
        """The n-th (from 0) of some free gates that no function reads:
        solvers share them, for literals of their own."""
        while len(self._spare) <= n:
            self._spare.append(self.input())
        return self._spare[n]

    def _gate(self, key: tuple[int, ...]) -> int:
        number = self._table.get(key)
        if number is None:
            number = self._table[key] = len(self.kinds)
            self.kinds.append(key[0])
            self.inputs.append(key[1:])
        return number

    def tell(self, fact: int, with_: Iterable[int]) -> None:
        """A solver that loads one of the literals `with_` gets `fact` as a clause, too.
        Requires: `fact` always holds."""
        for literal in with_:
            if abs(literal) != 1:
                known = self.facts.get(abs(literal), ())
                self.facts[abs(literal)] = known if fact in known else (*known, fact)

    def below(self, literals: Iterable[int]) -> list[int]:
        """The gates on which the literals depend, inputs first."""
        seen: set[int] = set()
        stack = [abs(x) for x in literals]
        while stack:
            gate = stack.pop()
            if gate not in seen:
                seen.add(gate)
                stack.extend([abs(x) for x in self.inputs[gate]])
        return sorted(seen)

    def and_(self, a: int, b: int) -> int:
        """a and b."""
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if a == -1 or b == -1 or a == -b:
            return -1
        return self._gate((AND, a, b) if a < b else (AND, b, a))

    def or_(self, a: int, b: int) -> int:
        """a or b."""
        return -self.and_(-a, -b)

    def all_of(self, literals: Iterable[int]) -> int:
        """Conjunction of any number, as one gate."""
        lits = set(literals)
        lits.discard(1)
        if -1 in lits or any(-x in lits for x in lits):
            return -1
        if len(lits) < 2:
            return lits.pop() if lits else 1
        return self._gate((AND, *sorted(lits)))

    def any_of(self, literals: Iterable[int]) -> int:
        """Disjunction of any number, as one gate."""
        return -self.all_of([-x for x in literals])

    def xor(self, a: int, b: int) -> int:
        """a differs from b."""
        if a == b:
            return -1
        if a == -b:
            return 1
        if a == 1 or a == -1:
            return -b if a == 1 else b
        if b == 1 or b == -1:
            return -a if b == 1 else a
        x, y = abs(a), abs(b)
        gate = self._gate((XOR, x, y) if x < y else (XOR, y, x))
        return gate if (a < 0) == (b < 0) else -gate

    def ite(self, c: int, a: int, b: int) -> int:
        """c ? a : b."""
        if a == b or c == 1:
            return a
        if c == -1:
            return b
        if a == -b:
            return -self.xor(c, a)
        if a == 1 or a == c:
            return self.or_(c, b)
        if a == -1 or a == -c:
            return self.and_(-c, b)
        if b == 1 or b == -c:
            return self.or_(-c, a)
        if b == -1 or b == c:
            return self.and_(c, a)
        if c < 0:
            c, a, b = -c, b, a
        return self._gate((ITE, c, a, b)) if a > 0 else -self._gate((ITE, c, -a, -b))

    def xor3(self, a: int, b: int, c: int) -> int:
        """The parity of three: a full adder's sum."""
        x, y, z = sorted((abs(a), abs(b), abs(c)))
        if x == 1 or x == y or y == z:
            return self.xor(self.xor(a, b), c)
        gate = self._gate((XOR3, x, y, z))
        return gate if (a < 0) ^ (b < 0) ^ (c > 0) else -gate

    def maj(self, a: int, b: int, c: int) -> int:
        """At least two of three: a full adder's carry."""
        x, y, z = sorted((a, b, c), key=abs)
        if x == 1 or x == -1:
            return self.or_(y, z) if x == 1 else self.and_(y, z)
        if x == y or x == -y:
            return x if x == y else z
        if y == z or y == -z:
            return y if y == z else x
        return self._gate((MAJ, x, y, z)) if x > 0 else -self._gate((MAJ, -x, -y, -z))
