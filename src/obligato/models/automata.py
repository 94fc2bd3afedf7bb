"""Büchi automata of temporal formulas, as lists of obligations [GPVW95].

A state is a set of formulas in negation normal form that must hold from now on. To read a letter it
is taken apart: a disjunction is a choice, `f U g` is g now, or f now and again next (*postponed*),
`f R g` is g now and either f, too, or again next. What is left are literals about the letter and
the obligations of the next state. A run that postpones no U for ever is accepting; with several U's
they take turns (`level`), so that one set of accepting states is enough.

Nobody has to believe the construction:
`results.checking.automaton` checks each automaton against its formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from obligato.errors import Unsupported
from obligato.models.ltl import Formula

Obligations = frozenset[Formula]
TRUE, FALSE = Formula("true"), Formula("false")
_DUAL = {"&": "|", "|": "&", "U": "R", "R": "U", "X": "X", "true": "false", "false": "true"}
STATES = 200


@dataclass(frozen=True, slots=True)
class Move:
    """One way to read a letter: atoms that are true and false,
    what is left for the next state, what is postponed."""

    true: frozenset[Formula]
    false: frozenset[Formula]
    after: Obligations
    postponed: Obligations


@dataclass(frozen=True, slots=True)
class Automaton:
    """States by number, 0 first; the moves of each state;
    all formulas `f U g` that may be postponed."""

    states: tuple[Obligations, ...]
    moves: tuple[tuple[Move, ...], ...]
    untils: tuple[Formula, ...]


def negation(formula: Formula, negated: bool = True) -> Formula:
    """The negation (or the formula itself) in negation normal form over & | U R X."""
    op, args = formula.op, formula.args
    match op:
        case "atom":
            return Formula("!", (formula,)) if negated else formula
        case "true" | "false":
            return Formula(_DUAL[op]) if negated else formula
        case "!":
            return negation(args[0], not negated)
        case "F":
            return _both(
                "R" if negated else "U", FALSE if negated else TRUE, negation(args[0], negated)
            )
        case "G":
            return _both(
                "U" if negated else "R", TRUE if negated else FALSE, negation(args[0], negated)
            )
        case "->":
            return negation(Formula("|", (Formula("!", (args[0],)), args[1])), negated)
        case "xor":
            return negation(Formula("<->", args), not negated)
        case "<->":
            same = Formula("&", args), Formula("&", tuple(Formula("!", (a,)) for a in args))
            return negation(Formula("|", same), negated)
        case "W":
            return negation(Formula("R", (args[1], Formula("|", args))), negated)
    return Formula(_DUAL[op] if negated else op, tuple(negation(a, negated) for a in args))


def _both(op: str, left: Formula, right: Formula) -> Formula:
    return Formula(op, (left, right))


def automaton_of(formula: Formula) -> Automaton:
    """The automaton of the runs that violate a formula."""
    start: Obligations = frozenset([negation(formula)])
    states, moves = {start: 0}, list[tuple[Move, ...]]()
    while len(moves) < len(states):
        here = list(states)[len(moves)]
        found = _needed(list(_taken_apart(here)))
        moves.append(tuple(found))
        for move in found:
            states.setdefault(move.after, len(states))
        if len(states) > STATES:
            raise Unsupported(
                "a temporal formula with too many states", construct="temporal formula"
            )
    untils = dict.fromkeys(u for way in moves for m in way for u in sorted(m.postponed, key=str))
    return Automaton(tuple(states), tuple(moves), tuple(untils))


def _taken_apart(obligations: Obligations) -> Iterator[Move]:
    """All ways to satisfy the obligations now."""
    empty: Obligations = frozenset()
    stack = [(sorted(obligations, key=str), empty, empty, empty, empty)]
    while stack:
        todo, true, false, after, postponed = stack.pop()
        if not todo:
            if not true & false:
                yield Move(true, false, after, postponed)
            continue
        f, rest = todo[0], todo[1:]
        match f.op:
            case "true":
                stack.append((rest, true, false, after, postponed))
            case "false":
                continue
            case "atom":
                stack.append((rest, true | {f}, false, after, postponed))
            case "!":
                stack.append((rest, true, false | {f.args[0]}, after, postponed))
            case "&":
                stack.append(([*f.args, *rest], true, false, after, postponed))
            case "|":
                stack += [([a, *rest], true, false, after, postponed) for a in reversed(f.args)]
            case "X":
                stack.append((rest, true, false, after | {f.args[0]}, postponed))
            case "U":
                stack.append(([f.args[0], *rest], true, false, after | {f}, postponed | {f}))
                stack.append(([f.args[1], *rest], true, false, after, postponed))
            case _:
                stack.append(([f.args[1], *rest], true, false, after | {f}, postponed))
                stack.append(([*f.args, *rest], true, false, after, postponed))


def _needed(moves: list[Move]) -> list[Move]:
    """The moves that no other one makes superfluous."""
    out: list[Move] = []
    for n, move in enumerate(moves):
        if not any(
            _covers(other, move) and (not _covers(move, other) or m < n)
            for m, other in enumerate(moves)
            if m != n
        ):
            out.append(move)
    return out


def _covers(a: Move, b: Move) -> bool:
    """Can `a` be taken wherever `b` can, with no more left to do?"""
    return (
        a.true <= b.true
        and a.false <= b.false
        and a.after <= b.after
        and a.postponed <= b.postponed
    )
