"""A transition system as bits: literals of gates for the state, its next values, init,
constraints and bad states.

Bits of the state are numbered from 1, as the skeleton's literals want it; free gates (the inputs)
have the numbers after them. Where the system has next-state functions, the next value of a bit is
the literal of its function, and a step needs no formula; else primed variables are free gates too,
and the transition relation is a literal that a step must satisfy (`step`).

The circuit is rewritten after blasting (`_rewrite`), and again where bits are found to be equal
(`merge`): only bits on which the constraints and properties depend stay. `image` says what became
of each bit of each variable: a literal of the circuit, or nothing if it does not matter.

`support` says on which numbers some literals depend: all that a lifting query has to fix. Sets of
numbers are integers, one per gate, from the inputs up; what they hold is listed once for each set
(`_listed`). Limitation: Booleans and bit-vectors only; arrays must have been expanded
(`models.ts_arrays`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import compress

from obligato.models.transition_system import TransitionSystem, functional
from obligato.models.ts_claims import SystemStep
from obligato.smt.blast import BlastContext
from obligato.smt.blast.gates import AND, INPUT
from obligato.smt.blast.rewrite import Rewriting
from obligato.terms import BOOL, Term, Value, conjuncts, substitute

_DIGITS = bytes(c == ord("1") for c in range(256))
MAX_LISTS = 1000  # sets of numbers that are kept as lists

Place = tuple[Term, int]  # a variable and the index of one of its bits


class BitSystem:
    """The gates of one system. `place[n]` is the state variable and index of bit n, `watched` the
    literals of those formulas over state and inputs that somebody asks about beside the
    properties."""

    def __init__(self, system: TransitionSystem, watched: Iterable[Term] = ()) -> None:
        self.system = system
        # what holds in all reachable states and is built into the circuit
        self.known: tuple[Term, ...] = ()
        self.context = context = BlastContext()
        self.place: list[Place] = [(system.store.true, 0)]
        self.bit: list[int] = [1]  # gate of bit n
        self.next: list[int] = [1]  # literal of the next value of bit n
        for x in system.state:
            after = system.primed[x] if system.next is None else system.next[x]
            for i, (now, then) in enumerate(zip(self._word(x), self._word(after), strict=True)):
                self.place.append((x, i))
                self.bit.append(now)
                self.next.append(then)
        self.number = {gate: n for n, gate in enumerate(self.bit) if n}
        self.constraints = [context.literal(c) for c in system.constraints]
        self.step = self._step()
        self.bad = -context.gates.all_of([context.literal(p.formula) for p in system.assertions])
        self.watched = [context.literal(f) for f in watched]
        self.init_facts = [context.literal(f) for f in conjuncts(system.init)]
        # the start values of bits (as literals) if `init` says nothing else; None if it does
        self.start = self._start()
        self.opening = {self.place[n]: x > 0 for n, x in (self.start or {}).items()}
        variables = (*system.state, *system.inputs)
        self.image: dict[Place, int] = {
            (x, i): gate for x in variables for i, gate in enumerate(self._word(x))
        }
        self._rewrite({})

    def _step(self) -> list[int]:
        """What a step must satisfy beside the constraints."""
        system, trans = self.system, self.system.trans
        if system.next is not None:
            if trans is functional(system.store, system.next):
                return []
            trans = substitute(trans, {system.primed[x]: e for x, e in system.next.items()})
        return [self.context.literal(f) for f in conjuncts(trans)]

    def _word(self, t: Term) -> tuple[int, ...]:
        """The literals of a variable or function, least significant first."""
        return (self.context.literal(t),) if t.sort is BOOL else self.context.word(t)

    # -- rewriting ---------------------------------------------------------------------------------

    def merge(self, same: Mapping[int, int], known: Iterable[Term]) -> None:
        """Replace each bit n in `same` by the gate literal `same[n]`, which is 1,
        -1 or that of another bit.

        Requires: they are equal in all reachable states;
        `known` says so, and is inductive under the constraints.
        """
        self.known = (*self.known, *known)
        self._rewrite({self.bit[n]: x for n, x in same.items()})
        self._rewrite({})  # the cone may be smaller now

    def _rewrite(self, same: Mapping[int, int]) -> None:
        """The circuit anew, with gates of state bits replaced as `same` says,
        and with those bits only that matter."""
        old, context = self.context.gates, BlastContext()
        facts = self.init_facts if self.start is None else []
        # a relation says more of a state than what matters
        all_bits = self.bit[1:] if self.system.next is None else []
        roots = [*self.constraints, *self.step, self.bad, *self.watched, *facts, *all_bits]
        cone = self._cone(roots, same)
        given = {g: context.gates.input() for g in cone if old.kinds[g] == INPUT and g not in same}
        given |= {
            g: given.get(abs(x), 1) * (1 if x > 0 else -1) for g, x in same.items() if g in cone
        }
        kept = [n for n, g in enumerate(self.bit) if n and g in cone and g not in same]
        new = Rewriting(old, [*roots, *(self.next[n] for n in kept)], context.gates, given)
        self.context = context
        # not in facts only
        self.image = {
            p: new(g) for p, g in self.image.items() if abs(g) in new.image and abs(g) in cone
        }
        self.place = [self.place[0], *(self.place[n] for n in kept)]
        self.next = [1, *(new(self.next[n]) for n in kept)]
        self.bit = [1, *(new(self.bit[n]) for n in kept)]
        self.number = {gate: n for n, gate in enumerate(self.bit) if n}
        self.constraints, self.step = list(map(new, self.constraints)), list(map(new, self.step))
        self.bad = new(self.bad)
        self.watched = list(map(new, self.watched))
        self._restart(kept, list(map(new, facts)))
        self._index()

    def _restart(self, kept: list[int], facts: list[int]) -> None:
        """`init` in the new circuit."""
        self.init_facts = facts
        if self.start is not None:
            old = self.start
            self.start = {n: n if old[m] > 0 else -n for n, m in enumerate(kept, 1) if m in old}
            self.init_facts = [
                self.bit[n] if x > 0 else -self.bit[n] for n, x in self.start.items()
            ]
        self.init = self.context.gates.all_of(self.init_facts)

    def _cone(self, roots: Iterable[int], same: Mapping[int, int]) -> dict[int, None]:
        """The gates on which the roots depend, now and in later steps;
        in the order of their numbers."""
        gates = self.context.gates
        seen: set[int] = {1}
        stack = [abs(x) for x in roots]
        while stack:
            gate = stack.pop()
            if gate in seen:
                continue
            seen.add(gate)
            if gate in same:
                stack.append(abs(same[gate]))
            elif gate in self.number:
                stack.append(abs(self.next[self.number[gate]]))
            else:
                stack.extend([abs(x) for x in (*gates.inputs[gate], *gates.facts.get(gate, ()))])
        return dict.fromkeys(sorted(seen))

    def _index(self) -> None:
        kinds = self.context.gates.kinds
        free = [
            gate
            for gate in range(1, len(kinds))
            if kinds[gate] == INPUT and gate not in self.number
        ]
        self.source = [*self.bit, *free]  # gate of number n
        self._masks: dict[int, int] = {gate: 1 << n for n, gate in enumerate(self.source) if n} | {
            1: 0
        }
        self._next_masks = [-1] * (2 * len(self.bit))  # by signed number; -1: not known yet
        self._lists: dict[int, tuple[list[int], list[int]]] = {}

    # -- init, supports, values --------------------------------------------------------------------

    def _start(self) -> dict[int, int] | None:
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

    def support(
        self, literals: Iterable[int], after: Iterable[int] = ()
    ) -> tuple[list[int], list[int]]:
        """The numbers of the state bits and of the free gates on which the literals and the bits
        `after` the step depend."""
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
            if len(self._lists) >= MAX_LISTS:
                self._lists.clear()
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
        return list(compress(range(state), digits)), list(
            compress(range(state, len(digits)), digits[state:])
        )

    def value(self, variable: Term, true: Set[int]) -> Value:
        """The value of a variable, given the input gates that are true;
        bits that do not matter are as at the start, or 0."""
        width = 1 if variable.sort is BOOL else variable.sort.width
        bits = [self._bit((variable, i), true) for i in range(width)]
        return bits[0] if variable.sort is BOOL else sum(1 << i for i, b in enumerate(bits) if b)

    def step_of(self, state: Set[int], inputs: Set[int], first: bool) -> SystemStep:
        """The step of a run, given the gates of the state and of the inputs that are true. States
        after the first follow, and are not told, where there are next-state functions.
        """
        told = self.system.state if first or self.system.next is None else ()
        return SystemStep(
            {x.name: self.value(x, state) for x in told},
            {i.name: self.value(i, inputs) for i in self.system.inputs},
        )

    def _bit(self, place: Place, true: Set[int]) -> bool:
        literal = self.image.get(place)
        if literal is None:
            return self.opening.get(place, False)
        return (abs(literal) in true or literal in (1, -1)) is (literal > 0)

    def atom(self, n: int) -> Term:
        """Bit n as a formula."""
        s, (x, i) = self.system.store, self.place[n]
        return x if x.sort is BOOL else s.eq(s.extract(x, i, i), s.bv(1, 1))
