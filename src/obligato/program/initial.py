"""How a run starts: which variables get any value, and the assignments that give globals their initial values."""

from __future__ import annotations

from collections.abc import Iterator

from obligato.program.syntax import Assign, Procedure, Program, Variable, flatten
from obligato.terms import Sort, Term, free_vars


def scalars(variables: tuple[Variable, ...]) -> Iterator[tuple[str, Sort]]:
    """Full name and sort of each scalar that stands for the variables, in order of declaration."""
    for v in variables:
        yield from flatten(v.name, v.type)


def procedure_scalars(p: Procedure) -> list[tuple[str, Sort]]:
    """Parameters, results and locals of a procedure."""
    return list(scalars((*p.parameters, *p.results, *p.locals)))


def initial_assignments(program: Program) -> list[Assign]:
    """The initial values of globals as few parallel assignments, equivalent to assigning them one by one in order."""
    groups: list[Assign] = []
    pairs: dict[Term, Term] = {}
    for v in program.globals:
        if v.init is None:
            continue
        if any(x in pairs for x in free_vars(v.init)):
            groups.append(_assign(program, pairs))
            pairs = {}
        (name, sort), = flatten(v.name, v.type)
        pairs[program.store.var(name, sort)] = v.init
    return [*groups, _assign(program, pairs)] if pairs else groups


def _assign(program: Program, pairs: dict[Term, Term]) -> Assign:
    first = next(v for v in program.globals if v.name == next(iter(pairs)).name)
    return Assign(tuple(pairs), tuple(pairs.values()), first.span)
