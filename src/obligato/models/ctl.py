"""Computation tree logic over the states of a transition system:
an atom is a formula over state and inputs.

`E` is "on some path", `A` "on all paths"; the operators are `!`, `&`, `|`, `->`, `<->`, `xor`, the
unary EX, AX, EF, AF, EG, AG and the binary EU, AU, EW, AW, ER, AR (`E [f U g]` and so on). Paths
are infinite and fair to the system's `fairness`: a state without such a path satisfies no E and
every A formula. The state of the Kripke structure is the state of the system, and a step takes some
allowed input; if an atom names an input, it is state and input together (`structure`).

`core` brings a formula into the small language of the engine: true, atoms, `!`, `&`, EX, EU, EG.
Where there may be states without a fair path (`limited`), EX and EU ask for a target that has one:
`EG true` is one node that all of them share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from obligato.errors import Unsupported
from obligato.models.ltl import Formula, atom, atoms, map_atoms
from obligato.models.properties import CtlProperty
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import Term, free_vars

TRUE = Formula("true")
FAIR = Formula("EG", (TRUE,))


def negation(f: Formula) -> Formula:
    """Not f, without a double negation."""
    return f.args[0] if f.op == "!" else Formula("!", (f,))


def conjunction(f: Formula, g: Formula) -> Formula:
    """f and g, without parts that are true."""
    if TRUE in (f, g) or f == g:
        return g if f == TRUE else f
    return Formula("&", (f, g))


def disjunction(f: Formula, g: Formula) -> Formula:
    """f or g, in the core language."""
    return negation(conjunction(negation(f), negation(g)))


def from_fair_starts(f: Formula) -> Formula:
    """The formula that f holds in all states that start a fair path, whatever holds in others: what
    SMV means by a specification.
    """
    return Formula("->", (FAIR, f))


def numbered(f: Formula) -> Formula:
    """The same formula, its atoms called p0, p1, ... in the order in which their terms occur first.
    Atoms that have such a name already keep it.

    Claims name atoms so, because a reduction changes their terms.
    """
    names: dict[Term, str] = {}
    for t in atoms(f):
        names.setdefault(t, f"p{len(names)}")

    def leaf(g: Formula) -> Formula:
        if g.atom is None:
            return Formula(g.op, tuple(map(leaf, g.args)))
        return Formula(names[g.atom] if g.op == "atom" else g.op, (), g.atom)

    return leaf(f)


def stripped(f: Formula) -> tuple[Formula, dict[Formula, Term]]:
    """A formula from `numbered` without the terms of its atoms, and the term of each atom. An atom that
    was not numbered is a variable, whose name is taken.
    """
    if f.atom is not None:
        bare = Formula(f.atom.name if f.op == "atom" else f.op)
        return bare, {bare: f.atom}
    parts = [stripped(a) for a in f.args]
    return Formula(f.op, tuple(g for g, _ in parts)), {
        a: t for _, terms in parts for a, t in terms.items()
    }


# -- the core language -----------------------------------------------------------------------------


def core(f: Formula, limited: bool) -> Formula:
    """The same formula in the core language; `limited`: there may be states without a fair path."""
    if not f.args:
        return negation(TRUE) if f.op == "false" else f
    args = [core(a, limited) for a in f.args]
    return _RULES[f.op](FAIR if limited else TRUE, args[0], args[-1])


def _next(fair: Formula, f: Formula) -> Formula:
    return Formula("EX", (conjunction(f, fair),))


def _until(fair: Formula, f: Formula, g: Formula) -> Formula:
    return Formula("EU", (f, conjunction(g, fair)))


def _always(f: Formula) -> Formula:
    return Formula("EG", (f,))


def _weak_until(fair: Formula, f: Formula, g: Formula) -> Formula:
    """On all paths f, at least until g."""
    return negation(_until(fair, negation(g), conjunction(negation(f), negation(g))))


def _same(f: Formula, g: Formula) -> Formula:
    return disjunction(conjunction(f, g), conjunction(negation(f), negation(g)))


# of the fairness node and the parts; b is a where unary
_RULES: dict[str, Callable[[Formula, Formula, Formula], Formula]] = {
    "!": lambda fair, a, b: negation(a),
    "&": lambda fair, a, b: conjunction(a, b),
    "|": lambda fair, a, b: disjunction(a, b),
    "->": lambda fair, a, b: disjunction(negation(a), b),
    "<->": lambda fair, a, b: _same(a, b),
    "xor": lambda fair, a, b: negation(_same(a, b)),
    "EX": lambda fair, a, b: _next(fair, a),
    "AX": lambda fair, a, b: negation(_next(fair, negation(a))),
    "EF": lambda fair, a, b: _until(fair, TRUE, a),
    "AG": lambda fair, a, b: negation(_until(fair, TRUE, negation(a))),
    "EG": lambda fair, a, b: _always(a),
    "AF": lambda fair, a, b: negation(_always(negation(a))),
    "EU": _until,
    "AU": lambda fair, a, b: conjunction(_weak_until(fair, a, b), negation(_always(negation(b)))),
    "EW": lambda fair, a, b: disjunction(_until(fair, a, b), _always(a)),
    "AW": _weak_until,
    "ER": lambda fair, a, b: disjunction(_until(fair, b, conjunction(a, b)), _always(b)),
    "AR": lambda fair, a, b: negation(_until(fair, negation(a), negation(b))),
}
OPERATORS = tuple(_RULES)


# -- the structure ---------------------------------------------------------------------------------


def total(system: TransitionSystem) -> bool:
    """Has every state a fair path, because nothing limits the steps?"""
    free = system.next is not None and system.trans is functional(system.store, system.next)
    return free and not system.constraints and not system.fairness


def names_input(system: TransitionSystem, f: Formula) -> bool:
    """Does an atom depend on an input?"""
    inputs = dict.fromkeys(system.inputs)
    return any(v in inputs for v in free_vars(*atoms(f)))


def structure(system: TransitionSystem, f: Formula) -> TransitionSystem:
    """The system whose states are the states of the Kripke structure.

    If the formula names an input, each input becomes a state variable that a fresh input gives its
    next value; then the initial states are those pairs of state and input that the constraints
    allow.
    """
    if not names_input(system, f):
        return system
    s, inputs = system.store, system.inputs
    taken = {x.name for x in (*system.state, *inputs)}
    fresh = {i: s.var(_next_name(i, taken), i.sort) for i in inputs}
    next_ = None if system.next is None else {**system.next, **fresh}
    trans = s.and_(system.trans, functional(s, fresh))
    if next_ is not None and system.next is not None and system.trans is functional(s, system.next):
        trans = functional(s, next_)
    return replace(
        system,
        state=(*system.state, *inputs),
        inputs=tuple(fresh.values()),
        trans=trans,
        next=next_,
        init=s.and_(system.init, *system.constraints),
    )


def _next_name(i: Term, taken: set[str]) -> str:
    name = f"{i.name} next"
    if name in taken or f"{i.name}'" in taken:
        raise Unsupported(f"the name {name!r} is needed for the next value of an input")
    return name


def prepared(system: TransitionSystem) -> TransitionSystem:
    """The structure of a system with one property of branching time,
    whose formula is numbered and in the core language.

    To be done before any reduction:
    what the formula means depends on the inputs it names and on what limits the steps.
    """
    (p,) = system.branching
    wide = structure(system, p.formula)
    return replace(
        wide, properties=(CtlProperty(p.name, core(numbered(p.formula), not total(system))),)
    )


__all__ = [
    "FAIR",
    "OPERATORS",
    "TRUE",
    "Formula",
    "atom",
    "atoms",
    "conjunction",
    "core",
    "disjunction",
    "from_fair_starts",
    "map_atoms",
    "names_input",
    "negation",
    "numbered",
    "prepared",
    "stripped",
    "structure",
    "total",
]
