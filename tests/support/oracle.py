"""Explicit exploration of small finite systems, fast enough for tens of thousands: formulas become
Python functions.

It uses no solver, engine or simplification, and reads `trans` only, never `next`: next values are
those that equations ``x' = e`` in it define, the others are enumerated; likewise start values.
`explore` carries the idea. Operators without a shape of their own here take their meaning from
`terms.semantics`. A test compares it with `tests.support.systems.explore`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from obligato.models.transition_system import TransitionSystem
from obligato.models.ts_claims import SystemTrace
from obligato.terms import BOOL, Kind, Op, Term, Value, conjuncts, free_vars, postorder
from obligato.terms.semantics import meaning
from tests.support.systems import Explored, State, values_of

_INFIX = {Op.AND: " and ", Op.OR: " or ", Op.BVAND: " & ", Op.BVOR: " | ", Op.BVXOR: " ^ "}
_WRAPPED = {Op.BVADD: " + ", Op.BVSUB: " - ", Op.BVMUL: " * "}
_COMPARE = {Op.EQ: "==", Op.XOR: "!=", Op.BVULT: "<", Op.BVULE: "<=", Op.BVUGT: ">", Op.BVUGE: ">="}
_SIGNED = {Op.BVSLT: "<", Op.BVSLE: "<=", Op.BVSGT: ">", Op.BVSGE: ">="}

Run = tuple[tuple[State, State], ...]


def compiled(roots: Sequence[Term], params: Sequence[Term]) -> Callable[..., tuple[Any, ...]]:
    """The values of terms as a function of the values of variables."""
    names = {p: f"p{n}" for n, p in enumerate(params)}
    tables: dict[str, Any] = {}
    lines = []
    for n, t in enumerate(postorder(roots)):
        if t not in names:
            names[t] = f"t{n}"
            lines.append(f"    t{n} = {_expression(t, [names[a] for a in t.args], tables)}")
    result = "".join(f"{names[r]}, " for r in roots)
    body = "\n".join(
        [f"def f({', '.join(names[p] for p in params)}):", *lines, f"    return ({result})"]
    )
    exec(body, tables)
    function: Callable[..., tuple[Any, ...]] = tables["f"]
    return function


def _expression(t: Term, args: list[str], tables: dict[str, Any]) -> str:
    op = t.op
    if op is Op.CONST and isinstance(t.data, int):
        return repr(t.data)
    if op is Op.NOT:
        return f"not {args[0]}"
    if op is Op.ITE:
        return f"{args[1]} if {args[0]} else {args[2]}"
    if op in _INFIX:
        return _INFIX[op].join(args)
    if op in _WRAPPED:
        return f"({_WRAPPED[op].join(args)}) & {(1 << t.sort.width) - 1}"
    if op in _COMPARE and len(args) == 2:
        return f"{args[0]} {_COMPARE[op]} {args[1]}"
    if op in _SIGNED:
        sign = 1 << (t.args[0].sort.width - 1)
        return f"({args[0]} ^ {sign}) {_SIGNED[op]} ({args[1]} ^ {sign})"
    assert op is not Op.VAR, f"{t.name} has no value"
    tables[f"f{t.id}"] = meaning(t)
    return f"f{t.id}({', '.join(args)})"


def choices(variables: Sequence[Term]) -> list[State]:
    return list(product(*(values_of(v.sort) for v in variables)))


class Machine:
    """A system as functions on tuples of values."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.state, inputs = list(system.state), list(system.inputs)
        self.inputs = choices(inputs)
        now = [*self.state, *inputs]
        self._allowed = compiled([system.store.and_(*system.constraints)], now)
        self._good = compiled([system.store.and_(*(p.formula for p in system.assertions))], now)
        primed = [system.primed[x] for x in self.state]
        defined, rest = _definitions(conjuncts(system.trans), primed, dict.fromkeys(now))
        self._next = compiled(list(defined.values()), now)
        open_ = [y for y in primed if y not in defined]
        self._open = choices(open_)
        self._relation = compiled([system.store.and_(*rest)], [*now, *primed]) if rest else None
        order = {y: n for n, y in enumerate([*defined, *open_])}
        self._order = [order[y] for y in primed]

    def starts(self) -> list[State]:
        """All initial states."""
        fixed, rest = _definitions(conjuncts(self.system.init), self.state, {})
        open_ = [x for x in self.state if x not in fixed]
        known = compiled(list(fixed.values()), [])()
        place = {x: n for n, x in enumerate([*fixed, *open_])}
        order = [place[x] for x in self.state]
        holds = compiled([self.system.store.and_(*rest)], self.state)
        states = (tuple((known + chosen)[n] for n in order) for chosen in choices(open_))
        return [s for s in states if holds(*s)[0]]

    def allowed(self, state: State, inputs: State) -> bool:
        """Do the constraints hold?"""
        return bool(self._allowed(*state, *inputs)[0])

    def good(self, state: State, inputs: State) -> bool:
        """Do all properties hold?"""
        return bool(self._good(*state, *inputs)[0])

    def after(self, state: State, inputs: State) -> Iterator[State]:
        """All successors."""
        now = state + inputs
        defined = self._next(*now)
        for chosen in self._open:
            values = defined + chosen
            following = tuple([values[n] for n in self._order])
            if self._relation is None or self._relation(*now, *following)[0]:
                yield following

    def violated_by(self, trace: SystemTrace) -> bool:
        """Is this complete trace a run that ends in a violation?"""

        def values(variables: Sequence[Term], given: Any) -> State:
            return tuple(given[x.name] for x in variables)

        states = [values(self.state, s.state) for s in trace.steps]
        inputs = [values(self.system.inputs, s.inputs) for s in trace.steps]
        return (
            bool(states)
            and states[0] in self.starts()
            and all(self.allowed(s, i) for s, i in zip(states, inputs, strict=True))
            and all(
                b in self.after(a, i) for a, b, i in zip(states, states[1:], inputs, strict=False)
            )
            and not self.good(states[-1], inputs[-1])
        )


def _definitions(
    facts: Sequence[Term], wanted: Sequence[Term], known: dict[Term, None]
) -> tuple[dict[Term, Term], list[Term]]:
    """What equations over `known` variables define of `wanted`, each once; and the other facts."""
    targets, defined, rest = dict.fromkeys(wanted), dict[Term, Term](), list[Term]()
    for f in facts:
        found = next(
            (
                (x, e)
                for x, e in _equations(f)
                if x in targets and x not in defined and all(v in known for v in free_vars(e))
            ),
            None,
        )
        if found is None:
            rest.append(f)
        else:
            defined[found[0]] = found[1]
    return defined, rest


def _equations(f: Term) -> Iterator[tuple[Term, Term]]:
    if f.op is Op.EQ and len(f.args) == 2:
        yield from ((f.args[0], f.args[1]), (f.args[1], f.args[0]))
    elif f.sort is BOOL:
        yield (f.args[0], f.store.false) if f.op is Op.NOT else (f, f.store.true)


def explore(system: TransitionSystem) -> Explored:
    """Breadth first from all initial states."""
    machine = Machine(system)
    layer = machine.starts()
    seen, depth = dict.fromkeys(layer), 0
    while layer:
        following: list[State] = []
        for state in layer:
            for i in machine.inputs:
                if machine.allowed(state, i):
                    if not machine.good(state, i):
                        return Explored(depth, len(seen))
                    for after in machine.after(state, i):
                        if after not in seen:
                            seen[after] = None
                            following.append(after)
        layer, depth = following, depth + 1
    return Explored(None, len(seen))


def finite(system: TransitionSystem, bits: int) -> bool:
    """Has the system at most so many bits, Booleans and words only?"""

    def size(v: Term) -> int:
        return 1 if v.sort is BOOL else v.sort.width if v.sort.kind is Kind.BITVEC else bits + 1

    return sum(map(size, (*system.state, *system.inputs))) <= bits


__all__ = ["Machine", "Value", "choices", "compiled", "explore", "finite"]
