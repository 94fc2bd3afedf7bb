"""A transition system in the form that hardware formats can say: next-state functions and constant start values only.

What they cannot say becomes a constraint, exactly: a bit `first` is true in the first state only, and there the rest of `init`
must hold; a bit `stepped` remembers whether the last step satisfied the relation (or the filter beside the functions), and
must be true. Where there are no functions, an equation x' = e of the relation gives one; else the next value is a fresh input.
"""

from __future__ import annotations

from dataclasses import dataclass

from obligato.errors import Unsupported
from obligato.models.properties import Justice, LtlProperty
from obligato.models.tableau import with_justice
from obligato.models.transition_system import TransitionSystem, functional
from obligato.terms import BOOL, Op, Term, assigned_constant, conjuncts, free_vars, substitute


@dataclass(frozen=True, slots=True)
class Circuit:
    """States with their next values and constant start values (where they have one), inputs, constraints."""

    start: dict[Term, Term]
    next: dict[Term, Term]
    inputs: tuple[Term, ...]
    constraints: tuple[Term, ...]


def circuit(system: TransitionSystem) -> Circuit:
    """The system as a circuit; its properties keep their formulas."""
    s = system.store
    start: dict[Term, Term] = {}
    rest: list[Term] = []
    for fact in conjuncts(system.init):
        x, value = assigned_constant(fact)
        if x is None or value is None or x in start:
            rest.append(fact)
        else:
            start[x] = value
    constraints, inputs = list(system.constraints), list(system.inputs)
    next_, filter_ = _functions(system, inputs)
    if filter_ is not None:
        stepped = s.fresh("stepped", BOOL)
        start[stepped], next_[stepped] = s.true, filter_
        constraints.append(stepped)
    if rest:
        first = s.fresh("first", BOOL)
        start[first], next_[first] = s.true, s.false
        constraints.append(s.implies(first, s.and_(*rest)))
    return Circuit(start, next_, tuple(inputs), tuple(constraints))


def with_justice_only(system: TransitionSystem) -> TransitionSystem:
    """The system in a form that a format with justice can say: one temporal formula, alone, becomes its tableau."""
    match system.properties:
        case (LtlProperty() as p,):
            return with_justice(system, p)
    return system


def justices(system: TransitionSystem) -> list[Justice]:
    """The temporal properties of a system for a format that knows justice only; other ones are refused by name."""
    for p in system.temporal:
        if not isinstance(p, Justice):
            raise Unsupported(
                f"the format has no temporal formulas; one alone (--property {p.name}) is written by a tableau",
                construct="temporal formula")
    return [p for p in system.temporal if isinstance(p, Justice)]


def _functions(system: TransitionSystem, inputs: list[Term]) -> tuple[dict[Term, Term], Term | None]:
    """Next-state functions, and what a step must satisfy beside them; `inputs` grows where there are no functions."""
    s = system.store
    if system.next is not None:
        next_ = dict(system.next)
        if system.trans is functional(s, next_):
            return next_, None
    else:
        told = _equations(system)
        next_ = {x: told[x] if x in told else s.fresh(f"next of {x.name}", x.sort) for x in system.state}
        inputs.extend(e for x, e in next_.items() if x not in told)
    filter_ = substitute(system.trans, {system.primed[x]: e for x, e in next_.items()})
    left = [f for f in conjuncts(filter_) if not (f.op is Op.EQ and f.args[0] is f.args[1])]
    return next_, s.and_(*left) if left else None


def _equations(system: TransitionSystem) -> dict[Term, Term]:
    """The state variables whose next value a conjunct of the relation defines over this state and the inputs."""
    owner, told = {y: x for x, y in system.primed.items()}, dict[Term, Term]()
    for f in conjuncts(system.trans):
        for y, e in _readings(f):
            if y in owner and owner[y] not in told and not any(v in owner for v in free_vars(e)):
                told[owner[y]] = e
                break
    return told


def _readings(f: Term) -> tuple[tuple[Term, Term], ...]:
    """The equations y = e that a formula is."""
    s = f.store
    if f.op is Op.EQ:
        return (f.args[0], f.args[1]), (f.args[1], f.args[0])
    if f.op is not Op.NOT:
        return ((f, s.true),)
    a = f.args[0]
    if a.op is Op.EQ and a.args[0].sort is BOOL:
        return (a.args[0], s.not_(a.args[1])), (a.args[1], s.not_(a.args[0]))
    return ((a, s.false),)
