"""What a claim about a formula of branching time speaks about, built from the input as read:
core formula, structure, bounds.

Nothing here is shared with the engine: the checker has its own translation into EX, EU and EG
(`Language`), its own structure with inputs in the state (`widened`), and its own bounds (`Ledger`),
which it computes from the entries it has accepted.
"""

from __future__ import annotations

from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.ltl import Formula
from obligato.models.transition_system import TransitionSystem, functional
from obligato.results.checking.run import Rejected
from obligato.terms import Term, TermStore, free_vars, postorder

YES = Formula("true")
FAIR = Formula("EG", (YES,))  # the states that start a fair path


def unlimited(system: TransitionSystem) -> bool:
    """Is every state sure to start a fair path, because there is nothing to keep it from a step?"""
    if system.constraints or system.fairness or system.next is None:
        return False
    return system.trans is functional(system.store, system.next)


class Language:
    """The translation of one formula; `terms` are those of its atoms p0, p1, ..."""

    def __init__(self, formula: Formula, limited: bool) -> None:
        self.limited = limited
        self._numbers: dict[Term, int] = {}
        self.core = self._translate(formula)
        self.terms = {Formula(f"p{n}"): t for t, n in self._numbers.items()}

    def _translate(self, f: Formula) -> Formula:
        if f.atom is not None:
            return Formula(f"p{self._numbers.setdefault(f.atom, len(self._numbers))}")
        if f.op in ("true", "false"):
            return YES if f.op == "true" else _no(YES)
        parts = [self._translate(a) for a in f.args]
        if f.op[0] not in "AE":
            return _boolean(f.op, parts)
        if f.op[0] == "E":
            return self._some_path(f.op[1], parts)
        return self._all_paths(f.op[1], parts)

    def _some_path(self, op: str, parts: list[Formula]) -> Formula:
        first, last = parts[0], parts[-1]
        if op == "X":
            return Formula("EX", (self._on_a_fair_path(first),))
        if op == "G":
            return Formula("EG", (first,))
        if op == "R":  # the last one up to and with the first one, or for ever
            first, last = last, _both(first, last)
        reached = Formula("EU", (YES if op == "F" else first, self._on_a_fair_path(last)))
        return reached if op in "FU" else _either(reached, Formula("EG", (first,)))

    def _all_paths(self, op: str, parts: list[Formula]) -> Formula:
        """The formula that says that no path does the opposite."""
        against = [_no(a) for a in parts]
        match op:
            case "X" | "F" | "G":
                return _no(self._some_path({"X": "X", "F": "G", "G": "F"}[op], against))
            case "R":
                return _no(self._some_path("U", against))
        weak = _no(self._some_path("U", [against[1], _both(against[0], against[1])]))
        return weak if op == "W" else _both(weak, _no(Formula("EG", (against[1],))))

    def _on_a_fair_path(self, f: Formula) -> Formula:
        """The formula f, required of states from which a fair path starts."""
        return _both(f, FAIR) if self.limited else f


def _boolean(op: str, parts: list[Formula]) -> Formula:
    if op == "!":
        return _no(parts[0])
    a, b = parts
    equal = _either(_both(a, b), _both(_no(a), _no(b)))
    return {
        "&": _both(a, b),
        "|": _either(a, b),
        "->": _either(_no(a), b),
        "<->": equal,
        "xor": _no(equal),
    }[op]


def _no(f: Formula) -> Formula:
    return f.args[0] if f.op == "!" else Formula("!", (f,))


def _both(f: Formula, g: Formula) -> Formula:
    if f in (YES, g):
        return g
    return f if g == YES else Formula("&", (f, g))


def _either(f: Formula, g: Formula) -> Formula:
    return _no(_both(_no(f), _no(g)))


def widened(system: TransitionSystem, language: Language) -> TransitionSystem:
    """The system, with its inputs in the state if an atom depends on one: fresh inputs give their
    next values then, and the initial states are the allowed pairs of state and input."""
    used = {v.name for v in free_vars(*language.terms.values())}
    if not any(i.name in used for i in system.inputs):
        return system
    s = system.store
    given = {i: s.var(f"{i.name} next", i.sort) for i in system.inputs}
    known = {x.name for x in (*system.state, *system.inputs)}
    known |= {t.name for t in postorder([system.trans]) if not t.args and t.op.name == "VAR"}
    for i, fresh in given.items():
        if fresh.name in known or f"{i.name}'" in known:
            raise Unsupported(f"the name {fresh.name!r} is needed for the next value of an input")
    total = system.next is not None and system.trans is functional(s, system.next)
    next_ = None if system.next is None else {**system.next, **given}
    trans = (
        functional(s, next_)
        if total and next_ is not None
        else s.and_(system.trans, functional(s, given))
    )
    return replace(
        system,
        state=(*system.state, *system.inputs),
        inputs=tuple(given.values()),
        next=next_,
        trans=trans,
        init=s.and_(system.init, *system.constraints),
    )


class Ledger:
    """The bounds so far, as terms over variables named like the state's,
    in a store of their own."""

    def __init__(self, store: TermStore, terms: dict[Formula, Term]) -> None:
        self.store, self.terms = store, terms
        self.joined: dict[Formula, Term] = {}
        self.left: dict[Formula, Term] = {}

    def join(self, f: Formula, states: Term) -> None:
        """The states join the lower bound."""
        self.joined[f] = self.store.or_(self.joined.get(f, self.store.false), states)

    def leave(self, f: Formula, states: Term) -> None:
        """The states leave the upper bound."""
        self.left[f] = self.store.and_(self.left.get(f, self.store.true), self.store.not_(states))

    def lower(self, f: Formula) -> Term:
        """L: states that satisfy the formula for certain."""
        return self._bound(f, True)

    def upper(self, f: Formula) -> Term:
        """U: all states that may satisfy the formula."""
        return self._bound(f, False)

    def _bound(self, f: Formula, lower: bool) -> Term:
        s = self.store
        match f.op:
            case "true":
                return s.true
            case "!":
                return s.not_(self._bound(f.args[0], not lower))
            case "&":
                return s.and_(*(self._bound(a, lower) for a in f.args))
            case "EX" | "EU" | "EG":
                return self._joined(f) if lower else self._left(f)
        if f not in self.terms:
            raise Rejected(f"{f} is no subformula")
        return self.terms[f]

    def _joined(self, f: Formula) -> Term:
        joined = self.joined.get(f, self.store.false)
        return self.store.or_(joined, self.lower(f.args[1])) if f.op == "EU" else joined

    def _left(self, f: Formula) -> Term:
        left = self.left.get(f, self.store.true)
        if f.op == "EX":
            return left
        return self.store.and_(left, self.store.or_(*(self.upper(a) for a in f.args)))
