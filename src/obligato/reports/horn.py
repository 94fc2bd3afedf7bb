"""Constrained Horn clauses (SMT-LIB, logic HORN) of a CFA or a transition system:
satisfiable iff no error is reachable.

CFA: one relation over the variables per location, one clause per edge. The initial location's
region is `true` and the error location's is `false`, so neither needs a relation. A clause is
closed by quantifying the variables before the edge, the edge's inputs (a havoc is any value) and
the selectors of its choices:

    at_source(x) and guard(x, i)  =>  at_target(final(x, i))

Transition system: one relation over the state;
constraints hold wherever a run is, the last state included.

Limits (assertions of class limit) count as errors and over-approximations as behaviour; a text that
has any begins with `LIMITED`, and then *unsat* refutes nothing:
export the CFA without them to refute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from obligato.errors import Unsupported
from obligato.models.cfa import CFA, Edge
from obligato.models.effect import BlockEffect
from obligato.models.transition_system import TransitionSystem
from obligato.terms import Term, free_vars
from obligato.terms.printer import symbol, to_smtlib

LIMITED = "; limited"


def horn_text(cfa: CFA, limited: bool = False) -> str:
    """The clauses of a CFA; `limited` says that the CFA it was made from has limits or
    over-approximations."""
    name = _unused("at", (*cfa.variables, *cfa.inputs))
    relations = [f"{name}{n}" for n in cfa.locations if n not in (cfa.initial, cfa.error)]
    limited = limited or any(e.refutes_nothing for e in cfa.edges)
    return _script(relations, cfa.variables, [_edge(cfa, e, name) for e in cfa.edges], limited)


def _edge(cfa: CFA, edge: Edge, name: str) -> str:
    effect = BlockEffect(cfa.store, edge.command, f"choose!{edge.id}!")
    before = [] if edge.source == cfa.initial else [_atom(f"{name}{edge.source}", cfa.variables)]
    finals = [] if edge.target == cfa.error else [effect.pull(v) for v in cfa.variables]
    head = "false" if edge.target == cfa.error else _atom(f"{name}{edge.target}", finals)
    read = cfa.variables if before else ()
    return _clause(
        (*read, *free_vars(*effect.guard, *finals)), [*before, *map(to_smtlib, effect.guard)], head
    )


def system_horn_text(system: TransitionSystem, limited: bool = False) -> str:
    """The clauses of a transition system; all its properties at once."""
    if system.temporal:
        raise Unsupported(
            "Horn clauses have no properties of infinite runs", construct="temporal property"
        )
    state, after = system.state, tuple(system.primed.values())
    name = _unused("reached", (*state, *after, *system.inputs))
    here, constraints = _atom(name, state), [to_smtlib(c) for c in system.constraints]
    clauses = [_clause(state, [to_smtlib(system.init)], here)]
    clauses.append(
        _clause(
            (*state, *after, *system.inputs),
            [here, *constraints, to_smtlib(system.trans)],
            _atom(name, after),
        )
    )
    for p in system.assertions:
        bad = to_smtlib(system.store.not_(p.formula))
        clauses.append(_clause((*state, *system.inputs), [here, *constraints, bad], "false"))
    return _script([name], state, clauses, limited)


def _script(
    relations: Sequence[str], variables: Sequence[Term], clauses: list[str], limited: bool
) -> str:
    sorts = " ".join(str(v.sort) for v in variables)
    declared = [f"(declare-fun {r} ({sorts}) Bool)" for r in relations]
    return "\n".join(
        [*([LIMITED] if limited else []), "(set-logic HORN)", *declared, *clauses, "(check-sat)"]
    )


def _clause(bound: Iterable[Term], body: Sequence[str], head: str) -> str:
    """A closed implication."""
    variables = [f"({symbol(v.name)} {v.sort})" for v in dict.fromkeys(bound)]
    implication = f"(=> (and {' '.join(body) or 'true'}) {head})"
    return (
        f"(assert (forall ({' '.join(variables)}) {implication}))"
        if variables
        else f"(assert {implication})"
    )


def _atom(relation: str, values: Sequence[Term]) -> str:
    return f"({relation} {' '.join(map(to_smtlib, values))})" if values else relation


def _unused(name: str, variables: Sequence[Term]) -> str:
    """A name that no variable begins with: a bound variable would hide the relation."""
    while any(v.name.startswith(name) for v in variables):
        name += "!"
    return name
