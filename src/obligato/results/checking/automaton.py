"""Does an automaton accept every run that violates a formula?
The check of `models.automata`, state by state.

With `now(f)` what f says about the present letter and about the next moment, by

    now(f U g) = now(g) or (now(f) and next(f U g))      now(f R g) = now(g) and (now(f) or next(f R
    g))      now(X f) = next(f)

for every state S with its moves t it must be valid,
with letters and all next(f) as independent propositions, that

    now(S)  implies  for some t:  the literals of t, next(h) for all h that it leaves to do,
                                  and not now(g) for all f U g that it postpones (they are among
                                  what it leaves to do)

Then a run that satisfies the obligations of a state has a run of the automaton in which what holds
is never postponed: each f U g that is postponed holds next, is fulfilled at some time, and not
postponed then. So no U is postponed for ever, and the automaton accepts. The first state must be
the negation of the formula, which is compared with the formula operator by operator. Validity is
decided by trying all values of the propositions.

The other direction is needed where a run is known by the automaton only (`unproved`): every t of S
must imply now(S) if all that it leaves to do holds next, and each f U g that S then owes to the
next moment is one that t postpones. A run that postpones no U for ever then satisfies what its
first state says, because each U is postponed until it is fulfilled.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from obligato.models.automata import Automaton, Move
from obligato.models.ltl import Formula

MOST = 14  # propositions of one state
Values = Mapping[tuple[str, Formula], bool]


def wrong_automaton(formula: Formula, automaton: Automaton) -> str | None:
    """Why the automaton may miss a run that violates the formula; None if it cannot."""
    first = automaton.states[0]
    if len(first) != 1 or not _is_normal(formula, next(iter(first)), False):
        return "the first state is not the negation of the formula"
    for number, state in enumerate(automaton.states):
        moves = automaton.moves[number]
        if any(
            m.after not in automaton.states or not m.postponed <= m.after & set(automaton.untils)
            for m in moves
        ):
            return f"state {number} has a move to nowhere"
        names = dict.fromkeys(
            n
            for f in (
                *state,
                *(g for m in moves for g in (*m.after, *m.postponed, *m.true, *m.false)),
            )
            for n in _propositions(f)
        )
        if len(names) > MOST:
            return f"state {number} has too many propositions to be checked"
        for choice in product((False, True), repeat=len(names)):
            values = dict(zip(names, choice, strict=True))
            if all(_now(f, values) for f in state) and not any(_possible(m, values) for m in moves):
                return f"state {number} lacks a move"
    return None


def unproved(automaton: Automaton) -> str | None:
    """Why a run may be accepted that does not satisfy the first state; None if none is."""
    for number, state in enumerate(automaton.states):
        for move in automaton.moves[number]:
            if not all(_follows(f, move) for f in state):
                return f"a move of state {number} lacks an obligation of the formula"
    return None


def _follows(f: Formula, move: Move) -> bool:
    """Is what f says about this letter and the next moment a consequence of the move,
    where U is fulfilled or postponed?"""
    match f.op:
        case "true" | "false":
            return f.op == "true"
        case "atom":
            return f in move.true
        case "!":
            return f.args[0] in move.false
        case "&":
            return all(_follows(a, move) for a in f.args)
        case "|":
            return any(_follows(a, move) for a in f.args)
        case "U":
            return _follows(f.args[1], move) or (
                _follows(f.args[0], move) and f in move.after and f in move.postponed
            )
        case "X":
            return f.args[0] in move.after
        case "R":
            return _follows(f.args[1], move) and (_follows(f.args[0], move) or f in move.after)
    return False


def _possible(move: Move, values: Values) -> bool:
    """Do these values allow the move? What it requires now must be true or false as it says, what
    it leaves for the next step must be promised there, and an until that it puts off must not be
    fulfilled now.
    """
    return (
        all(_now(a, values) for a in move.true)
        and not any(_now(a, values) for a in move.false)
        and all(values.get(("next", g), False) for g in move.after)
        and not any(_now(u.args[1], values) for u in move.postponed)
    )


def _propositions(f: Formula) -> list[tuple[str, Formula]]:
    inner = [n for a in f.args for n in _propositions(a)]
    if f.op == "X":
        return [*inner, ("next", f.args[0])]
    return (
        [("now", f)] if f.op == "atom" else [*inner, ("next", f)] if f.op in ("U", "R") else inner
    )


def _now(f: Formula, values: Values) -> bool:
    match f.op:
        case "true" | "false":
            return f.op == "true"
        case "atom":
            return values[("now", f)]
        case "!":
            return not _now(f.args[0], values)
        case "&":
            return all(_now(a, values) for a in f.args)
        case "|":
            return any(_now(a, values) for a in f.args)
        case "X":
            return values[("next", f.args[0])]
        case "U":
            return _now(f.args[1], values) or (_now(f.args[0], values) and values[("next", f)])
    return _now(f.args[1], values) and (_now(f.args[0], values) or values[("next", f)])


_DUAL = {"true": "false", "false": "true", "&": "|", "|": "&", "U": "R", "R": "U", "X": "X"}


def _is_normal(f: Formula, g: Formula, positive: bool = True) -> bool:
    """Is g, in negation normal form, the formula f, or (not `positive`) its negation?"""
    match f.op:
        case "atom":
            return f == g if positive else g.op == "!" and g.args == (f,)
        case "!":
            return _is_normal(f.args[0], g, not positive)
        case "true" | "false" | "&" | "|" | "U" | "R" | "X":
            return g.op == (f.op if positive else _DUAL[f.op]) and _each(f, g, positive)
        case "F" | "G":  # F f is true U f, and G f is false R f
            ahead = (f.op == "F") is positive
            until, first = ("U", "true") if ahead else ("R", "false")
            return (
                g.op == until
                and g.args[0].op == first
                and _is_normal(f.args[0], g.args[1], positive)
            )
        case "->":
            return (
                g.op == ("|" if positive else "&")
                and _is_normal(f.args[0], g.args[0], not positive)
                and _is_normal(f.args[1], g.args[1], positive)
            )
        case "W":  # f W g is g R (f or g)
            return (
                g.op == ("R" if positive else "U")
                and _is_normal(f.args[1], g.args[0], positive)
                and g.args[1].op == ("|" if positive else "&")
                and _each(f, g.args[1], positive)
            )
        case "<->" | "xor":
            return _is_equivalence(f, g, (f.op == "<->") is positive)
    return False


def _each(f: Formula, g: Formula, positive: bool) -> bool:
    """Are the operands of g, one by one, those of f or their negations?
    Not if there are more of the one than of the other."""
    pairs = zip(f.args, g.args, strict=False)
    return len(f.args) == len(g.args) and all(_is_normal(a, b, positive) for a, b in pairs)


def _is_equivalence(f: Formula, g: Formula, equal: bool) -> bool:
    """Is g (a and b) or (not a and not b), or (not `equal`) (not a or not b) and (a or b)?"""
    outer, inner = ("|", "&") if equal else ("&", "|")
    shape = g.op == outer and len(g.args) == 2 and all(part.op == inner for part in g.args)
    return shape and _each(f, g.args[0], equal) and _each(f, g.args[1], not equal)
