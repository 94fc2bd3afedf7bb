"""How runs and calls begin and end, as primitive statements;
the inliner and the interpreter both follow this.

A run gives each global without initial value and each scalar of the entry procedure any value, then
assigns the initial values.  A call assigns the arguments to the parameters, gives results and
locals any value, runs the body, and assigns the results to the caller's variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from obligato.program.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Havoc,
    Procedure,
    Program,
    Variable,
    flatten,
)
from obligato.terms import Sort, Term, free_vars


def scalars(variables: tuple[Variable, ...]) -> Iterator[tuple[str, Sort]]:
    """Full name and sort of each scalar that stands for the variables, in order of declaration."""
    for v in variables:
        yield from flatten(v.name, v.type)


def procedure_scalars(p: Procedure) -> list[tuple[str, Sort]]:
    """Parameters, results and locals of a procedure."""
    return list(scalars((*p.parameters, *p.results, *p.locals)))


def passing(program: Program, call: Call) -> Assign | None:
    """Arguments (of the caller) to parameters (of the callee)."""
    targets = _terms(program, program.procedures[call.callee].parameters)
    return Assign(targets, call.arguments, call.span) if targets else None


def entering(program: Program, call: Call) -> Havoc | None:
    """Any value for the callee's results and locals."""
    callee = program.procedures[call.callee]
    targets = _terms(program, (*callee.results, *callee.locals))
    return Havoc(targets, None, call.span) if targets else None


def returning(program: Program, call: Call) -> Assign | None:
    """Results (of the callee) to the caller's variables."""
    values = _terms(program, program.procedures[call.callee].results)
    return Assign(call.results, values, call.span) if values else None


def _terms(program: Program, variables: tuple[Variable, ...]) -> tuple[Term, ...]:
    return tuple(program.store.var(n, s) for n, s in scalars(variables))


def plain_preamble(program: Program) -> int:
    """How many edges of the program's automaton the preamble of its entry procedure becomes,
    up to a call or a choice."""
    count = 0
    for statement in program.procedures[program.entry].body[: program.preamble]:
        if not isinstance(statement, Assign | Havoc | Assume | Assert):
            break
        count += not isinstance(statement, Assert)
    return count


def initial_assignments(program: Program) -> list[Assign]:
    """The initial values of globals as few parallel assignments,
    equivalent to assigning them one by one in order."""
    groups: list[Assign] = []
    pairs: dict[Term, Term] = {}
    span = None
    for v in program.globals:
        if v.init is None:
            continue
        if any(x in pairs for x in free_vars(v.init)):
            groups.append(Assign(tuple(pairs), tuple(pairs.values()), span or v.span))
            pairs, span = {}, None
        span = span or v.span
        pairs[program.store.var(v.name, v.init.sort)] = v.init
    return (
        [*groups, Assign(tuple(pairs), tuple(pairs.values()), span or program.globals[0].span)]
        if pairs
        else groups
    )
