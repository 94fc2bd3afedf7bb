"""From a temporal formula to fairness sets:
the system beside a symbolic tableau of the formula's negation.

The negation stands in negation normal form over atoms, &, |, X, U and R. For each subformula g that
a step may put off to the next one there is a state bit "ltl must g" (g is promised to hold now) and
an input "ltl next g" (g is promised for the next step). With `sat` the one-step reading

    sat(X g)   = next g
    sat(f U g) = sat(g) or (sat(f) and next (f U g))
    sat(f R g) = sat(g) and (sat(f) or next (f R g))

the constraints are  must g -> sat(g),  the next value of `must g` is `next g`, at the start only
the whole formula must hold, and each f U g has the fairness set  sat(g) or not next (f U g): it is
not put off for ever. So the fair runs of the product are the fair runs of the system that violate
the formula. `add_to` is also what other products with a monitor are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.ltl import Formula
from obligato.models.properties import Justice, LiveProperty
from obligato.models.transition_system import TransitionSystem, functional, next_var
from obligato.terms import BOOL, Term

_DUAL = {"&": "|", "|": "&", "U": "R", "R": "U", "X": "X", "true": "false", "false": "true"}


def with_justice(system: TransitionSystem, p: LiveProperty) -> TransitionSystem:
    """A system with one justice property that holds iff `p` holds in `system`."""
    if isinstance(p, Justice):
        return replace(system, properties=(p,))
    return _Tableau(system, nnf(p.formula, False)).product(p.name)


def nnf(f: Formula, positive: bool) -> Formula:
    """`f` or its negation, with negations at atoms only, and &, |, X, U, R only."""
    match f.op:
        case "atom":
            return f if positive else Formula("!", (f,))
        case "!":
            return nnf(f.args[0], not positive)
        case "->":
            return nnf(Formula("|", (Formula("!", f.args[:1]), f.args[1])), positive)
        case "xor":
            return nnf(Formula("<->", f.args), not positive)
        case "<->":
            a, b = f.args
            return _or(
                _and(nnf(a, True), nnf(b, positive)), _and(nnf(a, False), nnf(b, not positive))
            )
        case "F":
            return nnf(Formula("U", (Formula("true"), *f.args)), positive)
        case "G":
            return nnf(Formula("R", (Formula("false"), *f.args)), positive)
        case "W":
            a, b = f.args
            return nnf(Formula("R", (b, Formula("|", (a, b)))), positive)
    return Formula(f.op if positive else _DUAL[f.op], tuple(nnf(a, positive) for a in f.args))


def _and(a: Formula, b: Formula) -> Formula:
    return Formula("&", (a, b))


def _or(a: Formula, b: Formula) -> Formula:
    return Formula("|", (a, b))


class _Tableau:
    def __init__(self, system: TransitionSystem, formula: Formula) -> None:
        self.system, self.store, self.root = system, system.store, formula
        self.later: dict[Formula, Term] = {}  # put off to the next step: the input that promises it
        self.promises: dict[str, Term] = {}  # by the text of the until formula
        self._sat: dict[Formula, Term] = {}

    def sat(self, f: Formula) -> Term:
        """The formula sat(f): what f asks of one step."""
        if f not in self._sat:
            self._sat[f] = self._one_step(f)
        return self._sat[f]

    def _one_step(self, f: Formula) -> Term:
        s = self.store
        if f.op == "atom":
            assert f.atom is not None
            return f.atom
        if f.op in ("true", "false"):
            return s.bool_(f.op == "true")
        if f.op == "X":
            return self._next(f.args[0])
        parts = [self.sat(a) for a in f.args]
        match f.op:
            case "!":
                return s.not_(parts[0])
            case "&":
                return s.and_(*parts)
            case "|":
                return s.or_(*parts)
            case "U":
                again = self._next(f)
                self.promises[str(f)] = s.or_(parts[1], s.not_(again))
                return s.or_(parts[1], s.and_(parts[0], again))
        return s.and_(parts[1], s.or_(parts[0], self._next(f)))

    def _next(self, f: Formula) -> Term:
        if f not in self.later:
            self.later[f] = self.store.var(f"ltl next {f}", BOOL)
        return self.later[f]

    def product(self, name: str) -> TransitionSystem:
        """The system with the tableau beside it."""
        s = self.store
        needed = {self.root: self.sat(self.root)}
        while len(needed) < len({**needed, **self.later}):
            for f in [f for f in self.later if f not in needed]:
                needed[f] = self.sat(f)
        must = {f: s.var(f"ltl must {f}", BOOL) for f in needed}
        starts = [must[f] if f is self.root else s.not_(must[f]) for f in needed]
        following = {must[f]: self.later.get(f, s.false) for f in needed}
        rules = [s.implies(must[f], now) for f, now in needed.items()]
        wide = add_to(self.system, following, starts, self.later.values(), rules)
        return replace(
            wide, properties=(Justice(name, tuple(f for _, f in sorted(self.promises.items()))),)
        )


def add_to(
    system: TransitionSystem,
    following: Mapping[Term, Term],
    starts: Iterable[Term],
    inputs: Iterable[Term] = (),
    constraints: Iterable[Term] = (),
) -> TransitionSystem:
    """The system with more state variables (and their next values), facts about the start,
    inputs and constraints."""
    store = system.store
    inputs = tuple(inputs)
    taken = {x.name for x in (*system.state, *system.inputs)}
    clash = [x.name for x in (*following, *inputs) if x.name in taken]
    if clash:
        raise Unsupported(
            f"the name {clash[0]!r} is needed for the product with the property", construct="name"
        )
    next_ = None if system.next is None else {**system.next, **following}
    if (
        next_ is not None
        and system.next is not None
        and system.trans is functional(store, system.next)
    ):
        trans = functional(store, next_)
    else:
        trans = store.and_(system.trans, *(store.eq(next_var(x), e) for x, e in following.items()))
    return replace(
        system,
        state=(*system.state, *following),
        inputs=(*system.inputs, *inputs),
        trans=trans,
        next=next_,
        init=store.and_(system.init, *starts),
        constraints=(*system.constraints, *constraints),
    )
