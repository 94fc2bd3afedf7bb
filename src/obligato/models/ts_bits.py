"""A transition system as bits: literals of gates for the state, its next values, init, constraints and bad states.

Bits of the state are numbered from 1, as the skeleton's literals want it; free gates (the inputs) have the numbers after them.
Where the system has next-state functions, the next value of a bit is the literal of its function, and a step needs no formula;
else primed variables are free gates too, and the transition relation is a literal that a step must satisfy (`step`).

`support` says on which numbers some literals depend: all that a lifting query has to fix. Sets of numbers are integers, one per
gate, from the inputs up; what they hold is listed once for each set (`_listed`).
Limitation: Booleans and bit-vectors only; arrays must have been expanded (`models.ts_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import compress

from obligato.models.transition_system import TransitionSystem, functional
from obligato.smt.blast import BlastContext
from obligato.smt.blast.gates import AND, INPUT
from obligato.terms import BOOL, Term, Value, conjuncts, substitute

_DIGITS = bytes(c == ord("1") for c in range(256))


class BitSystem:
    """The gates of one system. `place[n]` is the state variable and index of bit n."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.context = BlastContext()
        self.place: list[tuple[Term, int]] = [(system.store.true, 0)]
        self.bit: list[int] = [1]  # gate of bit n
        self.next: list[int] = [1]  # literal of the next value of bit n
        for x in system.state:
            after = system.primed[x] if system.next is None else system.next[x]
            for i, (now, then) in enumerate(zip(self.word(x), self.word(after), strict=True)):
                self.place.append((x, i))
                self.bit.append(now)
                self.next.append(then)
        self.number = {gate: n for n, gate in enumerate(self.bit) if n}
        self.constraints = [self.context.literal(c) for c in system.constraints]
        self.step = self._step()
        self.bad = -self.context.gates.all_of([self.context.literal(p.formula) for p in system.properties])
        self.init_facts = [self.context.literal(f) for f in conjuncts(system.init)]
        self.init = self.context.gates.all_of(self.init_facts)
        self.source = [*self.bit, *self._free()]  # gate of number n
        self._masks: dict[int, int] = {gate: 1 << n for n, gate in enumerate(self.source) if n} | {1: 0}
        self._next_masks = [-1] * (2 * len(self.bit))  # by signed number; -1: not known yet
        self._lists: dict[int, tuple[list[int], list[int]]] = {}

    def _free(self) -> list[int]:
        kinds = self.context.gates.kinds
        return [gate for gate in range(1, len(kinds)) if kinds[gate] == INPUT and gate not in self.number]

    def _step(self) -> list[int]:
        """What a step must satisfy beside the constraints."""
        system, trans = self.system, self.system.trans
        if system.next is not None:
            if trans is functional(system.store, system.next):
                return []
            trans = substitute(trans, {system.primed[x]: e for x, e in system.next.items()})
        return [self.context.literal(f) for f in conjuncts(trans)]

    def word(self, t: Term) -> tuple[int, ...]:
        """The literals of a variable or function, least significant first."""
        return (self.context.literal(t),) if t.sort is BOOL else self.context.word(t)

    @property
    def start(self) -> dict[int, int] | None:
        """The start values of bits (as literals) if `init` says nothing else; None if it does."""
        out: dict[int, int] = {}
        for fact in self.init_facts:
            for literal in self._conjunction(fact):
                n = self.number.get(abs(literal))
                if n is None or out.get(n, literal) != literal:
                    return None
                out[n] = literal
        return {n: n if literal > 0 else -n for n, literal in out.items()}

    def _conjunction(self, literal: int) -> Iterable[int]:
        """The literals whose conjunction it is, as far as gates tell."""
        gates = self.context.gates
        if literal == 1:
            return ()
        if literal > 0 and gates.kinds[literal] == AND:
            return gates.inputs[literal]
        return (literal,)

    def support(self, literals: Iterable[int], after: Iterable[int] = ()) -> tuple[list[int], list[int]]:
        """The numbers of the state bits and of the free gates on which the literals and the bits `after` the step depend."""
        mask = 0
        for x in literals:
            mask |= self._mask(abs(x))
        table = self._next_masks
        for n in after:
            here = table[n]
            if here < 0:
                here = table[n] = table[-n] = self._mask(abs(self.next[abs(n)]))
            mask |= here
        found = self._lists.get(mask)
        if found is None:
            found = self._lists[mask] = self._listed(mask)
        return found

    def _mask(self, root: int) -> int:
        inputs, masks = self.context.gates.inputs, self._masks
        stack = [] if root in masks else [root]
        while stack:
            gate = stack[-1]
            pending = [abs(x) for x in inputs[gate] if abs(x) not in masks]
            if pending:
                stack.extend(pending)
                continue
            mask = 0
            for x in inputs[gate]:
                mask |= masks[abs(x)]
            masks[gate] = mask
            stack.pop()
        return masks[root]

    def _listed(self, mask: int) -> tuple[list[int], list[int]]:
        digits = bin(mask)[:1:-1].encode().translate(_DIGITS)
        state = len(self.bit)
        return list(compress(range(state), digits)), list(compress(range(state, len(digits)), digits[state:]))

    def value(self, variable: Term, true: Set[int]) -> Value:
        """The value of a variable, given the gates that are true."""
        word = self.word(variable)
        if variable.sort is BOOL:
            return word[0] in true
        return sum(1 << i for i, gate in enumerate(word) if gate in true)
